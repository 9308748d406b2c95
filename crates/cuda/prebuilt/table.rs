// Written by `cargo xtask kernels`.

/// For each source its images by architecture, 0 for PTX.
static PREBUILT: &[(&str, &[KernelImage])] = &[
    ("packet", &[
        (0, include_bytes!("../prebuilt/packet.ptx.xz")),
        (75, include_bytes!("../prebuilt/packet.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/packet.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/packet.sm_86.cubin.xz")),
        (89, include_bytes!("../prebuilt/packet.sm_89.cubin.xz")),
        (90, include_bytes!("../prebuilt/packet.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/packet.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/packet.sm_120.cubin.xz")),
        (35, include_bytes!("../prebuilt/packet.sm_35.cubin.xz")),
    ]),
    ("while_while", &[
        (0, include_bytes!("../prebuilt/while_while.ptx.xz")),
        (75, include_bytes!("../prebuilt/while_while.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/while_while.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/while_while.sm_86.cubin.xz")),
        (89, include_bytes!("../prebuilt/while_while.sm_89.cubin.xz")),
        (90, include_bytes!("../prebuilt/while_while.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/while_while.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/while_while.sm_120.cubin.xz")),
        (35, include_bytes!("../prebuilt/while_while.sm_35.cubin.xz")),
    ]),
    ("if_if", &[
        (0, include_bytes!("../prebuilt/if_if.ptx.xz")),
        (75, include_bytes!("../prebuilt/if_if.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/if_if.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/if_if.sm_86.cubin.xz")),
        (89, include_bytes!("../prebuilt/if_if.sm_89.cubin.xz")),
        (90, include_bytes!("../prebuilt/if_if.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/if_if.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/if_if.sm_120.cubin.xz")),
        (35, include_bytes!("../prebuilt/if_if.sm_35.cubin.xz")),
    ]),
    ("speculative_if_if", &[
        (0, include_bytes!("../prebuilt/speculative_if_if.ptx.xz")),
        (75, include_bytes!("../prebuilt/speculative_if_if.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/speculative_if_if.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/speculative_if_if.sm_86.cubin.xz")),
        (89, include_bytes!("../prebuilt/speculative_if_if.sm_89.cubin.xz")),
        (90, include_bytes!("../prebuilt/speculative_if_if.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/speculative_if_if.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/speculative_if_if.sm_120.cubin.xz")),
        (35, include_bytes!("../prebuilt/speculative_if_if.sm_35.cubin.xz")),
    ]),
    ("speculative_while_while", &[
        (0, include_bytes!("../prebuilt/speculative_while_while.ptx.xz")),
        (75, include_bytes!("../prebuilt/speculative_while_while.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/speculative_while_while.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/speculative_while_while.sm_86.cubin.xz")),
        (89, include_bytes!("../prebuilt/speculative_while_while.sm_89.cubin.xz")),
        (90, include_bytes!("../prebuilt/speculative_while_while.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/speculative_while_while.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/speculative_while_while.sm_120.cubin.xz")),
        (35, include_bytes!("../prebuilt/speculative_while_while.sm_35.cubin.xz")),
    ]),
    ("if_while", &[
        (0, include_bytes!("../prebuilt/if_while.ptx.xz")),
        (75, include_bytes!("../prebuilt/if_while.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/if_while.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/if_while.sm_86.cubin.xz")),
        (89, include_bytes!("../prebuilt/if_while.sm_89.cubin.xz")),
        (90, include_bytes!("../prebuilt/if_while.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/if_while.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/if_while.sm_120.cubin.xz")),
        (35, include_bytes!("../prebuilt/if_while.sm_35.cubin.xz")),
    ]),
    ("phased", &[
        (0, include_bytes!("../prebuilt/phased.ptx.xz")),
        (75, include_bytes!("../prebuilt/phased.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/phased.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/phased.sm_86.cubin.xz")),
        (89, include_bytes!("../prebuilt/phased.sm_89.cubin.xz")),
        (90, include_bytes!("../prebuilt/phased.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/phased.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/phased.sm_120.cubin.xz")),
    ]),
    ("aimed", &[
        (0, include_bytes!("../prebuilt/aimed.ptx.xz")),
        (75, include_bytes!("../prebuilt/aimed.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/aimed.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/aimed.sm_86.cubin.xz")),
        (89, include_bytes!("../prebuilt/aimed.sm_89.cubin.xz")),
        (90, include_bytes!("../prebuilt/aimed.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/aimed.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/aimed.sm_120.cubin.xz")),
    ]),
];

/// The costs of all kernels by architecture.
pub(crate) static COSTS: &[KernelImage] = &[
    (35, include_bytes!("../prebuilt/costs.sm_35.csv.xz")),
    (75, include_bytes!("../prebuilt/costs.sm_75.csv.xz")),
    (80, include_bytes!("../prebuilt/costs.sm_80.csv.xz")),
    (86, include_bytes!("../prebuilt/costs.sm_86.csv.xz")),
    (89, include_bytes!("../prebuilt/costs.sm_89.csv.xz")),
    (90, include_bytes!("../prebuilt/costs.sm_90.csv.xz")),
    (100, include_bytes!("../prebuilt/costs.sm_100.csv.xz")),
    (120, include_bytes!("../prebuilt/costs.sm_120.csv.xz")),
];

/// The source lines of kernels' instructions by architecture.
pub(crate) static LINES: &[KernelImage] = &[
    (90, include_bytes!("../prebuilt/lines.sm_90.txt.xz")),
];
