//! Making a scene ready for its rays, on the device that was asked for or that is worth it.

use crate::command::trace::args::TraceArgs;
use crate::command::trace::failure::failure;
use crate::command::trace::input::RayInput;
use crate::common::Common;
use crate::exit::CliError;
use crate::options::levels;
use crate::plan_words;
use raywarp::cuda::Device;
use raywarp::device::Plan;
use raywarp::scene::Description;
use raywarp::trace::TraceScene;
use std::path::Path;

/// Builds the tree of `scene` (the file at `path`) for the rays of `input`, by `plan` or by the best of the program's
/// own, and says what is different from what one may think.
pub fn prepare(
    args: &TraceArgs,
    plan: Option<&Plan>,
    (scene, path): (&Description, &Path),
    input: &RayInput<'_>,
    common: &Common,
) -> Result<TraceScene, CliError> {
    let building = common.building(scene);
    let made = match plan {
        Some(plan) => TraceScene::with_levels(scene, plan, args.levels.levels()),
        None => {
            common.can_choose()?;
            let kernels = |device: &Device| args.fastest(common, device, &input.rays);
            TraceScene::auto(scene, input.rays.layout().count(), args.build(), args.levels.levels(), kernels)
        }
    };
    let prepared = made.map_err(|error| failure(error, path, &input.rays, input.name))?;
    if plan.is_none() {
        say_choice(&prepared.plan(), common);
    }
    drop(building);
    if let Some(sizes) = prepared.two_levels() {
        common.detail(levels::words(sizes));
    }
    say_stand_ins(&prepared, common);
    Ok(prepared)
}

/// Prints which device the program chose.
fn say_choice(plan: &Plan, common: &Common) {
    let line = format!("--device auto: {}", plan_words::of_trace(plan));
    if plan.reason.is_loss() || !plan.gpus().is_empty() {
        common.note(line);
    } else {
        common.detail(line);
    }
}

/// Prints which kernels replace others, and which triangles rays take as opaque.
fn say_stand_ins(prepared: &TraceScene, common: &Common) {
    if let Some(instead) = plan_words::instead(&prepared.plan()) {
        common.note(instead);
    }
    if prepared.non_opaque_count() > 0 {
        let [all, some] = [prepared.triangle_count(), prepared.non_opaque_count()];
        common.note(format!("{some} of {all} triangles have an alpha mask or blend; rays take them as opaque"));
    }
}
