-- What a person took back before it was delivered: the row is closed (`taken_at`) without an event (`taken_seq` stays NULL),
-- and names who took it back. And what a person is writing and has not sent yet.
ALTER TABLE inbox ADD COLUMN back_by TEXT;

CREATE TABLE drafts (
  place TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  text TEXT NOT NULL
) WITHOUT ROWID;
