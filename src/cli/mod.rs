//! The command line: arguments, one file a subcommand, printing.
