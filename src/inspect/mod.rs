//! Read-only answers for the command line and the workstation.
