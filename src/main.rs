//! The binary.
use std::path::Path;

fn main() {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if let [_, verb, spool] = arguments.as_slice()
        && verb == "supervise"
    {
        std::process::exit(wakeful::host::supervise::main(Path::new(spool)));
    }
}
