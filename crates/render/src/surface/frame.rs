//! Orthonormal frames of shading points.

use glam::Vec3;

/// A right-handed or left-handed orthonormal frame; z is the shading normal.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Axis x of the frame.
    pub tangent: Vec3,
    /// Axis y of the frame.
    pub bitangent: Vec3,
    /// Axis z of the frame.
    pub normal: Vec3,
}

impl Frame {
    /// Makes any frame about a unit normal.
    pub fn around(normal: Vec3) -> Self {
        let (t, b) = raywarp_sample::warp::onb(normal.into());
        Self { tangent: t.into(), bitangent: b.into(), normal }
    }

    /// Makes the frame about a unit normal whose tangent is nearest to `tangent`.
    pub fn along(normal: Vec3, tangent: Vec3) -> Self {
        match (tangent - normal * normal.dot(tangent)).try_normalize() {
            Some(tangent) => Self { tangent, bitangent: normal.cross(tangent), normal },
            None => Self::around(normal),
        }
    }

    /// Turns a direction of the world into this frame.
    pub fn to_local(self, v: Vec3) -> Vec3 {
        Vec3::new(self.tangent.dot(v), self.bitangent.dot(v), self.normal.dot(v))
    }

    /// Turns a direction of this frame into the world.
    pub fn to_world(self, v: Vec3) -> Vec3 {
        v.x * self.tangent + v.y * self.bitangent + v.z * self.normal
    }
}
