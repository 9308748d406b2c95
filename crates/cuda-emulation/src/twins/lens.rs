//! Twins of cameras and filters, and of what surfaces ask of raywarp-geom and of codes of unit vectors.

use super::{Numbers, Reader, Twin, Writer};
use glam::{Vec2, Vec3};
use raywarp_geom::offset_from_triangle;
use raywarp_render::flat::{UnitCode, decode_unit, encode_unit};
use raywarp_render::functions::filter::{FilterTable, PixelFilter};
use raywarp_render::functions::lens::{Lens, LensRecord};
use raywarp_scene::{Camera, FilterKind, FovAxis, Projection};

pub(super) const TWINS: &[Twin] = &[LENS_RAY, FILTER_SAMPLE, FLAT_OCTAHEDRAL, GEOM_OFFSET];

/// Writes a random camera to the case, and returns it with the size of its picture.
fn put_camera(numbers: &mut Numbers, case: &mut Writer) -> (Camera, [u32; 2]) {
    let first = case.words.len();
    let (forward, side) = (numbers.direction(), numbers.direction());
    let right = forward.cross(side).normalize_or(forward.any_orthonormal_vector());
    let eye = numbers.color() * numbers.any();
    case.numbers(eye).numbers(right).numbers(right.cross(forward)).numbers(forward);
    case.word(numbers.below(4)).number(numbers.between(1.0, 170.0));
    case.number(if numbers.coin() { 0.0 } else { numbers.unit() }).number(numbers.between(0.1, 9.0));
    case.word(1 + numbers.below(2000)).word(1 + numbers.below(2000));
    camera(&mut Reader::new(&case.words[first..]))
}

fn camera(case: &mut Reader) -> (Camera, [u32; 2]) {
    let [eye, right, up, forward] = [0; 4].map(|_: u32| case.numbers());
    let (kind, extent) = (case.word(), case.number());
    let projection = match kind {
        0 => Projection::Orthographic { half_height: extent },
        1 => Projection::Perspective { fov: extent, axis: FovAxis::Vertical },
        2 => Projection::Perspective { fov: extent, axis: FovAxis::Horizontal },
        _ => Projection::Perspective { fov: extent, axis: FovAxis::Shorter },
    };
    let (lens_radius, focal_distance) = (case.number(), case.number());
    let camera = Camera {
        name: String::new(),
        eye,
        right,
        up,
        forward,
        projection,
        lens_radius,
        focal_distance,
        medium: None,
        aspect: None,
    };
    (camera, [case.word(), case.word()])
}

const LENS_RAY: Twin = Twin {
    name: "lens_ray",
    make: |numbers, _, case| {
        // The camera for Rust, its record for C++.
        let (camera, size) = put_camera(numbers, case);
        case.record(&LensRecord::new(&camera, size));
        let at = Vec2::from(numbers.square()) * Vec2::from(size.map(|n| n as f32));
        let u = numbers.square();
        case.numbers(at).numbers(if numbers.below(8) == 0 { [0.5, u[1]] } else { u });
    },
    run: |_, case, answer| {
        let (camera, size) = camera(case);
        (0..size_of::<LensRecord>() / 4).for_each(|_| {
            case.word();
        });
        let ray = Lens::new(&camera, size).ray(case.number(), case.number(), case.numbers());
        answer.numbers(ray.origin).numbers(ray.direction);
    },
};

fn filter(case: &mut Reader) -> FilterKind {
    let (kind, radius, a, b) = (case.word(), case.number(), case.number(), case.number());
    match kind {
        0 => FilterKind::Box { radius },
        1 => FilterKind::Triangle { radius },
        2 => FilterKind::Gaussian { radius, sigma: a },
        // A filter of which nothing is left becomes a box.
        3 => FilterKind::Mitchell { radius, b: 30.0 * b, c: -30.0 },
        _ => FilterKind::Mitchell { radius, b: a, c: b },
    }
}

/// Number of entries of a tabulated pixel filter.
const TABLE: usize = 257;

const FILTER_SAMPLE: Twin = Twin {
    name: "filter_sample",
    make: |numbers, _, case| {
        // The filter for Rust, its table for C++.
        let first = case.words.len();
        case.word(numbers.below(5)).number(numbers.between(0.5, 3.0));
        case.number(numbers.between(0.2, 1.0)).number(numbers.unit());
        let table = FilterTable::new(filter(&mut Reader::new(&case.words[first..])));
        case.number(table.radius).word(table.numbers.len() as u32);
        (0..TABLE).for_each(|i| {
            case.number(table.numbers.get(i).copied().unwrap_or(0.0));
        });
        // At an entry as well.
        let [x, y] = numbers.square();
        let entry = table.numbers.get(numbers.below(129) as usize).map_or(y, |entry| entry.min(1.0));
        case.numbers([x, if numbers.coin() { entry } else { y }]);
    },
    run: |_, case, answer| {
        let filter = PixelFilter::new(filter(case));
        (0..2 + TABLE).for_each(|_| {
            case.word();
        });
        let (offset, weight) = filter.sample(case.numbers());
        answer.numbers(offset).number(weight);
    },
};

const FLAT_OCTAHEDRAL: Twin = Twin {
    name: "flat_octahedral",
    make: |numbers, _, case| {
        case.word(match numbers.below(8) {
            0 => UnitCode::ZERO.0,
            1..4 => encode_unit(numbers.direction().into()).0,
            _ => numbers.word(),
        });
    },
    run: |_, case, answer| {
        answer.numbers(decode_unit(UnitCode(case.word())));
    },
};

const GEOM_OFFSET: Twin = Twin {
    name: "geom_offset",
    make: |numbers, _, case| {
        let point = match numbers.below(8) {
            0 => Vec3::ZERO,
            1 => Vec3::splat(f32::MAX),
            2 => numbers.direction() * 1e-9,
            3 => numbers.direction() * 1e-42,
            _ => Vec3::new(numbers.any(), numbers.any(), numbers.any()),
        };
        let extent = numbers.any().abs();
        case.numbers(point).numbers(numbers.direction()).number(extent);
    },
    run: |_, case, answer| {
        let (point, normal, extent) = (case.numbers(), case.numbers(), case.number());
        answer.numbers(offset_from_triangle(point, normal, extent));
    },
};
