//! State that one import run shares: options, warnings, missing files, decoded images.

use super::located::{located, of_another_machine};
use super::origin::Center;
use super::stand_ins::StandInLog;
use super::{Choices, Format, GltfOptions, LampUnits, LightUnits, foreign, fuzz, image, source};
use crate::{Description, Image, ImageId, Light, Place, SceneError};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Options for loading a scene.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// `true` if missing files become warnings, and the rest is loaded.
    pub allow_missing: bool,
    /// The kind of the file; `None`: its extension says.
    pub format: Option<Format>,
    /// `true` if only the triangles are asked for: libraries of materials and images that are missing or broken become
    /// warnings. A missing file of triangles stays an error.
    pub geometry_only: bool,
    /// Meaning of the numbers of a glTF file's lamps.
    pub light_units: LightUnits,
    /// Treatment of a scene without a triangle.
    pub without_triangles: WithoutTriangles,
    /// Choice among the things that a glTF file holds.
    pub gltf: GltfOptions,
}

/// Treatment of a scene without a triangle, of formats that hold lights (glTF, pbrt); files of others are refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WithoutTriangles {
    /// It is an error: [`SceneError::Empty`].
    #[default]
    Refused,
    /// It is taken if it has light from all around, which alone is a picture.
    TakenWithEnvironment,
    /// It is taken: light from all around is added to it.
    Taken,
}

impl WithoutTriangles {
    /// Returns `true` if `scene`, which has no triangle, is taken.
    pub(super) fn takes(self, scene: &Description) -> bool {
        let has_environment = || scene.lights.iter().any(|light| matches!(light, Light::Environment { .. }));
        match self {
            Self::Refused => false,
            Self::TakenWithEnvironment => has_environment(),
            Self::Taken => true,
        }
    }
}

/// Warning about something that a file holds and that was left out or replaced.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Warning {
    /// File that it is about.
    pub path: PathBuf,
    /// Place in that file.
    pub place: Place,
    /// Message that says what it is, and what was done instead.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}: {}", self.path.display(), self.place, self.message)
    }
}

/// Encoding of the bytes of an eight-bit image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Encoding {
    /// Colours in sRGB.
    Srgb,
    /// Data: normals, roughness, heights.
    Linear,
}

/// State of one import run.
pub(crate) struct Context {
    scene_path: PathBuf,
    /// The scene file itself where it was read already.
    given: Option<Rc<Vec<u8>>>,
    /// Kind of file that it is meant to be.
    format: Option<Format>,
    options: LoadOptions,
    /// `true` if the disk is left alone, see [`fuzz::file`].
    is_sealed: bool,
    warnings: Vec<Warning>,
    /// Messages already given, so that each is given once.
    warned: HashSet<(PathBuf, String)>,
    missing: Vec<PathBuf>,
    /// Missing files that only say how surfaces look, where that is not asked for.
    missing_looks: Vec<PathBuf>,
    /// Files that were read, in this order.
    files: Vec<PathBuf>,
    known_files: HashSet<PathBuf>,
    images: HashMap<(PathBuf, Encoding), Option<ImageId>>,
    /// Log of the surfaces that show something else than the file says.
    pub stand_ins: StandInLog,
    /// Reading of the lamps' numbers, where that is to be said.
    pub lamp_units: Option<LampUnits>,
    /// Scenes, animations and looks that the file has to choose from.
    pub choices: Choices,
    /// End of an error's line that says, where nothing is shown, which parts of the file have triangles; or empty.
    pub elsewhere: String,
    /// Center that positions are rounded relative to.
    pub center: Center,
}

impl Context {
    pub fn new(path: &Path, options: &LoadOptions) -> Self {
        Self {
            scene_path: path.to_path_buf(),
            given: None,
            format: None,
            options: options.clone(),
            is_sealed: false,
            warnings: Vec::new(),
            warned: HashSet::new(),
            missing: Vec::new(),
            missing_looks: Vec::new(),
            files: Vec::new(),
            known_files: HashSet::new(),
            images: HashMap::new(),
            stand_ins: StandInLog::default(),
            lamp_units: None,
            choices: Choices::default(),
            elsewhere: String::new(),
            center: Center::default(),
        }
    }

    /// Makes a context for importing the same file again, with positions relative to `center`.
    pub fn again(&self, center: Center) -> Self {
        let Self { format, is_sealed, .. } = *self;
        Self { given: self.given.clone(), format, is_sealed, center, ..Self::new(&self.scene_path, &self.options) }
    }

    /// Makes a context for a run that does not touch the disk.
    pub fn sealed(path: &Path, options: &LoadOptions) -> Self {
        Self { is_sealed: true, ..Self::new(path, options) }
    }

    /// Returns `true` if this run does not touch the disk.
    pub fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    /// Returns the file that `path` means, see [`located`].
    fn located(&self, path: &Path) -> PathBuf {
        if self.is_sealed { path.to_path_buf() } else { located(path) }
    }

    /// Finds the file that the path `name` means, which stands in `file` at `place`: in that file's folder, by another
    /// case or `\`, or, of a whole path of another machine, beside it, which is said. The plain path where there is
    /// none.
    pub fn find(&mut self, file: &Path, place: Place, name: &str) -> PathBuf {
        let folder = file.parent().unwrap_or(Path::new(""));
        let path = self.located(&folder.join(name));
        let other = if self.is_sealed { None } else { of_another_machine(folder, name) };
        let Some(other) = other else { return path };
        self.say_other(file, place, name, &other);
        other
    }

    /// Says that `found` is taken for the path `name` of another machine.
    pub fn say_other(&mut self, file: &Path, place: Place, name: &str, found: &Path) {
        self.warn(file, place, format!("{name} is not here; {} beside this file is taken", found.display()));
    }

    /// Returns the meaning that the numbers of lamps are asked to have.
    pub fn light_units(&self) -> LightUnits {
        self.options.light_units
    }

    /// Returns the options for glTF files.
    pub fn gltf(&self) -> &GltfOptions {
        &self.options.gltf
    }

    /// Warns, once for each message of a file.
    pub fn warn(&mut self, path: &Path, place: Place, message: impl Into<String>) {
        let message = message.into();
        if self.warned.insert((path.to_path_buf(), message.clone())) {
            self.warnings.push(Warning { path: path.to_path_buf(), place, message });
        }
    }

    /// Reads the scene file itself, decompressed. A missing one is a [`SceneError::Read`].
    pub fn read_scene(&mut self, path: &Path) -> Result<Rc<Vec<u8>>, SceneError> {
        // Bytes that were given are of no file; they stay, as the file may have to be imported again.
        let bytes = match &self.given {
            Some(given) => given.clone(),
            None => {
                let bytes = source::read(path)?;
                self.note_read(path);
                Rc::new(bytes)
            }
        };
        if let Some(format) = self.format {
            foreign::check_scene(path, &bytes, format)?;
        }
        Ok(bytes)
    }

    /// Returns the treatment of a scene without a triangle.
    pub fn without_triangles(&self) -> WithoutTriangles {
        self.options.without_triangles
    }

    /// Has the scene file refused where it is seen to be none of this format.
    pub fn expect(&mut self, format: Format) {
        self.format = Some(format);
    }

    /// Gives the scene file's bytes, decompressed, instead of leaving it to be read.
    pub fn give(&mut self, bytes: Vec<u8>) {
        self.given = Some(Rc::new(bytes));
    }

    /// Returns `true` if the scene file's bytes were given.
    pub fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// Reads a file that the scene names, decompressed; `None` when it is missing, which is noted: the
    /// importer goes on without it, and [`Context::finish`] makes one error (or warnings) of all.
    ///
    /// A pointer of Git LFS or a web page in its place is refused, or counts as missing with `allow_missing`.
    pub fn read(&mut self, path: &Path) -> Result<Option<Vec<u8>>, SceneError> {
        let bytes = self.read_any(path)?;
        let Some((what, advice)) = bytes.as_deref().and_then(foreign::stand_in) else { return Ok(bytes) };
        if self.options.allow_missing {
            self.warn(path, Place::Line(1), format!("this is {what}, not the file; rendered without it"));
            return Ok(None);
        }
        let without = if self.options.geometry_only { "" } else { ", and --allow-missing renders without it" };
        let message = format!("this is {what}, not the file; {advice}{without}");
        Err(SceneError::Malformed { path: path.to_path_buf(), place: Place::Line(1), message })
    }

    /// Reads a file that only says how surfaces look, as [`Context::read`] does: where that is not asked for, one that
    /// is missing or broken is warned about.
    pub fn read_look(&mut self, path: &Path) -> Result<Option<Vec<u8>>, SceneError> {
        let path = &self.located(path);
        if !self.options.geometry_only {
            return self.read(path);
        }
        let missing = self.missing.len();
        let read = self.read(path);
        if self.missing.len() > missing {
            self.missing_looks.extend(self.missing.pop());
        }
        Ok(self.forgive(read)?.flatten())
    }

    /// Reads a material library, as [`Context::read_look`] does; what is none is refused, or warned about with
    /// `allow_missing`.
    pub fn read_library(&mut self, path: &Path) -> Result<Option<Vec<u8>>, SceneError> {
        let Some(bytes) = self.read_look(path)? else { return Ok(None) };
        let is_library = foreign::check_library(path, &bytes);
        Ok(self.forgive_image(is_library)?.map(|()| bytes))
    }

    /// Returns what was found about how surfaces look, or, where only triangles are asked for, a warning in place of
    /// the error.
    pub fn forgive<T>(&mut self, found: Result<T, SceneError>) -> Result<Option<T>, SceneError> {
        let (path, place, message) = match found {
            Ok(found) => return Ok(Some(found)),
            Err(error) if self.options.geometry_only => told(error)?,
            Err(error) => return Err(error),
        };
        self.warn(&path, place, format!("{message}; not needed for the triangles"));
        Ok(None)
    }

    /// Forgives an image or a library that is none, as [`Context::forgive`] does: where missing files are allowed, a
    /// broken one is a warning, too.
    pub fn forgive_image<T>(&mut self, found: Result<T, SceneError>) -> Result<Option<T>, SceneError> {
        if self.options.geometry_only || !self.options.allow_missing {
            return self.forgive(found);
        }
        let (path, place, message) = match found {
            Ok(found) => return Ok(Some(found)),
            Err(error) => told(error)?,
        };
        self.warn(&path, place, format!("{message}; rendered without it"));
        Ok(None)
    }

    fn read_any(&mut self, path: &Path) -> Result<Option<Vec<u8>>, SceneError> {
        let read = match (self.is_sealed, fuzz::file(path)) {
            (false, _) => source::read(path),
            (true, Some(bytes)) => Ok(bytes),
            (true, None) => {
                Err(SceneError::Read { path: path.to_path_buf(), source: std::io::ErrorKind::NotFound.into() })
            }
        };
        match read {
            Err(SceneError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                self.note_missing(path);
                Ok(None)
            }
            other => {
                self.note_read(path);
                other.map(Some)
            }
        }
    }

    /// Notes a file that was read.
    pub fn note_read(&mut self, path: &Path) {
        if self.known_files.insert(path.to_path_buf()) {
            self.files.push(path.to_path_buf());
        }
    }

    /// Notes a missing file.
    pub fn note_missing(&mut self, path: &Path) {
        if !self.missing.iter().any(|p| p == path) {
            self.missing.push(path.to_path_buf());
        }
    }

    /// Says whether missing files are allowed from here on, and gives back whether they were.
    pub fn allow_missing(&mut self, allow: bool) -> bool {
        std::mem::replace(&mut self.options.allow_missing, allow)
    }

    /// Returns the number of missing files that were noted.
    pub fn missing_count(&self) -> usize {
        self.missing.len()
    }

    /// Leaves out the missing files noted after the first `count`: something else stands for what they hold.
    pub fn forget_missing_after(&mut self, count: usize) {
        self.missing.truncate(count);
    }

    /// Returns the image in `path`, decoded once for each encoding; `None` when it is missing (noted).
    pub fn image(
        &mut self,
        scene: &mut Description,
        path: &Path,
        encoding: Encoding,
    ) -> Result<Option<ImageId>, SceneError> {
        let path = &self.located(path);
        let key = (path.clone(), encoding);
        if let Some(&known) = self.images.get(&key) {
            return Ok(known);
        }
        let bytes = if self.options.geometry_only { self.read_look(path) } else { self.read_any(path) };
        let id = match self.forgive_image(bytes)?.flatten() {
            None => None,
            Some(bytes) => {
                let decoded = self.decode_image(path, Place::File, &bytes, encoding);
                self.forgive_image(decoded)?.map(|image| scene.add_image(image))
            }
        };
        self.images.insert(key, id);
        Ok(id)
    }

    /// Decodes an image by its content (PNG, JPEG, WebP, TGA, HDR, EXR, KTX2).
    pub fn decode_image(
        &mut self,
        path: &Path,
        place: Place,
        bytes: &[u8],
        encoding: Encoding,
    ) -> Result<Image, SceneError> {
        let at = place.clone();
        let decoded = image::decode(path, place, bytes, encoding)?;
        for note in decoded.notes {
            self.warn(path, at.clone(), note);
        }
        Ok(decoded.image)
    }

    /// Takes the files that were read so far, each once, in this order.
    pub fn take_files(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.files)
    }

    /// Takes the warnings so far.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Takes back what [`Context::finish`] gave, for an error behind it.
    pub fn give_back(&mut self, warnings: Vec<Warning>) {
        self.warnings = warnings;
    }

    /// Returns the warnings, or the one error that names all missing files.
    pub fn finish(&mut self) -> Result<Vec<Warning>, SceneError> {
        for file in std::mem::take(&mut self.missing_looks) {
            self.warn(&file, Place::File, "missing; not needed for the triangles");
        }
        if self.missing.is_empty() {
            return Ok(self.take_warnings());
        }
        let files = std::mem::take(&mut self.missing);
        if !self.options.allow_missing {
            return Err(SceneError::Missing { scene: self.scene_path.clone(), files });
        }
        for file in files {
            self.warn(&file, Place::File, "missing; rendered without it");
        }
        Ok(self.take_warnings())
    }
}

/// Returns file, place and message of an error about one file; another stays an error.
fn told(error: SceneError) -> Result<(PathBuf, Place, String), SceneError> {
    match error {
        SceneError::Malformed { path, place, message }
        | SceneError::Unsupported { path, place, message }
        | SceneError::TooLarge { path, place, message } => Ok((path, place, message)),
        SceneError::Read { path, source } => Ok((path, Place::File, format!("cannot be read: {source}"))),
        other => Err(other),
    }
}
