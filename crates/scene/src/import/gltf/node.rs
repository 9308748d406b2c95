//! The node hierarchy: where meshes, lights and cameras are.

use super::accessor::Elements;
use super::fault::{Read, optional};
use super::json::{Instancing, Int, Node};
use super::{Builder, primitive};
use crate::import::origin::Center;
use crate::{FaceMaterials, Instance, Mesh, MeshId, SceneError};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use raywarp_geom::Affine;

impl Builder<'_, '_> {
    /// Adds everything below the roots of the scene to show. Works off a list instead of recursing, so
    /// that a chain of any length is fine.
    pub fn add_nodes(&mut self) -> Result<(), SceneError> {
        let nodes = &self.data.document.nodes;
        let mut reached_from: Vec<Option<String>> = vec![None; nodes.len()];
        let mut todo: Vec<(Int, DAffine3, String)> = Vec::new();
        let (roots, from) = self.roots()?;
        todo.extend(roots.into_iter().rev().map(|root| (root, DAffine3::IDENTITY, from.clone())));
        while let Some((index, parent, from)) = todo.pop() {
            let node = self.data.entry(nodes, "nodes", index, &from)?;
            let item = format!("nodes[{}]", index.0);
            if let Some(first) = &reached_from[index.index()] {
                let message = format!("is reached from {first} and from {from}; nodes must form trees, without cycles");
                return Err(self.data.malformed(item, message));
            }
            reached_from[index.index()] = Some(from);
            if node.extensions.visibility.as_ref().is_some_and(|v| v.visible == Some(false)) {
                continue;
            }
            let world = parent * local(node, &self.context.center);
            if !world.is_finite() || !affine(&world).is_finite() {
                return Err(self.data.malformed(item, "its transform is not finite"));
            }
            self.add_node(node, &world, &item)?;
            let children = format!("{item}.children");
            todo.extend(node.children.iter().rev().map(|&child| (child, world, children.clone())));
        }
        Ok(())
    }

    /// The roots of the scene to show, and where they are listed: the default scene's, else the first
    /// one's, else every node that is nobody's child.
    fn roots(&self) -> Result<(Vec<Int>, String), SceneError> {
        let document = self.data.document;
        if document.scene.is_some() || !document.scenes.is_empty() {
            let index = document.scene.unwrap_or_default();
            let scene = self.data.entry(&document.scenes, "scenes", index, "scene")?;
            return Ok((scene.nodes.clone(), format!("scenes[{}].nodes", index.0)));
        }
        let mut is_child = vec![false; document.nodes.len()];
        for child in document.nodes.iter().flat_map(|n| &n.children) {
            if let Some(is_child) = is_child.get_mut(child.index()) {
                *is_child = true;
            }
        }
        let roots: Vec<Int> = (0..).map(Int).zip(&is_child).filter(|(_, c)| !**c).map(|(i, _)| i).collect();
        if roots.is_empty() && !is_child.is_empty() {
            return Err(self.data.malformed("nodes", "every node is a child of another: there is a cycle"));
        }
        Ok((roots, "nodes".into()))
    }

    fn add_node(&mut self, node: &Node, world: &DAffine3, item: &str) -> Result<(), SceneError> {
        if let Some(mesh) = node.mesh {
            if node.skin.is_some() {
                self.warn(item, "skinning is not applied; rendered in its rest pose");
            }
            let meshes = self.meshes_of(mesh, item)?;
            let places = match &node.extensions.instancing {
                Some(instancing) => optional(self.instances(instancing, world, item))?.unwrap_or_default(),
                None => vec![*world],
            };
            self.data.charge(item, (places.len() * meshes.len() * size_of::<Instance>()) as u64)?;
            for place in places {
                for &mesh in &meshes {
                    let transform = self.context.center.placement(&place, self.locals[mesh.index()]);
                    self.scene.instances.push(Instance { mesh, transform, material: None });
                }
            }
        }
        if let Some(camera) = node.camera {
            self.add_camera(camera, &node.name, world, item)?;
        }
        if let Some(light) = &node.extensions.light {
            let place = format!("{item}.extensions.KHR_lights_punctual");
            let light = light.light.ok_or_else(|| self.data.malformed(&place, "names no light"))?;
            self.add_light(light, &node.name, world, &place)?;
        }
        Ok(())
    }

    /// The scene's meshes for the primitives of mesh `index`, read at its first use.
    fn meshes_of(&mut self, index: Int, item: &str) -> Result<Vec<MeshId>, SceneError> {
        let mesh = self.data.entry(&self.data.document.meshes, "meshes", index, item)?;
        if let Some(known) = &self.meshes[index.index()] {
            return Ok(known.clone());
        }
        let mut ids = Vec::new();
        for (i, part) in mesh.primitives.iter().enumerate() {
            let place = format!("meshes[{}].primitives[{i}]", index.0);
            let read = optional(primitive::read(self.data, self.context, part, &place))?;
            let Some(mut triangles) = read else { continue };
            if triangles.indices.is_empty() {
                continue;
            }
            let (material, colored) = primitive::material_key(part);
            let material = self.material(material, colored, &format!("{place}.material"))?;
            let has = [!triangles.uvs.is_empty(), !triangles.uvs1.is_empty()];
            let used = self.scene.uv_sets_of(material);
            for set in (0..2).filter(|&set| used[set] && !has[set]) {
                let instead = if has[0] { "those of TEXCOORD_0 are taken" } else { "they lie on each triangle" };
                self.warn(
                    &place,
                    format!("its material has textures on TEXCOORD_{set}, which is not there; {instead}"),
                );
            }
            let name = match (mesh.name.as_str(), mesh.primitives.len()) {
                ("", _) => place,
                (name, 1) => name.into(),
                (name, _) => format!("{name}[{i}]"),
            };
            self.locals.push(self.context.center.recenter(&mut triangles.positions));
            ids.push(self.scene.add_mesh(Mesh { name, triangles, materials: FaceMaterials::Uniform(material) }));
        }
        self.meshes[index.index()] = Some(ids.clone());
        Ok(ids)
    }

    /// EXT_mesh_gpu_instancing: the places of a node's copies.
    fn instances(&mut self, instancing: &Instancing, world: &DAffine3, item: &str) -> Read<Vec<DAffine3>> {
        let item = format!("{item}.extensions.EXT_mesh_gpu_instancing.attributes");
        let open = |name: &str| {
            let index = instancing.attributes.get(name);
            index.map(|&i| Elements::open(self.data, i, &format!("{item}.{name}"))).transpose()
        };
        let (translation, rotation, scale) = (open("TRANSLATION")?, open("ROTATION")?, open("SCALE")?);
        let counts: Vec<usize> = [&translation, &rotation, &scale].into_iter().flatten().map(|e| e.count).collect();
        let Some(&count) = counts.first() else {
            self.warn(&item, "names no TRANSLATION, ROTATION or SCALE; the mesh is placed once");
            return Ok(vec![*world]);
        };
        if counts.iter().any(|&c| c != count) {
            return Err(self.data.malformed(item, format!("have different counts: {counts:?}")).into());
        }
        let three = |elements: &Option<Elements>| {
            elements.as_ref().map(|e| e.floats(self.data, None, &[3], [0.0; 3])).transpose()
        };
        let (translation, scale) = (three(&translation)?, three(&scale)?);
        let rotation = rotation.map(|e| e.floats(self.data, None, &[4], [0.0; 4])).transpose()?;
        self.data.charge(&item, (count * size_of::<DAffine3>()) as u64)?;
        (0..count)
            .map(|i| {
                let at = trs(
                    translation.as_ref().map_or([0.0; 3], |t| t[i].map(f64::from)),
                    rotation.as_ref().map_or([0.0, 0.0, 0.0, 1.0], |r| r[i].map(f64::from)),
                    scale.as_ref().map_or([1.0; 3], |s| s[i].map(f64::from)),
                );
                let place = *world * at;
                let error = || self.data.malformed(&item, format!("the transform of instance {i} is not finite"));
                if affine(&place).is_finite() { Ok(place) } else { Err(error().into()) }
            })
            .collect()
    }
}

/// A node's transform in its parent; in f64, as a long chain of f32 products would drift, and as shifts that are large may
/// cancel. Its other numbers are as f32 holds them in a run without a center, where no more of them can be seen.
fn local(node: &Node, center: &Center) -> DAffine3 {
    if let Some(m) = node.matrix {
        let mut m = m.map(|x| x.0);
        m[..12].iter_mut().for_each(|x| *x = center.number(*x));
        let column = |c: usize| DVec3::new(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
        return DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) };
    }
    trs(
        node.translation.map_or([0.0; 3], |v| v.map(|x| x.0)),
        node.rotation.map_or([0.0, 0.0, 0.0, 1.0], |v| v.map(|x| center.number(x.0))),
        node.scale.map_or([1.0; 3], |v| v.map(|x| center.number(x.0))),
    )
}

fn trs(translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3]) -> DAffine3 {
    let turn = DQuat::from_array(rotation);
    // Quantised quaternions are not quite of unit length; one of length 0 turns nothing.
    let turn = if turn.length_squared() > 0.0 { turn.normalize() } else { DQuat::IDENTITY };
    DAffine3::from_scale_rotation_translation(scale.into(), turn, translation.into())
}

/// As f32 holds it without an origin.
fn affine(map: &DAffine3) -> Affine {
    Center::default().placement(map, [0.0; 3])
}
