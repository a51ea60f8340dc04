//! The binary `harness`: a door, not a room.

fn main() -> std::process::ExitCode {
    harness::cli::main()
}
