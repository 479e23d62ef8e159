//! Which file system a database would lie on. Purpose: refuse network file systems, where locks and shared memory are
//! not what SQLite needs. Not to be assumed: that a file system which is not listed is good; WAL is probed besides.

use super::error::StoreError;
use super::types::FsProbe;
use std::path::Path;

/// Magic numbers of statfs(2) (linux/magic.h and the file systems' own sources), with a name for people.
const NETWORK: &[(i64, &str)] = &[
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "FUSE or virtiofs"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x564c, "NCP"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x786f_4256, "VirtualBox shared folder"),
    (0xbacb_acbc, "VMware shared folder"),
];

/// Refuses a folder on a network file system.
pub(super) fn check(database: &Path, folder: &Path, probe: Option<&FsProbe>) -> Result<(), StoreError> {
    let magic = match probe {
        Some(probe) => probe(folder),
        None => system_magic(folder),
    };
    // Some systems hand the 32-bit number over with its sign stretched.
    let magic = magic.map(|m| m & 0xffff_ffff);
    match NETWORK.iter().find(|(number, _)| Some(*number) == magic) {
        Some((_, kind)) => Err(StoreError::NetworkFs { path: database.to_path_buf(), kind }),
        None => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn system_magic(folder: &Path) -> Option<i64> {
    rustix::fs::statfs(folder).ok().map(|s| s.f_type)
}

#[cfg(not(target_os = "linux"))]
fn system_magic(_folder: &Path) -> Option<i64> {
    None
}
