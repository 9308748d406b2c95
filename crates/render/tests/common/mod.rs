//! What the integration tests share: a tracer that tests every triangle, and small scenes.

use raywarp_geom::triangle::Watertight;
use raywarp_geom::{
    Aabb, Affine, BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, Ray, RayCost, TraceError, Tracer,
    TriangleMesh,
};
use raywarp_render::film::PictureMean;
use raywarp_render::{RenderContext, RenderError, RenderOptions, Rendered, ShadingScene, render};
use raywarp_scene::{Camera, Description, FaceMaterials, Instance, Material, MaterialId, Mesh, SamplerKind};

/// Every triangle for every ray.
pub struct BruteForce(pub FlatTriangles);

impl BruteForce {
    /// Nearest hit after `after` among triangles that `accept` allows.
    fn nearest(&self, ray: &Ray, after: HitKey, accept: impl Fn(usize) -> bool) -> Option<(Hit, u32, usize)> {
        let test = Watertight::new(ray);
        let mut best: Option<(HitKey, Hit, usize)> = None;
        for (i, triangle) in self.0.vertices.iter().enumerate().filter(|(i, _)| accept(*i)) {
            let Some([t, u, v]) = test.test(triangle) else { continue };
            let id = self.0.ids[i];
            let key = HitKey { t, instance: id.instance, primitive: id.primitive };
            if t < ray.t_min || t > ray.t_max || !after.before(&key) {
                continue;
            }
            if best.as_ref().is_none_or(|(b, ..)| key.before(b)) {
                best = Some((key, Hit { t, u, v, primitive: id.primitive }, i));
            }
        }
        best.map(|(key, hit, i)| (hit, key.instance, i))
    }
}

fn after(keys: &[HitKey], i: usize) -> HitKey {
    keys.get(i).copied().unwrap_or(HitKey::START)
}

impl Tracer for BruteForce {
    fn closest(
        &self,
        rays: &[Ray],
        keys: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        _: &Control,
    ) -> Result<BatchStats, TraceError> {
        for (i, ray) in rays.iter().enumerate() {
            let found = self.nearest(ray, after(keys, i), |_| true);
            let (hit, instance, _) = found.unwrap_or((Hit::miss(ray.t_max), Hit::MISS, 0));
            hits[i] = hit;
            if !instances.is_empty() {
                instances[i] = instance;
            }
        }
        Ok(BatchStats { rays: rays.len() as u64, ..BatchStats::default() })
    }

    fn any(
        &self,
        rays: &[Ray],
        keys: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        _: &Control,
    ) -> Result<BatchStats, TraceError> {
        blocked.fill(0);
        undecided.clear();
        for (i, ray) in rays.iter().enumerate() {
            if self.nearest(ray, after(keys, i), |t| self.0.opaque[t]).is_some() {
                blocked[i / 32] |= 1 << (i % 32);
            } else if let Some((hit, instance, _)) = self.nearest(ray, after(keys, i), |_| true) {
                undecided.push(Candidate { ray: i as u32, instance, hit });
            }
        }
        Ok(BatchStats { rays: rays.len() as u64, ..BatchStats::default() })
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], _: &Control) -> Result<BatchStats, TraceError> {
        costs.fill(RayCost { nodes: 0, triangles: self.0.len() as u32 });
        Ok(BatchStats { rays: rays.len() as u64, ..BatchStats::default() })
    }

    fn preferred_batch(&self) -> usize {
        512
    }
}

/// Adds a mesh with one material, placed once.
pub fn add(scene: &mut Description, triangles: TriangleMesh, material: Material) -> MaterialId {
    let id = scene.add_material(material);
    let mesh = scene.add_mesh(Mesh { name: String::new(), triangles, materials: FaceMaterials::Uniform(id) });
    scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
    id
}

/// A parallelogram from `corner` along two edges; its front is on the side of their cross product.
pub fn quad(corner: [f32; 3], a: [f32; 3], b: [f32; 3]) -> TriangleMesh {
    let at = |s: f32, t: f32| std::array::from_fn(|i| corner[i] + s * a[i] + t * b[i]);
    TriangleMesh {
        positions: vec![at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)],
        indices: vec![[0, 1, 2], [0, 2, 3]],
        uvs: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        ..TriangleMesh::default()
    }
}

/// A closed sphere of flat triangles, winding outward, with normals if asked.
pub fn sphere(center: [f32; 3], radius: f32, rows: u32, normals: bool) -> TriangleMesh {
    let columns = 2 * rows;
    let mut mesh = TriangleMesh::default();
    for r in 0..=rows {
        for c in 0..=columns {
            let theta = r as f32 / rows as f32 * std::f32::consts::PI;
            // The last column repeats the first to the bit, so that the sphere is closed.
            let phi = (c % columns) as f32 / columns as f32 * std::f32::consts::TAU;
            let sin = if r == 0 || r == rows { 0.0 } else { theta.sin() };
            let n = [sin * phi.sin(), theta.cos(), sin * phi.cos()];
            mesh.positions.push(std::array::from_fn(|i| center[i] + radius * n[i]));
            if normals {
                mesh.normals.push(n);
            }
        }
    }
    let index = |r: u32, c: u32| r * (columns + 1) + c;
    for r in 0..rows {
        for c in 0..columns {
            mesh.indices.push([index(r, c), index(r + 1, c), index(r, c + 1)]);
            mesh.indices.push([index(r, c + 1), index(r + 1, c), index(r + 1, c + 1)]);
        }
    }
    mesh
}

/// The six inner faces of the cube from -1 to 1, fronts inward.
pub fn room() -> Vec<TriangleMesh> {
    let (x, y, z) = ([2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]);
    vec![
        quad([-1.0; 3], y, z),
        quad([1.0, -1.0, -1.0], z, y),
        quad([-1.0; 3], z, x),
        quad([-1.0, 1.0, -1.0], x, z),
        quad([-1.0; 3], x, y),
        quad([-1.0, -1.0, 1.0], y, x),
    ]
}

pub fn camera(eye: [f32; 3], target: [f32; 3], vfov: f32) -> Camera {
    let up = if eye[0] == target[0] && eye[2] == target[2] { [0.0, 0.0, -1.0] } else { [0.0, 1.0, 0.0] };
    Camera::look_at(eye, target, up, vfov).unwrap()
}

/// Independent random numbers, for which standard errors are honest.
pub fn options(size: [u32; 2], spp: u32, max_depth: u32) -> RenderOptions {
    RenderOptions { size, samples: 0..spp, max_depth, sampler: SamplerKind::Xor32, ..RenderOptions::default() }
}

pub fn trace(scene: &Description, camera: &Camera, options: &RenderOptions) -> Rendered {
    try_trace(scene, camera, options).unwrap()
}

/// As [`trace`], of what may be refused.
pub fn try_trace(scene: &Description, camera: &Camera, options: &RenderOptions) -> Result<Rendered, RenderError> {
    raywarp_scene::validate(scene).unwrap();
    let flat = raywarp_scene::flatten(scene).unwrap();
    let bounds = if flat.is_empty() { Aabb { min: [-1.0; 3], max: [1.0; 3] } } else { flat.bounds() };
    let shading = ShadingScene::new(scene, &bounds).unwrap();
    assert_eq!(shading.validate(), Ok(()));
    render(&shading, camera, &BruteForce(flat), options, RenderContext::default())
}

/// The mean luminance agrees with `expected` within 3 standard errors, which are small themselves.
#[track_caller]
pub fn check_mean(rendered: &Rendered, expected: f64) {
    let mean: PictureMean = rendered.film.picture_mean();
    let error = mean.standard_error.unwrap();
    // The allowance covers f32 rounding where an estimator has no noise at all.
    let limit = 3.0 * error + 2e-5 * expected;
    assert!((mean.luminance - expected).abs() <= limit, "{} +- {error}, expected {expected}", mean.luminance);
    assert!(error <= 0.02 * expected, "{error} is too noisy to say anything of {expected}");
}
