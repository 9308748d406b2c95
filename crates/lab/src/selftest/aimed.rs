//! Rays that a GPU aims at edges and vertices of closed meshes from inside of them, and may not lose.

use super::SelfTestError;
use super::report::verdict;
use rayon::prelude::*;
use raywarp_bvh::{build, presets};
use raywarp_cuda::{AimedRays, AimedTarget, Device, LostRays};
use raywarp_geom::{Control, FlatTriangles, TraceError};
use raywarp_report::Document;
use raywarp_scene::grouped;
use raywarp_workload::closed::{OFFSETS, Placed, SIZES, all};
use serde_json::json;
use std::time::{Duration, Instant};

/// Number of points from which rays start, for each mesh, size and offset: enough that few rays are alike.
const STARTS: usize = 4096;

/// Largest number of lost rays that are described.
const SHOWN: usize = 8;

const SEED: u64 = 1;

/// Result of the rays aimed at the edges and vertices of closed meshes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AimedResult {
    /// Number of rays, each traced for its closest hit and for any hit.
    pub rays: u64,
    /// Number of closed meshes, each tested at all sizes and offsets.
    pub meshes: usize,
    /// Number of rays that passed through a mesh by either query.
    pub lost: u64,
    /// Number of rays whose closest hit was not found.
    pub lost_closest: u64,
    /// Number of rays for which the any-hit query found nothing.
    pub lost_any: u64,
    /// Descriptions of the first lost rays.
    pub shown: Vec<String>,
    /// `true` if rays were lost where half of a mesh is missing, which proves that the test notices holes.
    pub sees_holes: bool,
    /// Wall-clock time of the test.
    pub elapsed: Duration,
}

/// Aims `rays` rays at closed meshes, shared equally among those sizes and offsets at which no ray may be lost.
///
/// # Errors
/// The GPU fails, or the caller asked to stop.
pub fn aimed(device: &Device, rays: u64, control: &Control<'_>) -> Result<AimedResult, SelfTestError> {
    let start = Instant::now();
    let meshes = all();
    let failed = |error: &dyn std::fmt::Display| TraceError::Device(error.to_string());
    let kernel = AimedRays::new(device).map_err(|error| failed(&error))?;
    let lost = |target: &Placed, scene: Vec<[[f32; 3]; 3]>, numbers, kept| -> Result<LostRays, TraceError> {
        let triangles = FlatTriangles::from_vertices(scene);
        let bvh = build(&triangles, &presets::SINGLE).map_err(|error| failed(&error))?;
        let Placed { triangles: corners, starts, along, middle, .. } = target;
        let aimed = AimedTarget { corners, starts, along, middle: *middle };
        kernel.lost(&bvh, &triangles, &aimed, SEED, numbers, kept).map_err(|error| failed(&error))
    };
    let ball = Placed::new(&meshes[0], 1.0, 1.0, STARTS);
    let half = ball.triangles.iter().copied().step_by(2).collect();
    let through = lost(&ball, half, 0..256, 0)?;
    let places: Vec<(usize, f32, f32)> = (0..meshes.len())
        .flat_map(|mesh| SIZES.into_iter().flat_map(move |size| OFFSETS.map(|offset| (mesh, size, offset))))
        .collect();
    let count = places.len() as u64;
    let one = |(i, &(mesh, size, offset)): (usize, &(usize, f32, f32))| -> Result<(LostRays, Vec<String>), TraceError> {
        if control.is_cancelled() {
            return Err(TraceError::Cancelled);
        }
        let first = |i: u64| rays / count * i + (rays % count).min(i);
        let numbers = first(i as u64)..first(i as u64 + 1);
        if numbers.is_empty() {
            return Ok(Default::default());
        }
        let target = Placed::new(&meshes[mesh], size, offset, STARTS);
        let lost = lost(&target, target.triangles.clone(), numbers, SHOWN)?;
        let place = format!("{} of size {size:e}, {offset:e} sizes away", target.name);
        let shown = lost.kept.iter().map(|lost| format!("ray {}, in the {place}: {:?}", lost.number, lost.ray));
        let shown = shown.collect();
        Ok((lost, shown))
    };
    // Trees are built beside what the GPU does.
    let found: Vec<(LostRays, Vec<String>)> =
        places.par_iter().enumerate().with_max_len(1).map(one).collect::<Result<_, TraceError>>()?;
    let mut result = AimedResult {
        rays,
        meshes: meshes.len(),
        sees_holes: through.closest > 0 && through.any > 0,
        ..AimedResult::default()
    };
    for (lost, shown) in found {
        result.lost += lost.rays;
        result.lost_closest += lost.closest;
        result.lost_any += lost.any;
        result.shown.extend(shown);
    }
    result.shown.truncate(SHOWN);
    result.elapsed = start.elapsed();
    Ok(result)
}

impl AimedResult {
    /// Returns `true` if no ray was lost, and the test proved that it notices lost ones.
    pub fn passed(&self) -> bool {
        self.lost == 0 && self.sees_holes
    }

    /// Adds the result to a document: the verdict, what is wrong, and figures for programs.
    pub(super) fn describe(&self, document: &mut Document) {
        document.line(format!(
            "{}: {} of {} rays aimed at edges and vertices of {} closed meshes are lost (sizes 1e-6 to 1e6, up to 1e4 sizes from zero), in {:.1} s",
            verdict(self.passed()),
            grouped(self.lost),
            grouped(self.rays),
            self.meshes,
            self.elapsed.as_secs_f64()
        ));
        if self.lost > 0 {
            let [closest, any] = [self.lost_closest, self.lost_any].map(grouped);
            document.whole(format!("{closest} have no nearest hit, {any} are called free, such as"));
            document.lines(self.shown.iter().cloned());
        }
        if !self.sees_holes {
            document.line("The test is void: nothing is lost where half of a mesh is missing.");
        }
        document.fields(json!({
            "rays": self.rays,
            "meshes": self.meshes,
            "lost": self.lost,
            "lost_closest": self.lost_closest,
            "lost_any": self.lost_any,
            "shown": self.shown,
            "sees_holes": self.sees_holes,
            "seconds": self.elapsed.as_secs_f64(),
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_report::Room;

    fn document(result: &AimedResult) -> (String, serde_json::Value) {
        let mut document = Document::new("aimed");
        result.describe(&mut document);
        (document.text(Room::Any), document.json())
    }

    #[test]
    fn a_verdict_needs_that_nothing_is_lost_and_that_holes_are_seen() {
        let sound = AimedResult { rays: 1_000_000_000, meshes: 5, sees_holes: true, ..AimedResult::default() };
        let text = |result| document(result).0;
        assert!(sound.passed() && text(&sound).starts_with("PASS: 0 of 1,000,000,000 "), "{}", text(&sound));
        let blind = AimedResult { sees_holes: false, ..sound.clone() };
        assert!(!blind.passed() && text(&blind).starts_with("FAIL: 0 ") && text(&blind).contains("void"));
        let shown = vec!["ray 7, coin".to_string()];
        let leaky = AimedResult { lost: 1234, lost_any: 1234, shown, ..sound };
        assert!(!leaky.passed() && text(&leaky).contains("FAIL: 1,234 ") && text(&leaky).contains("ray 7, coin"));
        assert_eq!(document(&leaky).1["lost_any"], 1234);
    }
}
