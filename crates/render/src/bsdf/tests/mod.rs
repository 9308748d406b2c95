//! Every model against the same checks: what is sampled is what is evaluated, densities are densities,
//! no energy is made. One list of cases; quadratures are the slow oracle.

mod albedo;
mod anisotropic_glass;
mod density;
mod energy;
mod extremes;
mod loss;
mod symmetry;
mod times;
mod unchanged;

use super::tabulate::{direction, numbers};
use super::*;
use glam::{DVec3, Vec2};
use std::f64::consts::TAU;

/// BSDF to test, with a name for messages.
struct Case {
    name: String,
    bsdf: Bsdf,
    /// `true` if light takes the same way back; documented where not: as under a normal map.
    is_reciprocal: bool,
    /// `true` if light that bounces between facets is left out.
    is_first_bounce: bool,
}

fn case(name: &str, bsdf: Bsdf) -> Case {
    Case { name: name.to_owned(), bsdf, is_reciprocal: true, is_first_bounce: false }
}

const COPPER: Conductor = Conductor {
    eta: Vec3::new(0.2, 0.92, 1.1),
    k: Vec3::new(3.9, 2.45, 2.14),
    alpha: Vec2::splat(0.3),
    fresnel_mean: Vec3::new(0.948_277, 0.625_071, 0.524_896),
};
const GLASS: Dielectric = Dielectric {
    ior: 1.5,
    alpha: Vec2::splat(0.3),
    reflectance: Vec3::ONE,
    transmittance: Vec3::ONE,
    thin: false,
    scattering: Scattering::Multiple,
};
const PLASTIC: PrincipledBsdf = PrincipledBsdf {
    base: Vec3::new(0.8, 0.5, 0.2),
    metallic: 0.0,
    f0: Vec3::splat(0.04),
    f90: 1.0,
    alpha: Vec2::splat(0.3),
    coat: 0.0,
    coat_alpha: 0.1,
    scattering: Scattering::Multiple,
};
const PAINT: CarPaintBsdf = CarPaintBsdf {
    base: Vec3::new(0.4, 0.02, 0.02),
    flake_color: Vec3::new(0.6, 0.1, 0.05),
    flake_amount: 0.4,
    flake_alpha: 0.3,
    flake_normal: Vec3::Z,
    coat_ior: 1.5,
    coat_alpha: 0.1,
    scattering: Scattering::Multiple,
};
const SHINY: Blinn = Blinn { diffuse: Vec3::new(0.5, 0.4, 0.3), specular: Vec3::splat(0.2), exponent: 50.0 };

/// Returns a BSDF of glass with the changes of a layered material.
fn glazed(glass: Dielectric, tint: Vec3, strength: f32, coat: f32) -> Bsdf {
    Bsdf::Glazed(Glazed::new(glass, tint, strength, coat, 0.2).expect("something on it"))
}

/// Returns the glass of a BSDF, without any coat or change on it.
fn boundary(bsdf: &Bsdf) -> Option<Dielectric> {
    match bsdf {
        Bsdf::Dielectric(glass) => Some(*glass),
        Bsdf::Glazed(glazed) => Some(glazed.glass()),
        _ => None,
    }
}

/// Returns BSDFs without delta lobes that are wide enough for quadrature on a fixed grid.
fn rough_cases() -> Vec<Case> {
    let metal = |x, y| Bsdf::Conductor(Conductor { alpha: Vec2::new(x, y), ..COPPER });
    let blinn = |exponent| Bsdf::Blinn(Blinn { exponent, ..SHINY });
    let tilted = Vec3::new(0.3, -0.2, 0.9).normalize();
    let mut cases = vec![
        case("diffuse", Bsdf::Diffuse { reflectance: Vec3::new(0.9, 0.5, 0.1) }),
        case(
            "diffuse transmission",
            Bsdf::DiffuseTransmission {
                reflectance: Vec3::new(0.5, 0.1, 0.2),
                transmittance: Vec3::new(0.1, 0.2, 0.3),
            },
        ),
        case("blinn 0", blinn(0.0)),
        case("blinn 5", blinn(5.0)),
        case("blinn 200", blinn(200.0)),
        case("metal 0.1", metal(0.1, 0.1)),
        case("metal 0.5", metal(0.5, 0.5)),
        case("metal 1", metal(1.0, 1.0)),
        case("metal 0.1 x 0.5", metal(0.1, 0.5)),
        case("plastic", Bsdf::Principled(PLASTIC)),
        case("anisotropic plastic", Bsdf::Principled(PrincipledBsdf { alpha: Vec2::new(0.15, 0.6), ..PLASTIC })),
        case("gold", Bsdf::Principled(PrincipledBsdf { metallic: 1.0, ..PLASTIC })),
        case("half gold, coated", Bsdf::Principled(PrincipledBsdf { metallic: 0.5, coat: 0.7, ..PLASTIC })),
        case("car paint", Bsdf::CarPaint(PAINT)),
        Case {
            is_reciprocal: false,
            ..case("visible flakes", Bsdf::CarPaint(CarPaintBsdf { flake_normal: tilted, ..PAINT }))
        },
        case("flakes without a coat", Bsdf::CarPaint(CarPaintBsdf { coat_ior: 1.0, flake_amount: 0.9, ..PAINT })),
    ];
    cases.extend(glass_cases());
    let first_bounce: Vec<Case> = cases
        .iter()
        .filter_map(|c| {
            let (name, bsdf) = (format!("{}, first bounce", c.name), first_bounce(&c.bsdf)?);
            Some(Case { name, bsdf, is_first_bounce: true, ..*c })
        })
        .collect();
    cases.extend(first_bounce);
    cases
}

/// Returns cases of glass: rough, thin, tinted and under a coat.
fn glass_cases() -> Vec<Case> {
    let glass = |ior, x, y| Bsdf::Dielectric(Dielectric { ior, alpha: Vec2::new(x, y), ..GLASS });
    vec![
        case("glass 0.3", glass(1.5, 0.3, 0.3)),
        case("glass 0.6", glass(1.5, 0.6, 0.6)),
        case("glass 1", glass(2.0, 1.0, 1.0)),
        case("glass 0.3 x 0.6", glass(1.5, 0.3, 0.6)),
        case("thinner glass", glass(0.7, 0.3, 0.3)),
        case("thin glass", Bsdf::Dielectric(Dielectric { thin: true, ..GLASS })),
        case(
            "tinted glass",
            Bsdf::Dielectric(Dielectric {
                reflectance: Vec3::new(0.5, 1.0, 0.2),
                transmittance: Vec3::new(0.2, 0.9, 0.0),
                ..GLASS
            }),
        ),
        case("coated glass", glazed(GLASS, Vec3::ONE, 1.0, 1.0)),
        case("half coated thin glass", glazed(Dielectric { thin: true, ..GLASS }, Vec3::ONE, 1.0, 0.5)),
        case("glass of half the specular", glazed(GLASS, Vec3::ONE, 0.5, 0.0)),
        case("glass without specular", glazed(GLASS, Vec3::ONE, 0.0, 0.0)),
        case("rough glass without specular", glazed(Dielectric { alpha: Vec2::ONE, ..GLASS }, Vec3::ONE, 0.0, 0.0)),
        case("glass with a red specular", glazed(GLASS, Vec3::new(5.0, 1.0, 0.2), 1.0, 0.7)),
        case(
            "thin glass with a red specular",
            glazed(Dielectric { thin: true, ..GLASS }, Vec3::new(5.0, 1.0, 0.2), 0.9, 0.7),
        ),
    ]
}

/// Returns the BSDF without its further bounces, if it has any.
fn first_bounce(bsdf: &Bsdf) -> Option<Bsdf> {
    let scattering = Scattering::Single;
    Some(match *bsdf {
        Bsdf::Conductor(c) => Bsdf::Conductor(Conductor { fresnel_mean: Vec3::ZERO, ..c }),
        Bsdf::Dielectric(d) => Bsdf::Dielectric(Dielectric { scattering, ..d }),
        Bsdf::Principled(p) => Bsdf::Principled(PrincipledBsdf { scattering, ..p }),
        Bsdf::CarPaint(p) => Bsdf::CarPaint(CarPaintBsdf { scattering, ..p }),
        _ => return None,
    })
}

/// Returns outgoing directions for tests: from above, grazing, and from below.
fn outgoing() -> [Vec3; 5] {
    [direction(0.0, 0.0), direction(35.0, 20.0), direction(65.0, 200.0), direction(83.0, 60.0), direction(130.0, 300.0)]
}

/// Returns the elevation, from the upper pole, at which the density of a rough dielectric's transmission jumps: where
/// the refracting facets stand upright.
fn jump(bsdf: &Bsdf, wo: Vec3) -> Option<f64> {
    let Dielectric { ior, .. } = boundary(bsdf).filter(|glass| !glass.thin)?;
    let z = -f64::from(wo.z) / f64::from(if wo.z > 0.0 { ior } else { 1.0 / ior });
    (z.abs() < 1.0).then(|| z.acos())
}

/// Integrates `f(wi)` over the sphere by `2 n` points in elevation and `8 n` in azimuth, where grazing lobes are
/// narrowest.
fn integrate_sphere(n: usize, jump: Option<f64>, mut f: impl FnMut(Vec3) -> DVec3) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for_each_point(2 * n, 8 * n, jump, |_, _, wi, solid_angle| sum += f(wi) * solid_angle);
    sum
}

/// Calls `f(row, column, direction, solid angle)` for the points of a quadrature of the sphere, with rows from the
/// upper pole. Equal angles put points at the poles, where the narrow lobes about the normal are; the elevation takes
/// two Gauss points to a step, and a step is divided at the elevation `jump`; the azimuth takes midpoints. `rows` is a
/// multiple of 4, so that no step crosses the horizon.
fn for_each_point(rows: usize, columns: usize, jump: Option<f64>, mut f: impl FnMut(usize, usize, Vec3, f64)) {
    assert_eq!(rows % 4, 0);
    let (d_theta, d_phi) = (TAU / rows as f64, TAU / columns as f64);
    let azimuths: Vec<_> = (0..columns).map(|j| ((j as f64 + 0.5) * d_phi).sin_cos()).collect();
    for step in 0..rows / 2 {
        let [begin, end] = [step, step + 1].map(|s| s as f64 * d_theta);
        let middle = jump.filter(|&j| begin < j && j < end).unwrap_or(end);
        for (begin, end) in [(begin, middle), (middle, end)] {
            for (i, gauss) in [-0.5, 0.5].map(|side| 0.5 + side / 3f64.sqrt()).into_iter().enumerate() {
                let (r, z) = (begin + gauss * (end - begin)).sin_cos();
                let solid_angle = r * 0.5 * (end - begin) * d_phi;
                if solid_angle == 0.0 {
                    continue;
                }
                for (j, (sin, cos)) in azimuths.iter().enumerate() {
                    f(2 * step + i, j, DVec3::new(r * cos, r * sin, z).as_vec3(), solid_angle);
                }
            }
        }
    }
}
