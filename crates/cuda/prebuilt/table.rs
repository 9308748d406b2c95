// Written by `cargo xtask kernels`.

/// For each source its images by architecture, 0 for PTX.
static PREBUILT: &[(&str, &[Image])] = &[
    ("packet", &[
        (0, include_bytes!("../prebuilt/packet.ptx.gz")),
        (75, include_bytes!("../prebuilt/packet.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/packet.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/packet.sm_86.cubin.gz")),
        (89, include_bytes!("../prebuilt/packet.sm_89.cubin.gz")),
        (90, include_bytes!("../prebuilt/packet.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/packet.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/packet.sm_120.cubin.gz")),
    ]),
    ("while_while", &[
        (0, include_bytes!("../prebuilt/while_while.ptx.gz")),
        (75, include_bytes!("../prebuilt/while_while.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/while_while.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/while_while.sm_86.cubin.gz")),
        (89, include_bytes!("../prebuilt/while_while.sm_89.cubin.gz")),
        (90, include_bytes!("../prebuilt/while_while.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/while_while.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/while_while.sm_120.cubin.gz")),
    ]),
    ("if_if", &[
        (0, include_bytes!("../prebuilt/if_if.ptx.gz")),
        (75, include_bytes!("../prebuilt/if_if.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/if_if.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/if_if.sm_86.cubin.gz")),
        (89, include_bytes!("../prebuilt/if_if.sm_89.cubin.gz")),
        (90, include_bytes!("../prebuilt/if_if.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/if_if.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/if_if.sm_120.cubin.gz")),
    ]),
    ("speculative_if_if", &[
        (0, include_bytes!("../prebuilt/speculative_if_if.ptx.gz")),
        (75, include_bytes!("../prebuilt/speculative_if_if.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/speculative_if_if.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/speculative_if_if.sm_86.cubin.gz")),
        (89, include_bytes!("../prebuilt/speculative_if_if.sm_89.cubin.gz")),
        (90, include_bytes!("../prebuilt/speculative_if_if.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/speculative_if_if.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/speculative_if_if.sm_120.cubin.gz")),
    ]),
    ("speculative_while_while", &[
        (0, include_bytes!("../prebuilt/speculative_while_while.ptx.gz")),
        (75, include_bytes!("../prebuilt/speculative_while_while.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/speculative_while_while.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/speculative_while_while.sm_86.cubin.gz")),
        (89, include_bytes!("../prebuilt/speculative_while_while.sm_89.cubin.gz")),
        (90, include_bytes!("../prebuilt/speculative_while_while.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/speculative_while_while.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/speculative_while_while.sm_120.cubin.gz")),
    ]),
    ("if_while", &[
        (0, include_bytes!("../prebuilt/if_while.ptx.gz")),
        (75, include_bytes!("../prebuilt/if_while.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/if_while.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/if_while.sm_86.cubin.gz")),
        (89, include_bytes!("../prebuilt/if_while.sm_89.cubin.gz")),
        (90, include_bytes!("../prebuilt/if_while.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/if_while.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/if_while.sm_120.cubin.gz")),
    ]),
];

/// The costs of all kernels by architecture.
pub(crate) static COSTS: &[Image] = &[
];
