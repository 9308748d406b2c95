//! Every question of the library, timed on one mesh: medians of nine rounds, a line each as it is measured.
//!
//! `cargo bench [-- [SCENE] [NAME]...]`: a wavy ball of 102,400 triangles, or all triangles of a scene as one mesh,
//! seen from its known view. SCENE is a file, or a scene's name in the folder RAYWARP_SCENES; with `-p raywarp` alone,
//! which compiles less, it needs `--features formats`. NAME is a part of the names of lines that are wanted.
//!
//! One by one is on one thread, all else on all (`RAYON_NUM_THREADS=1`); `RAYWARP_ISA=avx2` takes other instructions.
//! Times are of the clock. Without `--bench`, which cargo gives, each is asked once of a small ball, to see that it
//! runs.

#[path = "../examples/shapes/mod.rs"]
mod shapes;

use raywarp::cpu::Isa;
use raywarp::{Aabb, Affine64, Control, Culling, Edit, End, Filter, InstanceId, Levels, Ray, Ray64, Reshape, Scene};
use raywarp::{SceneOptions, origin_leaving};
use raywarp_testing::Random;
use shapes::Mesh;
use std::error::Error;
use std::hint::black_box;
use std::ops::ControlFlow::Continue;
use std::time::{Duration, Instant};

/// Where a scene is seen from, and in which direction.
type View = [[f32; 3]; 2];

/// The longest that a round of one by one may take; it asks fewer where it would take longer.
const LONGEST: Duration = Duration::from_millis(100);

/// What is measured, and which lines there were.
struct Bench {
    wanted: Vec<String>,
    rounds: usize,
    lines: Vec<String>,
}

impl Bench {
    fn wants(&self, name: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|part| name.contains(part))
    }

    /// Times `ask`, which asks `count` questions, after one round that does not count.
    fn all<T>(&mut self, name: &str, unit: &str, count: usize, mut ask: impl FnMut() -> T) {
        if !self.wants(name) {
            return;
        }
        black_box(ask());
        let mut round = |_| {
            let start = Instant::now();
            let answer = black_box(ask());
            let each = start.elapsed().as_secs_f64() / count.max(1) as f64;
            drop(answer);
            each
        };
        let mut times: Vec<f64> = (0..self.rounds).map(&mut round).collect();
        times.sort_by(f64::total_cmp);
        let (least, median, most) = (times[0], times[times.len() / 2], times[times.len() - 1]);
        let (scale, of) = match median {
            ..1e-6 => (1e9, "ns"),
            ..1e-3 => (1e6, "us"),
            _ => (1e3, "ms"),
        };
        let rate = 1.0 / median;
        let rate = if rate < 1e5 { format!("{rate:.0}") } else { format!("{:.2} M", 1e-6 * rate) };
        let spread = format!("{:.1} to {:.1}", least * scale, most * scale);
        println!("{name:34} {:9.1}  {spread:>18}  {:12} {rate:>10}", median * scale, format!("{of} {unit}"));
        self.lines.push(name.to_string());
    }

    /// Times questions one by one.
    fn each<Q, T>(&mut self, name: &str, unit: &str, questions: &[Q], mut ask: impl FnMut(&Q) -> T) {
        let start = Instant::now();
        let in_time = |question: &&Q| {
            black_box(ask(question));
            start.elapsed() < LONGEST
        };
        let count = if self.wants(name) { questions.iter().take_while(in_time).count().max(1) } else { 0 };
        let questions = &questions[..count.min(questions.len())];
        self.all(name, unit, questions.len(), || {
            for question in questions {
                black_box(ask(question));
            }
        });
    }
}

/// A ball with waves: closed, its fronts outwards.
fn wavy_ball(parallels: u32) -> Mesh {
    let (positions, indices) = shapes::ball(1.0, parallels);
    let wave = |[x, y, z]: [f32; 3]| {
        let radius = 1.0 + 0.1 * (7.0 * x).sin() * (6.0 * y + 1.0).sin() * (5.0 * z).cos();
        [x, y, z].map(|k| radius * k)
    };
    (positions.into_iter().map(wave).collect(), indices)
}

/// The triangles of a scene's file, and where they are seen from; `None` where there is no such file.
#[cfg(feature = "formats")]
fn of_file(name: &str) -> Result<Option<(Mesh, View)>, Box<dyn Error>> {
    use raywarp::scene::{KnownViews, LoadOptions, Prefer, SceneLookup, find_scene, flatten, load};
    let lookup = SceneLookup { folder: std::env::var_os("RAYWARP_SCENES").map(Into::into) };
    let Ok(path) = find_scene(name.as_ref(), &lookup, Prefer::Geometry) else { return Ok(None) };
    let file = load(&path, &LoadOptions::default())?.scene;
    let known = KnownViews::of(&path, &lookup)?.and_then(|known| Some(known.views.first()?.camera(file.origin)));
    let camera = known.or_else(|| file.cameras.first().cloned());
    let triangles = flatten(&file)?;
    let view = camera.map_or_else(|| from_outside(&triangles.bounds()), |camera| [camera.eye, camera.forward]);
    let positions = triangles.vertices.into_iter().flatten().collect();
    let indices = (0..triangles.ids.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Ok(Some(((positions, indices), view)))
}

#[cfg(not(feature = "formats"))]
fn of_file(name: &str) -> Result<Option<(Mesh, View)>, Box<dyn Error>> {
    let is_file = std::path::Path::new(name).exists();
    if is_file { Err(format!("{name}: scenes need `--features formats`").into()) } else { Ok(None) }
}

/// Returns a view of a whole scene.
fn from_outside(bounds: &Aabb) -> View {
    let (center, away) = (bounds.center(), [0.6, 0.4, 0.7].map(|x| x * bounds.diagonal()));
    [[0, 1, 2].map(|k| center[k] + away[k]), away.map(|x| -x)]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(a: [f32; 3]) -> [f32; 3] {
    a.map(|x| x / dot(a, a).sqrt())
}

/// A ray through each pixel of a view.
fn primary([eye, forward]: View, [width, height]: [usize; 2]) -> Vec<Ray> {
    let forward = unit(forward);
    let right = unit(cross(forward, if forward[1].abs() > 0.9 { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] }));
    let up = cross(right, forward);
    let through = |i: usize| {
        let [x, y] = [i % width, height - 1 - i / width].map(|k| (k as f32 + 0.5) / height as f32);
        let (x, y) = (x - 0.5 * width as f32 / height as f32, y - 0.5);
        Ray::new(eye, [0, 1, 2].map(|k| forward[k] + x * right[k] + y * up[k]))
    };
    (0..width * height).map(through).collect()
}

/// A diffuse ray from each hit of others, in any order.
fn diffuse(scene: &Scene, (positions, indices): &Mesh, rays: &[Ray], random: &mut Random) -> Vec<Ray> {
    let from = |ray: &Ray, random: &mut Random| {
        let hit = scene.closest(ray)?;
        let corners = indices[hit.primitive as usize].map(|i| positions[i as usize]);
        let [along, across] = [corners[1], corners[2]].map(|end| [0, 1, 2].map(|k| end[k] - corners[0][k]));
        let normal = unit(cross(along, across));
        let side = if dot(normal, ray.direction) > 0.0 { -1.001 } else { 1.001 };
        let aside = unit(random.point());
        let direction = [0, 1, 2].map(|k| side * normal[k] + aside[k]);
        Some(Ray::new(origin_leaving(corners, hit.u, hit.v, direction), direction))
    };
    let mut found: Vec<Ray> = rays.iter().filter_map(|ray| from(ray, random)).collect();
    for i in (1..found.len()).rev() {
        found.swap(i, random.below(i + 1));
    }
    found
}

/// Asks what rays ask.
fn rays(bench: &mut Bench, scene: &Scene, kinds: &[(&str, &[Ray])], control: &Control<'_>) {
    for &(kind, rays) in kinds {
        let (mut hits, mut blocked) = (vec![None; rays.len()], vec![false; rays.len()]);
        let name = |question: &str, how: &str| format!("{question}, {kind}{how}");
        bench.each(&name("closest", ", one by one"), "a ray", rays, |ray| scene.closest(ray));
        bench.all(&name("closest", ", by 8"), "a ray", rays.len(), || {
            for (rays, hits) in rays.chunks(8).zip(hits.chunks_mut(8)) {
                scene.closest_batch(rays, hits, control).expect("a place for each");
            }
        });
        bench.all(&name("closest", ", batch"), "a ray", rays.len(), || scene.closest_batch(rays, &mut hits, control));
        bench.each(&name("any", ", one by one"), "a ray", rays, |ray| scene.any(ray));
        bench.all(&name("any", ", batch"), "a ray", rays.len(), || scene.any_batch(rays, &mut blocked, control));
    }
    let rays = kinds[0].1;
    let culled = scene.with(Filter::new().culling(Culling::Backs));
    bench.each("closest, culled, one by one", "a ray", rays, |ray| culled.closest(ray));
    let doubles = |ray: &Ray| Ray64::new(ray.origin.map(f64::from), ray.direction.map(f64::from));
    let doubles: Vec<Ray64> = rays.iter().map(doubles).collect();
    bench.each("closest, 64-bit, one by one", "a ray", &doubles, |ray| scene.closest(ray));
    let mut hits = Vec::new();
    bench.each("all, one by one", "a ray", rays, |ray| {
        hits.clear();
        scene.all_into(ray, &mut hits);
    });
    bench.all("all, batch", "a ray", rays.len(), || scene.all_batch(rays, control));
    bench.each("visit, one by one", "a ray", rays, |ray| {
        let mut farthest = 0.0f32;
        let _ = scene.visit(ray, |hit| {
            farthest = farthest.max(hit.t);
            Continue::<()>(())
        });
        farthest
    });
    bench.each("crossings, one by one", "a ray", rays, |ray| scene.crossings(ray));
}

/// Asks what points and boxes ask: anywhere in the scene's box (far), and from within 1 % of its size of a surface
/// (near).
fn points(bench: &mut Bench, scene: &Scene, rays: &[Ray], control: &Control<'_>) {
    let (mut random, bounds) = (Random::new(2), scene.bounds());
    let reach = 0.01 * bounds.diagonal();
    let hits: Vec<_> = rays.iter().filter_map(|ray| Some((ray, scene.closest(ray)?))).collect();
    let near = hits.iter().map(|(ray, hit)| {
        let aside = unit(random.point()).map(|x| x * reach * 0.5);
        let at = ray.at(hit.t);
        [0, 1, 2].map(|k| at[k] + aside[k])
    });
    let near: Vec<[f32; 3]> = near.collect();
    let extent = bounds.extent();
    let far = |_: &_| [0, 1, 2].map(|k| bounds.min[k] + random.unit() * extent[k]);
    let far: Vec<[f32; 3]> = hits.iter().map(far).collect();
    let ends = hits.iter().zip(&far).map(|((ray, hit), point)| (End::on(ray, hit), End::Point(*point)));
    let ends: Vec<(End, End)> = ends.collect();
    bench.each("visible, one by one", "a pair", &ends, |&(a, b)| scene.visible(a, b));
    let mut found = vec![None; far.len()];
    for (kind, points, within) in [("far", &far, f32::INFINITY), ("near", &near, reach)] {
        let name = |how: &str| format!("nearest, {kind}, {how}");
        bench.each(&name("one by one"), "a point", points, |point| scene.nearest(*point, within));
        bench.all(&name("batch"), "a point", points.len(), || scene.nearest_batch(points, within, &mut found, control));
    }
    if scene.is_closed() {
        bench.each("contains, one by one", "a point", &far, |point| scene.contains(*point));
        let (mut inside, mut distances) = (vec![false; far.len()], vec![0.0; far.len()]);
        bench.all("contains, batch", "a point", far.len(), || scene.contains_batch(&far, &mut inside, control));
        bench.each("signed distance, one by one", "a point", &far, |point| scene.signed_distance(*point));
        bench.all("signed distance, batch", "a point", far.len(), || {
            scene.signed_distance_batch(&far, &mut distances, control)
        });
    }
    bench.each("winding number, one by one", "a point", &far, |point| scene.winding_number(*point));
    bench.each("distance by winding, one by one", "a point", &far, |point| scene.signed_distance_by_winding(*point));
    bench.each("overlaps, small box, one by one", "a box", &near, |point| {
        let around = Aabb { min: point.map(|x| x - 0.5 * reach), max: point.map(|x| x + 0.5 * reach) };
        let mut count = 0;
        let _ = scene.overlaps(&around, |_| {
            count += 1;
            Continue::<()>(())
        });
        count
    });
}

/// Times commits of what `change` does to a scene, while the one before is kept or in its place.
fn edit<'a>(bench: &mut Bench, name: &str, scene: &Scene, change: &mut dyn FnMut(&mut Edit<'a>)) {
    bench.all(&format!("{name}, scene before kept"), "an edit", 1, || {
        let mut edit = scene.edit();
        change(&mut edit);
        edit.commit(&Control::default()).expect("it can be changed")
    });
    // A scene that nobody else has: of a change that is not timed.
    let mut edit = scene.edit();
    change(&mut edit);
    let mut scene = edit.commit(&Control::default()).ok();
    bench.all(&format!("{name}, in place"), "an edit", 1, || {
        let mut edit = scene.take().expect("there is always one").into_edit();
        change(&mut edit);
        scene = edit.commit(&Control::default()).ok();
    });
}

/// Edits: another shape of the mesh, and one of 200 bodies moved.
fn edits(bench: &mut Bench, (positions, indices): &Mesh, control: &Control<'_>) -> Result<(), Box<dyn Error>> {
    let options = SceneOptions { levels: Levels::Two, ..SceneOptions::default() };
    let stretched: Vec<[f32; 3]> = positions.iter().map(|[x, y, z]| [1.01 * x, 0.99 * y, *z]).collect();
    let mut builder = Scene::builder();
    let mesh = builder.mesh(positions, indices);
    builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
    let mut shapes = [&stretched, positions].into_iter().cycle();
    edit(bench, "refit", &builder.build(&options, control)?, &mut |edit| {
        edit.reshape(mesh, shapes.next().expect("endless"), indices, Reshape::Refit);
    });
    let (body, of_body) = shapes::ball(1.0, 16);
    let place = |i: u32, up: f64| Affine64::translation([3.0 * f64::from(i % 15), up, 3.0 * f64::from(i / 15)]);
    let mut builder = Scene::builder();
    let mesh = builder.mesh(&body, &of_body);
    let ids: Vec<InstanceId> = (0..200).map(|i| builder.instance(mesh, place(i, 0.0), u32::MAX, i)).collect();
    let mut frame = 0u32;
    edit(bench, "move 1 of 200", &builder.build(&options, control)?, &mut |edit| {
        frame += 1;
        let i = 7 * frame % 200;
        edit.set_transform(ids[i as usize], place(i, (0.1 * f64::from(frame)).sin()));
    });
    Ok(())
}

/// Asks all questions that `arguments` want; returns the names of the lines.
pub(crate) fn run(arguments: &[String]) -> Result<Vec<String>, Box<dyn Error>> {
    let is_quick = !arguments.iter().any(|argument| argument == "--bench");
    let (parallels, pixels) = if is_quick { (8, [16, 12]) } else { (160, [512, 384]) };
    let mut bench = Bench { wanted: Vec::new(), rounds: if is_quick { 1 } else { 9 }, lines: Vec::new() };
    let mut mesh = wavy_ball(parallels);
    let mut view = from_outside(&Aabb::of_points(&mesh.0));
    for argument in arguments.iter().filter(|argument| !argument.starts_with('-')) {
        match if is_quick { None } else { of_file(argument)? } {
            Some(of_file) => (mesh, view) = of_file,
            None => bench.wanted.push(argument.clone()),
        }
    }
    let threads = rayon::current_num_threads();
    println!("{} triangles, {threads} threads, {}", mesh.1.len(), Isa::preferred());
    println!("{:34} {:>9}  {:>18}  {:12} {:>10}", "question", "median", "least to most", "unit", "a second");

    let control = Control::default();
    let scene = Scene::from_triangles(&mesh.0, &mesh.1)?;
    bench.all("build", "a scene", 1, || Scene::from_triangles(&mesh.0, &mesh.1).expect("it was built"));
    let mut saved = Vec::new();
    scene.save_to(&mut saved)?;
    bench.all("save to memory", "a scene", 1, || {
        let mut bytes = Vec::with_capacity(saved.len());
        scene.save_to(&mut bytes).map(|()| bytes).expect("it was saved")
    });
    bench.all("load from memory", "a scene", 1, || Scene::load_from(&mut &saved[..]).expect("it was saved"));
    let primary = primary(view, pixels);
    let diffuse = diffuse(&scene, &mesh, &primary, &mut Random::new(1));
    rays(&mut bench, &scene, &[("primary", &primary), ("diffuse", &diffuse)], &control);
    points(&mut bench, &scene, &primary, &control);
    edits(&mut bench, &mesh, &control)?;
    if bench.lines.is_empty() && !is_quick {
        return Err(format!("neither a scene nor a part of a line's name: {}", bench.wanted.join(", ")).into());
    }
    Ok(bench.lines)
}

#[allow(dead_code, reason = "a test calls run")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments).map(drop)
}
