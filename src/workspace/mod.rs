//! The folder a run works in: confined access, before-images, restore.
