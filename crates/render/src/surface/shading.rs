//! Conversion of a surface point to its BSDF: textures looked up, mixtures decided, normals bent.

use super::frame::Frame;
use super::point::{SurfacePoint, position_derivatives, tangent, texture_point};
use crate::bsdf::{Bsdf, MaterialKind, Scattering};
use crate::flat::{Input, MaterialFlags, MaterialRecord, NONE, ShadingScene, try_normalize};
use crate::texture::{Inputs, TexturePoint, scalar, value};
use glam::{Vec2, Vec3};
use raywarp_sample::warp::choose;

/// Scattering model and shading frame at a vertex.
pub struct Shading {
    /// Scattering model, with directions in `frame`.
    pub bsdf: Bsdf,
    /// Shading frame, whose z axis is the shading normal.
    pub frame: Frame,
    /// Unit geometric normal, on the front side.
    pub geometric_normal: Vec3,
}

/// Step in texture coordinates for the finite differences of a bump map.
const BUMP_STEP: f32 = 1.0 / 2048.0;

/// Returns the BSDF and its frame at a surface point seen from the unit direction `wo`; `u` decides between the parts
/// of a mixture.
#[inline]
pub fn shading(scene: &ShadingScene, scattering: Scattering, point: &SurfacePoint, wo: Vec3, u: f32) -> Shading {
    let outer = &scene.materials[point.material as usize];
    // Plain diffuse surfaces, the most common by far, need no texture coordinates and no tangent.
    if outer.kind() == MaterialKind::Diffuse && !outer.has(MaterialFlags::LOOKS_AT_ATTRIBUTES) {
        let frame = Frame::around(facing(point.shading_normal, point.geometric_normal, wo));
        let reflectance = Vec3::from(scene.inputs[outer.first_input as usize].factor).clamp(Vec3::ZERO, Vec3::ONE);
        let bsdf = Bsdf::Diffuse { reflectance };
        return Shading { bsdf, frame, geometric_normal: point.geometric_normal };
    }
    shading_of_any(scene, scattering, outer, point, wo, u)
}

/// Returns the BSDF and its frame as [`shading`] does, for any kind of material.
fn shading_of_any(
    scene: &ShadingScene,
    scattering: Scattering,
    outer: &MaterialRecord,
    point: &SurfacePoint,
    wo: Vec3,
    u: f32,
) -> Shading {
    let geometric_normal = point.geometric_normal;
    let at = texture_point(scene, point.attributes, point.barycentrics);
    let (material, u) = decided(scene, outer, &at, u);
    // A mixture's own bumps hold where its part has none.
    let bent_by = if material.normal == NONE { outer } else { material };
    let normal = if bent_by.normal == NONE {
        facing(point.shading_normal, geometric_normal, wo)
    } else {
        bent_towards(scene, bent_by, material.kind(), point, &at, wo)
    };
    let along = if material.has(MaterialFlags::ANISOTROPIC) { tangent(scene, point) } else { None };
    let frame = along.map_or_else(|| Frame::around(normal), |(tangent, _)| Frame::along(normal, tangent));
    let bsdf = Bsdf::look_up(&Inputs { scene, material, at: &at, scattering }, u);
    Shading { bsdf, frame, geometric_normal }
}

/// Returns the part of a mixture that `u` chooses, and `u` rescaled to the unit interval. Parts come before the
/// mixtures that hold them, so this ends.
pub fn decided<'s>(
    scene: &'s ShadingScene,
    mut material: &'s MaterialRecord,
    at: &TexturePoint,
    mut u: f32,
) -> (&'s MaterialRecord, f32) {
    while material.kind() == MaterialKind::Mix {
        let amount = scalar(scene, &scene.inputs[material.first_input as usize], at).clamp(0.0, 1.0);
        let (is_second, probability) = choose(amount, &mut u);
        debug_assert!(probability > 0.0);
        material = &scene.materials[material.parts[usize::from(is_second)] as usize];
    }
    (material, u)
}

/// Returns the shading normal as the viewer sees it, after the normal or bump map of `bent_by`, for a surface of this
/// kind.
pub(crate) fn bent_towards(
    scene: &ShadingScene,
    bent_by: &MaterialRecord,
    kind: MaterialKind,
    point: &SurfacePoint,
    at: &TexturePoint,
    wo: Vec3,
) -> Vec3 {
    let normal = facing(bent_normal(scene, bent_by, point, at), point.geometric_normal, wo);
    if kind.mirrors() { lifted(normal, point.geometric_normal, wo) } else { normal }
}

/// Returns the shading normal after the normal or bump map of `material`.
pub fn bent_normal(scene: &ShadingScene, material: &MaterialRecord, point: &SurfacePoint, at: &TexturePoint) -> Vec3 {
    let input = &scene.inputs[material.normal as usize];
    let bent = if material.has(MaterialFlags::BUMP) {
        bumped(scene, input, point, at)
    } else {
        mapped(scene, input, point, at)
    };
    bent.filter(|n| n.is_finite()).unwrap_or(point.shading_normal)
}

/// Returns the shading normal from a tangent-space normal map.
fn mapped(scene: &ShadingScene, input: &Input, point: &SurfacePoint, at: &TexturePoint) -> Option<Vec3> {
    let (tangent, sign) = tangent(scene, point)?;
    let (normal, scale) = (point.shading_normal, input.factor[0]);
    let frame = Frame::along(normal, tangent);
    let m = value(scene, input.texture(), at).truncate() * 2.0 - 1.0;
    let bent = frame.tangent * (m.x * scale) + frame.bitangent * (m.y * scale * sign) + normal * m.z;
    bent.try_normalize()
}

/// Returns the shading normal from a height field (bump map).
fn bumped(scene: &ShadingScene, height: &Input, point: &SurfacePoint, at: &TexturePoint) -> Option<Vec3> {
    let (dpdu, dpdv) = position_derivatives(scene, point)?;
    let normal = point.shading_normal;
    let h = |du: f32, dv: f32| {
        let step = Vec2::new(du, dv);
        scalar(scene, height, &TexturePoint { uv: at.uv.map(|uv| uv + step), ..*at })
    };
    let here = h(0.0, 0.0);
    let slope = Vec2::new(h(BUMP_STEP, 0.0) - here, h(0.0, BUMP_STEP) - here) / BUMP_STEP;
    let bent = try_normalize((dpdu + slope.x * normal).cross(dpdv + slope.y * normal))?;
    Some(if bent.dot(normal) < 0.0 { -bent } else { bent })
}

/// Returns the shading normal on the geometric normal's side, or the geometric normal if the viewer sees the two from
/// different sides.
pub fn facing(shading: Vec3, geometric: Vec3, wo: Vec3) -> Vec3 {
    let normal = if shading.dot(geometric) < 0.0 { -shading } else { shading };
    if normal.dot(wo) * geometric.dot(wo) > 0.0 { normal } else { geometric }
}

/// Rotates a normal bent by a map back just enough for the mirrored direction to leave the surface, since a bumpy
/// mirror would be black where it goes below.
///
/// `normal` must come from [`facing`].
pub fn lifted(normal: Vec3, geometric: Vec3, wo: Vec3) -> Vec3 {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
