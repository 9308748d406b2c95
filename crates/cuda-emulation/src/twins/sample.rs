//! Twins of the crate raywarp-sample.

use super::{Numbers, Reader, Twin, Writer};
use raywarp_sample::elementary::{acos, atan2, exp, exp_m1, ln, ln_1p, sin_cos};
use raywarp_sample::warp;
use raywarp_sample::{Sampler, halton, hash, sobol, xor32};
use std::f32::consts::PI;

pub(super) const TWINS: &[Twin] = &[
    HASH,
    SOBOL,
    HALTON,
    XOR32,
    STREAM,
    ELEMENTARY_ANGLE,
    ELEMENTARY_EXPONENTIAL,
    ELEMENTARY_LOGARITHM,
    WARP_PLANAR,
    WARP_DIRECTION,
    WARP_SPHERICAL,
    WARP_CHOICE,
    WARP_ALIAS,
    WARP_DISTRIBUTION,
];

const HASH: Twin = Twin {
    name: "sample_hash",
    make: |numbers, _, case| {
        case.word(numbers.word()).word(numbers.word());
    },
    run: |_, case, answer| {
        let (key, value) = (case.word(), case.word());
        answer.word(hash::combine(key, value)).number(hash::to_unit(key));
    },
};

/// Returns a random word, small half of the time.
fn word(numbers: &mut Numbers) -> u32 {
    if numbers.coin() { numbers.word() } else { numbers.below(64) }
}

/// Returns any random f32: also infinite, NaN, denormal or -0.
fn wild(numbers: &mut Numbers) -> f32 {
    match numbers.below(8) {
        0 => f32::from_bits(numbers.word()),
        1 => numbers.any(),
        2 => f32::from_bits(numbers.word() & 0x8080_0003),
        _ => numbers.between(-2.0, 2.0),
    }
}

const SOBOL: Twin = Twin {
    name: "sample_sobol",
    make: |numbers, _, case| {
        case.word(word(numbers)).word(word(numbers)).word(word(numbers));
    },
    run: |_, case, answer| {
        let (a, b, c) = (case.word(), case.word(), case.word());
        answer.word(sobol::laine_karras(a, b)).word(sobol::owen(a, b)).word(sobol::dimension_1_reversed(a));
        answer.number(sobol::pad_1d(a, b, c)).numbers(sobol::pad_2d(a, b, c));
    },
};

const HALTON: Twin = Twin {
    name: "sample_halton",
    make: |numbers, _, case| {
        let (index, state) = (word(numbers), word(numbers));
        // Sometimes just what makes the sum 1.
        let rest = 1.0 - hash::to_unit(state);
        case.word(index).word(state).number(if rest < 1.0 && numbers.below(8) == 0 { rest } else { numbers.unit() });
    },
    run: |_, case, answer| {
        let (index, state, value) = (case.word(), case.word(), case.number());
        answer.word(halton::advance(state)).word(halton::shuffle(index, state)).number(halton::rotate(value, state));
        answer.number(halton::radical_inverse::<2>(index)).number(halton::radical_inverse::<3>(index));
    },
};

const XOR32: Twin = Twin {
    name: "sample_xor32",
    make: |numbers, _, case| {
        // One of these is the state that the seeding must not give.
        let [seed, pixel, sample] = if numbers.below(16) == 0 { [0; 3] } else { [0; 3].map(|_: u32| word(numbers)) };
        case.word(seed).word(pixel).word(sample);
    },
    run: |_, case, answer| {
        let state = xor32::seed_state(case.word(), case.word(), case.word());
        answer.word(state).word(xor32::advance(state)).number(xor32::to_unit(state));
    },
};

fn sampler(case: &mut Reader) -> Sampler {
    let (kind, seed) = (case.word(), case.word());
    match kind {
        0 => Sampler::Sobol { seed },
        1 => Sampler::PaddedHalton { seed },
        _ => Sampler::Xor32 { seed },
    }
}

const STREAM: Twin = Twin {
    name: "sample_stream",
    make: |numbers, _, case| {
        case.word(numbers.below(3));
        (0..5).for_each(|_| {
            case.word(word(numbers));
        });
        case.flag(numbers.coin());
    },
    run: |_, case, answer| {
        let sampler = sampler(case);
        let [pixel, sample, dimension, state] = [0; 4].map(|_: u32| case.word());
        let mut stream =
            if case.flag() { sampler.start(pixel, sample) } else { sampler.resume(pixel, sample, dimension, state) };
        answer.number(stream.next_1d()).numbers(stream.next_2d());
        stream.skip(3);
        answer.numbers(stream.next_2d()).number(stream.next_1d()).word(stream.dimension()).word(stream.state());
    },
};

const ELEMENTARY_ANGLE: Twin = Twin {
    name: "sample_elementary_angle",
    make: |numbers, _, case| {
        let angle = if numbers.coin() { numbers.between(-4.0 * PI, 4.0 * PI) } else { wild(numbers) };
        let (x, mut y) = (wild(numbers), wild(numbers));
        if numbers.below(16) == 0 {
            y = x;
        }
        case.number(angle).number(x).number(y).number(wild(numbers));
    },
    run: |_, case, answer| {
        let (sin, cos) = sin_cos(case.number());
        answer.number(sin).number(cos).number(atan2(case.number(), case.number())).number(acos(case.number()));
    },
};

const ELEMENTARY_EXPONENTIAL: Twin = Twin {
    name: "sample_elementary_exponential",
    make: |numbers, _, case| {
        case.number(if numbers.coin() { numbers.between(-110.0, 95.0) } else { wild(numbers) });
    },
    run: |_, case, answer| {
        let x = case.number();
        answer.number(exp(x)).number(exp_m1(x));
    },
};

const ELEMENTARY_LOGARITHM: Twin = Twin {
    name: "sample_elementary_logarithm",
    make: |numbers, _, case| {
        case.number(if numbers.coin() { numbers.any().abs() } else { wild(numbers) });
    },
    run: |_, case, answer| {
        let x = case.number();
        answer.number(ln(x)).number(ln_1p(x));
    },
};

/// Returns a random point of the unit square, sometimes on a line where a mapping changes over.
fn square(numbers: &mut Numbers) -> [f32; 2] {
    let [x, y] = numbers.square();
    match numbers.below(16) {
        0 => [x, x],
        1 => [0.5, y],
        2 => [x, 0.5],
        3 => [0.5, 0.5],
        4 => [x, 1.0],
        _ => [x, y],
    }
}

const WARP_PLANAR: Twin = Twin {
    name: "sample_warp_planar",
    make: |numbers, _, case| {
        case.numbers(square(numbers));
    },
    run: |_, case, answer| {
        let u = case.numbers();
        answer.numbers(warp::concentric_disk(u)).numbers(warp::uniform_triangle(u));
    },
};

const WARP_DIRECTION: Twin = Twin {
    name: "sample_warp_direction",
    make: |numbers, _, case| {
        let (direction, cone) = (numbers.direction(), numbers.unit());
        case.numbers(square(numbers)).numbers(direction);
        case.number(2.0 * if numbers.coin() { cone } else { cone * cone * cone * cone });
    },
    run: |_, case, answer| {
        let (u, direction, one_minus_cos) = (case.numbers(), case.numbers(), case.number());
        let (sin, cos) = warp::sin_cos_turn(u[1]);
        answer.number(sin).number(cos).numbers(warp::cosine_hemisphere(u)).numbers(warp::uniform_hemisphere(u));
        answer.number(warp::cosine_hemisphere_pdf(direction[2])).numbers(warp::uniform_sphere(u));
        answer.numbers(warp::uniform_cone(u, one_minus_cos)).number(warp::uniform_cone_pdf(one_minus_cos));
        answer.number(warp::uniform_sphere_pdf());
        let (tangent, bitangent) = warp::onb(direction);
        answer.numbers(tangent).numbers(bitangent);
    },
};

const WARP_SPHERICAL: Twin = Twin {
    name: "sample_warp_spherical",
    make: |numbers, _, case| {
        let [a, b, mut c] = [0; 3].map(|_: u32| numbers.direction());
        match numbers.below(16) {
            0 => c = a,
            1 => c = -b,
            2 => c = (a + 1e-4 * c).normalize(),
            _ => {}
        }
        let half = warp::half_solid_angle(&[a, b, c].map(Into::into), a.dot(b.cross(c)).abs());
        case.numbers(a).numbers(b).numbers(c).number(a.dot(b.cross(c)).abs());
        case.number(numbers.unit() * half).number(numbers.unit());
    },
    run: |_, case, answer| {
        let corners = [case.numbers(), case.numbers(), case.numbers()];
        let (volume, half, u) = (case.number(), case.number(), case.number());
        answer.number(warp::half_solid_angle(&corners, volume));
        answer.numbers(warp::spherical_triangle(&corners, volume, half, u));
    },
};

const WARP_CHOICE: Twin = Twin {
    name: "sample_warp_choice",
    make: |numbers, _, case| {
        let share = [0.0, 1.0, numbers.unit(), numbers.unit(), wild(numbers)][numbers.below(5) as usize];
        case.number(share).number(numbers.unit());
    },
    run: |_, case, answer| {
        let (share, mut u) = (case.number(), case.number());
        let (chosen, probability) = warp::choose(share, &mut u);
        answer.flag(chosen).number(probability).number(u);
    },
};

const WARP_ALIAS: Twin = Twin {
    name: "sample_warp_alias",
    make: |numbers, _, case| {
        case.number(if numbers.below(256) == 0 { 1.0 } else { numbers.unit() });
    },
    run: |scene, case, answer| {
        let (index, probability) = warp::choose_by_alias(&scene.light_choice, case.number());
        answer.word(index as u32).number(probability);
    },
};

fn distribution_case(numbers: &mut Numbers, scene: &super::ShadingScene, case: &mut Writer) {
    let with_tables: Vec<u32> = (0..scene.environments.len() as u32)
        .filter(|&i| scene.environments[i as usize].image != raywarp_render::flat::NONE)
        .collect();
    case.word(with_tables[numbers.below(with_tables.len() as u32) as usize]);
    let environment = &scene.environments[case.words[case.words.len() - 1] as usize];
    // Next to the borders of cells as well.
    let [x, y] = numbers.square();
    let [w, h] = environment.size.map(|n| n as f32);
    let near = |u: f32, n: f32| (u * n).round() / n;
    case.numbers(if numbers.coin() { [x, y] } else { [near(x, w), near(y, h)] });
    // And next to what bounds a search: entries of the tables, and edges of the buckets of guides.
    let first = environment.table as usize;
    let [width, height] = environment.size;
    let row = first as u32 + height + 1 + numbers.below(height) * (width + 1);
    let mut beside = |first: u32, n: u32| {
        let entry = f32::from_bits(scene.tables[(first + numbers.below(n + 1)) as usize]);
        let edge = numbers.below(n) as f32 / n as f32;
        let u = [numbers.unit(), entry, edge][numbers.below(3) as usize];
        f32::from_bits(u.to_bits().saturating_add_signed(numbers.below(5) as i32 - 2)).min(1.0)
    };
    case.numbers([beside(row, width), beside(first as u32, height)]);
}

const WARP_DISTRIBUTION: Twin = Twin {
    name: "sample_warp_distribution",
    make: distribution_case,
    run: |scene, case, answer| {
        let environment = &scene.environments[case.word() as usize];
        let tables = raywarp_render::functions::light::environment::tables(scene, environment);
        answer.number(tables.pdf(case.numbers()));
        let (point, pdf) = tables.sample(case.numbers());
        answer.numbers(point).number(pdf);
    },
};
