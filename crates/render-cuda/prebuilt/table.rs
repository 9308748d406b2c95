// Written by `cargo xtask kernels`.

/// For each source its images by architecture, 0 for PTX.
static PREBUILT: &[(&str, &[Image])] = &[
];

/// The costs of all kernels by architecture.
pub(crate) static COSTS: &[Image] = &[
];
