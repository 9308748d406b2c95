//! Ray queries for library users: a tree over meshes, one ray or millions.

mod coherence;

pub use coherence::are_coherent;

use crate::device::cost_model::build_in_memory;
use crate::device::{Backend, BackendError, DeviceChoice, Plan, SceneTree};
#[cfg(feature = "cuda")]
use crate::device::{GpuOnceWorth, RayKernels};
use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, build, presets};
use raywarp_cpu::{Blocked, CpuTracer};
use raywarp_geom::origin::{DoubleMesh, recentred};
use raywarp_geom::{
    BatchStats, Control, FlatError, FlatTriangles, Hit, HitKey, MeshError, PrimitiveId, Ray, TraceError, Tracer,
    TriangleMesh,
};
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Hit of a ray, with the mesh and the triangle that it hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryHit {
    /// Ray parameter of the hit, in lengths of the ray's direction.
    pub t: f32,
    /// Barycentric weight of the triangle's second vertex.
    pub u: f32,
    /// Barycentric weight of the triangle's third vertex.
    pub v: f32,
    /// Index of the mesh in the slice given to [`TriangleBvh::build`].
    pub mesh: u32,
    /// Index of the triangle in its mesh.
    pub triangle: u32,
}

/// Error of building a tree over triangle meshes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// One of the meshes is not valid.
    #[error("mesh {mesh}: {source}")]
    Mesh {
        /// Index of the invalid mesh in the slice.
        mesh: usize,
        /// Fault that was found in the mesh.
        source: MeshError,
    },
    /// The meshes have more triangles than can be numbered.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// The tree cannot be built or put on the device that is to trace it; a GPU that was named is not there, lacks
    /// something, or fails.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device choice is [`DeviceChoice::Cuda`] with an empty list of GPUs.
    #[error("no GPU is named; name one, or take DeviceChoice::AllCuda")]
    NoGpuNamed,
    /// GPUs are named, but this build of Raywarp has no GPU kernels.
    #[cfg(not(feature = "cuda"))]
    #[error("GPUs are named, but raywarp was built without its feature cuda; take DeviceChoice::Cpu or Auto")]
    BuiltWithoutCuda,
}

/// Bounding volume hierarchy over triangle meshes, ready to trace single rays on the CPU and batches on the CPU or
/// GPUs.
///
/// Hits are watertight: no ray slips between two triangles that share an edge. Of hits at the same
/// `t` the lower (mesh, triangle) is reported. They have the same bits, whatever traces.
///
/// Single rays are traced here, on the CPU: a launch takes a GPU longer than one ray takes a CPU.
pub struct TriangleBvh {
    cpu: Arc<CpuTracer>,
    batches: Backend,
    origin: [f64; 3],
}

impl TriangleBvh {
    /// Builds a tree over `meshes` with the default options, in parallel, for this CPU.
    ///
    /// # Errors
    /// [`QueryError`]: a mesh with NaN positions or indices out of range, or too many triangles.
    pub fn build(meshes: &[TriangleMesh]) -> Result<Self, QueryError> {
        Self::build_with(meshes, &BuildOptions::default())
    }

    /// Builds a tree over `meshes` with the builder that `options` choose, for this CPU.
    ///
    /// # Errors
    /// As [`TriangleBvh::build`].
    pub fn build_with(meshes: &[TriangleMesh], options: &BuildOptions) -> Result<Self, QueryError> {
        Self::build_with_on(meshes, options, &DeviceChoice::Cpu)
    }

    /// Builds a tree over `meshes` with the default options, in parallel, and has `device` trace batches
    /// ([`TriangleBvh::closest_batch`], [`TriangleBvh::any_batch`]):
    ///
    /// - [`DeviceChoice::Cpu`]: this CPU.
    /// - [`DeviceChoice::FirstCuda`], [`DeviceChoice::Cuda`], [`DeviceChoice::AllCuda`]: those GPUs, each a stretch
    ///   of every batch. The tree is [`presets::GPU`], which takes longer to build than the CPU's default. A scene
    ///   that no kernel holds which loses no ray (docs/internals/choices.md, "Limits") is traced here, and
    ///   [`TriangleBvh::plan`] has the reason.
    /// - [`DeviceChoice::Auto`]: this CPU, until so many rays were asked for that a GPU would have been worth its
    ///   start ([`crate::device::rays_worth_a_gpu`]); then the first GPU that can be used, if there is one. It is
    ///   started within the batch that comes then; triangles and tree are kept for it until then. Where it cannot be,
    ///   or fails later, the CPU goes on, and [`TriangleBvh::plan`] has the reason.
    ///
    /// ```
    /// use raywarp::device::DeviceChoice;
    /// use raywarp::{Control, Hit, Ray, TriangleBvh, TriangleMesh};
    ///
    /// let mesh = TriangleMesh {
    ///     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    ///     indices: vec![[0, 1, 2]],
    ///     ..Default::default()
    /// };
    /// // On a machine without a GPU this is an error for DeviceChoice::Cuda(vec![0]); Auto goes on with the CPU.
    /// let bvh = TriangleBvh::build_on(&[mesh], &DeviceChoice::Auto)?;
    /// let rays = vec![Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]); 1000];
    /// let (mut hits, mut meshes) = (vec![Hit::default(); rays.len()], vec![0; rays.len()]);
    /// bvh.closest_batch(&rays, &mut hits, &mut meshes, &Control::default())?;
    /// assert!(hits.iter().all(|hit| hit.t == 1.0 && hit.primitive == 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`TriangleBvh::build`]; of GPUs that are named [`BackendError::Cuda`] or [`BackendError::OneOfGpus`] where
    /// one is not there, fails or has no room, and [`QueryError::NoGpuNamed`] where none is.
    pub fn build_on(meshes: &[TriangleMesh], device: &DeviceChoice) -> Result<Self, QueryError> {
        let on_gpu = device.names_gpus();
        Self::build_with_on(meshes, &if on_gpu { presets::GPU } else { BuildOptions::default() }, device)
    }

    /// Builds a tree as [`TriangleBvh::build_on`] does, with the builder that `options` choose. Trees for GPUs get
    /// leaves that their nodes can hold.
    ///
    /// # Errors
    /// As [`TriangleBvh::build_on`].
    pub fn build_with_on(
        meshes: &[TriangleMesh],
        options: &BuildOptions,
        device: &DeviceChoice,
    ) -> Result<Self, QueryError> {
        // Before the tree: what is not there shows at once.
        let plan = planned(device, options)?;
        let flat = flat(meshes)?;
        // A GPU that is started later walks the same tree.
        #[cfg(feature = "cuda")]
        let is_auto = *device == DeviceChoice::Auto;
        #[cfg(feature = "cuda")]
        let fits = if is_auto { RayKernels::default().fitting(options) } else { plan.kernels.fitting(options) };
        #[cfg(not(feature = "cuda"))]
        let fits = *options;
        let bvh = build(&flat, &build_in_memory(&fits, flat.len())).map_err(BackendError::from)?;
        let cpu = Arc::new(CpuTracer::new(&bvh, &flat).map_err(BackendError::from)?);
        #[cfg(feature = "cuda")]
        if is_auto {
            let batches = Backend::once_worth(GpuOnceWorth::new(cpu.clone(), bvh, *options, flat));
            return Ok(Self { cpu, batches, origin: [0.0; 3] });
        }
        let tree = SceneTree { bvh: &bvh, asked: options, triangles: &flat };
        let batches = Backend::new(plan, &tree, || Ok(cpu.clone()))?;
        Ok(Self { cpu, batches, origin: [0.0; 3] })
    }

    /// Builds a tree over meshes in f64 with the default options, for this CPU. Where rounding to f32 would hurt, as
    /// far from zero, positions are rounded relative to [`TriangleBvh::origin`]; [`TriangleBvh::ray`] makes rays that
    /// fit, and [`TriangleBvh::point`] says where hits are.
    ///
    /// ```
    /// use raywarp::{DoubleMesh, TriangleBvh};
    ///
    /// // A triangle of 1 cm in metres of UTM, where f32 has steps of half a metre.
    /// let [x, y] = [512_345.25, 5_412_345.75];
    /// let positions = vec![[x, y, 0.0], [x + 0.01, y, 0.0], [x, y + 0.01, 0.0]];
    /// let bvh = TriangleBvh::build_double(&[DoubleMesh { positions, indices: vec![[0, 1, 2]] }])?;
    /// let ray = bvh.ray([x + 0.002, y + 0.003, 2.0], [0.0, 0.0, -1.0]);
    /// let hit = bvh.closest(&ray).expect("in front");
    /// let point = bvh.point(&ray, hit.t);
    /// assert!((point[0] - (x + 0.002)).abs() < 1e-6 && (point[1] - (y + 0.003)).abs() < 1e-6);
    /// # Ok::<(), raywarp::QueryError>(())
    /// ```
    ///
    /// # Errors
    /// As [`TriangleBvh::build`].
    pub fn build_double(meshes: &[DoubleMesh]) -> Result<Self, QueryError> {
        for (mesh, DoubleMesh { positions, indices }) in meshes.iter().enumerate() {
            let positions = positions.iter().map(|p| p.map(|x| x as f32)).collect();
            let rounded = TriangleMesh { positions, indices: indices.clone(), ..TriangleMesh::default() };
            rounded.validate().map_err(|source| QueryError::Mesh { mesh, source })?;
        }
        let (origin, meshes) = recentred(meshes);
        Ok(Self { origin, ..Self::build(&meshes)? })
    }

    /// Returns the origin to which rays and hits are relative: zero, except for f64 meshes too far from zero for f32.
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// Returns a ray from a point and a direction in the meshes' coordinates; [`TriangleBvh::origin`] is subtracted in
    /// f64 before rounding.
    pub fn ray(&self, from: [f64; 3], direction: [f64; 3]) -> Ray {
        Ray::new(std::array::from_fn(|i| (from[i] - self.origin[i]) as f32), direction.map(|x| x as f32))
    }

    /// Returns the point at `t` on a ray, in the meshes' coordinates.
    pub fn point(&self, ray: &Ray, t: f32) -> [f64; 3] {
        let along = |i: usize| f64::from(ray.origin[i]) + f64::from(t) * f64::from(ray.direction[i]);
        std::array::from_fn(|i| along(i) + self.origin[i])
    }

    /// Returns the plan for large batches as it stands now: device, kernels, and why.
    pub fn plan(&self) -> Plan {
        self.batches.plan()
    }

    /// Returns the nearest hit of a ray.
    pub fn closest(&self, ray: &Ray) -> Option<QueryHit> {
        self.cpu.closest_one(ray, HitKey::START).map(|(hit, mesh)| query_hit(&hit, mesh))
    }

    /// Returns `true` if the ray hits a triangle between its `t_min` and `t_max`.
    pub fn any(&self, ray: &Ray) -> bool {
        // All triangles are opaque.
        self.cpu.any_one(ray, HitKey::START) == Blocked::Yes
    }

    /// Returns all hits of a ray, nearest first: each (mesh, triangle) once.
    ///
    /// A triangle counts with its edges and corners. So a ray through an edge that two triangles share hits both, at
    /// the same `t` but for rounding, and one through a corner hits all triangles around it: to count surfaces that a
    /// ray passes, take hits of nearly the same `t` together.
    pub fn all(&self, ray: &Ray) -> impl Iterator<Item = QueryHit> + use<> {
        let mut hits = Vec::new();
        self.all_into(ray, &mut hits);
        hits.into_iter()
    }

    /// Writes all hits of a ray into `hits`, as [`TriangleBvh::all`] returns them; what was there goes. One walk and a
    /// sort.
    pub fn all_into(&self, ray: &Ray, hits: &mut Vec<QueryHit>) {
        hits.clear();
        let _ = self.visit(ray, |hit| {
            hits.push(*hit);
            ControlFlow::Continue(())
        });
        // No `t` is NaN, and the two zeros are the same.
        let by_t = |a: &QueryHit, b: &QueryHit| a.t.partial_cmp(&b.t).unwrap_or(Ordering::Equal);
        hits.sort_unstable_by(|a, b| by_t(a, b).then((a.mesh, a.triangle).cmp(&(b.mesh, b.triangle))));
    }

    /// Passes every hit of a ray on to `receive`, each (mesh, triangle) once and in no order, until it breaks; returns
    /// whether it did. One walk, whose time grows with the number of hits and no faster.
    ///
    /// A triangle counts with its edges and corners, as in [`TriangleBvh::all`]. `receive` may ask the tree itself.
    ///
    /// ```
    /// use raywarp::{Ray, TriangleBvh, TriangleMesh};
    /// use std::ops::ControlFlow;
    ///
    /// let sheet = |z: f32| TriangleMesh {
    ///     positions: vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]],
    ///     indices: vec![[0, 1, 2]],
    ///     ..Default::default()
    /// };
    /// let bvh = TriangleBvh::build(&[sheet(1.0), sheet(2.0), sheet(3.0)])?;
    /// let mut hits = 0;
    /// let flow = bvh.visit(&Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, 1.0]), |_hit| {
    ///     hits += 1;
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!((hits, flow), (3, ControlFlow::Continue(())));
    /// # Ok::<(), raywarp::QueryError>(())
    /// ```
    pub fn visit(&self, ray: &Ray, mut receive: impl FnMut(&QueryHit) -> ControlFlow<()>) -> ControlFlow<()> {
        self.cpu.visit_one(ray, |hit, mesh| receive(&query_hit(hit, mesh)))
    }

    /// Finds the nearest hit of each ray, in parallel, on the device chosen for batches: `hits` and `meshes` have one
    /// entry per ray ([`Hit::is_hit`] tells a miss).
    ///
    /// # Errors
    /// [`TraceError::Cancelled`] when `control` says so; [`TraceError::Device`] when a GPU that was named fails.
    /// # Panics
    /// If the slices differ in length.
    pub fn closest_batch(
        &self,
        rays: &[Ray],
        hits: &mut [Hit],
        meshes: &mut [u32],
        control: &Control,
    ) -> Result<BatchStats, TraceError> {
        let stats = self.tracer().closest(rays, &[], hits, meshes, control)?;
        hits.par_iter_mut().for_each(|hit| (hit.u, hit.v) = (hit.u + 0.0, hit.v + 0.0));
        Ok(stats)
    }

    /// Finds for each ray whether it hits a triangle, in parallel, on the device chosen for batches: bit `i % 32` of
    /// word `i / 32` of `blocked` for ray `i`.
    ///
    /// # Errors
    /// As [`TriangleBvh::closest_batch`].
    /// # Panics
    /// If `blocked` has fewer than `ceil(rays / 32)` words.
    pub fn any_batch(&self, rays: &[Ray], blocked: &mut [u32], control: &Control) -> Result<BatchStats, TraceError> {
        self.tracer().any(rays, &[], blocked, &mut Vec::new(), control)
    }

    /// Returns the tracer that answers batches, as the renderer takes one.
    pub fn tracer(&self) -> &dyn Tracer {
        self.batches.tracer()
    }
}

fn query_hit(&Hit { t, u, v, primitive }: &Hit, mesh: u32) -> QueryHit {
    // On an edge a weight may come out as -0.
    QueryHit { t, u: u + 0.0, v: v + 0.0, mesh, triangle: primitive }
}

/// Returns the plan for batches on `device` and opens the GPUs that it names; [`DeviceChoice::Auto`] begins with the
/// CPU.
#[cfg(feature = "cuda")]
fn planned(device: &DeviceChoice, options: &BuildOptions) -> Result<Plan, QueryError> {
    let devices = device.open().map_err(BackendError::from)?;
    if devices.is_empty() && device.names_gpus() {
        return Err(QueryError::NoGpuNamed);
    }
    Ok(Plan::rays_on(devices, RayKernels::default(), Some(*options)))
}

#[cfg(not(feature = "cuda"))]
fn planned(device: &DeviceChoice, options: &BuildOptions) -> Result<Plan, QueryError> {
    match device {
        DeviceChoice::Cpu => Ok(Plan::cpu(*options)),
        DeviceChoice::Auto => Ok(Plan::for_rays(0, 0, 1, Some(*options))),
        _ => Err(QueryError::BuiltWithoutCuda),
    }
}

/// Flattens the triangles of all meshes into one list, all of them opaque.
fn flat(meshes: &[TriangleMesh]) -> Result<FlatTriangles, QueryError> {
    let mut flat = FlatTriangles::default();
    let found: u64 = meshes.iter().map(|m| m.indices.len() as u64).sum();
    if found > u64::from(FlatTriangles::LIMIT) {
        return Err(FlatError::TooMany { found, limit: FlatTriangles::LIMIT }.into());
    }
    for (mesh, triangles) in meshes.iter().enumerate() {
        triangles.validate().map_err(|source| QueryError::Mesh { mesh, source })?;
        for primitive in 0..triangles.indices.len() {
            flat.vertices.push(triangles.corners(primitive));
            flat.ids.push(PrimitiveId { instance: mesh as u32, primitive: primitive as u32 });
            flat.opaque.push(true);
        }
    }
    Ok(flat)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "cuda")]
    use crate::device::{Amount, PlanReason, PlannedDevice, rays_worth_a_gpu};

    fn sheet(z: f32) -> TriangleMesh {
        TriangleMesh {
            positions: vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z], [1.0, 1.0, z]],
            indices: vec![[0, 1, 2], [1, 3, 2]],
            ..Default::default()
        }
    }

    #[test]
    fn closest_any_and_all_agree_on_a_stack_of_sheets() {
        let bvh = TriangleBvh::build(&[sheet(3.0), sheet(1.0), sheet(2.0), sheet(1.0)]).unwrap();
        let ray = Ray::new([0.2, 0.2, 0.0], [0.0, 0.0, 1.0]);
        let first = bvh.closest(&ray).unwrap();
        assert_eq!((first.t, first.mesh, first.triangle), (1.0, 1, 0));
        let all: Vec<_> = bvh.all(&ray).map(|h| ((h.t * 1e3).round(), h.mesh)).collect();
        assert_eq!(all, [(1e3, 1), (1e3, 3), (2e3, 2), (3e3, 0)]);
        assert!(bvh.any(&ray) && !bvh.any(&ray.with_interval(1.5, 1.75)));
        assert!(bvh.closest(&Ray::new([0.2, 0.2, 0.0], [0.0, 0.0, -1.0])).is_none());
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn auto_is_the_cpu_for_few_rays_and_gpus_have_to_be_named_to_be_missed() {
        let bvh = TriangleBvh::build_on(&[sheet(1.0)], &DeviceChoice::Auto).unwrap();
        let rays = [Ray::new([0.2, 0.2, 0.0], [0.0, 0.0, 1.0]); 3];
        let (mut hits, mut meshes, mut blocked) = ([Hit::default(); 3], [9; 3], [0]);
        bvh.closest_batch(&rays, &mut hits, &mut meshes, &Control::default()).unwrap();
        bvh.any_batch(&rays, &mut blocked, &Control::default()).unwrap();
        assert_eq!((hits[2].t, meshes, blocked), (1.0, [0; 3], [7]));
        let work = Amount::Rays(6);
        let plan = bvh.plan();
        assert!(matches!(plan.device, PlannedDevice::Cpu));
        match (rays_worth_a_gpu(2, rayon::current_num_threads()), plan.reason) {
            (Some(from), PlanReason::TooLittle { work: of, least }) => assert_eq!((of, least), (work, from)),
            (None, PlanReason::NoGpuGains { work: of, .. }) => assert_eq!(of, work),
            (_, reason) => panic!("{reason:?}"),
        }
        let plan = TriangleBvh::build(&[]).unwrap().plan();
        assert!(matches!((plan.device, plan.reason), (PlannedDevice::Cpu, PlanReason::Asked)));
        let none = TriangleBvh::build_on(&[sheet(1.0)], &DeviceChoice::Cuda(Vec::new())).err().unwrap();
        assert!(matches!(none, QueryError::NoGpuNamed), "{none}");
    }

    #[test]
    fn weights_on_edges_are_not_minus_zero() {
        let bvh = TriangleBvh::build(&[sheet(1.0)]).unwrap();
        let at = |x: f32, y: f32, d: f32| Ray::new([x, y, 1.0 - d], [0.0, 0.0, d]);
        let places = [[0.0, 0.0], [0.5, 0.0], [0.0, 0.5], [0.5, 0.5], [1.0, 0.0], [1.0, 0.5], [0.5, 1.0], [1.0, 1.0]];
        let rays: Vec<Ray> = places.iter().flat_map(|p| [at(p[0], p[1], 1.0), at(p[0], p[1], -1.0)]).collect();
        let (mut hits, mut meshes) = (vec![Hit::default(); rays.len()], vec![0; rays.len()]);
        bvh.closest_batch(&rays, &mut hits, &mut meshes, &Control::default()).unwrap();
        for (ray, hit) in rays.iter().zip(&hits) {
            let one = bvh.closest(ray).unwrap();
            let weights = [hit.u, hit.v, one.u, one.v];
            assert!(hit.is_hit() && weights.iter().all(|w| w.is_sign_positive()), "{ray:?}: {weights:?}");
            // A corner and an edge count for each triangle that has them.
            assert!(bvh.all(ray).count() >= 1);
        }
        assert_eq!(bvh.all(&rays[6]).count(), 2);
    }

    #[test]
    fn meshes_in_f64_far_from_zero_are_hit_where_they_are() {
        let [x, y] = [512_345.25, 5_412_345.75];
        let positions = vec![[x, y, 0.0], [x + 0.01, y, 0.0], [x, y + 0.01, 0.0], [x + 0.01, y + 0.01, 0.0]];
        let mesh = DoubleMesh { positions, indices: vec![[0, 1, 2], [1, 3, 2]] };
        let bvh = TriangleBvh::build_double(&[mesh]).unwrap();
        assert_ne!(bvh.origin(), [0.0; 3]);
        for (triangle, d) in [(0, 0.002), (1, 0.008)] {
            let ray = bvh.ray([x + d, y + d, 2.0], [0.0, 0.0, -1.0]);
            let hit = bvh.closest(&ray).unwrap();
            let point = bvh.point(&ray, hit.t);
            assert_eq!(hit.triangle, triangle);
            assert!((point[0] - x - d).abs() < 1e-6 && (point[1] - y - d).abs() < 1e-6, "{point:?}");
        }
        let near = DoubleMesh { positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], indices: vec![[0, 1, 2]] };
        assert_eq!(TriangleBvh::build_double(std::slice::from_ref(&near)).unwrap().origin(), [0.0; 3]);
        let broken = DoubleMesh { indices: vec![[0, 1, 3]], ..near };
        assert!(TriangleBvh::build_double(&[broken]).is_err());
    }

    #[test]
    fn meshes_are_checked_and_none_is_no_hit() {
        let broken = TriangleMesh { indices: vec![[0, 1, 9]], ..sheet(0.0) };
        let error = TriangleBvh::build(&[sheet(1.0), broken]).err().unwrap();
        let source = MeshError::IndexOutOfRange { triangle: 0, index: 9, vertices: 4 };
        assert!(matches!(error, QueryError::Mesh { mesh: 1, source: found } if found == source));
        let empty = TriangleBvh::build(&[]).unwrap();
        assert!(empty.closest(&Ray::new([0.0; 3], [1.0, 0.0, 0.0])).is_none());
    }
}
