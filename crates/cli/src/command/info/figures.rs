//! Figures of a scene and of its tree.

use super::names::Names;
use crate::options::levels;
use raywarp::bvh::{Bvh2, BvhStats};
use raywarp::render::{Prepared, ShadingBytes, ShadingScene};
use raywarp::scene::{Description, Instance, Mesh, TwoLevels, flatten};
use raywarp::{Aabb, PrepareError};
use raywarp_lab::report::Document;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// Number of characters that the names of figures take in a text.
const NAMES_ACROSS: usize = 20;

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
    /// Statistics of the canonical tree; `None` where there are two levels of trees.
    pub tree: Option<BvhStats>,
    /// Sizes of the two levels of trees, where there are two.
    pub two_levels: Option<TwoLevels>,
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
        tree: prepared.bvh().map(Bvh2::stats),
        two_levels: prepared.two_levels().copied(),
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
    let of_mesh = |mesh: &Mesh| {
        let triangles = 0..mesh.triangles.indices.len();
        triangles.filter(|&t| emits[mesh.materials.get(t).index()]).count() as u64
    };
    // Once a mesh, which may be placed a million times.
    let of_meshes: Vec<u64> = scene.meshes.iter().map(of_mesh).collect();
    let of_instance = |instance: &Instance| match instance.material {
        None => of_meshes[instance.mesh.index()],
        Some(id) if emits[id.index()] => scene.meshes[instance.mesh.index()].triangles.indices.len() as u64,
        Some(_) => 0,
    };
    scene.instances.iter().map(of_instance).sum()
}

impl Info {
    /// Computes the end-point overlap of the tree ([`raywarp::bvh::Bvh2::epo_cost`]), which takes many times as long as
    /// the build. Flattens the scene again. Two levels have none.
    ///
    /// # Errors
    /// [`PrepareError`], which cannot be where the scene was prepared.
    pub fn add_epo_cost(&mut self, prepared: &Prepared) -> Result<(), PrepareError> {
        let Some(tree) = prepared.bvh() else { return Ok(()) };
        let triangles = flatten(prepared.scene())?;
        self.epo_cost = Some(tree.epo_cost(&triangles));
        Ok(())
    }

    /// Returns the corners of the bounding box in the file's coordinates, to the digits that f32 has of them.
    fn bounds_in_file(&self) -> Option<[[f64; 3]; 2]> {
        let corner = |c: [f32; 3]| std::array::from_fn(|i| in_file(c[i], self.origin[i]));
        self.bounds.map(|b| [corner(b.min), corner(b.max)])
    }

    /// Returns the scene's figures as a document.
    pub fn document(&self) -> Document {
        let mut document = Document::of_facts("raywarp info", NAMES_ACROSS);
        self.describe_parts(&mut document);
        self.describe_place(&mut document);
        self.describe_tree(&mut document);
        self.describe_bytes(&mut document);
        for (name, key, time) in [("load", "load_ms", self.load), ("build", "build_ms", self.build)] {
            let milliseconds = time.as_secs_f64() * 1e3;
            document.fact(name, format!("{milliseconds:.1} ms"));
            document.data(key, milliseconds);
        }
        self.names.describe(&mut document);
        document
    }

    fn describe_parts(&self, document: &mut Document) {
        let Self { triangles, mesh_triangles, tree_triangles, meshes, instances, .. } = self;
        let Self { textures, images, lights, emissive_triangles, .. } = self;
        document.fact("triangles", format!("{triangles} ({mesh_triangles} in meshes, {tree_triangles} in the tree)"));
        document.fact("meshes, instances", format!("{meshes}, {instances}"));
        document.figure("materials", "materials", self.materials);
        match self.media {
            0 => document.data("media", 0),
            media => document.figure("media", "media", media),
        }
        document.fact("textures, images", format!("{textures}, {images}"));
        document.fact("lights", format!("{lights} and {emissive_triangles} emissive triangles"));
        document.figure("cameras", "cameras", self.cameras);
        document.fields(json!({
            "triangles": triangles,
            "mesh_triangles": mesh_triangles,
            "tree_triangles": tree_triangles,
            "meshes": meshes,
            "instances": instances,
            "textures": textures,
            "images": images,
            "lights": lights,
            "emissive_triangles": emissive_triangles,
        }));
    }

    fn describe_place(&self, document: &mut Document) {
        let words = |[x, y, z]: [f64; 3]| format!("{x} {y} {z}");
        if self.origin != [0.0; 3] {
            document.fact("origin", format!("{}, which float32 counts from", words(self.origin)));
        }
        let bounds = self.bounds_in_file();
        if let Some([min, max]) = bounds {
            document.fact("bounds", format!("{} .. {}", words(min), words(max)));
        }
        document.fields(json!({ "origin": self.origin, "bounds": bounds }));
    }

    fn describe_tree(&self, document: &mut Document) {
        let two = self.two_levels.map(|TwoLevels { trees, tree_triangles, placements }| {
            json!({ "trees": trees, "tree_triangles": tree_triangles, "placements": placements })
        });
        document.fields(json!({ "levels": 1 + u8::from(two.is_some()), "two_levels": two }));
        if let Some(sizes) = &self.two_levels {
            document.fact("trees", levels::words(sizes));
        }
        let Some(BvhStats { inner_nodes, leaves, references, depth, stack_depth, sah_cost, ref leaf_sizes, .. }) =
            self.tree
        else {
            return;
        };
        let nodes = inner_nodes + leaves;
        document.fact("nodes", format!("{nodes} ({inner_nodes} inner and {leaves} leaves)"));
        let references_per_leaf = references as f64 / leaves.max(1) as f64;
        document.fact("references", format!("{references} ({references_per_leaf:.2} a leaf)"));
        document.fact("depth", format!("{depth} (stack of {stack_depth})"));
        document.fact("SAH cost", format!("{sah_cost:.2}"));
        if let Some(epo_cost) = self.epo_cost {
            document.fact("end-point overlap", format!("{epo_cost:.3}"));
        }
        document.fields(json!({
            "nodes": nodes,
            "inner_nodes": inner_nodes,
            "leaves": leaves,
            "leaf_sizes": leaf_sizes,
            "references": references,
            "depth": depth,
            "stack_depth": stack_depth,
            "sah_cost": sah_cost,
            "epo_cost": self.epo_cost,
        }));
    }

    fn describe_bytes(&self, document: &mut Document) {
        let (tree, tracer) = (self.tree.as_ref().map(|tree| tree.bytes), self.tracer_bytes);
        let canonical = tree.map_or_else(String::new, |bytes| format!("{bytes} canonical, "));
        document.fact("bytes", format!("{canonical}{tracer} as traced"));
        let shading = self.shading.as_ref().map(parts);
        if let (Some(parts), Some(shading)) = (&shading, &self.shading) {
            let parts: Vec<String> = parts.iter().map(|(name, bytes)| format!("{bytes} {name}")).collect();
            document.fact("bytes to shade", format!("{} ({})", shading.total(), parts.join(", ")));
        }
        let shading = shading.map(BTreeMap::from);
        document.fields(json!({ "tree_bytes": tree, "tracer_bytes": tracer, "shading_bytes": shading }));
    }
}
