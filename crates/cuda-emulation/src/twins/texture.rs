//! Twins of textures and of the inputs of materials.

use super::{Numbers, Reader, Twin, Writer};
use glam::Vec2;
use raywarp_render::flat::{ImageLookup, NONE, Wrapping};
use raywarp_render::functions::bsdf::{MaterialKind, Scattering};
use raywarp_render::functions::texture::{Inputs, TexturePoint, color, look_up, scalar, value};

pub(super) const TWINS: &[Twin] = &[LOOK_UP, VALUE, INPUT, INPUTS];

/// Returns random texture coordinates: mostly near the image, some between texels, some far out or not numbers.
fn coordinates(numbers: &mut Numbers) -> Vec2 {
    let mut one = || match numbers.below(64) {
        0 => f32::from_bits(numbers.word()),
        1 => numbers.any(),
        2 => 1e9 * numbers.any(),
        3..16 => (numbers.below(120) as f32 - 60.0) / [8.0, 10.0, 12.0][numbers.below(3) as usize],
        _ => numbers.between(-3.0, 3.0),
    };
    Vec2::new(one(), one())
}

fn put_point(numbers: &mut Numbers, case: &mut Writer) {
    case.numbers(coordinates(numbers)).numbers(coordinates(numbers)).numbers(numbers.color()).number(numbers.unit());
}

fn point(case: &mut Reader) -> TexturePoint {
    TexturePoint { uv: [case.vec2(), case.vec2()], color: case.vec4() }
}

const LOOK_UP: Twin = Twin {
    name: "texture_look_up",
    make: |numbers, scene, case| {
        case.word(numbers.below(scene.images.len() as u32)).numbers(coordinates(numbers));
        case.word(numbers.below(4)).word(numbers.below(4)).word(numbers.below(2));
    },
    run: |scene, case, answer| {
        let (image, uv) = (&scene.images[case.word() as usize], case.vec2());
        let wrap = [Wrapping::of(case.word()), Wrapping::of(case.word())];
        answer.numbers(look_up(image, uv, wrap, ImageLookup::of(case.word())));
    },
};

const VALUE: Twin = Twin {
    name: "texture_value",
    make: |numbers, scene, case| {
        case.word(numbers.below(scene.programs.len() as u32));
        put_point(numbers, case);
    },
    run: |scene, case, answer| {
        answer.numbers(value(scene, case.word(), &point(case)));
    },
};

const INPUT: Twin = Twin {
    name: "texture_input",
    make: |numbers, scene, case| {
        case.word(numbers.below(scene.inputs.len() as u32));
        put_point(numbers, case);
    },
    run: |scene, case, answer| {
        let (input, at) = (&scene.inputs[case.word() as usize], point(case));
        answer.numbers(color(scene, input, &at)).number(scalar(scene, input, &at));
    },
};

const INPUTS: Twin = Twin {
    name: "texture_inputs",
    make: |numbers, scene, case| {
        let (index, count) = loop {
            let index = numbers.below(scene.materials.len() as u32);
            let count = scene.materials[index as usize].kind().input_count();
            if count > 0 {
                break (index, count);
            }
        };
        // Roughness is two inputs.
        let kind = scene.materials[index as usize].kind();
        let roughness = match kind {
            MaterialKind::Conductor | MaterialKind::Dielectric | MaterialKind::Coated | MaterialKind::Principled => 2,
            _ => NONE,
        };
        case.word(index).word(numbers.below(count)).word(roughness).number([0.0, 0.0, 1e-3][numbers.below(3) as usize]);
        put_point(numbers, case);
    },
    run: |scene, case, answer| {
        let (material, number) = (&scene.materials[case.word() as usize], case.word());
        let (roughness, least) = (case.word(), case.number());
        let inputs = Inputs { scene, material, at: &point(case), scattering: Scattering::Multiple };
        answer.numbers(inputs.color(number)).numbers(inputs.share(number));
        answer.number(inputs.scalar(number)).number(inputs.fraction(number));
        answer.numbers(inputs.numbers(number)).flag(inputs.is_thin());
        answer.numbers(if roughness == NONE { Vec2::ZERO } else { inputs.alpha(roughness, least) });
    },
};
