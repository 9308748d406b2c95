//! What is compiled: a file a source, a kernel a stage and set of features.

/// An organisation of a picture's work; those of paths are W11's (section 3) and L9's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Organisation {
    /// A kernel takes each path from the camera to its end (W11 3.3).
    Megakernel,
    /// A launch a bounce for all paths of a batch, between which those that go on are listed (W11 3.4).
    Compact,
    /// A block takes a tile of paths to their ends, and lists those that go on after each bounce; the device's memory holds
    /// them (W11 3.5).
    TiledGlobal,
    /// The same; the memory that a block shares holds them.
    TiledShared,
    /// Lanes whose path has ended begin another: at once (Novák et al. 2010), or, where those that go on are listed, behind
    /// them and in their own launches (van Antwerpen 2011).
    Regenerate,
    /// A kernel begins paths, another takes them to their ends, a third adds what they found to the film (L9).
    Split,
    /// Queues of rays between kernels (L9; Laine, Karras and Aila 2013); one kernel shades all.
    Wavefront,
    /// The same with a list and a kernel for each class of materials (Hoberock et al. 2009; Laine, Karras and Aila 2013).
    WavefrontSorted,
    /// The same, whose rounds after a batch's first are recorded as a graph that the host launches as a whole.
    Graph,
    /// A kernel takes each camera ray to its first hit: pictures of the integrators beside path tracing.
    FirstHits,
}

impl Organisation {
    /// Those of paths.
    pub const OF_PATHS: [Self; 9] = [
        Self::Megakernel,
        Self::Compact,
        Self::TiledGlobal,
        Self::TiledShared,
        Self::Regenerate,
        Self::Split,
        Self::Wavefront,
        Self::WavefrontSorted,
        Self::Graph,
    ];

    /// Its name; on the command line those of paths have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Megakernel => "megakernel",
            Self::Compact => "compact",
            Self::TiledGlobal => "tiled-global",
            Self::TiledShared => "tiled-shared",
            Self::Regenerate => "regenerate",
            Self::Split => "split",
            Self::Wavefront => "wavefront",
            Self::WavefrontSorted => "wavefront-sorted",
            Self::Graph => "graph",
            Self::FirstHits => "first-hits",
        }
    }

    /// Whether rays are queued between kernels that trace and kernels that shade.
    pub const fn is_wavefront(self) -> bool {
        matches!(self, Self::Wavefront | Self::WavefrontSorted | Self::Graph)
    }

    /// Whether paths are listed by class, where a scene has several, and each class has a kernel.
    pub const fn sorts(self) -> bool {
        matches!(self, Self::WavefrontSorted | Self::Graph)
    }

    /// Whether blocks each take a tile of paths.
    pub const fn is_tiled(self) -> bool {
        matches!(self, Self::TiledGlobal | Self::TiledShared)
    }
}

/// What lists the paths that go on, between two bounces of [`Organisation::Compact`] and [`Organisation::Regenerate`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Compaction {
    /// Nothing: a lane whose path has ended is idle (W11 4.2.3), or begins another.
    Off,
    /// A prefix sum: they stay in their order, as W11's did.
    #[default]
    Scan,
    /// An atomic a warp: in the order in which warps come.
    Atomics,
}

impl Compaction {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Off, Self::Scan, Self::Atomics];

    /// On the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Scan => "scan",
            Self::Atomics => "atomics",
        }
    }
}

/// Where paths are listed in a bounce of [`Organisation::Compact`] (W11 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListedAt {
    /// Behind the rays that extend paths: those that have hit something are shaded.
    pub start: bool,
    /// Before the rays that connect them to lights: those that have one.
    pub shadow: bool,
    /// Behind all: those that go on.
    pub end: bool,
    /// Each of the three is a launch of its own, also where nothing is listed between them. With [`Self::start`] and
    /// [`Self::shadow`] it always is.
    pub in_parts: bool,
}

impl ListedAt {
    /// A bounce is one kernel, and those that go on are listed behind it (W11 3.4).
    pub const END: Self = Self { start: false, shadow: false, end: true, in_parts: false };

    /// Whether a bounce is three launches.
    pub const fn splits(self) -> bool {
        self.start || self.shadow || self.in_parts
    }

    /// How often they are listed in a bounce.
    pub const fn listings(self) -> u32 {
        self.start as u32 + self.shadow as u32 + self.end as u32
    }
}

/// How kernels that hold a path in a lane find hits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Walk {
    /// Over the tree of blocks; what is fastest.
    #[default]
    Phased,
    /// Over a binary tree, as W11 did (AL09 3.2).
    WhileWhile,
    /// The same; lanes with a leaf go on until all have one (AL09 4).
    SpeculativeWhileWhile,
}

impl Walk {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Phased, Self::WhileWhile, Self::SpeculativeWhileWhile];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Phased => "phased",
            Self::WhileWhile => "while-while",
            Self::SpeculativeWhileWhile => "speculative-while-while",
        }
    }

    /// The family's variant with this loop, whose tree is walked.
    pub const fn variant(self) -> &'static str {
        match self {
            Self::Phased => "replace/phased/h8?batch=exact&occlusion=far&refill=80",
            Self::WhileWhile => "direct/while-while/bvh2?triangle=watertight",
            Self::SpeculativeWhileWhile => "direct/speculative-while-while/bvh2?triangle=watertight",
        }
    }

    /// Of the kernels of a stage.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Phased => "",
            Self::WhileWhile => "_while_while",
            Self::SpeculativeWhileWhile => "_speculative",
        }
    }

    /// The stage with this loop, of [`Organisation::Megakernel`] and [`Organisation::Compact`].
    pub fn stage(self, stage: &str) -> String {
        format!("{stage}{}", self.suffix())
    }
}

/// What can occur in the scenes that a kernel is for; kernels/feature_set.h says what each set is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureSet {
    /// Diffuse surfaces of constant colours without holes, lit by surfaces and environments.
    Plain,
    /// All materials and textures; no media.
    Surfaces,
    /// Anything.
    Everything,
}

impl FeatureSet {
    /// All of them, the smallest first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Surfaces, Self::Everything];

    /// In names of kernels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Surfaces => "surfaces",
            Self::Everything => "everything",
        }
    }

    /// Without what fills space.
    pub(crate) fn without_media(self) -> Self {
        self.min(Self::Surfaces)
    }

    /// In kernels/feature_set.h.
    pub(crate) const fn cpp_name(self) -> &'static str {
        match self {
            Self::Plain => "Plain",
            Self::Surfaces => "Surfaces",
            Self::Everything => "Everything",
        }
    }
}

/// What a path has hit, as far as a wavefront tells it apart: kernels/stage/shading_class.h says which materials are of
/// which class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShadingClass {
    /// Diffuse surfaces, mirrors, what scatters nothing, and misses.
    Simple,
    /// Conductors, and Blinn's model.
    Metal,
    /// Dielectrics.
    Glass,
    /// Bases under coats.
    Layered,
    /// All else.
    Mixed,
}

impl ShadingClass {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Simple, Self::Metal, Self::Glass, Self::Layered, Self::Mixed];

    /// In names of kernels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Metal => "metal",
            Self::Glass => "glass",
            Self::Layered => "layered",
            Self::Mixed => "mixed",
        }
    }

    /// In kernels/stage/shading_class.h.
    const fn cpp_name(self) -> &'static str {
        match self {
            Self::Simple => "Simple",
            Self::Metal => "Metal",
            Self::Glass => "Glass",
            Self::Layered => "Layered",
            Self::Mixed => "Mixed",
        }
    }

    /// The features of its kernel, in kernels/feature_set.h.
    const fn cpp_features(self) -> &'static str {
        match self {
            Self::Mixed => "Everything",
            _ => self.cpp_name(),
        }
    }
}

/// Stages that are compiled for sets of features: source, stage, sets, and the blocks that a multiprocessor
/// should hold. Scenes without media are rare guests of kernels that do all of a path, which are large.
const SHADING: &[(&str, &str, &[FeatureSet], u32)] = &[
    ("megakernel", "megakernel", &[FeatureSet::Plain, FeatureSet::Everything], 4),
    ("compact", "bounce", &[FeatureSet::Plain, FeatureSet::Everything], 4),
    ("compact", "begin_paths", &[FeatureSet::Plain, FeatureSet::Everything], 8),
    ("tiled", "tiled", &[FeatureSet::Plain, FeatureSet::Everything], 4),
    ("regenerate", "regenerate", &[FeatureSet::Plain, FeatureSet::Everything], 4),
    ("wavefront", "refill", &FeatureSet::ALL, 8),
    ("wavefront", "sort", &[FeatureSet::Plain, FeatureSet::Surfaces], 8),
    ("wavefront", "sort_waiting", &[FeatureSet::Surfaces], 8),
    ("wavefront", "arrive_light", &FeatureSet::ALL, 8),
    ("wavefront", "decide_light", &[FeatureSet::Surfaces, FeatureSet::Everything], 8),
    ("first_hits", "first_hits", &[FeatureSet::Plain, FeatureSet::Surfaces], 8),
    ("parts", "trace_paths", &[FeatureSet::Plain], 8),
    ("parts", "shade_paths", &[FeatureSet::Plain], 4),
    ("parts", "connect_paths", &[FeatureSet::Plain], 8),
    ("binary_tree", "megakernel_while_while", &[FeatureSet::Plain], 4),
    ("binary_tree", "megakernel_speculative", &[FeatureSet::Plain], 4),
    ("binary_tree", "bounce_while_while", &[FeatureSet::Plain], 4),
    ("binary_tree", "bounce_speculative", &[FeatureSet::Plain], 4),
];

/// Sources of which there is PTX alone, for drivers to compile: those of experiments.
pub const EXPERIMENTS: &[&str] = &["parts", "binary_tree"];

/// The function that a stage calls, and what it is given beside a set of features.
fn call_of(stage: &str, features: &str) -> String {
    let walks = [("_while_while", "WHILE_WHILE"), ("_speculative", "SPECULATIVE")];
    match walks.into_iter().find_map(|(suffix, walks)| Some((stage.strip_suffix(suffix)?, walks))) {
        Some((function, walks)) => format!("{function}<raywarp::render::{features}, raywarp::render::{walks}>"),
        None => format!("{stage}<raywarp::render::{features}>"),
    }
}

/// The kernels of a wavefront that shade, by class, and that of scenes all plain: blocks of a multiprocessor.
const SHADE_BLOCKS: u32 = 4;

/// Stages that no feature changes.
const PLAIN: &[(&str, &str, u32)] = &[
    ("compact", "begin_bounce", 1),
    ("compact", "count_alive", 8),
    ("compact", "list_alive", 8),
    ("compact", "list_by_atomics", 8),
    ("wavefront", "begin_round", 1),
    ("wavefront", "extend", 9),
    ("wavefront", "connect", 9),
    ("finalize", "finalize_film", 8),
];

/// The name of the kernel of a stage for the smallest set that it is compiled for and that holds `features`.
pub fn kernel_name(stage: &str, features: FeatureSet) -> String {
    let sets = SHADING.iter().find(|known| known.1 == stage).map_or(&[][..], |known| known.2);
    let fits = sets.iter().find(|set| **set as u32 >= features as u32);
    format!("{stage}__{}", fits.unwrap_or(&FeatureSet::Everything).name())
}

/// The name of the kernel of a wavefront that shades a class; the one without a class is for scenes all plain.
pub fn shade_name(class: Option<ShadingClass>) -> String {
    format!("shade__{}", class.map_or(FeatureSet::Plain.name(), ShadingClass::name))
}

/// With which and without any.
fn shade_classes() -> impl Iterator<Item = Option<ShadingClass>> {
    [None].into_iter().chain(ShadingClass::ALL.map(Some))
}

/// The name of the kernel of a stage that no feature changes.
pub fn plain_name(stage: &str) -> String {
    format!("render_{stage}")
}

/// The source that a stage's kernel is compiled in.
pub fn source_of(stage: &str) -> Option<&'static str> {
    let shading = SHADING.iter().map(|(source, name, _, _)| (*source, *name));
    let plain = PLAIN.iter().map(|(source, name, _)| (*source, *name));
    let mut all = shading.chain(plain).chain([("wavefront", "shade")]);
    all.find(|(_, name)| *name == stage).map(|(source, _)| source)
}

/// The sources, of kernels of so many threads a block: name and text.
pub fn sources_of(block_threads: u32) -> Vec<(String, String)> {
    let names =
        ["megakernel", "compact", "tiled", "regenerate", "wavefront", "first_hits", "parts", "binary_tree", "finalize"];
    names.iter().map(|name| ((*name).to_string(), text(name, block_threads))).collect()
}

/// The names of all kernels.
pub fn kernel_names() -> Vec<String> {
    let shading = SHADING.iter().flat_map(|(_, stage, sets, _)| sets.iter().map(|set| kernel_name(stage, *set)));
    PLAIN.iter().map(|(_, stage, _)| plain_name(stage)).chain(shading).chain(shade_classes().map(shade_name)).collect()
}

fn text(source: &str, block_threads: u32) -> String {
    let header = if source == "finalize" { "stage/finalize_film.h".into() } else { format!("organisation/{source}.h") };
    let mut text = format!("#include \"{header}\"\n\n");
    let mut kernel = |name: &str, call: &str, blocks: u32| {
        text += &format!(
            "RW_KERNEL_OF(raywarp::render::Render, render, {name}, {block_threads}, {blocks}) {{ raywarp::render::{call}(render); }}\n"
        );
    };
    for (_, stage, blocks) in PLAIN.iter().filter(|stage| stage.0 == source) {
        kernel(&plain_name(stage), stage, *blocks);
    }
    for (_, stage, sets, blocks) in SHADING.iter().filter(|stage| stage.0 == source) {
        for set in *sets {
            let features = set.cpp_name();
            kernel(&kernel_name(stage, *set), &call_of(stage, features), *blocks);
        }
    }
    for class in shade_classes().filter(|_| source == "wavefront") {
        let features = class.map_or(FeatureSet::Plain.cpp_name(), ShadingClass::cpp_features);
        let cpp_class = class.unwrap_or(ShadingClass::Simple).cpp_name();
        let call = format!("shade<raywarp::render::{features}, raywarp::render::ShadingClass::{cpp_class}>");
        kernel(&shade_name(class), &call, SHADE_BLOCKS);
    }
    text
}
