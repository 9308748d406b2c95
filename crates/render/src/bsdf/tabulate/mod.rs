//! The tables of models, computed: `cargo xtask tables` writes what this says, and tests hold it against the tables. It
//! is compiled for those alone.

pub(super) mod albedo;
pub(super) mod anisotropic_glass;
pub(super) mod loss;

use glam::{DVec3, Vec3};
use raywarp_sample::hash::{pcg, to_unit};

/// Returns the generated files of tables, as names below `src/bsdf` and source texts. Tables follow from others as
/// these are compiled in: albedos first, losses from those, means from losses.
pub fn tables() -> [(&'static str, String); 3] {
    [
        ("albedo_data.rs", albedo::text()),
        ("loss_data.rs", loss::text()),
        ("anisotropic_glass_data.rs", anisotropic_glass::text()),
    ]
}

/// Returns the unit vector with polar angle `theta` and azimuth `phi`, in degrees.
pub(crate) fn direction(theta: f64, phi: f64) -> Vec3 {
    let (theta, phi) = (theta.to_radians(), phi.to_radians());
    DVec3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()).as_vec3().normalize()
}

/// Returns the `i`-th set of independent uniform numbers: one for the lobe, two for the direction.
pub(crate) fn numbers(i: u32) -> (f32, [f32; 2]) {
    let key = pcg(i);
    (to_unit(pcg(key ^ 0x1357)), [to_unit(pcg(key ^ 0x2468)), to_unit(pcg(key ^ 0x9ABC))])
}
