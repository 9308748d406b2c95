//! Without further bounces the models are, bit for bit, what they were before these came: comparisons with
//! pbrt and Mitsuba rest on that.

use super::*;

/// FNV-1a of the bits of values, densities and samples.
fn digest(bsdfs: &[Bsdf]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut see = |x: f32| {
        for byte in x.to_bits().to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for bsdf in bsdfs {
        for i in 0..400 {
            let (u_lobe, u) = numbers(i);
            let (_, v) = numbers(i + 10_000);
            let [wo, wi] = [u, v].map(|u| Vec3::from(raywarp_sample::warp::uniform_sphere(u)));
            let (value, pdf) = bsdf.eval(wo, wi);
            value.to_array().into_iter().for_each(&mut see);
            see(pdf);
            if let Some(s) = bsdf.sample(wo, u_lobe, v) {
                s.wi.to_array().into_iter().for_each(&mut see);
                s.weight.to_array().into_iter().for_each(&mut see);
                see(s.pdf);
            }
        }
    }
    hash
}

#[test]
fn the_first_bounce_is_what_it_always_was() {
    let mut cases = rough_cases();
    cases.retain(|c| c.name.ends_with("first bounce"));
    let first: Vec<Bsdf> = cases.into_iter().map(|c| c.bsdf).collect();
    // Of the same cases in the commit before further bounces.
    assert_eq!(digest(&first), 0x9f3_1765_fa82_bdc1, "{:#x}", digest(&first));
}
