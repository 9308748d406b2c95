//! Skins: the transforms by which joints take the vertices that hang on them.
//!
//! Source: glTF 2.0 specification, section 3.7.3.3.

use super::Builder;
use super::accessor::Elements;
use super::fault::Read;
use super::json::{Int, SkinJson};
use crate::GltfFault;
use glam::{DAffine3, DMat3, DVec3};

impl Builder<'_, '_> {
    /// Returns the joint transforms from mesh to world space for skin `index`, to which the node `item` refers.
    pub fn joints(&mut self, index: Int, item: &str) -> Read<Vec<DAffine3>> {
        let data = self.data;
        let skin: &SkinJson = data.entry(&data.document.skins, "skins", index, item)?;
        let place = format!("skins[{}]", index.0);
        if skin.joints.is_empty() {
            return Err(data.malformed(place, GltfFault::NoJoints).into());
        }
        let bind = match skin.inverse_bind_matrices {
            None => Vec::new(),
            Some(matrices) => {
                let elements = Elements::open(data, matrices, &format!("{place}.inverseBindMatrices"))?;
                if elements.count < skin.joints.len() {
                    let fault = GltfFault::BindMatrices { matrices: elements.count, joints: skin.joints.len() };
                    return Err(data.malformed(elements.item(), fault).into());
                }
                elements.floats(data, None, &[16], [0.0; 16])?
            }
        };
        data.charge(&place, (skin.joints.len() * size_of::<DAffine3>()) as u64)?;
        let mut joints = Vec::with_capacity(skin.joints.len());
        for (i, &joint) in skin.joints.iter().enumerate() {
            let world = self.world_of(joint, &format!("{place}.joints"))?;
            let joint = match bind.get(i) {
                None => world,
                Some(m) => {
                    let column = |c: usize| DVec3::from_array([0, 1, 2].map(|r| f64::from(m[4 * c + r])));
                    let matrix3 = DMat3::from_cols(column(0), column(1), column(2));
                    world * DAffine3 { matrix3, translation: column(3) }
                }
            };
            if !joint.is_finite() {
                return Err(data.malformed(&place, GltfFault::JointNotFinite { joint: i }).into());
            }
            joints.push(joint);
        }
        Ok(joints)
    }
}
