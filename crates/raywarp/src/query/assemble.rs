//! From what a builder was given to trees: numbering, origin, which meshes get a tree of their own.

use super::SceneError;
use super::builder::{Instance, InstanceId, Levels, MOST_LEVELS, Part, SceneBuilder, SceneOptions};
use super::scene::{Inner, Numbered, Rays, Scene};
use super::source::{Indices, Positions};
use crate::device::cost_model::build_in_memory;
use crate::device::{Backend, BackendError, DeviceChoice, Plan, SceneTree};
#[cfg(feature = "cuda")]
use crate::device::{GpuOnceWorth, RayKernels};
use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, build, presets};
use raywarp_cpu::{CpuTracer, LevelsTracer, PlacementError};
use raywarp_geom::origin::{self, Center, PlacedMeshes, RoundingWarning, look};
use raywarp_geom::{Aabb, Affine, Affine64, Control, FlatError, FlatTriangles, MeshError, PrimitiveId, TriangleMesh};
use std::sync::{Arc, OnceLock};

/// Triangles, of all placements together, from which on a mesh that is placed several times keeps a tree of its own.
const WORTH_A_LEVEL: u64 = 20_000;

/// Largest number of placements that hits can tell apart, and of those in two levels.
const MOST_PLACEMENTS: u64 = (1 << 32) - 1;
const MOST_IN_LEVELS: u64 = 1 << 28;

/// Distance from the origin, in extents of its mesh, from which on a placement makes a scene look for an origin.
const FAR: f64 = 1000.0;

/// Placement of a mesh, with the groups around it resolved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    /// Index of the mesh among the builder's parts.
    pub mesh: usize,
    pub transform: Affine64,
    pub mask: u32,
    pub user: u32,
    pub id: InstanceId,
}

/// Number of placements of meshes that each part stands for.
pub(super) fn sizes(parts: &[Part<'_>]) -> Result<Vec<u64>, SceneError> {
    let (mut sizes, mut depths) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
    for (index, part) in parts.iter().enumerate() {
        let Part::Group(members) = part else {
            sizes.push(1u64);
            depths.push(0);
            continue;
        };
        let (mut size, mut depth) = (0u64, 0);
        for (placement, member) in members.iter().enumerate() {
            let mesh = member.mesh.0 as usize;
            let Some(&of_member) = sizes.get(mesh) else { return Err(SceneError::NoMesh { placement, mesh }) };
            size = size.saturating_add(of_member);
            depth = depth.max(depths[mesh] + 1);
        }
        if depth > MOST_LEVELS {
            return Err(SceneError::TooDeep { group: index });
        }
        sizes.push(size);
        depths.push(depth);
    }
    Ok(sizes)
}

/// Lists the placements of meshes in the order of their numbers.
fn leaves(builder: &SceneBuilder<'_>) -> Result<Vec<Leaf>, SceneError> {
    let sizes = sizes(&builder.parts)?;
    let mut found = 0u64;
    for (placement, instance) in builder.instances.iter().enumerate() {
        let mesh = instance.placement.mesh.0 as usize;
        let size = sizes.get(mesh).ok_or(SceneError::NoMesh { placement, mesh })?;
        found = found.saturating_add(*size);
    }
    if found > MOST_PLACEMENTS {
        return Err(SceneError::TooManyPlacements { found, limit: MOST_PLACEMENTS });
    }
    let mut leaves = Vec::with_capacity(found as usize);
    for Instance { id, placement, user } in &builder.instances {
        let leaf = Leaf {
            mesh: placement.mesh.0 as usize,
            transform: placement.transform,
            mask: placement.mask,
            user: *user,
            id: *id,
        };
        expand(&builder.parts, &leaf, &mut leaves);
    }
    Ok(leaves)
}

/// Adds the placements of meshes that a placement of any part stands for.
pub(super) fn expand(parts: &[Part<'_>], placed: &Leaf, leaves: &mut Vec<Leaf>) {
    let Part::Group(members) = &parts[placed.mesh] else { return leaves.push(*placed) };
    for member in members {
        let transform = placed.transform.after(&member.transform);
        let mask = placed.mask & member.mask;
        expand(parts, &Leaf { mesh: member.mesh.0 as usize, transform, mask, ..*placed }, leaves);
    }
}

/// Mesh, as trees are built over it.
enum Triangles<'a> {
    Given(Positions<'a>, Indices<'a>),
    /// Rounded relative to the scene's origin, or to a centre of its own.
    Rounded(TriangleMesh),
}

impl Triangles<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Given(positions, indices) => indices.len(positions.len()),
            Self::Rounded(mesh) => mesh.indices.len(),
        }
    }

    fn corners(&self, triangle: usize) -> [[f32; 3]; 3] {
        match self {
            Self::Given(positions, indices) => {
                indices.corners(triangle).map(|vertex| positions.narrow(vertex as usize))
            }
            Self::Rounded(mesh) => mesh.corners(triangle),
        }
    }

    /// Returns the box around all triangles.
    fn bounds(&self) -> Aabb {
        let all = (0..self.len()).into_par_iter().with_min_len(1 << 12);
        all.map(|triangle| Aabb::of_points(&self.corners(triangle))).reduce(|| Aabb::EMPTY, |a, b| a.union(&b))
    }

    /// Returns the triangles where `transform` takes them.
    fn flattened(&self, transform: &Affine64) -> Vec<[[f32; 3]; 3]> {
        let map = transform.rounded();
        let is_moved = map != Affine::IDENTITY;
        let place = |corners: [[f32; 3]; 3]| if is_moved { corners.map(|p| map.point(p)) } else { corners };
        let all = (0..self.len()).into_par_iter().with_min_len(1 << 12);
        all.map(|triangle| place(self.corners(triangle))).collect()
    }
}

/// Checks the triangles of a mesh: indices in range, used vertices finite in f32.
fn check(positions: &Positions<'_>, indices: &Indices<'_>) -> Result<(), MeshError> {
    let vertices = positions.len();
    let fault = |triangle: usize| {
        indices.corners(triangle).into_iter().find_map(|index| {
            if index as usize >= vertices {
                return Some(MeshError::IndexOutOfRange { triangle, index, vertices });
            }
            let value = positions.narrow(index as usize);
            let is_finite = value.iter().all(|x| x.is_finite());
            (!is_finite).then_some(MeshError::NotFinite { vertex: index as usize, value })
        })
    };
    let all = (0..indices.len(vertices)).into_par_iter().with_min_len(1 << 12);
    all.find_map_first(fault).map_or(Ok(()), Err)
}

/// Makes the scene of a builder.
pub(super) fn scene(
    builder: &SceneBuilder<'_>,
    options: &SceneOptions,
    control: &Control<'_>,
) -> Result<Scene, SceneError> {
    // Before any tree: what is not there shows at once.
    let on_gpu = options.device.names_gpus();
    let quality = options.quality.unwrap_or(if on_gpu { presets::GPU } else { BuildOptions::default() });
    let plan = planned(&options.device, &quality)?;
    let mut leaves = leaves(builder)?;
    let mut placed = vec![0u64; builder.parts.len()];
    leaves.iter().for_each(|leaf| placed[leaf.mesh] += 1);
    for (mesh, part) in builder.parts.iter().enumerate().filter(|(mesh, _)| placed[*mesh] > 0) {
        if let Part::Mesh(positions, indices) = part {
            check(positions, indices).map_err(|source| SceneError::Mesh { mesh, source })?;
        }
    }
    for (instance, leaf) in leaves.iter().enumerate() {
        let map = Affine64::from(&leaf.transform.rounded());
        if !map.is_finite() {
            return Err(SceneError::NotFinite { instance });
        }
        if map.inverse().is_none() {
            return Err(SceneError::Singular { instance });
        }
    }
    let Relative { origin, rounding, meshes } = rounded(builder, &mut leaves, &placed);
    let reach = reach(&meshes, &leaves);
    let triangles = |mesh: usize| meshes[mesh].as_ref().map_or(0, |mesh| mesh.len() as u64);
    let has_tree: Vec<bool> = (0..meshes.len())
        .map(|mesh| match options.levels {
            _ if on_gpu => false,
            Levels::One => false,
            Levels::Two => placed[mesh] > 0,
            Levels::Auto => placed[mesh] > 1 && placed[mesh].saturating_mul(triangles(mesh)) >= WORTH_A_LEVEL,
        })
        .collect();
    let cancelled = |_: &()| if control.is_cancelled() { Err(SceneError::Cancelled) } else { Ok(()) };
    cancelled(&())?;
    let rays = if has_tree.iter().any(|&has| has) {
        two_levels(&meshes, &leaves, &has_tree, &quality, control)?
    } else {
        one_level(flat(&meshes, leaves.iter().enumerate())?, &quality, options, plan)?
    };
    let numbered = leaves.iter().map(|leaf| Numbered {
        id: leaf.id,
        mask: leaf.mask,
        user: leaf.user,
        is_mirrored: leaf.transform.determinant() < 0.0,
    });
    let (numbered, closed) = (numbered.collect(), OnceLock::new());
    Ok(Scene(Arc::new(Inner { rays, numbered, origin, rounding, reach, is_on_gpus: on_gpu, closed })))
}

/// Returns a box around all triangles, the same whether or not placements are flattened.
fn reach(meshes: &[Option<Triangles<'_>>], leaves: &[Leaf]) -> Aabb {
    let bounds: Vec<Aabb> = meshes.iter().map(|mesh| mesh.as_ref().map_or(Aabb::EMPTY, Triangles::bounds)).collect();
    let of_leaf = |leaf: &Leaf| match &bounds[leaf.mesh] {
        empty if empty.is_empty() => Aabb::EMPTY,
        bounds => leaf.transform.rounded().aabb(bounds),
    };
    leaves.par_iter().with_min_len(1 << 10).map(of_leaf).reduce(|| Aabb::EMPTY, |a, b| a.union(&b))
}

/// Meshes as trees are built over them, relative to an origin; `None` for what is not placed, and for groups.
struct Relative<'a> {
    origin: [f64; 3],
    rounding: Option<RoundingWarning>,
    meshes: Vec<Option<Triangles<'a>>>,
}

/// Rounds the meshes that are placed to f32, relative to an origin where that is needed, and makes the placements'
/// transforms relative to it.
fn rounded<'a>(builder: &SceneBuilder<'a>, leaves: &mut [Leaf], placed: &[u64]) -> Relative<'a> {
    let given = |rounding| {
        let mesh = |(part, placed): (&Part<'a>, &u64)| match part {
            Part::Mesh(positions, indices) if *placed > 0 => Some(Triangles::Given(*positions, *indices)),
            _ => None,
        };
        Relative { origin: [0.0; 3], rounding, meshes: builder.parts.iter().zip(placed).map(mesh).collect() }
    };
    if !wants_origin(builder, leaves, placed) {
        return given(None);
    }
    let mut here = Center::default();
    let first = Rounded::new(builder, leaves, placed, &mut here);
    let (center, rounding) = look(&first, &here);
    let Some(mut center) = center else {
        return given(rounding.warning());
    };
    let relative = Rounded::new(builder, leaves, placed, &mut center);
    let rounding = origin::rounding(&relative, &center).warning();
    let Rounded { meshes, locals, .. } = relative;
    for leaf in leaves {
        let local = Affine64::translation(locals[leaf.mesh]);
        let mut transform = leaf.transform.after(&local);
        for axis in 0..3 {
            transform.rows[axis][3] -= center.origin[axis];
        }
        leaf.transform = transform;
    }
    let meshes = meshes.into_iter().zip(placed).map(|(mesh, placed)| (*placed > 0).then_some(Triangles::Rounded(mesh)));
    Relative { origin: center.origin, rounding, meshes: meshes.collect() }
}

/// Returns `true` if a mesh is in f64, or stands so far from zero that f32 may be too coarse for it.
fn wants_origin(builder: &SceneBuilder<'_>, leaves: &[Leaf], placed: &[u64]) -> bool {
    // Found for meshes alone that stand off zero: it looks at every vertex.
    let mut extents: Vec<Option<f64>> = vec![None; builder.parts.len()];
    let mut extent_of = |mesh: usize| match &builder.parts[mesh] {
        Part::Mesh(positions, indices) => *extents[mesh].get_or_insert_with(|| extent(positions, indices)),
        Part::Group(_) => 0.0,
    };
    let is_double = |part: &Part<'_>| matches!(part, Part::Mesh(positions, _) if positions.is_double());
    builder.parts.iter().zip(placed).any(|(part, placed)| *placed > 0 && is_double(part))
        || leaves.iter().any(|leaf| {
            let rows = &leaf.transform.rows;
            let far = rows.iter().fold(0.0, |far: f64, row| far.max(row[3].abs()));
            let scale = rows.iter().flat_map(|row| &row[..3]).fold(0.0, |scale: f64, x| scale.max(x.abs()));
            far > 0.0 && far > FAR * scale * extent_of(leaf.mesh)
        })
}

/// Returns the largest side of the box around the triangles of a mesh that was checked.
fn extent(positions: &Positions<'_>, indices: &Indices<'_>) -> f64 {
    let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for triangle in 0..indices.len(positions.len()) {
        for vertex in indices.corners(triangle) {
            let position = positions.wide(vertex as usize);
            range.iter_mut().zip(position).for_each(|(range, x)| *range = [range[0].min(x), range[1].max(x)]);
        }
    }
    range.iter().fold(0.0, |extent, [low, high]| extent.max(high - low))
}

/// Meshes rounded to f32, with the point that each is relative to, and their placements.
struct Rounded {
    meshes: Vec<TriangleMesh>,
    locals: Vec<[f64; 3]>,
    placements: Vec<(usize, Affine)>,
}

impl Rounded {
    fn new(builder: &SceneBuilder<'_>, leaves: &[Leaf], placed: &[u64], center: &mut Center) -> Self {
        let (mut meshes, mut locals) = (Vec::new(), Vec::new());
        for (index, part) in builder.parts.iter().enumerate() {
            let (mut mesh, mut local) = (TriangleMesh::default(), [0.0; 3]);
            if let (Part::Mesh(positions, indices), true) = (part, placed[index] > 0) {
                let stays = leaves.iter().all(|leaf| leaf.mesh != index || leaf.transform == Affine64::IDENTITY);
                let mut rounder = if stays { center.in_world() } else { center.in_mesh() };
                mesh.positions = (0..positions.len()).map(|vertex| rounder.round(positions.wide(vertex))).collect();
                rounder.settle(&mut mesh.positions);
                mesh.indices = (0..indices.len(positions.len())).map(|triangle| indices.corners(triangle)).collect();
                local = rounder.at();
                center.note_mesh(index, &rounder);
            }
            meshes.push(mesh);
            locals.push(local);
        }
        let place = |(instance, leaf): (usize, &Leaf)| {
            (leaf.mesh, center.place(instance, &leaf.transform.rows, locals[leaf.mesh]))
        };
        let placements = leaves.iter().enumerate().map(place).collect();
        Self { meshes, locals, placements }
    }
}

impl PlacedMeshes for Rounded {
    fn mesh_count(&self) -> usize {
        self.meshes.len()
    }

    fn mesh(&self, index: usize) -> &TriangleMesh {
        &self.meshes[index]
    }

    fn placement_count(&self) -> usize {
        self.placements.len()
    }

    fn placement(&self, index: usize) -> (usize, Affine) {
        self.placements[index]
    }
}

/// Flattens numbered placements into one list, all triangles opaque.
fn flat<'l>(
    meshes: &[Option<Triangles<'_>>],
    leaves: impl Iterator<Item = (usize, &'l Leaf)> + Clone,
) -> Result<FlatTriangles, SceneError> {
    let of = |leaf: &Leaf| meshes[leaf.mesh].as_ref();
    let found: u64 = leaves.clone().map(|(_, leaf)| of(leaf).map_or(0, Triangles::len) as u64).sum();
    if found > u64::from(FlatTriangles::LIMIT) {
        return Err(FlatError::TooMany { found, limit: FlatTriangles::LIMIT }.into());
    }
    let mut flat = FlatTriangles::default();
    flat.vertices.reserve_exact(found as usize);
    flat.ids.reserve_exact(found as usize);
    for (instance, leaf) in leaves {
        let Some(mesh) = of(leaf) else { continue };
        flat.vertices.extend(mesh.flattened(&leaf.transform));
        let id = |primitive: usize| PrimitiveId { instance: instance as u32, primitive: primitive as u32 };
        flat.ids.extend((0..mesh.len()).map(id));
    }
    if let Some(bad) = flat.vertices.iter().position(|corners| !corners.iter().flatten().all(|x| x.is_finite())) {
        return Err(SceneError::NotFinite { instance: flat.ids[bad].instance as usize });
    }
    flat.opaque = vec![true; flat.vertices.len()];
    Ok(flat)
}

/// Builds a tree for lanes.
fn tracer(triangles: &FlatTriangles, quality: &BuildOptions) -> Result<Arc<CpuTracer>, SceneError> {
    let bvh = build(triangles, &build_in_memory(quality, triangles.len())).map_err(BackendError::from)?;
    Ok(Arc::new(CpuTracer::new(&bvh, triangles).map_err(BackendError::from)?))
}

/// Puts a scene of two levels together: a tree for each mesh that has one, and one over all other placements.
fn two_levels(
    meshes: &[Option<Triangles<'_>>],
    leaves: &[Leaf],
    has_tree: &[bool],
    quality: &BuildOptions,
    control: &Control<'_>,
) -> Result<Rays, SceneError> {
    if leaves.len() as u64 > MOST_IN_LEVELS {
        return Err(SceneError::TooManyPlacements { found: leaves.len() as u64, limit: MOST_IN_LEVELS });
    }
    let own: Vec<usize> = (0..meshes.len()).filter(|&mesh| has_tree[mesh]).collect();
    let tree = |&mesh: &usize| -> Result<Arc<CpuTracer>, SceneError> {
        if control.is_cancelled() {
            return Err(SceneError::Cancelled);
        }
        let vertices = meshes[mesh].as_ref().map_or(Vec::new(), |mesh| mesh.flattened(&Affine64::IDENTITY));
        if vertices.len() > FlatTriangles::LIMIT as usize {
            return Err(FlatError::TooMany { found: vertices.len() as u64, limit: FlatTriangles::LIMIT }.into());
        }
        tracer(&FlatTriangles::from_vertices(vertices), quality)
    };
    let mut trees: Vec<Arc<CpuTracer>> = own.par_iter().map(tree).collect::<Result<_, _>>()?;
    let mut tree_of = vec![None; meshes.len()];
    own.iter().enumerate().for_each(|(tree, &mesh)| tree_of[mesh] = Some(tree as u32));
    let place = |(instance, leaf): (usize, &Leaf)| -> Result<Option<raywarp_cpu::TreePlacement>, SceneError> {
        let Some(tree) = tree_of[leaf.mesh] else { return Ok(None) };
        match LevelsTracer::check(&trees[tree as usize], &leaf.transform) {
            Ok(()) => Ok(Some(raywarp_cpu::TreePlacement { tree, transform: leaf.transform, base: instance as u32 })),
            // Its boxes cannot be walked: flattened, with the same hits.
            Err(PlacementError::IllConditioned) => Ok(None),
            Err(PlacementError::Singular) => Err(SceneError::Singular { instance }),
            Err(_) => Err(SceneError::NotFinite { instance }),
        }
    };
    let placed: Vec<Option<raywarp_cpu::TreePlacement>> =
        leaves.par_iter().enumerate().map(place).collect::<Result<_, _>>()?;
    let others = leaves.iter().enumerate().zip(&placed).filter(|(_, placed)| placed.is_none()).map(|(leaf, _)| leaf);
    let others = flat(meshes, others)?;
    let mut placements: Vec<raywarp_cpu::TreePlacement> = placed.into_iter().flatten().collect();
    if !others.is_empty() {
        let tree = trees.len() as u32;
        placements.push(raywarp_cpu::TreePlacement { tree, transform: Affine64::IDENTITY, base: 0 });
        trees.push(tracer(&others, quality)?);
    }
    drop(others);
    let levels = LevelsTracer::new(trees, &placements)?;
    Ok(Rays::Two(levels, Box::new(Plan::cpu(*quality))))
}

/// Builds one tree over all triangles, and puts it where batches are traced.
#[cfg_attr(
    not(feature = "cuda"),
    expect(clippy::needless_pass_by_value, reason = "a GPU that is started later keeps the triangles")
)]
fn one_level(
    flat: FlatTriangles,
    quality: &BuildOptions,
    options: &SceneOptions,
    plan: Plan,
) -> Result<Rays, SceneError> {
    // A GPU that is started later walks the same tree.
    #[cfg(feature = "cuda")]
    let is_auto = options.device == DeviceChoice::Auto;
    #[cfg(feature = "cuda")]
    let fits = if is_auto { RayKernels::default().fitting(quality) } else { plan.kernels.fitting(quality) };
    #[cfg(not(feature = "cuda"))]
    let (fits, _) = (*quality, options);
    let bvh = build(&flat, &build_in_memory(&fits, flat.len())).map_err(BackendError::from)?;
    let cpu = Arc::new(CpuTracer::new(&bvh, &flat).map_err(BackendError::from)?);
    #[cfg(feature = "cuda")]
    if is_auto {
        let batches = Backend::once_worth(GpuOnceWorth::new(cpu.clone(), bvh, *quality, flat));
        return Ok(Rays::One(cpu, Box::new(batches)));
    }
    let tree = SceneTree { bvh: &bvh, asked: quality, triangles: &flat };
    let batches = Backend::new(plan, &tree, || Ok(cpu.clone()))?;
    Ok(Rays::One(cpu, Box::new(batches)))
}

/// Returns the plan for batches on `device` and opens the GPUs that it names; [`DeviceChoice::Auto`] begins with the
/// CPU.
#[cfg(feature = "cuda")]
fn planned(device: &DeviceChoice, options: &BuildOptions) -> Result<Plan, SceneError> {
    let devices = device.open().map_err(BackendError::from)?;
    if devices.is_empty() && device.names_gpus() {
        return Err(SceneError::NoGpuNamed);
    }
    Ok(Plan::rays_on(devices, RayKernels::default(), Some(*options)))
}

#[cfg(not(feature = "cuda"))]
fn planned(device: &DeviceChoice, options: &BuildOptions) -> Result<Plan, SceneError> {
    match device {
        DeviceChoice::Cpu => Ok(Plan::cpu(*options)),
        DeviceChoice::Auto => Ok(Plan::for_rays(0, 0, 1, Some(*options))),
        _ => Err(SceneError::BuiltWithoutCuda),
    }
}
