//! PLY files, placements, and how both become meshes and instances at the end.

use super::{Look, ShapeKey, orient, parametrise, parametrise_quads};
use crate::import::origin::{Rounder, rows, single};
use crate::import::pbrt::area_light::Pieces;
use crate::import::pbrt::params::Params;
use crate::import::pbrt::state::Importer;
use crate::import::ply::{self, PlyMesh};
use crate::import::source;
use crate::import::{Format, foreign};
use crate::{FaceMaterials, ImportError, Instance, MaterialId, Mesh, MeshId, PbrtFault, PbrtWarning, Place};
use glam::DAffine3;
use rayon::prelude::*;
use raywarp_geom::Aabb;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Placement of a mesh in the world, or in an object that is being defined.
#[derive(Debug, Clone, Copy)]
pub(in crate::import::pbrt) struct Placement {
    pub mesh: MeshId,
    /// Transform from mesh to world, or to the object.
    pub transform: DAffine3,
    pub material: MaterialId,
}

/// PLY file still to be read, whose mesh is empty until then.
pub(in crate::import::pbrt) struct Pending {
    pub mesh: MeshId,
    pub path: PathBuf,
    /// File and line of the shape directive.
    pub at: (Rc<Path>, u64),
    pub reverse: bool,
    pub base: MaterialId,
    pub look: Look,
}

impl Importer<'_> {
    pub(super) fn ply_mesh(&mut self, params: &Params, base: MaterialId, look: Look) -> Result<(), ImportError> {
        let Some(name) = params.text("filename")? else {
            return Err(params.error(PbrtFault::NoFile { what: "plymesh" }));
        };
        let path = self.resolve(name, params.line);
        let look = match self.has_power(look) && self.files.disk {
            true => match read_ply(&path, self.context.center.in_mesh(), false).0? {
                Some((mesh, _)) => self.with_power(params, look, &mesh.triangles, Pieces::Triangles),
                None => look,
            },
            false => look,
        };
        let material = self.derive(base, look);
        let reverse = self.graphics.reverse_orientation;
        let key = ShapeKey::Ply { path: path.clone(), reverse, material: base, look };
        let mesh = match self.shapes.get(&key) {
            Some(&mesh) => mesh,
            None => {
                let materials = FaceMaterials::Uniform(material);
                let mesh = self.scene.add_mesh(Mesh { name: name.to_string(), materials, ..Mesh::default() });
                let at = (params.path.clone(), params.line);
                self.pending.push(Pending { mesh, path, at, reverse, base, look });
                self.shapes.insert(key, mesh);
                mesh
            }
        };
        self.place(params, mesh, material)
    }

    /// Places a mesh in the current object, or in the world if there is none.
    pub(super) fn place(&mut self, params: &Params, mesh: MeshId, material: MaterialId) -> Result<(), ImportError> {
        let transform = self.pose_here(params);
        if !single(&transform).is_finite() {
            return Err(params.error(PbrtFault::ShapeOverflow));
        }
        if transform.matrix3.determinant() == 0.0 {
            self.warn(params, PbrtWarning::FlatShape);
        }
        let placement = Placement { mesh, transform, material };
        match &mut self.current_object {
            Some((_, placements)) => placements.push(placement),
            None => self.placements.push(placement),
        }
        Ok(())
    }

    /// Reads all pending PLY files in parallel.
    pub fn read_pending(&mut self) -> Result<(), ImportError> {
        let pending = std::mem::take(&mut self.pending);
        if !self.files.disk {
            for file in &pending {
                self.context.note_missing(&file.path);
                self.context.stand_ins.leave_out();
            }
            return Ok(());
        }
        let paths: Vec<PathBuf> = pending.iter().map(|file| file.path.clone()).collect();
        let rounder = self.context.center.in_mesh();
        let read: Vec<(PlyResult, ply::Warnings)> =
            paths.par_iter().map(|path| read_ply(path, rounder.clone(), true)).collect();
        for (file, (mesh, warnings)) in pending.into_iter().zip(read) {
            for (place, warning) in warnings {
                self.context.warn(&file.path, place, warning);
            }
            match mesh? {
                None => {
                    self.context.note_missing(&file.path);
                    self.context.stand_ins.leave_out();
                }
                Some((mesh, rounder)) => {
                    self.context.note_read(&file.path);
                    self.rounders.insert(file.mesh, rounder);
                    self.store_ply(&file, mesh);
                }
            }
        }
        Ok(())
    }

    /// Fills a mesh with the triangles of its PLY file, and applies the materials that faces name if the scene has
    /// them.
    fn store_ply(&mut self, file: &Pending, mut ply: PlyMesh) {
        let uniform = self.derive(file.base, file.look);
        let mut materials = FaceMaterials::Uniform(uniform);
        if let Some(faces) = ply.face_materials.take() {
            let known = self.ply_materials(&ply);
            if known.iter().any(Option::is_some) {
                let of = |index: u32| known.get(index as usize).copied().flatten();
                if faces.iter().any(|&index| of(index).is_none()) {
                    let warning = PbrtWarning::FaceMaterials { path: file.path.clone() };
                    self.context.warn(&file.at.0, Place::Line(file.at.1), warning);
                }
                let ids: Vec<MaterialId> = faces.iter().map(|&index| of(index).unwrap_or(file.base)).collect();
                let ids: Vec<MaterialId> = ids.into_iter().map(|id| self.derive(id, file.look)).collect();
                materials = if ids.iter().all(|&id| id == uniform) {
                    FaceMaterials::Uniform(uniform)
                } else {
                    FaceMaterials::PerTriangle(ids)
                };
            }
        }
        let looks = match &materials {
            FaceMaterials::Uniform(id) => self.scene.looks_at_coordinates(*id),
            FaceMaterials::PerTriangle(ids) => {
                let mut seen = vec![false; self.scene.materials.len()];
                let mut is_new = |id: MaterialId| !std::mem::replace(&mut seen[id.index()], true);
                ids.iter().any(|&id| is_new(id) && self.scene.looks_at_coordinates(id))
            }
        };
        if looks {
            let is_bare = ply.triangles.uvs.is_empty();
            parametrise(&mut ply.triangles);
            if is_bare {
                parametrise_quads(&mut ply.triangles, &ply.quads, self.version);
            }
        }
        orient(&mut ply.triangles, file.reverse);
        let mesh = &mut self.scene.meshes[file.mesh.index()];
        mesh.triangles = ply.triangles;
        mesh.materials = materials;
    }

    /// Returns the scene's materials for the values of a PLY file's face property `material`. It is an index into the
    /// file's own list of names, or without one into the `MakeNamedMaterial` directives in order.
    fn ply_materials(&self, ply: &PlyMesh) -> Vec<Option<MaterialId>> {
        if ply.material_names.is_empty() {
            return self.material_order.iter().copied().map(Some).collect();
        }
        ply.material_names.iter().map(|name| self.named_materials.get(name).copied()).collect()
    }

    /// Converts placements to instances; those of meshes that stayed empty are dropped with their meshes.
    ///
    /// # Errors
    /// [`ImportError::Malformed`] where a mesh is so large in the world that its corners overflow.
    pub fn finish_instances(&mut self, path: &Path) -> Result<(), ImportError> {
        let meshes = std::mem::take(&mut self.scene.meshes);
        let placements = std::mem::take(&mut self.placements);
        let mut used = vec![false; meshes.len()];
        for placement in &placements {
            used[placement.mesh.index()] = true;
        }
        let mut ids = vec![None; meshes.len()];
        for (old, (mesh, used)) in meshes.into_iter().zip(used).enumerate() {
            if used && !mesh.triangles.indices.is_empty() {
                let new = self.scene.add_mesh(mesh);
                if let Some(rounder) = self.rounders.get(&MeshId(old as u32)) {
                    self.context.center.note_mesh(new.index(), rounder);
                }
                ids[old] = Some(new);
            }
        }
        let bounds: Vec<Aabb> = self.scene.meshes.iter().map(|mesh| mesh.triangles.bounds()).collect();
        self.scene.instances.reserve(placements.len());
        for placement in placements {
            let Some(mesh) = ids[placement.mesh.index()] else { continue };
            let material = match self.scene.meshes[mesh.index()].materials {
                FaceMaterials::Uniform(own) if own != placement.material => Some(placement.material),
                _ => None,
            };
            let local = self.rounders.get(&placement.mesh).map_or([0.0; 3], Rounder::at);
            let instance = self.scene.instances.len();
            let transform = self.context.center.place(instance, &rows(&placement.transform), local);
            let world = transform.aabb(&bounds[mesh.index()]);
            if !world.min.iter().chain(&world.max).all(|x| x.is_finite()) {
                let place = Place::Item(self.scene.meshes[mesh.index()].name.clone());
                let kind = PbrtFault::CornersOverflow.into();
                return Err(ImportError::Malformed { path: path.to_path_buf(), place, kind });
            }
            self.scene.instances.push(Instance { mesh, transform, material });
        }
        Ok(())
    }
}

type PlyResult = Result<Option<(PlyMesh, Rounder)>, ImportError>;

fn read_ply(path: &Path, mut rounder: Rounder, quads: bool) -> (PlyResult, ply::Warnings) {
    let mut warnings = Vec::new();
    let read = match source::read(path) {
        Ok(bytes) => foreign::check_scene(path, &bytes, Format::Ply)
            .and_then(|()| ply::read_mesh(path, &bytes, &mut rounder, &mut warnings, quads))
            .map(|mesh| Some((mesh, rounder))),
        Err(ImportError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    };
    (read, warnings)
}
