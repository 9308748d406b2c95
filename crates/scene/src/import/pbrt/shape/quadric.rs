//! Surfaces of revolution about z: sphere, disk, cylinder, cone and paraboloid, as triangles with
//! exact normals and pbrt's texture coordinates.
//!
//! Vertices lie on the surface. With [`AROUND`] pieces around and half as many from pole to pole,
//! a sphere's triangles reach at most 6.1e-4 of its radius inside it and have 0.05 % less area. Equal
//! shapes share one mesh.

use super::{Look, ShapeKey, orient};
use crate::each::Each;
use crate::import::pbrt::area_light::Pieces;
use crate::import::pbrt::params::Params;
use crate::import::pbrt::state::Importer;
use crate::{FaceMaterials, ImportError, MaterialId, Mesh, PbrtFault};
use raywarp_geom::TriangleMesh;
use std::f64::consts::{PI, TAU};

/// Number of segments of a full circle in tessellated quadrics.
const AROUND: u32 = 128;
/// Number of rows from pole to pole of a tessellated sphere, and along a paraboloid.
const ROWS: u32 = 64;

/// Point of the curve that is revolved about z: radius, height, pbrt's v, and normal (outwards, up).
#[derive(Debug, Clone, Copy)]
struct ProfilePoint {
    r: f64,
    z: f64,
    v: f64,
    normal: [f64; 2],
}

/// Tessellates a sphere about the origin, facing outwards, as used for lights that are sampled as balls.
pub fn sphere(radius: f64) -> TriangleMesh {
    revolve(&profile("sphere", radius, -radius, radius), TAU)
}

impl Importer<'_> {
    pub(super) fn quadric(
        &mut self,
        kind: &str,
        params: &Params,
        base: MaterialId,
        look: Look,
    ) -> Result<(), ImportError> {
        let float = |name: &str, default: f32| params.float_or(name, default);
        let radius = float("radius", 1.0)?;
        let (names, defaults) = match kind {
            "sphere" => (["zmin", "zmax"], [-radius, radius]),
            "cylinder" => (["zmin", "zmax"], [-1.0, 1.0]),
            "paraboloid" => (["zmin", "zmax"], [0.0, 1.0]),
            "cone" => (["height", "height"], [1.0, 1.0]),
            _ => (["height", "innerradius"], [0.0, 0.0]),
        };
        let (a, b) = (float(names[0], defaults[0])?, float(names[1], defaults[1])?);
        let phi_max = float("phimax", 360.0)?.clamp(0.0, 360.0);
        if !(radius > 0.0 && phi_max > 0.0) {
            return Err(params.error(PbrtFault::Radius { shape: kind.into(), radius, phi_max }));
        }
        let reverse = self.graphics.reverse_orientation;
        let bits = [radius, a, b, phi_max].map(f32::to_bits).to_vec();
        let key = ShapeKey::Made { kind: kind.into(), bits, reverse };
        let known = self.shapes.get(&key).copied();
        let mesh = match known {
            Some(mesh) => mesh,
            None => {
                let profile = profile(kind, f64::from(radius), f64::from(a), f64::from(b));
                if profile.iter().any(|p| !(p.r.is_finite() && p.z.is_finite())) || profile.len() < 2 {
                    return Err(params.error(PbrtFault::EmptyQuadric { shape: kind.into() }));
                }
                let mut triangles = revolve(&profile, f64::from(phi_max).to_radians());
                self.spend(params, triangles.indices.len() as u64)?;
                orient(&mut triangles, reverse);
                let name = format!("{kind} of line {}", params.line);
                let materials = FaceMaterials::Uniform(base);
                let mesh = self.scene.add_mesh(Mesh { name, triangles, materials });
                self.shapes.insert(key, mesh);
                mesh
            }
        };
        let look = match self.has_power(look) {
            true => {
                self.with_power(params, look, &self.scene.meshes[mesh.index()].triangles.clone(), Pieces::Patches(1))
            }
            false => look,
        };
        let material = self.derive(base, look);
        if known.is_none() {
            self.scene.meshes[mesh.index()].materials = FaceMaterials::Uniform(material);
        }
        self.place(params, mesh, material)
    }
}

/// Returns the curve that is revolved for the quadric `kind`, with v from 0 to 1; empty when nothing is left of the
/// shape.
fn profile(kind: &str, radius: f64, a: f64, b: f64) -> Vec<ProfilePoint> {
    let (low, high) = (a.min(b), a.max(b));
    let steps = |n: u32| (0..=n).map(move |i| f64::from(i) / f64::from(n));
    match kind {
        "sphere" => {
            let angle = |z: f64| (z / radius).clamp(-1.0, 1.0).acos();
            let (from, to) = (angle(low), angle(high));
            if from <= to {
                return Vec::new();
            }
            let rows = (f64::from(ROWS) * (from - to) / PI).ceil().max(1.0) as u32;
            steps(rows)
                .map(|v| {
                    let theta = from + (to - from) * v;
                    // Exactly on the axis at the poles.
                    let pole = theta == 0.0 || theta == PI;
                    let (sin, cos) = if pole { (0.0, theta.cos()) } else { theta.sin_cos() };
                    ProfilePoint { r: radius * sin, z: radius * cos, v, normal: [sin, cos] }
                })
                .collect()
        }
        "cylinder" if low < high => {
            steps(1).map(|v| ProfilePoint { r: radius, z: low + (high - low) * v, v, normal: [1.0, 0.0] }).collect()
        }
        "cone" if a > 0.0 => {
            let length = radius.hypot(a);
            let normal = [a / length, radius / length];
            steps(1).map(|v| ProfilePoint { r: radius * (1.0 - v), z: a * v, v, normal }).collect()
        }
        "paraboloid" if low < high && high > 0.0 => {
            let low = low.max(0.0);
            let radius_at = |z: f64| radius * (z / high).sqrt();
            let (from, to) = (radius_at(low), radius);
            // Even steps of the radius; v is even in z as pbrt has it.
            steps(ROWS)
                .map(|t| {
                    let r = from + (to - from) * t;
                    let z = high * (r / radius).powi(2);
                    let slope = 2.0 * high * r / (radius * radius);
                    let length = slope.hypot(1.0);
                    ProfilePoint { r, z, v: (z - low) / (high - low), normal: [slope / length, -1.0 / length] }
                })
                .collect()
        }
        // `a` is the height, `b` the inner radius; v grows inwards.
        "disk" if b >= 0.0 && b < radius => {
            steps(1).map(|v| ProfilePoint { r: radius + (b - radius) * v, z: a, v, normal: [0.0, 1.0] }).collect()
        }
        _ => Vec::new(),
    }
}

/// Tessellates the surface of a curve revolved about z from angle 0 to `phi_max`. The counter-clockwise side is that of
/// d/du x d/dv.
fn revolve(profile: &[ProfilePoint], phi_max: f64) -> TriangleMesh {
    let full = phi_max >= TAU - 1e-9;
    let pieces = if full { AROUND } else { (f64::from(AROUND) * phi_max / TAU).ceil().max(1.0) as u32 };
    let mut mesh = TriangleMesh::default();
    for point in profile {
        for i in 0..=pieces {
            let u = f64::from(i) / f64::from(pieces);
            // The last column of a full turn is the first, bit for bit, so that there is no gap.
            let (sin, cos) = if full && i == pieces { (0.0, 1.0) } else { (phi_max * u).sin_cos() };
            mesh.positions.push([point.r * cos, point.r * sin, point.z].each(|x| x as f32));
            mesh.normals.push([point.normal[0] * cos, point.normal[0] * sin, point.normal[1]].each(|x| x as f32));
            mesh.uvs.push([u as f32, (1.0 - point.v) as f32]);
        }
    }
    let at = |row: usize, i: u32| row as u32 * (pieces + 1) + i;
    for row in 0..profile.len() - 1 {
        for i in 0..pieces {
            let (a, b, c, d) = (at(row, i), at(row, i + 1), at(row + 1, i + 1), at(row + 1, i));
            // At a point on the axis one of the two triangles has no area.
            if profile[row].r != 0.0 {
                mesh.indices.push([a, b, c]);
            }
            if profile[row + 1].r != 0.0 {
                mesh.indices.push([a, c, d]);
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn corners(mesh: &TriangleMesh, i: usize) -> [DVec3; 3] {
        mesh.corners(i).map(|p| DVec3::from(p.map(f64::from)))
    }

    #[test]
    fn a_sphere_faces_outwards_and_keeps_its_stated_error() {
        let mesh = revolve(&profile("sphere", 2.0, -2.0, 2.0), TAU);
        assert_eq!(mesh.indices.len() as u32, AROUND * (ROWS - 1) * 2);
        let (mut area, mut nearest) = (0.0, f64::MAX);
        for i in 0..mesh.indices.len() {
            let [a, b, c] = corners(&mesh, i);
            let cross = (b - a).cross(c - a);
            assert!(cross.dot(a + b + c) > 0.0, "triangle {i} faces inwards");
            area += cross.length() / 2.0;
            nearest = nearest.min(cross.normalize().dot(a));
        }
        assert!((1.0 - nearest / 2.0) < 6.1e-4, "{}", 1.0 - nearest / 2.0);
        assert!((1.0 - area / (4.0 * PI * 4.0)).abs() < 5.1e-4, "{area}");
    }

    #[test]
    fn a_full_turn_is_closed() {
        for kind in ["sphere", "cylinder"] {
            let mesh = revolve(&profile(kind, 1.5, -1.5, 1.5), TAU);
            let mut edges = std::collections::HashMap::new();
            for i in 0..mesh.indices.len() {
                let corners = mesh.corners(i).map(|p| p.map(|x| (x + 0.0).to_bits()));
                for k in 0..3 {
                    *edges.entry((corners[k], corners[(k + 1) % 3])).or_insert(0) += 1;
                }
            }
            let open = edges.keys().filter(|(a, b)| !edges.contains_key(&(*b, *a))).count();
            assert_eq!(open, if kind == "sphere" { 0 } else { 2 * AROUND as usize }, "{kind}");
            assert!(edges.values().all(|&n| n == 1), "{kind}");
        }
    }

    #[test]
    fn parts_normals_and_coordinates_are_pbrts() {
        for (kind, radius, a, b, area, up) in [
            ("disk", 2.0, 3.0, 1.0, 3.0 * PI, 1.0),
            ("cylinder", 1.0, 0.0, 2.0, 4.0 * PI, 0.0),
            ("cone", 1.0, 1.0, 1.0, PI * 2f64.sqrt(), 0.5f64.sqrt()),
            ("sphere", 1.0, 0.0, 1.0, TAU, f64::NAN),
            ("paraboloid", 1.0, 0.0, 1.0, PI / 6.0 * (5f64.powf(1.5) - 1.0), f64::NAN),
        ] {
            let mesh = revolve(&profile(kind, radius, a, b), PI);
            let mut found = 0.0;
            for i in 0..mesh.indices.len() {
                let [p, q, r] = corners(&mesh, i);
                let cross = (q - p).cross(r - p);
                found += cross.length() / 2.0;
                for &corner in &mesh.indices[i] {
                    let normal = DVec3::from(mesh.normals[corner as usize].map(f64::from));
                    assert!((normal.length() - 1.0).abs() < 1e-6, "{kind}");
                    assert!(normal.dot(cross.normalize()) > 0.99, "{kind}: a normal on the wrong side");
                    assert!(up.is_nan() || (normal.z - up).abs() < 1e-6, "{kind}");
                }
            }
            assert!((found / (area / 2.0) - 1.0).abs() < 2e-3, "{kind}: area {found}");
        }
        // v = 0 is at the lowest z (the disk's rim), which is our v = 1; u turns from +x to +y.
        let sphere = revolve(&profile("sphere", 1.0, -1.0, 1.0), TAU);
        assert_eq!((sphere.positions[0], sphere.uvs[0]), ([0.0, 0.0, -1.0], [0.0, 1.0]));
        let quarter = (AROUND / 4 + (ROWS / 2) * (AROUND + 1)) as usize;
        assert!((sphere.positions[quarter][1] - 1.0).abs() < 1e-6);
        assert_eq!(sphere.uvs[quarter], [0.25, 0.5]);
    }

    #[test]
    fn what_has_no_area_is_empty() {
        for (kind, radius, a, b) in
            [("sphere", 1.0, 2.0, 3.0), ("cylinder", 1.0, 1.0, 1.0), ("disk", 1.0, 0.0, 1.0), ("cone", 1.0, 0.0, 0.0)]
        {
            assert!(profile(kind, radius, a, b).is_empty(), "{kind}");
        }
    }
}
