//! Orthonormal frames of shading points.

use glam::Vec3;

/// Orthonormal shading frame, right-handed or left-handed, whose z axis is the shading normal.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Unit tangent, the x axis of the frame.
    pub tangent: Vec3,
    /// Unit bitangent, the y axis of the frame.
    pub bitangent: Vec3,
    /// Unit shading normal, the z axis of the frame.
    pub normal: Vec3,
}

impl Frame {
    /// Makes a frame about a unit normal with an arbitrary tangent.
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

    /// Rotates a world direction into this frame.
    pub fn to_local(self, v: Vec3) -> Vec3 {
        Vec3::new(self.tangent.dot(v), self.bitangent.dot(v), self.normal.dot(v))
    }

    /// Rotates a direction of this frame into the world.
    pub fn to_world(self, v: Vec3) -> Vec3 {
        v.x * self.tangent + v.y * self.bitangent + v.z * self.normal
    }
}
