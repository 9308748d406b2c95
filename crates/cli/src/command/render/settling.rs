//! Settling a render: camera, light and the film to go on with, and what is said of them.

use crate::command::render::args::RenderArgs;
use crate::command::render::resume;
use crate::common::Common;
use crate::exit::CliError;
use crate::note_words;
use crate::options::levels;
use crate::plan_words;
use raywarp::bvh::presets;
use raywarp::render::{PreparedJob, SettledJob};

/// Decides the picture's settings, takes over an earlier film, and prints what was assumed.
pub fn settle(prepared: PreparedJob, args: &RenderArgs, common: &Common) -> Result<SettledJob, CliError> {
    let mut settled = prepared.settle().map_err(CliError::job)?;
    for note in &settled.picture.notes {
        common.note(note_words::of(note));
    }
    if let Some(flag) = args.light.without_effect().filter(|_| !settled.picture.added_light) {
        common.note(format!("{flag} is about added light, and none is added: give --light with one, or a FILE"));
    }
    if let Some(path) = &args.resume {
        resume::take(&mut settled, path, common)?;
    }
    say_tree(&settled, common);
    Ok(settled)
}

/// Prints what was built, if `--verbose` is given.
fn say_tree(settled: &SettledJob, common: &Common) {
    let prepared = &settled.prepared;
    common.detail(format!("instruction set of the CPU: {}", raywarp::cpu::Isa::preferred()));
    let preset = presets::name_of(prepared.build_options()).map_or_else(String::new, |name| format!(" ({name})"));
    common.detail(format!(
        "loaded in {:.2} s; {} triangles, tree in {:.2} s{preset}",
        settled.times.load.as_secs_f64(),
        prepared.triangle_count(),
        settled.times.tree.as_secs_f64()
    ));
    if let Some(sizes) = prepared.two_levels() {
        common.detail(levels::words(sizes));
    }
    if let Some(tree) = prepared.gpu_tree() {
        common.detail(format!("the tree for GPUs: {}", plan_words::of_tree(tree)));
    }
}
