//! Report of `raywarp diff`, as text and as a JSON document.

use raywarp::render::compare::{
    BLOCK, Comparison, Difference, LayerDifference, NoiseTest, RELATIVE_EPSILON, STANDARD_ERRORS,
};
use raywarp::render::output::PictureFile;
use raywarp_lab::report::Document;
use serde_json::{Value as Json, json};
use std::path::PathBuf;

/// Number of characters that the names of figures take in a text.
const NAMES_ACROSS: usize = 17;

/// Results of comparing two pictures, for the text and the JSON document.
pub struct DiffReport<'a> {
    pub pictures: [&'a PictureFile; 2],
    pub comparison: &'a Comparison,
    /// Largest relative RMSE that the user accepts, if given.
    pub within: Option<f32>,
    /// File of the heat map of differences, if asked for.
    pub output: Option<&'a PathBuf>,
}

/// Prints a number with four significant digits, without trailing zeros.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    if !(0..=8).contains(&digits) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.0$}", digits as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

fn colour(c: [f32; 3]) -> String {
    c.map(|c| number(f64::from(c))).join(" ")
}

impl DiffReport<'_> {
    /// Returns `true` if the pictures differ by no more than the user accepts, or no limit was given.
    pub fn is_within(&self) -> bool {
        self.within.is_none_or(|limit| self.comparison.relative_error() <= f64::from(limit))
    }

    /// Returns the comparison as a document.
    pub fn document(&self) -> Document {
        let mut document = Document::of_facts("raywarp diff", NAMES_ACROSS);
        self.describe_pictures(&mut document);
        self.describe_errors(&mut document);
        self.describe_pixels(&mut document);
        let Comparison { noise, layers, .. } = self.comparison;
        document.array("layers", layers, |document, layer| describe_layer(layer, document));
        match noise {
            // Nothing differs, by noise or not.
            Some(noise) if self.comparison.are_equal() => document.data("noise", noise_json(noise)),
            Some(noise) => describe_noise(noise, &mut document),
            None => document.data("noise", Json::Null),
        }
        self.describe_verdict(&mut document);
        document
    }

    fn describe_pictures(&self, document: &mut Document) {
        let c = self.comparison;
        for (name, picture) in ["a", "b"].into_iter().zip(self.pictures) {
            document.whole_fact(name, picture.path.display());
            document.data(name, picture.path.display().to_string());
        }
        let values = match self.pictures.map(|picture| picture.from_srgb8) {
            [true, true] => "sRGB bytes, compared as linear light",
            [false, false] => "linear",
            _ => "sRGB bytes as linear light, and linear",
        };
        document.whole_fact("compared", format!("{} pixels, {values}", c.window));
        if c.are_equal() {
            document.whole_fact("equal", "every pixel is the same");
        }
        let [a, b] = c.mean_luminance();
        let apart = if b != 0.0 { format!(", {:+.3} %", 100.0 * (a / b - 1.0)) } else { String::new() };
        document.whole_fact("mean luminance", format!("a {}, b {}{apart}", number(a), number(b)));
        for (side, mean) in ["a", "b"].into_iter().zip(c.mean) {
            document.whole_fact(format!("mean colour {side}"), mean.map(number).join(" "));
        }
        document.fields(json!({
            "origin": c.window.origin,
            "size": c.window.size,
            "equal": c.are_equal(),
            "mean_a": c.mean[0],
            "mean_b": c.mean[1],
            "mean_luminance": [a, b],
        }));
    }

    fn describe_errors(&self, document: &mut Document) {
        let c = self.comparison;
        let relative = c.colour.relative_rmse();
        let relative =
            if relative.is_finite() { format!(", {} % of b's mean", number(100.0 * relative)) } else { String::new() };
        document.whole_fact("RMSE", number(c.colour.rmse()) + &relative);
        document.whole_fact("MSE", number(c.colour.mse));
        let formula = format!("mean of (a - b)^2 / (b^2 + {RELATIVE_EPSILON})");
        document.whole_fact("relative MSE", format!("{}   {formula}", number(c.relative_mse)));
        document.whole_fact("mean absolute", number(c.colour.mean_absolute));
        document.fields(json!({
            "mse": c.colour.mse,
            "rmse": c.colour.rmse(),
            "relative_rmse": finite(c.relative_error()),
            "relative_mse": c.relative_mse,
            "relative_mse_epsilon": RELATIVE_EPSILON,
            "mean_absolute": c.colour.mean_absolute,
        }));
    }

    fn describe_pixels(&self, document: &mut Document) {
        let c = self.comparison;
        if let Some(far) = &c.farthest {
            let ([x, y], [a, b]) = (far.pixel, far.colours.map(colour));
            document.whole_fact("largest", format!("{} at pixel {x},{y}", number(c.colour.largest)));
            document.whole_fact("  there", format!("a {a}"));
            document.whole_fact("", format!("b {b}"));
        }
        let (different, pixels) = (c.different, c.map.len());
        let share = 100.0 * different as f64 / pixels as f64;
        document.whole_fact("different pixels", format!("{different} of {pixels} ({share:.2} %)"));
        if c.not_finite != [0, 0] {
            let [a, b] = c.not_finite;
            document.whole_fact("not finite", format!("a {a}, b {b} pixels, left out above"));
        }
        if let Some(psnr) = c.psnr {
            let psnr = if psnr.is_finite() { format!("{psnr:.2}") } else { "infinite".into() };
            document.whole_fact("PSNR", format!("{psnr} dB, of the bytes"));
        }
        if let Some(alpha) = &c.alpha {
            document.whole_fact("alpha", extent(alpha));
        }
        document.fields(json!({
            "largest": c.colour.largest,
            "largest_at": c.farthest.as_ref().map(|far| far.pixel),
            "largest_colours": c.farthest.as_ref().map(|far| far.colours),
            "pixels": pixels,
            "different_pixels": different,
            "not_finite": c.not_finite,
            "psnr_db": c.psnr.and_then(finite),
            "alpha_rmse": c.alpha.as_ref().map(Difference::rmse),
        }));
    }

    fn describe_verdict(&self, document: &mut Document) {
        let output = self.output.map(|path| path.display().to_string());
        if let Some(path) = &output {
            document.whole_fact("wrote", path);
        }
        if let Some(limit) = self.within {
            let (says, error) = (if self.is_within() { "yes" } else { "no" }, self.comparison.relative_error());
            document
                .whole_fact(format!("within {limit:<9} "), format!("{says}: the relative error is {}", number(error)));
        }
        document.fields(json!({
            "within": self.within,
            "is_within": self.within.map(|_| self.is_within()),
            "output": output,
        }));
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Describes how far apart the values of a layer are.
fn extent(difference: &Difference) -> String {
    format!("RMSE {}, largest {}", number(difference.rmse()), number(difference.largest))
}

fn describe_layer(layer: &LayerDifference, document: &mut Document) {
    let (difference, in_one_only) = (&layer.difference, layer.in_one_only);
    let alone = if in_one_only > 0 { format!("; {in_one_only} in one only") } else { String::new() };
    document.whole_fact(format!("{:<16} ", layer.name), extent(difference) + &alone);
    document.fields(json!({
        "name": layer.name,
        "rmse": difference.rmse(),
        "mean_absolute": difference.mean_absolute,
        "largest": difference.largest,
        "in_one_only": in_one_only,
    }));
}

fn describe_noise(noise: &NoiseTest, document: &mut Document) {
    let NoiseTest { ratio, mean_apart, blocks, blocks_beyond } = noise;
    let verdict = if noise.is_noise() { "noise explains the difference" } else { "more than noise differs" };
    document.whole_fact("noise", verdict);
    document.whole_fact("", format!("{} times the variance that the files state", number(*ratio)));
    document.whole_fact("", format!("means {mean_apart:.1} standard errors apart"));
    document.whole_fact(
        "",
        format!("{blocks_beyond} of {blocks} blocks of {BLOCK}x{BLOCK} beyond {STANDARD_ERRORS} standard errors"),
    );
    document.data("noise", noise_json(noise));
}

fn noise_json(noise: &NoiseTest) -> Json {
    json!({
        "ratio": noise.ratio,
        "mean_apart": noise.mean_apart,
        "blocks": noise.blocks,
        "blocks_beyond": noise.blocks_beyond,
        "is_noise": noise.is_noise(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let text: Vec<String> =
            [0.0, 1.0, 0.25, 123.456, 12345.6, 0.000_123_456, 1e-12, -2.5, 9.9999].map(number).into();
        assert_eq!(text, ["0", "1", "0.25", "123.5", "1.235e4", "0.0001235", "1.000e-12", "-2.5", "10"]);
    }
}
