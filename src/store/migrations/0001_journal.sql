-- What is true: runs and their events, the contents they name, what people asked, what was set aside as damaged.
-- The small columns of `runs` are derived and stand here so that lists read nothing else.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE runs (
  run_no INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  head_seq INTEGER NOT NULL,
  head_sum BLOB NOT NULL,
  timeline INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  owner TEXT,
  owner_since INTEGER,
  snap_seq INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,
  wait TEXT,
  steps INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  bytes INTEGER NOT NULL DEFAULT 0,
  title TEXT NOT NULL,
  workspace TEXT NOT NULL
);
CREATE UNIQUE INDEX runs_id ON runs (id);

CREATE TABLE events (
  run_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  timeline INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  version INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  author TEXT NOT NULL,
  sum BLOB NOT NULL,
  payload_hash BLOB,
  payload BLOB NOT NULL
);
CREATE UNIQUE INDEX events_run_seq ON events (run_no, seq);

CREATE TABLE gaps (
  run_no INTEGER NOT NULL,
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  sum BLOB NOT NULL,
  epoch INTEGER NOT NULL,
  at INTEGER NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (run_no, from_seq)
) WITHOUT ROWID;

CREATE TABLE damaged_events (
  run_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  timeline,
  parent,
  version,
  codec,
  at,
  kind,
  author,
  sum,
  payload_hash,
  payload,
  why TEXT NOT NULL
);
CREATE INDEX damaged_events_run ON damaged_events (run_no, seq);

CREATE TABLE blobs (
  blob_no INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  size INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  complete INTEGER NOT NULL,
  created INTEGER NOT NULL,
  data BLOB
);
CREATE UNIQUE INDEX blobs_hash ON blobs (hash);

CREATE TABLE blob_chunks (
  blob_no INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  data BLOB NOT NULL
);
CREATE UNIQUE INDEX blob_chunks_place ON blob_chunks (blob_no, idx);

CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_no INTEGER NOT NULL,
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  control TEXT NOT NULL,
  call_id TEXT,
  args_hash TEXT,
  attempt INTEGER,
  taken_at INTEGER,
  taken_seq INTEGER
);
CREATE INDEX inbox_pending ON inbox (run_no) WHERE taken_at IS NULL;
CREATE INDEX inbox_call ON inbox (call_id) WHERE call_id IS NOT NULL;
-- The first decision wins: there is one pending row for a call, its arguments and its attempt.
CREATE UNIQUE INDEX inbox_decision ON inbox (run_no, call_id, args_hash, attempt)
  WHERE call_id IS NOT NULL AND taken_at IS NULL;
