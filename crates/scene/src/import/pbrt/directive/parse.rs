//! The loop over directives. Files that include each other are a stack, not a recursion.

use crate::import::pbrt::lexer::Token;
use crate::import::pbrt::params::{Params, malformed};
use crate::import::pbrt::state::Importer;
use crate::{ImportError, PbrtFault, PbrtWarning, Place};
use std::path::Path;
use std::rc::Rc;

impl Importer<'_> {
    /// Runs all directives of the open files to their ends.
    pub fn run(&mut self) -> Result<(), ImportError> {
        while let Some(file) = self.open.last_mut() {
            let path = file.path.clone();
            match file.lexer.next().map_err(|error| malformed(&path, error.line, error.kind))? {
                None => self.close()?,
                Some((Token::Word(word), line)) => {
                    if self.ended {
                        self.context.warn(&path, Place::Line(line), PbrtWarning::BehindWorldEnd);
                        return Ok(());
                    }
                    self.directive(&word, &path, line)?;
                }
                Some((token, line)) => {
                    return Err(malformed(&path, line, PbrtFault::ExpectedDirective { found: token.to_string() }));
                }
            }
        }
        Ok(())
    }

    fn directive(&mut self, word: &str, path: &Rc<Path>, line: u64) -> Result<(), ImportError> {
        match word {
            "Identity" | "Translate" | "Scale" | "Rotate" | "LookAt" | "Transform" | "ConcatTransform"
            | "CoordinateSystem" | "CoordSysTransform" | "ActiveTransform" | "TransformTimes" => {
                self.transform_directive(word, path, line)
            }
            "AttributeBegin" | "AttributeEnd" | "TransformBegin" | "TransformEnd" | "ObjectBegin" | "ObjectEnd"
            | "ObjectInstance" | "WorldBegin" | "WorldEnd" => self.block_directive(word, path, line),
            "ReverseOrientation" => {
                self.graphics.reverse_orientation = !self.graphics.reverse_orientation;
                Ok(())
            }
            "Include" | "Import" => {
                let name = self.argument(word, path, line)?;
                self.include(&name, line, word == "Import")
            }
            "Attribute" => self.attribute_defaults(path, line),
            "ColorSpace" => {
                let name = self.argument(word, path, line)?;
                if name != "srgb" {
                    self.context.warn(path, Place::Line(line), PbrtWarning::ColorSpace { name });
                }
                Ok(())
            }
            "Option" => {
                let params = self.params(path, line)?;
                for parameter in params.unused() {
                    let warning = PbrtWarning::Option { name: parameter.name.clone() };
                    self.context.warn(path, Place::Line(line), warning);
                }
                Ok(())
            }
            "Accelerator" => {
                self.argument(word, path, line)?;
                // Whatever it says: `IGNORED` has all of it.
                self.params(path, line).map(drop)
            }
            "Texture" => {
                let name = self.argument(word, path, line)?;
                let kind = self.argument(word, path, line)?;
                let class = self.argument(word, path, line)?;
                let params = self.params(path, line)?;
                self.texture_directive(&name, &kind, &class, params)
            }
            "MediumInterface" => self.medium_interface(path, line),
            _ => self.directive_with_type(word, path, line),
        }
    }

    /// Runs a directive of the form `Word "type" parameters`.
    fn directive_with_type(&mut self, word: &str, path: &Rc<Path>, line: u64) -> Result<(), ImportError> {
        type Handler = for<'b, 'c> fn(&'b mut Importer<'c>, &str, Params) -> Result<(), ImportError>;
        let handler: Handler = match word {
            "Camera" => |this, kind, params| this.camera_directive(kind, &params),
            "Film" => |this, kind, params| this.film(kind, &params),
            "Sampler" => |this, kind, params| this.sampler(kind, &params),
            "Integrator" | "SurfaceIntegrator" => |this, kind, params| this.integrator(kind, &params),
            "PixelFilter" => |this, kind, params| this.pixel_filter(kind, &params),
            "Material" => |this, kind, params| this.material_directive(kind, params),
            "MakeNamedMaterial" => |this, name, params| this.make_named_material(name, params),
            "NamedMaterial" => |this, name, params| {
                this.named_material(name, &params);
                Ok(())
            },
            "MakeNamedMedium" => |this, name, params| this.make_named_medium(name, params),
            "LightSource" => |this, kind, params| this.light_source(kind, params),
            "AreaLightSource" => |this, kind, params| this.area_light_source(kind, params),
            "Shape" => |this, kind, params| this.shape_directive(kind, params),
            "VolumeIntegrator" | "Renderer" | "Volume" => |this, kind, params| {
                this.warn(&params, PbrtWarning::OlderPbrt { kind: kind.into() });
                Ok(())
            },
            _ => return Err(malformed(path, line, PbrtFault::UnknownDirective { name: word.into() })),
        };
        let kind = self.argument(word, path, line)?;
        let params = self.params(path, line)?;
        handler(self, &kind, params)
    }

    /// Reads the text in quotes behind a directive.
    pub fn argument(&mut self, word: &str, path: &Path, line: u64) -> Result<String, ImportError> {
        match self.token(path)? {
            Some((Token::Text(text), _)) => Ok(text),
            Some((token, line)) => {
                let fault = PbrtFault::ExpectedText { directive: word.into(), found: token.to_string() };
                Err(malformed(path, line, fault))
            }
            None => Err(malformed(path, line, PbrtFault::EndBeforeText { directive: word.into() })),
        }
    }

    /// Reads `N` numbers behind a directive, with or without brackets.
    pub fn numbers<const N: usize>(&mut self, word: &str, path: &Path, line: u64) -> Result<[f64; N], ImportError> {
        let directive = || word.to_string();
        let fail = |line, fault: PbrtFault| malformed(path, line, fault);
        let mut out = [0.0; N];
        let mut first = self.token(path)?;
        let bracket = matches!(first, Some((Token::Open, _)));
        if bracket {
            first = self.token(path)?;
        }
        for (i, slot) in out.iter_mut().enumerate() {
            let token = if i == 0 { first.take() } else { self.token(path)? };
            match token {
                Some((Token::Number(number), _)) => *slot = number,
                Some((token, line)) => {
                    let (directive, found) = (directive(), token.to_string());
                    return Err(fail(line, PbrtFault::ExpectedNumber { directive, count: N, found, after: i }));
                }
                None => {
                    let directive = directive();
                    return Err(fail(line, PbrtFault::EndInNumbers { directive, count: N, after: i }));
                }
            }
        }
        if bracket {
            match self.token(path)? {
                Some((Token::Close, _)) => {}
                Some((token, line)) => {
                    let (directive, found) = (directive(), token.to_string());
                    return Err(fail(line, PbrtFault::ExpectedBracket { directive, count: N, found }));
                }
                None => {
                    let directive = directive();
                    return Err(fail(line, PbrtFault::EndBeforeBracket { directive, count: N }));
                }
            }
        }
        Ok(out)
    }

    pub fn params(&mut self, path: &Rc<Path>, line: u64) -> Result<Params, ImportError> {
        match self.open.last_mut() {
            Some(file) => Params::read(&mut file.lexer, path, line),
            None => Ok(Params::empty(path.clone(), line)),
        }
    }

    pub fn token(&mut self, path: &Path) -> Result<Option<(Token, u64)>, ImportError> {
        let Some(file) = self.open.last_mut() else { return Ok(None) };
        file.lexer.next().map_err(|error| malformed(path, error.line, error.kind))
    }

    /// Returns `true` if the next token is a text in quotes.
    pub fn text_follows(&mut self, path: &Path) -> Result<bool, ImportError> {
        let Some(file) = self.open.last_mut() else { return Ok(false) };
        let token = file.lexer.peek().map_err(|error| malformed(path, error.line, error.kind))?;
        Ok(matches!(token, Some(Token::Text(_))))
    }
}
