//! Materials of each kind, plain and textured, and with all that lies over surfaces.

use super::textures::Textures;
use raywarp_scene::{
    Alpha, CarPaint, ColorInput, Description, Emission, Material, MaterialId, NormalInput, Principled, Roughness,
    RoughnessRemap, ScalarInput, Surface,
};

/// Adds the test materials to the scene, and returns their ids.
pub(super) fn add(scene: &mut Description, textures: &Textures) -> Vec<MaterialId> {
    let surfaces = surfaces(textures);
    let mut all: Vec<MaterialId> =
        surfaces.iter().map(|surface| scene.add_material(Material::new("", surface.clone()))).collect();
    for (i, surface) in surfaces.into_iter().enumerate() {
        all.push(scene.add_material(covered(i, surface, textures)));
    }
    for i in 0..6 {
        let lamp = Material { emission: Some(emission(i, textures)), ..Material::diffuse("", [0.3; 3]) };
        all.push(scene.add_material(lamp));
    }
    mixtures(scene, &mut all, textures);
    all
}

fn constant(factor: [f32; 3]) -> ColorInput {
    ColorInput::constant(factor)
}

fn number(factor: f32) -> ScalarInput {
    ScalarInput::constant(factor)
}

fn along(x: f32, y: f32) -> Roughness {
    Roughness { x: number(x), y: number(y), remap: RoughnessRemap::None }
}

fn surfaces(textures: &Textures) -> Vec<Surface> {
    let color = || textures.color([0.9, 0.8, 0.7]);
    let remaps = [RoughnessRemap::None, RoughnessRemap::Square, RoughnessRemap::Sqrt, RoughnessRemap::Pbrt3];
    let (gray, warm) = (constant([0.5; 3]), constant([0.8, 0.5, 0.2]));
    let mut surfaces = vec![
        Surface::Diffuse { reflectance: warm },
        Surface::Diffuse { reflectance: color() },
        Surface::DiffuseTransmission { reflectance: gray, transmittance: warm },
        Surface::DiffuseTransmission { reflectance: color(), transmittance: color() },
        Surface::Mirror { reflectance: warm },
        Surface::Mirror { reflectance: color() },
        Surface::Invisible,
        Surface::Unlit { color: warm },
        Surface::Unlit { color: color() },
        Surface::CarPaint(Box::default()),
        Surface::CarPaint(Box::new(CarPaint {
            base: color(),
            flake_color: color(),
            flake_size: 0.05,
            flake_amount: 0.8,
            ..Default::default()
        })),
        Surface::CarPaint(Box::new(CarPaint { coat_ior: 1.0, coat_alpha: 0.2, flake_size: 0.2, ..Default::default() })),
    ];
    for exponent in [0.0, 12.0, 3000.0] {
        surfaces.push(Surface::Blinn { diffuse: gray, specular: warm, exponent: number(exponent) });
    }
    surfaces.push(Surface::Blinn { diffuse: color(), specular: color(), exponent: textures.number(80.0) });
    let (eta, k) = (constant([0.14, 0.37, 1.44]), constant([3.98, 2.39, 1.6]));
    for roughness in [Roughness::SMOOTH, along(0.001, 0.001), along(0.2, 0.2), along(0.8, 0.8), along(0.05, 0.5)] {
        surfaces.push(Surface::Conductor { eta, k, roughness });
        surfaces.push(Surface::Coated { diffuse: gray, specular: constant([0.04, 0.05, 0.06]), roughness });
    }
    for remap in remaps {
        let (x, y) = (textures.number(0.7), textures.number(0.9));
        let roughness = Roughness { x, y: if remap == RoughnessRemap::Sqrt { x } else { y }, remap };
        surfaces.push(Surface::Conductor { eta: color(), k: color(), roughness });
        surfaces.push(Surface::Coated { diffuse: color(), specular: color(), roughness });
    }
    surfaces.extend(glass(textures));
    surfaces.extend(principled(textures).into_iter().map(|p| Surface::Principled(Box::new(p))));
    surfaces
}

fn glass(textures: &Textures) -> Vec<Surface> {
    let (clear, green) = (constant([1.0; 3]), constant([0.6, 0.9, 0.7]));
    let of = |ior: f32, roughness: Roughness, thin: bool| Surface::Dielectric {
        ior,
        roughness,
        reflectance: clear,
        transmittance: green,
        thin,
        absorption: None,
    };
    let mut all = vec![
        of(1.0, Roughness::SMOOTH, false),
        of(1.0, along(0.3, 0.3), false),
        of(2.4, Roughness::SMOOTH, false),
        of(0.75, along(0.15, 0.15), false),
        of(1.33, along(0.9, 0.9), false),
        of(1.5, along(0.02, 0.02), false),
        of(1.6, along(0.1, 0.6), false),
        of(1.5, Roughness::SMOOTH, true),
        of(1.5, along(0.25, 0.25), true),
        of(1.8, along(0.7, 0.2), true),
    ];
    for thin in [false, true] {
        all.push(Surface::Dielectric {
            ior: 1.5,
            roughness: Roughness { x: textures.number(0.5), y: textures.number(0.6), remap: RoughnessRemap::Pbrt3 },
            reflectance: textures.color([1.0; 3]),
            transmittance: textures.color([0.9; 3]),
            thin,
            absorption: None,
        });
    }
    all
}

fn principled(textures: &Textures) -> Vec<Principled> {
    let plain = Principled { base_color: constant([0.7, 0.4, 0.3]), ..Default::default() };
    let plastic = Principled { metallic: number(0.0), roughness: along(0.3, 0.3), ..plain };
    let clear = Principled { transmission: number(1.0), ..plastic };
    vec![
        Principled { metallic: number(0.4), roughness: along(0.1, 0.1), ..plain },
        Principled { specular: number(0.5), specular_color: constant([1.0, 0.6, 0.3]), ior: 1.9, ..plastic },
        Principled { clearcoat: number(0.8), clearcoat_roughness: number(0.1), ..plastic },
        Principled { roughness: along(0.1, 0.5), ior: 1.0, ..plastic },
        Principled { roughness: Roughness::SMOOTH, ..clear },
        Principled { transmission: number(0.5), metallic: number(0.2), clearcoat: number(1.0), ..clear },
        Principled { thin: false, ..clear },
        Principled { thin: false, roughness: along(0.1, 0.4), transmission: number(0.6), ..clear },
        Principled { thin: false, roughness: Roughness::SMOOTH, ..clear },
        Principled {
            base_color: textures.color([0.9; 3]),
            metallic: textures.number(1.0),
            roughness: Roughness { x: textures.number(1.0), y: textures.number(1.0), remap: RoughnessRemap::Square },
            specular: textures.number(1.0),
            specular_color: textures.color([1.0; 3]),
            transmission: textures.number(1.0),
            clearcoat: textures.number(1.0),
            clearcoat_roughness: textures.number(1.0),
            thin: false,
            ..plain
        },
        Principled { transmission: textures.number(0.8), base_color: textures.color([1.0; 3]), ..plastic },
        plain,
    ]
}

fn emission(i: usize, textures: &Textures) -> Emission {
    // A mean over a texture takes a while: one of three.
    let radiance = match i % 3 {
        0 => textures.color([3.0, 2.0, 1.5]),
        1 => constant([2.0, 2.5, 3.0]),
        _ => constant([0.2, 0.1, 0.3]),
    };
    Emission { radiance, two_sided: i % 2 == 1 }
}

/// Returns the `i`-th test material on `surface`: by turns with a normal or bump map, with holes, with emission, or
/// without.
fn covered(i: usize, surface: Surface, textures: &Textures) -> Material {
    let map = |scale: f32| NormalInput::Map { texture: textures.normals, scale };
    let normal = match i % 5 {
        0 => Some(map(1.0)),
        1 => Some(map(-2.5)),
        2 => Some(NormalInput::Bump { height: textures.number(0.1) }),
        3 => Some(NormalInput::Bump { height: number(0.5) }),
        _ => None,
    };
    let alpha = match i % 6 {
        0 => Alpha::Mask { alpha: textures.number(1.0), cutoff: 0.4 },
        1 => Alpha::Blend { alpha: number(0.6) },
        2 => Alpha::Blend { alpha: textures.number(0.9) },
        3 => Alpha::Mask { alpha: number(0.7), cutoff: 0.5 },
        _ => Alpha::Opaque,
    };
    let emission = (i % 8 == 3).then(|| emission(i / 8, textures));
    Material { normal, alpha, emission, ..Material::new("", surface) }
}

/// Adds mixtures of the existing materials, and mixtures of those.
fn mixtures(scene: &mut Description, all: &mut Vec<MaterialId>, textures: &Textures) {
    let amounts =
        [number(0.5), textures.number(1.0), number(0.0), number(1.0), textures.number(0.8), number(0.3), number(0.7)];
    let single = all.len();
    for round in 0..3 {
        for (i, &amount) in amounts.iter().enumerate() {
            // From the second round on, one part or both are mixtures.
            let first =
                if round == 0 { (13 * i + 5) % single } else { single + (5 * i + round) % (all.len() - single) };
            let second = if round < 2 { (29 * i + 11) % single } else { single + (3 * i) % amounts.len() };
            let surface = Surface::Mix { first: all[first], second: all[second], amount };
            let mixture = match i % 3 {
                0 => Material::new("", surface),
                _ => covered(i + round, surface, textures),
            };
            all.push(scene.add_material(mixture));
        }
    }
}
