//! Ray batches, the conformance cases and the oracle.
//!
//! One program, so that one is linked: `cargo test -p raywarp-workload --test tests MODULE` runs a file of it.

mod common;
mod conformance;
mod oracle;
mod rays;
