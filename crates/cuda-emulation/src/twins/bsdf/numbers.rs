//! Numbers that models of scattering are made of.

use super::super::{Numbers, Writer};
use glam::{Vec2, Vec3};

/// Returns a random number in `0 ..= 1`, often at an end.
pub(super) fn share(numbers: &mut Numbers) -> f32 {
    match numbers.below(12) {
        0 | 1 => 0.0,
        2 | 3 => 1.0,
        _ => numbers.unit(),
    }
}

/// Returns a random colour in `0 ..= 1`, often grey.
pub(super) fn color(numbers: &mut Numbers) -> Vec3 {
    let first = share(numbers);
    if numbers.below(4) == 0 {
        return Vec3::splat(first);
    }
    Vec3::new(first, share(numbers), share(numbers))
}

/// Returns a random roughness alpha: smooth, tiny, of any magnitude, uniform, at an end, or NaN.
pub(super) fn alpha(numbers: &mut Numbers) -> f32 {
    match numbers.below(64) {
        0..6 => 0.0,
        6..10 => 1.0,
        10..14 => numbers.between(0.0, 2e-4),
        14..18 => numbers.between(5e-4, 2e-3),
        18 => 1e-4,
        19 => 1.5,
        20 => f32::NAN,
        21..40 => 10f32.powf(numbers.between(-4.5, 0.0)),
        _ => numbers.unit(),
    }
}

/// Returns two random roughness alphas, equal half of the time.
pub(super) fn alphas(numbers: &mut Numbers) -> Vec2 {
    let x = alpha(numbers);
    match numbers.below(4) {
        0 | 1 => Vec2::splat(x),
        // Beyond what tables know.
        2 => Vec2::new(x, alpha(numbers)),
        _ => Vec2::new(x, x * numbers.between(0.25, 1.0)),
    }
}

/// Returns a random relative index of refraction, inside over outside.
pub(super) fn ior(numbers: &mut Numbers) -> f32 {
    match numbers.below(8) {
        0 => 1.0,
        1 => 1.5,
        2 => numbers.between(0.98, 1.03),
        3 => 1.0 / numbers.between(1.0, 4.0),
        4 => numbers.between(1.0, 20.0),
        _ => numbers.between(1.0, 3.0),
    }
}

/// Writes a random choice between single and multiple scattering at microfacets.
pub(super) fn scattering(numbers: &mut Numbers, case: &mut Writer) {
    case.flag(numbers.below(3) != 0);
}

/// Returns two random directions, often nearly each other's mirror image, on the same side of the surface or opposite.
pub(super) fn directions(numbers: &mut Numbers) -> (Vec3, Vec3) {
    let mut wo = numbers.direction();
    if numbers.below(4) != 0 {
        wo.z = wo.z.abs();
    }
    let target = match numbers.below(8) {
        0..3 => return (wo, numbers.direction()),
        3..6 => Vec3::new(-wo.x, -wo.y, wo.z),
        6 => -wo,
        _ => Vec3::new(-0.66 * wo.x, -0.66 * wo.y, -wo.z),
    };
    let step = if numbers.below(8) == 0 { 0.0 } else { 10f32.powf(numbers.between(-5.0, 0.0)) };
    (wo, (target + step * numbers.direction()).normalize_or(Vec3::Z))
}
