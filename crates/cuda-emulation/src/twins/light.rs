//! Twins of the functions of lights.

use super::surface::{any_triangle, barycentrics, triangle};
use super::{Numbers, Reader, Twin, Writer};
use bytemuck::Zeroable;
use glam::Vec3;
use raywarp_render::flat::{DISK_SECTORS, LightKind, LightRecord, NONE, ShadingScene, SpotRamp};
use raywarp_render::functions::light::{self, Environment, LightPoint, LightSample, planar, punctual, sphere};

/// Returns the index of a random light of the scene for which `wanted` holds.
fn light(numbers: &mut Numbers, scene: &ShadingScene, wanted: impl Fn(LightKind) -> bool) -> u32 {
    loop {
        let index = numbers.below(scene.lights.len() as u32);
        if wanted(scene.lights[index as usize].kind()) {
            return index;
        }
    }
}

fn is_planar(kind: LightKind) -> bool {
    matches!(kind, LightKind::Triangle | LightKind::Parallelogram | LightKind::Disk)
}

/// Returns a random point from which to look at a light: near it, in its plane, at a corner, far.
fn point(numbers: &mut Numbers, light: &LightRecord) -> Vec3 {
    let (at, u, v, w) = (Vec3::from(light.at), Vec3::from(light.u), Vec3::from(light.v), Vec3::from(light.w));
    let size = u.length() + v.length();
    let mut along = || 2.5 * numbers.unit() - 1.25;
    let near = at + along() * u + along() * v;
    match numbers.below(16) {
        0 => at,
        1 => at + u,
        2 => near,
        3..6 => near + w.normalize_or(Vec3::X) * size * numbers.between(-1e-3, 1e-3),
        6..11 => near + w.normalize_or(Vec3::X) * size * numbers.between(-1.5, 1.5),
        11..13 => at + numbers.direction() * size * numbers.between(0.0, 1.1),
        13 => at + numbers.direction() * size * 1000.0 * numbers.unit(),
        _ => Vec3::new(numbers.between(-4.0, 4.0), numbers.between(-4.0, 4.0), numbers.between(-4.0, 4.0)),
    }
}

/// Writes a random planar light, of any shape, place and size, and returns it.
fn make_planar(numbers: &mut Numbers, case: &mut Writer) -> LightRecord {
    let kind = [LightKind::Triangle, LightKind::Parallelogram, LightKind::Disk][numbers.below(3) as usize];
    let scale = [1.0, 1.0, 1e-3, 1e3][numbers.below(4) as usize];
    let (u, v) = (numbers.direction() * scale * numbers.between(0.1, 2.0), numbers.direction() * scale);
    // Often at right angles.
    let v = if numbers.coin() { u.cross(v) / u.length() } else { v };
    let light = LightRecord {
        kind: kind.tag(),
        value: numbers.unit(),
        at: (numbers.direction() * scale * numbers.between(0.0, 4.0)).into(),
        u: u.into(),
        v: v.into(),
        w: u.cross(v).normalize_or_zero().into(),
        ..LightRecord::zeroed()
    };
    case.record(&light);
    light
}

fn record(case: &mut Reader) -> LightRecord {
    bytemuck::cast(std::array::from_fn::<u32, 16, _>(|_| case.word()))
}

fn put(answer: &mut Writer, sample: Option<LightSample>) {
    let nothing = LightSample { wi: Vec3::ZERO, target: None, weight: Vec3::ZERO, pdf: 0.0 };
    answer.option(sample, nothing, |answer, sample| {
        answer.numbers(sample.wi).option(sample.target, Vec3::ZERO, |answer, target| {
            answer.numbers(target);
        });
        answer.numbers(sample.weight).number(sample.pdf);
    });
}

/// Writes a random light of the scene for which `wanted` holds, a point that looks at it, and two sample numbers.
fn make_view(numbers: &mut Numbers, scene: &ShadingScene, case: &mut Writer, wanted: impl Fn(LightKind) -> bool) {
    let index = light(numbers, scene, wanted);
    case.word(index).numbers(point(numbers, &scene.lights[index as usize])).numbers(numbers.square());
}

/// Writes a random connection to a light, and a density at its start.
fn make_distance(numbers: &mut Numbers, case: &mut Writer) {
    case.number(numbers.direction().z).number(numbers.between(0.0, 20.0));
}

pub(super) const TWINS: &[Twin] = &[
    Twin {
        name: "light_step_of_turn",
        make: |numbers, _, case| {
            // Next to the end of the turn too, where it rounds to all of it.
            let d = numbers.direction() * [1.0, 1e-20, 0.0, -1.0][numbers.below(4) as usize];
            let y = d.y * [1.0, 1e-9, 0.0][numbers.below(3) as usize];
            case.number(y).number(d.x).word(1 + numbers.below(200));
        },
        run: |_, case, answer| {
            answer.word(light::step_of_turn(case.number(), case.number(), case.word()));
        },
    },
    Twin {
        name: "light_barycentrics",
        make: |numbers, _, case| {
            let triangle = any_triangle(numbers);
            let [a, b, c] = triangle.points();
            let ([u, v], aside) = (numbers.square(), numbers.direction() * numbers.unit());
            let place = a + (2.0 * u - 0.5) * (b - a) + (2.0 * v - 0.5) * (c - a);
            case.record(&triangle).numbers(if numbers.coin() { place } else { place + aside });
        },
        run: |_, case, answer| {
            let triangle = triangle(case);
            answer.numbers(light::barycentrics(&triangle, case.vec3()));
        },
    },
    Twin {
        name: "light_connect",
        make: |numbers, scene, case| {
            let index = light(numbers, scene, |kind| kind.triangle_count() > 0);
            let light = scene.lights[index as usize];
            let triangle = if numbers.below(8) == 0 {
                numbers.below(scene.triangles.len() as u32)
            } else {
                light.index + numbers.below(light.kind().triangle_count())
            };
            let [a, b, c] = scene.triangles[triangle as usize].points();
            let [u, v] = numbers.square();
            let normal = scene.triangles[triangle as usize].front_normal();
            let wi = if numbers.coin() { -normal } else { normal } + 0.8 * numbers.direction();
            case.numbers(a + u * (b - a) + v * (c - a)).numbers(normal).number(numbers.between(0.0, 4.0));
            let pdf = if numbers.below(16) == 0 { f32::INFINITY } else { 3.0 * numbers.unit() };
            case.word(triangle).numbers(wi.normalize_or(Vec3::X)).number(pdf);
        },
        run: |scene, case, answer| {
            let (position, normal, extent) = (case.vec3(), case.vec3(), case.number());
            let place = LightPoint { position, normal, extent, triangle: case.word() };
            put(answer, light::connect(scene, &place, case.vec3(), case.number()));
        },
    },
    Twin {
        name: "light_planar_seen",
        make: |numbers, _, case| {
            let light = make_planar(numbers, case);
            case.numbers(point(numbers, &light)).numbers(numbers.square());
        },
        run: |_, case, answer| {
            let (light, point, u) = (record(case), case.vec3(), case.numbers::<2>());
            let area = planar::area(&light);
            let seen = planar::seen(&light, area, point).map(|seen| (seen.half, seen.direction(u)));
            answer.number(area).option(seen, (0.0, Vec3::ZERO), |answer, (half, direction)| {
                answer.number(half).numbers(direction);
            });
        },
    },
    Twin {
        name: "light_planar_place",
        make: |numbers, _, case| {
            let light = make_planar(numbers, case);
            case.numbers(point(numbers, &light)).numbers(numbers.direction()).numbers(numbers.square());
            make_distance(numbers, case);
        },
        run: |_, case, answer| {
            let (light, point, direction, u) = (record(case), case.vec3(), case.vec3(), case.numbers::<2>());
            let (kind, area) = (light.kind(), planar::area(&light));
            for place in [planar::by_area(kind, u), planar::in_plane(&light, point, direction)] {
                answer.numbers(place).option(
                    planar::inside(kind, place),
                    (glam::Vec2::ZERO, 0),
                    |answer, (place, n)| {
                        answer.numbers(place).word(n);
                    },
                );
            }
            answer.number(planar::by_distance(&light, area, case.number(), case.number()));
        },
    },
    Twin {
        name: "light_planar_rim",
        make: |numbers, _, case| {
            // Places next to the rim, and to the ends of sectors.
            let turn = match numbers.below(3) {
                0 => numbers.below(DISK_SECTORS) as f32 / DISK_SECTORS as f32,
                1 => (numbers.below(DISK_SECTORS) as f32 + 0.5) / DISK_SECTORS as f32,
                _ => numbers.unit(),
            };
            let (sin, cos) = raywarp_sample::warp::sin_cos_turn(turn);
            let radius = numbers.between(0.999, 1.0005);
            case.number(cos * radius).number(sin * radius);
        },
        run: |_, case, answer| {
            let place = planar::inside(LightKind::Disk, case.vec2());
            answer.option(place, (glam::Vec2::ZERO, 0), |answer, (place, n)| {
                answer.numbers(place).word(n);
            });
        },
    },
    Twin {
        name: "light_planar_sample",
        make: |numbers, scene, case| {
            make_view(numbers, scene, case, is_planar);
            make_distance(numbers, case);
        },
        run: |scene, case, answer| {
            let light = &scene.lights[case.word() as usize];
            let point = case.vec3();
            put(answer, planar::sample(scene, light, point, case.numbers()));
            answer.number(planar::pdf(light, point, case.number(), case.number()));
        },
    },
    Twin {
        name: "light_sphere_sample",
        make: |numbers, scene, case| {
            if numbers.coin() {
                return make_view(numbers, scene, case, |kind| kind == LightKind::Sphere);
            }
            // From where it is hard to say on which side of a face that is.
            let index = light(numbers, scene, |kind| kind == LightKind::Sphere);
            let ball = &scene.lights[index as usize];
            let face = scene.triangles[(ball.index + numbers.below(ball.kind().triangle_count())) as usize];
            let ([a, b, c], at) = (face.points(), barycentrics(numbers));
            let aside = Vec3::from(ball.u).length() * numbers.between(-4e-5, 4e-5) * face.front_normal();
            case.word(index).numbers(a + at.x * (b - a) + at.y * (c - a) + aside).numbers(numbers.square());
        },
        run: |scene, case, answer| {
            let light = &scene.lights[case.word() as usize];
            let point = case.vec3();
            put(answer, sphere::sample(scene, light, point, case.numbers()));
            answer.number(sphere::pdf(light, point));
        },
    },
    Twin {
        name: "light_punctual_sample",
        make: |numbers, scene, case| {
            let kinds = [LightKind::Point, LightKind::Spot, LightKind::Directional];
            let index = light(numbers, scene, |kind| kinds.contains(&kind));
            let mut light = scene.lights[index as usize];
            if light.kind() == LightKind::Spot && numbers.coin() {
                light.index = numbers.below(SpotRamp::ALL.len() as u32);
                light.u = numbers.direction().into();
                light.v = [numbers.direction().z, numbers.direction().z, 0.0];
            }
            let point = if numbers.below(64) == 0 { light.at.into() } else { numbers.direction() * numbers.any() };
            case.record(&light).numbers(point).number(numbers.unit());
        },
        run: |_, case, answer| {
            let light = record(case);
            put(answer, punctual::sample(&light, case.vec3(), case.number()));
        },
    },
    Twin {
        name: "light_environment",
        make: |numbers, scene, case| {
            case.word(numbers.below(scene.environments.len() as u32));
            case.numbers(numbers.direction()).numbers(numbers.square()).number(numbers.unit());
        },
        run: |scene, case, answer| {
            let environment = Environment::of(scene, case.word());
            let (radiance, pdf) = environment.eval(case.vec3());
            answer.numbers(radiance).number(pdf);
            put(answer, environment.connect(case.numbers(), case.number()));
        },
    },
    Twin {
        name: "light_environments",
        make: |numbers, _, case| {
            case.numbers(numbers.direction());
        },
        run: |scene, case, answer| {
            for (radiance, pdf) in light::environments(scene, case.vec3()) {
                answer.numbers(radiance).number(pdf);
            }
        },
    },
    Twin {
        name: "light_sample",
        make: |numbers, _, case| {
            let point = numbers.direction() * numbers.between(0.0, 5.0);
            case.numbers(point).number(numbers.unit()).numbers(numbers.square());
        },
        run: |scene, case, answer| {
            put(answer, light::sample(scene, case.vec3(), case.number(), case.numbers()));
        },
    },
    Twin {
        name: "light_pdf",
        make: |numbers, scene, case| {
            make_view(numbers, scene, case, |_| true);
            make_distance(numbers, case);
            case.flag(numbers.below(16) == 0);
        },
        run: |scene, case, answer| {
            let (index, point, _) = (case.word(), case.vec3(), case.vec2());
            let (cos, distance_squared) = (case.number(), case.number());
            let index = if case.flag() { NONE } else { index };
            answer.number(light::pdf(scene, index, point, cos, distance_squared));
        },
    },
];
