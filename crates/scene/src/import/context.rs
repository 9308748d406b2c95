//! State that one import run shares: options, warnings, missing files, decoded images.

use super::foreign;
use super::located::{located, of_another_machine};
use super::origin::Center;
use super::stand_ins::StandInLog;
use super::{Choices, Format, GltfOptions, LampUnits, LightUnits, image, sealed, source};
use crate::{
    Description, FaultKind, Image, ImageId, ImportError, Light, Place, SceneOfFile, Warning, WarningKind, WrongFile,
};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Options for loading a scene.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// `true` if missing files become warnings and the rest of the scene is loaded.
    pub allow_missing: bool,
    /// Format of the file; `None` to tell it by the file's extension.
    pub format: Option<Format>,
    /// `true` if only the triangles are needed, so that missing or broken material libraries and images become
    /// warnings. A missing file of triangles stays an error.
    pub geometry_only: bool,
    /// Units in which the intensities of a glTF file's lights are taken.
    pub light_units: LightUnits,
    /// Decision whether a scene without triangles is an error.
    pub without_triangles: WithoutTriangles,
    /// Choice of the scene, animation and material variant of a glTF file.
    pub gltf: GltfOptions,
}

/// Policy for scenes without triangles, in formats that hold lights (glTF, pbrt); in others they are always errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WithoutTriangles {
    /// A scene without triangles is an error: [`ImportError::Empty`].
    #[default]
    Refused,
    /// A scene without triangles is accepted if it has an environment light, which alone makes a picture.
    TakenWithEnvironment,
    /// A scene without triangles is always accepted; the caller adds an environment light.
    Taken,
}

impl WithoutTriangles {
    /// Returns `true` if `scene`, which has no triangles, is accepted.
    pub(super) fn takes(self, scene: &Description) -> bool {
        let has_environment = || scene.lights.iter().any(|light| matches!(light, Light::Environment { .. }));
        match self {
            Self::Refused => false,
            Self::TakenWithEnvironment => has_environment(),
            Self::Taken => true,
        }
    }
}

/// Colour encoding of an eight-bit image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Encoding {
    /// Encoding in sRGB, for colours.
    Srgb,
    /// Encoding in linear values, for data such as normals, roughness and heights.
    Linear,
}

/// State of the import of one scene: options, files read, warnings and results on the side.
pub(crate) struct Context {
    scene_path: PathBuf,
    /// Decompressed bytes of the scene file, if they were passed in instead of read from disk.
    given: Option<Rc<Vec<u8>>>,
    /// Format that the scene file must have.
    format: Option<Format>,
    options: LoadOptions,
    /// `true` if nothing is read from disk, as for fuzzing; see [`sealed::file`].
    is_sealed: bool,
    warnings: Vec<Warning>,
    /// Warnings already given, by file and sentence, so that each is given once.
    warned: HashSet<(PathBuf, String)>,
    missing: Vec<PathBuf>,
    /// Missing files that only affect materials, in an import that needs only triangles.
    missing_looks: Vec<PathBuf>,
    /// Files that were read, in the order of reading.
    files: Vec<PathBuf>,
    known_files: HashSet<PathBuf>,
    images: HashMap<(PathBuf, Encoding), Option<ImageId>>,
    /// Log of the surfaces that are rendered as approximations of what the file describes.
    pub stand_ins: StandInLog,
    /// Units in which the lights' intensities were taken, if the user is to be told.
    pub lamp_units: Option<LampUnits>,
    /// Scenes, animations and material variants that the file offers.
    pub choices: Choices,
    /// Another scene of the file that has triangles, for the error where this one has none.
    pub elsewhere: Option<SceneOfFile>,
    /// Origin relative to which positions are rounded to f32.
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
            elsewhere: None,
            center: Center::default(),
        }
    }

    /// Makes a context for importing the scene file a second time, with positions relative to `center`.
    pub fn for_second_import(&self, center: Center) -> Self {
        let Self { format, is_sealed, .. } = *self;
        Self { given: self.given.clone(), format, is_sealed, center, ..Self::new(&self.scene_path, &self.options) }
    }

    /// Makes a context for an import that reads nothing from disk.
    #[cfg(any(test, feature = "fuzz"))]
    pub fn sealed(path: &Path, options: &LoadOptions) -> Self {
        Self { is_sealed: true, ..Self::new(path, options) }
    }

    /// Returns `true` if this import reads nothing from disk.
    pub fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    /// Returns the existing file that `path` means, whatever its case and slashes; see [`located`].
    fn located(&self, path: &Path) -> PathBuf {
        if self.is_sealed { path.to_path_buf() } else { located(path) }
    }

    /// Finds the file named `name` at `place` in `file`, also where case or slashes differ or it is an absolute path of
    /// another machine. It is looked for in that file's folder; a path of another machine gives a warning. The plain
    /// path is returned where there is none.
    pub fn find(&mut self, file: &Path, place: Place, name: &str) -> PathBuf {
        let folder = file.parent().unwrap_or(Path::new(""));
        let path = self.located(&folder.join(name));
        let other = if self.is_sealed { None } else { of_another_machine(folder, name) };
        let Some(other) = other else { return path };
        self.say_other(file, place, name, &other);
        other
    }

    /// Warns that the file `found` is taken in place of the path `name` of another machine.
    pub fn say_other(&mut self, file: &Path, place: Place, name: &str, found: &Path) {
        self.warn(file, place, WarningKind::OnOtherMachine { name: name.into(), found: found.to_path_buf() });
    }

    /// Returns the units in which the user wants lights' intensities to be taken.
    pub fn light_units(&self) -> LightUnits {
        self.options.light_units
    }

    /// Returns the options for glTF files.
    pub fn gltf(&self) -> &GltfOptions {
        &self.options.gltf
    }

    /// Adds a warning, unless one that reads the same was already given for this file.
    pub fn warn(&mut self, path: &Path, place: Place, kind: impl Into<WarningKind>) {
        let kind = kind.into();
        // Numbers are compared as they are shown.
        if self.warned.insert((path.to_path_buf(), kind.to_string())) {
            self.warnings.push(Warning { path: path.to_path_buf(), place, kind });
        }
    }

    /// Reads and decompresses the scene file itself, and checks that it looks like its format. A missing one is a
    /// [`ImportError::Read`].
    pub fn read_scene(&mut self, path: &Path) -> Result<Rc<Vec<u8>>, ImportError> {
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

    /// Returns the policy for scenes without triangles.
    pub fn without_triangles(&self) -> WithoutTriangles {
        self.options.without_triangles
    }

    /// Sets the format that the scene file must have, so that files of other kinds are refused.
    pub fn expect(&mut self, format: Format) {
        self.format = Some(format);
    }

    /// Passes in the decompressed bytes of the scene file, which is then not read from disk.
    pub fn give(&mut self, bytes: Vec<u8>) {
        self.given = Some(Rc::new(bytes));
    }

    /// Returns `true` if the bytes of the scene file were passed in.
    pub fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// Reads and decompresses a file that the scene refers to; notes it and returns `None` when it is missing. The
    /// importer goes on without it, and [`Context::finish`] makes one error (or warnings) of all.
    ///
    /// A pointer of Git LFS or a web page in its place is refused, or counts as missing with `allow_missing`.
    pub fn read(&mut self, path: &Path) -> Result<Option<Vec<u8>>, ImportError> {
        let bytes = self.read_any(path)?;
        let Some((what, advice)) = bytes.as_deref().and_then(foreign::stand_in) else { return Ok(bytes) };
        if self.options.allow_missing {
            self.warn(path, Place::Line(1), WarningKind::Placeholder { what });
            return Ok(None);
        }
        let fault = WrongFile::Placeholder { what, advice, is_allowed: self.options.geometry_only };
        Err(ImportError::Malformed { path: path.to_path_buf(), place: Place::Line(1), kind: fault.into() })
    }

    /// Reads a file that only affects materials, as [`Context::read`] does; if only triangles are needed, faults become
    /// warnings.
    pub fn read_look(&mut self, path: &Path) -> Result<Option<Vec<u8>>, ImportError> {
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

    /// Reads a material library as [`Context::read_look`] does, and refuses a file that is not one. With
    /// `allow_missing` it warns instead.
    pub fn read_library(&mut self, path: &Path) -> Result<Option<Vec<u8>>, ImportError> {
        let Some(bytes) = self.read_look(path)? else { return Ok(None) };
        let is_library = foreign::check_library(path, &bytes);
        Ok(self.forgive_image(is_library)?.map(|()| bytes))
    }

    /// Turns an error about materials into a warning if only triangles are needed, and passes on everything else.
    pub fn forgive<T>(&mut self, found: Result<T, ImportError>) -> Result<Option<T>, ImportError> {
        let (path, place, fault) = match found {
            Ok(found) => return Ok(Some(found)),
            Err(error) if self.options.geometry_only => told(error)?,
            Err(error) => return Err(error),
        };
        self.warn(&path, place, WarningKind::BrokenLook { fault });
        Ok(None)
    }

    /// Turns an error about an image or library into a warning as [`Context::forgive`] does, also if missing files are
    /// allowed.
    pub fn forgive_image<T>(&mut self, found: Result<T, ImportError>) -> Result<Option<T>, ImportError> {
        if self.options.geometry_only || !self.options.allow_missing {
            return self.forgive(found);
        }
        let (path, place, fault) = match found {
            Ok(found) => return Ok(Some(found)),
            Err(error) => told(error)?,
        };
        self.warn(&path, place, WarningKind::Broken { fault });
        Ok(None)
    }

    fn read_any(&mut self, path: &Path) -> Result<Option<Vec<u8>>, ImportError> {
        let read = match (self.is_sealed, sealed::file(path)) {
            (false, _) => source::read(path),
            (true, Some(bytes)) => Ok(bytes),
            (true, None) => {
                Err(ImportError::Read { path: path.to_path_buf(), source: std::io::ErrorKind::NotFound.into() })
            }
        };
        match read {
            Err(ImportError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                self.note_missing(path);
                Ok(None)
            }
            other => {
                self.note_read(path);
                other.map(Some)
            }
        }
    }

    /// Adds a file to the list of files that were read.
    pub fn note_read(&mut self, path: &Path) {
        if self.known_files.insert(path.to_path_buf()) {
            self.files.push(path.to_path_buf());
        }
    }

    /// Adds a file to the list of missing files.
    pub fn note_missing(&mut self, path: &Path) {
        if !self.missing.iter().any(|p| p == path) {
            self.missing.push(path.to_path_buf());
        }
    }

    /// Sets whether missing files are allowed from here on, and returns the previous setting.
    pub fn allow_missing(&mut self, allow: bool) -> bool {
        std::mem::replace(&mut self.options.allow_missing, allow)
    }

    /// Returns the number of missing files noted so far.
    pub fn missing_count(&self) -> usize {
        self.missing.len()
    }

    /// Drops the missing files noted after the first `count`, since a replacement for them was found.
    pub fn forget_missing_after(&mut self, count: usize) {
        self.missing.truncate(count);
    }

    /// Loads the image in `path` into the scene, once for each encoding; returns its id, or `None` when the file is
    /// missing (noted).
    pub fn image(
        &mut self,
        scene: &mut Description,
        path: &Path,
        encoding: Encoding,
    ) -> Result<Option<ImageId>, ImportError> {
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

    /// Decodes an image, whose format its bytes tell: PNG, JPEG, WebP, TGA, HDR, EXR or KTX2.
    pub fn decode_image(
        &mut self,
        path: &Path,
        place: Place,
        bytes: &[u8],
        encoding: Encoding,
    ) -> Result<Image, ImportError> {
        let at = place.clone();
        let decoded = image::decode(path, place, bytes, encoding)?;
        for note in decoded.notes {
            self.warn(path, at.clone(), note);
        }
        Ok(decoded.image)
    }

    /// Takes out the list of files that were read so far, each once, in the order of reading.
    pub fn take_files(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.files)
    }

    /// Takes out the warnings given so far.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Puts back the warnings that [`Context::finish`] returned, since an error follows after all.
    pub fn give_back(&mut self, warnings: Vec<Warning>) {
        self.warnings = warnings;
    }

    /// Ends the import: returns the warnings, or one error that names all missing files.
    pub fn finish(&mut self) -> Result<Vec<Warning>, ImportError> {
        for file in std::mem::take(&mut self.missing_looks) {
            self.warn(&file, Place::File, WarningKind::MissingLook);
        }
        if self.missing.is_empty() {
            return Ok(self.take_warnings());
        }
        let files = std::mem::take(&mut self.missing);
        if !self.options.allow_missing {
            return Err(ImportError::Missing { scene: self.scene_path.clone(), files });
        }
        for file in files {
            self.warn(&file, Place::File, WarningKind::Missing);
        }
        Ok(self.take_warnings())
    }
}

/// Splits an error about one file into path, place and fault; passes on any other error.
pub(crate) fn told(error: ImportError) -> Result<(PathBuf, Place, FaultKind), ImportError> {
    match error {
        ImportError::Malformed { path, place, kind }
        | ImportError::Unsupported { path, place, kind }
        | ImportError::TooLarge { path, place, kind } => Ok((path, place, kind)),
        ImportError::Read { path, source } => {
            Ok((path, Place::File, FaultKind::Unreadable { error: source.to_string() }))
        }
        other => Err(other),
    }
}
