//! Camera rays: they lead from a place on the picture and a point on the lens into the scene.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use raywarp_geom::Ray;
use raywarp_sample::{elementary, warp};
use raywarp_scene::{Camera, FovAxis, Projection};

/// Camera prepared for a picture of a given size, which makes camera rays.
#[derive(Debug, Clone)]
pub struct Lens {
    /// Position of the camera.
    pub eye: Vec3,
    /// Unit vector to the right of the picture.
    pub right: Vec3,
    /// Unit vector upwards in the picture.
    pub up: Vec3,
    /// Unit vector in the direction of view.
    pub forward: Vec3,
    /// Half the picture's width and height: at distance 1 (perspective) or in scene units (orthographic).
    pub half: [f32; 2],
    /// `true` if rays leave from the eye (perspective) rather than from a plane (orthographic).
    pub perspective: bool,
    /// Radius of the lens in scene units; 0 for a pinhole.
    pub radius: f32,
    /// Distance along the direction of view at which the picture is sharp.
    pub focal_distance: f32,
    /// Columns and rows of the picture.
    pub size: [f32; 2],
}

/// Camera prepared for a picture of a given size as an 80-byte record, with the same layout on every device.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LensRecord {
    /// Centre of the lens in world units.
    pub eye: [f32; 3],
    /// Unit vector towards the right border of the picture.
    pub right: [f32; 3],
    /// Unit vector towards the top border of the picture.
    pub up: [f32; 3],
    /// Unit vector into the scene.
    pub forward: [f32; 3],
    /// Half the picture's width and height: at distance 1 for a perspective camera, else in scene units.
    pub half: [f32; 2],
    /// Columns and rows of the picture.
    pub size: [f32; 2],
    /// Projection of the camera: 1 for perspective, 0 for orthographic.
    pub perspective: u32,
    /// Radius of the lens in scene units; 0 for a pinhole.
    pub radius: f32,
    /// Distance along `forward` to the plane in focus.
    pub focal_distance: f32,
    /// Padding, which must be zero.
    pub unused: u32,
}

const _: () = assert!(size_of::<LensRecord>() == 80);

impl LensRecord {
    /// Makes the record of a camera for a picture of `size` pixels.
    pub fn new(camera: &Camera, size: [u32; 2]) -> Self {
        Lens::new(camera, size).record()
    }

    /// Returns a bound on the absolute coordinates from which camera rays start, on any axis, for pixel filters of at
    /// most 64 pixels.
    pub fn farthest_origin(&self) -> f32 {
        // A filter reaches beyond the picture by its radius, which is so much of half of its width.
        let half = |i: usize| if self.perspective == 1 { 0.0 } else { self.half[i] * (1.0 + 128.0 / self.size[i]) };
        let [x, y] = [half(0) + self.radius, half(1) + self.radius];
        let along = |i: usize| self.eye[i].abs() + x * self.right[i].abs() + y * self.up[i].abs();
        // And what rounds on the way.
        1.000_001 * along(0).max(along(1)).max(along(2))
    }
}

impl Lens {
    /// Makes the lens of `camera` for a picture of `size` pixels.
    pub fn new(camera: &Camera, size: [u32; 2]) -> Self {
        let size = size.map(|n| n as f32);
        let aspect = size[0] / size[1];
        let (half, perspective) = match camera.projection {
            Projection::Orthographic { half_height } => ([half_height * aspect, half_height], false),
            Projection::Perspective { fov, axis } => {
                let (sin, cos) = elementary::sin_cos(0.5 * fov.to_radians());
                let t = sin / cos;
                let vertical = match axis {
                    FovAxis::Vertical => true,
                    FovAxis::Horizontal => false,
                    FovAxis::Shorter => aspect >= 1.0,
                };
                (if vertical { [t * aspect, t] } else { [t, t / aspect] }, true)
            }
        };
        Self {
            eye: camera.eye.into(),
            right: camera.right.into(),
            up: camera.up.into(),
            forward: camera.forward.into(),
            half,
            perspective,
            radius: camera.lens_radius,
            focal_distance: camera.focal_distance,
            size,
        }
    }

    pub(crate) fn record(&self) -> LensRecord {
        LensRecord {
            eye: self.eye.into(),
            right: self.right.into(),
            up: self.up.into(),
            forward: self.forward.into(),
            half: self.half,
            size: self.size,
            perspective: u32::from(self.perspective),
            radius: self.radius,
            focal_distance: self.focal_distance,
            unused: 0,
        }
    }

    /// Returns the camera ray through pixel coordinates `(x, y)` (from the top left corner, pixel centres at + 0.5) and
    /// the lens point that `u` samples. Its direction is of unit length.
    pub fn ray(&self, x: f32, y: f32, u: [f32; 2]) -> Ray {
        let sx = (2.0 * x / self.size[0] - 1.0) * self.half[0];
        let sy = (1.0 - 2.0 * y / self.size[1]) * self.half[1];
        let across = sx * self.right + sy * self.up;
        let (mut origin, mut direction) =
            if self.perspective { (self.eye, self.forward + across) } else { (self.eye + across, self.forward) };
        if self.radius > 0.0 {
            let focus = origin + self.focal_distance * direction;
            let [lx, ly] = warp::concentric_disk(u);
            origin += self.radius * (lx * self.right + ly * self.up);
            direction = focus - origin;
        }
        Ray::new(origin.into(), direction.normalize_or(self.forward).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera::look_at([0.0, 0.0, 5.0], [0.0; 3], [0.0, 1.0, 0.0], 90.0).unwrap()
    }

    fn close(a: [f32; 3], b: Vec3) -> bool {
        (Vec3::from(a) - b).length() < 1e-5
    }

    #[test]
    fn the_picture_spans_the_field_of_view() {
        let lens = Lens::new(&camera(), [200, 100]);
        assert!(close(lens.ray(100.0, 50.0, [0.5; 2]).direction, -Vec3::Z));
        assert!(close(lens.ray(100.0, 0.0, [0.5; 2]).direction, Vec3::new(0.0, 1.0, -1.0).normalize()));
        assert!(close(lens.ray(200.0, 50.0, [0.5; 2]).direction, Vec3::new(2.0, 0.0, -1.0).normalize()));
    }

    #[test]
    fn rays_through_the_lens_meet_in_the_focal_plane() {
        let lens = Lens::new(&Camera { lens_radius: 0.5, focal_distance: 3.0, ..camera() }, [100, 100]);
        let sharp = Lens::new(&camera(), [100, 100]).ray(20.0, 70.0, [0.5; 2]);
        let focus = Vec3::from(sharp.at(3.0 / -sharp.direction[2]));
        for u in [[0.1, 0.2], [0.9, 0.4], [0.3, 0.99]] {
            let ray = lens.ray(20.0, 70.0, u);
            let at = ray.at(3.0 / -ray.direction[2]);
            assert!(close(at, focus), "{at:?} for {focus}");
            assert!((Vec3::from(ray.origin) - Vec3::new(0.0, 0.0, 5.0)).length() <= 0.5 + 1e-6);
        }
    }

    #[test]
    fn orthographic_rays_are_parallel() {
        let projection = Projection::Orthographic { half_height: 2.0 };
        let lens = Lens::new(&Camera { projection, ..camera() }, [200, 100]);
        let ray = lens.ray(200.0, 0.0, [0.5; 2]);
        assert!(close(ray.origin, Vec3::new(4.0, 2.0, 5.0)) && close(ray.direction, -Vec3::Z));
    }

    #[test]
    fn no_ray_starts_beyond_the_farthest_origin() {
        let projection = Projection::Orthographic { half_height: 20.0 };
        let wide = Camera { projection, lens_radius: 2.0, ..camera() };
        let lens = Camera { lens_radius: 7.0, ..camera() };
        for (camera, least) in [(camera(), 5.0), (lens, 7.0), (wide, 67.0)] {
            let (lens, far) = (Lens::new(&camera, [200, 100]), LensRecord::new(&camera, [200, 100]).farthest_origin());
            let corners = [[-64.0f32, -64.0], [264.0, -64.0], [-64.0, 164.0], [264.0, 164.0]];
            let farthest = |[x, y]: [f32; 2]| {
                let ends = [[0.0, 0.5], [0.999, 0.5], [0.5, 0.0], [0.5, 0.999]].map(|u| lens.ray(x, y, u).origin);
                ends.into_iter().flatten().fold(0.0, |most: f32, x| most.max(x.abs()))
            };
            let most = corners.into_iter().map(farthest).fold(0.0, f32::max);
            assert!(least * 0.98 < most && most <= far && far < 1.7 * most, "{most} {far}");
        }
    }
}
