//! Cuts a reference with a plane: the parts of its triangle on either side.

use crate::polygon::pad_of;
use crate::reference::Reference;
use glam::DVec3;
use raywarp_geom::Aabb;

/// Cuts `reference`, which belongs to `triangle`, at a plane; returns the parts below and above it, `None` where
/// nothing of the triangle lies.
///
/// Together they hold what of the triangle the reference's box holds: each is the box around the
/// whole triangle's part on that side, enlarged by the padding of all parts, as far as the
/// reference's own box reaches. That is what Stich 2009 does; a polygon that carries all
/// earlier cuts would make boxes a little smaller for three times the work.
pub(super) fn cut(reference: &Reference, triangle: &[[f32; 3]; 3], axis: usize, plane: f32) -> [Option<Reference>; 2] {
    let corners = triangle.map(|corner| DVec3::from(corner.map(f64::from)));
    let plane = f64::from(plane);
    let mut sides = [(DVec3::INFINITY, DVec3::NEG_INFINITY); 2];
    let mut add = |side: usize, p: DVec3| sides[side] = (sides[side].0.min(p), sides[side].1.max(p));
    for (i, &p) in corners.iter().enumerate() {
        let q = corners[(i + 1) % 3];
        if p[axis] <= plane {
            add(0, p);
        }
        if p[axis] >= plane {
            add(1, p);
        }
        if (p[axis] < plane) != (q[axis] < plane) && p[axis] != plane && q[axis] != plane {
            let mut point = p + (q - p) * ((plane - p[axis]) / (q[axis] - p[axis]));
            point[axis] = plane;
            add(0, point);
            add(1, point);
        }
    }
    let pad = pad_of(triangle);
    let cell = reference.bounds().aabb();
    sides.map(|(min, max)| {
        let part = Aabb {
            min: min.to_array().map(|x| (x as f32 - pad).next_down()),
            max: max.to_array().map(|x| (x as f32 + pad).next_up()),
        };
        let part = part.intersection(&cell);
        (!part.is_empty()).then(|| Reference::new(&part, reference.primitive()))
    })
}
