-- When a run was last offered a memory, and which went because newer results of their folder came: how many it keeps.
ALTER TABLE memories ADD COLUMN used INTEGER;
ALTER TABLE memories ADD COLUMN outdated INTEGER;
