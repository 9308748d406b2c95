//! The part of a triangle in a box, in f64.

use glam::DVec3;
use raywarp_geom::Aabb;

/// Returns the padding of boxes around parts of `triangle`, so that a ray which hits a part in floating point also
/// meets its box.
pub(crate) fn pad_of(triangle: &[[f32; 3]; 3]) -> f32 {
    4.0 * f32::EPSILON * triangle.iter().flatten().fold(0.0f32, |max, x| max.max(x.abs()))
}

/// Convex polygon: a triangle cut by at most seven planes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Polygon {
    points: [DVec3; 10],
    count: usize,
}

impl Polygon {
    pub(crate) fn of(triangle: &[[f32; 3]; 3]) -> Self {
        let mut polygon = Self { points: [DVec3::ZERO; 10], count: 3 };
        for (point, vertex) in polygon.points.iter_mut().zip(triangle) {
            *point = vertex.map(f64::from).into();
        }
        polygon
    }

    /// Returns the part of the polygon inside the box `cell`, borders included.
    pub(crate) fn clipped_to(&self, cell: &Aabb) -> Self {
        (0..3).fold(*self, |polygon, axis| {
            let (min, max) = (f64::from(cell.min[axis]), f64::from(cell.max[axis]));
            polygon.clipped(axis, min, false).clipped(axis, max, true)
        })
    }

    /// Returns the part of the polygon on one side of a plane (Sutherland and Hodgman 1974), points on the plane
    /// included.
    pub(crate) fn clipped(&self, axis: usize, plane: f64, below: bool) -> Self {
        let inside = |p: &DVec3| if below { p[axis] <= plane } else { p[axis] >= plane };
        let mut clipped = Self { points: [DVec3::ZERO; 10], count: 0 };
        let mut push = |p: DVec3| {
            // A plane cuts a convex polygon twice at most; rounding may bring one cut more.
            if let Some(point) = clipped.points.get_mut(clipped.count) {
                *point = p;
                clipped.count += 1;
            }
        };
        for i in 0..self.count {
            let (p, q) = (self.points[i], self.points[(i + 1) % self.count]);
            if inside(&p) {
                push(p);
            }
            if inside(&p) != inside(&q) {
                let cut = p + (q - p) * ((plane - p[axis]) / (q[axis] - p[axis]));
                // Rounding must not move the point out of a plane that both ends lie in or behind:
                // a later cut there would take it away, and a part of the triangle with it.
                let mut cut = cut.clamp(p.min(q), p.max(q));
                cut[axis] = plane;
                push(cut);
            }
        }
        clipped
    }

    /// Returns the sum of the polygon's areas projected along the three axes: the half area of the smallest boxes
    /// around it.
    pub(crate) fn projected_area(&self) -> f64 {
        let [first, rest @ ..] = &self.points[..self.count] else { return 0.0 };
        let fan = rest.windows(2).map(|pair| (pair[0] - first).cross(pair[1] - first));
        0.5 * fan.sum::<DVec3>().abs().element_sum()
    }

    /// Returns the area of the polygon.
    pub(crate) fn area(&self) -> f64 {
        let [first, rest @ ..] = &self.points[..self.count] else { return 0.0 };
        let fan = rest.windows(2).map(|pair| (pair[0] - first).cross(pair[1] - first));
        0.5 * fan.sum::<DVec3>().length()
    }

    /// Returns the smallest and the largest coordinates of the polygon.
    pub(crate) fn extent(&self) -> (DVec3, DVec3) {
        let points = self.points[..self.count].iter();
        points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), &p| (min.min(p), max.max(p)))
    }

    /// Returns the bounding box of the polygon, enlarged by `pad` and a rounding.
    pub(crate) fn bounds(&self, pad: f32) -> Aabb {
        let mut aabb = Aabb::EMPTY;
        for p in &self.points[..self.count] {
            for axis in 0..3 {
                let x = p[axis] as f32;
                aabb.min[axis] = aabb.min[axis].min((x - pad).next_down());
                aabb.max[axis] = aabb.max[axis].max((x + pad).next_up());
            }
        }
        aabb
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shadows_of_a_polygon_add_up() {
        let polygon = Polygon::of(&[[0.0, 0.0, 5.0], [2.0, 0.0, 5.0], [2.0, 2.0, 5.0]]);
        assert_eq!(polygon.projected_area(), 2.0);
        assert_eq!(polygon.clipped(0, 1.0, true).projected_area(), 0.5);
        assert_eq!(polygon.clipped(0, 3.0, false).projected_area(), 0.0);
    }
}
