//! The binary: see [`wakeful::cli`].

fn main() -> std::process::ExitCode {
    wakeful::cli::main()
}
