//! State that an import run carries from directive to directive.

use super::area_light::AreaLight;
use super::files::{Files, Opened};
use super::motion::{Active, Motion, Times};
use super::params::{Parameter, Params};
use super::shape::{Look, Pending, Placement, ShapeKey};
pub(super) use super::version::Version;
use crate::import::Context;
use crate::import::origin::Rounder;
use crate::import::stand_ins::MarkId;
use crate::{
    ColorInput, Description, ImageId, ImportError, MaterialId, MediumId, MeshId, PbrtFault, PbrtWarning, Place,
    Projection, WarningKind,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Default parameters for later directives, from version 4's `Attribute` directives.
#[derive(Debug, Clone, Default)]
pub(super) struct Defaults {
    pub shape: Rc<Vec<Parameter>>,
    pub light: Rc<Vec<Parameter>>,
    pub material: Rc<Vec<Parameter>>,
    pub medium: Rc<Vec<Parameter>>,
    pub texture: Rc<Vec<Parameter>>,
}

/// Graphics state of pbrt, which `AttributeBegin` saves.
#[derive(Debug, Clone, Default)]
pub(super) struct Graphics {
    /// Current transformation from object to world; before `WorldBegin`, from world to camera.
    pub ctm: Motion,
    /// Which of the two current transformations directives change.
    pub active: Active,
    pub reverse_orientation: bool,
    /// Current material; `None` for pbrt's default, grey matte.
    pub material: Option<MaterialId>,
    /// Index of the current area light in [`Importer::area_lights`].
    pub area_light: Option<usize>,
    /// Name of the medium inside of shapes, `None` for empty space; that around them follows.
    pub inside: Option<Rc<str>>,
    pub outside: Option<Rc<str>>,
    pub defaults: Defaults,
}

/// State saved at the beginning of a block, with the directive that began it.
pub(super) struct Saved {
    pub begin: &'static str,
    pub line: u64,
    /// Number of open files at the block's beginning, since it must close in the same file.
    pub depth: usize,
    pub state: SavedState,
}

pub(super) enum SavedState {
    Everything(Box<Graphics>),
    Transform(Motion, Active),
}

/// Medium that a `MakeNamedMedium` directive defines.
pub(super) struct NamedMedium {
    /// Absorption coefficient of the medium, in RGB per scene unit.
    pub sigma: [f32; 3],
    /// Id of the medium in the scene, from its first use on, as files may bring whole libraries of media.
    pub id: Option<MediumId>,
}

/// Camera as the file describes it, to be completed once the film size is known.
pub(super) struct CameraSource {
    pub camera: crate::Camera,
    /// Length of a unit of camera space in scene units.
    pub unit: f32,
    /// Half width and height of the screen window, on the plane where the shorter half of the picture is 1.
    pub window: Option<[f32; 2]>,
    /// Name of the medium around the camera; the directive's file and line follow.
    pub medium: Option<Rc<str>>,
    pub at: (Rc<Path>, u64),
}

/// State of the import of a pbrt scene.
pub(super) struct Importer<'a> {
    pub context: &'a mut Context,
    pub files: Files,
    pub scene: Description,
    pub open: Vec<Opened>,
    pub graphics: Graphics,
    pub saved: Vec<Saved>,
    pub in_world: bool,
    pub ended: bool,
    /// Version of pbrt that the whole scene is for, found before it is read; `None` if nothing in it tells.
    pub version: Option<Version>,
    /// `true` after a warning that the scene mixes both versions.
    pub mixes_versions: bool,
    pub coordinate_systems: HashMap<String, Motion>,
    pub times: Times,
    /// Time for which the shutter is open.
    pub exposure_time: f32,
    pub camera: Option<CameraSource>,
    /// `true` for a Gaussian filter without parameters, whose size depends on the version.
    pub bare_gaussian: bool,
    pub float_textures: HashMap<String, ColorInput>,
    pub color_textures: HashMap<String, ColorInput>,
    /// Marks of textures that are only approximated, by name and whether they are colours.
    pub texture_marks: HashMap<(String, bool), MarkId>,
    /// Marks of media that are only approximated, by name.
    pub medium_marks: HashMap<String, MarkId>,
    /// Images decoded with an explicit gamma, by file and the bits of the gamma.
    pub gamma_images: HashMap<(PathBuf, u32), ImageId>,
    pub named_materials: HashMap<String, MaterialId>,
    /// Materials of the `MakeNamedMaterial` directives, in order.
    pub material_order: Vec<MaterialId>,
    pub default_material: Option<MaterialId>,
    /// Grey materials in place of those that no directive defines, by name.
    pub undefined_materials: HashMap<String, MaterialId>,
    pub media: HashMap<String, NamedMedium>,
    pub area_lights: Vec<AreaLight>,
    /// Materials with the properties of a shape added: emission, alpha texture or media.
    pub derived: HashMap<(MaterialId, Look), MaterialId>,
    /// Meshes of tessellated shapes and PLY files, for reuse.
    pub shapes: HashMap<ShapeKey, MeshId>,
    /// PLY files that are read at the end, in parallel.
    pub pending: Vec<Pending>,
    /// Parameters of `Attribute` directives, with what they apply to and the file they are in.
    pub attributes: Vec<(String, Rc<Path>, Parameter)>,
    /// Crop window of the film in fractions: left, right, top, bottom; pixel bounds of film and integrator follow.
    pub crop_window: Option<[f32; 4]>,
    pub pixel_bounds: Vec<[f32; 4]>,
    pub placements: Vec<Placement>,
    pub objects: HashMap<String, Rc<Vec<Placement>>>,
    pub current_object: Option<(String, Vec<Placement>)>,
    /// Number of triangles that tessellation may still make.
    pub triangle_budget: u64,
    /// Rounder of the positions of the shape that is being read.
    pub rounded: Rounder,
    /// Rounders of the positions of the scene's meshes.
    pub rounders: HashMap<MeshId, Rounder>,
}

impl<'a> Importer<'a> {
    pub fn new(context: &'a mut Context, path: &Path, disk: bool, triangle_budget: u64) -> Self {
        Self {
            context,
            files: Files::new(path, disk),
            scene: Description::default(),
            open: Vec::new(),
            graphics: Graphics::default(),
            saved: Vec::new(),
            in_world: false,
            ended: false,
            version: None,
            mixes_versions: false,
            coordinate_systems: HashMap::new(),
            times: Times::default(),
            exposure_time: 1.0,
            camera: None,
            bare_gaussian: false,
            float_textures: HashMap::new(),
            color_textures: HashMap::new(),
            texture_marks: HashMap::new(),
            medium_marks: HashMap::new(),
            gamma_images: HashMap::new(),
            named_materials: HashMap::new(),
            material_order: Vec::new(),
            default_material: None,
            undefined_materials: HashMap::new(),
            media: HashMap::new(),
            area_lights: Vec::new(),
            derived: HashMap::new(),
            shapes: HashMap::new(),
            pending: Vec::new(),
            attributes: Vec::new(),
            crop_window: None,
            pixel_bounds: Vec::new(),
            placements: Vec::new(),
            objects: HashMap::new(),
            current_object: None,
            triangle_budget,
            rounded: Rounder::default(),
            rounders: HashMap::new(),
        }
    }

    /// Adds a warning at the directive of `params`.
    pub fn warn(&mut self, params: &Params, warning: impl Into<WarningKind>) {
        self.context.warn(&params.path, Place::Line(params.line), warning);
    }

    /// Warns about every unused parameter of `of`.
    pub fn warn_unused(&mut self, params: &Params, of: &str) {
        for parameter in params.unused() {
            let warning = PbrtWarning::UnusedParameter { name: parameter.name.clone(), of: of.into() };
            self.context.warn(&params.path, Place::Line(parameter.line), warning);
        }
    }

    /// Takes `triangles` from the budget of tessellation; an error if it is exceeded.
    pub fn spend(&mut self, params: &Params, triangles: u64) -> Result<(), ImportError> {
        match self.triangle_budget.checked_sub(triangles) {
            Some(left) => {
                self.triangle_budget = left;
                Ok(())
            }
            None => Err(ImportError::TooLarge {
                path: params.path.to_path_buf(),
                place: Place::Line(params.line),
                kind: PbrtFault::Triangles { triangles, left: self.triangle_budget }.into(),
            }),
        }
    }

    /// Returns the path of the file `name`, relative to the main file or to the file that names it, whichever exists.
    pub fn resolve(&mut self, name: &str, line: u64) -> PathBuf {
        let current = self.open.last().map(|file| file.path.clone());
        let (path, is_other) = self.files.resolve(name, current.as_deref());
        if let Some(current) = current.filter(|_| is_other) {
            self.context.say_other(&current, Place::Line(line), name, &path);
        }
        path
    }

    /// Reads a file's bytes; notes it and returns `None` when it is missing.
    pub fn read(&mut self, path: &Path) -> Result<Option<Vec<u8>>, ImportError> {
        if !self.files.disk && !self.context.is_sealed() {
            self.context.note_missing(path);
            return Ok(None);
        }
        self.context.read(path)
    }

    /// Returns the default material, `Material "matte"` without parameters.
    pub fn default_material(&mut self) -> MaterialId {
        *self
            .default_material
            .get_or_insert_with(|| self.scene.add_material(crate::Material::diffuse("default", [0.5; 3])))
    }

    /// Returns the grey material that replaces the undefined material `name`.
    pub fn undefined_material(&mut self, name: &str) -> MaterialId {
        if let Some(&known) = self.undefined_materials.get(name) {
            return known;
        }
        let id = self.scene.add_material(crate::Material::diffuse(name, [0.5; 3]));
        let log = &mut self.context.stand_ins;
        log.begin();
        log.material(format_args!("{name:?}"));
        let mark = log.close();
        log.keep(id, mark);
        self.undefined_materials.insert(name.to_string(), id);
        id
    }

    /// Completes the settings after the last directive: the camera, the filter and the crop window.
    pub fn finish_settings(&mut self, path: &Path) {
        if self.bare_gaussian {
            self.scene.settings.filter = Some(super::directive::default_gaussian(self.version));
        }
        if self.version == Some(Version::V4) && self.exposure_time != 1.0 {
            let exposure = &mut self.scene.settings.exposure;
            *exposure = Some(exposure.unwrap_or(1.0) * self.exposure_time).filter(|exposure| exposure.is_finite());
        }
        match self.crop() {
            Some([left, right, top, bottom]) if !(left < right && top < bottom) => {
                self.context.warn(path, Place::File, PbrtWarning::NoPixels);
            }
            crop => self.scene.settings.crop = crop,
        }
        if let Some(CameraSource { mut camera, unit, window, medium, at }) = self.camera.take() {
            // Media may be made after the camera that is in them.
            camera.medium = self.medium(medium, (&at.0, at.1));
            let settings = &self.scene.settings;
            let [width, height] = settings.size.unwrap_or([1, 1]).map(|n| n as f32);
            if let Projection::Orthographic { half_height } = &mut camera.projection {
                // pbrt's screen reaches from -1 to 1 along the picture's shorter side.
                let top = window.map_or(height / width.min(height), |[_, top]| top);
                *half_height = top * unit;
            }
            self.scene.cameras.push(camera);
        }
    }
}
