// Written by `cargo xtask kernels`.

/// For each source its images by architecture, 0 for PTX.
static PREBUILT: &[(&str, &[KernelImage])] = &[
    ("megakernel", &[
        (0, include_bytes!("../prebuilt/megakernel.ptx.xz")),
        (75, include_bytes!("../prebuilt/megakernel.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/megakernel.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/megakernel.sm_86.cubin.xz")),
        (90, include_bytes!("../prebuilt/megakernel.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/megakernel.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/megakernel.sm_120.cubin.xz")),
    ]),
    ("wavefront", &[
        (0, include_bytes!("../prebuilt/wavefront.ptx.xz")),
        (75, include_bytes!("../prebuilt/wavefront.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/wavefront.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/wavefront.sm_86.cubin.xz")),
        (90, include_bytes!("../prebuilt/wavefront.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/wavefront.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/wavefront.sm_120.cubin.xz")),
    ]),
    ("first_hits", &[
        (0, include_bytes!("../prebuilt/first_hits.ptx.xz")),
        (75, include_bytes!("../prebuilt/first_hits.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/first_hits.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/first_hits.sm_86.cubin.xz")),
        (90, include_bytes!("../prebuilt/first_hits.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/first_hits.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/first_hits.sm_120.cubin.xz")),
    ]),
    ("finalize", &[
        (0, include_bytes!("../prebuilt/finalize.ptx.xz")),
        (75, include_bytes!("../prebuilt/finalize.sm_75.cubin.xz")),
        (80, include_bytes!("../prebuilt/finalize.sm_80.cubin.xz")),
        (86, include_bytes!("../prebuilt/finalize.sm_86.cubin.xz")),
        (90, include_bytes!("../prebuilt/finalize.sm_90.cubin.xz")),
        (100, include_bytes!("../prebuilt/finalize.sm_100.cubin.xz")),
        (120, include_bytes!("../prebuilt/finalize.sm_120.cubin.xz")),
    ]),
];

/// The costs of all kernels by architecture.
pub(crate) static COSTS: &[KernelImage] = &[
];

/// The source lines of kernels' instructions by architecture.
pub(crate) static LINES: &[KernelImage] = &[
];
