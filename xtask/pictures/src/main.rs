//! Five small pictures that are the same bytes on every processor, with every instruction set.
//!
//! `cargo xtask neon` runs this program for 64-bit ARM and for this machine, and compares.

use raywarp::device::DeviceChoice;
use raywarp::render::output::Layers;
use raywarp::render::{FileContents, RenderJob};
use raywarp::scene::{MadeOf, SamplerKind, default_scene};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: xtask-pictures FOLDER");
        return ExitCode::from(2);
    };
    match render_all(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn render_all(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = |name: &str| RenderJob::file(root.join(name)).size([64, 48]);
    let mut built_in = RenderJob::scene(default_scene(), "the built-in scene").size([90, 60]);
    built_in.request.features = true;
    let mut clay = file("examples/room.pbrt").size([65, 49]).made_of(MadeOf::Clay(0.7));
    clay.request.sampler = Some(SamplerKind::Xor32);
    let jobs = [
        ("built-in.exr", built_in, Layers::ALL),
        ("room.exr", file("examples/room.pbrt"), Layers::default()),
        ("clay.exr", clay, Layers::default()),
        ("knot.exr", file("examples/knot.ply.gz"), Layers::default()),
        ("materials.exr", file("crates/cli/tests/materials.pbrt"), Layers::default()),
    ];
    for (name, job, layers) in jobs {
        let rendered = job.samples(2).device(DeviceChoice::Cpu).run()?;
        rendered.write_with(folder.join(name), FileContents { layers, ..FileContents::default() })?;
    }
    Ok(())
}
