//! The search for the reason why a scene's own light does not show: it finds out what stands between the paths of a
//! small picture and the lights.
//!
//! The paths tell of each connection that they try ([`PathObserver::connection`]). Its ray is followed here through all
//! that it hits: a shadow ray ends at any surface, but one that only glass stops is of a light that is there and cannot
//! be found.

use crate::render::Prepared;
use crate::render::note::Advice;
use glam::Vec3;
use raywarp_geom::{Control, Hit, HitKey, Ray, Tracer};
use raywarp_render::film::luminance;
use raywarp_render::flat::{MaterialFlags, NONE, TriangleRecord};
use raywarp_render::{PathObserver, RenderContext, RenderError, RenderOptions, ShadingScene};
use raywarp_scene::{Alpha, Camera, Description, Light, Material, MaterialId, Surface};
use std::sync::Mutex;

/// Number of surfaces through which a ray is followed; beyond that it counts as blocked.
const LAYERS: usize = 64;
/// Largest numbers of connections that are followed, of emissive triangles that are tried, and of directions from each
/// of their points.
const FOLLOWED: usize = 1 << 16;
const EMITTERS: usize = 64;
const DIRECTIONS: usize = 64;

/// Reason why a scene's own light does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Darkness {
    /// The scene has no light.
    NoLight,
    /// Light arrives at what the camera sees, but too little to show.
    Weak,
    /// No light arrives at what the camera sees.
    Unlit,
    /// Point, spot or distant lights are behind or inside glass: connections do not bend, and no path hits such a light
    /// by chance.
    BehindGlass,
    /// Emissive surfaces are enclosed by glass, so that only paths that hit them by chance find their light.
    GlassLamp,
    /// The lights are inside something closed into which the camera does not look, and no light comes out.
    ClosedLamp,
    /// Participating media absorb all light that would arrive.
    Absorbed,
    /// What the camera sees reflects nothing, so that light from around would not show either.
    Black,
    /// The camera sees no surface, and there is no light behind.
    OutOfView,
}

impl Darkness {
    /// Returns the beginning of a sentence that says what is wrong.
    pub fn cause(self) -> &'static str {
        match self {
            Self::NoLight => "the scene has no light",
            Self::Weak => "the scene's own light shows hardly anything from here",
            Self::Unlit => "no light of the scene reaches what is seen from here",
            Self::BehindGlass => "the scene's point or distant lights are behind glass, where no path finds them",
            Self::GlassLamp => {
                "the scene is lit from inside a lamp that glass closes, where hardly a path finds the light"
            }
            Self::ClosedLamp => "the scene is lit from inside a closed lamp, or from another room: no light comes out",
            Self::Absorbed => "a medium absorbs nearly all light on its way to what is seen from here",
            Self::Black => "what is seen from here reflects no light, or none reaches it",
            Self::OutOfView => "nothing of the scene is in view",
        }
    }

    /// Returns advice to the user besides adding another light, if there is any.
    pub fn remedy(self) -> Option<Advice> {
        match self {
            Self::NoLight | Self::Weak | Self::Black => None,
            Self::Unlit | Self::ClosedLamp => Some(Advice::OtherEye),
            Self::BehindGlass | Self::GlassLamp => Some(Advice::WithoutGlass),
            Self::Absorbed => Some(Advice::WithoutMedium),
            Self::OutOfView => Some(Advice::OtherView),
        }
    }
}

/// Obstacle that stops a shadow ray.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Barrier {
    Nothing,
    /// Nothing but glass is in the ray's way.
    Glass,
    Matter,
}

/// Finds out why nothing seen from `camera` is lit, from the connections to lights of the small picture that `small`
/// describes.
///
/// # Errors
/// [`RenderError`].
pub(crate) fn why_dark(prepared: &Prepared, camera: &Camera, small: &RenderOptions) -> Result<Darkness, RenderError> {
    let tried = Connections::default();
    let context = RenderContext { observer: Some(&tried), ..RenderContext::default() };
    prepared.render(camera, small, context)?;
    let tried = tried.in_order();
    let rays: Vec<Ray> = tried.iter().map(|tried| tried.ray).collect();
    let scene = prepared.scene();
    // In f64 and in order, so that no number of threads decides.
    let (mut open, mut bare, mut glowing) = (0.0, 0.0, 0.0);
    for (tried, barrier) in tried.iter().zip(barriers(prepared, &rays)?) {
        match barrier {
            Barrier::Nothing => open += tried.luminance,
            Barrier::Glass if comes_from_bare_light(scene, &tried.ray) => bare += tried.luminance,
            Barrier::Glass => glowing += tried.luminance,
            Barrier::Matter => {}
        }
    }
    Ok(if open > 0.0 && open >= bare + glowing {
        Darkness::Weak
    } else if bare > 0.0 && bare >= glowing {
        Darkness::BehindGlass
    } else if glowing > 0.0 {
        Darkness::GlassLamp
    } else if lights_are_closed_in(prepared)? {
        Darkness::ClosedLamp
    } else {
        Darkness::Unlit
    })
}

/// Connection to a light that a path tried.
struct Tried {
    /// Pixel, sample and bounce of the connection: which path, and where on it.
    key: [u32; 3],
    ray: Ray,
    luminance: f64,
}

/// Connections to lights that paths tried, in the order in which workers recorded them.
#[derive(Default)]
struct Connections(Mutex<Vec<Tried>>);

impl Connections {
    /// Returns the connections by pixel, sample and bounce; evenly spaced ones if there are very many.
    fn in_order(self) -> Vec<Tried> {
        let mut tried = self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        tried.sort_unstable_by_key(|tried| tried.key);
        let step = tried.len().div_ceil(FOLLOWED).max(1);
        tried.into_iter().step_by(step).collect()
    }
}

impl PathObserver for Connections {
    fn alive(&self, _pixel: u32, _sample: u32, _bounce: u32) {}

    fn connection(&self, pixel: u32, sample: u32, bounce: u32, ray: &Ray, contribution: [f32; 3]) {
        let luminance = luminance(contribution.map(f64::from));
        let tried = Tried { key: [pixel, sample, bounce], ray: *ray, luminance };
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(tried);
    }
}

/// Finds the obstacle in the way of each shadow ray. Surfaces with holes count as holes: what they let through decides.
/// So do boundaries of media that are no surface.
fn barriers(prepared: &Prepared, rays: &[Ray]) -> Result<Vec<Barrier>, RenderError> {
    let (scene, tracer): (&Description, &dyn Tracer) = (prepared.scene(), prepared.tracer());
    let mut found = vec![Barrier::Nothing; rays.len()];
    let mut alive: Vec<usize> = (0..rays.len()).collect();
    let mut after: Vec<HitKey> = Vec::new();
    for _ in 0..LAYERS {
        let batch: Vec<Ray> = alive.iter().map(|&i| rays[i]).collect();
        let mut hits = vec![Hit::default(); batch.len()];
        let mut instances = vec![0; batch.len()];
        tracer.closest(&batch, &after, &mut hits, &mut instances, &Control::default())?;
        let (mut on, mut keys) = (Vec::new(), Vec::new());
        for ((&i, hit), &instance) in alive.iter().zip(&hits).zip(&instances).filter(|((_, hit), _)| hit.is_hit()) {
            let material = scene.material_of(instance as usize, hit.primitive as usize);
            let Material { surface, alpha, .. } = &scene.materials[material.index()];
            if *alpha == Alpha::Opaque && *surface != Surface::Invisible {
                found[i] = if is_glass(scene, material) { Barrier::Glass } else { Barrier::Matter };
            }
            if found[i] != Barrier::Matter {
                on.push(i);
                keys.push(HitKey::of(hit, instance));
            }
        }
        (alive, after) = (on, keys);
        if alive.is_empty() {
            return Ok(found);
        }
    }
    alive.into_iter().for_each(|i| found[i] = Barrier::Matter);
    Ok(found)
}

/// Returns `true` if light goes through a material, bent or not.
fn is_glass(scene: &Description, material: MaterialId) -> bool {
    match &scene.materials[material.index()].surface {
        Surface::Mix { first, second, .. } => is_glass(scene, *first) || is_glass(scene, *second),
        surface => surface.is_glass(),
    }
}

/// Returns `true` if a connection is to a light without a surface (point, spot or distant).
fn comes_from_bare_light(scene: &Description, ray: &Ray) -> bool {
    let end = ray.at(1.0);
    scene.lights.iter().any(|light| match light {
        Light::Directional { .. } => ray.t_max == f32::INFINITY,
        Light::Point { position, .. } | Light::Spot { position, .. } => {
            let length: f32 = ray.direction.iter().map(|d| d * d).sum();
            let off: f32 = (0..3).map(|i| (end[i] - position[i]).powi(2)).sum();
            ray.t_max < f32::INFINITY && off <= 1e-6 * length
        }
        Light::Environment { .. } => false,
    })
}

/// Returns `true` if rays from every light, in all directions, end at surfaces.
fn lights_are_closed_in(prepared: &Prepared) -> Result<bool, RenderError> {
    let scene = prepared.scene();
    let mut points = Vec::new();
    for light in &scene.lights {
        match light {
            Light::Point { position, .. } | Light::Spot { position, .. } => points.push((*position, None)),
            Light::Directional { .. } | Light::Environment { .. } => return Ok(false),
        }
    }
    points.extend(shining_sides(prepared.shading()?));
    let mut rays = Vec::new();
    for (point, normal) in points {
        let outwards = |direction: &[f32; 3]| normal.is_none_or(|normal: Vec3| normal.dot((*direction).into()) > 0.0);
        rays.extend((0..DIRECTIONS).map(direction).filter(outwards).map(|direction| Ray::new(point, direction)));
    }
    Ok(!rays.is_empty() && barriers(prepared, &rays)?.iter().all(|&barrier| barrier == Barrier::Matter))
}

/// Returns points just off the emitting sides of at most [`EMITTERS`] triangles, with the normals there.
fn shining_sides(shading: &ShadingScene) -> Vec<([f32; 3], Option<Vec3>)> {
    let emitters: Vec<&TriangleRecord> = shading.triangles.iter().filter(|triangle| triangle.light != NONE).collect();
    let mut found = Vec::new();
    for triangle in emitters.iter().step_by(emitters.len().div_ceil(EMITTERS).max(1)) {
        let [a, b, c] = triangle.corners.map(Vec3::from);
        let front = triangle.front_normal();
        let off = 1e-4 * (b - a).as_dvec3().cross((c - a).as_dvec3()).length().sqrt() as f32;
        let both = shading.materials[triangle.material() as usize].has(MaterialFlags::EMITS_ON_BOTH_SIDES);
        for normal in [front, -front].into_iter().take(if both { 2 } else { 1 }) {
            found.push((((a + b + c) / 3.0 + off * normal).to_array(), Some(normal)));
        }
    }
    found
}

/// Returns one of [`DIRECTIONS`] directions that cover the sphere evenly, on a golden-angle spiral.
fn direction(index: usize) -> [f32; 3] {
    let z = 1.0 - (2 * index + 1) as f64 / DIRECTIONS as f64;
    let (sin, cos) = (2.399_963_229_728_653 * index as f64).sin_cos();
    let radius = (1.0 - z * z).sqrt();
    [(radius * cos) as f32, (radius * sin) as f32, z as f32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Plan;
    use raywarp_geom::{Affine, TriangleMesh};
    use raywarp_scene::{ColorInput, Emission, FaceMaterials, Instance, Mesh, MeshId};

    /// Returns the heights of the normals on the emitting sides of a lamp that is wound to face up.
    fn heights(normals: Option<f32>, mirrored: bool, two_sided: bool) -> Vec<f32> {
        let mut scene = Description::default();
        let mut lamp = Material::diffuse("lamp", [0.5; 3]);
        lamp.emission = Some(Emission { radiance: ColorInput::constant([1.0; 3]), two_sided });
        let materials = FaceMaterials::Uniform(scene.add_material(lamp));
        let triangles = TriangleMesh {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            normals: normals.map_or(Vec::new(), |z| vec![[0.0, 0.0, z]; 3]),
            indices: vec![[0, 1, 2]],
            ..Default::default()
        };
        scene.add_mesh(Mesh { name: String::new(), triangles, materials });
        let scale = [if mirrored { -1.0 } else { 1.0 }, 1.0, 1.0];
        scene.instances.push(Instance { mesh: MeshId(0), transform: Affine::scale(scale), material: None });
        let prepared = Prepared::new(scene, &Plan::default()).unwrap();
        let sides = shining_sides(prepared.shading().unwrap());
        assert!(sides.iter().all(|(point, normal)| point[2] * normal.unwrap().z > 0.0), "{sides:?}");
        sides.iter().map(|(_, normal)| normal.unwrap().z).collect()
    }

    #[test]
    fn a_lamp_shines_where_its_normals_point_and_on_both_sides_where_it_says_so() {
        for mirrored in [false, true] {
            assert_eq!(heights(None, mirrored, false), [1.0]);
            assert_eq!(heights(Some(1.0), mirrored, false), [1.0]);
            assert_eq!(heights(Some(-1.0), mirrored, false), [-1.0]);
            assert_eq!(heights(Some(-1.0), mirrored, true), [-1.0, 1.0]);
        }
    }
}
