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
use crate::{ColorInput, Description, ImageId, MaterialId, MediumId, MeshId, Place, Projection, SceneError};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Parameters that version 4's `Attribute` hands to later directives.
#[derive(Debug, Clone, Default)]
pub(super) struct Defaults {
    pub shape: Rc<Vec<Parameter>>,
    pub light: Rc<Vec<Parameter>>,
    pub material: Rc<Vec<Parameter>>,
    pub medium: Rc<Vec<Parameter>>,
    pub texture: Rc<Vec<Parameter>>,
}

/// The graphics state: what `AttributeBegin` saves.
#[derive(Debug, Clone, Default)]
pub(super) struct Graphics {
    /// Transformation from object to world; before `WorldBegin`, world to camera.
    pub ctm: Motion,
    /// Selection of the current transformations that directives change: both or one.
    pub active: Active,
    pub reverse_orientation: bool,
    /// The current material; pbrt starts with grey matte.
    pub material: Option<MaterialId>,
    /// Index in [`Importer::area_lights`].
    pub area_light: Option<usize>,
    /// Names of the media inside of shapes and around them; `None` is empty space.
    pub inside: Option<Rc<str>>,
    pub outside: Option<Rc<str>>,
    pub defaults: Defaults,
}

/// State that a block saved, and the directive that must close it.
pub(super) struct Saved {
    pub begin: &'static str,
    pub line: u64,
    /// Number of open files: a block closes in the file that opened it.
    pub depth: usize,
    pub state: SavedState,
}

pub(super) enum SavedState {
    Everything(Box<Graphics>),
    Transform(Motion, Active),
}

/// A medium that a `MakeNamedMedium` directive defines.
pub(super) struct NamedMedium {
    /// Its absorption coefficient.
    pub sigma: [f32; 3],
    /// Its place in the scene, from its first use on: files may bring whole libraries of media.
    pub id: Option<MediumId>,
}

/// The camera as the file has it; the film size, which comes later, completes it.
pub(super) struct CameraSource {
    pub camera: crate::Camera,
    /// Scene units of a camera unit.
    pub unit: f32,
    /// From the centre to the right and the top border, on the screen plane where the shorter half is 1.
    pub window: Option<[f32; 2]>,
    /// Name of the medium around it, and where the camera stands in the file.
    pub medium: Option<Rc<str>>,
    pub at: (Rc<Path>, u64),
}

/// State of one import run.
pub(super) struct Importer<'a> {
    pub context: &'a mut Context,
    pub files: Files,
    pub scene: Description,
    pub open: Vec<Opened>,
    pub graphics: Graphics,
    pub saved: Vec<Saved>,
    pub in_world: bool,
    pub ended: bool,
    /// Version of the whole scene, told before it is read; `None` for pieces of scenes that have nothing of one
    /// version.
    pub version: Option<Version>,
    /// `true` if it was said that the scene has things of the other version.
    pub mixes_versions: bool,
    pub coordinate_systems: HashMap<String, Motion>,
    pub times: Times,
    /// Time for which the shutter is open.
    pub exposure_time: f32,
    pub camera: Option<CameraSource>,
    /// `true` for a Gaussian filter without parameters: its size depends on the version.
    pub bare_gaussian: bool,
    pub float_textures: HashMap<String, ColorInput>,
    pub color_textures: HashMap<String, ColorInput>,
    /// Stand-ins of the textures that have any, by name and whether they are colours.
    pub texture_marks: HashMap<(String, bool), MarkId>,
    /// Stand-ins of the media that have any, by name.
    pub medium_marks: HashMap<String, MarkId>,
    /// Images of a gamma that was named, by file and the gamma's bits.
    pub gamma_images: HashMap<(PathBuf, u32), ImageId>,
    pub named_materials: HashMap<String, MaterialId>,
    /// The `MakeNamedMaterial` directives in order.
    pub material_order: Vec<MaterialId>,
    pub default_material: Option<MaterialId>,
    /// Grey in place of materials that no directive defines, by name.
    pub undefined_materials: HashMap<String, MaterialId>,
    pub media: HashMap<String, NamedMedium>,
    pub area_lights: Vec<AreaLight>,
    /// Materials made for shapes that emit, have an alpha texture or lie between media.
    pub derived: HashMap<(MaterialId, Look), MaterialId>,
    /// Tessellated shapes and PLY files that were met before.
    pub shapes: HashMap<ShapeKey, MeshId>,
    /// PLY files that are read at the end, all at once.
    pub pending: Vec<Pending>,
    /// The parameters of `Attribute` directives, with what they are for and where they stand.
    pub attributes: Vec<(String, Rc<Path>, Parameter)>,
    /// The film's `cropwindow`, and bounds in pixels of the film and the integrator: left, right, top, bottom.
    pub crop_window: Option<[f32; 4]>,
    pub pixel_bounds: Vec<[f32; 4]>,
    pub placements: Vec<Placement>,
    pub objects: HashMap<String, Rc<Vec<Placement>>>,
    pub current_object: Option<(String, Vec<Placement>)>,
    /// Triangles that tessellation may still make.
    pub triangle_budget: u64,
    /// Rounder that rounded the positions of the shape that is read.
    pub rounded: Rounder,
    /// Rounders that rounded the positions of meshes.
    pub rounders: HashMap<MeshId, Rounder>,
}

/// The most triangles that spheres, subdivision surfaces and the like may become, all together.
pub(super) const TRIANGLE_BUDGET: u64 = 1 << 25;

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

    /// Warns at the directive of `params`.
    pub fn warn(&mut self, params: &Params, message: impl Into<String>) {
        self.context.warn(&params.path, Place::Line(params.line), message);
    }

    /// Warns about every parameter of `what` that nothing asked for.
    pub fn warn_unused(&mut self, params: &Params, what: &str) {
        for parameter in params.unused() {
            let message = format!("parameter \"{}\" of {what} is ignored", parameter.name);
            self.context.warn(&params.path, Place::Line(parameter.line), message);
        }
    }

    /// Takes `triangles` from what tessellation may make.
    pub fn spend(&mut self, params: &Params, triangles: u64) -> Result<(), SceneError> {
        match self.triangle_budget.checked_sub(triangles) {
            Some(left) => {
                self.triangle_budget = left;
                Ok(())
            }
            None => Err(SceneError::TooLarge {
                path: params.path.to_path_buf(),
                place: Place::Line(params.line),
                message: format!(
                    "this shape becomes {triangles} triangles, but only {} of {TRIANGLE_BUDGET} are left",
                    self.triangle_budget
                ),
            }),
        }
    }

    /// Returns the file `name` of `line`, relative to the main file or to the one that names it, whichever exists.
    pub fn resolve(&mut self, name: &str, line: u64) -> PathBuf {
        let current = self.open.last().map(|file| file.path.clone());
        let (path, is_other) = self.files.resolve(name, current.as_deref());
        if let Some(current) = current.filter(|_| is_other) {
            self.context.say_other(&current, Place::Line(line), name, &path);
        }
        path
    }

    /// Reads a file's bytes, or `None` when it is missing (noted).
    pub fn read(&mut self, path: &Path) -> Result<Option<Vec<u8>>, SceneError> {
        if !self.files.disk && !self.context.is_sealed() {
            self.context.note_missing(path);
            return Ok(None);
        }
        self.context.read(path)
    }

    /// Returns the material that `Material "matte"` with no parameters would be.
    pub fn default_material(&mut self) -> MaterialId {
        *self
            .default_material
            .get_or_insert_with(|| self.scene.add_material(crate::Material::diffuse("default", [0.5; 3])))
    }

    /// Returns grey in place of the material `name`, which no directive defines.
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

    /// Sets what can only be set after the last directive: the camera, the filter and the part of the picture.
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
                let message = "the film's and the integrator's bounds leave no pixels; the whole picture is rendered";
                self.context.warn(path, Place::File, message);
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
