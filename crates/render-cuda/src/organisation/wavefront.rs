//! The kernels and rounds of a wavefront: launched kernel by kernel, or recorded as a graph and launched as a whole.

use super::{LoadPlace, LoadedOrganisation};
use crate::RenderCudaError;
use crate::batch::{PathBatch, ROUNDS_AT_ONCE};
use crate::path_kernels::ResidentKernel;
use crate::prebuilt::PATH_KERNELS;
use crate::sources::{FeatureSet, shade_name};
use crate::stage::Stage;
use raywarp_cuda::{CudaError, Function};

/// Number of rounds in a graph: two, since after two rounds the queues read and written are the same again.
const ROUNDS_PER_GRAPH: u32 = 2;

/// Kernels of a wavefront, loaded for a scene on a device.
#[derive(Debug)]
pub struct WavefrontKernels {
    begin_round: Function,
    refill: ResidentKernel,
    extend: ResidentKernel,
    sort: Option<ResidentKernel>,
    sort_waiting: Option<ResidentKernel>,
    /// Shading kernels, one per shading class.
    shade: Vec<ResidentKernel>,
    connect: ResidentKernel,
    arrive_light: ResidentKernel,
    decide_light: Option<ResidentKernel>,
}

impl WavefrontKernels {
    /// Loads the wavefront's kernels; with `sorts` those that list paths by shading class, if there are several or rays
    /// may pass holes.
    ///
    /// # Errors
    /// [`RenderCudaError`].
    pub fn load(place: &LoadPlace<'_>, sorts: bool) -> Result<Self, RenderCudaError> {
        let LoadPlace { device, features, .. } = *place;
        let is_sorted = sorts && features.is_sorted();
        let resident = |function: Function| -> Result<ResidentKernel, RenderCudaError> {
            Ok(ResidentKernel::new(device, function)?)
        };
        let shading = |stage: &str, set| resident(PATH_KERNELS.of_features(device, stage, set)?);
        let plain = |stage: &str| PATH_KERNELS.plain(device, stage);
        let shade = |class| resident(PATH_KERNELS.function(device, "shade", &shade_name(class))?);
        // What holes ask for is all that scenes without media may need beside the plain.
        let by_holes = match features.set {
            FeatureSet::Surfaces if !features.holes => FeatureSet::Plain,
            set => set,
        };
        let if_holes = |stage| -> Result<Option<ResidentKernel>, RenderCudaError> {
            let has = by_holes != FeatureSet::Plain;
            has.then(|| shading(stage, by_holes)).transpose()
        };
        let decide_light = if_holes("decide_light")?;
        let sort_waiting = if is_sorted { if_holes("sort_waiting")? } else { None };
        let sort = is_sorted.then(|| shading("sort", by_holes)).transpose()?;
        let shade = match features.set {
            FeatureSet::Plain => vec![shade(None)?],
            FeatureSet::Surfaces if is_sorted => {
                features.classes.iter().map(|class| shade(Some(*class))).collect::<Result<_, _>>()?
            }
            FeatureSet::Surfaces | FeatureSet::Everything => vec![shade(Some(features.only_class()))?],
        };
        Ok(Self {
            begin_round: plain("begin_round")?,
            refill: shading("refill", features.set)?,
            extend: resident(plain("extend")?)?,
            sort_waiting,
            decide_light,
            sort,
            shade,
            connect: resident(plain("connect")?)?,
            arrive_light: shading("arrive_light", by_holes)?,
        })
    }

    /// Launches one round over at most `entries` queue entries; paths may begin in it if `begins`.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn round(&self, batch: &mut PathBatch<'_>, entries: u32, begins: bool) -> Result<(), CudaError> {
        batch.blocks(Stage::BEGIN_ROUND, &self.begin_round, 1)?;
        if begins {
            batch.resident(Stage::REFILL, &self.refill, entries)?;
        }
        batch.resident(Stage::EXTEND, &self.extend, entries)?;
        if let Some(sort) = &self.sort {
            batch.resident(Stage::SORT, sort, entries)?;
        }
        if let Some(sort_waiting) = &self.sort_waiting {
            batch.resident(Stage::SORT_WAITING, sort_waiting, entries)?;
        }
        for shade in &self.shade {
            batch.resident(Stage::SHADE, shade, entries)?;
        }
        batch.clear_answers()?;
        batch.resident(Stage::CONNECT, &self.connect, entries)?;
        batch.resident(Stage::ARRIVE_LIGHT, &self.arrive_light, entries)?;
        if let Some(decide_light) = &self.decide_light {
            batch.resident(Stage::DECIDE_LIGHT, decide_light, entries)?;
        }
        std::mem::swap(&mut batch.render.queue, &mut batch.render.next);
        Ok(())
    }
}

/// Launches round by round and kernel by kernel; the host seldom asks whether paths are left.
impl LoadedOrganisation for WavefrontKernels {
    fn trace(&self, batch: &mut PathBatch<'_>) -> Result<(), CudaError> {
        let (capacity, paths) = (batch.render.capacity, batch.render.batch.path_count);
        for round in 0.. {
            batch.begin_round(round);
            self.round(batch, capacity.min(paths), round == 0 || paths > capacity)?;
            if round >= batch.max_depth && paths <= capacity {
                break;
            }
            if (round + 1).is_multiple_of(ROUNDS_AT_ONCE) && batch.left()?.is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// Wavefront whose rounds are launched as graphs: the first round runs kernel by kernel, while two more are recorded to
/// be repeated as often as needed.
///
/// Parameters are part of a graph, so that it is for one batch. A graph could also repeat itself, by a conditional
/// node: but its handle is set by a function of libcudadevrt, whose licence does not let us commit objects linked
/// with it.
#[derive(Debug)]
pub(super) struct GraphedWavefront(pub WavefrontKernels);

impl LoadedOrganisation for GraphedWavefront {
    fn trace(&self, batch: &mut PathBatch<'_>) -> Result<(), CudaError> {
        let Self(kernels) = self;
        // A graph is launched as a whole.
        batch.leave_untimed();
        let (capacity, paths) = (batch.render.capacity, batch.render.batch.path_count);
        let entries = capacity.min(paths);
        // As in `EngineOptions::wanted`.
        let rounds = paths.div_ceil(capacity).saturating_mul(batch.max_depth.saturating_add(1));
        kernels.round(batch, entries, true)?;
        let (graphs, rest) = ((rounds - 1) / ROUNDS_PER_GRAPH, (rounds - 1) % ROUNDS_PER_GRAPH);
        if graphs > 0 {
            let graph = batch.record(|batch| {
                for _ in 0..ROUNDS_PER_GRAPH {
                    kernels.round(batch, entries, paths > capacity)?;
                }
                Ok(())
            })?;
            for done in 1..=graphs {
                batch.repeat(&graph)?;
                let looks = done.is_multiple_of(ROUNDS_AT_ONCE / ROUNDS_PER_GRAPH);
                if looks && batch.left()?.is_none() {
                    return Ok(());
                }
            }
        }
        for _ in 0..rest {
            kernels.round(batch, entries, paths > capacity)?;
        }
        Ok(())
    }
}
