//! Blocks: attributes, transforms, objects, the world; and version 4's `Attribute`.

use crate::Place;
use crate::SceneError;
use crate::import::pbrt::motion::Motion;
use crate::import::pbrt::params::malformed;
use crate::import::pbrt::shape::Placement;
use crate::import::pbrt::state::{Graphics, Importer, Saved, SavedState};
use std::path::Path;
use std::rc::Rc;

/// Largest nesting depth of blocks such as `AttributeBegin`; files that people make have some tens.
const MAX_BLOCKS: usize = 4096;
/// Largest number of placements of meshes in a scene.
const MAX_PLACEMENTS: usize = 1 << 25;
/// Largest number of parameters from `Attribute` directives, each of which is offered to every directive that follows.
const MAX_DEFAULTS: usize = 256;

impl Importer<'_> {
    pub fn block_directive(&mut self, word: &str, path: &Rc<Path>, line: u64) -> Result<(), SceneError> {
        match word {
            "WorldBegin" => self.world_begin(path, line),
            "WorldEnd" => self.world_end(path, line),
            "AttributeBegin" => self.begin("AttributeBegin", path, line),
            "TransformBegin" => self.begin("TransformBegin", path, line),
            "AttributeEnd" => self.end(word, "AttributeBegin", path, line),
            "TransformEnd" => self.end(word, "TransformBegin", path, line),
            "ObjectBegin" => {
                let name = self.argument(word, path, line)?;
                if let Some((outer, _)) = &self.current_object {
                    let message = format!("ObjectBegin {name:?} inside object {outer:?}; objects do not nest");
                    return Err(malformed(path, line, message));
                }
                self.begin("ObjectBegin", path, line)?;
                self.current_object = Some((name, Vec::new()));
                Ok(())
            }
            "ObjectEnd" => {
                self.end(word, "ObjectBegin", path, line)?;
                if let Some((name, placements)) = self.current_object.take() {
                    self.objects.insert(name, Rc::new(placements));
                }
                Ok(())
            }
            _ => {
                let name = self.argument(word, path, line)?;
                self.object_instance(&name, path, line)
            }
        }
    }

    fn begin(&mut self, begin: &'static str, path: &Path, line: u64) -> Result<(), SceneError> {
        if self.saved.len() >= MAX_BLOCKS {
            let message = format!("blocks are nested more than {MAX_BLOCKS} deep");
            return Err(SceneError::TooLarge { path: path.to_path_buf(), place: Place::Line(line), message });
        }
        let state = match begin {
            "TransformBegin" => SavedState::Transform(self.graphics.ctm, self.graphics.active),
            _ => SavedState::Everything(Box::new(self.graphics.clone())),
        };
        self.saved.push(Saved { begin, line, depth: self.open.len(), state });
        Ok(())
    }

    fn end(&mut self, end: &str, begin: &str, path: &Path, line: u64) -> Result<(), SceneError> {
        let fail = |message: String| Err(malformed(path, line, message));
        match self.saved.pop() {
            None => fail(format!("{end} without {begin}")),
            Some(saved) if saved.begin != begin => {
                fail(format!("{end} where the {} of line {} is open", saved.begin, saved.line))
            }
            Some(saved) if saved.depth != self.open.len() => {
                fail(format!("{end} closes a {begin} of the including file (line {})", saved.line))
            }
            Some(Saved { state: SavedState::Everything(graphics), .. }) => {
                self.graphics = *graphics;
                Ok(())
            }
            Some(Saved { state: SavedState::Transform(ctm, active), .. }) => {
                (self.graphics.ctm, self.graphics.active) = (ctm, active);
                Ok(())
            }
        }
    }

    fn world_begin(&mut self, path: &Path, line: u64) -> Result<(), SceneError> {
        if self.in_world {
            return Err(malformed(path, line, "a second WorldBegin"));
        }
        self.in_world = true;
        // The media around the camera go on to be those around shapes.
        let Graphics { defaults, inside, outside, .. } = std::mem::take(&mut self.graphics);
        self.graphics = Graphics { defaults, inside, outside, ..Graphics::default() };
        self.coordinate_systems.insert("world".into(), Motion::default());
        Ok(())
    }

    fn world_end(&mut self, path: &Path, line: u64) -> Result<(), SceneError> {
        if !self.in_world {
            return Err(malformed(path, line, "WorldEnd without WorldBegin"));
        }
        if let Some(block) = self.saved.last() {
            return Err(malformed(
                path,
                line,
                format!("WorldEnd where the {} of line {} is open", block.begin, block.line),
            ));
        }
        self.ended = true;
        Ok(())
    }

    fn object_instance(&mut self, name: &str, path: &Rc<Path>, line: u64) -> Result<(), SceneError> {
        if let Some((outer, _)) = &self.current_object {
            let message = format!("ObjectInstance {name:?} inside object {outer:?}; objects do not nest");
            return Err(malformed(path, line, message));
        }
        let Some(object) = self.objects.get(name).cloned() else {
            let message = format!("object {name:?} is not defined; left out");
            self.context.warn(path, Place::Line(line), message);
            return Ok(());
        };
        if object.len() + self.placements.len() > MAX_PLACEMENTS {
            let message = format!("more than {MAX_PLACEMENTS} shapes are placed");
            return Err(SceneError::TooLarge { path: path.to_path_buf(), place: Place::Line(line), message });
        }
        let motion = self.graphics.ctm;
        self.note_motion(&motion, path, line);
        let ctm = self.pose(&motion);
        self.placements.extend(object.iter().map(|p| Placement { transform: ctm * p.transform, ..*p }));
        Ok(())
    }

    /// Warns about parameters of `Attribute` directives that no later directive used.
    pub fn say_idle_attributes(&mut self) {
        for (target, path, parameter) in std::mem::take(&mut self.attributes) {
            if parameter.is_idle() {
                let message = format!("parameter \"{}\" of Attribute {target:?} is taken by nothing", parameter.name);
                self.context.warn(&path, Place::Line(parameter.line), message);
            }
        }
    }

    /// Reads a directive `Attribute "shape" ...`: default parameters for the directives that follow.
    pub fn attribute_defaults(&mut self, path: &Rc<Path>, line: u64) -> Result<(), SceneError> {
        let target = self.argument("Attribute", path, line)?;
        let params = self.params(path, line)?;
        let defaults = &mut self.graphics.defaults;
        let slot = match target.as_str() {
            "shape" => &mut defaults.shape,
            "light" => &mut defaults.light,
            "material" => &mut defaults.material,
            "medium" => &mut defaults.medium,
            "texture" => &mut defaults.texture,
            _ => {
                let message = format!("Attribute {target:?}: expected shape, light, material, medium or texture");
                return Err(malformed(path, line, message));
            }
        };
        let params_path = params.path.clone();
        let mut list = params.into_defaults();
        self.attributes.extend(list.iter().map(|parameter| (target.clone(), params_path.clone(), parameter.clone())));
        // A later Attribute replaces what an earlier one said of the same parameter.
        let earlier =
            slot.iter().filter(|old| !list.iter().any(|new| new.name == old.name)).cloned().collect::<Vec<_>>();
        list.extend(earlier);
        if list.len() > MAX_DEFAULTS {
            let message = format!("Attribute {target:?}: more than {MAX_DEFAULTS} parameters");
            return Err(SceneError::TooLarge { path: path.to_path_buf(), place: Place::Line(line), message });
        }
        *slot = Rc::new(list);
        Ok(())
    }
}
