//! `raywarp render [SCENE]`: a scene file in, a picture out.

use super::render_args::RenderArgs;
use super::render_report::Report;
use crate::common::{Common, command_line};
use crate::exit::{CliError, Status};
use crate::interrupt;
use crate::progress::Bar;
use raywarp::cuda::auto::{Promise, RayKind};
use raywarp::picture::Picture;
use raywarp::render::film::FilmError;
use raywarp::render::{RenderError, Rendered, StopReason, Watch, output};
use raywarp::scene::Scene;
use raywarp::{Gpu, PrepareOptions, Prepared};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Runs the command.
pub fn run(args: &RenderArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let mut outputs = args.outputs()?;
    let scene_path = args.scene().map(|name| common.scene_path(name));
    scene_path.iter().chain(&args.inputs()).try_for_each(|path| common.files.reads(path))?;
    check_outputs(&outputs, args, common)?;
    let request = args.request(common.threads)?;
    let gpu = common.gpu()?.map(|device| -> Result<Gpu, CliError> {
        // Kernels whose hits have the bits of the CPU's, so that pictures are the same. Most rays are scattered ones.
        let choice = common.choose(&device, Promise::Bits)?;
        Ok(Gpu::chosen(device, &choice, RayKind::Incoherent))
    });
    let gpu = gpu.transpose()?;

    let start = Instant::now();
    let (mut scene, name, warnings) = match args.scene() {
        Some(name) => {
            let (loaded, path, _) = common.load(name, args.allow_missing)?;
            let warnings = loaded.warnings.iter().map(ToString::to_string).collect();
            (loaded.scene, path.display().to_string(), warnings)
        }
        None => (raywarp::default_scene(), "built-in scene".to_string(), Vec::new()),
    };
    if outputs.is_empty() {
        outputs.push(default_output(args, common, scene_path.as_deref(), &scene));
        args.check_alpha(&outputs)?;
        check_outputs(&outputs, args, common)?;
    }
    if let Some(reflectance) = args.clay {
        raywarp::make_clay(&mut scene, reflectance);
    }
    let load = start.elapsed();

    let start = Instant::now();
    let mut prepared = Prepared::new(scene, &PrepareOptions { gpu, ..PrepareOptions::default() })
        .map_err(|error| CliError::prepare(&name, error))?;
    let build = start.elapsed();
    interrupt::check("building the tree")?;
    let picture = Picture::settle(&mut prepared, &request);
    for note in &picture.notes {
        common.note(note);
    }
    common.detail(format!(
        "loaded in {:.2} s; {} triangles, tree in {:.2} s",
        load.as_secs_f64(),
        prepared.triangle_count(),
        build.as_secs_f64()
    ));

    let rendered = render(&prepared, &picture, common)?;
    // One that fails keeps no other from being written.
    let written: Vec<_> = outputs.iter().map(|path| write(path, args, &prepared, &picture, &rendered)).collect();
    written.into_iter().collect::<Result<(), _>>()?;
    if picture.added_light && rendered.film.picture_mean().luminance < 0.01 {
        common.note("hardly any of the added light gets in; --integrator ao shows shapes without light");
    }
    let report = Report {
        scene: &name,
        outputs: &outputs,
        picture: &picture,
        rendered: &rendered,
        load,
        build,
        warnings: &warnings,
    };
    if common.json {
        writeln!(out, "{:#}", report.json())?;
    } else if !common.quiet {
        writeln!(out, "{}", report.line())?;
    }
    Ok(if rendered.stop == StopReason::Cancelled { Status::Interrupted } else { Status::Done })
}

/// Refuses outputs that cannot be written or that would destroy what is there.
fn check_outputs(outputs: &[PathBuf], args: &RenderArgs, common: &Common) -> Result<(), CliError> {
    for path in outputs {
        common.files.writes(path)?;
        let checked = if args.is_share() { output::can_write_share(path) } else { output::can_write(path).map(drop) };
        checked.map_err(CliError::picture)?;
    }
    Ok(())
}

/// The picture where none is named.
fn default_output(args: &RenderArgs, common: &Common, found: Option<&Path>, scene: &Scene) -> PathBuf {
    let name = raywarp::picture_name(args.scene().zip(found), scene.settings.output.as_deref(), args.is_share());
    if let Some(note) = &name.note {
        common.note(note);
    }
    name.path
}

fn render(prepared: &Prepared, picture: &Picture, common: &Common) -> Result<Rendered, CliError> {
    let options = &picture.options;
    let bar = Bar::new(common.quiet, options.time_limit);
    let first = OnceLock::<Duration>::new();
    let [width, height] = options.crop.map_or(options.size, |crop| crop.size).map(u64::from);
    let pixels = width * height;
    let progress = |progress: &raywarp::render::Progress| {
        first.get_or_init(|| progress.elapsed);
        bar.update(progress, pixels);
    };
    let watch = Watch { cancel: Some(interrupt::flag()), progress: Some(&progress) };
    let rendered = prepared.render(&picture.camera, options, &watch);
    bar.finish();
    if let Some(first) = first.get() {
        common.detail(format!("first samples after {:.3} s of rendering", first.as_secs_f64()));
    }
    rendered.map_err(|error| match error {
        RenderError::Option(message) => CliError::usage(message),
        RenderError::Film(FilmError::CropOutside { .. }) => CliError::usage(format!("--crop: {error}")),
        RenderError::TextureTooDeep { .. } => CliError::input(error),
        other => CliError::machine(other),
    })
}

/// Writes one picture in the format that its name says.
fn write(
    path: &Path,
    args: &RenderArgs,
    prepared: &Prepared,
    picture: &Picture,
    rendered: &Rendered,
) -> Result<(), CliError> {
    let options = &picture.options;
    let first = options.samples.start;
    let samples = first..first + rendered.samples[0];
    let mut entries = vec![
        ("samples".to_string(), format!("{}..{}", samples.start, samples.end)),
        ("seed".to_string(), options.seed.to_string()),
    ];
    if args.record_time {
        entries.push(("seconds".to_string(), format!("{:.3}", rendered.elapsed.as_secs_f64())));
    }
    let metadata = output::Metadata { command: command_line(), entries, ..output::Metadata::default() };
    let film = &rendered.film;
    let result = if args.is_share() {
        if rendered.samples[0] != rendered.samples[1] || samples.is_empty() {
            return Err(CliError::Stop(
                Status::Interrupted,
                format!("{}: interrupted before the share was whole; nothing was written", path.display()),
            ));
        }
        let fingerprint = raywarp::picture::fingerprint(prepared.scene(), picture);
        let content = picture.content();
        let info = output::ShareInfo { samples, seed: u64::from(options.seed), fingerprint, content };
        output::write_share(path, film, &info, &metadata)
    } else {
        let content = picture.content();
        let (stops, tone) = args.look();
        let exposure = output::Exposure::stops(stops).unwrap_or_default().and(content.film_exposure);
        let look = output::Look { exposure, tone };
        output::write_film(path, film, &output::PictureOptions { look, layers: args.layers()?, content, metadata })
    };
    result.map_err(CliError::picture)
}
