//! Twins of vertex: what happens to paths, at surfaces of the scene that are met from anywhere.

use super::surface::barycentrics;
use super::{Numbers, Reader, Twin, Writer};
use bytemuck::Zeroable;
use glam::Vec3;
use raywarp_geom::{Hit, Ray};
use raywarp_render::flat::{MaterialFlags, MaterialRecord, NONE, ShadingScene};
use raywarp_render::functions::bsdf::{MaterialKind, Scattering};
use raywarp_render::functions::surface::{SurfacePoint, surface_point};
use raywarp_render::functions::vertex::{
    Boundary, FirstHit, InMedia, MediaStack, PathState, Transport, arrive, leave, power_heuristic, roulette, search,
    touching,
};
use raywarp_render::{DirectLight, ROULETTE_BELOW};
use raywarp_sample::Sampler;

/// Returns the index of a random medium of the scene, or that of none.
fn make_medium(numbers: &mut Numbers, scene: &ShadingScene) -> u32 {
    let count = scene.media.len() as u32;
    if numbers.below(4) == 0 { NONE } else { numbers.below(count) }
}

/// Writes a random medium stack of a path: entered and left at random, overflowing, or empty.
fn make_stack(numbers: &mut Numbers, scene: &ShadingScene, case: &mut Writer) {
    let count = scene.media.len() as u32;
    let mut stack = MediaStack::default();
    let bodies = [0, 1, 2, 3, 4, 5, 7, 300][numbers.below(8) as usize];
    // As many as are counted, seldom: there are 300 of them to enter.
    for _ in 0..if bodies == 300 && numbers.below(64) != 0 { 6 } else { bodies } {
        stack = stack.entered(numbers.below(count));
    }
    for _ in 0..numbers.below(3) {
        stack = stack.left(numbers.below(count));
    }
    put_stack(case, stack);
}

fn stack(case: &mut Reader) -> MediaStack {
    let (low, high) = (case.word(), case.word());
    MediaStack { entries: [low as u16, (low >> 16) as u16, high as u16, (high >> 16) as u16] }
}

fn put_stack(words: &mut Writer, stack: MediaStack) {
    let [a, b, c, d] = stack.entries.map(u32::from);
    words.word(a | b << 16).word(c | d << 16);
}

fn put_media(words: &mut Writer, media: InMedia) {
    put_stack(words, media.stack);
    words.number(media.since);
}

/// Writes a random crossing of a medium boundary, from either side.
fn make_boundary(numbers: &mut Numbers, scene: &ShadingScene, case: &mut Writer) {
    case.word(make_medium(numbers, scene)).word(make_medium(numbers, scene)).flag(numbers.below(4) == 0);
    case.word(make_medium(numbers, scene)).flag(numbers.coin());
}

fn material(case: &mut Reader) -> MaterialRecord {
    let (inside, outside, is_interface) = (case.word(), case.word(), case.flag());
    let flags = if is_interface { MaterialFlags::INTERFACE } else { 0 };
    MaterialRecord { inside, outside, flags, ..MaterialRecord::zeroed() }
}

/// Returns a random hit on a triangle whose material is `wanted`; the scene must have one.
fn make_hit(
    numbers: &mut Numbers,
    scene: &ShadingScene,
    case: &mut Writer,
    wanted: impl Fn(&MaterialRecord) -> bool,
) -> (Hit, u32) {
    loop {
        let instance = numbers.below(scene.placements.len() as u32);
        let primitive = numbers.below(scene.placements[instance as usize].triangle_count);
        let at = barycentrics(numbers);
        let hit = Hit { t: make_distance(numbers), u: at.x, v: at.y, primitive };
        if wanted(scene.surface_of(&hit, instance).1) {
            put_hit(case, &hit, instance);
            return (hit, instance);
        }
    }
}

fn make_distance(numbers: &mut Numbers) -> f32 {
    match numbers.below(16) {
        0 => 0.0,
        1 => numbers.any().abs(),
        _ => numbers.between(0.01, 6.0),
    }
}

fn put_hit(case: &mut Writer, hit: &Hit, instance: u32) {
    case.number(hit.t).number(hit.u).number(hit.v).word(instance).word(hit.primitive);
}

fn hit(case: &mut Reader) -> (Hit, u32) {
    let (t, u, v, instance) = (case.number(), case.number(), case.number(), case.word());
    (Hit { t, u, v, primitive: case.word() }, instance)
}

/// Writes a random ray that arrives at a hit, often at a grazing angle.
fn make_ray(numbers: &mut Numbers, scene: &ShadingScene, case: &mut Writer, (hit, instance): (Hit, u32)) {
    let (mut direction, mut from) = (numbers.direction(), numbers.direction());
    if hit.is_hit() {
        let point = surface_point(scene, &hit, instance);
        if numbers.below(8) == 0 {
            let along = direction - point.geometric_normal * point.geometric_normal.dot(direction);
            let up = point.geometric_normal * numbers.between(-0.02, 0.02);
            direction = (along + up).try_normalize().unwrap_or(direction);
        }
        from = point.position - direction * hit.t;
    }
    case.numbers(from).numbers(direction);
}

fn ray(case: &mut Reader) -> Ray {
    let (origin, direction) = (case.numbers(), case.numbers());
    Ray::new(origin, direction)
}

fn put_ray(answer: &mut Writer, ray: &Ray) {
    answer.numbers(ray.origin).number(ray.t_min).numbers(ray.direction).number(ray.t_max);
}

fn make_path(numbers: &mut Numbers, scene: &ShadingScene, case: &mut Writer) {
    make_path_outside(numbers, case);
    make_stack(numbers, scene, case);
    case.number(if numbers.coin() { 0.0 } else { numbers.unit() });
}

/// Writes a random path state to a test case, all but its media, which callers write next.
fn make_path_outside(numbers: &mut Numbers, case: &mut Writer) {
    let scale = [1.0, 1.0, 0.05, 0.01, 1e-6, 10.0, 0.0, 1.0][numbers.below(8) as usize];
    let previous_pdf = match numbers.below(16) {
        0 => f32::INFINITY,
        1 => 0.0,
        _ => numbers.any().abs(),
    };
    case.word(numbers.word() >> numbers.below(32)).word(numbers.word() >> numbers.below(32)).word(numbers.below(4));
    case.numbers(numbers.color() * scale).number(previous_pdf);
    case.word(if numbers.below(16) == 0 { 0 } else { numbers.word() }).word(numbers.below(4));
}

fn path(case: &mut Reader) -> PathState {
    PathState {
        pixel: case.word(),
        sample: case.word(),
        bounce: case.word(),
        throughput: case.vec3(),
        previous_pdf: case.number(),
        sampler_state: case.word(),
        flags: case.word() as u8,
        media: InMedia { stack: stack(case), since: case.number() },
    }
}

fn put_path(answer: &mut Writer, path: &PathState) {
    answer.word(path.pixel).word(path.sample).word(path.bounce).numbers(path.throughput).number(path.previous_pdf);
    answer.word(path.sampler_state).word(path.flags.into());
    put_media(answer, path.media);
}

fn make_transport(numbers: &mut Numbers, case: &mut Writer) {
    case.word(numbers.below(3)).word(numbers.word() >> numbers.below(32)).word(numbers.below(3));
    case.flag(numbers.below(4) != 0).word([6, 6, 1, 0][numbers.below(4) as usize]).flag(numbers.below(8) == 0);
    case.flag(numbers.coin()).flag(numbers.coin());
    put_roulette(numbers, case);
}

/// Writes a random threshold of Russian roulette: the default, always, or never.
fn put_roulette(numbers: &mut Numbers, case: &mut Writer) {
    let below = [ROULETTE_BELOW, ROULETTE_BELOW, 0.7, 1.0, 0.0][numbers.below(5) as usize];
    case.number(below).number(1.0 / below);
}

/// Writes light transport settings that the kernels for plain scenes accept: Sobol sampler, all sampling techniques,
/// single scattering at microfacets.
fn make_plain_transport(numbers: &mut Numbers, case: &mut Writer) {
    case.word(0).word(numbers.word() >> numbers.below(32)).word(0);
    case.flag(false).word([6, 6, 1, 0][numbers.below(4) as usize]).flag(numbers.below(8) == 0);
    case.flag(numbers.coin()).flag(numbers.coin());
    put_roulette(numbers, case);
}

/// Writes a random path outside any medium, with transport settings for the kernels of plain scenes.
fn make_plain(numbers: &mut Numbers, case: &mut Writer) {
    make_path_outside(numbers, case);
    put_media(case, InMedia::default());
    make_plain_transport(numbers, case);
}

/// Returns `true` if the kernels for plain scenes accept this material: diffuse, of constant colour, with no medium
/// behind it.
fn is_plain(scene: &ShadingScene, m: &MaterialRecord) -> bool {
    let bounds = m.inside != NONE || m.has(MaterialFlags::INTERFACE);
    m.kind() == MaterialKind::Diffuse
        && !scene.inputs[m.first_input as usize].is_textured()
        && m.normal == NONE
        && !bounds
}

fn transport(case: &mut Reader) -> Transport {
    let (kind, seed, direct) = (case.word(), case.word(), case.word());
    Transport {
        sampler: match kind {
            0 => Sampler::Sobol { seed },
            1 => Sampler::PaddedHalton { seed },
            _ => Sampler::Xor32 { seed },
        },
        direct: [DirectLight::Both, DirectLight::Lights, DirectLight::Scattering][direct as usize],
        scattering: if case.flag() { Scattering::Multiple } else { Scattering::Single },
        max_depth: case.word(),
        transparent: case.flag(),
        first_albedos: case.flag(),
        connect_last: case.flag(),
        roulette_below: case.number(),
        roulette_scale: case.number(),
    }
}

fn put_first_hit(answer: &mut Writer, first_hit: Option<FirstHit>) {
    let zeros = FirstHit { albedo: Vec3::ZERO, normal: Vec3::ZERO, depth: 0.0 };
    answer.option(first_hit, zeros, |answer, hit| {
        answer.numbers(hit.albedo).numbers(hit.normal).number(hit.depth);
    });
}

/// Returns a ray of all zeros, which stands for no ray.
fn no_ray() -> Ray {
    Ray::zeroed()
}

fn no_path() -> PathState {
    PathState {
        pixel: 0,
        sample: 0,
        bounce: 0,
        throughput: Vec3::ZERO,
        previous_pdf: 0.0,
        sampler_state: 0,
        flags: 0,
        media: InMedia::default(),
    }
}

/// Returns a random surface point that a path has reached, with a body that touches it there.
fn make_place(
    numbers: &mut Numbers,
    scene: &ShadingScene,
    case: &mut Writer,
    wanted: impl Fn(&MaterialRecord) -> bool,
) -> (Hit, u32) {
    let hit = make_hit(numbers, scene, case, wanted);
    make_ray(numbers, scene, case, hit);
    case.word(if numbers.below(4) == 0 { make_medium(numbers, scene) } else { NONE });
    hit
}

fn place(scene: &ShadingScene, case: &mut Reader) -> (Hit, Ray, SurfacePoint) {
    let ((hit, instance), ray, touching) = (hit(case), ray(case), case.word());
    let point = if hit.is_hit() { surface_point(scene, &hit, instance) } else { SurfacePoint::NONE };
    (hit, ray, SurfacePoint { touching, ..point })
}

fn make_miss(numbers: &mut Numbers, scene: &ShadingScene, case: &mut Writer) {
    let miss = (Hit::miss(f32::INFINITY), 0);
    put_hit(case, &miss.0, 0);
    make_ray(numbers, scene, case, miss);
    case.word(NONE);
}

fn put_arrival(scene: &ShadingScene, case: &mut Reader, answer: &mut Writer) {
    let (hit, ray, point) = place(scene, case);
    let (path, transport) = (path(case), transport(case));
    let arrival = arrive(scene, &transport, &path, &ray, &hit, &point);
    answer.numbers(arrival.radiance).numbers(arrival.throughput);
    put_first_hit(answer, arrival.first_hit);
    answer.flag(arrival.scatters);
}

fn put_departure(scene: &ShadingScene, case: &mut Reader, answer: &mut Writer) {
    let (hit, ray, point) = place(scene, case);
    let (path, transport) = (path(case), transport(case));
    let departure = leave(scene, &transport, &path, &ray, hit.t, &point);
    put_first_hit(answer, departure.first_hit);
    let connection = departure.connection.map(|c| (c.ray, c.contribution, c.media));
    answer.option(connection, (no_ray(), Vec3::ZERO, InMedia::default()), |answer, (ray, contribution, media)| {
        put_ray(answer, &ray);
        answer.numbers(contribution);
        put_media(answer, media);
    });
    answer.option(departure.next, (no_ray(), no_path()), |answer, (ray, path)| {
        put_ray(answer, &ray);
        put_path(answer, &path);
    });
}

pub(super) const TWINS: &[Twin] = &[
    Twin {
        name: "vertex_media_stack",
        make: |numbers, scene, case| {
            make_stack(numbers, scene, case);
            make_boundary(numbers, scene, case);
            case.flag(numbers.coin()).word(make_medium(numbers, scene)).number(numbers.between(0.5, 3.0));
        },
        run: |scene, case, answer| {
            let (stack, material) = (stack(case), material(case));
            let at = Boundary { material: &material, touching: case.word(), from_behind: case.flag() };
            let (to_behind, medium, ior) = (case.flag(), case.word(), case.number());
            answer.word(stack.medium());
            put_stack(answer, MediaStack::of(medium));
            if medium != NONE {
                put_stack(answer, stack.entered(medium));
                put_stack(answer, stack.left(medium));
            } else {
                answer.word(0).word(0).word(0).word(0);
            }
            answer.flag(stack.hides(&at)).number(stack.relative_ior(scene, &at, ior));
            put_stack(answer, stack.beyond(&at, to_behind));
        },
    },
    Twin {
        name: "vertex_media_absorb",
        make: |numbers, scene, case| {
            let bounds = |m: &MaterialRecord| m.inside != NONE || m.has(MaterialFlags::INTERFACE);
            let is_boundary = numbers.below(8) != 0;
            let hit = make_hit(numbers, scene, case, |m| !is_boundary || bounds(m));
            make_ray(numbers, scene, case, hit);
            make_stack(numbers, scene, case);
            case.number(numbers.unit()).number(if numbers.below(8) == 0 { f32::INFINITY } else { numbers.any().abs() });
        },
        run: |scene, case, answer| {
            let ((hit, instance), ray) = (hit(case), ray(case));
            let media = InMedia { stack: stack(case), since: case.number() };
            let scale = case.number();
            // As a connection's: of any length.
            let stretched = Ray { direction: (Vec3::from(ray.direction) * scale.min(1e6)).into(), ..ray };
            let (left, beyond) = media.passed(scene, &stretched, &hit, instance);
            answer.numbers(media.transmittance(scene, scale, 1.0)).numbers(left);
            put_media(answer, beyond);
        },
    },
    Twin {
        name: "vertex_roulette",
        make: |numbers, scene, case| {
            make_path(numbers, scene, case);
            make_transport(numbers, case);
            case.word(numbers.word());
        },
        run: |_, case, answer| {
            let (path, transport, state) = (path(case), transport(case), case.word());
            let survivor = roulette(&transport, &path, path.throughput, state);
            answer.option(survivor, (Vec3::ZERO, 0), |answer, (throughput, state)| {
                answer.numbers(throughput).word(state);
            });
        },
    },
    Twin {
        name: "vertex_power_heuristic",
        make: |numbers, _, case| {
            let one = |numbers: &mut Numbers| match numbers.below(16) {
                0 => f32::INFINITY,
                1 => 0.0,
                _ => numbers.any().abs(),
            };
            let pdf = one(numbers);
            case.number(pdf).number(if numbers.below(4) == 0 { pdf } else { one(numbers) });
        },
        run: |_, case, answer| {
            answer.number(power_heuristic(case.number(), case.number()));
        },
    },
    Twin {
        name: "vertex_touching",
        make: |numbers, scene, case| {
            let is_body = numbers.below(4) != 0;
            let hit = make_hit(numbers, scene, case, |m| !is_body || m.body() != NONE);
            make_ray(numbers, scene, case, hit);
            make_hit(numbers, scene, case, |m| !is_body || m.body() != NONE);
            case.flag(numbers.below(8) == 0);
        },
        run: |scene, case, answer| {
            let ((first, instance), ray, (mut second, other)) = (hit(case), ray(case), hit(case));
            if case.flag() {
                second.primitive = Hit::MISS;
            }
            answer.option(search(scene, &ray, &first, instance), no_ray(), |answer, ray| put_ray(answer, &ray));
            answer.word(touching(scene, &ray, (&first, instance), (&second, other)));
        },
    },
    Twin {
        name: "vertex_arrive",
        make: |numbers, scene, case| {
            if numbers.below(4) == 0 {
                make_miss(numbers, scene, case);
            } else {
                let shines = numbers.coin();
                let shows = |m: &MaterialRecord| m.emission != NONE || m.kind() == MaterialKind::Unlit;
                make_place(numbers, scene, case, |m| !shines || shows(m));
            }
            make_path(numbers, scene, case);
            make_transport(numbers, case);
        },
        run: put_arrival,
    },
    Twin {
        name: "vertex_arrive_plain",
        make: |numbers, scene, case| {
            if numbers.below(4) == 0 {
                make_miss(numbers, scene, case);
            } else {
                make_place(numbers, scene, case, |m| m.kind() != MaterialKind::Unlit);
            }
            make_plain(numbers, case);
        },
        run: put_arrival,
    },
    Twin {
        name: "vertex_leave",
        make: |numbers, scene, case| {
            let is_boundary = numbers.below(4) == 0;
            make_place(numbers, scene, case, |m| !is_boundary || m.inside != NONE || m.has(MaterialFlags::INTERFACE));
            make_path(numbers, scene, case);
            make_transport(numbers, case);
        },
        run: put_departure,
    },
    Twin {
        name: "vertex_leave_plain",
        make: |numbers, scene, case| {
            make_place(numbers, scene, case, |m| is_plain(scene, m));
            make_plain(numbers, case);
        },
        run: put_departure,
    },
];
