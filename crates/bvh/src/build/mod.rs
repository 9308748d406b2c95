//! Builds a [`Bvh2`] over triangles, with the builder that the options name.

mod area;
mod binned_sah;
mod bins;
mod blocks;
mod collapse;
mod cost;
mod lbvh;
mod morton;
mod options;
mod ploc;
mod sbvh;
mod small_sweep;
mod subtree;
mod sweep_sah;

pub(crate) use area::Areas;
pub(crate) use collapse::{Hierarchy, collapse};
pub(crate) use cost::LeafRules;
pub use options::{BuildError, BuildOptions, Builder};
pub(crate) use options::{SPLIT_WORTH, extra_references};

use crate::reference::{Reference, references_of, references_of_boxes};
use crate::reinsertion::{self, reinsert_watched};
use crate::watch::{Stopped, Watch};
use crate::{Bvh2, parallel, split_clipping};
use raywarp_geom::{Aabb, Control, FlatTriangles, TriangleSource};
use std::borrow::Cow;
pub(crate) use subtree::Store;
use subtree::Subtree;

/// Largest number of inner nodes above a leaf, in trees of every builder. A traversal stack of this many entries always
/// suffices ([`Bvh2::stack_depth`] tells the need of one tree).
pub const MAX_DEPTH: u32 = 64;

/// Builds a bounding volume hierarchy over `triangles`.
///
/// - Output: passes [`Bvh2::validate`]; the leaves' references in the order of the leaves from left to
///   right; leaves of at most `options.max_leaf` references in
///   increasing order of primitives; at most [`MAX_DEPTH`] deep; no node for no triangle. Triangles
///   of zero area are kept. Equal input gives equal bytes, whatever the number of threads.
/// - Runs on the current rayon pool. O(n log n); the binned builder holds 64 bytes a reference
///   beside the tree, the sweep some 80, and both the nodes twice while they are put in order.
///
/// # Errors
/// [`BuildError`]: a vertex is not finite, there are too many references, or an option is out of
/// its range.
///
/// # Examples
/// ```
/// # mod raywarp {
/// #     pub use {raywarp_bvh::BuildOptions, raywarp_geom::FlatTriangles};
/// #     pub mod bvh { pub use raywarp_bvh::build; }
/// # }
/// use raywarp::bvh::build;
/// use raywarp::{BuildOptions, FlatTriangles};
///
/// let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let triangles = FlatTriangles::from_vertices(vec![triangle]);
/// let tree = build(&triangles, &BuildOptions::default())?;
/// assert_eq!((tree.nodes.len(), &tree.references[..]), (1, &[0][..]));
/// assert_eq!(tree.validate(&triangles), Ok(()));
/// # Ok::<(), raywarp_bvh::BuildError>(())
/// ```
pub fn build(triangles: &FlatTriangles, options: &BuildOptions) -> Result<Bvh2, BuildError> {
    build_controlled(triangles, options, &Control::default())
}

/// Builds a tree as [`build`] does, under the caller's control. Each thread looks for a cancellation after about a
/// millisecond of work at most, but for three steps that no look divides: halving a range in which all centroids are
/// equal, choosing which triangles early split clipping splits, and sorting the moves of a pass of reinsertion. Most of
/// the memory of a build that was cancelled is freed while the caller goes on.
///
/// What `control` is told adds up to the number of triangles when the tree is done, about in proportion to the time
/// taken. It is told by one thread at a time, and nothing more once the build is cancelled.
///
/// # Errors
/// As [`build`], and [`BuildError::Cancelled`].
pub fn build_controlled(
    triangles: &FlatTriangles,
    options: &BuildOptions,
    control: &Control<'_>,
) -> Result<Bvh2, BuildError> {
    chosen(triangles, options, control).map(|(tree, _)| tree)
}

/// Builds a tree as [`build_controlled`] does, over triangles wherever they are. They are looked at twice; the builder
/// that cuts them makes a list of them for itself, where they are none.
///
/// # Errors
/// As [`build_controlled`].
pub fn build_over(
    triangles: &dyn TriangleSource,
    options: &BuildOptions,
    control: &Control<'_>,
) -> Result<Bvh2, BuildError> {
    chosen(triangles, options, control).map(|(tree, _)| tree)
}

/// Builds a tree as [`build`] does, and also returns options that name the builder used: for [`Builder::BestOf`] the
/// better one. They alone would have given the same tree.
///
/// With two trees the second is built when the first is done, so that only one of them is at work; where cutting
/// would need more references than there can be it is left out.
///
/// # Errors
/// As [`build`].
pub fn build_with_choice(
    triangles: &FlatTriangles,
    options: &BuildOptions,
) -> Result<(Bvh2, BuildOptions), BuildError> {
    chosen(triangles, options, &Control::default())
}

/// Builds a tree under the caller's control and returns it with options that name the builder used.
fn chosen(
    triangles: &dyn TriangleSource,
    options: &BuildOptions,
    control: &Control<'_>,
) -> Result<(Bvh2, BuildOptions), BuildError> {
    let watch = Watch::new(control, triangles.count(), weight(options));
    let done = better(triangles, options, &watch)?;
    watch.finish().map_err(BuildError::cancelled)?;
    Ok(done)
}

/// Builds the tree of one builder, or the better one of two.
pub(crate) fn better(
    triangles: &dyn TriangleSource,
    options: &BuildOptions,
    watch: &Watch<'_>,
) -> Result<(Bvh2, BuildOptions), BuildError> {
    if options.builder != Builder::BestOf {
        return build_one(triangles, options, watch).map(|tree| (tree, *options));
    }
    let of = |builder| BuildOptions { builder, split_worth: SPLIT_WORTH, ..*options };
    // Bad options are told before anything is built.
    let cuts = options.check(triangles.count() as u64);
    if let Err(error @ BuildError::Option { .. }) = cuts {
        return Err(error);
    }
    let whole = build_one(triangles, &of(Builder::BinnedSah), watch)?;
    if cuts.is_ok() {
        let cut = build_one(triangles, &of(Builder::Sbvh), watch)?;
        if cut.sah_cost() < f64::from(options.split_worth) * whole.sah_cost() {
            return Ok((cut, of(Builder::Sbvh)));
        }
    }
    Ok((whole, of(Builder::BinnedSah)))
}

/// Builds a tree over boxes, as of instances or of what a caller made: nothing in them can be cut, so that
/// [`Builder::Sbvh`] and [`Builder::BestOf`] are [`Builder::BinnedSah`] here, and `split_clipping` is not looked at.
///
/// Else as [`build`], with a box where that has a triangle.
///
/// # Errors
/// [`BuildError`]: a box is empty or not finite, there are too many, or an option is out of its range.
pub fn build_over_boxes(boxes: &[Aabb], options: &BuildOptions) -> Result<Bvh2, BuildError> {
    options.check(boxes.len() as u64)?;
    let watch = Watch::nothing();
    let mut references = references_of_boxes(boxes, &watch)?;
    let rules = LeafRules::new(options);
    let store = Store::new(references.len());
    let root = whole(&mut references, options.builder, &rules, &store, &watch).map_err(BuildError::cancelled)?;
    finished(root.map(|root| (root, store)), boxes.len(), options, &watch).map_err(BuildError::cancelled)
}

/// Builds a tree with one builder; [`Builder::BestOf`] counts as [`Builder::Sbvh`].
fn build_one(triangles: &dyn TriangleSource, options: &BuildOptions, watch: &Watch<'_>) -> Result<Bvh2, BuildError> {
    options.check(triangles.count() as u64)?;
    watch.begin(REFERENCES, 1.0).map_err(BuildError::cancelled)?;
    let references = references_of(triangles, watch)?;
    tree_of(references, triangles, options, watch).map_err(BuildError::cancelled)
}

/// Builds a tree of a reference to each triangle.
fn tree_of(
    mut references: Vec<Reference>,
    triangles: &dyn TriangleSource,
    options: &BuildOptions,
    watch: &Watch<'_>,
) -> Result<Bvh2, Stopped> {
    if let Some(share) = options.split_clipping {
        split_clipping::split(&mut references, triangles, share, watch)?;
    }
    let rules = LeafRules::new(options);
    let store = Store::new(references.len());
    let cuts = matches!(options.builder, Builder::Sbvh | Builder::BestOf) && !references.is_empty();
    let root = if cuts {
        let list = match triangles.list() {
            Some(list) => Cow::Borrowed(list),
            None => Cow::Owned(parallel::map(watch, triangles.count(), &|i| triangles.corners(i))?),
        };
        sbvh::build(std::mem::take(&mut references), &list, options, &rules, &store, watch).map(Some)
    } else {
        whole(&mut references, options.builder, &rules, &store, watch)
    };
    let root = match root {
        Ok(root) => root.map(|root| (root, store)),
        Err(stopped) => {
            parallel::free((references, store));
            return Err(stopped);
        }
    };
    drop(references);
    finished(root, triangles.count(), options, watch)
}

/// Builds a tree with one builder that cuts nothing; those that cut are [`Builder::BinnedSah`] here.
fn whole(
    references: &mut [Reference],
    builder: Builder,
    rules: &LeafRules,
    store: &Store,
    watch: &Watch<'_>,
) -> Result<Option<Subtree>, Stopped> {
    if references.is_empty() {
        return Ok(None);
    }
    let tree = match builder {
        Builder::SweepSah => sweep_sah::build(references, rules, store, watch),
        Builder::Lbvh => lbvh::build(references, rules, store, watch),
        Builder::Ploc => ploc::build(references, rules, store, watch),
        Builder::BinnedSah | Builder::BinnedBlocks | Builder::Sbvh | Builder::BestOf => {
            binned_sah::build(references, rules, store, watch)
        }
    };
    tree.map(Some)
}

/// Puts a tree over `count` primitives in order, and improves it as the options say.
fn finished(
    root: Option<(Subtree, Store)>,
    count: usize,
    options: &BuildOptions,
    watch: &Watch<'_>,
) -> Result<Bvh2, Stopped> {
    watch.begin(FLATTENING, 1.0)?;
    let (nodes, references) = match root {
        Some((root, store)) => root.flatten(store, watch)?,
        None => Default::default(),
    };
    let mut tree = Bvh2 { nodes, references, primitive_count: count as u32 };
    if options.reinsertion > 0 {
        reinsert_watched(&mut tree, options, watch)?;
    }
    Ok(tree)
}

/// Weights of two phases in a build's progress, in units of 1e-8 s a triangle on one thread of a fast processor.
const REFERENCES: f64 = 2.0;
const FLATTENING: f64 = 3.0;

/// Returns the weight of all phases of a build.
pub(crate) fn weight(options: &BuildOptions) -> f64 {
    let of = |builder: Builder| REFERENCES + builder.weight() + FLATTENING + reinsertion::weight(options);
    match options.builder {
        Builder::BestOf => of(Builder::BinnedSah) + of(Builder::Sbvh),
        builder => of(builder),
    }
}

impl Builder {
    /// Returns the weight of making the tree in a build's progress, in the unit of [`REFERENCES`].
    fn weight(self) -> f64 {
        match self {
            Self::Lbvh => 35.0,
            Self::BinnedBlocks => 30.0,
            Self::BinnedSah => 60.0,
            Self::Ploc => 75.0,
            Self::SweepSah => 200.0,
            Self::Sbvh | Self::BestOf => 280.0,
        }
    }
}
