//! Cameras of a scene: pose, projection and lens.

use super::MediumId;

/// Side of the picture that a field of view spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FovAxis {
    /// Height of the picture.
    Vertical,
    /// Width of the picture.
    Horizontal,
    /// The shorter of height and width (pbrt).
    Shorter,
}

/// Mapping of directions to the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Projection {
    /// Straight lines through one point.
    Perspective {
        /// Full angle in degrees, above 0 and below 180.
        fov: f32,
        /// Side of the picture that the angle spans.
        axis: FovAxis,
    },
    /// Parallel lines along `forward`.
    Orthographic {
        /// Half the height of the picture in scene units; pixels are square.
        half_height: f32,
    },
}

/// A thin-lens camera. `right`, `up` and `forward` are unit and perpendicular; they may be
/// left-handed, which mirrors the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Camera {
    /// Name in the file; may be empty.
    pub name: String,
    /// World position of the lens centre.
    pub eye: [f32; 3],
    /// Direction towards the right border of the picture.
    pub right: [f32; 3],
    /// Direction towards the top border of the picture.
    pub up: [f32; 3],
    /// Direction into the scene.
    pub forward: [f32; 3],
    /// Perspective or orthographic.
    pub projection: Projection,
    /// Radius of the lens in scene units; 0 is a pinhole.
    pub lens_radius: f32,
    /// Distance along `forward` of the plane in focus; used when `lens_radius > 0`.
    pub focal_distance: f32,
    /// The medium that it stands in, where the file says so; otherwise the closed surfaces around it tell.
    pub medium: Option<MediumId>,
    /// Width over height of the picture that it is meant for, where the file says so; finite and above 0.
    pub aspect: Option<f32>,
}

impl Camera {
    /// Makes a pinhole camera at `eye` that looks at `target` with `up` upwards in the picture.
    ///
    /// Returns `None` when `target` is `eye`, `up` is parallel to the view, or anything is not finite.
    pub fn look_at(eye: [f32; 3], target: [f32; 3], up: [f32; 3], vfov: f32) -> Option<Self> {
        use glam::Vec3;
        let forward = (Vec3::from(target) - Vec3::from(eye)).try_normalize()?;
        let right = forward.cross(Vec3::from(up)).try_normalize()?;
        let up = right.cross(forward);
        Some(Self {
            name: String::new(),
            eye,
            right: right.into(),
            up: up.into(),
            forward: forward.into(),
            projection: Projection::Perspective { fov: vfov, axis: FovAxis::Vertical },
            lens_radius: 0.0,
            focal_distance: 1.0,
            medium: None,
            aspect: None,
        })
        .filter(|_| vfov > 0.0 && vfov < 180.0)
    }
}
