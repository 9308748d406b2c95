//! The built-in scene: a table of small things, made by formulas, that shows what the renderer can
//! do: glass, gold, chrome, car paint, textured and diffuse surfaces, instances, an area light, a sky
//! and depth of field.

mod images;
mod shapes;

use raywarp_geom::Affine;
use raywarp_scene::{
    Absorption, Camera, CarPaint, ColorInput, Emission, FaceMaterials, ImageFilter, Instance, Light, Material,
    MaterialId, Mesh, MeshId, Roughness, Scene, Settings, Surface, Texture, UvMapping, Wrap,
};

/// Refractive index and extinction of gold and chromium in red, green and blue (measured optical
/// constants at 630, 532 and 465 nm, rounded).
const GOLD: ([f32; 3], [f32; 3]) = ([0.18, 0.54, 1.37], [3.43, 2.29, 1.77]);
const CHROMIUM: ([f32; 3], [f32; 3]) = ([3.14, 2.95, 2.13], [3.31, 3.33, 2.97]);

/// The built-in scene, the same on every machine.
pub fn default_scene() -> Scene {
    let mut scene = Scene { settings: settings(), ..Scene::default() };
    let floor = floor_material(&mut scene);
    let floor_mesh = add(&mut scene, "floor", shapes::disk(40.0, 96), floor);
    place(&mut scene, floor_mesh, Affine::IDENTITY, None);

    let gold = metal(&mut scene, "gold", GOLD, 0.09);
    let chrome = metal(&mut scene, "chrome", CHROMIUM, 0.0);
    let glass = scene.add_material(Material::new("glass", glass_surface([0.35, 0.06, 0.12])));
    let clear = scene.add_material(Material::new("clear glass", glass_surface([0.0; 3])));
    let paint = scene.add_material(Material::new("car paint", Surface::CarPaint(Box::new(car_paint()))));
    let porcelain = scene.add_material(Material::new(
        "porcelain",
        Surface::Coated {
            diffuse: ColorInput::constant([0.72, 0.70, 0.66]),
            specular: ColorInput::constant([0.045; 3]),
            roughness: Roughness::isotropic(0.02),
        },
    ));

    let sphere = add(&mut scene, "sphere", shapes::sphere(96, 192), porcelain);
    let marble = add(&mut scene, "marble", shapes::sphere(32, 64), porcelain);
    let knot = add(&mut scene, "knot", shapes::torus_knot(2, 3, 0.62, 0.2, 512, 48), gold);
    let vase = add(&mut scene, "vase", shapes::lathe(&shapes::vase_profile(160), 192), paint);

    place(&mut scene, vase, at([0.0, 0.0, -0.15], 1.0), None);
    place(&mut scene, knot, at([1.62, 0.86, -0.55], 1.0).after(&Affine::rotation(24.0, [0.3, 1.0, 0.1])), None);
    place(&mut scene, sphere, at([-1.45, 0.68, 0.25], 0.68), Some(glass));
    place(&mut scene, sphere, at([-1.15, 0.95, -2.1], 0.95), Some(chrome));
    place(&mut scene, sphere, at([0.98, 0.3, 1.0], 0.3), Some(clear));
    scatter_marbles(&mut scene, marble, &[porcelain, chrome, gold, paint, clear]);
    add_lights(&mut scene);
    scene.cameras.push(camera());
    scene
}

fn settings() -> Settings {
    Settings { size: Some([800, 500]), spp: Some(32), max_depth: Some(8), ..Settings::default() }
}

/// Focus on the vase; the far marbles and the near ones blur.
fn camera() -> Camera {
    let camera = Camera::look_at([0.35, 1.75, 6.2], [0.05, 0.78, 0.0], [0.0, 1.0, 0.0], 30.0);
    Camera { lens_radius: 0.09, focal_distance: 6.0, ..camera.expect("a direction to look in") }
}

fn at(position: [f32; 3], scale: f32) -> Affine {
    Affine::translation(position).after(&Affine::scale([scale; 3]))
}

fn add(scene: &mut Scene, name: &str, triangles: raywarp_geom::TriangleMesh, material: MaterialId) -> MeshId {
    scene.add_mesh(Mesh { name: name.into(), triangles, materials: FaceMaterials::Uniform(material) })
}

fn place(scene: &mut Scene, mesh: MeshId, transform: Affine, material: Option<MaterialId>) {
    scene.instances.push(Instance { mesh, transform, material });
}

fn metal(scene: &mut Scene, name: &str, (eta, k): ([f32; 3], [f32; 3]), alpha: f32) -> MaterialId {
    let surface = Surface::Conductor {
        eta: ColorInput::constant(eta),
        k: ColorInput::constant(k),
        roughness: Roughness::isotropic(alpha),
    };
    scene.add_material(Material::new(name, surface))
}

fn glass_surface(sigma: [f32; 3]) -> Surface {
    Surface::Dielectric {
        ior: 1.5,
        roughness: Roughness::SMOOTH,
        reflectance: ColorInput::constant([1.0; 3]),
        transmittance: ColorInput::constant([1.0; 3]),
        thin: false,
        absorption: Some(Absorption { sigma }).filter(|a| a.sigma != [0.0; 3]),
    }
}

fn car_paint() -> CarPaint {
    CarPaint {
        base: ColorInput::constant([0.02, 0.09, 0.28]),
        flake_color: ColorInput::constant([0.25, 0.5, 0.85]),
        flake_amount: 0.45,
        flake_size: 0.0,
        flake_alpha: 0.28,
        coat_ior: 1.5,
        coat_alpha: 0.002,
    }
}

/// Terrazzo under a thin polish.
fn floor_material(scene: &mut Scene) -> MaterialId {
    let image = scene.add_image(images::terrazzo(1024));
    // The disk's coordinates are in scene units: one tile of the image is 3 units wide.
    let mapping = UvMapping { set: 0, rows: [[1.0 / 3.0, 0.0, 0.0], [0.0, 1.0 / 3.0, 0.0]] };
    let texture =
        scene.add_texture(Texture::Image { image, mapping, wrap: [Wrap::Repeat; 2], filter: ImageFilter::Bilinear });
    scene.add_material(Material::new(
        "terrazzo",
        Surface::Coated {
            diffuse: ColorInput::texture(texture),
            specular: ColorInput::constant([0.03; 3]),
            roughness: Roughness::isotropic(0.12),
        },
    ))
}

/// Small spheres around the middle, by a golden-angle spiral with fixed gaps for the large things.
fn scatter_marbles(scene: &mut Scene, sphere: MeshId, shiny: &[MaterialId]) {
    let colors = [[0.78, 0.22, 0.12], [0.92, 0.68, 0.18], [0.16, 0.42, 0.36], [0.82, 0.78, 0.70], [0.24, 0.28, 0.48]];
    let matte: Vec<MaterialId> =
        colors.iter().map(|&color| scene.add_material(Material::diffuse("marble", color))).collect();
    let large = [([0.0, -0.15], 0.85), ([1.62, -0.55], 1.05), ([-1.45, 0.25], 0.85), ([-1.15, -2.1], 1.1), ([0.98, 1.0], 0.45)];
    for i in 0..90 {
        let angle = i as f32 * 2.399_963;
        let distance = 0.55 * (i as f32 + 2.0).sqrt();
        let (x, z) = (distance * angle.cos(), distance * angle.sin() - 0.4);
        let radius = 0.07 + 0.06 * (i as f32 * 0.618_034).fract();
        let free = large.iter().all(|&([lx, lz], r): &([f32; 2], f32)| (x - lx).hypot(z - lz) > r + radius);
        if free && z < 3.2 {
            let material = if i % 3 == 0 { shiny[i / 3 % shiny.len()] } else { matte[i % matte.len()] };
            place(scene, sphere, at([x, radius, z], radius), Some(material));
        }
    }
}

fn add_lights(scene: &mut Scene) {
    let map = scene.add_image(images::sky(256, 128));
    scene.lights.push(Light::Environment {
        map: Some(map),
        radiance: [0.55; 3],
        world_to_map: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    });
    let mut lamp = Material::diffuse("lamp", [0.0; 3]);
    lamp.emission = Some(Emission { radiance: ColorInput::constant([15.0, 12.6, 9.6]), two_sided: false });
    let lamp = scene.add_material(lamp);
    let panel = add(scene, "lamp", shapes::rectangle(1.7, 1.1), lamp);
    // The rectangle faces +y; half a turn and a tilt let it shine down from the left.
    let tilt = Affine::rotation(152.0, [0.15, 0.0, 1.0]);
    place(scene, panel, Affine::translation([-2.6, 4.3, 1.4]).after(&tilt), None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_scene_is_valid_and_small() {
        let scene = default_scene();
        assert_eq!(raywarp_scene::validate(&scene), Ok(()));
        assert!(scene.triangle_count() < 6_000_000, "{}", scene.triangle_count());
        assert!(scene.instances.len() > 50);
    }
}
