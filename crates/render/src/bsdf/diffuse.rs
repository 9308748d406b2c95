//! Lambert reflection and transmission.

use super::BsdfSample;
use glam::Vec3;
use raywarp_sample::warp::{cosine_hemisphere, cosine_hemisphere_pdf};

#[inline]
pub(super) fn sample(reflectance: Vec3, wo: Vec3, u: [f32; 2]) -> Option<BsdfSample> {
    let wi = Vec3::from(cosine_hemisphere(u));
    BsdfSample::smooth(wo, wi, reflectance, cosine_hemisphere_pdf(wi.z))
}

/// Returns the value times cosine and the density of Lambert reflection into `wi`, which is above the surface.
#[inline]
pub(super) fn eval(reflectance: Vec3, wi: Vec3) -> (Vec3, f32) {
    let pdf = cosine_hemisphere_pdf(wi.z);
    (reflectance * pdf, pdf)
}

/// Returns the probability of sampling reflection rather than transmission, in proportion to their largest channels, so
/// that path weights stay even.
#[inline]
fn reflection_share(reflectance: Vec3, transmittance: Vec3) -> f32 {
    let (r, t) = (reflectance.max_element(), transmittance.max_element());
    if r + t > 0.0 { r / (r + t) } else { 0.0 }
}

#[inline]
pub(super) fn sample_both(r: Vec3, t: Vec3, wo: Vec3, u_lobe: f32, u: [f32; 2]) -> Option<BsdfSample> {
    let share = reflection_share(r, t);
    let mut wi = Vec3::from(cosine_hemisphere(u));
    let cosine_pdf = cosine_hemisphere_pdf(wi.z);
    wi.z = wi.z.copysign(wo.z);
    if u_lobe < share {
        BsdfSample::smooth(wo, wi, r / share, cosine_pdf * share)
    } else {
        wi.z = -wi.z;
        BsdfSample::smooth(wo, wi, t / (1.0 - share), cosine_pdf * (1.0 - share))
    }
}

#[inline]
pub(super) fn eval_both(r: Vec3, t: Vec3, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
    let share = reflection_share(r, t);
    let pdf = cosine_hemisphere_pdf(wi.z.abs());
    // The sign bit, as in sampling: also -0.0 has a side.
    if wo.z.is_sign_negative() == wi.z.is_sign_negative() {
        (r * pdf, pdf * share)
    } else if r.max_element() + t.max_element() > 0.0 {
        (t * pdf, pdf * (1.0 - share))
    } else {
        (Vec3::ZERO, 0.0)
    }
}
