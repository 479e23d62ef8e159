-- Damage that stands behind a snapshot: where it was met (whether it is still there is looked up anew each time), and what a
-- person accepted in its place: the state at `to_seq`, which is true from then on, since its events are not all there.
CREATE TABLE found_damage (
  run_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (run_no, seq)
) WITHOUT ROWID;

CREATE TABLE bridges (
  run_no INTEGER NOT NULL,
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  why TEXT NOT NULL,
  settings BLOB,
  hash BLOB NOT NULL,
  data BLOB NOT NULL
);
CREATE UNIQUE INDEX bridges_place ON bridges (run_no, from_seq);
