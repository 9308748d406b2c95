//! The sources that are compiled: a file a source, a kernel a stage and set of features.

/// An organisation of a picture's work: of paths Laine, Karras and Aila's (L9), and the megakernel that they are
/// compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Organisation {
    /// A kernel takes each path from the camera to its end (W11 3.3).
    Megakernel,
    /// Queues of rays between kernels (L9; Laine, Karras and Aila 2013); one kernel shades all.
    Wavefront,
    /// A wavefront with a list and a kernel for each class of materials (Hoberock et al. 2009; Laine, Karras and Aila
    /// 2013).
    WavefrontSorted,
    /// A sorted wavefront whose rounds after a batch's first are recorded as a graph that the host launches as a whole.
    Graph,
    /// A kernel takes each camera ray to its first hit: pictures of the integrators beside path tracing.
    FirstHits,
}

impl Organisation {
    /// All organisations of paths.
    pub const OF_PATHS: [Self; 4] = [Self::Megakernel, Self::Wavefront, Self::WavefrontSorted, Self::Graph];

    /// Returns the organisation's name; on the command line those of paths have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Megakernel => "megakernel",
            Self::Wavefront => "wavefront",
            Self::WavefrontSorted => "wavefront-sorted",
            Self::Graph => "graph",
            Self::FirstHits => "first-hits",
        }
    }

    /// Returns `true` if rays are queued between kernels that trace and kernels that shade.
    pub const fn is_wavefront(self) -> bool {
        matches!(self, Self::Wavefront | Self::WavefrontSorted | Self::Graph)
    }

    /// Returns `true` if paths are listed by class, where a scene has several, and each class has a kernel.
    pub const fn sorts(self) -> bool {
        matches!(self, Self::WavefrontSorted | Self::Graph)
    }
}

/// Set of features that can occur in the scenes that a kernel is for; kernels/feature_set.h says what each set is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureSet {
    /// Diffuse surfaces of constant colours without holes, lit by surfaces and environments.
    Plain,
    /// All materials and textures; no media.
    Surfaces,
    /// All features, media among them.
    Everything,
}

impl FeatureSet {
    /// All sets, the smallest first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Surfaces, Self::Everything];

    /// Returns the set's name in names of kernels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Surfaces => "surfaces",
            Self::Everything => "everything",
        }
    }

    /// Returns the set without media.
    pub(crate) fn without_media(self) -> Self {
        self.min(Self::Surfaces)
    }

    /// Returns the set's name in kernels/feature_set.h.
    pub(crate) const fn cpp_name(self) -> &'static str {
        match self {
            Self::Plain => "Plain",
            Self::Surfaces => "Surfaces",
            Self::Everything => "Everything",
        }
    }
}

/// Class of a path's hit, as far as a wavefront tells hits apart: kernels/stage/shading_class.h says which materials
/// are of which class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShadingClass {
    /// Diffuse surfaces, mirrors, what scatters nothing, and misses.
    Simple,
    /// Conductors, and Blinn's model.
    Metal,
    /// Dielectrics, such as glass.
    Glass,
    /// Bases under coats.
    Layered,
    /// All other materials.
    Mixed,
}

impl ShadingClass {
    /// All classes, in the order of their declaration.
    pub const ALL: [Self; 5] = [Self::Simple, Self::Metal, Self::Glass, Self::Layered, Self::Mixed];

    /// Returns the class's name in names of kernels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Metal => "metal",
            Self::Glass => "glass",
            Self::Layered => "layered",
            Self::Mixed => "mixed",
        }
    }

    /// Returns the class's name in kernels/stage/shading_class.h.
    const fn cpp_name(self) -> &'static str {
        match self {
            Self::Simple => "Simple",
            Self::Metal => "Metal",
            Self::Glass => "Glass",
            Self::Layered => "Layered",
            Self::Mixed => "Mixed",
        }
    }

    /// Returns the features of its kernel, in kernels/feature_set.h.
    const fn cpp_features(self) -> &'static str {
        match self {
            Self::Mixed => "Everything",
            _ => self.cpp_name(),
        }
    }
}

/// Kernels of a stage that are compiled for sets of features.
#[derive(Debug, Clone, Copy)]
pub struct FeatureStage {
    /// The source that they are in.
    pub source: &'static str,
    /// Name of the stage, which those of the kernels begin with.
    pub stage: &'static str,
    /// The function of C++ that they call with their features, and what it is given beside them.
    pub function: (&'static str, &'static [&'static str]),
    /// Sets of features that it is compiled for.
    pub sets: &'static [FeatureSet],
    /// Blocks that a multiprocessor should hold.
    pub blocks: u32,
}

impl FeatureStage {
    /// Describes a stage whose function has its name.
    pub const fn new(source: &'static str, stage: &'static str, sets: &'static [FeatureSet], blocks: u32) -> Self {
        Self { source, stage, function: (stage, &[]), sets, blocks }
    }

    fn call(&self, features: FeatureSet) -> String {
        let (function, more) = self.function;
        let arguments = [features.cpp_name()].into_iter().chain(more.iter().copied());
        let arguments: Vec<String> = arguments.map(|argument| format!("raywarp::render::{argument}")).collect();
        format!("{function}<{}>", arguments.join(", "))
    }
}

/// The path tracer's kernels of a crate, by source and stage.
#[derive(Debug, Clone, Copy)]
pub struct KernelTable {
    /// The sources, in their order.
    pub sources: &'static [&'static str],
    /// Stages that are compiled for sets of features.
    pub of_features: &'static [FeatureStage],
    /// Stages that no feature changes: source, stage, and the blocks that a multiprocessor should hold.
    pub plain: &'static [(&'static str, &'static str, u32)],
    /// The source with a kernel that shades each class, and one for scenes all plain, if there is one; and such blocks.
    pub by_class: Option<(&'static str, u32)>,
}

/// Table of the product's kernels. Scenes without media are rare guests of kernels that do all of a path, which are
/// large.
pub const KERNEL_TABLE: KernelTable = KernelTable {
    sources: &["megakernel", "wavefront", "first_hits", "finalize"],
    of_features: &[
        FeatureStage::new("megakernel", "megakernel", &[FeatureSet::Plain, FeatureSet::Everything], 4),
        FeatureStage::new("wavefront", "refill", &FeatureSet::ALL, 8),
        FeatureStage::new("wavefront", "sort", &[FeatureSet::Plain, FeatureSet::Surfaces], 8),
        FeatureStage::new("wavefront", "sort_waiting", &[FeatureSet::Surfaces], 8),
        FeatureStage::new("wavefront", "arrive_light", &FeatureSet::ALL, 8),
        FeatureStage::new("wavefront", "decide_light", &[FeatureSet::Surfaces, FeatureSet::Everything], 8),
        FeatureStage::new("first_hits", "first_hits", &[FeatureSet::Plain, FeatureSet::Surfaces], 8),
    ],
    plain: &[
        ("wavefront", "begin_round", 1),
        ("wavefront", "extend", 9),
        ("wavefront", "connect", 9),
        ("finalize", "finalize_film", 8),
    ],
    by_class: Some(("wavefront", 4)),
};

/// Returns the name of the kernel of a wavefront that shades a class; the one without a class is for scenes all plain.
pub fn shade_name(class: Option<ShadingClass>) -> String {
    format!("shade__{}", class.map_or(FeatureSet::Plain.name(), ShadingClass::name))
}

/// Returns all classes of kernels that shade: none, for plain scenes, and then each class.
fn shade_classes() -> impl Iterator<Item = Option<ShadingClass>> {
    [None].into_iter().chain(ShadingClass::ALL.map(Some))
}

/// Returns the name of the kernel of a stage that no feature changes.
pub fn plain_name(stage: &str) -> String {
    format!("render_{stage}")
}

impl KernelTable {
    /// Returns the name of the kernel of a stage for the smallest set that it is compiled for and that holds
    /// `features`.
    pub fn kernel_name(&self, stage: &str, features: FeatureSet) -> String {
        let sets = self.of_features.iter().find(|known| known.stage == stage).map_or(&[][..], |known| known.sets);
        let fits = sets.iter().find(|set| **set as u32 >= features as u32);
        format!("{stage}__{}", fits.unwrap_or(&FeatureSet::Everything).name())
    }

    /// Returns the source that a stage's kernel is compiled in.
    pub fn source_of(&self, stage: &str) -> Option<&'static str> {
        let of_features = self.of_features.iter().map(|known| (known.source, known.stage));
        let plain = self.plain.iter().map(|(source, name, _)| (*source, *name));
        let mut all = of_features.chain(plain).chain(self.by_class.map(|(source, _)| (source, "shade")));
        all.find(|(_, name)| *name == stage).map(|(source, _)| source)
    }

    /// Returns the texts of the sources, of kernels of so many threads a block: name and text.
    pub fn texts(&self, block_threads: u32) -> Vec<(String, String)> {
        self.sources.iter().map(|name| ((*name).to_string(), self.text(name, block_threads))).collect()
    }

    /// Returns the names of all kernels.
    pub fn kernel_names(&self) -> Vec<String> {
        let plain = self.plain.iter().map(|(_, stage, _)| plain_name(stage));
        let of_features = self.of_features.iter().flat_map(|known| {
            let name = |set: &FeatureSet| self.kernel_name(known.stage, *set);
            known.sets.iter().map(name)
        });
        plain
            .chain(of_features)
            .chain(self.by_class.into_iter().flat_map(|_| shade_classes().map(shade_name)))
            .collect()
    }

    fn text(&self, source: &str, block_threads: u32) -> String {
        let header =
            if source == "finalize" { "stage/finalize_film.h".into() } else { format!("organisation/{source}.h") };
        let mut text = format!("#include \"{header}\"\n\n");
        let mut kernel = |name: &str, call: &str, blocks: u32| {
            text += &format!(
                "RW_KERNEL_OF(raywarp::render::Render, render, {name}, {block_threads}, {blocks}) {{ raywarp::render::{call}(render); }}\n"
            );
        };
        for (_, stage, blocks) in self.plain.iter().filter(|stage| stage.0 == source) {
            kernel(&plain_name(stage), stage, *blocks);
        }
        for known in self.of_features.iter().filter(|known| known.source == source) {
            for set in known.sets {
                kernel(&self.kernel_name(known.stage, *set), &known.call(*set), known.blocks);
            }
        }
        let Some((_, blocks)) = self.by_class.filter(|(shading, _)| *shading == source) else { return text };
        for class in shade_classes() {
            let features = class.map_or(FeatureSet::Plain.cpp_name(), ShadingClass::cpp_features);
            let cpp_class = class.unwrap_or(ShadingClass::Simple).cpp_name();
            let call = format!("shade<raywarp::render::{features}, raywarp::render::ShadingClass::{cpp_class}>");
            kernel(&shade_name(class), &call, blocks);
        }
        text
    }
}
