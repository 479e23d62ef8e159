//! Tests of `tool`: what a model sends is read or answered, reads are bounded and neutral, writes are what was shown.

mod arguments;
mod danger;
mod http;
mod inner;
mod list_search;
mod output;
mod read;
mod write;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tempfile::TempDir;
use wakeful::tool::{Call, Registry, ShellLimits, ToolError, ToolResult, list_files, read_file, search};
use wakeful::workspace::Workspace;

fn registry() -> Registry {
    Registry::new(ShellLimits::default())
}

/// The call, or the error the model would get.
fn read_call(name: &str, arguments: Value) -> Result<Call, ToolError> {
    registry().read(name, &arguments.to_string()).map(|(_, call)| call)
}

/// A workspace with files in it.
struct Scene {
    folder: TempDir,
    workspace: Workspace,
}

impl Scene {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let scene = Self { folder, workspace };
        for (path, content) in files {
            scene.put(path, content);
        }
        scene
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    fn put(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn get(&self, relative: &str) -> String {
        std::fs::read_to_string(self.path(relative)).unwrap()
    }

    /// Runs one of the tools that only look, as the model would call it.
    fn run(&self, name: &str, arguments: Value) -> ToolResult {
        let stop = AtomicBool::new(false);
        match read_call(name, arguments)? {
            Call::ReadFile(args) => read_file(&args, &self.workspace),
            Call::ListFiles(args) => list_files(&args, &self.workspace, &stop),
            Call::Search(args) => search(&args, &self.workspace, &stop),
            other => panic!("{other:?} does more than look"),
        }
    }

    fn text(&self, name: &str, arguments: Value) -> String {
        self.run(name, arguments).unwrap().text
    }

    fn error(&self, name: &str, arguments: Value) -> ToolError {
        self.run(name, arguments).unwrap_err()
    }
}
