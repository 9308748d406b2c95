//! Meshes and instances from the objects that are to be built.

use super::Parts;
use super::model::{Group, Model, Object, Property, Reference};
use super::package::key;
use super::xml::Fault;
use crate::each::Each;
use crate::findings::threemf::{MAX_DEPTH, MAX_PLACED};
use crate::import::Context;
use crate::import::origin::rows;
use crate::{
    ColorInput, Description, FaceMaterials, ImportError, Instance, Material, MaterialId, Mesh, MeshId, Place, Surface,
    Texture, ThreeMfFault, ThreeMfWarning,
};
use glam::DAffine3;
use raywarp_geom::TriangleMesh;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// Scene being built from a 3MF package.
pub(super) struct Builder<'a, 'c> {
    path: &'a Path,
    parts: Parts<'a>,
    context: &'c mut Context,
    pub scene: Description,
    /// Models already read, each with the name of its part of the package.
    models: Vec<(String, Rc<Model>)>,
    /// Indices of the models by the [`key`] of their part's name.
    known: HashMap<String, usize>,
    /// Meshes made so far, by the index of the model and the object's id.
    meshes: HashMap<(usize, u32), Option<MeshId>>,
    /// Materials made so far, by the index of the model, property group and index in it.
    materials: HashMap<(usize, u32, u32), MaterialId>,
    grey: Option<MaterialId>,
    colored: Option<MaterialId>,
    placed: u32,
}

impl<'a, 'c> Builder<'a, 'c> {
    pub fn new(path: &'a Path, parts: Parts<'a>, context: &'c mut Context) -> Self {
        Self {
            path,
            parts,
            context,
            scene: Description::default(),
            models: Vec::new(),
            known: HashMap::new(),
            meshes: HashMap::new(),
            materials: HashMap::new(),
            grey: None,
            colored: None,
            placed: 0,
        }
    }

    /// Builds the items of the model in the part `name`.
    pub fn build(&mut self, name: &str) -> Result<(), ImportError> {
        let Some(root) = self.part(name)? else {
            return Err(self.malformed(Place::File, ThreeMfFault::NoPart { name: name.into() }));
        };
        let model = self.models[root].1.clone();
        let mut chain = Vec::new();
        for item in &model.items {
            self.place(root, item, DAffine3::IDENTITY, &mut chain)?;
        }
        if model.items.is_empty() && !model.objects.is_empty() {
            self.context.warn(self.path, Place::Item(name.to_string()), ThreeMfWarning::NoBuildItems);
            let used: Vec<u32> = model.objects.values().flat_map(|o| &o.components).map(|c| c.object).collect();
            for &object in model.order.iter().filter(|id| !used.contains(id)) {
                let line = model.objects[&object].line;
                let item = Reference { object, part: None, transform: DAffine3::IDENTITY, line };
                self.place(root, &item, DAffine3::IDENTITY, &mut chain)?;
            }
        }
        Ok(())
    }

    /// Returns the index of the model in the part `name`, read at its first use; `None` if there is no such part.
    fn part(&mut self, name: &str) -> Result<Option<usize>, ImportError> {
        if let Some(&known) = self.known.get(&key(name)) {
            return Ok(Some(known));
        }
        let Some(bytes) = (self.parts)(name)? else { return Ok(None) };
        let place = |line: u64| Place::Item(format!("{name}:{line}"));
        let text = String::from_utf8(bytes).map_err(|_| self.malformed(place(1), ThreeMfFault::NotUtf8))?;
        let model = Model::parse(text.trim_start_matches('\u{feff}'), &self.context.center)
            .map_err(|Fault { line, fault }| self.malformed(place(line), fault))?;
        for (line, warning) in &model.warnings {
            self.context.warn(self.path, place(*line), warning.clone());
        }
        let number = self.models.len();
        self.models.push((name.to_string(), Rc::new(model)));
        self.known.insert(key(name), number);
        Ok(Some(number))
    }

    fn malformed(&self, place: Place, fault: ThreeMfFault) -> ImportError {
        ImportError::Malformed { path: self.path.to_path_buf(), place, kind: fault.into() }
    }

    /// Places an object with its mesh and components into the scene. `chain` holds the objects that it is in.
    fn place(
        &mut self,
        from: usize,
        reference: &Reference,
        parent: DAffine3,
        chain: &mut Vec<(usize, u32)>,
    ) -> Result<(), ImportError> {
        let at = Place::Item(format!("{}:{}", self.models[from].0, reference.line));
        let part = match &reference.part {
            None => from,
            Some(name) => match self.part(name)? {
                Some(part) => part,
                None => return Err(self.malformed(at, ThreeMfFault::NoPart { name: name.clone() })),
            },
        };
        let this = (part, reference.object);
        let model = self.models[part].1.clone();
        let Some(object) = model.objects.get(&reference.object) else {
            return Err(self.malformed(at, ThreeMfFault::NoObject { id: reference.object }));
        };
        if chain.contains(&this) {
            return Err(self.malformed(at, ThreeMfFault::PartOfItself { id: reference.object }));
        }
        self.placed += 1;
        if chain.len() == MAX_DEPTH || self.placed > MAX_PLACED {
            let fault = if chain.len() == MAX_DEPTH { ThreeMfFault::Depth } else { ThreeMfFault::Placed };
            return Err(ImportError::TooLarge { path: self.path.to_path_buf(), place: at, kind: fault.into() });
        }
        let world = parent * reference.transform;
        let instance = self.scene.instances.len();
        let transform = self.context.center.place(instance, &rows(&world), object.rounder.at());
        if !transform.is_finite() {
            return Err(self.malformed(at, ThreeMfFault::PlaceNotFinite));
        }
        if let Some(mesh) = self.mesh(this, &model, object)? {
            self.scene.instances.push(Instance { mesh, transform, material: None });
        }
        chain.push(this);
        for component in &object.components {
            self.place(part, component, world, chain)?;
        }
        chain.pop();
        Ok(())
    }

    /// Returns the scene's mesh of an object, made at its first use; `None` if it has no triangles.
    fn mesh(&mut self, this: (usize, u32), model: &Model, object: &Object) -> Result<Option<MeshId>, ImportError> {
        if let Some(known) = self.meshes.get(&this) {
            return Ok(*known);
        }
        let mut id = None;
        if !object.triangles.is_empty() {
            let (triangles, materials) = self.look(this.0, model, object)?;
            let name = if object.name.is_empty() { format!("object {}", this.1) } else { object.name.clone() };
            let mesh = self.scene.add_mesh(Mesh { name, triangles, materials });
            self.context.center.note_mesh(mesh.index(), &object.rounder);
            id = Some(mesh);
        }
        self.meshes.insert(this, id);
        Ok(id)
    }

    /// Returns an object's triangles with vertex colours, and their materials.
    fn look(
        &mut self,
        part: usize,
        model: &Model,
        object: &Object,
    ) -> Result<(TriangleMesh, FaceMaterials), ImportError> {
        let mut mesh = TriangleMesh {
            positions: object.positions.clone(),
            indices: object.triangles.clone(),
            ..TriangleMesh::default()
        };
        if object.properties.is_empty() {
            return Ok((mesh, FaceMaterials::Uniform(self.grey())));
        }
        let mut ids = Vec::with_capacity(mesh.indices.len());
        let mut corners: Vec<Option<[[f32; 3]; 3]>> = Vec::new();
        for (i, property) in object.properties.iter().enumerate() {
            let wrong = |fault: ThreeMfFault| {
                let at = format!("{}:{}", self.models[part].0, object.line);
                self.malformed(Place::Item(at), fault)
            };
            let Property { group: Some(group), corners: [first, ..] } = *property else {
                ids.push(self.grey());
                continue;
            };
            match model.groups.get(&group) {
                None => return Err(wrong(ThreeMfFault::NoGroup { triangle: i, group })),
                Some(Group::Other) => ids.push(self.unread(part, group)),
                Some(Group::Materials(list)) => {
                    let Some((name, color)) = list.get(first as usize) else {
                        return Err(wrong(ThreeMfFault::NoProperty {
                            triangle: i,
                            property: first,
                            count: list.len(),
                        }));
                    };
                    ids.push(self.material((part, group, first), name, *color));
                }
                Some(Group::Colors(list)) => {
                    let colors = property.corners.map(|index| list.get(index as usize).copied());
                    let [Some(a), Some(b), Some(c)] = colors else {
                        return Err(wrong(ThreeMfFault::NoColor { triangle: i, count: list.len(), group }));
                    };
                    corners.resize(i, None);
                    corners.push(Some([a, b, c]));
                    ids.push(self.colored());
                }
            }
        }
        if !corners.is_empty() {
            corners.resize(mesh.indices.len(), None);
            color_corners(&mut mesh, &corners);
        }
        let uniform = ids.iter().all(|id| *id == ids[0]);
        Ok((mesh, if uniform { FaceMaterials::Uniform(ids[0]) } else { FaceMaterials::PerTriangle(ids) }))
    }

    fn material(&mut self, key: (usize, u32, u32), name: &str, color: Option<[f32; 3]>) -> MaterialId {
        let scene = &mut self.scene;
        *self.materials.entry(key).or_insert_with(|| {
            let reflectance = ColorInput::constant(color.unwrap_or([0.7; 3]));
            scene.add_material(Material::new(name, Surface::Diffuse { reflectance }))
        })
    }

    /// Returns a grey material in place of a property group that is not supported, with a warning.
    fn unread(&mut self, part: usize, group: u32) -> MaterialId {
        let id = self.material((part, group, u32::MAX), "", None);
        let log = &mut self.context.stand_ins;
        log.begin();
        log.material(format_args!("{part}:{group}"));
        let mark = log.close();
        log.keep(id, mark);
        id
    }

    /// Returns the grey material for triangles without properties.
    fn grey(&mut self) -> MaterialId {
        let scene = &mut self.scene;
        *self.grey.get_or_insert_with(|| {
            let reflectance = ColorInput::constant([0.7; 3]);
            scene.add_material(Material::new("", Surface::Diffuse { reflectance }))
        })
    }

    /// Returns the material for triangles with colours at their corners.
    fn colored(&mut self) -> MaterialId {
        let scene = &mut self.scene;
        *self.colored.get_or_insert_with(|| {
            let reflectance = ColorInput::texture(scene.add_texture(Texture::VertexColor));
            scene.add_material(Material::new("", Surface::Diffuse { reflectance }))
        })
    }
}

/// Gives triangle corners their colours; a vertex with several colours is duplicated. White where there is none.
fn color_corners(mesh: &mut TriangleMesh, corners: &[Option<[[f32; 3]; 3]>]) {
    let mut known: HashMap<(u32, [u32; 3]), u32> = HashMap::new();
    let positions = std::mem::take(&mut mesh.positions);
    for (triangle, colors) in mesh.indices.iter_mut().zip(corners) {
        for (index, color) in triangle.iter_mut().zip(colors.unwrap_or([[1.0; 3]; 3])) {
            let next = mesh.positions.len() as u32;
            let vertex = *known.entry((*index, color.each(f32::to_bits))).or_insert(next);
            if vertex == next {
                mesh.positions.push(positions[*index as usize]);
                mesh.colors.push([color[0], color[1], color[2], 1.0]);
            }
            *index = vertex;
        }
    }
}
