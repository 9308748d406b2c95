//! Morph targets and skins: a mesh as its file poses it, computed in f64 and rounded once.
//!
//! Source: glTF 2.0 specification, sections 3.7.2.2 and 3.7.3.3.

use super::fault::Read;
use super::primitive::Attributes;
use crate::each::Each;
use crate::import::Context;
use crate::import::origin::Rounder;
use crate::{GltfFault, GltfWarning, Place};
use glam::{DAffine3, DMat3, DVec3};
use raywarp_geom::TriangleMesh;

/// Morph weights and joint transforms by which a mesh is deformed.
pub struct Deformation<'a> {
    /// Weights of the morph targets, in order; surplus weights are ignored.
    pub weights: &'a [f64],
    /// Transforms from mesh to world space for each joint of the skin.
    pub joints: Option<&'a [DAffine3]>,
}

/// Deforms `mesh`; returns the rounder of its positions, and `true` if they are in world space. The mesh has the
/// vertices `which` (all for `None`) of `attributes`.
pub fn apply(
    attributes: &Attributes,
    context: &mut Context,
    deformation: &Deformation,
    which: Option<&[u32]>,
    mesh: &mut TriangleMesh,
) -> Read<(Rounder, bool)> {
    let &Attributes { data, item, .. } = attributes;
    let wide = |values: &[[f32; 3]]| values.iter().map(|v| DVec3::from_array(v.map(f64::from))).collect::<Vec<_>>();
    data.charge(item, mesh.positions.len() as u64 * 24)?;
    let mut positions = wide(&mesh.positions);
    let targets = Targets { attributes, weights: deformation.weights, which };
    targets.add("POSITION", &[3], |i, [x, y, z]: [f64; 3]| positions[i] += DVec3::new(x, y, z))?;
    let mut normals = wide(&mesh.normals);
    targets.add("NORMAL", &[3], |i, [x, y, z]: [f64; 3]| {
        if let Some(normal) = normals.get_mut(i) {
            *normal += DVec3::new(x, y, z);
        }
    })?;
    let mut tangents: Vec<DVec3> =
        mesh.tangents.iter().map(|t| DVec3::new(t[0].into(), t[1].into(), t[2].into())).collect();
    targets.add("TANGENT", &[3], |i, [x, y, z]: [f64; 3]| {
        if let Some(tangent) = tangents.get_mut(i) {
            *tangent += DVec3::new(x, y, z);
        }
    })?;
    targets.add("TEXCOORD_0", &[2], |i, by: [f64; 2]| shift(mesh.uvs.get_mut(i), by))?;
    targets.add("TEXCOORD_1", &[2], |i, by: [f64; 2]| shift(mesh.uvs1.get_mut(i), by))?;
    targets.add("COLOR_0", &[3, 4], |i, by: [f64; 4]| shift(mesh.colors.get_mut(i), by))?;
    mesh.colors.iter_mut().flatten().for_each(|c| *c = c.clamp(0.0, 1.0));

    let mut in_world = false;
    if let Some(joints) = deformation.joints {
        match influences(attributes, context, joints.len(), which)? {
            None => {
                context.warn(data.path, Place::Item(item.into()), GltfWarning::NoJoints);
            }
            Some(influences) => {
                in_world = true;
                let mut mirrored = 0;
                for (i, position) in positions.iter_mut().enumerate() {
                    let place = influences.blend(joints, i);
                    *position = place.transform_point3(*position);
                    let turned = place.matrix3.determinant() < 0.0;
                    mirrored += usize::from(turned);
                    let sign = if turned { -1.0 } else { 1.0 };
                    if let Some(normal) = normals.get_mut(i) {
                        *normal = cofactors(&place.matrix3) * *normal * sign;
                    }
                    if let Some(tangent) = tangents.get_mut(i) {
                        *tangent = place.matrix3 * *tangent;
                        mesh.tangents[i][3] *= sign as f32;
                    }
                }
                // A mirroring skin does not turn a surface over, as a mirroring node does not.
                if normals.is_empty() && 2 * mirrored > positions.len() {
                    mesh.indices.iter_mut().for_each(|corners| corners.swap(1, 2));
                }
            }
        }
    }

    let unit = |v: DVec3| v.try_normalize().unwrap_or_default().as_vec3().to_array();
    mesh.normals = normals.into_iter().map(unit).collect();
    for (tangent, moved) in mesh.tangents.iter_mut().zip(tangents) {
        let [x, y, z] = unit(moved);
        *tangent = [x, y, z, tangent[3]];
    }
    let mut rounder = if in_world { context.center.in_world() } else { context.center.in_mesh() };
    for (rounded, position) in mesh.positions.iter_mut().zip(positions) {
        *rounded = rounder.round(position.to_array());
    }
    rounder.settle(&mut mesh.positions);
    Ok((rounder, in_world))
}

fn shift<const N: usize>(value: Option<&mut [f32; N]>, by: [f64; N]) {
    if let Some(value) = value {
        let shifted: [f32; N] = std::array::from_fn(|c| (f64::from(value[c]) + by[c]) as f32);
        if shifted.iter().all(|x| x.is_finite()) {
            *value = shifted;
        }
    }
}

/// Returns the cofactor matrix (inverse transpose times determinant), which exists for singular matrices, too.
fn cofactors(m: &DMat3) -> DMat3 {
    DMat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis))
}

/// Morph targets of a primitive with their weights.
struct Targets<'a> {
    attributes: &'a Attributes<'a>,
    weights: &'a [f64],
    which: Option<&'a [u32]>,
}

impl Targets<'_> {
    /// Passes each target's weighted offsets of the attribute `name` to `take`, with the vertex index.
    fn add<const N: usize>(&self, name: &str, widths: &[usize], mut take: impl FnMut(usize, [f64; N])) -> Read<()> {
        let Attributes { data, primitive, item, .. } = self.attributes;
        for (t, (target, &weight)) in primitive.targets.iter().zip(self.weights).enumerate() {
            let Some(&index) = target.get(name).filter(|_| weight != 0.0) else { continue };
            let elements = self.attributes.one_per_vertex(index, &format!("{item}.targets[{t}].{name}"))?;
            let read: Vec<[f32; N]> = elements.floats(data, self.which, widths, [0.0; N])?;
            for (i, value) in read.into_iter().enumerate() {
                take(i, value.each(|x| weight * f64::from(x)));
            }
        }
        Ok(())
    }
}

/// Joint indices and weights of one attribute set, four for each vertex.
type InfluenceSet = (Vec<[u16; 4]>, Vec<[f32; 4]>);

/// Joints and weights by which each vertex is skinned.
struct Influences {
    sets: Vec<InfluenceSet>,
}

impl Influences {
    /// Returns the transform of vertex `i`: the weighted mean of its joints' transforms, or the first joint's where no
    /// weight is positive.
    fn blend(&self, joints: &[DAffine3], i: usize) -> DAffine3 {
        let all = || {
            self.sets.iter().flat_map(move |(joints, weights)| {
                joints[i].into_iter().zip(weights[i]).map(|(joint, weight)| (usize::from(joint), f64::from(weight)))
            })
        };
        let sum: f64 = all().map(|(_, weight)| weight).sum();
        if sum <= 0.0 {
            return all().next().and_then(|(joint, _)| joints.get(joint)).copied().unwrap_or_default();
        }
        let mut blended = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
        for (joint, weight) in all().filter(|&(_, weight)| weight != 0.0) {
            blended.matrix3 += joints[joint].matrix3 * (weight / sum);
            blended.translation += joints[joint].translation * (weight / sum);
        }
        blended
    }
}

/// Reads the joints and weights of a primitive and checks them against the number `joints`; `None` where it has none.
fn influences(
    attributes: &Attributes,
    context: &mut Context,
    joints: usize,
    which: Option<&[u32]>,
) -> Read<Option<Influences>> {
    let &Attributes { data, item, .. } = attributes;
    let mut sets = Vec::new();
    for set in 0.. {
        let names = [format!("JOINTS_{set}"), format!("WEIGHTS_{set}")];
        let (Some(elements), Some(weights)) = (attributes.open(&names[0])?, attributes.open(&names[1])?) else { break };
        let indices = elements.four_indices(data, which)?;
        let place = |name: &str| format!("{item}.attributes.{name}");
        let mut weights: Vec<[f32; 4]> = weights.floats(data, which, &[4], [0.0; 4])?;
        let broken = weights.iter_mut().flatten().filter(|w| !w.is_finite()).map(|w| *w = 0.0).count();
        if broken > 0 {
            let warning = GltfWarning::WeightsNotFinite { count: broken };
            context.warn(data.path, Place::Item(place(&names[1])), warning);
        }
        for (i, (four, weights)) in indices.iter().zip(&weights).enumerate() {
            let odd = four.iter().zip(weights).find(|&(&joint, &weight)| weight != 0.0 && usize::from(joint) >= joints);
            if let Some((&joint, _)) = odd {
                let vertex = which.map_or(i as u32, |w| w[i]);
                return Err(data.malformed(elements.item(), GltfFault::Joint { vertex, joint, joints }).into());
            }
        }
        sets.push((indices, weights));
    }
    let unweighted = |i: usize| sets.iter().all(|(_, weights)| weights[i].iter().sum::<f32>() <= 0.0);
    let count = sets.first().map_or(0, |(indices, _)| (0..indices.len()).filter(|&i| unweighted(i)).count());
    if count > 0 {
        context.warn(data.path, Place::Item(item.into()), GltfWarning::Unweighted { count });
    }
    Ok((!sets.is_empty()).then_some(Influences { sets }))
}
