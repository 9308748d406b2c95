//! W11's experiment on real paths of the renderer: frames are rendered here, their paths and warps counted by
//! [`raywarp_study::compaction`].

use raywarp::render::{BuiltInLight, CameraRequest, LightRequest, Picture, PictureError, PictureRequest, Prepared};
use raywarp_render::{RenderContext, RenderError, StopReason, Watch};
use raywarp_scene::SamplerKind;
use raywarp_study::compaction::PathCounter;

pub use raywarp_study::compaction::{
    CompactionReport, CompactionRequest, CountError, Counts, W11_DEPTH, W11_REFLECTANCE, W11_SIZE,
};

/// Error that keeps the light paths of a scene from being counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompactionError {
    /// The counting failed, or the caller asked to stop.
    #[error(transparent)]
    Count(#[from] CountError),
    /// The scene was prepared with two levels of trees.
    #[error("the scene was prepared with two levels of trees, and light paths are counted in one")]
    TwoLevels,
    /// The renderer refuses the scene or its options.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The picture's camera, light or options cannot be settled.
    #[error(transparent)]
    Picture(#[from] PictureError),
}

impl CompactionError {
    /// Returns `true` if the counting failed because the caller asked to stop.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Count(CountError::Cancelled))
    }
}

/// Renders frames with the sampler of W11, and counts their light paths and the warps that would trace them. Light
/// changes no path's length, so that any light does.
///
/// # Errors
/// [`CompactionError`].
pub fn compaction(
    prepared: &mut Prepared,
    request: &CompactionRequest,
    watch: &Watch,
) -> Result<CompactionReport, CompactionError> {
    let tree = prepared.bvh().ok_or(CompactionError::TwoLevels)?;
    let mut counter = PathCounter::new(prepared.scene(), tree, request)?;
    for camera in &request.cameras {
        let asked = PictureRequest {
            size: Some(request.size),
            samples: Some(0..request.frames),
            max_depth: Some(request.max_depth),
            sampler: Some(SamplerKind::PaddedHalton),
            camera: CameraRequest { camera: Some(camera.clone()), ..CameraRequest::default() },
            // W11's table counts paths that leave into even light.
            light: if prepared.has_light() {
                LightRequest::built_in(BuiltInLight::None)
            } else {
                LightRequest::built_in(BuiltInLight::White)
            },
            lens_radius: request.lens_radius,
            threads: request.threads,
            ..PictureRequest::default()
        };
        let picture = Picture::settle(prepared, &asked)?;
        let recorder = counter.recorder();
        let context = RenderContext { watch: *watch, observer: Some(&recorder), ..RenderContext::default() };
        let rendered = prepared.render(&picture.camera, &picture.options, context)?;
        if rendered.stop == StopReason::Cancelled {
            return Err(CountError::Cancelled.into());
        }
        counter.add(recorder, watch.cancel)?;
    }
    Ok(counter.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp::device::Plan;
    use raywarp::scene::{default_scene, make_clay};
    use raywarp_report::Room;

    #[test]
    fn the_built_in_scene_loses_paths_and_compaction_saves_warps() {
        let mut scene = default_scene();
        make_clay(&mut scene, 0.7);
        let mut prepared = Prepared::new(scene, &Plan::default()).unwrap();
        let request = CompactionRequest {
            scene: "built-in".into(),
            cameras: vec![prepared.camera()],
            size: [100, 60],
            frames: 2,
            max_depth: 8,
            lens_radius: None,
            widths: vec![32, 8],
            threads: 0,
        };
        let report = compaction(&mut prepared, &request, &Watch::default()).unwrap();
        for counts in &report.counts {
            assert_eq!(counts.bounces[0].paths, 2 * 6000);
            assert!(counts.bounces.len() <= 9);
            for pair in counts.bounces.windows(2) {
                assert!(pair[1].paths <= pair[0].paths && pair[1].naive_warps <= pair[0].naive_warps);
            }
            for bounce in &counts.bounces {
                assert!(bounce.compact_warps <= bounce.tiled_warps && bounce.tiled_warps <= bounce.naive_warps);
            }
            // A fuller warp does more, so that fewer steps are saved than warps.
            assert!((1.0..counts.total().saved()).contains(&counts.saved_steps()), "{}", counts.saved_steps());
            assert!(counts.total().saved() > 1.02, "{:?}", counts.total());
            // Larger tiles leave fewer warps part empty.
            assert!(counts.tiles.windows(2).all(|pair| pair[1].1.tiled_warps <= pair[0].1.tiled_warps));
        }
        for counts in &report.counts {
            assert_eq!(counts.work.len(), counts.bounces.len());
            for (bounce, [naive, compact]) in counts.bounces.iter().zip(&counts.work) {
                // The picture is small enough to be kept whole; two frames were rendered, and one traced.
                assert!(naive.rays.abs_diff(bounce.paths / 2) < 100, "{naive:?} {bounce:?}");
                assert_eq!((naive.rays, naive.active), (compact.rays, compact.active));
                assert!(compact.warps <= naive.warps);
                assert!(naive.steps_per_warp() <= 1.0001 * compact.steps_per_warp());
            }
        }
        // Narrower warps lose less.
        assert!(report.counts[1].total().saved() < report.counts[0].total().saved());
        let document = report.document();
        let text = document.text(Room::Any);
        assert!(text.contains("saved by tiles") && text.contains("H200"));
        assert_eq!(document.json()["counts"][0]["bounces"][0]["paths"], 12_000);

        let refused = |request: CompactionRequest| {
            compaction(&mut Prepared::new(default_scene(), &Plan::default()).unwrap(), &request, &Watch::default())
                .unwrap_err()
        };
        assert!(matches!(
            refused(CompactionRequest { widths: vec![32, 24], ..request.clone() }),
            CompactionError::Count(CountError::Width(24))
        ));
        assert!(matches!(
            refused(CompactionRequest { max_depth: 65_535, ..request.clone() }),
            CompactionError::Count(CountError::Depth(_))
        ));
        let huge = CompactionRequest { size: [1 << 20; 2], frames: 1 << 30, ..request.clone() };
        assert!(matches!(refused(huge), CompactionError::Count(CountError::Paths { paths }) if paths == 1 << 70));
        let cancel = std::sync::atomic::AtomicBool::new(true);
        let watch = Watch { cancel: Some(&cancel), ..Watch::default() };
        assert!(compaction(&mut prepared, &request, &watch).unwrap_err().is_cancelled());
    }
}
