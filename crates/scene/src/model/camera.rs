//! Cameras of a scene: pose, projection and lens.

use super::MediumId;

/// Side of the picture to which the field of view refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FovAxis {
    /// Field of view over the height of the picture.
    Vertical,
    /// Field of view over the width of the picture.
    Horizontal,
    /// Field of view over the shorter of height and width (as in pbrt).
    Shorter,
}

/// Projection of the scene onto the picture, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Projection {
    /// Perspective projection, with all rays through the lens centre.
    Perspective {
        /// Field of view: full angle in degrees, above 0 and below 180.
        fov: f32,
        /// Side of the picture that the field of view spans.
        axis: FovAxis,
    },
    /// Orthographic projection, with parallel rays along `forward`.
    Orthographic {
        /// Half the height of the picture in scene units; pixels are square.
        half_height: f32,
    },
}

/// Camera with a thin lens, or a pinhole. `right`, `up` and `forward` are unit and perpendicular; they may be
/// left-handed, which mirrors the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Camera {
    /// Name of the camera in the file; may be empty.
    pub name: String,
    /// World position of the lens centre.
    pub eye: [f32; 3],
    /// Unit vector towards the right border of the picture.
    pub right: [f32; 3],
    /// Unit vector towards the top border of the picture.
    pub up: [f32; 3],
    /// Unit vector into the scene.
    pub forward: [f32; 3],
    /// Projection, perspective or orthographic.
    pub projection: Projection,
    /// Radius of the lens in scene units; 0 is a pinhole.
    pub lens_radius: f32,
    /// Distance of the plane in focus, along `forward`, in scene units; used when `lens_radius > 0`.
    pub focal_distance: f32,
    /// Medium that the camera is in, where the file says so; `None` to find it by the closed surfaces around the
    /// camera.
    pub medium: Option<MediumId>,
    /// Aspect ratio (width over height) of the picture that the camera is meant for, where the file says so; finite and
    /// above 0.
    pub aspect: Option<f32>,
}

impl Camera {
    /// Makes a pinhole camera at `eye` that looks at `target`, with vertical field of view `vfov` in degrees. `up` is
    /// upwards in the picture.
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
