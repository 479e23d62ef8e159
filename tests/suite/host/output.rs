//! Commands that write more than is kept.

use super::scene::{Scene, eventually, record_of};
use std::os::unix::fs::MetadataExt;
use wakeful::host::output;
use wakeful::host::record::ExitKind;
use wakeful::host::spool::OUTPUT_LIMIT;

#[test]
fn eighty_mebibytes_keep_their_first_and_last_half_of_the_limit() {
    let scene = Scene::new();
    let spool = scene.shell("yes", "echo first; yes | head -c 83886080; echo last");
    let record = record_of(&spool);
    assert_eq!(record.kind, ExitKind::Exited { code: 0 });
    assert_eq!(record.output_bytes, 83_886_080 + 11);
    let hole = record.punched.unwrap();
    assert_eq!(hole.start, OUTPUT_LIMIT / 2);
    assert!(record.output_bytes - hole.end >= OUTPUT_LIMIT / 2);
    let half = usize::try_from(OUTPUT_LIMIT / 2).unwrap();
    let kept = output::collect(&spool, &record, half, half).unwrap();
    assert_eq!((kept.head.len(), kept.tail.len()), (half, half));
    assert!(kept.head.starts_with(b"first\ny\ny\n") && kept.head.ends_with(b"y\n"));
    assert!(kept.tail.ends_with(b"y\ny\nlast\n") && !kept.tail.contains(&0));
    assert_eq!(kept.gone, hole.len());
    assert_eq!(kept.left_out() + 2 * OUTPUT_LIMIT / 2, kept.total);
    eventually("the file's blocks are counted", || {
        let disk = std::fs::metadata(spool.file("out")).unwrap().blocks() * 512;
        disk <= OUTPUT_LIMIT + (1 << 20)
    });
    // More asked for than is there: the hole is never read as zeros.
    let kept = output::collect(&spool, &record, 2 * half, 2 * half).unwrap();
    assert_eq!(
        (kept.head.len() as u64, kept.tail.len() as u64),
        (hole.start, record.output_bytes - hole.end)
    );
}

#[test]
fn output_lost_by_a_power_cut_is_told() {
    let scene = Scene::new();
    let spool = scene.shell("cut", "echo 0123456789");
    let record = record_of(&spool);
    std::fs::File::options().write(true).open(spool.file("out")).unwrap().set_len(4).unwrap();
    let kept = output::collect(&spool, &record, 100, 100).unwrap();
    assert_eq!((kept.head.as_slice(), kept.total, kept.gone), (&b"0123"[..], 11, 7));
}
