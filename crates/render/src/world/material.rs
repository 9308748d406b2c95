//! From a surface point to its BSDF: textures looked up, mixtures decided, normals bent.

use super::World;
use super::frame::Frame;
use super::surface::SurfacePoint;
use super::texture::TexturePoint;
use crate::bsdf::{Blinn, Bsdf, CarPaint, Conductor, Dielectric, Principled, f0_of_ior};
use glam::{Vec2, Vec3};
use raywarp_sample::hash;
use raywarp_scene::{self as scene, Material, NormalInput, Roughness, RoughnessRemap, ScalarInput, Surface};

/// What a vertex scatters with.
pub(crate) struct Shading {
    pub bsdf: Bsdf,
    pub frame: Frame,
    /// Unit, on the front side.
    pub geometric_normal: Vec3,
}

/// Smallest GGX alpha of coats and of the glTF model, which have no delta lobe beside their base.
const MIN_COAT_ALPHA: f32 = 1e-3;
/// Step in texture coordinates over which a bump map's slope is taken.
const BUMP_STEP: f32 = 1.0 / 2048.0;

impl World<'_> {
    /// The BSDF and its frame at a surface point seen from the unit direction `wo`; `u` decides
    /// between the parts of a mixture.
    pub(crate) fn shading(&self, point: &SurfacePoint, instance: u32, wo: Vec3, u: f32) -> Shading {
        let geometric_normal = point.geometric_normal;
        let outer = &self.scene.materials[point.material.index()];
        // Plain diffuse surfaces, the most common by far, need no texture coordinates and no tangent.
        if let (Surface::Diffuse { reflectance }, None) = (&outer.surface, &outer.normal)
            && reflectance.texture.is_none()
        {
            let frame = Frame::around(facing(point.shading_normal, geometric_normal, wo));
            let reflectance = Vec3::from(reflectance.factor).clamp(Vec3::ZERO, Vec3::ONE);
            return Shading { bsdf: Bsdf::Diffuse { reflectance }, frame, geometric_normal };
        }
        let at = self.texture_point(point.mesh, point.primitive, point.barycentrics);
        let (material, u) = self.decide(outer, &at, u);
        let mut normal = point.shading_normal;
        // A mixture's own bumps hold where its part has none.
        let input = material.normal.as_ref().or(outer.normal.as_ref());
        if let Some(input) = input {
            normal = self.bent_normal(input, point, instance, &at);
        }
        normal = facing(normal, geometric_normal, wo);
        if input.is_some() && reflects(&material.surface) {
            normal = lifted(normal, geometric_normal, wo);
        }
        let frame = match self.tangent_matters(&material.surface) {
            true => match self.tangent(point, instance) {
                Some((tangent, _)) => Frame::along(normal, tangent),
                None => Frame::around(normal),
            },
            false => Frame::around(normal),
        };
        let bsdf = self.bsdf(&material.surface, &at, u);
        Shading { bsdf, frame, geometric_normal }
    }

    /// The part of a mixture that `u` falls on, and `u` spread over the unit interval again. Parts
    /// come before the mixtures that hold them, so this ends.
    fn decide<'m>(&'m self, mut material: &'m Material, at: &TexturePoint, mut u: f32) -> (&'m Material, f32) {
        while let Surface::Mix { first, second, amount } = &material.surface {
            let amount = self.textures.scalar(amount, at).clamp(0.0, 1.0);
            let (id, chosen) = choose(amount, &mut u);
            debug_assert!(chosen > 0.0);
            material = &self.scene.materials[if id { second.index() } else { first.index() }];
        }
        (material, u)
    }

    fn tangent_matters(&self, surface: &Surface) -> bool {
        let anisotropic = |r: &Roughness| r.x != r.y;
        match surface {
            Surface::Conductor { roughness, .. }
            | Surface::Dielectric { roughness, .. }
            | Surface::Coated { roughness, .. } => anisotropic(roughness),
            Surface::Principled(p) => anisotropic(&p.roughness),
            _ => false,
        }
    }

    /// The shading normal after a normal map or a bump map.
    fn bent_normal(&self, input: &NormalInput, point: &SurfacePoint, instance: u32, at: &TexturePoint) -> Vec3 {
        let normal = point.shading_normal;
        let bent = match input {
            NormalInput::Map { texture, scale } => self.tangent(point, instance).and_then(|(tangent, sign)| {
                let frame = Frame::along(normal, tangent);
                let m = self.textures.value(*texture, at).truncate() * 2.0 - 1.0;
                let bent = frame.tangent * (m.x * scale) + frame.bitangent * (m.y * scale * sign) + normal * m.z;
                bent.try_normalize()
            }),
            NormalInput::Bump { height } => self.position_derivatives(point, instance).and_then(|(dpdu, dpdv)| {
                let h = |du: f32, dv: f32| {
                    let step = Vec2::new(du, dv);
                    self.textures.scalar(height, &TexturePoint { uv: at.uv.map(|uv| uv + step), ..*at })
                };
                let here = h(0.0, 0.0);
                let slope = Vec2::new(h(BUMP_STEP, 0.0) - here, h(0.0, BUMP_STEP) - here) / BUMP_STEP;
                let bent = (dpdu + slope.x * normal).cross(dpdv + slope.y * normal).try_normalize()?;
                Some(if bent.dot(normal) < 0.0 { -bent } else { bent })
            }),
        };
        bent.filter(|n| n.is_finite()).unwrap_or(normal)
    }

    fn alpha(&self, roughness: &Roughness, at: &TexturePoint, least: f32) -> Vec2 {
        let one = |input: &ScalarInput| remap(self.textures.scalar(input, at), roughness.remap).clamp(least, 1.0);
        let x = one(&roughness.x);
        Vec2::new(x, if roughness.y == roughness.x { x } else { one(&roughness.y) })
    }

    /// The BSDF of a surface that is no mixture.
    fn bsdf(&self, surface: &Surface, at: &TexturePoint, mut u: f32) -> Bsdf {
        let share = |input| self.textures.color(input, at).clamp(Vec3::ZERO, Vec3::ONE);
        match surface {
            Surface::Diffuse { reflectance } => Bsdf::Diffuse { reflectance: share(reflectance) },
            Surface::DiffuseTransmission { reflectance, transmittance } => {
                let (reflectance, transmittance) = (share(reflectance), share(transmittance));
                let scale = (reflectance + transmittance).max(Vec3::ONE).recip();
                Bsdf::DiffuseTransmission { reflectance: reflectance * scale, transmittance: transmittance * scale }
            }
            Surface::Blinn { diffuse, specular, exponent } => Bsdf::Blinn(Blinn {
                diffuse: share(diffuse),
                specular: share(specular),
                exponent: self.textures.scalar(exponent, at).clamp(0.0, 1e6),
            }),
            Surface::Mirror { reflectance } => Bsdf::Mirror { reflectance: share(reflectance) },
            Surface::Conductor { eta, k, roughness } => Bsdf::Conductor(Conductor {
                eta: self.textures.color(eta, at).max(Vec3::ZERO),
                k: self.textures.color(k, at).max(Vec3::ZERO),
                alpha: self.alpha(roughness, at, 0.0),
            }),
            Surface::Dielectric { ior, roughness, reflectance, transmittance, thin, .. } => {
                Bsdf::Dielectric(Dielectric {
                    ior: *ior,
                    alpha: self.alpha(roughness, at, 0.0),
                    reflectance: share(reflectance),
                    transmittance: share(transmittance),
                    thin: *thin,
                })
            }
            Surface::Coated { diffuse, specular, roughness } => {
                let alpha = self.alpha(roughness, at, MIN_COAT_ALPHA);
                Bsdf::Principled(Principled::coated(share(diffuse), share(specular), alpha))
            }
            Surface::Principled(p) => self.principled(p, at, &mut u),
            Surface::CarPaint(p) => car_paint(p, share(&p.base), share(&p.flake_color), at),
            // Inside a mixture: straight through, unbent and untinted.
            Surface::Invisible => Bsdf::Dielectric(Dielectric {
                ior: 1.0,
                alpha: Vec2::ZERO,
                reflectance: Vec3::ONE,
                transmittance: Vec3::ONE,
                thin: true,
            }),
            Surface::Mix { .. } | Surface::Unlit { .. } => Bsdf::Black,
        }
    }

    fn principled(&self, p: &scene::Principled, at: &TexturePoint, u: &mut f32) -> Bsdf {
        let base = self.textures.color(&p.base_color, at).clamp(Vec3::ZERO, Vec3::ONE);
        let metallic = self.textures.scalar(&p.metallic, at).clamp(0.0, 1.0);
        let transmission = self.textures.scalar(&p.transmission, at).clamp(0.0, 1.0) * (1.0 - metallic);
        if transmission > 0.0 && choose(transmission, u).0 {
            return Bsdf::Dielectric(Dielectric {
                ior: p.ior,
                alpha: self.alpha(&p.roughness, at, 0.0),
                reflectance: Vec3::ONE,
                transmittance: base,
                thin: p.thin,
            });
        }
        let specular = self.textures.scalar(&p.specular, at).clamp(0.0, 1.0);
        let tint = self.textures.color(&p.specular_color, at).max(Vec3::ZERO);
        let coat = self.textures.scalar(&p.clearcoat, at).clamp(0.0, 1.0);
        let coat_roughness = self.textures.scalar(&p.clearcoat_roughness, at).clamp(0.0, 1.0);
        // The glass share of what is left has been taken out: the metal's share of it grows.
        let metallic = if transmission < 1.0 { metallic / (1.0 - transmission) } else { metallic };
        Bsdf::Principled(Principled {
            base,
            metallic: metallic.min(1.0),
            f0: (f0_of_ior(p.ior) * tint).min(Vec3::ONE) * specular,
            f90: specular,
            alpha: self.alpha(&p.roughness, at, MIN_COAT_ALPHA),
            coat,
            coat_alpha: (coat_roughness * coat_roughness).max(MIN_COAT_ALPHA),
        })
    }
}

/// Whether `u` falls on the part of probability `share`, and that outcome's probability; `u` is spread
/// over the unit interval again.
fn choose(share: f32, u: &mut f32) -> (bool, f32) {
    let (chosen, probability, rest) = if *u < share { (true, share, *u) } else { (false, 1.0 - share, *u - share) };
    *u = (rest / probability).clamp(0.0, hash::ONE_MINUS_EPSILON);
    (chosen, probability)
}

/// A shading normal on the geometric normal's side, or the geometric normal where the viewer sees
/// the surface from one side and the shading normal from the other.
fn facing(shading: Vec3, geometric: Vec3, wo: Vec3) -> Vec3 {
    let normal = if shading.dot(geometric) < 0.0 { -shading } else { shading };
    if normal.dot(wo) * geometric.dot(wo) > 0.0 { normal } else { geometric }
}

/// Whether a surface has a lobe about the mirrored direction that is more than a gloss.
fn reflects(surface: &Surface) -> bool {
    matches!(
        surface,
        Surface::Mirror { .. }
            | Surface::Conductor { .. }
            | Surface::Dielectric { .. }
            | Surface::Coated { .. }
            | Surface::Principled(_)
            | Surface::CarPaint(_)
    )
}

/// A normal that a map bent, turned back as little as it takes for the mirrored direction to leave
/// the surface: a mirror with bumps would be black where that direction goes below it.
///
/// `normal` must come from [`facing`].
fn lifted(normal: Vec3, geometric: Vec3, wo: Vec3) -> Vec3 {
    let side = geometric * geometric.dot(wo).signum();
    // At grazing views even the flat surface mirrors along itself.
    let least = (0.9 * side.dot(wo)).min(0.01);
    let mirrored = 2.0 * normal.dot(wo) * normal - wo;
    let height = mirrored.dot(side);
    if height >= least {
        return normal;
    }
    let halfway = (mirrored + (least - height) * side).try_normalize().and_then(|wi| (wo + wi).try_normalize());
    halfway.map_or(geometric, |h| if h.dot(geometric) < 0.0 { -h } else { h })
}

/// A file's roughness as GGX alpha.
fn remap(roughness: f32, remap: RoughnessRemap) -> f32 {
    let r = roughness.max(0.0);
    match remap {
        RoughnessRemap::None => r,
        RoughnessRemap::Square => r * r,
        RoughnessRemap::Sqrt => r.sqrt(),
        // Exactly smooth stays smooth; the polynomial would give 0.05.
        RoughnessRemap::Pbrt3 if r == 0.0 => 0.0,
        RoughnessRemap::Pbrt3 => {
            let x = r.max(1e-3).ln();
            1.621_42 + x * (0.819_955 + x * (0.173_4 + x * (0.017_120_1 + x * 0.000_640_711)))
        }
    }
}

/// Visible flakes each tilt the normal of the flake lobe: one normal a cell of the texture space,
/// drawn from the flakes' own GGX distribution.
fn car_paint(p: &scene::CarPaint, base: Vec3, flake_color: Vec3, at: &TexturePoint) -> Bsdf {
    let flake_normal = (p.flake_size > 0.0).then(|| {
        let cell = (at.uv[0] / p.flake_size).floor();
        let key = hash::combine(hash::pcg(cell.x as i32 as u32), cell.y as i32 as u32);
        let (u1, u2) = (hash::to_unit(key), hash::to_unit(hash::pcg(key)));
        let tan2 = p.flake_alpha * p.flake_alpha * u1 / (1.0 - u1).max(1e-6);
        let cos = 1.0 / (1.0 + tan2).sqrt();
        let sin = (1.0 - cos * cos).max(0.0).sqrt();
        let (s, c) = (std::f32::consts::TAU * u2).sin_cos();
        Vec3::new(sin * c, sin * s, cos)
    });
    Bsdf::CarPaint(CarPaint {
        base,
        flake_color,
        flake_amount: p.flake_amount.clamp(0.0, 1.0),
        flake_alpha: p.flake_alpha.clamp(MIN_COAT_ALPHA, 1.0),
        flake_normal: flake_normal.unwrap_or(Vec3::Z),
        coat_ior: p.coat_ior,
        coat_alpha: p.coat_alpha.clamp(MIN_COAT_ALPHA, 1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_leaves_a_uniform_number() {
        let mut u = 0.2;
        assert_eq!(choose(0.4, &mut u), (true, 0.4));
        assert_eq!(u, 0.5);
        let mut u = 0.7;
        assert!(!choose(0.4, &mut u).0);
        assert!((u - 0.5).abs() < 1e-6);
        for share in [0.0, 1.0] {
            let mut u = 0.999_999_9;
            assert_eq!(choose(share, &mut u), (share == 1.0, 1.0));
            assert!(u < 1.0);
        }
    }

    #[test]
    fn shading_normals_never_face_away_from_the_viewer() {
        let g = Vec3::Z;
        assert_eq!(facing(Vec3::new(0.0, 0.6, 0.8), g, Vec3::Z), Vec3::new(0.0, 0.6, 0.8));
        assert_eq!(facing(Vec3::new(0.0, -0.6, -0.8), g, Vec3::Z), Vec3::new(0.0, 0.6, 0.8));
        let grazing = Vec3::new(0.0, -0.995, 0.1);
        assert_eq!(facing(Vec3::new(0.0, 0.6, 0.8), g, grazing), g);
        assert_eq!(facing(Vec3::new(0.0, 0.6, 0.8), g, -grazing), g);
    }

    #[test]
    fn a_bent_normal_never_mirrors_into_the_surface() {
        let unit = |theta: f32, phi: f32| {
            let ((s, c), (sin, cos)) = (theta.sin_cos(), phi.sin_cos());
            Vec3::new(s * cos, s * sin, c)
        };
        let mut turned = 0;
        for i in 0..20 * 20 * 12 {
            let (bent, view, phi) = ((i % 20) as f32 / 20.0 * 1.5, (i / 20 % 20) as f32 / 20.0 * 3.1, (i / 400) as f32);
            let (g, wo) = (Vec3::Z, unit(view, phi));
            let normal = facing(unit(bent, 0.0), g, wo);
            let found = lifted(normal, g, wo);
            let side = g * g.dot(wo).signum();
            let height = (2.0 * found.dot(wo) * found - wo).dot(side);
            assert!((found.length() - 1.0).abs() < 1e-5 && found.dot(g) > 0.0, "{found}");
            assert!(found.dot(wo) * g.dot(wo) > 0.0, "faces away");
            assert!(height > 0.0, "{bent} {view} {phi}: {height}");
            if found != normal {
                turned += 1;
                let before = (2.0 * normal.dot(wo) * normal - wo).dot(side);
                assert!(before < 0.01, "turned without need: {before}");
            }
        }
        assert!(turned > 400, "{turned}");
    }

    #[test]
    fn roughness_becomes_alpha_as_each_format_says() {
        assert_eq!(remap(0.5, RoughnessRemap::Square), 0.25);
        assert_eq!(remap(0.25, RoughnessRemap::Sqrt), 0.5);
        assert_eq!(remap(0.25, RoughnessRemap::None), 0.25);
        // From the polynomial's own definition at r = 0.1 and r = 1.
        assert!((remap(0.1, RoughnessRemap::Pbrt3) - 0.461_76).abs() < 5e-4, "{}", remap(0.1, RoughnessRemap::Pbrt3));
        assert!((remap(1.0, RoughnessRemap::Pbrt3) - 1.621_42).abs() < 1e-6);
    }
}
