// Written by `cargo xtask kernels`.

/// For each source its images by architecture, 0 for PTX.
static PREBUILT: &[(&str, &[Image])] = &[
    ("packet", &[
        (90, include_bytes!("../prebuilt/packet.sm_90.cubin.gz")),
    ]),
    ("while_while", &[
        (90, include_bytes!("../prebuilt/while_while.sm_90.cubin.gz")),
    ]),
    ("if_if", &[
        (90, include_bytes!("../prebuilt/if_if.sm_90.cubin.gz")),
    ]),
    ("speculative_if_if", &[
        (90, include_bytes!("../prebuilt/speculative_if_if.sm_90.cubin.gz")),
    ]),
    ("speculative_while_while", &[
        (90, include_bytes!("../prebuilt/speculative_while_while.sm_90.cubin.gz")),
    ]),
    ("if_while", &[
        (90, include_bytes!("../prebuilt/if_while.sm_90.cubin.gz")),
    ]),
];
