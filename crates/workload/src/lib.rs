//! The papers' ray batches and views, the f64 oracle and the conformance cases.
#![forbid(unsafe_code)]
