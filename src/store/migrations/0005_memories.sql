-- What is remembered beyond one request. Rows of agents are written by the commit that holds their event; rows of persons
-- stand here alone. What was withdrawn or replaced stays, and is never offered.
CREATE TABLE memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  scope TEXT NOT NULL,
  place TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT,
  text TEXT NOT NULL,
  confidence INTEGER NOT NULL,
  pinned INTEGER NOT NULL,
  author TEXT NOT NULL,
  run TEXT,
  step INTEGER,
  seq INTEGER,
  timeline INTEGER,
  at INTEGER NOT NULL,
  edited INTEGER,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  gone TEXT,
  disagrees INTEGER
);
CREATE INDEX memories_place ON memories (scope, place);
CREATE UNIQUE INDEX memories_event ON memories (run, seq) WHERE seq IS NOT NULL;

CREATE TABLE memory_versions (
  memory INTEGER NOT NULL,
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  text TEXT NOT NULL,
  why TEXT NOT NULL
);
CREATE INDEX memory_versions_of ON memory_versions (memory);

CREATE TABLE memory_vectors (
  memory INTEGER NOT NULL,
  model TEXT NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (memory, model)
) WITHOUT ROWID;

-- Terms as `recall` makes them, joined by spaces: the index splits nowhere else.
CREATE VIRTUAL TABLE memory_terms USING fts5(
  words, characters,
  content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);
CREATE VIRTUAL TABLE memory_vocabulary USING fts5vocab(memory_terms, row);
