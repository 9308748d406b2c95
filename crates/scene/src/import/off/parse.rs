//! Parser of OFF files to meshes with colours.

use super::fault::Fault;
use super::lines::Lines;
use crate::each::Each;
use crate::import::full_channel::full_channel;
use crate::import::{origin::Rounder, polygon::Polygons, strays, text};
use crate::model::linear_from_srgb;
use crate::{OffFault, OffWarning, Place, WarningKind};
use raywarp_geom::TriangleMesh;

/// Parsed OFF file.
#[derive(Debug, Default)]
pub(super) struct Off {
    /// Mesh of the file, with linear vertex colours.
    pub mesh: TriangleMesh,
    /// Colour of each triangle's face, in sRGB from 0 to 1.
    pub triangle_colors: Vec<Option<[f32; 3]>>,
    /// Vertices that are not finite, with the error if a face uses them.
    strays: Vec<(u32, Fault)>,
}

/// Vertex attributes beside positions, as the file's first word announces them.
#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    uvs: bool,
    colors: bool,
    normals: bool,
}

/// Counts of things that were ignored, for one warning each.
#[derive(Debug, Default)]
struct LeftOut {
    numbers: usize,
    small: usize,
    indexed: usize,
    /// Number of vertex and face colours that are not fully opaque.
    clear: usize,
    /// Number of colours with a negative channel.
    negative: usize,
    /// Number of colours with a channel above the full value.
    bright: usize,
    /// Number of lines behind the last face.
    behind: usize,
    /// Number of polygons that cross themselves, with the line of the first.
    crossing: Option<(u64, WarningKind)>,
}

impl Off {
    /// Parses an OFF file; `warnings` gets what is ignored.
    ///
    /// # Errors
    /// The line that breaks the format.
    pub fn parse(bytes: &[u8], rounder: &mut Rounder, warnings: &mut Vec<(Place, WarningKind)>) -> Result<Self, Fault> {
        let text = text::decode(bytes).map_err(|kind| Fault { line: 1, kind })?;
        let mut lines = Lines::new(&text);
        let (kind, [vertices, faces]) = header(&mut lines)?;
        // A vertex takes at least `0 0 0` and a line end, a face `3 0 0 0`; one without corners is `0`.
        for (count, least, of) in [(vertices, 6, "vertices"), (faces, 2, "faces")] {
            if count as u64 * least > lines.left() as u64 + 1 {
                return Err(lines.fault(OffFault::CannotHold { count, of, left: lines.left() }));
            }
        }
        let mut off = Self::default();
        let mut left_out = LeftOut::default();
        let read = off
            .vertices(&mut lines, kind, vertices, &mut left_out, rounder)
            .and_then(|()| off.faces(&mut lines, faces, &mut left_out));
        for (count, warning) in [
            (left_out.numbers, OffWarning::SurplusNumbers { vertices: left_out.numbers }),
            (left_out.small, OffWarning::SmallFaces { count: left_out.small }),
            (left_out.indexed, OffWarning::IndexedFaces { count: left_out.indexed }),
            (left_out.clear, OffWarning::ClearColors { count: left_out.clear }),
            (left_out.negative, OffWarning::NegativeColors { count: left_out.negative }),
            (left_out.bright, OffWarning::BrightColors { count: left_out.bright }),
            (left_out.behind, OffWarning::LinesBehind { count: left_out.behind }),
        ] {
            if count > 0 {
                warnings.push((Place::File, warning.into()));
            }
        }
        if let Some((line, warning)) = left_out.crossing {
            warnings.push((Place::Line(line), warning));
        }
        read?;
        if !off.strays.is_empty() {
            let mut strays = std::mem::take(&mut off.strays).into_iter();
            let count = strays::leave_out(&mut off.mesh).map_err(|vertex| {
                let used = strays.find(|(stray, _)| *stray == vertex);
                used.map_or_else(|| lines.fault(OffFault::VertexNotFinite), |(_, fault)| fault)
            })?;
            warnings.push((Place::File, WarningKind::StrayVertices { count }));
        }
        Ok(off)
    }

    fn vertices(
        &mut self,
        lines: &mut Lines,
        kind: Kind,
        count: usize,
        left_out: &mut LeftOut,
        rounder: &mut Rounder,
    ) -> Result<(), Fault> {
        let mesh = &mut self.mesh;
        mesh.positions.reserve_exact(count);
        let mut words = Vec::new();
        let [normal, uv] = [if kind.normals { 3 } else { 0 }, if kind.uvs { 2 } else { 0 }];
        let least = 3 + normal + uv + if kind.colors { 3 } else { 0 };
        for _ in 0..count {
            lines.words(least, &mut words)?;
            let mut position = [0.0; 3];
            for (x, word) in position.iter_mut().zip(&words) {
                *x = match lines.wide_number(word) {
                    Err(fault) if strays::is_not_finite(word) => {
                        self.strays.push((mesh.positions.len() as u32, fault));
                        f64::NAN
                    }
                    other => other?,
                };
            }
            mesh.positions.push(rounder.round(position));
            let mut numbers = words.iter().skip(3).map(|word| lines.number(word));
            let mut take = || numbers.next().transpose().map(Option::unwrap_or_default);
            if kind.normals {
                mesh.normals.push([take()?, take()?, take()?]);
            }
            // Alpha may be there or not.
            let color = if kind.colors { words.len().min(least + 1) - 3 - normal - uv } else { 0 };
            if kind.colors {
                mesh.colors.push([take()?, take()?, take()?, if color == 4 { take()? } else { f32::NAN }]);
            }
            if kind.uvs {
                // The file's v grows upwards, the model's downwards.
                mesh.uvs.push([take()?, 1.0 - take()?]);
            }
            left_out.numbers += usize::from(words.len() > 3 + normal + color + uv);
        }
        let white = full_channel(mesh.colors.iter().flatten().copied().fold(0.0, f32::max));
        left_out.negative += mesh.colors.iter().filter(|color| color.iter().any(|&c| c < 0.0)).count();
        for [r, g, b, a] in &mut mesh.colors {
            left_out.bright += usize::from(r.max(*g).max(*b) > white);
            [*r, *g, *b] = [*r, *g, *b].each(|c| linear_from_srgb((c / white).clamp(0.0, 1.0)));
            *a = if a.is_nan() { 1.0 } else { (*a / white).clamp(0.0, 1.0) };
            left_out.clear += usize::from(*a < 1.0);
        }
        Ok(())
    }

    fn faces(&mut self, lines: &mut Lines, count: usize, left_out: &mut LeftOut) -> Result<(), Fault> {
        let positions = &self.mesh.positions;
        let (mut words, mut corners, mut polygons) = (Vec::new(), Vec::new(), Polygons::default());
        let mut alphas = Vec::new();
        for _ in 0..count {
            lines.words(1, &mut words)?;
            let length: usize =
                words[0].parse().map_err(|_| lines.fault(OffFault::CornerCount { word: text::start(words[0], 40) }))?;
            // Two bytes a corner, a digit and a blank.
            if length > lines.left() / 2 + words.len() {
                return Err(lines.fault(OffFault::LongFace { corners: length }));
            }
            while words.len() <= length {
                let Some(line) = lines.next() else { return Err(lines.fault(OffFault::CutFace)) };
                words.extend(line.split_ascii_whitespace());
            }
            corners.clear();
            for word in &words[1..=length] {
                let corner: Option<u32> = word.parse().ok().filter(|&i| (i as usize) < positions.len());
                let fault = || OffFault::Vertex { word: text::start(word, 40), vertices: positions.len() };
                corners.push(corner.ok_or_else(|| lines.fault(fault()))?);
            }
            let color = match &words[length + 1..] {
                [] => None,
                [_] => {
                    left_out.indexed += 1;
                    None
                }
                [r, g, b, rest @ ..] => {
                    alphas.extend(rest.first().and_then(|alpha| lines.number(alpha).ok()));
                    let color = [lines.number(r)?, lines.number(g)?, lines.number(b)?];
                    left_out.negative += usize::from(color.iter().any(|&c| c < 0.0));
                    Some(color)
                }
                _ => return Err(lines.fault(OffFault::Color)),
            };
            left_out.small += usize::from(length < 3);
            polygons.push(&corners, |i| positions.get(i as usize).copied(), lines.line(), &mut self.mesh.indices);
            self.triangle_colors.resize(self.mesh.indices.len(), color);
        }
        left_out.crossing = polygons.warning();
        let white = full_channel(self.triangle_colors.iter().flatten().flatten().copied().fold(0.0, f32::max));
        for color in self.triangle_colors.iter_mut().flatten() {
            left_out.bright += usize::from(color.iter().any(|&c| c > white));
            *color = color.each(|c| (c / white).clamp(0.0, 1.0));
        }
        left_out.clear += alphas.iter().filter(|&&alpha| alpha < white).count();
        while lines.next().is_some() {
            left_out.behind += 1;
        }
        Ok(())
    }
}

/// Parses the first word and the numbers of vertices and faces, which may be on one line.
fn header(lines: &mut Lines) -> Result<(Kind, [usize; 2]), Fault> {
    let mut words = Vec::new();
    lines.words(1, &mut words).map_err(|_| lines.fault(OffFault::FirstWord))?;
    let mut kind = Kind::default();
    let mut from = 0;
    // The word may be left out.
    // The word in small letters; others of small letters mean something else, such as `nOFF`.
    if words[0] == "off" {
        words[0] = "OFF";
    }
    // ModelNet40 has the first number at the word, with no blank between.
    if let Some((_, number)) = words[0].split_once("OFF")
        && number.starts_with(|c: char| c.is_ascii_digit())
    {
        let (word, number) = words[0].split_at(words[0].len() - number.len());
        words[0] = word;
        words.insert(1, number);
    }
    if let Some(prefix) = words[0].strip_suffix("OFF") {
        let mut rest = prefix;
        for (name, flag) in [("ST", &mut kind.uvs), ("C", &mut kind.colors), ("N", &mut kind.normals)] {
            if let Some(behind) = rest.strip_prefix(name) {
                (*flag, rest) = (true, behind);
            }
        }
        if !rest.is_empty() || words.get(1) == Some(&"BINARY") {
            let what = if rest.is_empty() { "the binary form" } else { words[0] };
            return Err(lines.fault(OffFault::Kind { what: text::start(what, 40) }));
        }
        from = 1;
    } else if words[0].parse::<u32>().is_err() {
        return Err(lines.fault(OffFault::FirstWord));
    }
    if words.len() == from {
        from = 0;
        lines.words(2, &mut words)?;
    }
    let mut counts = [0; 2];
    for (i, count) in counts.iter_mut().enumerate() {
        let word = words.get(from + i).copied().unwrap_or_default();
        let number: Option<u32> = word.parse().ok().filter(|&number| number < u32::MAX);
        *count = number
            .ok_or_else(|| lines.fault(OffFault::Count { word: text::start(word, 40), of: ["vertices", "faces"][i] }))?
            as usize;
    }
    Ok((kind, counts))
}
