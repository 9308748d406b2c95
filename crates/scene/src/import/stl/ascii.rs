//! STL as text: solids of facets, a statement a line.

use super::{Fault, Solid, Warnings};
use crate::Place;

pub(super) fn parse(bytes: &[u8]) -> Result<(Vec<Solid>, Warnings), Fault> {
    let text = String::from_utf8_lossy(bytes);
    let mut parser = Parser::default();
    let mut last = 1;
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        // Old programs end lines with a carriage return alone.
        for line in line.split('\r') {
            parser.line(line.trim()).map_err(|message| Fault { place: Place::Line(number), message })?;
        }
        last = number;
    }
    if parser.corners.is_some() {
        let message = "the file ends within a facet: it is cut off".to_string();
        return Err(Fault { place: Place::Line(last), message });
    }
    let warning = parser.open.then(|| "the file ends before `endsolid`: it may be cut off".to_string());
    Ok((parser.solids, warning.map(|message| (Place::Line(last), message)).into_iter().collect()))
}

#[derive(Default)]
struct Parser {
    solids: Vec<Solid>,
    /// Within a solid, the last of the list.
    open: bool,
    /// Corners of the facet that has begun.
    corners: Option<Vec<[f32; 3]>>,
}

impl Parser {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let (keyword, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
        match keyword.to_ascii_lowercase().as_str() {
            "" => Ok(()),
            "solid" if !self.open => {
                self.open = true;
                self.solids.push(Solid { name: rest.trim().to_string(), ..Solid::default() });
                Ok(())
            }
            "endsolid" if self.open && self.corners.is_none() => {
                self.open = false;
                Ok(())
            }
            "facet" if self.open && self.corners.is_none() => {
                self.corners = Some(Vec::with_capacity(3));
                Ok(())
            }
            "outer" | "endloop" if self.corners.is_some() => Ok(()),
            "vertex" => self.vertex(rest),
            "endfacet" => self.end_facet(),
            "solid" | "endsolid" | "facet" | "outer" | "endloop" => Err(format!("`{keyword}` has no place here")),
            _ => Err(format!("`{keyword:.40}` begins no line of an STL file")),
        }
    }

    fn vertex(&mut self, rest: &str) -> Result<(), String> {
        let Some(corners) = self.corners.as_mut() else {
            return Err("a vertex outside of a facet".to_string());
        };
        let mut words = rest.split_ascii_whitespace();
        let mut position = [0.0; 3];
        for x in &mut position {
            let word = words.next().ok_or("a vertex needs three numbers")?;
            *x = word.parse().map_err(|_| format!("`{word:.40}` is no number"))?;
        }
        if words.next().is_some() {
            return Err("a vertex has three numbers, not more".to_string());
        }
        if corners.len() == 3 {
            return Err("a facet of more than three vertices".to_string());
        }
        corners.push(position);
        Ok(())
    }

    fn end_facet(&mut self) -> Result<(), String> {
        let corners = self.corners.take().ok_or("`endfacet` has no place here")?;
        let corners: [[f32; 3]; 3] =
            corners.try_into().map_err(|corners: Vec<_>| format!("a facet of {} vertices", corners.len()))?;
        self.solids.last_mut().ok_or("`endfacet` has no place here")?.push(&corners)
    }
}
