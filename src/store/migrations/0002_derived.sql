-- What is derived from the events and can be rebuilt from them; also run by the rebuild, so it may find them there.
CREATE TABLE IF NOT EXISTS snapshots (
  run_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  fold_version INTEGER NOT NULL,
  sum BLOB NOT NULL,
  settings BLOB,
  hash BLOB NOT NULL,
  data BLOB NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS snapshots_place ON snapshots (run_no, seq);

CREATE TABLE IF NOT EXISTS calls (
  run_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  timeline INTEGER NOT NULL,
  step INTEGER NOT NULL,
  position INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  tool TEXT NOT NULL,
  class TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  spool_epoch INTEGER NOT NULL,
  effect INTEGER NOT NULL,
  args_seq INTEGER NOT NULL,
  moved_seq INTEGER NOT NULL,
  since INTEGER NOT NULL,
  end_seq INTEGER,
  decided_by TEXT,
  why TEXT,
  PRIMARY KEY (run_no, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS calls_id ON calls (call_id);
CREATE INDEX IF NOT EXISTS calls_effect ON calls (effect);
CREATE INDEX IF NOT EXISTS calls_open ON calls (run_no) WHERE end_seq IS NULL;

CREATE TABLE IF NOT EXISTS checkpoints (
  run_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  timeline INTEGER NOT NULL,
  step INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (run_no, seq)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS file_events (
  run_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  call_seq INTEGER NOT NULL,
  files INTEGER NOT NULL,
  PRIMARY KEY (run_no, seq)
) WITHOUT ROWID;
