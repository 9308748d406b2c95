//! Kernels: a variant over a scene, run on a machine and watched by a probe.

use crate::launch::{self, Place};
use crate::levels::KernelLevels;
use crate::probe::{Probe, Unwatched, Watch, Watched};
use crate::supply::RayCounter;
use crate::tree::{Boxes, Placed};
use crate::triangles::Triangles;
use crate::warp::{Answer, Launch};
use raywarp_bvh::Bvh2;
use raywarp_family::{BoxPlanes, Fetch, Query, Supply, TraversalLoop, Tree, TriangleTest, Variant};
use raywarp_geom::{Aabb, FlatTriangles, HitKey, Ray};
use raywarp_layout::{EncodedTree, LayoutError, encode, with_tree};
use std::sync::Arc;

/// Machine on which a kernel's schedule is emulated: one lane or a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Execution {
    /// One lane, without masks: the reference for warps.
    Scalar,
    /// A warp of `width` lanes in lockstep, 1 to 64.
    Lockstep {
        /// Number of lanes of a warp.
        width: u32,
    },
}

impl std::fmt::Display for Execution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scalar => f.write_str("scalar"),
            Self::Lockstep { width } => write!(f, "lockstep {width}"),
        }
    }
}

/// Reason why a traversal kernel cannot be made or run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The tree cannot be encoded for the variant.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The variant leaves the order of lanes to the hardware, and so runs only on GPUs.
    #[error("{variant} leaves the lanes of a warp to a GPU; here they are in lockstep: leave out sync=implicit")]
    NeedsGpu {
        /// Variant that runs only on GPUs.
        variant: Variant,
    },
    /// The stack is too small for some rays in this tree.
    #[error("{variant} may need {need} stack entries in this scene, but there is room for {given}")]
    Stack {
        /// Variant whose stack is too small.
        variant: Variant,
        /// Number of stack entries that a ray may need.
        need: usize,
        /// Number of stack entries that there are.
        given: usize,
    },
    /// The batch has more rays than can be numbered.
    #[error("a batch of {found} rays is too large; give at most {} at once", u32::MAX)]
    TooManyRays {
        /// Number of rays that were given.
        found: usize,
    },
    /// The operations of the variant's rays cannot be dumped.
    #[error("{variant} has no dump of its rays' operations: {why}")]
    NoDump {
        /// Variant whose operations cannot be dumped.
        variant: Variant,
        /// Reason why they cannot be dumped.
        why: NoDumpReason,
    },
    /// The variant walks one level.
    #[error(
        "{variant} walks one level; two are walked by direct, persistent and replacing while-while, if-if and while-if \
         over bvh2 with triangle=watertight: flatten the scene for others"
    )]
    OneLevel {
        /// Variant that walks one level.
        variant: Variant,
    },
    /// The warp is not a multiple of the lanes that share a ray, or is too wide.
    #[error("{variant} needs warps of a multiple of {lanes} lanes up to 64, not {width}")]
    Width {
        /// Variant whose lanes do not fit the warp.
        variant: Variant,
        /// Number of lanes that share a ray.
        lanes: u32,
        /// Number of lanes of a warp that was asked for.
        width: u32,
    },
}

/// Reason why the operations of a variant's rays cannot be dumped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum NoDumpReason {
    #[error("several lanes share a ray, and a dump does not tell which of them does what")]
    SharedRays,
    #[error("leaves of a group wait in a register or on the stack as other lanes go on, which changes the walk")]
    GroupedLeaves,
    #[error("its tree has no while-while")]
    NoWhileWhile,
    #[error("a dump has no word for entering and leaving instances")]
    TwoLevels,
    #[error("some rays have more operations than a dump can number")]
    ManyOperations,
}

/// A batch of rays for a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Rays that the kernel traces.
    pub rays: &'a [Ray],
    /// Key of each ray after which hits count, for rays that go on from a hit; empty if all hits count.
    pub after: &'a [HitKey],
    /// Kind of hit that the rays ask for: closest or any.
    pub query: Query,
    /// Number of warps that the machine holds at once, among which supplies with a global pool deal the rays. At least
    /// 1.
    pub resident: u32,
}

/// A traversal variant with the encoded tree and the triangle records that it walks.
pub struct Kernel {
    variant: Variant,
    walked: Walked,
}

/// What a kernel walks.
enum Walked {
    Flat(Box<Flat>),
    Levels(Arc<KernelLevels>),
}

/// A tree over the triangles of a flattened scene.
struct Flat {
    tree: EncodedTree,
    triangles: Triangles,
    bounds: Aabb,
}

/// Returns `true` if a variant can walk two levels.
///
/// A leaf that is put aside would be tested after its instance was left, packets and lanes that share a ray enter as
/// one, a work queue knows two wishes of a ray, and only the test by corners can be made in the world.
fn walks_levels(variant: &Variant) -> bool {
    let in_loop =
        matches!(variant.traversal_loop(), TraversalLoop::WhileWhile | TraversalLoop::IfIf | TraversalLoop::WhileIf);
    let by_corners = variant.triangle() == TriangleTest::Watertight && variant.box_planes() == BoxPlanes::Padded;
    in_loop
        && by_corners
        && variant.tree() == Tree::Bvh2
        && variant.supply() != Supply::Queue
        && variant.fetch() == Fetch::Once
        && variant.postpone() == 0
}

impl Kernel {
    /// Makes a kernel of `variant` by encoding `bvh` and `triangles` in its formats.
    ///
    /// # Errors
    /// [`KernelError::Layout`] if the tree does not fit the encoding, such as leaves of more than three
    /// triangles for `cwbvh8`, of more than one for `h8`; [`KernelError::NeedsGpu`].
    pub fn new(variant: &Variant, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Self, KernelError> {
        if variant.needs().gpu {
            return Err(KernelError::NeedsGpu { variant: *variant });
        }
        let tree = encode(variant, bvh, triangles, 0.0)?;
        let bounds = bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds);
        let records = Triangles::new(variant.triangle(), tree.slots(), triangles);
        let walked = Walked::Flat(Box::new(Flat { tree, triangles: records, bounds }));
        Ok(Self { variant: *variant, walked })
    }

    /// Makes a kernel of `variant` that walks a scene of two levels, with the hits of the flattened scene, bit for bit:
    /// `instance` is the index of the placement. No kernel of a paper does; there is no machine code of it.
    ///
    /// # Errors
    /// [`KernelError::OneLevel`] for variants other than while-while, if-if and while-if over `bvh2` with the
    /// watertight test, supplied directly, persistently or by replacing rays; [`KernelError::NeedsGpu`].
    pub fn over_levels(variant: &Variant, levels: impl Into<Arc<KernelLevels>>) -> Result<Self, KernelError> {
        if variant.needs().gpu {
            return Err(KernelError::NeedsGpu { variant: *variant });
        }
        if !walks_levels(variant) {
            return Err(KernelError::OneLevel { variant: *variant });
        }
        Ok(Self { variant: *variant, walked: Walked::Levels(levels.into()) })
    }

    /// Returns `true` if the kernel walks two levels.
    pub fn has_levels(&self) -> bool {
        matches!(self.walked, Walked::Levels(_))
    }

    /// Returns the variant that the kernel runs.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Returns the number of stack entries that any ray may need.
    pub fn stack_depth(&self) -> usize {
        match &self.walked {
            Walked::Flat(flat) => flat.tree.stack_depth(),
            Walked::Levels(levels) => levels.stack_depth(),
        }
    }

    /// Checks that a stack of `entries` suffices for all rays. Warps here get the stack that the tree asks for; a
    /// machine whose stacks have a fixed size is asked first.
    ///
    /// # Errors
    /// [`KernelError::Stack`].
    pub fn check_stack(&self, entries: usize) -> Result<(), KernelError> {
        let need = self.stack_depth();
        if need > entries {
            return Err(KernelError::Stack { variant: self.variant, need, given: entries });
        }
        Ok(())
    }

    /// Returns the sizes in bytes of the nodes and of the triangle records.
    pub fn bytes(&self) -> [usize; 2] {
        match &self.walked {
            Walked::Flat(flat) => [flat.tree.bytes(), flat.triangles.bytes()],
            Walked::Levels(levels) => levels.bytes(),
        }
    }

    /// Returns the number of warps by which `machine` traces `batch`.
    ///
    /// # Errors
    /// [`KernelError::Width`] if the machine's warps do not fit the variant; [`KernelError::TooManyRays`].
    pub fn warp_count(&self, machine: Execution, batch: &Batch<'_>) -> Result<u32, KernelError> {
        launch::warp_count(&self.variant, machine, batch.rays.len(), batch.resident)
    }

    /// Runs warp `number` of those that trace `batch`: adds its rays' answers to `answers` in the order in which they
    /// are stored, and tells `probe`, if any, every event. A warp past the last does nothing.
    ///
    /// # Errors
    /// [`KernelError::Width`], [`KernelError::TooManyRays`].
    ///
    /// # Panics
    /// If `batch.after` is neither empty nor as long as the rays.
    pub fn run_warp(
        &self,
        machine: Execution,
        batch: &Batch<'_>,
        number: u32,
        answers: &mut Vec<Answer>,
        probe: Option<&mut dyn Probe>,
    ) -> Result<(), KernelError> {
        assert!(batch.after.is_empty() || batch.after.len() == batch.rays.len(), "one key a ray, or none");
        let Some(place) = Place::new(&self.variant, machine, number, batch.rays.len(), batch.resident)? else {
            return Ok(());
        };
        match probe {
            None => self.launch(batch, place, answers, &mut Unwatched),
            Some(probe) => self.launch(batch, place, answers, &mut Watched::new(probe)),
        }
        Ok(())
    }

    /// Runs a warp as [`Kernel::run_warp`] does, but one that takes its rays from a counter shared with warps that run
    /// at the same time, where the variant has a global pool.
    ///
    /// # Errors
    /// As [`Kernel::run_warp`].
    ///
    /// # Panics
    /// As [`Kernel::run_warp`].
    pub fn run_warp_sharing(
        &self,
        machine: Execution,
        batch: &Batch<'_>,
        number: u32,
        counter: &dyn RayCounter,
        answers: &mut Vec<Answer>,
        probe: &mut dyn Probe,
    ) -> Result<(), KernelError> {
        assert!(batch.after.is_empty() || batch.after.len() == batch.rays.len(), "one key a ray, or none");
        if let Some(place) = Place::new(&self.variant, machine, number, batch.rays.len(), batch.resident)? {
            self.launch(batch, place.sharing(counter), answers, &mut Watched::new(probe));
        }
        Ok(())
    }

    fn launch<P: Watch>(&self, batch: &Batch<'_>, place: Place<'_>, answers: &mut Vec<Answer>, probe: &mut P) {
        let known = answers.len();
        let any_hit = batch.query == Query::Any;
        let flat = match &self.walked {
            Walked::Flat(flat) => flat,
            Walked::Levels(levels) => {
                let placed = placed(levels, batch);
                let launch = Launch { variant: &self.variant, tree: &placed, any_hit };
                return launch::run_warp(launch, place, answers, probe);
            }
        };
        with_tree!(&flat.tree, tree => {
            let boxes = flat.boxes(tree, batch);
            launch::run_warp(Launch { variant: &self.variant, tree: &boxes, any_hit }, place, answers, probe);
            let fallback = self.variant.fallback_variant();
            for answer in answers[known..].iter_mut().filter(|answer| answer.by_fallback) {
                let i = answer.ray as usize;
                let one = Batch { rays: &batch.rays[i..=i], after: batch.after.get(i..=i).unwrap_or_default(), ..*batch };
                let boxes = flat.boxes(tree, &one);
                let launch = Launch { variant: &fallback, tree: &boxes, any_hit };
                if let [found] = launch::run_each(launch, 1, &mut Unwatched)[..] {
                    *answer = Answer { ray: answer.ray, by_fallback: true, ..found };
                }
            }
        });
    }

    /// Traces the rays of `batch` one after the other on a single lane, whatever the variant's loop.
    pub(crate) fn run_each(&self, batch: &Batch<'_>, probe: &mut dyn Probe) {
        let (any_hit, count) = (batch.query == Query::Any, batch.rays.len() as u32);
        let mut watched = Watched::untouched(probe);
        match &self.walked {
            Walked::Flat(flat) => with_tree!(&flat.tree, tree => {
                let boxes = flat.boxes(tree, batch);
                launch::run_each(Launch { variant: &self.variant, tree: &boxes, any_hit }, count, &mut watched);
            }),
            Walked::Levels(levels) => {
                let placed = placed(levels, batch);
                launch::run_each(Launch { variant: &self.variant, tree: &placed, any_hit }, count, &mut watched);
            }
        }
    }
}

impl Flat {
    fn boxes<'a, B>(&'a self, tree: &'a B, batch: &Batch<'a>) -> Boxes<'a, B> {
        let (triangles, bounds) = (&self.triangles, &self.bounds);
        Boxes { tree, triangles, bounds, rays: batch.rays, after: batch.after }
    }
}

fn placed<'a>(levels: &'a KernelLevels, batch: &Batch<'a>) -> Placed<'a> {
    Placed { levels, bounds: levels.bounds(), rays: batch.rays, after: batch.after }
}
