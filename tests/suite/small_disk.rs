//! A file system of its own, small enough to be filled. Mounting one needs root; nobody else gets it, and is told so.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The small file system; gone when dropped, which has to happen before the folder is removed.
pub struct Small(PathBuf);

impl Small {
    /// Over an empty folder; none where nobody may mount. That root may not is a failure, unless it is said to be so
    /// (`WAKEFUL_TEST_NO_MOUNT=1`): a test that shows nothing is no pass.
    pub fn over(folder: &Path, megabytes: u32) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "none"])
            .arg(folder)
            .output();
        if mounted.as_ref().is_ok_and(|done| done.status.success()) {
            return Some(Self(folder.to_owned()));
        }
        let excused = std::env::var_os("WAKEFUL_TEST_NO_MOUNT").is_some_and(|value| value == "1");
        assert!(
            excused || !rustix::process::geteuid().is_root(),
            "root cannot mount a small file system: {mounted:?}; where that is to be so, set WAKEFUL_TEST_NO_MOUNT=1"
        );
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        // Not with the macro: what a test prints is shown only if it fails.
        let note = format!("NOT TESTED {name}: no small file system can be mounted here\n");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), note.as_bytes());
        None
    }

    /// Fills it to the last page.
    pub fn fill(&self) {
        let mut filler = std::fs::File::create(self.0.join("filler")).unwrap();
        while std::io::Write::write_all(&mut filler, &[7; 4096]).is_ok() {}
    }

    /// Takes away what filled it.
    pub fn make_room(&self) {
        std::fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}
