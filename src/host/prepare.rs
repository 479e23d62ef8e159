//! Making spools before the commit that starts their calls, listing them, and sweeping up.
//!
//! A spool appears under its name whole or not at all: it is filled aside, synced, renamed. Since
//! it is never empty, the rename cannot replace another one.

use super::error::HostError;
use super::fault::fault;
use super::process::{self, ProcessId};
use super::record::RECORD_BYTES;
use super::spec::{Spec, SpoolName};
use super::spool::{Spool, is_absent, remove_tree};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use uuid::Uuid;

fn sync_dir(path: &Path) -> Result<(), HostError> {
    File::open(path).and_then(|dir| dir.sync_all()).map_err(HostError::file("sync", path))
}

/// Makes a spool, whole and synced, under its final name. Must precede the commit that starts
/// the call; if that commit turns out stale, [`Spool::remove`] it.
pub fn prepare(root: &Path, spec: &Spec) -> Result<Spool, HostError> {
    check(root, spec)?;
    make_root(root)?;
    let spool = Spool::at(root, &spec.name)?;
    let maker =
        ProcessId::of_self().map_err(|source| HostError::System { action: "find this process", source })?;
    let aside =
        spool.root().join(format!("tmp.{}.{}.{}", maker.pid, maker.start_time, Uuid::new_v4().simple()));
    let made = fill(&aside, spec).and_then(|()| {
        fault("spool.written");
        fs::rename(&aside, spool.path()).map_err(HostError::file("create", spool.path()))
    });
    if let Err(error) = made {
        // Best effort: what stays is swept as a dead maker's.
        let _ = remove_tree(&aside);
        return Err(error);
    }
    fault("spool.renamed");
    sync_dir(spool.root())?;
    Ok(spool)
}

/// Refuses what no supervisor could run as meant: they work in `/`.
fn check(root: &Path, spec: &Spec) -> Result<(), HostError> {
    let why = if spec.argv.is_empty() {
        "there is no command in it"
    } else if !spec.cwd.is_absolute() {
        "its working folder is not an absolute path"
    } else {
        return Ok(());
    };
    Err(HostError::Spec { path: root.join(spec.name.to_string()), why: why.to_owned() })
}

fn make_root(root: &Path) -> Result<(), HostError> {
    if root.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(root).map_err(HostError::file("create", root))?;
    let parent = root.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.map_or(Ok(()), sync_dir)
}

fn fill(aside: &Path, spec: &Spec) -> Result<(), HostError> {
    DirBuilder::new().mode(0o700).create(aside).map_err(HostError::file("create", aside))?;
    let text = serde_json::to_vec(spec)
        .map_err(|error| HostError::Spec { path: aside.join("spec"), why: error.to_string() })?;
    let room = vec![b' '; RECORD_BYTES];
    let empty: &[u8] = &[];
    let mut files = Vec::new();
    for (name, content) in [
        ("spec", text.as_slice()),
        ("lock", empty),
        ("life", empty),
        ("out", empty),
        ("log", empty),
        ("exit.tmp", room.as_slice()),
        ("token.ready", empty),
    ] {
        let path = aside.join(name);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(HostError::file("create", &path))?;
        file.write_all(content).map_err(HostError::file("write", &path))?;
        files.push((file, path));
    }
    // All written first, then all synced: the first sync carries most of the others.
    for (file, path) in files {
        file.sync_all().map_err(HostError::file("sync", &path))?;
    }
    sync_dir(aside)
}

/// The spools under `root`, in no order. What to do with each is the caller's: only under the
/// run's ownership, only of an older epoch, only when no open call names it.
pub fn list(root: &Path) -> Result<Vec<SpoolName>, HostError> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(HostError::file("list", root)(error)),
    };
    Ok(entries.flatten().filter_map(|entry| SpoolName::parse(entry.file_name().to_str()?).ok()).collect())
}

/// Removes what half-done work left: folders in the trash, and preparations whose maker is dead.
/// Returns how many were removed.
pub fn sweep(root: &Path) -> Result<usize, HostError> {
    let Ok(entries) = fs::read_dir(root) else {
        return Ok(0);
    };
    let mut swept = 0;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if name.starts_with("trash.") || is_dead_makers(name) {
            remove_tree(&entry.path())?;
            swept += 1;
        }
    }
    Ok(swept)
}

fn is_dead_makers(name: &str) -> bool {
    let mut parts = name.split('.');
    if parts.next() != Some("tmp") {
        return false;
    }
    let pid = parts.next().and_then(|part| part.parse().ok());
    let start = parts.next().and_then(|part| part.parse::<u64>().ok());
    let (Some(pid), Some(start)) = (pid, start) else {
        return false;
    };
    process::entry(pid).is_none_or(|entry| entry.start_time != start || entry.zombie)
}
