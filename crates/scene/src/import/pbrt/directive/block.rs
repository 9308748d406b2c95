//! Blocks: attributes, transforms, objects, the world; and version 4's `Attribute`.

use crate::findings::pbrt::{MAX_BLOCKS, MAX_DEFAULTS, MAX_PLACEMENTS};
use crate::import::pbrt::motion::Motion;
use crate::import::pbrt::params::malformed;
use crate::import::pbrt::shape::Placement;
use crate::import::pbrt::state::{Graphics, Importer, Saved, SavedState};
use crate::{ImportError, PbrtFault, PbrtWarning, Place};
use std::path::Path;
use std::rc::Rc;

impl Importer<'_> {
    pub fn block_directive(&mut self, word: &str, path: &Rc<Path>, line: u64) -> Result<(), ImportError> {
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
                    let (directive, outer) = ("ObjectBegin", outer.clone());
                    return Err(malformed(path, line, PbrtFault::NestedObject { directive, name, outer }));
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

    fn begin(&mut self, begin: &'static str, path: &Path, line: u64) -> Result<(), ImportError> {
        if self.saved.len() >= MAX_BLOCKS {
            let kind = PbrtFault::BlockDepth.into();
            return Err(ImportError::TooLarge { path: path.to_path_buf(), place: Place::Line(line), kind });
        }
        let state = match begin {
            "TransformBegin" => SavedState::Transform(self.graphics.ctm, self.graphics.active),
            _ => SavedState::Everything(Box::new(self.graphics.clone())),
        };
        self.saved.push(Saved { begin, line, depth: self.open.len(), state });
        Ok(())
    }

    fn end(&mut self, end: &str, begin: &str, path: &Path, line: u64) -> Result<(), ImportError> {
        let fail = |fault: PbrtFault| Err(malformed(path, line, fault));
        match self.saved.pop() {
            None => fail(PbrtFault::EndWithoutBegin { end: end.into(), begin: begin.into() }),
            Some(saved) if saved.begin != begin => {
                fail(PbrtFault::OtherBlockOpen { end: end.into(), open: saved.begin, line: saved.line })
            }
            Some(saved) if saved.depth != self.open.len() => {
                fail(PbrtFault::ClosesOtherFile { end: end.into(), begin: begin.into(), line: saved.line })
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

    fn world_begin(&mut self, path: &Path, line: u64) -> Result<(), ImportError> {
        if self.in_world {
            return Err(malformed(path, line, PbrtFault::SecondWorld));
        }
        self.in_world = true;
        // The media around the camera go on to be those around shapes.
        let Graphics { defaults, inside, outside, .. } = std::mem::take(&mut self.graphics);
        self.graphics = Graphics { defaults, inside, outside, ..Graphics::default() };
        self.coordinate_systems.insert("world".into(), Motion::default());
        Ok(())
    }

    fn world_end(&mut self, path: &Path, line: u64) -> Result<(), ImportError> {
        if !self.in_world {
            let (end, begin) = ("WorldEnd".into(), "WorldBegin".into());
            return Err(malformed(path, line, PbrtFault::EndWithoutBegin { end, begin }));
        }
        if let Some(block) = self.saved.last() {
            let fault = PbrtFault::OtherBlockOpen { end: "WorldEnd".into(), open: block.begin, line: block.line };
            return Err(malformed(path, line, fault));
        }
        self.ended = true;
        Ok(())
    }

    fn object_instance(&mut self, name: &str, path: &Rc<Path>, line: u64) -> Result<(), ImportError> {
        if let Some((outer, _)) = &self.current_object {
            let (directive, name, outer) = ("ObjectInstance", name.into(), outer.clone());
            return Err(malformed(path, line, PbrtFault::NestedObject { directive, name, outer }));
        }
        let Some(object) = self.objects.get(name).cloned() else {
            self.context.warn(path, Place::Line(line), PbrtWarning::NoObject { name: name.into() });
            return Ok(());
        };
        if object.len() + self.placements.len() > MAX_PLACEMENTS {
            let kind = PbrtFault::Placements.into();
            return Err(ImportError::TooLarge { path: path.to_path_buf(), place: Place::Line(line), kind });
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
                let warning = PbrtWarning::IdleAttribute { name: parameter.name.clone(), target };
                self.context.warn(&path, Place::Line(parameter.line), warning);
            }
        }
    }

    /// Reads a directive `Attribute "shape" ...`: default parameters for the directives that follow.
    pub fn attribute_defaults(&mut self, path: &Rc<Path>, line: u64) -> Result<(), ImportError> {
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
                return Err(malformed(path, line, PbrtFault::AttributeTarget { target }));
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
            let kind = PbrtFault::AttributeParameters { target }.into();
            return Err(ImportError::TooLarge { path: path.to_path_buf(), place: Place::Line(line), kind });
        }
        *slot = Rc::new(list);
        Ok(())
    }
}
