//! `raywarp render [SCENE]`: a scene file in, a picture out.

mod args;
mod device;
mod organisation;
mod rays;
mod report;
mod resume;
mod write_every;

pub use crate::command::render::args::RenderArgs;
use crate::command::render::device::{Gpus, device_names, place};
use crate::command::render::rays::Exported;
use crate::command::render::report::Report;
use crate::common::{Common, command_line};
use crate::exit::{CliError, Status};
use crate::interrupt;
use crate::options::made_of::made_of;
use crate::options::values;
use crate::plan_words;
use crate::progress::{
    si, {Limits, RenderProgress},
};
use raywarp::Aabb;
use raywarp::bvh::presets;
use raywarp::render::film::{Film, FilmError, Window};
use raywarp::render::gpu::{CudaRenderer, CudaRenderers};
use raywarp::render::{
    Integrator, PathRays, Picture, PictureRequest, Prepared, RenderContext, RenderOptions, Rendered, StopReason, Watch,
    output,
};
use raywarp::scene::{Description, Prefer};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Runs the command.
pub fn run(args: &RenderArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let mut outputs = args.outputs()?;
    let scene_path = args.scene().map(|name| common.find(name, Prefer::Materials)).transpose()?;
    scene_path.iter().chain(&args.inputs()).try_for_each(|path| common.files.reads(path))?;
    check_outputs(&outputs, args, common)?;
    rays::check(args, common)?;
    // Before the scene, so that what is wrong with it shows at once.
    let resumed = args.resume.as_ref().map(|path| resume::read(path, common)).transpose()?;
    let request = args.request(scene_path.as_deref(), common)?;
    let gpus = Gpus::open(args, common)?;

    let start = Instant::now();
    let (mut scene, name, warnings) = match scene_path.clone() {
        Some(path) => {
            let (loaded, path, _) = common.load_to_see(path, args.allow_missing, args.light.without_triangles())?;
            let warnings = loaded.warnings.iter().map(ToString::to_string).collect();
            (loaded.scene, path.display().to_string(), warnings)
        }
        None => (raywarp::scene::default_scene(), "built-in scene".to_string(), Vec::new()),
    };
    if outputs.is_empty() {
        outputs.push(default_output(args, common, scene_path.as_deref(), &scene));
        args.check_alpha(&outputs)?;
        check_outputs(&outputs, args, common)?;
    }
    if args.has_layers() {
        values::say_lost_layers(&outputs, common);
    }
    if let Some(made_of) = made_of(args.clay, args.made_of) {
        raywarp::scene::make_of(&mut scene, made_of);
    }
    let load = start.elapsed();

    let start = Instant::now();
    let building = common.building(&scene);
    let earlier = resumed.as_ref().map(|share| share.info.samples.end);
    let planned = planned(&request, &scene, earlier);
    let plan = gpus.plan(args, common, &scene, &planned);
    let mut prepared = Prepared::new(scene, &plan).map_err(|error| CliError::prepare(&name, error))?;
    let (build, triangles) = (start.elapsed(), prepared.triangle_count());
    drop(building);
    let mut picture = Picture::settle(&mut prepared, &request).map_err(CliError::settle)?;
    for note in &picture.notes {
        common.note(note);
    }
    if let Some(flag) = args.light.without_effect().filter(|_| !picture.added_light) {
        common.note(format!("{flag} is about added light, and none is added: give --light with one, or a FILE"));
    }
    let film = resumed.map(|share| resume::take(share, &prepared, &mut picture, common)).transpose()?;
    common.detail(format!("instruction set of the CPU: {}", raywarp::cpu::Isa::preferred()));
    let preset = presets::name_of(prepared.build_options()).map_or_else(String::new, |name| format!(" ({name})"));
    common.detail(format!(
        "loaded in {:.2} s; {triangles} triangles, tree in {:.2} s{preset}",
        load.as_secs_f64(),
        build.as_secs_f64()
    ));
    if let Some(tree) = prepared.gpu_tree() {
        common.detail(format!("the tree for GPUs: {}", plan_words::of_tree(tree)));
    }
    let start = Instant::now();
    let engine = place(common, &mut prepared, &name, &picture)?;
    if engine.is_some() {
        let own = prepared.late_tracer_time().map_or_else(String::new, |time| {
            format!("; the CPU's tree, for a small picture before, took {:.2} s", time.as_secs_f64())
        });
        common.detail(format!("encoded and uploaded in {:.2} s{own}", start.elapsed().as_secs_f64()));
    }
    let devices = device_names(&prepared.plan());

    let sums = Sums::new(args, &prepared, &picture);
    let write = |path: &Path, film: &Film, time: Duration| write(path, args, &picture, film, &sums, time);
    // From here on an interrupt saves what there is.
    let _keep = interrupt::Keep::now("what is rendered will be written");
    let (rendered, rays) = render((&prepared, engine), &picture, film, (args, &outputs, &write), common)?;
    // One that fails keeps no other from being written.
    let start = Instant::now();
    let written: Vec<_> = outputs.iter().map(|path| write(path, &rendered.film, rendered.elapsed)).collect();
    let exported = export(args, &rendered, (rays, prepared.scene().origin), common);
    written.into_iter().collect::<Result<(), _>>()?;
    let exported = exported?;
    let writing = start.elapsed();
    let look = look(args, &picture, &rendered.film);
    common.say_exposure(picture.exposure_choice, picture.stops(look.exposure));
    if !args.is_share()
        && picture.options.integrator == Integrator::Path
        && outputs
            .iter()
            .any(|path| output::PictureFormat::of(path).is_ok_and(|format| format == output::PictureFormat::Png))
        && prepared.triangle_count() > 0
        && let Some(line) = raywarp::render::lost_pixels(&prepared, &picture, &rendered.film, &look)
    {
        common.note(line);
    }
    let report = Report {
        scene: &name,
        outputs: &outputs,
        devices: &devices,
        picture: &picture,
        origin: prepared.scene().origin,
        rendered: &rendered,
        look,
        load,
        build,
        write: writing,
        total: common.start.elapsed(),
        resumed: earlier,
        warnings: &warnings,
        rays: exported.as_ref(),
    };
    if common.json {
        writeln!(out, "{:#}", report.json())?;
    } else if !common.quiet {
        writeln!(out, "{}", report.line())?;
        if let (Some(folder), Some(exported)) = (&args.export_rays, &exported) {
            writeln!(out, "{}", exported.line(folder))?;
        }
    }
    match rendered.failure {
        Some(failure) => Err(CliError::machine(format!("{failure}; what was finished before is written"))),
        None if rendered.stop == StopReason::Cancelled => Ok(Status::Interrupted),
        None => Ok(Status::Done),
    }
}

/// Returns the options of a render, as far as they are known before the scene is prepared; `earlier` samples of each
/// pixel are there already.
fn planned(request: &PictureRequest, scene: &Description, earlier: Option<u32>) -> RenderOptions {
    let (mut options, _) = request.options(scene, &Aabb::EMPTY);
    if let Some(has) = earlier {
        options.samples = has..options.samples.end.max(has);
    }
    options
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

/// Returns the picture where none is named.
fn default_output(args: &RenderArgs, common: &Common, found: Option<&Path>, scene: &Description) -> PathBuf {
    let name =
        raywarp::render::picture_name(args.scene().zip(found), scene.settings.output.as_deref(), args.is_share());
    if let Some(note) = &name.note {
        common.note(note);
    }
    name.path
}

/// Returns a film without samples.
fn empty_film(picture: &Picture) -> Result<Film, CliError> {
    let options = &picture.options;
    let window = Window::new(options.size, options.crop);
    window.and_then(|window| Film::of(window, options.features)).map_err(|error| match error {
        FilmError::CropOutside { .. } => CliError::usage(format!("--crop: {error}")),
        other => CliError::machine(other),
    })
}

/// Writes a picture that took so much time to a file.
type WriteOne<'a> = dyn Fn(&Path, &Film, Duration) -> Result<(), CliError> + Sync + 'a;

/// Renders, going on with a film where there is one, keeps the rays that are asked for, and writes what there is now
/// and then where that is asked for.
fn render(
    (prepared, mut engine): (&Prepared, Option<CudaRenderers>),
    picture: &Picture,
    film: Option<Film>,
    (args, outputs, write): (&RenderArgs, &[PathBuf], &WriteOne),
    common: &Common,
) -> Result<(Rendered, Option<PathRays>), CliError> {
    let options = &picture.options;
    let film = match film {
        Some(film) if options.samples.is_empty() => return Ok((Rendered::already(film), None)),
        Some(film) => film,
        None => empty_film(picture)?,
    };
    let rays = rays::listener(args, &film, options)?;
    let pixels = film.pixel_count() as u64;
    let limits = Limits { time: options.time_limit, noise: options.noise_limit, first: film.sample_range()[0] };
    let bar = RenderProgress::new(common.quiet, "rendering", pixels, limits);
    let first = OnceLock::<Duration>::new();
    let progress = |progress: &raywarp::render::Progress| {
        first.get_or_init(|| progress.elapsed);
        bar.update(progress);
    };
    let start = Instant::now();
    let write = |path: &Path, film: &Film| write(path, film, start.elapsed());
    let rendered = write_every::while_rendering(args.write_every, outputs, &write, common, |between| {
        let watch = Watch { cancel: Some(interrupt::flag()), progress: Some(&progress), between };
        let mut context = RenderContext { watch, film: Some(film), ..RenderContext::default() };
        match (&rays, &mut engine) {
            (Some(rays), _) => context.observer = Some(rays),
            (None, Some(engine)) => context.engine = Some(engine),
            (None, None) => {}
        }
        prepared.render(&picture.camera, options, context)
    });
    drop(bar);
    if let Some(first) = first.get() {
        common.detail(format!("first samples after {:.3} s of rendering", first.as_secs_f64()));
    }
    if let Some(rendered) = rendered.as_ref().ok().filter(|rendered| rendered.vertices > 0) {
        let (all, in_vectors) = (rendered.vertices, rendered.vertices_in_vectors);
        let share = 100.0 * in_vectors as f64 / all as f64;
        common.detail(format!("shaded in vectors: {share:.1} % of {} vertices", si(all as f64)));
    }
    // Asks the driver what the GPU can do, and so only for those who want to know.
    if let Some(engine) = engine.as_ref().filter(|_| rendered.is_ok() && common.verbose) {
        engine.counts().to_string().lines().for_each(|line| common.detail(line));
        engine.renderers().iter().for_each(|renderer| say_seconds(renderer, options, common));
    }
    Ok((rendered.map_err(CliError::render)?, rays))
}

/// Prints the time that a GPU's counts foretell, and then the time that it took.
fn say_seconds(renderer: &CudaRenderer, options: &RenderOptions, common: &Common) {
    let (place, seconds) = (renderer.device().ordinal(), renderer.device_seconds());
    let estimate = renderer.roofline(options).map(|roofline| roofline.estimate(&renderer.counts()));
    if let Some(estimate) = &estimate {
        common.detail(format!("cuda:{place}: {estimate}"));
    }
    let share = estimate
        .filter(|_| seconds > 0.0)
        .map_or_else(String::new, |estimate| format!(", {}", estimate.share_of(seconds)));
    common.detail(format!("cuda:{place}: {seconds:.4} s of its own from the camera to the film's sums{share}"));
}

/// Writes the rays that were asked for, if the render came to its end: those of a part of the pixels are of no use.
fn export(
    args: &RenderArgs,
    rendered: &Rendered,
    (rays, origin): (Option<PathRays>, [f64; 3]),
    common: &Common,
) -> Result<Option<Exported>, CliError> {
    let Some(folder) = &args.export_rays else { return Ok(None) };
    match rays {
        Some(rays) if rendered.stop != StopReason::Cancelled => rays::write(rays, origin, folder, common).map(Some),
        _ => {
            let why = if rendered.stop == StopReason::Cancelled { "interrupted" } else { "nothing was left to render" };
            common.note(format!("{why}: no rays were written to {}", folder.display()));
            Ok(None)
        }
    }
}

/// Returns the look that makes the bytes of a PNG from radiance.
fn look(args: &RenderArgs, picture: &Picture, film: &Film) -> output::Look {
    output::Look { exposure: picture.exposure_of(film), tone: args.tone() }
}

/// Facts that make a picture's file a share, where it is to be one.
struct Sums {
    fingerprint: String,
    /// Number of the first sample in the film.
    first: u32,
}

impl Sums {
    fn new(args: &RenderArgs, prepared: &Prepared, picture: &Picture) -> Self {
        let first = if args.resume.is_some() { 0 } else { picture.options.samples.start };
        if !args.is_share() && !args.keeps_sums() {
            return Self { fingerprint: String::new(), first };
        }
        Self { fingerprint: raywarp::render::fingerprint(prepared.scene(), picture), first }
    }
}

/// Writes one picture in the format that its name says.
fn write(
    path: &Path,
    args: &RenderArgs,
    picture: &Picture,
    film: &Film,
    sums: &Sums,
    time: Duration,
) -> Result<(), CliError> {
    let options = &picture.options;
    let [fewest, most] = film.sample_range();
    let samples = sums.first..sums.first + fewest;
    let mut entries = vec![
        ("samples".to_string(), format!("{}..{}", samples.start, samples.end)),
        ("seed".to_string(), options.seed.to_string()),
    ];
    if args.record_time {
        entries.push(("seconds".to_string(), format!("{:.3}", time.as_secs_f64())));
    }
    let metadata = output::Metadata { command: command_line(), entries, ..output::Metadata::default() };
    let is_whole = fewest == most && fewest > 0;
    let info = || output::ShareInfo {
        samples: samples.clone(),
        seed: u64::from(options.seed),
        fingerprint: sums.fingerprint.clone(),
        content: picture.content(),
    };
    let result = if args.is_share() {
        if !is_whole {
            return Err(CliError::Stop(
                Status::Interrupted,
                format!("{}: interrupted before the share was whole; nothing was written", path.display()),
            ));
        }
        output::write_share(path, film, &info(), &metadata)
    } else {
        let content = picture.content();
        let options =
            output::PictureOptions { look: look(args, picture, film), layers: args.layers()?, content, metadata };
        match args.keeps_sums() && is_whole {
            true => output::write_film_and_sums(path, film, &options, &info()),
            false => output::write_film(path, film, &options),
        }
    };
    result.map_err(CliError::picture)
}
