// Written by `cargo xtask kernels`.

/// For each source its images by architecture, 0 for PTX.
static PREBUILT: &[(&str, &[Image])] = &[
    ("megakernel", &[
        (0, include_bytes!("../prebuilt/megakernel.ptx.gz")),
        (75, include_bytes!("../prebuilt/megakernel.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/megakernel.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/megakernel.sm_86.cubin.gz")),
        (90, include_bytes!("../prebuilt/megakernel.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/megakernel.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/megakernel.sm_120.cubin.gz")),
    ]),
    ("compact", &[
        (0, include_bytes!("../prebuilt/megakernel.ptx.gz")),
        (75, include_bytes!("../prebuilt/megakernel.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/megakernel.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/megakernel.sm_86.cubin.gz")),
        (90, include_bytes!("../prebuilt/megakernel.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/megakernel.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/megakernel.sm_120.cubin.gz")),
    ]),
    ("tiled", &[
        (0, include_bytes!("../prebuilt/megakernel.ptx.gz")),
        (75, include_bytes!("../prebuilt/megakernel.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/megakernel.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/megakernel.sm_86.cubin.gz")),
        (90, include_bytes!("../prebuilt/megakernel.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/megakernel.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/megakernel.sm_120.cubin.gz")),
    ]),
    ("regenerate", &[
        (0, include_bytes!("../prebuilt/megakernel.ptx.gz")),
        (75, include_bytes!("../prebuilt/megakernel.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/megakernel.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/megakernel.sm_86.cubin.gz")),
        (90, include_bytes!("../prebuilt/megakernel.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/megakernel.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/megakernel.sm_120.cubin.gz")),
    ]),
    ("wavefront", &[
        (0, include_bytes!("../prebuilt/wavefront.ptx.gz")),
        (75, include_bytes!("../prebuilt/wavefront.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/wavefront.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/wavefront.sm_86.cubin.gz")),
        (90, include_bytes!("../prebuilt/wavefront.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/wavefront.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/wavefront.sm_120.cubin.gz")),
    ]),
    ("first_hits", &[
        (0, include_bytes!("../prebuilt/first_hits.ptx.gz")),
        (75, include_bytes!("../prebuilt/first_hits.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/first_hits.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/first_hits.sm_86.cubin.gz")),
        (90, include_bytes!("../prebuilt/first_hits.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/first_hits.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/first_hits.sm_120.cubin.gz")),
    ]),
    ("finalize", &[
        (0, include_bytes!("../prebuilt/finalize.ptx.gz")),
        (75, include_bytes!("../prebuilt/finalize.sm_75.cubin.gz")),
        (80, include_bytes!("../prebuilt/finalize.sm_80.cubin.gz")),
        (86, include_bytes!("../prebuilt/finalize.sm_86.cubin.gz")),
        (90, include_bytes!("../prebuilt/finalize.sm_90.cubin.gz")),
        (100, include_bytes!("../prebuilt/finalize.sm_100.cubin.gz")),
        (120, include_bytes!("../prebuilt/finalize.sm_120.cubin.gz")),
    ]),
];

/// The costs of all kernels by architecture.
pub(crate) static COSTS: &[Image] = &[
];
