//! A layer of a file as a picture of its own.

use super::{LayerChannel, PictureFile, ReadError};
use crate::film::Window;
use crate::output::{Content, Shows};

/// Splits a channel's name into layer and channel: `albedo.R` is channel `R` of `albedo`, and `variance` is a layer of
/// one channel.
fn split(name: &str) -> (&str, &str) {
    match name.rsplit_once('.') {
        Some((layer, channel)) if channel.len() == 1 => (layer, channel),
        _ => (name, ""),
    }
}

impl PictureFile {
    /// Returns the names of the layers besides the colour, in the file's order.
    pub fn layer_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for channel in &self.layers {
            let layer = split(&channel.name).0;
            if names.last().is_none_or(|last| last != layer) && !names.iter().any(|name| name == layer) {
                names.push(layer.to_owned());
            }
        }
        names
    }

    /// Returns the channels of a layer: three if it has R, G, B or X, Y, Z, else one.
    pub(crate) fn channels_of(&self, layer: &str) -> Vec<&LayerChannel> {
        let mut channels: Vec<&LayerChannel> = self.layers.iter().filter(|c| split(&c.name).0 == layer).collect();
        let order = |c: &LayerChannel| "RXGYBZ".find(split(&c.name).1).unwrap_or(usize::MAX);
        channels.sort_by_key(|c| order(c));
        channels.retain(|c| split(&c.name).1 != "A");
        channels
    }

    /// Makes a picture of a layer: three channels become its colours, and one becomes grey. Its name says what it
    /// shows: albedo, normal, depth, variance and samples are known, another is taken for radiance. Normals become
    /// colours.
    ///
    /// # Errors
    /// [`ReadError::NoLayer`], which names those that there are.
    pub fn layer(&self, name: &str) -> Result<Self, ReadError> {
        let known = self.layer_names();
        let ends = |layer: &str| {
            let layer = layer.to_lowercase();
            let name = name.to_lowercase();
            layer == name || layer.strip_suffix(&name).is_some_and(|rest| rest.ends_with('.'))
        };
        let Some(found) = known.iter().find(|layer| *layer == name).or_else(|| known.iter().find(|l| ends(l))) else {
            return Err(ReadError::NoLayer { path: self.path.clone(), name: name.to_owned(), known });
        };
        let last = found.rsplit('.').next().unwrap_or_default().to_lowercase();
        let shows = match last.as_str() {
            "albedo" => Shows::Albedo,
            "normal" => Shows::Normal,
            "depth" => Shows::Depth,
            "variance" => Shows::Variance,
            "samples" => Shows::Samples,
            _ => Shows::Radiance,
        };
        let channels = self.channels_of(found);
        let colour = (0..self.colour.len()).map(|i| match channels.as_slice() {
            [x, y, z, ..] => [x.values[i], y.values[i], z.values[i]],
            [first, ..] => [first.values[i]; 3],
            [] => [0.0; 3],
        });
        let as_colour = |n: [f32; 3]| if n == [0.0; 3] { n } else { n.map(|c| 0.5 * c + 0.5) };
        let colour = if shows == Shows::Normal { colour.map(as_colour).collect() } else { colour.collect() };
        Ok(Self {
            path: self.path.clone(),
            window: self.window,
            colour,
            alpha: None,
            layers: Vec::new(),
            content: Content { shows, ..Content::default() },
            from_srgb8: false,
            comments: self.comments.clone(),
            notes: Vec::new(),
        })
    }

    /// Returns the part of the picture within `window`, which must lie in its own window.
    pub(crate) fn cut(&self, window: Window) -> Self {
        let [x, y] = [0, 1].map(|k| window.origin[k].abs_diff(self.window.origin[k]) as usize);
        let [width, height] = window.size.map(|n| n as usize);
        let row = self.window.size[0] as usize;
        fn part<T: Copy>(all: &[T], row: usize, [x, y]: [usize; 2], [width, height]: [usize; 2]) -> Vec<T> {
            (y..y + height).flat_map(|y| all[y * row + x..][..width].iter().copied()).collect()
        }
        let plane = |all: &[f32]| part(all, row, [x, y], [width, height]);
        Self {
            path: self.path.clone(),
            window,
            colour: part(&self.colour, row, [x, y], [width, height]),
            alpha: self.alpha.as_deref().map(plane),
            layers: self
                .layers
                .iter()
                .map(|c| LayerChannel { name: c.name.clone(), values: plane(&c.values) })
                .collect(),
            comments: self.comments.clone(),
            notes: self.notes.clone(),
            ..*self
        }
    }
}
