//! Sets of kernels, one for each crate that embeds some: the sources that are compiled, their headers, and the kernels
//! that theirs are likened to.

use super::measured::Measured;
use raywarp_cuda::{Query, compiled, kernel_name};
use raywarp_family::{Key, Supply, Tree, Variant};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The kernels that a crate embeds: their sources, headers and architectures.
pub struct KernelSet {
    /// Name of the crate's folder below crates/. What is compiled goes to its folder prebuilt/.
    pub folder: &'static str,
    /// Architectures that use the image of an earlier minor version, with which they are binary compatible.
    pub left_out: &'static [u32],
    /// Names of the sources that are only embedded as PTX for drivers to compile, as only experiments wait for them.
    pub ptx_alone: &'static [&'static str],
    /// Names of the folders below crates/ whose kernels/ have the headers. No two of them have headers of one name.
    pub headers: &'static [&'static str],
    /// Sources of the traversal family's schedules, whose costs are computed; `None` for crates without any.
    pub schedules: Option<Schedules>,
    /// Function that returns the names and texts of sources without schedules, whose instructions have no events to
    /// count by.
    pub others: fn() -> Vec<(String, String)>,
}

/// Sources of the traversal family's schedules, with what is known of their kernels.
pub struct Schedules {
    /// Function that returns the names and texts of the sources.
    pub sources: fn() -> Vec<(String, String)>,
    /// Function that returns the measured kernel that each kernel is most like.
    pub references: References,
    /// Function that returns the names and texts of the sources that are compiled for Kepler.
    pub kepler: fn() -> Vec<(String, String)>,
}

/// Function that returns, by kernel name, the measured kernel that each kernel is most like.
pub type References = for<'a> fn(&'a BTreeMap<String, Measured>) -> BTreeMap<String, &'a Measured>;

/// All sets of kernels, one for each crate that embeds some.
pub const SETS: &[KernelSet] = &[
    KernelSet {
        folder: "cuda",
        left_out: &[],
        ptx_alone: &[],
        headers: &["cuda"],
        schedules: Some(Schedules { sources: family_sources, references: family_references, kepler: kepler_sources }),
        others: raywarp_cuda::other_sources,
    },
    KernelSet {
        folder: "render-cuda",
        // Nearly the code of 8.6, and a megabyte.
        left_out: &[89],
        ptx_alone: &[],
        headers: &["render-cuda", "cuda"],
        schedules: None,
        others: raywarp_render_cuda::sources,
    },
    KernelSet {
        folder: "experiments",
        left_out: &[89],
        ptx_alone: raywarp_experiments::sources::PTX_ALONE,
        headers: &["experiments", "render-cuda", "cuda"],
        schedules: None,
        others: raywarp_experiments::sources,
    },
];

impl KernelSet {
    /// Returns the folder of the crate's compiled files, which is created if needed.
    pub fn prebuilt(&self, root: &Path) -> Result<PathBuf, String> {
        let prebuilt = root.join("crates").join(self.folder).join("prebuilt");
        std::fs::create_dir_all(&prebuilt).map_err(|error| format!("{}: {error}", prebuilt.display()))?;
        Ok(prebuilt)
    }

    /// Returns the folders of the kernels' headers.
    pub fn header_folders(&self, root: &Path) -> Vec<PathBuf> {
        self.headers.iter().map(|folder| root.join("crates").join(folder).join("kernels")).collect()
    }
}

fn family_sources() -> Vec<(String, String)> {
    let text = |(name, variants): (String, Vec<Variant>)| (name, raywarp_cuda::source_text(&variants));
    raywarp_cuda::sources().into_iter().map(text).collect()
}

/// Returns the sources for Kepler, whose code another compiler makes: without kernels that need its missing
/// instructions (pairs of halves) or that are too different from the measured ones. Of bounded rounds that compiler
/// makes as many copies, and what lanes of a ray do together are a few blocks in the place of dozens.
fn kepler_sources() -> Vec<(String, String)> {
    let mut sources = Vec::new();
    for (name, mut variants) in raywarp_cuda::sources() {
        variants.retain(|variant| {
            let bounded = variant.supply() == Supply::Queue || variant.rounds().is_some();
            variant.tree() != Tree::H8 && variant.lanes_per_ray() == 1 && !bounded
        });
        if !variants.is_empty() {
            sources.push((name, raywarp_cuda::source_text(&variants)));
        }
    }
    sources
}

/// Returns for each kernel the measured one that it is most like: itself, its form with votes, or the one of the same
/// parts with the fewest different options.
fn family_references(measured: &BTreeMap<String, Measured>) -> BTreeMap<String, &Measured> {
    let variants = compiled();
    let mut references = BTreeMap::new();
    for (variant, query) in variants.iter().flat_map(|variant| Query::ALL.map(|query| (variant, query))) {
        let voted = variant.voted();
        let differ = |other: &Variant| Key::ALL.iter().filter(|key| other.value(**key) != voted.value(**key)).count();
        let same_parts = variants.iter().filter(|other| other.parts() == variant.parts());
        let known = same_parts.filter_map(|other| Some((differ(other), measured.get(&kernel_name(other, query))?)));
        let name = kernel_name(variant, query);
        let own = measured.get(&name).map(|own| (0, own));
        if let Some((_, likest)) = own.into_iter().chain(known).min_by_key(|known| known.0) {
            references.insert(name, likest);
        }
    }
    references
}
