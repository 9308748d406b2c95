//! The lengths of free rays from points in space, which tell a room from a model, whatever its materials are.

use glam::DVec3;
use raywarp_geom::{Aabb, Control, Hit, Ray, Tracer};
use raywarp_scene::Description;

/// Approximate number of triangle corners sampled to find where nearly all triangles are, and one in how many may lie
/// outside on each side.
const CORNERS: usize = 1 << 16;
const FEW: usize = 20;

/// First surface that a ray hits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Met {
    /// Distance to the surface; infinite if nothing was hit.
    pub t: f32,
    pub instance: u32,
    pub primitive: u32,
}

impl Met {
    /// Returns `true` if the ray leaves the scene.
    pub(crate) fn escapes(&self) -> bool {
        !self.t.is_finite()
    }
}

/// Traces rays, and returns the first surface that each hits; `None` if the tracer fails.
pub(crate) fn met(tracer: &dyn Tracer, rays: &[Ray]) -> Option<Vec<Met>> {
    let mut hits = vec![Hit::default(); rays.len()];
    let mut instances = vec![0; rays.len()];
    tracer.closest(rays, &[], &mut hits, &mut instances, &Control::default()).ok()?;
    let met = |(hit, &instance): (&Hit, &u32)| match hit.is_hit() {
        true => Met { t: hit.t, instance, primitive: hit.primitive },
        false => Met { t: f32::INFINITY, instance, primitive: Hit::MISS },
    };
    Some(hits.iter().zip(&instances).map(met).collect())
}

/// Returns `count` directions that cover the sphere evenly: a Fibonacci lattice.
pub(crate) fn around(count: usize) -> impl Iterator<Item = DVec3> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..count).map(move |i| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * cos, r * sin, z)
    })
}

/// Returns rays from each of `points` in each of `directions`, point by point.
pub(crate) fn rays(points: &[DVec3], directions: impl Iterator<Item = DVec3>) -> Vec<Ray> {
    let directions: Vec<[f32; 3]> = directions.map(|d| d.as_vec3().to_array()).collect();
    let of_point = |&p: &DVec3| {
        let origin = p.as_vec3().to_array();
        directions.iter().map(move |&direction| Ray::new(origin, direction))
    };
    points.iter().flat_map(of_point).collect()
}

/// Returns the centres of `n[i]` equal parts of a box along each axis `i`.
pub(crate) fn grid(bounds: &Aabb, n: [usize; 3]) -> Vec<DVec3> {
    let at = |axis: usize, i: usize| {
        let (low, high) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
        low + (high - low) * (i as f64 + 0.5) / n[axis] as f64
    };
    let cells = (0..n[0]).flat_map(|x| (0..n[1]).flat_map(move |y| (0..n[2]).map(move |z| (x, y, z))));
    cells.map(|(x, y, z)| DVec3::new(at(0, x), at(1, y), at(2, z))).collect()
}

/// Returns the box of nearly all triangles: along each axis, one in [`FEW`] of their corners lies below it, and one in
/// as many above.
pub(crate) fn crowd(scene: &Description) -> Aabb {
    let stride = usize::try_from(scene.triangle_count() / CORNERS as u64).unwrap_or(usize::MAX).max(1);
    let mut axes: [Vec<f32>; 3] = Default::default();
    for (index, instance) in scene.instances.iter().enumerate() {
        let mesh = &scene.meshes[instance.mesh.index()].triangles;
        for triangle in (index % stride..mesh.indices.len()).step_by(stride) {
            let corner = instance.transform.point(mesh.corners(triangle)[triangle % 3]);
            axes.iter_mut().zip(corner).for_each(|(axis, x)| axis.push(x));
        }
    }
    let mut crowd = Aabb::EMPTY;
    for (i, axis) in axes.iter_mut().enumerate() {
        axis.sort_unstable_by(f32::total_cmp);
        let few = axis.len() / FEW;
        if let (Some(&low), Some(&high)) = (axis.get(few), axis.iter().nth_back(few)) {
            (crowd.min[i], crowd.max[i]) = (low, high);
        }
    }
    crowd
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_unit_and_balanced() {
        let sum: DVec3 = around(64).sum();
        assert!(sum.length() < 1.0 && around(64).all(|d| (d.length() - 1.0).abs() < 1e-12), "{sum}");
    }

    #[test]
    fn a_grid_has_the_middles_of_its_cells() {
        let bounds = Aabb { min: [0.0; 3], max: [2.0, 1.0, 3.0] };
        assert_eq!(grid(&bounds, [2, 1, 1]), [DVec3::new(0.5, 0.5, 1.5), DVec3::new(1.5, 0.5, 1.5)]);
    }
}
