//! Every kind of material, a few parameters each.

use crate::stage::{Stage, UPRIGHT, ahead, at};
use raywarp::scene::{
    Absorption, CarPaint, Channel, ColorInput, Description, Material, MaterialId, Principled, Roughness,
    RoughnessRemap, ScalarInput, Surface,
};

/// Refractive index and extinction of gold and chromium in red, green and blue.
const GOLD: [[f32; 3]; 2] = [[0.18, 0.54, 1.37], [3.43, 2.29, 1.77]];
const CHROMIUM: [[f32; 3]; 2] = [[3.13, 2.95, 2.13], [3.31, 3.33, 2.97]];

fn color(factor: [f32; 3]) -> ColorInput {
    ColorInput::constant(factor)
}

fn number(factor: f32) -> ScalarInput {
    ScalarInput::constant(factor)
}

/// A diffuse, a textured and a translucent ball, and two with a Blinn lobe.
pub fn diffuse() -> Description {
    let mut stage = Stage::default();
    let letter = stage.letter(false);
    let letter = stage.image_texture(letter, 4.0);
    let blinn = |exponent| Surface::Blinn {
        diffuse: color([0.1, 0.3, 0.15]),
        specular: color([0.3; 3]),
        exponent: number(exponent),
    };
    let materials = [
        stage.diffuse([0.7, 0.3, 0.2]),
        stage.diffuse(letter),
        stage.material(Surface::DiffuseTransmission {
            reflectance: color([0.2, 0.4, 0.1]),
            transmittance: color([0.5, 0.5, 0.1]),
        }),
        stage.material(blinn(8.0)),
        stage.material(blinn(300.0)),
        stage.diffuse([0.9; 3]),
    ];
    stage.show(&materials)
}

fn metal([eta, k]: [[f32; 3]; 2], x: f32, y: f32) -> Surface {
    let roughness = Roughness { x: number(x), y: number(y), remap: RoughnessRemap::None };
    Surface::Conductor { eta: color(eta), k: color(k), roughness }
}

/// A mirror, and metal: smooth, rough, brushed around and brushed up and down.
pub fn metals() -> Description {
    let mut stage = Stage::default();
    let materials = [
        Surface::Mirror { reflectance: color([0.9, 0.8, 0.9]) },
        metal(CHROMIUM, 0.0, 0.0),
        metal(GOLD, 0.15, 0.15),
        metal(GOLD, 0.7, 0.7),
        metal(GOLD, 0.05, 0.5),
        metal(GOLD, 0.5, 0.05),
    ]
    .map(|surface| stage.material(surface));
    stage.show(&materials)
}

fn glass(ior: f32, alpha: f32, thin: bool, sigma: Option<[f32; 3]>) -> Surface {
    Surface::Dielectric {
        ior,
        roughness: Roughness::isotropic(alpha),
        reflectance: color([1.0; 3]),
        transmittance: color([1.0; 3]),
        thin,
        absorption: sigma.map(|sigma| Absorption { sigma }),
    }
}

/// Glass: smooth, rough, thin, thin and rough, absorbing, and a bubble of air in it.
pub fn glasses() -> Description {
    let mut stage = Stage::default();
    let materials = [
        glass(1.5, 0.0, false, None),
        glass(1.5, 0.25, false, None),
        glass(1.5, 0.0, true, None),
        glass(1.5, 0.3, true, None),
        glass(1.5, 0.0, false, Some([0.3, 1.5, 3.0])),
        glass(0.8, 0.0, false, None),
    ]
    .map(|surface| stage.material(surface));
    stage.show(&materials)
}

/// A diffuse base under coats: smooth, rough, rougher; a textured base, a tinted coat, a textured roughness.
pub fn coats() -> Description {
    let mut stage = Stage::default();
    let letter = stage.letter(false);
    let letter = stage.image_texture(letter, 4.0);
    let speckles = stage.speckles();
    let speckles = stage.image_texture(speckles, 1.0);
    let coated = |diffuse: ColorInput, specular: [f32; 3], roughness: Roughness| Surface::Coated {
        diffuse,
        specular: color(specular),
        roughness,
    };
    let blue = color([0.1, 0.2, 0.5]);
    let varying = ScalarInput { factor: 0.8, texture: Some((speckles, Channel::G)) };
    let varying = Roughness { x: varying, y: varying, remap: RoughnessRemap::Square };
    let pbrt3 = Roughness { x: number(0.3), y: number(0.01), remap: RoughnessRemap::Pbrt3 };
    let materials = [
        coated(blue, [0.04; 3], Roughness::SMOOTH),
        coated(blue, [0.04; 3], Roughness::isotropic(0.3)),
        coated(ColorInput::texture(letter), [0.04; 3], Roughness::isotropic(0.05)),
        coated(blue, [0.5, 0.2, 0.1], Roughness::isotropic(0.1)),
        coated(blue, [0.3; 3], varying),
        coated(blue, [0.3; 3], pbrt3),
    ]
    .map(|surface| stage.material(surface));
    stage.show(&materials)
}

fn principled(change: impl FnOnce(&mut Principled)) -> Surface {
    let mut model = Principled { base_color: color([0.8, 0.4, 0.2]), metallic: number(0.0), ..Principled::default() };
    set_roughness(&mut model, 0.3);
    change(&mut model);
    Surface::Principled(Box::new(model))
}

fn set_roughness(model: &mut Principled, roughness: f32) {
    model.roughness = Roughness { x: number(roughness), y: number(roughness), remap: RoughnessRemap::Square };
}

/// glTF's model: plastic, half metal, metal, textured metalness and roughness, a tinted and a missing specular part.
pub fn plastics() -> Description {
    let mut stage = Stage::default();
    let speckles = stage.speckles();
    let speckles = stage.image_texture(speckles, 1.0);
    let materials = [
        principled(|_| {}),
        principled(|m| m.metallic = number(0.5)),
        principled(|m| m.metallic = number(1.0)),
        principled(|m| {
            m.metallic = ScalarInput { factor: 1.0, texture: Some((speckles, Channel::B)) };
            let rough = ScalarInput { factor: 1.0, texture: Some((speckles, Channel::G)) };
            m.roughness = Roughness { x: rough, y: rough, remap: RoughnessRemap::Square };
        }),
        principled(|m| {
            (m.ior, m.specular_color) = (2.2, color([0.2, 0.9, 0.3]));
            m.base_color = color([0.05; 3]);
        }),
        principled(|m| m.specular = number(0.0)),
    ]
    .map(|surface| stage.material(surface));
    stage.show(&materials)
}

/// glTF's model: transmission that is thin, rough, in part and absorbing; a clear coat on plastic and on metal.
pub fn transmission_and_coats() -> Description {
    let mut stage = Stage::default();
    let clear = |roughness: f32, change: fn(&mut Principled)| {
        principled(|m| {
            (m.base_color, m.transmission) = (color([0.9, 0.95, 0.8]), number(1.0));
            set_roughness(m, roughness);
            change(m);
        })
    };
    let coat = |metallic: f32, roughness: f32| {
        principled(|m| {
            (m.metallic, m.clearcoat, m.clearcoat_roughness) = (number(metallic), number(1.0), number(roughness));
            set_roughness(m, 0.7);
        })
    };
    let materials = [
        clear(0.0, |_| {}),
        clear(0.4, |m| m.thin = false),
        clear(0.1, |m| {
            (m.thin, m.absorption) = (false, Absorption::from_attenuation([0.2, 0.6, 0.9], 0.5));
            m.transmission = number(0.8);
        }),
        clear(0.2, |m| (m.transmission, m.base_color) = (number(0.4), color([0.2, 0.3, 0.8]))),
        coat(0.0, 0.0),
        coat(1.0, 0.3),
    ]
    .map(|surface| stage.material(surface));
    stage.show(&materials)
}

/// Car paint: fine flakes, flakes that are seen, none, a rough coat.
pub fn car_paint() -> Description {
    let mut stage = Stage::default();
    let paint = |change: fn(&mut CarPaint)| {
        let mut paint = CarPaint::default();
        change(&mut paint);
        Surface::CarPaint(Box::new(paint))
    };
    let materials = [
        paint(|_| {}),
        paint(|p| (p.flake_size, p.flake_amount) = (0.03, 0.6)),
        paint(|p| (p.flake_amount, p.base) = (0.0, ColorInput::constant([0.02, 0.1, 0.3]))),
        paint(|p| (p.coat_alpha, p.coat_ior) = (0.3, 2.0)),
    ]
    .map(|surface| stage.material(surface));
    stage.show(&materials)
}

/// Mixtures: of two colours, by an image, of a mixture with metal, with nothing at all; nothing alone, and unlit.
pub fn mixtures() -> Description {
    let mut stage = Stage::default();
    let letter = stage.letter(false);
    let letter = stage.image_texture(letter, 4.0);
    let red = stage.diffuse([0.7, 0.1, 0.1]);
    let blue = stage.diffuse([0.1, 0.2, 0.8]);
    let gold = stage.material(metal(GOLD, 0.1, 0.1));
    let nothing = stage.material(Surface::Invisible);
    let mix = |stage: &mut Stage, first: MaterialId, second: MaterialId, amount: ScalarInput| {
        stage.material(Surface::Mix { first, second, amount })
    };
    let even = mix(&mut stage, red, blue, number(0.5));
    let by_image = mix(&mut stage, red, gold, ScalarInput { factor: 1.0, texture: Some((letter, Channel::B)) });
    let nested = mix(&mut stage, even, gold, number(0.3));
    let veil = mix(&mut stage, gold, nothing, number(0.7));
    let unlit = stage.material(Surface::Unlit { color: ColorInput::texture(letter) });
    stage.show(&[even, by_image, nested, veil, nothing, unlit])
}

/// The same metal and glass with the first bounce between facets only: rendered with `--single-scatter`.
pub fn rough() -> Description {
    let mut stage = Stage::default();
    let white = [[0.0; 3], [1.0e3; 3]];
    let materials = [
        metal(white, 1.0, 1.0),
        glass(1.5, 0.9, false, None),
        principled(|m| {
            (m.base_color, m.clearcoat, m.clearcoat_roughness) = (color([1.0; 3]), number(1.0), number(0.9));
        }),
        Surface::Coated { diffuse: color([0.9; 3]), specular: color([0.3; 3]), roughness: Roughness::isotropic(0.9) },
    ]
    .map(|surface| stage.material(surface));
    stage.show(&materials)
}

/// Surfaces that glow and scatter, metal among them.
pub fn glowing() -> Description {
    let mut stage = Stage::default();
    let letter = stage.letter(false);
    let letter = stage.image_texture(letter, 2.0);
    let mut glow = |surface: Surface, radiance: ColorInput| {
        let mut material = Material::new("", surface);
        material.emission = Some(raywarp::scene::Emission { radiance, two_sided: false });
        stage.scene.add_material(material)
    };
    let grey = Surface::Diffuse { reflectance: color([0.5; 3]) };
    let materials = [
        glow(grey.clone(), color([0.9, 0.3, 0.1])),
        glow(grey, ColorInput { factor: [3.0; 3], texture: Some(letter) }),
        glow(metal(GOLD, 0.2, 0.2), color([0.0, 0.2, 0.4])),
        glow(glass(1.5, 0.0, false, None), color([0.1, 0.3, 0.1])),
    ];
    for (i, &material) in materials.iter().enumerate() {
        let (x, y) = ((i % 2) as f32 - 0.5, 0.5 - (i / 2) as f32);
        stage.ball(at([1.02 * x, 1.02 * y, 0.0], [0.4; 3]), material);
    }
    stage.wall();
    stage.sky([0.1; 3], UPRIGHT);
    stage.seen_from(ahead([0.0, 0.0, 8.0], 15.5))
}
