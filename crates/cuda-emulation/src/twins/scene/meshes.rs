//! Shapes with and without each attribute.

use glam::Vec3;
use raywarp_geom::TriangleMesh;
use raywarp_scene::{Description, FaceMaterials, Mesh, MeshId};

/// Vertex attributes that a test mesh has.
#[derive(Clone, Copy, Default)]
struct Has {
    normals: bool,
    /// `true` if the normals point to the other side.
    turned: bool,
    uvs: bool,
    uvs1: bool,
    colors: bool,
    /// Fourth component (sign) of the tangents, or 0 for no tangents.
    tangents: f32,
}

const KINDS: [Has; 8] = {
    const BARE: Has = Has { normals: false, turned: false, uvs: false, uvs1: false, colors: false, tangents: 0.0 };
    const ALL: Has = Has { normals: true, turned: false, uvs: true, uvs1: true, colors: true, tangents: 1.0 };
    [
        ALL,
        BARE,
        Has { uvs: true, ..BARE },
        Has { turned: true, tangents: -1.0, ..ALL },
        Has { normals: true, ..BARE },
        Has { normals: false, ..ALL },
        Has { tangents: 0.0, uvs1: false, ..ALL },
        Has { colors: true, uvs1: true, ..BARE },
    ]
};

/// Adds the test meshes: tents of four triangles and parallelograms, and a tent whose texture coordinates are all
/// equal.
pub(super) fn add(scene: &mut Description) -> Vec<MeshId> {
    let mut meshes: Vec<TriangleMesh> = KINDS.iter().map(|&has| with(tent(), has)).collect();
    meshes.extend([0, 1, 3, 5].map(|i| with(parallelogram(), KINDS[i])));
    let mut pointless = with(tent(), Has { normals: true, uvs: true, ..Has::default() });
    pointless.uvs.fill([0.3, 0.7]);
    meshes.push(pointless);
    let add = |triangles| scene.add_mesh(Mesh { name: String::new(), triangles, materials: FaceMaterials::default() });
    meshes.into_iter().map(add).collect()
}

fn tent() -> TriangleMesh {
    TriangleMesh {
        positions: vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.1], [1.0, 1.0, 0.0], [-1.0, 1.0, -0.1], [0.1, 0.0, 0.6]],
        indices: vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
        ..Default::default()
    }
}

fn parallelogram() -> TriangleMesh {
    TriangleMesh {
        positions: vec![[-1.0, -1.0, 0.0], [1.0, -0.75, 0.0], [1.5, 1.0, 0.0], [-0.5, 0.75, 0.0]],
        indices: vec![[0, 1, 3], [2, 3, 1]],
        ..Default::default()
    }
}

fn with(mut mesh: TriangleMesh, has: Has) -> TriangleMesh {
    let of = |holds: bool| if holds { &mesh.positions[..] } else { &[] };
    let side = if has.turned { -1.0 } else { 1.0 };
    let normal = |p: &[f32; 3]| (side * Vec3::new(0.4 * p[0], 0.3 * p[1], 1.0).normalize()).into();
    mesh.normals = of(has.normals).iter().map(normal).collect();
    mesh.uvs = of(has.uvs).iter().map(|p| [1.1 * p[0] + 0.4, 0.8 * p[1] - 0.2 * p[0] + 0.3]).collect();
    mesh.uvs1 = of(has.uvs1).iter().map(|p| [0.6 * p[1] + 0.5, 0.7 * p[0] - 0.1]).collect();
    mesh.colors = of(has.colors)
        .iter()
        .map(|p| [0.5 + 0.4 * p[0], 0.5 - 0.3 * p[1], 0.25 + p[2].abs(), 0.5 + 0.25 * p[1]])
        .collect();
    mesh.tangents = of(has.tangents != 0.0)
        .iter()
        .map(|p| {
            let [x, y, z]: [f32; 3] = Vec3::new(1.0, 0.2 * p[0], -0.3 * p[1]).normalize().into();
            [x, y, z, has.tangents]
        })
        .collect();
    mesh
}
