//! Report of `raywarp render` on a picture that it made.

use crate::command::render::device::device_names;
use crate::command::render::rays::Exported;
use crate::flags;
use crate::note_words;
use crate::progress::{duration, percent, si};
use raywarp::render::output::{ExposureChoice, Look, Lost};
use raywarp::render::{Integrator, RenderedJob, Source, StopReason};
use raywarp::scene::SamplerKind;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Facts of a render for its last line and its JSON document.
pub struct RenderReport<'a> {
    /// Picture and film of the render, with the time of each stage.
    pub job: &'a RenderedJob,
    pub outputs: &'a [PathBuf],
    pub look: Look,
    /// Time of writing the files.
    pub write: Duration,
    /// Wall time of the whole command.
    pub total: Duration,
    /// Ray files that were exported, if asked for.
    pub rays: Option<&'a Exported>,
}

/// Returns the word for where a setting comes from.
fn origin(source: Source) -> &'static str {
    match source {
        Source::Asked => "flag",
        Source::File => "file",
        Source::Default => "default",
    }
}

impl RenderReport<'_> {
    /// Returns the camera as JSON, in the coordinates of the scene's file.
    fn camera(&self) -> Value {
        let camera = &self.job.picture.camera;
        let eye: [f64; 3] = std::array::from_fn(|i| f64::from(camera.eye[i]) + self.job.prepared.scene().origin[i]);
        json!({ "eye": eye, "forward": camera.forward, "up": camera.up })
    }

    /// Returns the line that the command prints at the end of a render.
    pub fn line(&self) -> String {
        let window = self.job.rendered.film.window();
        let [size_source, samples_source, depth_source] = self.job.picture.sources.map(origin);
        let [low, high] = self.job.rendered.samples;
        let samples = if low == high { format!("{low}") } else { format!("{low} to {high}") };
        // Of how many: what a time or noise limit would have ended has no number.
        let asked = &self.job.picture.options.samples;
        let samples = match self.job.rendered.stop {
            StopReason::Cancelled | StopReason::Failed if asked.end < u32::MAX => {
                format!("{samples} of {}", asked.end - asked.start)
            }
            _ => samples,
        };
        let names: Vec<String> = self.outputs.iter().map(|p| p.display().to_string()).collect();
        let seconds = self.job.rendered.elapsed.as_secs_f64();
        let stop = match self.job.rendered.stop {
            StopReason::Complete => "",
            StopReason::Time => "stopped by --time; ",
            StopReason::Noise => "stopped by --noise; ",
            StopReason::Cancelled => "interrupted; ",
            StopReason::Failed => "not finished; ",
        };
        let invalid = match self.job.rendered.film.invalid_samples() {
            0 => String::new(),
            n => format!("; {n} samples were not finite and count as black"),
        };
        let resumed = self.job.resumed.map(|samples| format!(", {samples} of them from --resume")).unwrap_or_default();
        // What was asked for is answered, also where something else ended the render.
        let noise = self.job.picture.options.noise_limit.map(|limit| {
            let (noise, limit) = (self.job.rendered.film.noise(), percent(limit));
            if noise.is_finite() { format!(", noise {} (asked for {limit})", percent(noise)) } else { String::new() }
        });
        let noise = noise.unwrap_or_default();
        let times = &self.job.times;
        let part = |(name, time): (&str, Duration)| format!("{name} {:.1}", time.as_secs_f64());
        let parts =
            [("load", times.load), ("tree", times.tree), ("render", self.job.rendered.elapsed), ("write", self.write)];
        format!(
            "{stop}wrote {}: {window} ({size_source}), {samples} samples a pixel ({samples_source}){resumed}{noise}, \
             {} bounces ({depth_source}), {} ({}), {} rays/s{invalid}",
            names.join(", "),
            self.job.picture.options.max_depth,
            duration(self.total.as_secs_f64()),
            parts.map(part).join(", "),
            si(self.job.rendered.rays as f64 / seconds.max(1e-9)),
        )
    }

    /// Returns the JSON document of a render.
    pub fn json(&self) -> Value {
        let seconds = self.job.rendered.elapsed.as_secs_f64();
        let mean = self.job.rendered.film.picture_mean();
        let options = &self.job.picture.options;
        let names: Vec<String> = self.outputs.iter().map(|p| p.display().to_string()).collect();
        let lost = Lost::count(self.job.rendered.film.means(), &self.look);
        let times = &self.job.times;
        let warnings: Vec<String> =
            self.job.warnings.iter().map(|warning| flags::named(&warning.to_string())).collect();
        let notes: Vec<String> = self.job.picture.notes.iter().map(note_words::of).collect();
        let mut document = json!({
            "scene": self.job.name,
            "output": names.first(),
            "outputs": names,
            "devices": device_names(&self.job.prepared.plan()),
            "size": self.job.rendered.film.size(),
            "crop": options.crop.map(|crop| crop.to_string()),
            "transparent": options.transparent,
            "samples": self.job.rendered.samples[0],
            "samples_most": self.job.rendered.samples[1],
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
            "stop": match self.job.rendered.stop {
                StopReason::Complete => "complete",
                StopReason::Time => "time",
                StopReason::Noise => "noise",
                StopReason::Cancelled => "interrupted",
                StopReason::Failed => "failed",
            },
            "seconds": seconds,
            "total_seconds": self.total.as_secs_f64(),
            "write_seconds": self.write.as_secs_f64(),
            "resumed_samples": self.job.resumed,
            "load_seconds": times.load.as_secs_f64(),
            "build_seconds": times.tree.as_secs_f64(),
            "paths": self.job.rendered.paths,
            "rays": self.job.rendered.rays,
            "paths_per_s": self.job.rendered.paths as f64 / seconds.max(1e-9),
            "rays_per_s": self.job.rendered.rays as f64 / seconds.max(1e-9),
            "mean": mean.radiance,
            "mean_luminance": mean.luminance,
            "mean_luminance_standard_error": mean.standard_error,
            "noise": self.job.rendered.film.noise(),
            "exposure_stops": self.job.picture.stops(self.look.exposure),
            "exposure_auto": self.job.picture.exposure_choice == ExposureChoice::Auto,
            "black_share": lost.black_share(),
            "blown_share": lost.blown_share(),
            "added_light": self.job.picture.added_light,
            "camera": self.camera(),
            "invalid_samples": self.job.rendered.film.invalid_samples(),
            "ray_files": self.rays.map(Exported::json),
            "warnings": warnings,
            "notes": notes,
        });
        document["levels"] = if self.job.prepared.two_levels().is_some() { 2 } else { 1 }.into();
        document["origin"] = self.job.prepared.scene().origin.to_vec().into();
        document
    }
}
