//! The parameter lists behind directives: `"type name" value` or `"type name" [ values ]`.

use super::lexer::{LexError, Lexer, Token};
use super::values::read_values;
pub(super) use super::values::{Kind, Values};
use crate::import::origin::{Center, Rounder};
use crate::{FaultKind, ImportError, ParameterFault, PbrtFault, Place};
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

/// Parameter of a pbrt directive: type, name and values.
#[derive(Debug, Clone)]
pub(super) struct Parameter {
    pub kind: Kind,
    pub name: String,
    pub values: Values,
    pub line: u64,
    /// `true` if the importer has used the parameter.
    used: Cell<bool>,
    /// Shared flag for a parameter from version 4's `Attribute`: `true` if any later directive has used it.
    handed_on: Option<Rc<Cell<bool>>>,
}

/// Parameter list of a directive, with its position in the file.
#[derive(Debug, Clone)]
pub(super) struct Params {
    list: Vec<Parameter>,
    pub path: Rc<Path>,
    /// Line number of the directive.
    pub line: u64,
}

/// Makes the error that line `line` of the file `path` breaks the format.
pub(super) fn malformed(path: &Path, line: u64, fault: impl Into<FaultKind>) -> ImportError {
    ImportError::Malformed { path: path.to_path_buf(), place: Place::Line(line), kind: fault.into() }
}

impl Parameter {
    /// Returns `true` if no directive that was offered the parameter has used it.
    pub fn is_idle(&self) -> bool {
        self.handed_on.as_ref().is_some_and(|asked| !asked.get())
    }
}

impl Params {
    pub fn empty(path: Rc<Path>, line: u64) -> Self {
        Self { list: Vec::new(), path, line }
    }

    /// Reads parameters up to the next directive or the end of the file.
    pub fn read(lexer: &mut Lexer, path: &Rc<Path>, line: u64) -> Result<Self, ImportError> {
        let mut params = Self::empty(path.clone(), line);
        let at = |error: LexError| malformed(path, error.line, error.kind);
        while matches!(lexer.peek().map_err(at)?, Some(Token::Text(_))) {
            let Some((Token::Text(declaration), line)) = lexer.next().map_err(at)? else { break };
            let mut words = declaration.split_ascii_whitespace();
            let (Some(kind), Some(name), None) = (words.next(), words.next(), words.next()) else {
                return Err(malformed(path, line, PbrtFault::NoParameter { text: declaration }));
            };
            let kind = Kind::parse(kind).ok_or_else(|| {
                let declaration = declaration.clone();
                malformed(path, line, PbrtFault::ParameterType { kind: kind.into(), declaration })
            })?;
            let values = read_values(lexer, path, line, &declaration, kind)?;
            params.list.push(Parameter {
                kind,
                name: name.to_string(),
                values,
                line,
                used: Cell::new(false),
                handed_on: None,
            });
        }
        Ok(params)
    }

    /// Adds those parameters of `defaults` whose names are not in the list (version 4's `Attribute`).
    pub fn with_defaults(mut self, defaults: &[Parameter]) -> Self {
        for parameter in defaults {
            if !self.list.iter().any(|p| p.name == parameter.name) {
                // A default need not fit every directive that it is offered to.
                let parameter = parameter.clone();
                parameter.used.set(true);
                self.list.push(parameter);
            }
        }
        self
    }

    /// Turns the list into defaults for later directives, which share a flag of use.
    pub fn into_defaults(mut self) -> Vec<Parameter> {
        for parameter in &mut self.list {
            parameter.handed_on = Some(Rc::default());
        }
        self.list
    }

    /// Returns the parameter `name`, and marks it as used. Of several, the last, as in version 3.
    pub fn find(&self, name: &str) -> Option<&Parameter> {
        let mut found = None;
        for parameter in self.list.iter().filter(|p| p.name == name) {
            parameter.used.set(true);
            if let Some(handed_on) = &parameter.handed_on {
                handed_on.set(true);
            }
            found = Some(parameter);
        }
        found
    }

    /// Returns `true` if there is a parameter `name`, without marking it as used.
    pub fn has(&self, name: &str) -> bool {
        self.list.iter().any(|p| p.name == name)
    }

    /// Iterates over the parameters that were not used.
    pub fn unused(&self) -> impl Iterator<Item = &Parameter> {
        self.list.iter().filter(|p| !p.used.get())
    }

    /// Makes an error at the directive's position.
    pub fn error(&self, fault: PbrtFault) -> ImportError {
        malformed(&self.path, self.line, fault)
    }

    /// Makes an error at a parameter's position.
    pub fn error_at(&self, parameter: &Parameter, fault: ParameterFault) -> ImportError {
        malformed(&self.path, parameter.line, PbrtFault::Parameter { name: parameter.name.clone(), fault })
    }

    /// Returns the parameter `name` and all its numbers; an error if its type is not one of `kinds`.
    fn numbers(
        &self,
        name: &str,
        kinds: &[Kind],
        wanted: &'static str,
    ) -> Result<Option<(&Parameter, &[f64])>, ImportError> {
        let Some(parameter) = self.find(name) else { return Ok(None) };
        match &parameter.values {
            Values::Numbers(numbers) if kinds.contains(&parameter.kind) => Ok(Some((parameter, numbers))),
            _ => {
                let found = format!("{:?}", parameter.kind);
                Err(self.error_at(parameter, ParameterFault::Type { wanted, found }))
            }
        }
    }

    /// Reads the single number of the parameter `name`; `None` if it is absent.
    pub fn float(&self, name: &str) -> Result<Option<f32>, ImportError> {
        let Some((parameter, numbers)) = self.numbers(name, &[Kind::Float, Kind::Integer], "a number")? else {
            return Ok(None);
        };
        match numbers {
            [number] => self.finite(parameter, *number).map(Some),
            _ => Err(self.error_at(parameter, ParameterFault::Count { wanted: "one number", found: numbers.len() })),
        }
    }

    /// Reads the single number of the parameter `name`, or returns `default`.
    pub fn float_or(&self, name: &str, default: f32) -> Result<f32, ImportError> {
        Ok(self.float(name)?.unwrap_or(default))
    }

    /// Reads the single number of the parameter `name`; `None` if it is absent or declared as a texture or spectrum.
    pub fn float_if_plain(&self, name: &str) -> Result<Option<f32>, ImportError> {
        match self.list.iter().rev().find(|p| p.name == name) {
            Some(p) if matches!(p.kind, Kind::Float | Kind::Integer) => self.float(name),
            _ => Ok(None),
        }
    }

    /// Reads the single whole number of the parameter `name`, which must be in `range`.
    pub fn integer(&self, name: &str, range: std::ops::RangeInclusive<u32>) -> Result<Option<u32>, ImportError> {
        let Some((parameter, numbers)) = self.numbers(name, &[Kind::Integer, Kind::Float], "a whole number")? else {
            return Ok(None);
        };
        match *numbers {
            [n] if n.fract() == 0.0 && n >= f64::from(*range.start()) && n <= f64::from(*range.end()) => {
                Ok(Some(n as u32))
            }
            [number] => {
                let (least, most) = range.into_inner();
                Err(self.error_at(parameter, ParameterFault::WholeNumber { number, least, most }))
            }
            _ => Err(self.error_at(parameter, ParameterFault::Count { wanted: "one number", found: numbers.len() })),
        }
    }

    /// Reads the single truth value of the parameter `name`; quoted ones count, as in version 3.
    pub fn bool(&self, name: &str) -> Result<Option<bool>, ImportError> {
        let Some(parameter) = self.find(name) else { return Ok(None) };
        match &parameter.values {
            Values::Bools(bools) if bools.len() == 1 => Ok(Some(bools[0])),
            Values::Texts(texts) if parameter.kind == Kind::Bool && texts.len() == 1 => match texts[0].as_str() {
                "true" => Ok(Some(true)),
                "false" => Ok(Some(false)),
                other => Err(self.error_at(parameter, ParameterFault::Bool { found: other.into() })),
            },
            _ => Err(self.error_at(parameter, ParameterFault::Expected { wanted: "true or false" })),
        }
    }

    /// Reads the single text in quotes of the parameter `name`.
    pub fn text(&self, name: &str) -> Result<Option<&str>, ImportError> {
        let Some(parameter) = self.find(name) else { return Ok(None) };
        match &parameter.values {
            Values::Texts(texts) if parameter.kind == Kind::Text && texts.len() == 1 => Ok(Some(&texts[0])),
            _ => Err(self.error_at(parameter, ParameterFault::Expected { wanted: "one text in quotes" })),
        }
    }

    /// Returns the name of the texture that the parameter `name` refers to, or `None` when it is something else.
    pub fn texture(&self, name: &str) -> Result<Option<&str>, ImportError> {
        match self.list.iter().rev().find(|p| p.name == name) {
            Some(parameter) if parameter.kind == Kind::Texture => {
                self.find(name);
                match &parameter.values {
                    Values::Texts(texts) if texts.len() == 1 => Ok(Some(&texts[0])),
                    _ => Err(self.error_at(parameter, ParameterFault::Expected { wanted: "the name of one texture" })),
                }
            }
            _ => Ok(None),
        }
    }

    /// Reads all numbers of the parameter `name` as f32.
    pub fn floats(&self, name: &str) -> Result<Option<Vec<f32>>, ImportError> {
        let Some((parameter, numbers)) =
            self.numbers(name, &[Kind::Float, Kind::Integer, Kind::Point2, Kind::Point3], "numbers")?
        else {
            return Ok(None);
        };
        numbers.iter().map(|&n| self.finite(parameter, n)).collect::<Result<_, _>>().map(Some)
    }

    /// Reads the numbers of the parameter `name` in groups of `N`.
    pub fn groups<const N: usize>(&self, name: &str) -> Result<Option<Vec<[f32; N]>>, ImportError> {
        let kinds = if N == 2 { [Kind::Point2, Kind::Float] } else { [Kind::Point3, Kind::Float] };
        let Some((parameter, numbers)) = self.numbers(name, &kinds, "points")? else { return Ok(None) };
        let (groups, rest) = numbers.as_chunks::<N>();
        if !rest.is_empty() {
            let count = numbers.len();
            return Err(self.error_at(parameter, ParameterFault::Multiple { count, what: "numbers", of: N }));
        }
        let mut out = Vec::with_capacity(groups.len());
        for group in groups {
            let mut point = [0.0; N];
            for (to, &from) in point.iter_mut().zip(group) {
                *to = self.finite(parameter, from)?;
            }
            out.push(point);
        }
        Ok(Some(out))
    }

    /// Reads a mesh's positions, rounded by `rounder`; some may be not finite.
    pub fn positions(&self, name: &str, rounder: &mut Rounder) -> Result<Option<Vec<[f32; 3]>>, ImportError> {
        let Some((parameter, numbers)) = self.numbers(name, &[Kind::Point3, Kind::Float], "points")? else {
            return Ok(None);
        };
        let (points, rest) = numbers.as_chunks::<3>();
        if !rest.is_empty() {
            let count = numbers.len();
            return Err(self.error_at(parameter, ParameterFault::Multiple { count, what: "numbers", of: 3 }));
        }
        let mut rounded: Vec<[f32; 3]> = points.iter().map(|point| rounder.round(*point)).collect();
        rounder.settle(&mut rounded);
        Ok(Some(rounded))
    }

    /// Returns an error if `indices` use positions that are not finite, otherwise the number of such positions.
    pub fn check_strays(
        &self,
        name: &str,
        positions: &[[f32; 3]],
        indices: impl IntoIterator<Item = u32>,
    ) -> Result<usize, ImportError> {
        let is_stray = |position: &[f32; 3]| !position.iter().all(|x| x.is_finite());
        let count = positions.iter().filter(|position| is_stray(position)).count();
        let used = if count == 0 { None } else { indices.into_iter().find(|&i| is_stray(&positions[i as usize])) };
        match (used, self.find(name)) {
            (Some(vertex), Some(parameter)) => {
                let position = positions[vertex as usize];
                Err(self.error_at(parameter, ParameterFault::NotFinite { vertex, position }))
            }
            _ => Ok(count),
        }
    }

    /// Reads one point in f64, rounded as `center` requires.
    pub fn point(&self, name: &str, center: &Center) -> Result<Option<[f64; 3]>, ImportError> {
        match self.groups::<3>(name)? {
            None => Ok(None),
            Some(points) if points.len() == 1 => {
                let numbers =
                    self.numbers(name, &[Kind::Point3, Kind::Float], "points")?.map_or(&[][..], |(_, all)| all);
                Ok(Some(std::array::from_fn(|i| center.number(numbers[i]))))
            }
            Some(points) => {
                let fault = ParameterFault::Count { wanted: "one point", found: points.len() };
                Err(self.error(PbrtFault::Parameter { name: name.into(), fault }))
            }
        }
    }

    /// Reads vertex indices in groups of `N`, each of which must be below `limit`.
    pub fn indices<const N: usize>(&self, name: &str, limit: usize) -> Result<Option<Vec<[u32; N]>>, ImportError> {
        let Some((parameter, numbers)) = self.numbers(name, &[Kind::Integer], "whole numbers")? else {
            return Ok(None);
        };
        let (groups, rest) = numbers.as_chunks::<N>();
        if !rest.is_empty() {
            let count = numbers.len();
            return Err(self.error_at(parameter, ParameterFault::Multiple { count, what: "indices", of: N }));
        }
        if let Some(&index) = numbers.iter().find(|&&n| !(n >= 0.0 && n < limit as f64 && n.fract() == 0.0)) {
            return Err(self.error_at(parameter, ParameterFault::Index { index, vertices: limit }));
        }
        Ok(Some(groups.iter().map(|group| group.map(|n| n as u32)).collect()))
    }

    /// Converts `number` to f32; an error if that is not finite.
    pub fn finite(&self, parameter: &Parameter, number: f64) -> Result<f32, ImportError> {
        let single = number as f32;
        if single.is_finite() { Ok(single) } else { Err(self.error_at(parameter, ParameterFault::TooLarge { number })) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ValuesFault;
    use crate::import::context::told;

    fn params(text: &str) -> Result<Params, ImportError> {
        Params::read(&mut Lexer::new(text.as_bytes().to_vec()), &Rc::from(Path::new("a.pbrt")), 1)
    }

    #[test]
    fn values_with_and_without_brackets_are_the_same() {
        let params =
            params("\"float a\" 1 \"float b\" [2] \"bool c\" \"true\" \"bool d\" false \"string e\" [\"x\"]").unwrap();
        assert_eq!((params.float("a").unwrap(), params.float("b").unwrap()), (Some(1.0), Some(2.0)));
        assert_eq!((params.bool("c").unwrap(), params.bool("d").unwrap()), (Some(true), Some(false)));
        assert_eq!(params.text("e").unwrap(), Some("x"));
        assert_eq!(params.float("missing").unwrap(), None);
    }

    #[test]
    fn the_last_of_equal_names_counts_and_unused_ones_are_listed() {
        let params = params("\"float a\" 1 \"float a\" 2 \"float typo\" 3").unwrap();
        assert_eq!(params.float("a").unwrap(), Some(2.0));
        assert_eq!(params.unused().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["typo"]);
    }

    /// Returns the line of an error, and the fault there.
    #[track_caller]
    fn fault<T: std::fmt::Debug>(result: Result<T, ImportError>) -> (Place, PbrtFault) {
        match told(result.unwrap_err()).unwrap() {
            (_, place, FaultKind::Pbrt(fault)) => (place, fault),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn broken_lists_are_errors_with_a_line() {
        let values = |kind: &str, name: &str, fault| PbrtFault::Values { declaration: format!("{kind} {name}"), fault };
        let of_a = |fault| values("float", "a", fault);
        let no_value = |found: &str| of_a(ValuesFault::NoValue { found: found.into() });
        let no_fit = |kind: &str, read: &str| values(kind, "a", ValuesFault::Type { kind: read.into() });
        let unknown = PbrtFault::ParameterType { kind: "floaty".into(), declaration: "floaty a".into() };
        for (text, line, want) in [
            ("\n\"float\" 1", 2, PbrtFault::NoParameter { text: "float".into() }),
            ("\"floaty a\" 1", 1, unknown),
            ("\"float a\"", 1, of_a(ValuesFault::EndBeforeValue)),
            ("\"float a\" [1 2", 1, of_a(ValuesFault::EndBeforeBracket)),
            ("\"float a\" [1 \"x\"]", 1, of_a(ValuesFault::Mixed)),
            ("\"float a\" Shape", 1, no_value("Shape")),
            ("\"float a\" ]", 1, no_value("]")),
            ("\"float a\" [[1]]", 1, no_value("[")),
            ("\"float a\" \"x\"", 1, no_fit("float", "Float")),
            ("\"string a\" 3", 1, no_fit("string", "Text")),
        ] {
            assert_eq!(fault(params(text)), (Place::Line(line), want), "{text}");
        }
        let list = params("\"float a\" [1 2] \"point P\" [1 2] \"integer i\" [0 1 7] \"float h\" 1e300").unwrap();
        let of = |name: &str, fault| (Place::Line(1), PbrtFault::Parameter { name: name.into(), fault });
        let one = ParameterFault::Count { wanted: "one number", found: 2 };
        assert_eq!(fault(list.float("a")), of("a", one));
        let threes = ParameterFault::Multiple { count: 2, what: "numbers", of: 3 };
        assert_eq!(fault(list.groups::<3>("P")), of("P", threes));
        assert_eq!(fault(list.indices::<3>("i", 3)), of("i", ParameterFault::Index { index: 7.0, vertices: 3 }));
        assert_eq!(fault(list.float("h")), of("h", ParameterFault::TooLarge { number: 1e300 }));
        let whole = ParameterFault::WholeNumber { number: 1e300, least: 0, most: 9 };
        assert_eq!(fault(list.integer("h", 0..=9)), of("h", whole));
    }
}
