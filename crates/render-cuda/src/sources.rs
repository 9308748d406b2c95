//! The sources that are compiled: a file a source, a kernel a stage and set of features.

/// Organisation of a GPU render: as wavefronts (Laine, Karras and Aila 2013, L9), or as the megakernel that they are
/// compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Organisation {
    /// One kernel traces each path from the camera to its end (W11 3.3).
    Megakernel,
    /// Queues of paths between kernels (L9; Laine, Karras and Aila 2013), with one kernel for all shading.
    Wavefront,
    /// Wavefront with a list and a shading kernel for each class of materials (Hoberock et al. 2009; Laine, Karras and
    /// Aila 2013).
    WavefrontSorted,
    /// Sorted wavefront whose rounds after a batch's first are recorded as a CUDA graph, launched as a whole.
    Graph,
    /// One kernel traces each camera ray to its first hit, for the integrators other than path tracing.
    FirstHits,
}

impl Organisation {
    /// All organisations of path tracing.
    pub const OF_PATHS: [Self; 4] = [Self::Megakernel, Self::Wavefront, Self::WavefrontSorted, Self::Graph];

    /// Returns the organisation's name, which the command line takes for those of path tracing.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Megakernel => "megakernel",
            Self::Wavefront => "wavefront",
            Self::WavefrontSorted => "wavefront-sorted",
            Self::Graph => "graph",
            Self::FirstHits => "first-hits",
        }
    }

    /// Returns `true` if queues hold the paths between tracing and shading kernels.
    pub const fn is_wavefront(self) -> bool {
        matches!(self, Self::Wavefront | Self::WavefrontSorted | Self::Graph)
    }

    /// Returns `true` if paths are listed by shading class, in scenes with several, and shaded by one kernel per class.
    pub const fn sorts(self) -> bool {
        matches!(self, Self::WavefrontSorted | Self::Graph)
    }
}

/// Set of scene features that a kernel is compiled for; kernels/feature_set.h lists what each set holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureSet {
    /// Diffuse surfaces of constant colour without holes, lit by surfaces and environments.
    Plain,
    /// All materials and textures, but no participating media.
    Surfaces,
    /// All features, participating media included.
    Everything,
}

impl FeatureSet {
    /// All feature sets, the smallest first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Surfaces, Self::Everything];

    /// Returns the set's name as a part of kernel names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Surfaces => "surfaces",
            Self::Everything => "everything",
        }
    }

    /// Returns the set with participating media left out.
    pub(crate) fn without_media(self) -> Self {
        self.min(Self::Surfaces)
    }

    /// Returns the set's C++ name in kernels/feature_set.h.
    pub(crate) const fn cpp_name(self) -> &'static str {
        match self {
            Self::Plain => "Plain",
            Self::Surfaces => "Surfaces",
            Self::Everything => "Everything",
        }
    }
}

/// Shading class of a path's hit, by which a sorted wavefront groups paths: kernels/stage/shading_class.h says which
/// materials each class has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShadingClass {
    /// Diffuse surfaces, mirrors, surfaces that scatter nothing, and misses.
    Simple,
    /// Conductors, and Blinn's microfacet model.
    Metal,
    /// Dielectrics, such as glass.
    Glass,
    /// Layered materials: a base under coats.
    Layered,
    /// All other materials.
    Mixed,
}

impl ShadingClass {
    /// All shading classes, in the order of their declaration.
    pub const ALL: [Self; 5] = [Self::Simple, Self::Metal, Self::Glass, Self::Layered, Self::Mixed];

    /// Returns the class's name as a part of kernel names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Metal => "metal",
            Self::Glass => "glass",
            Self::Layered => "layered",
            Self::Mixed => "mixed",
        }
    }

    /// Returns the class's C++ name in kernels/stage/shading_class.h.
    const fn cpp_name(self) -> &'static str {
        match self {
            Self::Simple => "Simple",
            Self::Metal => "Metal",
            Self::Glass => "Glass",
            Self::Layered => "Layered",
            Self::Mixed => "Mixed",
        }
    }

    /// Returns the C++ name of the features in kernels/feature_set.h that the class's kernel is compiled with.
    const fn cpp_features(self) -> &'static str {
        match self {
            Self::Mixed => "Everything",
            _ => self.cpp_name(),
        }
    }
}

/// Stage whose kernel is compiled once for each of several feature sets.
#[derive(Debug, Clone, Copy)]
pub struct FeatureStage {
    /// Name of the source file of the kernels.
    pub source: &'static str,
    /// Name of the stage, with which the kernels' names begin.
    pub stage: &'static str,
    /// C++ function that the kernels call with their features, and further arguments for it.
    pub function: (&'static str, &'static [&'static str]),
    /// Feature sets for which the stage is compiled.
    pub sets: &'static [FeatureSet],
    /// Number of thread blocks that a multiprocessor should hold at once.
    pub blocks: u32,
}

impl FeatureStage {
    /// Describes a stage whose C++ function has the stage's name.
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

/// Table of a crate's path-tracing kernels, by source and stage.
#[derive(Debug, Clone, Copy)]
pub struct KernelTable {
    /// C++ type of the kernels' parameters, in the namespace raywarp::render.
    pub parameters: &'static str,
    /// Names of the sources, in their order.
    pub sources: &'static [&'static str],
    /// Stages that are compiled for several feature sets.
    pub of_features: &'static [FeatureStage],
    /// Stages that are the same for all features: source, stage, and the thread blocks that a multiprocessor should
    /// hold.
    pub plain: &'static [(&'static str, &'static str, u32)],
    /// Source with a shading kernel for each class and one for plain scenes, if there is one, with the thread blocks
    /// that a multiprocessor should hold.
    pub by_class: Option<(&'static str, u32)>,
}

/// Table of the product's path-tracing kernels. Scenes without media are rare guests of kernels that do all of a path,
/// which are large.
pub const KERNEL_TABLE: KernelTable = KernelTable {
    parameters: "Render",
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

/// Returns the name of a wavefront's shading kernel for a class, or without one for plain scenes.
pub fn shade_name(class: Option<ShadingClass>) -> String {
    format!("shade__{}", class.map_or(FeatureSet::Plain.name(), ShadingClass::name))
}

/// Returns what shading kernels are made for: `None` for plain scenes, then each class.
fn shade_classes() -> impl Iterator<Item = Option<ShadingClass>> {
    [None].into_iter().chain(ShadingClass::ALL.map(Some))
}

/// Returns the kernel's name for a stage that is the same for all features.
pub fn plain_name(stage: &str) -> String {
    format!("render_{stage}")
}

impl KernelTable {
    /// Returns the name of a stage's kernel for the smallest feature set that it is compiled for and that covers
    /// `features`.
    pub fn kernel_name(&self, stage: &str, features: FeatureSet) -> String {
        let sets = self.of_features.iter().find(|known| known.stage == stage).map_or(&[][..], |known| known.sets);
        let fits = sets.iter().find(|set| **set as u32 >= features as u32);
        format!("{stage}__{}", fits.unwrap_or(&FeatureSet::Everything).name())
    }

    /// Returns the name of the source that has a stage's kernel.
    pub fn source_of(&self, stage: &str) -> Option<&'static str> {
        let of_features = self.of_features.iter().map(|known| (known.source, known.stage));
        let plain = self.plain.iter().map(|(source, name, _)| (*source, *name));
        let mut all = of_features.chain(plain).chain(self.by_class.map(|(source, _)| (source, "shade")));
        all.find(|(_, name)| *name == stage).map(|(source, _)| source)
    }

    /// Returns the sources of the kernels as (name, text), for `block_threads` threads per block.
    pub fn texts(&self, block_threads: u32) -> Vec<(String, String)> {
        self.sources.iter().map(|name| ((*name).to_string(), self.text(name, block_threads))).collect()
    }

    /// Returns the names of all kernels in the table.
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
                "RW_KERNEL_OF(raywarp::render::{}, render, {name}, {block_threads}, {blocks}) {{ raywarp::render::{call}(render); }}\n",
                self.parameters
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
