//! What a scene keeps of its parts, so that it can be edited.

use super::ids::{GeometryId, Groups, InstanceId, Placement};
use super::triangles::Triangles;
use raywarp_bvh::BuildOptions;
use raywarp_geom::{Aabb, Affine, Control};
use raywarp_layout::Wide8Cost;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Parts of a scene and their placements.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    /// Meshes and groups, by the numbers of their ids.
    pub parts: Vec<KeptPart>,
    /// Placements in the order in which they were added, and so of their ids.
    pub instances: Vec<(InstanceId, GeometryId)>,
    /// Number of the next placement's id.
    pub next_instance: u64,
    /// Maps, but for the identity, of placements of meshes whose triangles stand in trees as they are in the world: by
    /// id, and index among the meshes of that.
    pub flattened: BTreeMap<(InstanceId, u32), Affine>,
    /// `true` if every placement of a mesh has a tree of its own or of its mesh, at its number.
    pub is_divided: bool,
    /// Trees that nothing uses.
    pub free: Vec<u32>,
    /// How trees are built.
    pub quality: BuildOptions,
    /// Boxes around placed meshes, by their numbers.
    pub reaches: Vec<Aabb>,
}

/// Mesh or group, as a scene keeps it.
#[derive(Debug, Clone)]
pub(super) enum KeptPart {
    Mesh(KeptMesh),
    Group(Arc<[Placement]>),
    Removed,
}

/// Mesh, as a scene keeps it.
#[derive(Debug, Clone)]
pub(super) struct KeptMesh {
    /// Its tree, in its own space; `None` if it was flattened, or placed nowhere.
    pub tree: Option<u32>,
    /// Point to which its vertices are relative.
    pub local: [f64; 3],
    /// Number of triangles.
    pub triangles: usize,
    /// Box around them.
    pub bounds: Aabb,
    /// `true` if it is custom geometry.
    pub is_custom: bool,
    /// Cost of its tree when that was built, once it was fitted to other triangles.
    pub built: Option<Wide8Cost>,
    /// Number of its open edges, if it was counted before its own corners were lost: it stands nowhere but flattened,
    /// by transforms.
    pub open_edges: Option<u64>,
}

/// Numbers of placements of meshes before each member of a group, and in all of it; of each part of a scene, and empty
/// for those that are no groups.
pub(super) type Starts = Vec<Box<[u64]>>;

impl KeptPart {
    /// Returns custom geometry whose tree has the number `tree`.
    pub fn custom(tree: Option<u32>, bounds: Aabb) -> Self {
        Self::Mesh(KeptMesh {
            tree,
            local: [0.0; 3],
            triangles: 0,
            bounds,
            is_custom: true,
            built: None,
            open_edges: None,
        })
    }

    /// Returns the members of a group.
    pub fn members(&self) -> Option<Arc<[Placement]>> {
        if let Self::Group(members) = self { Some(members.clone()) } else { None }
    }
}

impl Kept {
    /// Returns what a builder's scene keeps before its trees are built; `None` if the caller has cancelled.
    pub fn new(
        instances: Vec<(InstanceId, GeometryId)>,
        groups: &Groups,
        meshes: &[Option<Triangles<'_>>],
        locals: &[[f64; 3]],
        quality: BuildOptions,
        control: &Control<'_>,
    ) -> Option<Self> {
        let mesh = |(mesh, &local): (&Option<Triangles<'_>>, &[f64; 3])| {
            let (triangles, bounds) = match mesh {
                Some(mesh) => (mesh.len(), mesh.bounds(control)?),
                None => (0, Aabb::EMPTY),
            };
            Some(KeptPart::Mesh(KeptMesh {
                tree: None,
                local,
                triangles,
                bounds,
                is_custom: false,
                built: None,
                open_edges: None,
            }))
        };
        let part = |(group, of_mesh): (&Option<Arc<[Placement]>>, _)| match group {
            Some(members) => Some(KeptPart::Group(members.clone())),
            None => mesh(of_mesh),
        };
        Some(Self {
            parts: groups.iter().zip(meshes.iter().zip(locals)).map(part).collect::<Option<_>>()?,
            next_instance: instances.len() as u64,
            instances,
            flattened: BTreeMap::new(),
            is_divided: false,
            free: Vec::new(),
            quality,
            reaches: Vec::new(),
        })
    }

    /// Returns the mesh of this number, if there is one.
    pub fn mesh(&self, part: usize) -> Option<&KeptMesh> {
        match self.parts.get(part) {
            Some(KeptPart::Mesh(mesh)) => Some(mesh),
            _ => None,
        }
    }

    /// Returns the tree of a mesh.
    pub fn tree(&self, mesh: usize) -> Option<u32> {
        self.mesh(mesh)?.tree
    }

    /// Returns a box around all triangles, which does not depend on the number of levels.
    pub fn reach(&self) -> Aabb {
        self.reaches.iter().fold(Aabb::EMPTY, |all, reach| all.union(reach))
    }

    /// Counts the placements that groups stand for: members come before the groups that they are in.
    pub fn starts(&self) -> Starts {
        let mut all: Starts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let mut starts = Vec::new();
            if let KeptPart::Group(members) = part {
                let mut before = 0u64;
                starts.reserve_exact(members.len() + 1);
                starts.push(before);
                for member in members.iter() {
                    // What is no group stands for itself.
                    let of_member = all[member.mesh.0 as usize].last().copied().unwrap_or(1);
                    before = before.saturating_add(of_member);
                    starts.push(before);
                }
            }
            all.push(starts.into());
        }
        all
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        let members = |part: &KeptPart| if let KeptPart::Group(members) = part { size_of_val(&**members) } else { 0 };
        self.parts.iter().map(members).sum::<usize>()
            + size_of_val(&self.parts[..])
            + size_of_val(&self.instances[..])
            + size_of_val(&self.reaches[..])
            + self.flattened.len() * size_of::<((InstanceId, u32), Affine)>()
    }
}
