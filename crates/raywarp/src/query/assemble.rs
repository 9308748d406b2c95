//! From what a builder was given to trees: numbering, origin, which meshes get a tree of their own.

use super::SceneError;
use super::builder::{Instance, Levels, MOST_LEVELS, Part, SceneBuilder, SceneOptions};
use super::flattened::Flattened;
use super::ids::{Groups, InstanceId, Placement};
use super::kept::{Kept, KeptPart};
use super::room::{MOST_IN_LEVELS, MOST_PLACEMENTS, check_levels, check_room};
use super::scene::{Numbered, Rays, Scene};
use super::source::{Indices, Positions};
use super::triangles::{Triangles, check, range};
use crate::device::cost_model::build_in_memory;
use crate::device::{Backend, BackendError, DeviceChoice, Plan, SceneTree};
#[cfg(feature = "cuda")]
use crate::device::{GpuOnceWorth, RayKernels};
use rayon::prelude::*;
use raywarp_bvh::{BuildError, BuildOptions, Bvh2, build_over, presets};
use raywarp_cpu::{CpuTracer, Geometry, LevelsTracer, PlacementError, TreePlacement, open_edges, tracer_over};
use raywarp_geom::origin::{self, Center, PlacedMeshes, RoundingWarning, look};
use raywarp_geom::{Aabb, Affine, Affine64, Control, MeshError, TriangleMesh, TriangleSource};
use raywarp_layout::LayoutError;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Triangles, of all placements together, from which on a mesh that is placed several times keeps a tree of its own.
const WORTH_A_LEVEL: u64 = 20_000;

/// Distance from the origin, in extents of its mesh, from which on a placement makes a scene look for an origin.
const FAR: f64 = 1000.0;

/// Placement of a mesh, with the groups around it resolved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    /// Index of the mesh among the builder's parts.
    pub mesh: usize,
    pub transform: Affine64,
    /// Map at time 1, if it moves.
    pub end: Option<Affine64>,
    pub mask: u32,
    pub user: u32,
    pub id: InstanceId,
}

impl Leaf {
    /// Returns the placement as if it were of a mesh.
    pub fn of(&Instance { id, placement, user }: &Instance) -> Self {
        let Placement { mesh, transform, end, mask } = placement;
        Self { mesh: mesh.0 as usize, transform, end, mask, user, id }
    }

    /// Returns the transforms: one, or those of times 0 and 1.
    fn maps(&self) -> impl Iterator<Item = &Affine64> {
        std::iter::once(&self.transform).chain(&self.end)
    }

    /// Checks that each transform can be rounded and undone; `instance` is the placement's number.
    pub fn check(&self, instance: usize) -> Result<(), SceneError> {
        self.maps().try_for_each(|map| {
            let map = Affine64::from(&map.rounded());
            if !map.is_finite() {
                return Err(SceneError::NotFinite { instance });
            }
            map.inverse().map(drop).ok_or(SceneError::Singular { instance })
        })
    }

    /// Returns the placement of a member of the group that this one is of.
    fn member(&self, member: &Placement) -> Self {
        let is_moving = self.end.is_some() || member.end.is_some();
        let ends = [self.end.unwrap_or(self.transform), member.end.unwrap_or(member.transform)];
        Self {
            mesh: member.mesh.0 as usize,
            transform: self.transform.after(&member.transform),
            end: is_moving.then(|| ends[0].after(&ends[1])),
            mask: self.mask & member.mask,
            ..*self
        }
    }

    /// Returns a box around a mesh within `bounds`, where it is placed, at all times.
    fn reach(&self, bounds: &Aabb) -> Aabb {
        reach(bounds, &self.transform, self.end.as_ref())
    }

    /// Makes the transform one of a mesh that is relative to `local`, in a world that is relative to `origin`.
    pub fn recenter(&mut self, local: [f64; 3], origin: [f64; 3]) {
        for map in std::iter::once(&mut self.transform).chain(&mut self.end) {
            *map = map.after(&Affine64::translation(local));
            for axis in 0..3 {
                map.rows[axis][3] -= origin[axis];
            }
        }
    }

    /// Returns the numbers of a placement and of its mesh, and its map, as trees are built over it.
    fn flat((instance, leaf): (usize, &Self)) -> (usize, usize, Affine) {
        (instance, leaf.mesh, leaf.transform.rounded())
    }

    /// Returns what the placement is known by.
    pub fn numbered(&self) -> Numbered {
        let is_mirrored = self.transform.determinant() < 0.0;
        let moves = self.end.is_some();
        Numbered { id: self.id, mask: self.mask, user: self.user, mesh: self.mesh as u32, is_mirrored, moves }
    }
}

/// Number of placements of meshes that each part stands for.
pub(super) fn sizes(groups: &Groups) -> Result<Vec<u64>, SceneError> {
    let (mut sizes, mut depths) = (Vec::with_capacity(groups.len()), Vec::with_capacity(groups.len()));
    for (index, group) in groups.iter().enumerate() {
        let Some(members) = group else {
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
fn leaves(builder: &SceneBuilder<'_>, groups: &Groups, levels: Levels) -> Result<Vec<Leaf>, SceneError> {
    let sizes = sizes(groups)?;
    let mut found = 0u64;
    for (placement, instance) in builder.instances.iter().enumerate() {
        let mesh = instance.placement.mesh.0 as usize;
        let size = sizes.get(mesh).ok_or(SceneError::NoMesh { placement, mesh })?;
        found = found.saturating_add(*size);
    }
    check_room(0, found, if levels == Levels::Two { MOST_IN_LEVELS } else { MOST_PLACEMENTS })?;
    let mut leaves = Vec::with_capacity(found as usize);
    for instance in &builder.instances {
        expand(groups, &sizes, &Leaf::of(instance), &mut leaves);
    }
    Ok(leaves)
}

/// Adds the placements of meshes that a placement of any part stands for.
/// Parts of which `sizes` says that they stand for none are not walked.
pub(super) fn expand(groups: &Groups, sizes: &[u64], placed: &Leaf, leaves: &mut Vec<Leaf>) {
    if sizes[placed.mesh] == 0 {
        return;
    }
    let Some(members) = &groups[placed.mesh] else { return leaves.push(*placed) };
    for member in members.iter() {
        expand(groups, sizes, &placed.member(member), leaves);
    }
}

/// Makes the scene of a builder.
pub(super) fn scene(
    builder: &SceneBuilder<'_>,
    options: &SceneOptions,
    control: &Control<'_>,
) -> Result<Scene, SceneError> {
    // Before any tree: what is not there shows at once.
    let on_gpu = options.device.names_gpus();
    let quality = options.quality.unwrap_or(if on_gpu { presets::GPU } else { presets::BLOCKS });
    let plan = planned(&options.device, &quality)?;
    let groups: Vec<Option<Arc<[Placement]>>> = builder.parts.iter().map(Part::members).collect();
    let mut leaves = leaves(builder, &groups, options.levels)?;
    let mut placed = vec![0u64; builder.parts.len()];
    leaves.iter().for_each(|leaf| placed[leaf.mesh] += 1);
    // An edit may place what is not placed yet.
    let keeps_all = options.levels == Levels::Two && !on_gpu;
    let is_mesh = |(part, placed): (&Part<'_>, &u64)| matches!(part, Part::Mesh(..)) && (keeps_all || *placed > 0);
    let used: Vec<bool> = builder.parts.iter().zip(&placed).map(is_mesh).collect();
    for (mesh, part) in builder.parts.iter().enumerate().filter(|(mesh, _)| used[*mesh]) {
        if let Part::Mesh(positions, indices) = part {
            check(positions, indices, control).map_err(|source| mesh_error(mesh, source))?;
        }
    }
    leaves.iter().enumerate().try_for_each(|(instance, leaf)| leaf.check(instance))?;
    let mut moves = vec![false; builder.parts.len()];
    for (instance, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| leaf.end.is_some()) {
        if on_gpu {
            return Err(SceneError::MovingOnGpu { instance });
        }
        moves[leaf.mesh] = true;
    }
    let customs = customs(builder, &placed, keeps_all, on_gpu)?;
    let Relative { origin, rounding, meshes, locals } = rounded(builder, &mut leaves, &used);
    let triangles = |mesh: usize| meshes[mesh].as_ref().map_or(0, |mesh| mesh.len() as u64);
    let has_tree: Vec<bool> = (0..meshes.len())
        .map(|mesh| match options.levels {
            _ if customs[mesh].is_some() || moves[mesh] => true,
            _ if on_gpu => false,
            Levels::One => false,
            Levels::Two => used[mesh],
            Levels::Auto => placed[mesh] > 1 && placed[mesh].saturating_mul(triangles(mesh)) >= WORTH_A_LEVEL,
        })
        .collect();
    let cancelled = |_: &()| if control.is_cancelled() { Err(SceneError::Cancelled) } else { Ok(()) };
    cancelled(&())?;
    let instances = builder.instances.iter().map(|instance| (instance.id, instance.placement.mesh));
    let mut kept =
        Kept::new(instances.collect(), &groups, &meshes, &locals, quality, control).ok_or(SceneError::Cancelled)?;
    for (part, custom) in kept.parts.iter_mut().zip(&customs) {
        if let Some(custom) = custom {
            *part = KeptPart::custom(None, custom.bounds());
        }
    }
    let bounds = |leaf: &Leaf| kept.mesh(leaf.mesh).map_or(Aabb::EMPTY, |mesh| leaf.reach(&mesh.bounds));
    kept.reaches = leaves.par_iter().with_min_len(1 << 10).map(bounds).collect();
    count_open_edges(&mut kept, &meshes, &leaves, &has_tree, control)?;
    let rays = if keeps_all || has_tree.iter().any(|&has| has) {
        two_levels((&meshes, &customs), &leaves, &has_tree, &mut kept, control)?
    } else {
        kept.flattened = flattened(&leaves, |_| true);
        one_level(
            &Flattened::new(&meshes, leaves.iter().enumerate().map(Leaf::flat))?,
            &quality,
            options,
            plan,
            control,
        )?
    };
    let numbered = leaves.iter().map(Leaf::numbered).collect();
    Ok(Scene::new(rays, numbered, (origin, rounding), on_gpu, kept))
}

/// Counts the open edges of meshes of which no tree will hold the corners as they are in the mesh: those that are
/// flattened, and stand nowhere by the identity.
fn count_open_edges(
    kept: &mut Kept,
    meshes: &[Option<Triangles<'_>>],
    leaves: &[Leaf],
    has_tree: &[bool],
    control: &Control<'_>,
) -> Result<(), SceneError> {
    let mut is_lost = vec![false; meshes.len()];
    leaves.iter().for_each(|leaf| is_lost[leaf.mesh] = !has_tree[leaf.mesh]);
    for leaf in leaves.iter().filter(|leaf| !has_tree[leaf.mesh]) {
        is_lost[leaf.mesh] &= leaf.transform.rounded() != Affine::IDENTITY;
    }
    for ((part, mesh), _) in kept.parts.iter_mut().zip(meshes).zip(is_lost).filter(|(_, is_lost)| *is_lost) {
        if let (KeptPart::Mesh(kept), Some(mesh)) = (part, mesh) {
            let is_stopped = AtomicBool::new(false);
            let corners = |triangle| {
                if !control.is_cancelled() {
                    return mesh.corners(triangle);
                }
                is_stopped.store(true, Ordering::Relaxed);
                // A point has no edges, and is soon counted.
                [[0.0; 3]; 3]
            };
            kept.open_edges = Some(open_edges(mesh.len(), corners));
            if is_stopped.into_inner() {
                return Err(SceneError::Cancelled);
            }
        }
    }
    Ok(())
}

/// Returns the error of a mesh whose check found this fault, or ended early.
pub(super) fn mesh_error(mesh: usize, fault: Option<MeshError>) -> SceneError {
    fault.map_or(SceneError::Cancelled, |source| SceneError::Mesh { mesh, source })
}

/// Builds the trees of custom geometry that is used.
fn customs(
    builder: &SceneBuilder<'_>,
    placed: &[u64],
    keeps_all: bool,
    on_gpu: bool,
) -> Result<Vec<Option<Arc<CpuTracer>>>, SceneError> {
    let custom = |(mesh, (part, placed)): (usize, (&Part<'_>, &u64))| match part {
        Part::Custom(_) if *placed > 0 && on_gpu => Err(SceneError::CustomOnGpu { mesh }),
        Part::Custom(geometry) if *placed > 0 || keeps_all => custom_tree(mesh, geometry).map(Some),
        _ => Ok(None),
    };
    builder.parts.iter().zip(placed).enumerate().map(custom).collect()
}

/// Builds the tree of custom geometry.
pub(super) fn custom_tree(mesh: usize, geometry: &Arc<dyn Geometry>) -> Result<Arc<CpuTracer>, SceneError> {
    let tree = CpuTracer::of_geometry(geometry.clone());
    tree.map(Arc::new).map_err(|source| SceneError::Geometry { mesh, source })
}

/// Returns a box around a placed mesh at all times, the same whether or not the placement is flattened. `bounds` is
/// around the mesh, and `end` the map at time 1 if it moves.
pub(super) fn reach(bounds: &Aabb, transform: &Affine64, end: Option<&Affine64>) -> Aabb {
    let start = reach_of(bounds, &transform.rounded());
    end.map_or(start, |end| start.union(&reach_of(bounds, &end.rounded())))
}

/// As [`reach`] of what stands still, by a map that is rounded.
pub(super) fn reach_of(bounds: &Aabb, map: &Affine) -> Aabb {
    if bounds.is_empty() { Aabb::EMPTY } else { map.aabb(bounds) }
}

/// Meshes as trees are built over them, relative to an origin.
struct Relative<'a> {
    origin: [f64; 3],
    rounding: Option<RoundingWarning>,
    /// `None` for what is not used, and for groups.
    meshes: Vec<Option<Triangles<'a>>>,
    /// Point to which each is relative.
    locals: Vec<[f64; 3]>,
}

/// Rounds the meshes that are used to f32, relative to an origin where that is needed, and makes the placements'
/// transforms relative to it.
fn rounded<'a>(builder: &SceneBuilder<'a>, leaves: &mut [Leaf], used: &[bool]) -> Relative<'a> {
    let given = |rounding| {
        let mesh = |(part, used): (&Part<'a>, &bool)| match part {
            Part::Mesh(positions, indices) if *used => Some(Triangles::Given(*positions, *indices)),
            _ => None,
        };
        let meshes = builder.parts.iter().zip(used).map(mesh).collect();
        Relative { origin: [0.0; 3], rounding, meshes, locals: vec![[0.0; 3]; used.len()] }
    };
    if !wants_origin(builder, leaves, used) {
        return given(None);
    }
    let mut here = Center::default();
    let first = Rounded::new(builder, leaves, used, &mut here);
    let (center, rounding) = look(&first, &here);
    let Some(mut center) = center else {
        return given(rounding.warning());
    };
    let relative = Rounded::new(builder, leaves, used, &mut center);
    let rounding = origin::rounding(&relative, &center).warning();
    let Rounded { meshes, locals, .. } = relative;
    leaves.iter_mut().for_each(|leaf| leaf.recenter(locals[leaf.mesh], center.origin));
    let meshes = meshes.into_iter().zip(used).map(|(mesh, used)| used.then_some(Triangles::Rounded(mesh)));
    Relative { origin: center.origin, rounding, meshes: meshes.collect(), locals }
}

/// Returns `true` if a mesh is in f64, or stands so far from zero that f32 may be too coarse for it.
fn wants_origin(builder: &SceneBuilder<'_>, leaves: &[Leaf], used: &[bool]) -> bool {
    // Found for meshes alone that stand off zero: it looks at every vertex.
    let mut extents: Vec<Option<f64>> = vec![None; builder.parts.len()];
    let mut extent_of = |mesh: usize| match &builder.parts[mesh] {
        Part::Mesh(positions, indices) => *extents[mesh].get_or_insert_with(|| extent(positions, indices)),
        Part::Custom(geometry) => *extents[mesh].get_or_insert_with(|| sides_of(&boxes(geometry))),
        Part::Group(_) => f64::INFINITY,
    };
    let is_double = |part: &Part<'_>| matches!(part, Part::Mesh(positions, _) if positions.is_double());
    builder.parts.iter().zip(used).any(|(part, used)| *used && is_double(part))
        || leaves.iter().flat_map(|leaf| leaf.maps().map(|map| (leaf.mesh, map))).any(|(mesh, map)| {
            let rows = &map.rows;
            let far = rows.iter().fold(0.0, |far: f64, row| far.max(row[3].abs()));
            let scale = rows.iter().flat_map(|row| &row[..3]).fold(0.0, |scale: f64, x| scale.max(x.abs()));
            far > 0.0 && far > FAR * scale * extent_of(mesh)
        })
}

/// Returns the boxes of some primitives of custom geometry, which tell how fine it is.
fn boxes(geometry: &Arc<dyn Geometry>) -> Vec<Aabb> {
    const SOME: usize = 1000;
    let count = geometry.len();
    let some = (0..count).step_by(count.div_ceil(SOME).max(1)).map(|primitive| geometry.bounds(primitive as u32));
    some.filter(|bounds| !bounds.is_empty()).collect()
}

/// Returns the largest side of the box around boxes.
fn sides_of(boxes: &[Aabb]) -> f64 {
    let all = boxes.iter().fold(Aabb::EMPTY, |all, bounds| all.union(bounds));
    all.extent().iter().fold(0.0, |most, side| most.max(f64::from(*side)))
}

/// Returns the largest side of the box around the triangles of a mesh that was checked.
fn extent(positions: &Positions<'_>, indices: &Indices<'_>) -> f64 {
    let sides = |[low, high]: [[f64; 3]; 2]| (0..3).fold(0.0, |extent: f64, i| extent.max(high[i] - low[i]));
    range(positions, indices).map_or(0.0, sides)
}

/// Meshes rounded to f32, with the point that each is relative to, and their placements.
struct Rounded {
    meshes: Vec<TriangleMesh>,
    locals: Vec<[f64; 3]>,
    placements: Vec<(usize, Affine)>,
}

impl Rounded {
    fn new(builder: &SceneBuilder<'_>, leaves: &[Leaf], used: &[bool], center: &mut Center) -> Self {
        let (mut meshes, mut locals) = (Vec::new(), Vec::new());
        // Of each part whether it is placed, and then whether by the identity alone.
        let mut stands: Vec<Option<bool>> = vec![None; builder.parts.len()];
        for leaf in leaves {
            let is_identity = leaf.transform == Affine64::IDENTITY && leaf.end.is_none();
            stands[leaf.mesh] = Some(stands[leaf.mesh].unwrap_or(true) && is_identity);
        }
        for (index, part) in builder.parts.iter().enumerate() {
            let (mut mesh, mut local) = (TriangleMesh::default(), [0.0; 3]);
            if let (Part::Mesh(positions, indices), true) = (part, used[index]) {
                // One that is placed nowhere yet may come to stand anywhere.
                let mut rounder = if stands[index] == Some(true) { center.in_world() } else { center.in_mesh() };
                mesh.positions = used_positions(positions, indices).map(|position| rounder.round(position)).collect();
                rounder.settle(&mut mesh.positions);
                mesh.indices = (0..indices.len(positions.len())).map(|triangle| indices.corners(triangle)).collect();
                local = rounder.at();
                center.note_mesh(index, &rounder);
            }
            // Custom geometry stays in its own f32 coordinates: triangles as large as its boxes stand for it.
            if let (Part::Custom(geometry), true) = (part, stands[index].is_some()) {
                for bounds in boxes(geometry) {
                    let first = mesh.positions.len() as u32;
                    let side = [bounds.max[0], bounds.min[1], bounds.max[2]];
                    mesh.positions.extend([bounds.min, bounds.max, side]);
                    mesh.indices.push([first, first + 1, first + 2]);
                }
            }
            meshes.push(mesh);
            locals.push(local);
        }
        // What moves is placed where it begins, and behind all of these where it ends.
        let starts = leaves.iter().map(|leaf| (leaf.mesh, &leaf.transform));
        let ends = leaves.iter().filter_map(|leaf| Some((leaf.mesh, leaf.end.as_ref()?)));
        let place =
            |(index, (mesh, map)): (usize, (usize, &Affine64))| (mesh, center.place(index, &map.rows, locals[mesh]));
        let placements = starts.chain(ends).enumerate().map(place).collect();
        Self { meshes, locals, placements }
    }
}

/// Returns the positions of a mesh that was checked; vertices that no triangle uses, which may be anything, lie where
/// one lies that is used.
fn used_positions(positions: &Positions<'_>, indices: &Indices<'_>) -> impl Iterator<Item = [f64; 3]> {
    let mut is_used = vec![false; positions.len()];
    let mut any = [0.0; 3];
    for triangle in 0..indices.len(positions.len()) {
        for vertex in indices.corners(triangle) {
            is_used[vertex as usize] = true;
            any = positions.wide(vertex as usize);
        }
    }
    is_used.into_iter().enumerate().map(move |(vertex, used)| if used { positions.wide(vertex) } else { any })
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

/// Lists the maps, but for the identity, of the placements for whose numbers `is_flat` is true: by id, and index among
/// the meshes of that.
fn flattened(leaves: &[Leaf], is_flat: impl Fn(usize) -> bool) -> BTreeMap<(InstanceId, u32), Affine> {
    let runs = leaves.chunk_by(|a, b| a.id == b.id);
    let keyed = runs.flat_map(|run| run.iter().zip(0..).map(|(leaf, index)| ((leaf.id, index), leaf)));
    let flat = keyed.enumerate().filter(|(number, _)| is_flat(*number));
    let mapped = flat.map(|(_, (key, leaf))| (key, leaf.transform.rounded()));
    mapped.filter(|(_, map)| *map != Affine::IDENTITY).collect()
}

/// Builds a tree and encodes it for the CPU.
fn tracer(
    triangles: &Flattened<'_>,
    quality: &BuildOptions,
    control: &Control<'_>,
) -> Result<Arc<CpuTracer>, SceneError> {
    let bvh = built(triangles, quality, control)?;
    encoded(tracer_over(Cow::Owned(bvh), triangles, || triangles.ids(), control))
}

/// Builds a tree.
fn built(triangles: &Flattened<'_>, quality: &BuildOptions, control: &Control<'_>) -> Result<Bvh2, SceneError> {
    let options = build_in_memory(quality, triangles.count());
    build_over(triangles, &options, control).map_err(|error| match error {
        BuildError::Cancelled => SceneError::Cancelled,
        BuildError::NotFinite { primitive } => {
            SceneError::NotFinite { instance: triangles.instance(primitive as usize) }
        }
        error => BackendError::from(error).into(),
    })
}

/// Returns a tree that was encoded, or why it was not.
fn encoded(tracer: Result<CpuTracer, LayoutError>) -> Result<Arc<CpuTracer>, SceneError> {
    tracer.map(Arc::new).map_err(|error| match error {
        LayoutError::Cancelled => SceneError::Cancelled,
        error => BackendError::from(error).into(),
    })
}

/// Puts a scene of two levels together: a tree for each mesh that has one, and one over all other placements.
fn two_levels(
    (meshes, customs): (&[Option<Triangles<'_>>], &[Option<Arc<CpuTracer>>]),
    leaves: &[Leaf],
    has_tree: &[bool],
    kept: &mut Kept,
    control: &Control<'_>,
) -> Result<Rays, SceneError> {
    check_levels(leaves.len() as u64)?;
    let quality = kept.quality;
    let own: Vec<usize> = (0..meshes.len()).filter(|&mesh| has_tree[mesh]).collect();
    let tree = |&mesh: &usize| {
        if let Some(custom) = &customs[mesh] {
            return Ok(custom.clone());
        }
        if control.is_cancelled() {
            return Err(SceneError::Cancelled);
        }
        match &meshes[mesh] {
            Some(mesh) => tracer(&Flattened::mesh(mesh)?, &quality, control),
            None => tree_of(Vec::new(), &quality, control),
        }
    };
    let mut trees: Vec<Arc<CpuTracer>> = own.par_iter().map(tree).collect::<Result<_, _>>()?;
    for (tree, &mesh) in own.iter().enumerate() {
        if let KeptPart::Mesh(mesh) = &mut kept.parts[mesh] {
            mesh.tree = Some(tree as u32);
        }
    }
    let place = |(instance, leaf): (usize, &Leaf)| -> Result<Option<TreePlacement>, SceneError> {
        let Some(tree) = kept.tree(leaf.mesh) else { return Ok(None) };
        let placement = TreePlacement { tree, transform: leaf.transform, end: leaf.end, base: instance as u32 };
        match LevelsTracer::check(&trees[tree as usize], &placement) {
            Ok(()) => Ok(Some(placement)),
            Err(PlacementError::IllConditioned) if customs[leaf.mesh].is_some() || leaf.end.is_some() => {
                Err(SceneError::IllConditioned { instance })
            }
            // Its boxes cannot be walked: flattened, with the same hits.
            Err(PlacementError::IllConditioned) => Ok(None),
            Err(PlacementError::Singular) => Err(SceneError::Singular { instance }),
            Err(_) => Err(SceneError::NotFinite { instance }),
        }
    };
    let placed: Vec<Option<TreePlacement>> = leaves.par_iter().enumerate().map(place).collect::<Result<_, _>>()?;
    let others = leaves.iter().enumerate().zip(&placed).filter(|(_, placed)| placed.is_none()).map(|(leaf, _)| leaf);
    let others = Flattened::new(meshes, others.map(Leaf::flat))?;
    kept.flattened = flattened(leaves, |instance| placed[instance].is_none());
    kept.is_divided = placed.iter().all(Option::is_some);
    let mut placements: Vec<TreePlacement> = placed.into_iter().flatten().collect();
    if !kept.is_divided {
        let tree = trees.len() as u32;
        placements.push(TreePlacement::still(tree, Affine64::IDENTITY, 0));
        trees.push(tracer(&others, &quality, control)?);
    }
    let levels = LevelsTracer::new(trees, &placements)?;
    Ok(Rays::Two(levels, Box::new(Plan::cpu(quality))))
}

/// Builds the tree of a mesh, in the mesh's own space.
pub(super) fn tree_of(
    triangles: Vec<[[f32; 3]; 3]>,
    quality: &BuildOptions,
    control: &Control<'_>,
) -> Result<Arc<CpuTracer>, SceneError> {
    if control.is_cancelled() {
        return Err(SceneError::Cancelled);
    }
    let mesh = Triangles::List(triangles);
    tracer(&Flattened::mesh(&mesh)?, quality, control)
}

/// Builds one tree over all triangles, and puts it where batches are traced.
fn one_level(
    triangles: &Flattened<'_>,
    quality: &BuildOptions,
    options: &SceneOptions,
    plan: Plan,
    control: &Control<'_>,
) -> Result<Rays, SceneError> {
    if options.device == DeviceChoice::Cpu || cfg!(not(feature = "cuda")) {
        let cpu = tracer(triangles, quality, control)?;
        return Ok(Rays::One(cpu.clone(), Box::new(Backend::cpu(cpu, plan))));
    }
    #[cfg(feature = "cuda")]
    if options.device == DeviceChoice::Auto {
        let fits = RayKernels::default().fitting(quality);
        let cpu = tracer(triangles, quality, control)?;
        return Ok(Rays::One(cpu.clone(), Box::new(Backend::once_worth(GpuOnceWorth::new(cpu, fits, *quality)))));
    }
    #[cfg(feature = "cuda")]
    let fits = plan.kernels.fitting(quality);
    #[cfg(not(feature = "cuda"))]
    let fits = *quality;
    let bvh = built(triangles, &fits, control)?;
    let flat = triangles.flat();
    let cpu = encoded(CpuTracer::controlled(&bvh, &flat, control))?;
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
