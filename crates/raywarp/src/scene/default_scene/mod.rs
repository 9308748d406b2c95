//! The built-in scene: a still life in a photographer's studio, made by formulas, that shows what the
//! renderer can do: glass, gold, chrome, car paint with flakes, textured and diffuse surfaces,
//! instances, an area light, an environment and depth of field.

mod images;
mod shapes;

use raywarp_geom::Affine;
use raywarp_scene::{
    Absorption, Camera, CarPaint, ColorInput, Description, Emission, FaceMaterials, ImageFilter, Instance, Light,
    Material, MaterialId, Mesh, MeshId, Roughness, Settings, Surface, Texture, UvMapping, Wrap,
};

/// Refractive index and extinction coefficient of gold in red, green and blue: measured values at 630, 532 and 465 nm,
/// rounded.
const GOLD: ([f32; 3], [f32; 3]) = ([0.18, 0.54, 1.37], [3.43, 2.29, 1.77]);
const CHROMIUM: ([f32; 3], [f32; 3]) = ([3.13, 2.95, 2.13], [3.31, 3.33, 2.97]);

/// Makes the built-in scene, the same on every machine.
pub fn default_scene() -> Description {
    let mut scene = Description { settings: settings(), ..Description::default() };
    let backdrop = scene.add_material(Material::diffuse("backdrop", [0.16, 0.33, 0.36]));
    let sweep = add(&mut scene, "backdrop", shapes::sweep(44.0, [9.0, 3.6, 3.4, 9.0]), backdrop);
    place(&mut scene, sweep, Affine::IDENTITY, None);

    let terrazzo = terrazzo(&mut scene);
    let gold = metal(&mut scene, "gold", GOLD, 0.12);
    let chrome = metal(&mut scene, "chrome", CHROMIUM, 0.0);
    let green = scene.add_material(Material::new("green glass", glass([0.62, 0.10, 0.30])));
    let clear = scene.add_material(Material::new("clear glass", glass([0.0; 3])));
    let paint = scene.add_material(Material::new("car paint", Surface::CarPaint(Box::new(car_paint()))));
    let porcelain =
        scene.add_material(Material::new("porcelain", coated(ColorInput::constant([0.78, 0.74, 0.67]), 0.04)));

    let ball = add(&mut scene, "ball", shapes::sphere(96, 192), porcelain);
    let bead = add(&mut scene, "bead", shapes::sphere(24, 48), porcelain);
    let knot = add(&mut scene, "knot", shapes::torus_knot(2, 3, 0.56, 0.17, 512, 48), gold);
    let vase = add(&mut scene, "vase", shapes::lathe(&shapes::vase_profile(160), 192), paint);
    let tall = add(&mut scene, "tall podium", shapes::podium(1.0, 0.42, 128), terrazzo);
    let low = add(&mut scene, "low podium", shapes::podium(1.02, 0.16, 128), terrazzo);

    place(&mut scene, tall, at([-0.1, 0.0, -0.5], 1.0), None);
    place(&mut scene, vase, at([-0.1, 0.42, -0.5], 0.94), None);
    place(&mut scene, low, at([1.52, 0.0, 0.25], 1.0), None);
    let tilt = Affine::rotation(62.0, [1.0, 0.25, 0.3]);
    place(&mut scene, knot, at([1.5, 0.95, 0.2], 0.96).after(&tilt), None);
    place(&mut scene, ball, at([-1.52, 0.64, 0.4], 0.64), Some(green));
    place(&mut scene, ball, at([-1.75, 0.92, -2.0], 0.92), Some(chrome));
    place(&mut scene, ball, at([0.86, 0.36, -2.3], 0.36), None);
    place(&mut scene, ball, at([0.28, 0.27, 1.2], 0.27), Some(clear));
    scatter_beads(&mut scene, bead, &[chrome, gold, paint, porcelain, gold]);
    add_lights(&mut scene);
    scene.cameras.push(camera());
    scene
}

fn settings() -> Settings {
    Settings { size: Some([640, 400]), spp: Some(48), max_depth: Some(8), ..Settings::default() }
}

/// Returns the default scene's camera, focused on the front of the vase; beads near the lens and the far end of the
/// studio are blurred.
fn camera() -> Camera {
    let camera = Camera::look_at([0.1, 2.35, 7.4], [0.02, 0.86, 0.0], [0.0, 1.0, 0.0], 25.0);
    Camera { lens_radius: 0.1, focal_distance: 7.3, ..camera.expect("a direction to look in") }
}

fn at(position: [f32; 3], scale: f32) -> Affine {
    Affine::translation(position).after(&Affine::scale([scale; 3]))
}

fn add(scene: &mut Description, name: &str, triangles: raywarp_geom::TriangleMesh, material: MaterialId) -> MeshId {
    scene.add_mesh(Mesh { name: name.into(), triangles, materials: FaceMaterials::Uniform(material) })
}

fn place(scene: &mut Description, mesh: MeshId, transform: Affine, material: Option<MaterialId>) {
    scene.instances.push(Instance { mesh, transform, material });
}

fn metal(scene: &mut Description, name: &str, (eta, k): ([f32; 3], [f32; 3]), alpha: f32) -> MaterialId {
    let surface = Surface::Conductor {
        eta: ColorInput::constant(eta),
        k: ColorInput::constant(k),
        roughness: Roughness::isotropic(alpha),
    };
    scene.add_material(Material::new(name, surface))
}

fn glass(sigma: [f32; 3]) -> Surface {
    Surface::Dielectric {
        ior: 1.5,
        roughness: Roughness::SMOOTH,
        reflectance: ColorInput::constant([1.0; 3]),
        transmittance: ColorInput::constant([1.0; 3]),
        thin: false,
        absorption: Some(Absorption { sigma }).filter(|a| a.sigma != [0.0; 3]),
    }
}

fn coated(diffuse: ColorInput, alpha: f32) -> Surface {
    let specular = ColorInput::constant([0.04; 3]);
    Surface::Coated { diffuse, specular, roughness: Roughness::isotropic(alpha) }
}

/// Returns the default scene's car paint: candy red, with flakes a few pixels wide in the built-in view.
fn car_paint() -> CarPaint {
    CarPaint {
        base: ColorInput::constant([0.30, 0.012, 0.016]),
        flake_color: ColorInput::constant([0.78, 0.11, 0.07]),
        flake_amount: 0.4,
        flake_size: 0.003,
        flake_alpha: 0.2,
        coat_ior: 1.5,
        coat_alpha: 0.002,
    }
}

/// Adds the terrazzo material: coloured chips in pale cement under a polish.
fn terrazzo(scene: &mut Description) -> MaterialId {
    let image = scene.add_image(images::terrazzo(1024));
    // The podiums' coordinates are lengths: one tile of the image is 2 units wide.
    let mapping = UvMapping { set: 0, rows: [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0]] };
    let texture =
        scene.add_texture(Texture::Image { image, mapping, wrap: [Wrap::Repeat; 2], filter: ImageFilter::Bilinear });
    scene.add_material(Material::new("terrazzo", coated(ColorInput::texture(texture), 0.08)))
}

/// Scatters small spheres on the floor along a golden-angle spiral, with gaps for the objects that stand there.
fn scatter_beads(scene: &mut Description, sphere: MeshId, shiny: &[MaterialId]) {
    let colors = [[0.80, 0.26, 0.14], [0.88, 0.60, 0.14], [0.80, 0.74, 0.64], [0.10, 0.26, 0.30], [0.84, 0.44, 0.32]];
    let matte: Vec<MaterialId> =
        colors.iter().map(|&color| scene.add_material(Material::diffuse("bead", color))).collect();
    let taken = [
        ([-0.1, -0.5], 1.02),
        ([1.52, 0.25], 1.04),
        ([-1.52, 0.4], 0.5),
        ([-1.75, -2.0], 0.75),
        ([0.86, -2.3], 0.3),
        ([0.28, 1.2], 0.3),
    ];
    for i in 0..110 {
        let angle = i as f32 * 2.399_963;
        let distance = 0.42 * (i as f32 + 2.0).sqrt();
        let (x, z) = (distance * angle.cos(), distance * angle.sin() - 0.2);
        let radius = 0.06 + 0.055 * (i as f32 * 0.618_034).fract();
        let free = taken.iter().all(|&([tx, tz], r): &([f32; 2], f32)| (x - tx).hypot(z - tz) > r + radius);
        if free {
            let material = if i % 3 == 0 { shiny[i / 3 % shiny.len()] } else { matte[i % matte.len()] };
            place(scene, sphere, at([x, radius, z], radius), Some(material));
        }
    }
}

/// Adds the default scene's lights: a large warm soft box above to the left, so that shadows and caustics are soft, and
/// a dim studio around.
fn add_lights(scene: &mut Description) {
    let map = scene.add_image(images::studio(256, 128));
    scene.lights.push(Light::Environment {
        map: Some(map),
        radiance: [1.0; 3],
        world_to_map: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    });
    let mut lamp = Material::diffuse("lamp", [0.0; 3]);
    lamp.emission = Some(Emission { radiance: ColorInput::constant([11.0, 8.6, 6.2]), two_sided: false });
    let lamp = scene.add_material(lamp);
    let panel = add(scene, "lamp", shapes::rectangle(3.2, 2.4), lamp);
    // The rectangle faces +y: over to face down, then turned to the middle of the scene.
    let aim = Affine::rotation(38.0, [0.0, 0.0, 1.0]).after(&Affine::rotation(-28.0, [1.0, 0.0, 0.0]));
    let down = Affine::rotation(180.0, [1.0, 0.0, 0.0]);
    place(scene, panel, Affine::translation([-3.6, 4.9, 2.6]).after(&aim).after(&down), None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_scene_is_valid_and_small() {
        let scene = default_scene();
        assert_eq!(raywarp_scene::validate(&scene), Ok(()));
        assert!(scene.triangle_count() < 600_000, "{}", scene.triangle_count());
        assert!(scene.instances.len() > 50);
    }
}
