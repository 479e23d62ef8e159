-- Which memories say different things of the same, how such conflicts were settled, and all sources of each memory: what is
-- told again is kept once.
CREATE TABLE memory_conflicts (
  older INTEGER NOT NULL,
  newer INTEGER NOT NULL,
  PRIMARY KEY (older, newer)
) WITHOUT ROWID;
CREATE INDEX memory_conflicts_newer ON memory_conflicts (newer);
INSERT INTO memory_conflicts
  SELECT m.disagrees, m.id FROM memories m JOIN memories o ON o.id = m.disagrees
  WHERE m.gone IS NULL AND o.gone IS NULL;
-- Those that named the same one are in conflict with each other too; a person looks at all of them.
INSERT OR IGNORE INTO memory_conflicts
  SELECT a.older, b.older FROM
    (SELECT newer AS older, older AS same FROM memory_conflicts) a
    JOIN (SELECT newer AS older, older AS same FROM memory_conflicts) b ON a.same = b.same AND a.older < b.older;
ALTER TABLE memories DROP COLUMN disagrees;

CREATE TABLE memory_settlements (
  memory INTEGER NOT NULL,
  other INTEGER NOT NULL,
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  how TEXT NOT NULL
);
CREATE INDEX memory_settlements_of ON memory_settlements (memory);

CREATE TABLE memory_sources (
  memory INTEGER NOT NULL,
  kind TEXT NOT NULL,
  author TEXT NOT NULL,
  run TEXT,
  step INTEGER,
  seq INTEGER,
  timeline INTEGER,
  at INTEGER NOT NULL,
  withdrawn INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX memory_sources_of ON memory_sources (memory);
CREATE UNIQUE INDEX memory_sources_event ON memory_sources (run, seq) WHERE seq IS NOT NULL;
INSERT INTO memory_sources
  SELECT id, kind, author, run, step, seq, timeline, at, withdrawn FROM memories;
