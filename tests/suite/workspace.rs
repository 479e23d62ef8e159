//! Tests of `workspace`: nothing leads out, a write is one move, and a restore is all or nothing.

mod confine;
mod restore;

use std::path::Path;

use tempfile::TempDir;
use wakeful::workspace::Workspace;

/// A workspace in a folder of its own, beside a folder that must stay untouched.
struct Scene {
    base: TempDir,
    workspace: Workspace,
}

impl Scene {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        std::fs::create_dir(base.path().join("ws")).unwrap();
        std::fs::create_dir(base.path().join("out")).unwrap();
        let workspace = Workspace::open(&base.path().join("ws")).unwrap();
        Self { base, workspace }
    }

    fn path(&self, relative: &str) -> std::path::PathBuf {
        self.base.path().join("ws").join(relative)
    }

    fn outside(&self) -> std::path::PathBuf {
        self.base.path().join("out")
    }

    fn put(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn get(&self, relative: &str) -> Option<Vec<u8>> {
        std::fs::read(self.path(relative)).ok()
    }
}

/// Every file below a folder, for "nothing else changed" and "no temporary file is left".
fn names(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}
