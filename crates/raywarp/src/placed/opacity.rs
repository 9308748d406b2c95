//! What rays meet of a placed mesh: some triangles are not there, and some have holes, by material.

use raywarp_geom::{FlatTriangles, PrimitiveId};
use raywarp_scene::{Alpha, Description, FaceMaterials, Mesh, Surface};

/// What is opaque of a placed mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opacity {
    /// What the materials of its triangles say.
    Own,
    /// All of it.
    All,
    /// None of it.
    Nothing,
}

impl Opacity {
    pub const COUNT: usize = 3;
    pub const ALL: [Self; Self::COUNT] = [Self::Own, Self::All, Self::Nothing];
}

/// What materials make of triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// They are not there.
    No,
    Opaque,
    WithHoles,
}

/// What is opaque of placements, by material and mesh.
pub(crate) struct OpacityOf {
    materials: Vec<Seen>,
    /// Of each mesh with its own materials; `None` if nothing of it is there.
    meshes: Vec<Option<Opacity>>,
}

impl OpacityOf {
    pub fn new(scene: &Description) -> Self {
        let seen = seen(scene);
        let of = |seen: Seen| match seen {
            Seen::No => None,
            Seen::Opaque => Some(Opacity::All),
            Seen::WithHoles => Some(Opacity::Nothing),
        };
        let of_mesh = |mesh: &Mesh| match &mesh.materials {
            FaceMaterials::Uniform(id) => of(seen[id.index()]),
            FaceMaterials::PerTriangle(ids) => {
                let first = seen[ids.first()?.index()];
                if ids.iter().all(|id| seen[id.index()] == first) { of(first) } else { Some(Opacity::Own) }
            }
        };
        let meshes = scene.meshes.iter().map(of_mesh).collect();
        Self { meshes, materials: seen }
    }

    /// Returns what is opaque of an instance; `None` if nothing of it is there.
    pub fn of(&self, scene: &Description, instance: usize) -> Option<Opacity> {
        let instance = &scene.instances[instance];
        match instance.material.map(|id| self.materials[id.index()]) {
            None => self.meshes[instance.mesh.index()],
            Some(Seen::No) => None,
            Some(Seen::Opaque) => Some(Opacity::All),
            Some(Seen::WithHoles) => Some(Opacity::Nothing),
        }
    }
}

/// Returns what each material makes of triangles, by the rule of [`raywarp_scene::flatten`].
fn seen(scene: &Description) -> Vec<Seen> {
    let seen = |material: &raywarp_scene::Material| match material.alpha {
        _ if material.is_nothing() => Seen::No,
        Alpha::Opaque if material.surface != Surface::Invisible => Seen::Opaque,
        _ => Seen::WithHoles,
    };
    scene.materials.iter().map(seen).collect()
}

/// Returns the triangles of a mesh in its own space, but for those that are nowhere: of a material that is nothing, or
/// with two corners at one place, which they share wherever they are taken.
pub(super) fn triangles(scene: &Description, mesh: usize, opacity: Opacity) -> FlatTriangles {
    let (seen, mesh) = (seen(scene), &scene.meshes[mesh]);
    let mut triangles = FlatTriangles::default();
    for primitive in 0..mesh.triangles.indices.len() {
        let own = || seen[mesh.materials.get(primitive).index()];
        let seen = match opacity {
            Opacity::Own => own(),
            Opacity::All => Seen::Opaque,
            Opacity::Nothing => Seen::WithHoles,
        };
        let [a, b, c] = mesh.triangles.corners(primitive);
        if seen == Seen::No || a == b || b == c || c == a {
            continue;
        }
        triangles.vertices.push([a, b, c]);
        triangles.ids.push(PrimitiveId { instance: 0, primitive: primitive as u32 });
        triangles.opaque.push(seen == Seen::Opaque);
    }
    triangles
}
