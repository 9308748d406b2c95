//! The types and values of parameters.

use super::lexer::{LexError, Lexer, Token};
use super::params::malformed;
use crate::import::strays;
use crate::{ImportError, PbrtFault, ValuesFault};
use std::path::Path;
use std::rc::Rc;

/// Declared type of a pbrt parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Integer,
    Float,
    Point2,
    /// Points, vectors and normals, of three numbers each.
    Point3,
    Text,
    Texture,
    Rgb,
    Xyz,
    Spectrum,
    Blackbody,
}

impl Kind {
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "bool" => Self::Bool,
            "integer" => Self::Integer,
            "float" => Self::Float,
            "point2" | "vector2" => Self::Point2,
            "point" | "point3" | "vector" | "vector3" | "normal" | "normal3" => Self::Point3,
            "string" => Self::Text,
            "texture" => Self::Texture,
            "rgb" | "color" => Self::Rgb,
            "xyz" => Self::Xyz,
            "spectrum" => Self::Spectrum,
            "blackbody" => Self::Blackbody,
            _ => return None,
        })
    }
}

/// Values of a pbrt parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Values {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
    Bools(Vec<bool>),
}

/// Reads a single value or a list in brackets, which must be of type `kind`; messages name `declaration`.
pub(super) fn read_values(
    lexer: &mut Lexer,
    path: &Rc<Path>,
    line: u64,
    declaration: &str,
    kind: Kind,
) -> Result<Values, ImportError> {
    let at = |error: LexError| malformed(path, error.line, error.kind);
    let fail =
        |line, fault: ValuesFault| malformed(path, line, PbrtFault::Values { declaration: declaration.into(), fault });
    // A vertex that no face uses may be anything.
    let may_be_odd = kind == Kind::Point3 && declaration.split_ascii_whitespace().nth(1) == Some("P");
    let (mut numbers, mut texts, mut bools) = (Vec::new(), Vec::new(), Vec::new());
    let mut take = |token: Token, line: u64| match token {
        Token::Number(number) => {
            numbers.push(number);
            Ok(())
        }
        Token::Text(text) => {
            texts.push(text);
            Ok(())
        }
        Token::Word(word) if word == "true" || word == "false" => {
            bools.push(word == "true");
            Ok(())
        }
        Token::Word(word) if may_be_odd && strays::is_not_finite(&word) => {
            numbers.push(f64::NAN);
            Ok(())
        }
        other => Err(fail(line, ValuesFault::NoValue { found: other.to_string() })),
    };
    match lexer.next().map_err(at)? {
        None => return Err(fail(line, ValuesFault::EndBeforeValue)),
        Some((Token::Open, _)) => loop {
            match lexer.next().map_err(at)? {
                None => return Err(fail(line, ValuesFault::EndBeforeBracket)),
                Some((Token::Close, _)) => break,
                Some((token, line)) => take(token, line)?,
            }
        },
        Some((token, line)) => take(token, line)?,
    }
    let values = match (numbers.is_empty(), texts.is_empty(), bools.is_empty()) {
        (_, true, true) => Values::Numbers(numbers),
        (true, false, true) => Values::Texts(texts),
        (true, true, false) => Values::Bools(bools),
        _ => return Err(fail(line, ValuesFault::Mixed)),
    };
    let fits = match kind {
        Kind::Bool => matches!(values, Values::Bools(_) | Values::Texts(_)),
        Kind::Text | Kind::Texture => matches!(values, Values::Texts(_)),
        Kind::Spectrum => matches!(values, Values::Numbers(_) | Values::Texts(_)),
        _ => matches!(values, Values::Numbers(_)),
    };
    // An empty list of texts reads as an empty list of numbers.
    let values = match (fits, &values, kind) {
        (true, ..) => values,
        (false, Values::Numbers(n), Kind::Text | Kind::Texture) if n.is_empty() => Values::Texts(Vec::new()),
        _ => return Err(fail(line, ValuesFault::Type { kind: format!("{kind:?}") })),
    };
    Ok(values)
}
