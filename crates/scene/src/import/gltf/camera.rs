//! Cameras. `aspectRatio`, or `xmag` to `ymag`, is the shape that a picture has unless its user says another; the
//! height decides what is seen.

use super::Builder;
use super::json::Int;
use crate::{Camera, FovAxis, GltfFault, GltfWarning, ImportError, Projection};
use glam::{DAffine3, DVec3};

impl Builder<'_, '_> {
    /// Adds camera `index` to the scene's cameras, as attached to the node `node_name` with the world transform
    /// `world`. It looks along the node's -z with +y up; a mirroring node mirrors the picture.
    pub fn add_camera(&mut self, index: Int, node_name: &str, world: &DAffine3, item: &str) -> Result<(), ImportError> {
        let camera = self.data.entry(&self.data.document.cameras, "cameras", index, item)?;
        let place = format!("cameras[{}]", index.0);
        let bad = |fault: GltfFault| Err(self.data.malformed(&place, fault));
        let (projection, aspect) = match (camera.kind.as_str(), &camera.perspective, &camera.orthographic) {
            ("perspective", Some(p), _) => {
                let fov = p.yfov.0.to_degrees();
                if !(fov > 0.0 && fov < 180.0) {
                    return bad(GltfFault::FieldOfView { yfov: p.yfov.0 });
                }
                (Projection::Perspective { fov, axis: FovAxis::Vertical }, p.aspect_ratio.map(|a| a.0))
            }
            ("orthographic", _, Some(o)) => {
                let half_height = o.ymag.0.abs();
                if half_height == 0.0 {
                    return bad(GltfFault::NoHeight);
                }
                (Projection::Orthographic { half_height }, o.xmag.map(|x| x.0.abs() / half_height))
            }
            (kind, ..) => return bad(GltfFault::CameraType { kind: kind.into() }),
        };
        if let Some(o) = camera.orthographic.as_ref().filter(|o| o.ymag.0 < 0.0 || o.xmag.is_some_and(|x| x.0 < 0.0)) {
            // It would turn the picture over; nobody means that.
            let [xmag, ymag] = [o.xmag.map_or(o.ymag.0, |x| x.0), o.ymag.0];
            self.warn(&place, GltfWarning::NegativeSizes { xmag, ymag });
        }
        let is_usable = |aspect: &f32| (1.0 / MAX_SHAPE..=MAX_SHAPE).contains(aspect);
        if let Some(aspect) = aspect.filter(|aspect| !is_usable(aspect)) {
            self.warn(&place, GltfWarning::PictureShape { aspect });
        }
        let aspect = aspect.filter(is_usable);
        let axis = |v: DVec3| world.transform_vector3(v);
        let frame = || {
            let forward = axis(DVec3::NEG_Z).try_normalize()?;
            let up = axis(DVec3::Y).reject_from_normalized(forward).try_normalize()?;
            let right = forward.cross(up);
            Some((forward, up, if axis(DVec3::X).dot(right) < 0.0 { -right } else { right }))
        };
        let Some((forward, up, right)) = frame() else {
            self.warn(item, GltfWarning::FlatCamera);
            return Ok(());
        };
        let array = |v: DVec3| v.as_vec3().to_array();
        self.scene.cameras.push(Camera {
            name: name_of(&camera.name, node_name),
            eye: self.context.center.point(world.translation),
            right: array(right),
            up: array(up),
            forward: array(forward),
            projection,
            lens_radius: 0.0,
            focal_distance: 1.0,
            medium: None,
            aspect,
        });
        Ok(())
    }
}

/// Largest aspect ratio, either way, with which a camera decides the shape of the picture.
const MAX_SHAPE: f32 = 64.0;

/// Number of characters to which the name of a camera or light is cut, since any number of nodes may repeat it.
const MAX_NAME: usize = 256;

/// Returns the name `own` of a camera or light, or if that is empty the name of its node.
pub(super) fn name_of(own: &str, node: &str) -> String {
    let name = if own.is_empty() { node } else { own };
    name.chars().take(MAX_NAME).collect()
}
