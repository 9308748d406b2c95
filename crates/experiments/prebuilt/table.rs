// Written by `cargo xtask kernels`.

/// For each source its images by architecture, 0 for PTX.
static PREBUILT: &[(&str, &[KernelImage])] = &[
    ("compact", &[
        (0, include_bytes!("../prebuilt/compact.ptx.xz")),
        (75, include_bytes!("../prebuilt/compact.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/compact.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/compact.sm_86.cubin.xz")),
        (90, include_bytes!("../prebuilt/compact.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/compact.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/compact.sm_120.cubin.xz")),
    ]),
    ("tiled", &[
        (0, include_bytes!("../prebuilt/tiled.ptx.xz")),
        (75, include_bytes!("../prebuilt/tiled.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/tiled.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/tiled.sm_86.cubin.xz")),
        (90, include_bytes!("../prebuilt/tiled.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/tiled.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/tiled.sm_120.cubin.xz")),
    ]),
    ("regenerate", &[
        (0, include_bytes!("../prebuilt/regenerate.ptx.xz")),
        (75, include_bytes!("../prebuilt/regenerate.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/regenerate.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/regenerate.sm_86.cubin.xz")),
        (90, include_bytes!("../prebuilt/regenerate.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/regenerate.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/regenerate.sm_120.cubin.xz")),
    ]),
    ("parts", &[
        (0, include_bytes!("../prebuilt/parts.ptx.xz")),
    ]),
    ("burdened_megakernel", &[
        (0, include_bytes!("../prebuilt/burdened_megakernel.ptx.xz")),
    ]),
    ("binary_tree", &[
        (0, include_bytes!("../prebuilt/binary_tree.ptx.xz")),
    ]),
];

/// The costs of all kernels by architecture.
pub(crate) static COSTS: &[KernelImage] = &[
];

/// The source lines of kernels' instructions by architecture.
pub(crate) static LINES: &[KernelImage] = &[
];
