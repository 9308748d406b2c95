//! Figures of a scene and of its tree.

use super::names::Names;
use raywarp::bvh::BvhStats;
use raywarp::render::{Prepared, ShadingBytes, ShadingScene};
use raywarp::scene::{Description, flatten};
use raywarp::{Aabb, PrepareError};
use raywarp_lab::bench::table::{ACROSS, wrapped_to};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Figures of a scene, which the command `info` prints.
#[derive(Debug, Clone, PartialEq)]
pub struct Info {
    /// Number of meshes in the file.
    pub meshes: usize,
    /// Number of placements (instances) of meshes.
    pub instances: usize,
    /// Number of triangles of all meshes, each mesh counted once.
    pub mesh_triangles: u64,
    /// Number of triangles with each placement of a mesh counted.
    pub triangles: u64,
    /// Number of triangles in the tree, which has none of zero area and no invisible ones.
    pub tree_triangles: u64,
    /// Number of materials.
    pub materials: usize,
    /// Number of absorbing media: those that the file names, and those of bodies, equal ones counted once.
    pub media: usize,
    /// Number of textures, images included.
    pub textures: usize,
    /// Number of decoded images.
    pub images: usize,
    /// Number of lights other than emissive triangles.
    pub lights: usize,
    /// Number of triangles that emit light, with each placement counted.
    pub emissive_triangles: u64,
    /// Number of cameras.
    pub cameras: usize,
    /// Point in the file's coordinates that becomes zero in the scene.
    pub origin: [f64; 3],
    /// Bounding box of the tree's triangles, relative to the origin; `None` if there are none.
    pub bounds: Option<Aabb>,
    /// Statistics of the canonical tree.
    pub tree: BvhStats,
    /// End-point overlap (EPO) of the tree, once [`Info::add_epo_cost`] has computed it.
    pub epo_cost: Option<f64>,
    /// Bytes of the encoded tree that the tracer traverses.
    pub tracer_bytes: u64,
    /// Bytes of the shading tables, by part; `None` if the scene cannot be shaded.
    pub shading: Option<ShadingBytes>,
    /// Wall time of loading the scene.
    pub load: Duration,
    /// Wall time of flattening, building and encoding.
    pub build: Duration,
    /// Named parts of the scene: cameras, lights, materials, textures, meshes.
    pub names: Names,
}

/// Collects the figures of a prepared scene that took `load` to load.
pub fn info(prepared: &Prepared, load: Duration) -> Info {
    let scene = prepared.scene();
    let timings = prepared.timings();
    let shading = prepared.shading().ok();
    Info {
        meshes: scene.meshes.len(),
        instances: scene.instances.len(),
        mesh_triangles: scene.meshes.iter().map(|m| m.triangles.indices.len() as u64).sum(),
        triangles: scene.triangle_count(),
        tree_triangles: prepared.triangle_count() as u64,
        materials: scene.materials.len(),
        media: shading.map_or(0, |shading| shading.media.len()),
        textures: scene.textures.len(),
        images: scene.images.len(),
        lights: scene.lights.len(),
        emissive_triangles: emissive_triangles(scene),
        cameras: scene.cameras.len(),
        origin: scene.origin,
        bounds: Some(*prepared.bounds()).filter(|b| !b.is_empty()),
        tree: prepared.bvh().stats(),
        epo_cost: None,
        tracer_bytes: prepared.tracer_bytes() as u64,
        shading: shading.map(ShadingScene::bytes),
        load,
        build: timings.flatten + timings.build + timings.encode,
        names: Names::of(scene),
    }
}

/// Returns a coordinate `x` in the file's system, with the fewest digits within the rounding of `x`.
fn in_file(x: f32, origin: f64) -> f64 {
    // What f32 prints is the shortest that reads back.
    let shortest: f64 = x.to_string().parse().unwrap_or(f64::from(x));
    let sum = shortest + origin;
    if origin == 0.0 { shortest } else { (sum * 1e9).round() / 1e9 }
}

/// Returns the bytes of the shading tables, with the names of their parts.
fn parts(shading: &ShadingBytes) -> [(&'static str, u64); 5] {
    let ShadingBytes { triangles, attributes, materials, images, lights } = *shading;
    [
        ("triangles", triangles),
        ("attributes", attributes),
        ("materials", materials),
        ("images", images),
        ("lights", lights),
    ]
}

fn emissive_triangles(scene: &Description) -> u64 {
    let emits: Vec<bool> = scene.materials.iter().map(|m| m.emission.is_some()).collect();
    if !emits.contains(&true) {
        return 0;
    }
    let of_instance = |i: usize| {
        let triangles = scene.meshes[scene.instances[i].mesh.index()].triangles.indices.len();
        (0..triangles).filter(|&t| emits[scene.material_of(i, t).index()]).count() as u64
    };
    (0..scene.instances.len()).map(of_instance).sum()
}

impl Info {
    /// Computes the end-point overlap of the tree ([`raywarp::bvh::Bvh2::epo_cost`]), which takes many times as long as
    /// the build. Flattens the scene again.
    ///
    /// # Errors
    /// [`PrepareError`], which cannot be where the scene was prepared.
    pub fn add_epo_cost(&mut self, prepared: &Prepared) -> Result<(), PrepareError> {
        let triangles = flatten(prepared.scene())?;
        self.epo_cost = Some(prepared.bvh().epo_cost(&triangles));
        Ok(())
    }

    /// Returns the corners of the bounding box in the file's coordinates, to the digits that f32 has of them.
    fn bounds_in_file(&self) -> Option<[[f64; 3]; 2]> {
        let corner = |c: [f32; 3]| std::array::from_fn(|i| in_file(c[i], self.origin[i]));
        self.bounds.map(|b| [corner(b.min), corner(b.max)])
    }

    /// Returns the scene's figures as lines of text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            for (number, part) in wrapped_to(&value, ACROSS - 20).lines().enumerate() {
                let _ = writeln!(text, "{:<20}{part}", if number == 0 { name } else { "" });
            }
        };
        line(
            "triangles",
            format!("{} ({} in meshes, {} in the tree)", self.triangles, self.mesh_triangles, self.tree_triangles),
        );
        line("meshes, instances", format!("{}, {}", self.meshes, self.instances));
        line("materials", self.materials.to_string());
        if self.media > 0 {
            line("media", self.media.to_string());
        }
        line("textures, images", format!("{}, {}", self.textures, self.images));
        line("lights", format!("{} and {} emissive triangles", self.lights, self.emissive_triangles));
        line("cameras", self.cameras.to_string());
        let words = |[x, y, z]: [f64; 3]| format!("{x} {y} {z}");
        if self.origin != [0.0; 3] {
            line("origin", format!("{}, which float32 counts from", words(self.origin)));
        }
        if let Some([min, max]) = self.bounds_in_file() {
            line("bounds", format!("{} .. {}", words(min), words(max)));
        }
        let tree = &self.tree;
        line(
            "nodes",
            format!("{} ({} inner and {} leaves)", tree.inner_nodes + tree.leaves, tree.inner_nodes, tree.leaves),
        );
        line(
            "references",
            format!("{} ({:.2} a leaf)", tree.references, tree.references as f64 / tree.leaves.max(1) as f64),
        );
        line("depth", format!("{} (stack of {})", tree.depth, tree.stack_depth));
        line("SAH cost", format!("{:.2}", tree.sah_cost));
        if let Some(epo_cost) = self.epo_cost {
            line("end-point overlap", format!("{epo_cost:.3}"));
        }
        line("bytes", format!("{} canonical, {} as traced", tree.bytes, self.tracer_bytes));
        if let Some(shading) = &self.shading {
            let parts: Vec<String> = parts(shading).iter().map(|(name, bytes)| format!("{bytes} {name}")).collect();
            line("bytes to shade", format!("{} ({})", shading.total(), parts.join(", ")));
        }
        line("load", format!("{:.1} ms", self.load.as_secs_f64() * 1e3));
        line("build", format!("{:.1} ms", self.build.as_secs_f64() * 1e3));
        text + &self.names.text()
    }

    /// Returns the scene's figures as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "triangles": self.triangles,
            "mesh_triangles": self.mesh_triangles,
            "tree_triangles": self.tree_triangles,
            "meshes": self.meshes,
            "instances": self.instances,
            "materials": self.materials,
            "media": self.media,
            "textures": self.textures,
            "images": self.images,
            "lights": self.lights,
            "emissive_triangles": self.emissive_triangles,
            "cameras": self.cameras,
            "origin": self.origin,
            "bounds": self.bounds_in_file(),
            "nodes": self.tree.inner_nodes + self.tree.leaves,
            "inner_nodes": self.tree.inner_nodes,
            "leaves": self.tree.leaves,
            "leaf_sizes": self.tree.leaf_sizes,
            "references": self.tree.references,
            "depth": self.tree.depth,
            "stack_depth": self.tree.stack_depth,
            "sah_cost": self.tree.sah_cost,
            "epo_cost": self.epo_cost,
            "tree_bytes": self.tree.bytes,
            "tracer_bytes": self.tracer_bytes,
            "shading_bytes": self.shading.as_ref().map(|s| parts(s).into_iter().collect::<BTreeMap<_, _>>()),
            "load_ms": self.load.as_secs_f64() * 1e3,
            "build_ms": self.build.as_secs_f64() * 1e3,
            "names": self.names.json(),
        })
    }
}
