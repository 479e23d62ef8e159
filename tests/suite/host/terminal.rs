//! A worker in a real terminal: its commands cannot reach that terminal, and outlive it.

use super::scene::{Scene, eventually, record_of};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use wakeful::host::record::ExitKind;
use wakeful::host::spool::Spool;

fn in_terminal(
    scene: &Scene,
    program: &str,
    arguments: &[&str],
) -> (Box<dyn portable_pty::MasterPty + Send>, Box<dyn portable_pty::Child + Send + Sync>) {
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(program);
    command.args(arguments);
    command.cwd(scene.dir.path());
    command.env("WAKEFUL_TEST_SPEC", scene.path("spec.json"));
    let child = pair.slave.spawn_command(command).unwrap();
    (pair.master, child)
}

#[test]
fn the_terminal_of_the_worker_is_out_of_reach_and_its_end_ends_nothing() {
    let scene = Scene::new();
    let (_master, mut control) = in_terminal(&scene, "sh", &["-c", "exec </dev/tty && echo tty > control"]);
    assert!(control.wait().unwrap().success());
    assert_eq!(scene.lines("control"), 1, "a plain child does reach it");

    let script = "if (exec </dev/tty) 2>/dev/null; then echo tty; else echo none; fi > seen; \
                  while ! test -e go; do sleep 0.01; done; exit 3";
    let spec = scene.spec("tty", script);
    std::fs::write(scene.path("spec.json"), serde_json::to_vec(&spec).unwrap()).unwrap();
    let worker = std::env::current_exe().unwrap();
    let arguments = ["suite::host::deaths::worker_process", "--exact", "--ignored"];
    let (master, mut worker) = in_terminal(&scene, worker.to_str().unwrap(), &arguments);
    eventually("the command runs", || scene.lines("seen") == 1);
    assert_eq!(std::fs::read_to_string(scene.path("seen")).unwrap(), "none\n");
    // The window is closed: the kernel sends SIGHUP to the worker's session.
    drop(master);
    assert!(!worker.wait().unwrap().success());
    std::fs::write(scene.path("go"), "").unwrap();
    let spool = Spool::at(&scene.root(), &spec.name).unwrap();
    assert_eq!(record_of(&spool).kind, ExitKind::Exited { code: 3 });
}

/// As in a container that was entered from outside: the session of the worker has no number there.
#[test]
fn a_worker_whose_session_is_from_outside_its_container_starts_and_awaits_supervisors() {
    let unshare = |arguments: &[&str]| {
        std::process::Command::new("unshare")
            .args(["--pid", "--fork", "--mount-proc", "--kill-child"])
            .args(arguments)
            .output()
    };
    if !unshare(&["true"]).is_ok_and(|done| done.status.success()) {
        eprintln!("note: no process numbers of its own can be had here; this test shows nothing");
        return;
    }
    let here = std::env::current_exe().unwrap();
    let many = "suite::host::calls::many_supervisors_on_one_spool_run_it_once";
    let done = unshare(&[here.to_str().unwrap(), many, "--exact"]).unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}
