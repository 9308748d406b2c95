//! Report of `raywarp diff`, as text and as a JSON document.

use raywarp::render::compare::{BLOCK, Comparison, NoiseTest, RELATIVE_EPSILON, STANDARD_ERRORS};
use raywarp::render::output::PictureFile;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

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

    /// Returns the comparison as lines of at most 80 columns, except for file names.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_text(&mut text);
        text
    }

    fn write_text(&self, out: &mut String) -> std::fmt::Result {
        let c = self.comparison;
        for (name, picture) in ["a", "b"].into_iter().zip(self.pictures) {
            writeln!(out, "{name}                {}", picture.path.display())?;
        }
        let values = match self.pictures.map(|picture| picture.from_srgb8) {
            [true, true] => "sRGB bytes, compared as linear light",
            [false, false] => "linear",
            _ => "sRGB bytes as linear light, and linear",
        };
        writeln!(out, "compared         {} pixels, {values}", c.window)?;
        if c.are_equal() {
            writeln!(out, "equal            every pixel is the same")?;
        }
        let [a, b] = c.mean_luminance();
        let apart = if b != 0.0 { format!(", {:+.3} %", 100.0 * (a / b - 1.0)) } else { String::new() };
        writeln!(out, "mean luminance   a {}, b {}{apart}", number(a), number(b))?;
        for (side, mean) in ["a", "b"].into_iter().zip(c.mean) {
            writeln!(out, "mean colour {side}    {}", mean.map(number).join(" "))?;
        }
        let relative = c.colour.relative_rmse();
        let relative =
            if relative.is_finite() { format!(", {} % of b's mean", number(100.0 * relative)) } else { String::new() };
        writeln!(out, "RMSE             {}{relative}", number(c.colour.rmse()))?;
        writeln!(out, "MSE              {}", number(c.colour.mse))?;
        let formula = format!("mean of (a - b)^2 / (b^2 + {RELATIVE_EPSILON})");
        writeln!(out, "relative MSE     {}   {formula}", number(c.relative_mse))?;
        writeln!(out, "mean absolute    {}", number(c.colour.mean_absolute))?;
        if let Some(far) = &c.farthest {
            let [x, y] = far.pixel;
            writeln!(out, "largest          {} at pixel {x},{y}", number(c.colour.largest))?;
            writeln!(out, "  there          a {}", colour(far.colours[0]))?;
            writeln!(out, "                 b {}", colour(far.colours[1]))?;
        }
        let pixels = c.map.len() as f64;
        writeln!(
            out,
            "different pixels {} of {} ({:.2} %)",
            c.different,
            c.map.len(),
            100.0 * c.different as f64 / pixels
        )?;
        if c.not_finite != [0, 0] {
            let [a, b] = c.not_finite;
            writeln!(out, "not finite       a {a}, b {b} pixels, left out above")?;
        }
        if let Some(psnr) = c.psnr {
            writeln!(
                out,
                "PSNR             {} dB, of the bytes",
                if psnr.is_finite() { format!("{psnr:.2}") } else { "infinite".into() }
            )?;
        }
        if let Some(alpha) = &c.alpha {
            writeln!(out, "alpha            RMSE {}, largest {}", number(alpha.rmse()), number(alpha.largest))?;
        }
        for layer in &c.layers {
            let difference = &layer.difference;
            write!(
                out,
                "{:<16} RMSE {}, largest {}",
                layer.name,
                number(difference.rmse()),
                number(difference.largest)
            )?;
            match layer.in_one_only {
                0 => writeln!(out)?,
                n => writeln!(out, "; {n} in one only")?,
            }
        }
        match &c.noise {
            Some(noise) if !c.are_equal() => write_noise(out, noise)?,
            _ => {}
        }
        if let Some(path) = self.output {
            writeln!(out, "wrote            {}", path.display())?;
        }
        if let Some(limit) = self.within {
            let says = if self.is_within() { "yes" } else { "no" };
            writeln!(out, "within {limit:<9} {says}: the relative error is {}", number(c.relative_error()))?;
        }
        Ok(())
    }

    /// Returns the comparison as a JSON document.
    pub fn json(&self) -> Value {
        let c = self.comparison;
        let finite = |value: f64| value.is_finite().then_some(value);
        json!({
            "a": self.pictures[0].path.display().to_string(),
            "b": self.pictures[1].path.display().to_string(),
            "origin": c.window.origin,
            "size": c.window.size,
            "equal": c.are_equal(),
            "mean_a": c.mean[0],
            "mean_b": c.mean[1],
            "mean_luminance": c.mean_luminance(),
            "mse": c.colour.mse,
            "rmse": c.colour.rmse(),
            "relative_rmse": finite(c.relative_error()),
            "relative_mse": c.relative_mse,
            "relative_mse_epsilon": RELATIVE_EPSILON,
            "mean_absolute": c.colour.mean_absolute,
            "largest": c.colour.largest,
            "largest_at": c.farthest.as_ref().map(|far| far.pixel),
            "largest_colours": c.farthest.as_ref().map(|far| far.colours),
            "pixels": c.map.len(),
            "different_pixels": c.different,
            "not_finite": c.not_finite,
            "psnr_db": c.psnr.and_then(finite),
            "alpha_rmse": c.alpha.as_ref().map(raywarp::render::compare::Difference::rmse),
            "layers": c.layers.iter().map(|layer| json!({
                "name": layer.name,
                "rmse": layer.difference.rmse(),
                "mean_absolute": layer.difference.mean_absolute,
                "largest": layer.difference.largest,
                "in_one_only": layer.in_one_only,
            })).collect::<Vec<_>>(),
            "noise": c.noise.as_ref().map(|noise| json!({
                "ratio": noise.ratio,
                "mean_apart": noise.mean_apart,
                "blocks": noise.blocks,
                "blocks_beyond": noise.blocks_beyond,
                "is_noise": noise.is_noise(),
            })),
            "within": self.within,
            "is_within": self.within.map(|_| self.is_within()),
            "output": self.output.map(|path| path.display().to_string()),
        })
    }
}

fn write_noise(out: &mut String, noise: &NoiseTest) -> std::fmt::Result {
    let NoiseTest { ratio, mean_apart, blocks, blocks_beyond } = noise;
    let verdict = if noise.is_noise() { "noise explains the difference" } else { "more than noise differs" };
    writeln!(out, "noise            {verdict}")?;
    writeln!(out, "                 {} times the variance that the files state", number(*ratio))?;
    writeln!(out, "                 means {mean_apart:.1} standard errors apart")?;
    writeln!(
        out,
        "                 {blocks_beyond} of {blocks} blocks of {BLOCK}x{BLOCK} beyond {STANDARD_ERRORS} standard errors"
    )
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
