//! Report of `raywarp render` on a picture that it made.

use crate::command::render::rays::Exported;
use crate::progress::{duration, percent, si};
use raywarp::render::output::{ExposureChoice, Look, Lost};
use raywarp::render::{Integrator, Picture, Rendered, StopReason};
use raywarp::scene::SamplerKind;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Facts that the last line and the JSON document are made of.
pub struct Report<'a> {
    pub scene: &'a str,
    pub outputs: &'a [PathBuf],
    /// Names of the devices that rendered.
    pub devices: &'a [String],
    pub picture: &'a Picture,
    /// Origin of the scene.
    pub origin: [f64; 3],
    pub rendered: &'a Rendered,
    pub look: Look,
    pub load: Duration,
    pub build: Duration,
    pub write: Duration,
    /// Time of the whole command.
    pub total: Duration,
    /// Samples of each pixel that an earlier render took.
    pub resumed: Option<u32>,
    pub warnings: &'a [String],
    /// Files of rays, where they were asked for and written.
    pub rays: Option<&'a Exported>,
}

impl Report<'_> {
    /// Returns the camera, in the coordinates of the scene's file.
    fn camera(&self) -> Value {
        let camera = &self.picture.camera;
        let eye: [f64; 3] = std::array::from_fn(|i| f64::from(camera.eye[i]) + self.origin[i]);
        json!({ "eye": eye, "forward": camera.forward, "up": camera.up })
    }

    /// Returns the line that ends a render.
    pub fn line(&self) -> String {
        let window = self.rendered.film.window();
        let [size_source, samples_source, depth_source] = self.picture.sources;
        let [low, high] = self.rendered.samples;
        let samples = if low == high { format!("{low}") } else { format!("{low} to {high}") };
        // Of how many: what a time or noise limit would have ended has no number.
        let asked = &self.picture.options.samples;
        let samples = match self.rendered.stop {
            StopReason::Cancelled | StopReason::Failed if asked.end < u32::MAX => {
                format!("{samples} of {}", asked.end - asked.start)
            }
            _ => samples,
        };
        let names: Vec<String> = self.outputs.iter().map(|p| p.display().to_string()).collect();
        let seconds = self.rendered.elapsed.as_secs_f64();
        let stop = match self.rendered.stop {
            StopReason::Complete => "",
            StopReason::Time => "stopped by --time; ",
            StopReason::Noise => "stopped by --noise; ",
            StopReason::Cancelled => "interrupted; ",
            StopReason::Failed => "not finished; ",
        };
        let invalid = match self.rendered.film.invalid_samples() {
            0 => String::new(),
            n => format!("; {n} samples were not finite and count as black"),
        };
        let resumed = self.resumed.map(|samples| format!(", {samples} of them from --resume")).unwrap_or_default();
        // What was asked for is answered, also where something else ended the render.
        let noise = self.picture.options.noise_limit.map(|limit| {
            let (noise, limit) = (self.rendered.film.noise(), percent(limit));
            if noise.is_finite() { format!(", noise {} (asked for {limit})", percent(noise)) } else { String::new() }
        });
        let noise = noise.unwrap_or_default();
        let part = |(name, time): (&str, Duration)| format!("{name} {:.1}", time.as_secs_f64());
        let parts =
            [("load", self.load), ("tree", self.build), ("render", self.rendered.elapsed), ("write", self.write)];
        format!(
            "{stop}wrote {}: {window} ({size_source}), {samples} samples a pixel ({samples_source}){resumed}{noise}, \
             {} bounces ({depth_source}), {} ({}), {} rays/s{invalid}",
            names.join(", "),
            self.picture.options.max_depth,
            duration(self.total.as_secs_f64()),
            parts.map(part).join(", "),
            si(self.rendered.rays as f64 / seconds.max(1e-9)),
        )
    }

    /// Returns the JSON document.
    pub fn json(&self) -> Value {
        let seconds = self.rendered.elapsed.as_secs_f64();
        let mean = self.rendered.film.picture_mean();
        let options = &self.picture.options;
        let names: Vec<String> = self.outputs.iter().map(|p| p.display().to_string()).collect();
        let lost = Lost::count(self.rendered.film.means(), &self.look);
        let mut document = json!({
            "scene": self.scene,
            "output": names.first(),
            "outputs": names,
            "devices": self.devices,
            "size": self.rendered.film.size(),
            "crop": options.crop.map(|crop| crop.to_string()),
            "transparent": options.transparent,
            "samples": self.rendered.samples[0],
            "samples_most": self.rendered.samples[1],
            "first_sample": options.samples.start,
            "max_depth": options.max_depth,
            "connect_last": options.connect_last,
            "roulette_below": options.roulette_below,
            "sampler": match options.sampler {
                SamplerKind::Sobol => "sobol",
                SamplerKind::PaddedHalton => "padded-halton",
                SamplerKind::Xor32 => "xor32",
            },
            "seed": options.seed,
            "integrator": match options.integrator {
                Integrator::Path => "path",
                Integrator::AmbientOcclusion { .. } => "ao",
                Integrator::Normal => "normal",
                Integrator::Depth => "depth",
                Integrator::Cost => "cost",
            },
            "stop": match self.rendered.stop {
                StopReason::Complete => "complete",
                StopReason::Time => "time",
                StopReason::Noise => "noise",
                StopReason::Cancelled => "interrupted",
                StopReason::Failed => "failed",
            },
            "seconds": seconds,
            "total_seconds": self.total.as_secs_f64(),
            "write_seconds": self.write.as_secs_f64(),
            "resumed_samples": self.resumed,
            "load_seconds": self.load.as_secs_f64(),
            "build_seconds": self.build.as_secs_f64(),
            "paths": self.rendered.paths,
            "rays": self.rendered.rays,
            "paths_per_s": self.rendered.paths as f64 / seconds.max(1e-9),
            "rays_per_s": self.rendered.rays as f64 / seconds.max(1e-9),
            "mean": mean.radiance,
            "mean_luminance": mean.luminance,
            "mean_luminance_standard_error": mean.standard_error,
            "noise": self.rendered.film.noise(),
            "exposure_stops": self.picture.stops(self.look.exposure),
            "exposure_auto": self.picture.exposure_choice == ExposureChoice::Auto,
            "black_share": lost.black_share(),
            "blown_share": lost.blown_share(),
            "added_light": self.picture.added_light,
            "camera": self.camera(),
            "invalid_samples": self.rendered.film.invalid_samples(),
            "ray_files": self.rays.map(Exported::json),
            "warnings": self.warnings,
            "notes": self.picture.notes,
        });
        document["origin"] = self.origin.to_vec().into();
        document
    }
}
