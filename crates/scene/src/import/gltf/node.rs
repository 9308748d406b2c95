//! The node hierarchy: where meshes, lights and cameras are.

use super::accessor::Elements;
use super::animation::NodePose;
use super::deform::Deformation;
use super::fault::{Read, optional};
use super::json::{Instancing, Int, NodeJson, Num};
use super::{Builder, choice, primitive};
use crate::each::Each;
use crate::import::origin::{Center, rows, single};
use crate::{FaceMaterials, GltfFault, GltfWarning, ImportError, Instance, Mesh, MeshId};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use raywarp_geom::Affine;

impl Builder<'_, '_> {
    /// Adds everything below the root nodes of the scene to be shown. Works off a list instead of recursing, so that a
    /// chain of any length is fine.
    pub fn add_nodes(&mut self) -> Result<(), ImportError> {
        let nodes = &self.data.document.nodes;
        let mut reached_from: Vec<Option<String>> = vec![None; nodes.len()];
        let mut todo: Vec<(Int, DAffine3, String)> = Vec::new();
        let (roots, from) = self.roots()?;
        todo.extend(roots.into_iter().rev().map(|root| (root, DAffine3::IDENTITY, from.clone())));
        while let Some((index, parent, from)) = todo.pop() {
            let node = self.data.entry(nodes, "nodes", index, &from)?;
            let item = format!("nodes[{}]", index.0);
            if let Some(first) = &reached_from[index.index()] {
                let fault = GltfFault::ReachedTwice { first: first.clone(), second: from };
                return Err(self.data.malformed(item, fault));
            }
            reached_from[index.index()] = Some(from);
            if node.extensions.visibility.as_ref().is_some_and(|v| v.visible == Some(false)) {
                continue;
            }
            // Only numbers of an affine matrix are taken.
            if node.matrix.is_some_and(|m| [3, 7, 11].iter().any(|&i| m[i].0 != 0.0) || m[15].0 != 1.0) {
                self.warn(&item, GltfWarning::ProjectiveMatrix);
            }
            let world = parent * local(node, &self.context.center, self.pose.nodes.get(&index.index()));
            if !world.is_finite() || !single(&world).is_finite() {
                return Err(self.data.malformed(item, GltfFault::NodeNotFinite));
            }
            self.add_node(index, node, &world, &item)?;
            let children = format!("{item}.children");
            todo.extend(node.children.iter().rev().map(|&child| (child, world, children.clone())));
        }
        Ok(())
    }

    /// Returns the root nodes of the scene to be shown, and the place of their list in the document. It is the scene
    /// that the user chose, else the default one, else the first one, else every node that is nobody's child.
    fn roots(&mut self) -> Result<(Vec<Int>, String), ImportError> {
        let document = self.data.document;
        let chosen = self.context.gltf().scene.clone();
        if chosen.is_some() || document.scene.is_some() || !document.scenes.is_empty() {
            let names: Vec<&str> = document.scenes.iter().map(|scene| scene.name.as_str()).collect();
            let index = match &chosen {
                Some(wanted) => Int(choice::find(self.data.path, "scene", &names, wanted)? as u64),
                None => document.scene.unwrap_or_default(),
            };
            let scene = self.data.entry(&document.scenes, "scenes", index, "scene")?;
            self.context.choices.shown_scene = Some(index.index());
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
            return Err(self.data.malformed("nodes", GltfFault::NoRoot));
        }
        Ok((roots, "nodes".into()))
    }

    fn add_node(&mut self, index: Int, node: &NodeJson, world: &DAffine3, item: &str) -> Result<(), ImportError> {
        if let Some(mesh) = node.mesh {
            let meshes = self.meshes_of(mesh, index, node, item)?;
            let places = match &node.extensions.instancing {
                Some(instancing) => optional(self.instances(instancing, world, item))?.unwrap_or_default(),
                None => vec![*world],
            };
            if places.len() > 1 && meshes.iter().any(|&(_, in_world)| in_world) {
                self.warn(item, GltfWarning::CopiesOfSkinned);
            }
            self.data.charge(item, (places.len() * meshes.len() * size_of::<Instance>()) as u64)?;
            for (copy, place) in places.iter().enumerate() {
                for &(mesh, in_world) in &meshes {
                    let transform = match in_world {
                        // What a skin has placed is where it is, once.
                        true if copy > 0 => continue,
                        true => Affine::IDENTITY,
                        false => {
                            let instance = self.scene.instances.len();
                            self.context.center.place(instance, &rows(place), self.locals[mesh.index()])
                        }
                    };
                    self.scene.instances.push(Instance { mesh, transform, material: None });
                }
            }
        }
        if let Some(camera) = node.camera {
            self.add_camera(camera, &node.name, world, item)?;
        }
        if let Some(light) = &node.extensions.light {
            let place = format!("{item}.extensions.KHR_lights_punctual");
            let light = light.light.ok_or_else(|| self.data.malformed(&place, GltfFault::NamesNo { what: "light" }))?;
            self.add_light(light, &node.name, world, &place)?;
        }
        Ok(())
    }

    /// Returns the scene's meshes for the primitives of mesh `index`, imported at its first use. Each has `true` if a
    /// skin has placed it in the world. Nodes share those that stand as they are in the file, or are bent by the same
    /// weights; each skin makes its own.
    fn meshes_of(
        &mut self,
        index: Int,
        owner: Int,
        node: &NodeJson,
        item: &str,
    ) -> Result<Vec<(MeshId, bool)>, ImportError> {
        let mesh = self.data.entry(&self.data.document.meshes, "meshes", index, item)?;
        let wide = |weights: &[Num]| weights.iter().map(|w| f64::from(w.0)).collect::<Vec<_>>();
        let mut weights = match &node.weights {
            Some(own) => wide(own),
            None => {
                let own = wide(&mesh.weights);
                match self.pose.meshes.get(&index.index()) {
                    Some(posed) => posed.replace(own),
                    None => own,
                }
            }
        };
        if let Some(posed) = self.pose.nodes.get(&owner.index()) {
            weights = posed.weights.replace(weights);
        }
        let targets = mesh.primitives.iter().map(|part| part.targets.len()).max().unwrap_or(0);
        if weights.len() > targets {
            self.warn(item, GltfWarning::SurplusWeights { weights: weights.len(), targets });
        }
        weights.truncate(targets);
        while weights.last() == Some(&0.0) {
            weights.pop();
        }
        let key = (index, weights.iter().map(|weight| weight.to_bits()).collect());
        if let (None, Some(known)) = (node.skin, self.meshes.get(&key)) {
            return Ok(known.clone());
        }
        let joints = match node.skin {
            None => None,
            Some(skin) => match optional(self.joints(skin, item))? {
                Some(joints) => Some(joints),
                None => return Ok(Vec::new()),
            },
        };
        let deformation = Deformation { weights: &weights, joints: joints.as_deref() };
        let deformation = (joints.is_some() || !weights.is_empty()).then_some(&deformation);
        let mut ids = Vec::new();
        for (i, part) in mesh.primitives.iter().enumerate() {
            let place = format!("meshes[{}].primitives[{i}]", index.0);
            let read = optional(primitive::read(self.data, self.context, part, deformation, &place))?;
            let Some(triangles) = read.filter(|triangles| !triangles.mesh.indices.is_empty()) else { continue };
            let (material, colored) = primitive::material_key(part, self.variant);
            let material = self.material(material, colored, &format!("{place}.material"))?;
            self.say_clear_colors(material, &triangles.mesh.colors, &place);
            let has = [!triangles.mesh.uvs.is_empty(), !triangles.mesh.uvs1.is_empty()];
            let used = self.scene.uv_sets_of(material);
            for set in (0..2).filter(|&set| used[set] && !has[set]) {
                self.warn(&place, GltfWarning::NoCoordinates { set, has_first: has[0] });
            }
            let name = match (mesh.name.as_str(), mesh.primitives.len()) {
                ("", _) => place,
                (name, 1) => name.into(),
                (name, _) => format!("{name}[{i}]"),
            };
            let materials = FaceMaterials::Uniform(material);
            let id = self.scene.add_mesh(Mesh { name, triangles: triangles.mesh, materials });
            self.locals.push(triangles.rounder.at());
            self.context.center.note_mesh(id.index(), &triangles.rounder);
            ids.push((id, triangles.in_world));
        }
        if node.skin.is_none() {
            self.meshes.insert(key, ids.clone());
        }
        Ok(ids)
    }

    /// Returns the transform to world space of node `index`, to which `item` refers, whether the scene shows it or not.
    pub fn world_of(&mut self, index: Int, item: &str) -> Result<DAffine3, ImportError> {
        let nodes = &self.data.document.nodes;
        self.data.entry(nodes, "nodes", index, item)?;
        let parents = self.parents.get_or_insert_with(|| {
            let mut parents = vec![None; nodes.len()];
            for (parent, node) in nodes.iter().enumerate() {
                for child in &node.children {
                    if let Some(slot) = parents.get_mut(child.index()) {
                        slot.get_or_insert(parent);
                    }
                }
            }
            parents
        });
        // Up to a node that is known or has no parent, and down again.
        let mut way = Vec::new();
        let mut at = Some(index.index());
        let mut world = DAffine3::IDENTITY;
        while let Some(node) = at {
            if let Some(known) = self.worlds.get(&node) {
                world = *known;
                break;
            }
            if way.len() == nodes.len() {
                return Err(self.data.malformed(item, GltfFault::BelowItself { node: index.0 }));
            }
            way.push(node);
            at = parents[node];
        }
        for node in way.into_iter().rev() {
            world *= local(&nodes[node], &self.context.center, self.pose.nodes.get(&node));
            self.worlds.insert(node, world);
        }
        Ok(world)
    }

    /// Reads EXT_mesh_gpu_instancing: the world transforms of a node's copies.
    fn instances(&mut self, instancing: &Instancing, world: &DAffine3, item: &str) -> Read<Vec<DAffine3>> {
        let item = format!("{item}.extensions.EXT_mesh_gpu_instancing.attributes");
        let open = |name: &str| {
            let index = instancing.attributes.get(name);
            index.map(|&i| Elements::open(self.data, i, &format!("{item}.{name}"))).transpose()
        };
        let (translation, rotation, scale) = (open("TRANSLATION")?, open("ROTATION")?, open("SCALE")?);
        let counts: Vec<usize> = [&translation, &rotation, &scale].into_iter().flatten().map(|e| e.count).collect();
        let Some(&count) = counts.first() else {
            self.warn(&item, GltfWarning::NoInstanceTransforms);
            return Ok(vec![*world]);
        };
        if counts.iter().any(|&c| c != count) {
            return Err(self.data.malformed(item, GltfFault::InstanceCounts { counts }).into());
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
                    translation.as_ref().map_or([0.0; 3], |t| t[i].each(f64::from)),
                    rotation.as_ref().map_or([0.0, 0.0, 0.0, 1.0], |r| r[i].each(f64::from)),
                    scale.as_ref().map_or([1.0; 3], |s| s[i].each(f64::from)),
                );
                let place = *world * at;
                let error = || self.data.malformed(&item, GltfFault::InstanceNotFinite { instance: i });
                if single(&place).is_finite() { Ok(place) } else { Err(error().into()) }
            })
            .collect()
    }
}

/// Returns the transform of a node relative to its parent, in f64. A long chain of f32 products would drift, and shifts
/// that are large may cancel. Its other numbers are as f32 holds them in a run without a center, where no more of them
/// can be seen.
fn local(node: &NodeJson, center: &Center, pose: Option<&NodePose>) -> DAffine3 {
    let (mut translation, mut rotation, mut scale) = match node.matrix {
        Some(m) => {
            let mut m = m.map(|x| x.0);
            m[..12].iter_mut().for_each(|x| *x = center.number(*x));
            let column = |c: usize| DVec3::new(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
            let matrix =
                DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) };
            if pose.is_none_or(|pose| pose.translation.is_none() && pose.rotation.is_none() && pose.scale.is_none()) {
                return matrix;
            }
            // Animated nodes should have none; others take it apart, too.
            let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
            (translation.to_array(), rotation.to_array(), scale.to_array())
        }
        None => (
            node.translation.map_or([0.0; 3], |v| v.map(|x| x.0)),
            node.rotation.map_or([0.0, 0.0, 0.0, 1.0], |v| v.map(|x| center.number(x.0))),
            node.scale.map_or([1.0; 3], |v| v.map(|x| center.number(x.0))),
        ),
    };
    if let Some(pose) = pose {
        translation = pose.translation.unwrap_or(translation);
        rotation = pose.rotation.unwrap_or(rotation);
        scale = pose.scale.unwrap_or(scale);
    }
    trs(translation, rotation, scale)
}

fn trs(translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3]) -> DAffine3 {
    let turn = DQuat::from_array(rotation);
    // Quantised quaternions are not quite of unit length; one of length 0 turns nothing.
    let turn = if turn.length_squared() > 0.0 { turn.normalize() } else { DQuat::IDENTITY };
    DAffine3::from_scale_rotation_translation(scale.into(), turn, translation.into())
}
