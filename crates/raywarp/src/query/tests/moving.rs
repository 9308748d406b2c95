//! Scenes that move, at any time beside the scene that stands still where it is then; masks and times of rays.

use super::custom::{Spheres, spheres};
use super::*;
use crate::cpu::RayExtra;
use crate::query::saved::tests::reloaded;
use raywarp_geom::{Aabb, TraceError};
use raywarp_testing::{Random, cases};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Placement of a part by its index: transforms at times 0 and 1, the same if it stands still; mask.
type Place = (usize, [Affine64; 2], u32);

/// What a scene is made of.
pub(super) struct Model {
    meshes: Vec<Vec<[f32; 3]>>,
    /// Members of groups, which are numbered behind the meshes.
    groups: Vec<Vec<Place>>,
    /// Placements in the scene.
    placed: Vec<Place>,
}

fn placement(parts: &[GeometryId], &(part, [start, end], mask): &Place) -> Placement {
    Placement { mask, end: (start != end).then_some(end), ..Placement::new(parts[part], start) }
}

impl Model {
    /// Cubes and sheets in groups of two levels, some of which move; all within a frame of two small triangles, so that
    /// the scene is as large at any time.
    pub(super) fn new(random: &mut Random) -> Self {
        let cube: Vec<[f32; 3]> = CUBE_INDICES.iter().flatten().map(|&i| CUBE[i as usize].map(|x| x - 0.25)).collect();
        let soup: Vec<[f32; 3]> = (0..60).map(|_| random.point()).collect();
        let corner = |x: f32| [[x, x, x], [x, x, x * 0.99], [x * 0.99, x, x]];
        let frame = [corner(-60.0), corner(60.0)].concat();
        let group = |random: &mut Random, parts: usize| {
            (0..3).map(|_| (random.below(parts), places(random, 3.0), 1 + random.below(7) as u32)).collect::<Vec<_>>()
        };
        let groups = vec![group(random, 2), group(random, 2), group(random, 5)];
        let mut placed: Vec<Place> =
            (0..10).map(|i| ([0, 1, 3, 4, 5][i % 5], places(random, 8.0), 1 + random.below(7) as u32)).collect();
        placed.push((2, [Affine64::IDENTITY; 2], u32::MAX));
        Self { meshes: vec![cube, soup, frame], groups, placed }
    }

    pub(super) fn built(&self, levels: Levels) -> Scene {
        let mut builder = Scene::builder();
        let mut parts: Vec<GeometryId> = self.meshes.iter().map(|mesh| builder.mesh(mesh, Indices::IN_ORDER)).collect();
        for members in &self.groups {
            let members: Vec<Placement> = members.iter().map(|member| placement(&parts, member)).collect();
            parts.push(builder.group(&members));
        }
        for (user, place) in self.placed.iter().enumerate() {
            let Placement { mesh, transform, end, mask } = placement(&parts, place);
            match end {
                None => builder.instance(mesh, transform, mask, user as u32),
                Some(end) => builder.moving(mesh, [transform, end], mask, user as u32),
            };
        }
        super::built(builder, levels)
    }

    /// Lists the meshes of a part: the map at a time, mask and user.
    fn list(&self, &(part, ends, mask): &Place, user: u32, time: f32, out: &mut Vec<(usize, Affine64, u32, u32)>) {
        match part.checked_sub(self.meshes.len()) {
            None => {
                let [start, end] = ends.map(|map| map.rounded());
                out.push((part, Affine64::from(&start.between(&end, time)), mask, user));
            }
            Some(group) => {
                for (member, of_member, of_mask) in &self.groups[group] {
                    let ends = [0, 1].map(|i| ends[i].after(&of_member[i]));
                    self.list(&(*member, ends, mask & of_mask), user, time, out);
                }
            }
        }
    }

    /// Builds the scene that stands still where this one is at a time.
    pub(super) fn still(&self, time: f32, levels: Levels) -> Scene {
        let mut builder = Scene::builder();
        let meshes: Vec<GeometryId> = self.meshes.iter().map(|mesh| builder.mesh(mesh, Indices::IN_ORDER)).collect();
        let mut list = Vec::new();
        for (user, place) in (0..).zip(&self.placed) {
            self.list(place, user, time, &mut list);
        }
        for (mesh, map, mask, user) in list {
            builder.instance(meshes[mesh], map, mask, user);
        }
        super::built(builder, levels)
    }
}

/// Two transforms that turn, scale and mirror, or one twice.
fn places(random: &mut Random, size: f64) -> [Affine64; 2] {
    let mut map = || {
        let shift = Affine64::translation(random.point().map(|x| size * f64::from(x)));
        let turn = Affine64::rotation(180.0 * f64::from(random.point()[0]), random.point().map(f64::from));
        let scale = random.point().map(|x| f64::from(x).exp2() * if x > 0.8 { -1.0 } else { 1.0 });
        shift.after(&turn).after(&Affine64::scale(scale))
    };
    let [start, end] = [map(), map()];
    [start, if random.below(3) == 0 { start } else { end }]
}

/// Rays to vertices, edges and insides of triangles.
fn aimed(scene: &Scene, model: &Model, time: f32, random: &mut Random, count: usize) -> Vec<Ray> {
    let mut list = Vec::new();
    for (user, place) in (0..).zip(&model.placed) {
        model.list(place, user, time, &mut list);
    }
    assert_eq!(list.len(), scene.instance_count());
    let ray = |i: usize| {
        let (mesh, map, ..) = list[random.below(list.len() - 1)];
        let map = map.rounded();
        let of = 3 * random.below(model.meshes[mesh].len() / 3);
        let [a, b, c] = [0, 1, 2].map(|k| map.point(model.meshes[mesh][of + k]));
        let s = random.unit();
        let target: [f32; 3] = match i % 3 {
            0 => a,
            1 => std::array::from_fn(|k| a[k] + s * (b[k] - a[k])),
            _ => std::array::from_fn(|k| 0.5 * a[k] + 0.3 * b[k] + 0.2 * c[k]),
        };
        let origin = random.point().map(|x| 12.0 * x);
        Ray::new(origin, std::array::from_fn(|k| target[k] - origin[k]))
    };
    (0..count).map(ray).collect()
}

fn bits(hit: &SurfaceHit) -> [u32; 6] {
    [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.instance, hit.primitive, hit.user]
}

pub(super) const TIMES: [f32; 7] = [0.0, 1e-6, 0.2, 0.5, 0.713, 0.999_999_94, 1.0];

#[test]
fn at_any_time_hits_are_those_of_the_scene_that_stands_still_there() {
    let mut found = 0;
    for seed in 0..cases(6) as u64 {
        let mut random = Random::new(seed);
        let model = Model::new(&mut random);
        let moving = [Levels::One, Levels::Auto, Levels::Two].map(|levels| model.built(levels));
        for time in TIMES {
            let still = [Levels::One, Levels::Two].map(|levels| model.still(time, levels));
            for ray in aimed(&moving[0], &model, time, &mut random, 60) {
                let all: Vec<_> = still[0].all(&ray).map(|hit| bits(&hit)).collect();
                found += all.len();
                for mask in [u32::MAX, 0b10] {
                    for culling in [Culling::None, Culling::Backs, Culling::Fronts] {
                        let filter = Filter::new().mask(mask).culling(culling);
                        let (want, mut hits) = (still[0].with(filter), Vec::new());
                        assert_eq!(still[1].with(filter).crossings(&ray), want.crossings(&ray));
                        for scene in &moving {
                            let got = scene.with(filter.time(time));
                            let closest = got.closest(&ray);
                            assert_eq!(
                                closest.as_ref().map(bits),
                                want.closest(&ray).as_ref().map(bits),
                                "{time} {ray:?}"
                            );
                            assert_eq!((got.any(&ray), got.crossings(&ray)), (want.any(&ray), want.crossings(&ray)));
                            got.all_into(&ray, &mut hits);
                            if filter.of_rays().is_all() {
                                assert!(hits.iter().map(bits).eq(all.iter().copied()), "{time} {ray:?}");
                            }
                            // As large at any time, so that rays in f64 are taken to the same place.
                            let wide = Ray64::new(ray.origin.map(f64::from), ray.direction.map(f64::from));
                            assert_eq!(got.closest(&wide), want.closest(&wide));
                            assert_eq!(got.crossings(&wide), want.crossings(&wide));
                        }
                    }
                }
            }
        }
    }
    assert!(found > cases(3000), "{found}");
}

#[test]
fn questions_without_a_time_are_of_time_0_and_bounds_of_all_times() {
    let mut random = Random::new(7);
    for _ in 0..4 {
        let model = Model::new(&mut random);
        let (scene, still) = (model.built(Levels::Auto), model.still(0.0, Levels::One));
        for ray in aimed(&scene, &model, 0.0, &mut random, 60) {
            assert_eq!(scene.closest(&ray).as_ref().map(bits), still.closest(&ray).as_ref().map(bits));
            assert!(scene.all(&ray).eq(still.all(&ray)) && scene.any(&ray) == still.any(&ray));
            assert_eq!(scene.crossings(&ray), still.crossings(&ray));
            let point = ray.origin.map(|x| x / 2.0);
            assert_eq!(scene.nearest(point, 9.0), still.nearest(point, 9.0));
            assert!((scene.winding_number(point) - still.winding_number(point)).abs() < 1e-4);
            let ends = [End::Point(point), End::Point(ray.at(1.0))];
            assert_eq!(scene.visible(ends[0], ends[1]), still.visible(ends[0], ends[1]));
            let around = Aabb { min: point.map(|x| x - 1.0), max: point.map(|x| x + 1.0) };
            let touching = |scene: &Scene| {
                let mut ids = Vec::new();
                let _ = scene.overlaps(&around, |id| {
                    ids.push(id);
                    ControlFlow::Continue(())
                });
                ids.sort_unstable();
                ids
            };
            assert_eq!(touching(&scene), touching(&still));
        }
        assert_eq!(scene.closed(), still.closed());
        for time in TIMES {
            assert!(scene.bounds().contains(&model.still(time, Levels::One).bounds()), "{time}");
        }
    }
    // Inside of closed meshes, too.
    let mut builder = Scene::builder();
    let cube = builder.mesh(&CUBE, &CUBE_INDICES);
    let right = Affine64::translation([5.0, 0.0, 0.0]);
    builder.moving(cube, [Affine64::IDENTITY, right], u32::MAX, 0);
    let scene = built(builder, Levels::Auto);
    assert_eq!([[0.5; 3], [5.5, 0.5, 0.5]].map(|point| scene.contains(point)), [Ok(true), Ok(false)]);
    assert_eq!(scene.signed_distance([5.5, 0.5, 0.5]), Ok(4.5));
    assert!(scene.bounds().max[0] >= 6.0 && scene.bounds().min[0] <= 0.0);
}

#[test]
fn batches_take_a_mask_and_a_time_for_each_ray() {
    let mut random = Random::new(8);
    let model = Model::new(&mut random);
    let scenes = [model.built(Levels::Auto), model.still(0.3, Levels::One), model.still(0.3, Levels::Two)];
    for scene in &scenes {
        let mut rays = aimed(scene, &model, 0.3, &mut random, 1500);
        rays[700].direction = [f32::NAN; 3];
        let extra = |i: usize| RayExtra { mask: [u32::MAX, 1, 6, 0][i % 4], time: TIMES[i % 7] };
        let extras: Vec<RayExtra> = (0..rays.len()).map(extra).collect();
        let asked = AtomicUsize::new(0);
        let odd = |hit: &SurfaceHit| {
            asked.fetch_add(1, Ordering::Relaxed);
            hit.primitive % 2 == 1
        };
        // The rays' masks and times take the place of the filter's.
        let filter = Filter::new().mask(0b1000).time(0.9).skip(0, 1).accept(&odd);
        let (filtered, control) = (scene.with(filter), Control::default());
        let (mut hits, mut blocked) = (vec![None; rays.len()], vec![false; rays.len()]);
        let stats = filtered.closest_batch(&rays, &extras, &mut hits, &control).unwrap();
        assert_eq!((stats.rays, stats.invalid), (1500, 1));
        filtered.any_batch(&rays, &extras, &mut blocked, &control).unwrap();
        let (starts, all) = filtered.all_batch(&rays, &extras, &control).unwrap();
        let (mut wide, mut one) = (vec![None; rays.len()], Vec::new());
        let doubles: Vec<Ray64> =
            rays.iter().map(|ray| Ray64::new(ray.origin.map(f64::from), ray.direction.map(f64::from))).collect();
        filtered.closest_batch(&doubles, &extras, &mut wide, &control).unwrap();
        for (i, ray) in rays.iter().enumerate() {
            let own = scene.with(filter.mask(extras[i].mask).time(extras[i].time));
            assert_eq!((hits[i], blocked[i]), (own.closest(ray), own.any(ray)));
            own.all_into(ray, &mut one);
            assert_eq!(all[starts[i]..starts[i + 1]], one[..]);
            assert_eq!(wide[i], own.closest(&doubles[i]));
        }
        assert!(hits.iter().flatten().count() > 100 && asked.into_inner() > 1000);
        // Without them the filter's own, and without any filter the scene's.
        let filter = Filter::new().mask(2).time(0.7);
        scene.with(filter).closest_batch(&rays, &[], &mut hits, &control).unwrap();
        assert!(rays.iter().zip(&hits).all(|(ray, hit)| *hit == scene.with(filter).closest(ray)));
        scene.with(Filter::new()).closest_batch(&rays, &[], &mut hits, &control).unwrap();
        assert!(rays.iter().zip(&hits).all(|(ray, hit)| *hit == scene.closest(ray)));
        let all_at = vec![RayExtra { time: 0.2, ..RayExtra::default() }; rays.len()];
        scene.with(Filter::new()).any_batch(&rays, &all_at, &mut blocked, &control).unwrap();
        let at = scene.with(Filter::new().time(0.2));
        assert!(rays.iter().zip(&blocked).all(|(ray, blocked)| *blocked == at.any(ray)));
    }
}

#[test]
fn bits_of_a_batch_are_its_bools_whoever_asks_and_those_behind_the_last_ray_are_zero() {
    let mut random = Random::new(12);
    let model = Model::new(&mut random);
    let mut set = 0;
    for scene in [model.built(Levels::Auto), model.still(0.3, Levels::One), model.still(0.3, Levels::Two)] {
        let mut all = aimed(&scene, &model, 0.3, &mut random, 1500);
        all.iter_mut().step_by(3).for_each(|ray| ray.t_max = 0.5);
        all[700].direction = [f32::NAN; 3];
        let wide: Vec<Ray64> = all
            .iter()
            .map(|ray| Ray64 {
                t_max: f64::from(ray.t_max),
                ..Ray64::new(ray.origin.map(f64::from), ray.direction.map(f64::from))
            })
            .collect();
        let extra = |i: usize| RayExtra { mask: [u32::MAX, 1, 6, 0][i % 4], time: TIMES[i % 7] };
        for count in [0, 1, 31, 32, 33, 511, 512, 513, 1500] {
            let (rays, wide, control) = (&all[..count], &wide[..count], Control::default());
            let extras: Vec<RayExtra> = (0..count).map(extra).collect();
            let plain = scene.with(Filter::new());
            let left_out = scene.with(Filter::new().mask(3).skip(0, 1).time(0.7));
            let mut check = |ask: &dyn Fn(&mut [u32]) -> u64, bools: &dyn Fn(&mut [bool]) -> u64| {
                // What was there goes.
                let (mut bits, mut blocked) = (vec![u32::MAX; count.div_ceil(32)], vec![true; count]);
                assert_eq!(ask(&mut bits), bools(&mut blocked), "invalid of {count}");
                let bit = |ray: usize| bits[ray / 32] >> (ray % 32) & 1 == 1;
                assert!((0..32 * bits.len()).all(|ray| bit(ray) == (ray < count && blocked[ray])), "{count}");
                set += blocked.iter().filter(|blocked| **blocked).count();
            };
            let invalid = |stats: Result<raywarp_geom::BatchStats, BatchError>| stats.unwrap().invalid;
            check(&|bits| invalid(scene.any_bits(rays, bits, &control)), &|bools| {
                bools.iter_mut().zip(rays).for_each(|(blocked, ray)| *blocked = scene.any(ray));
                rays.iter().filter(|ray| !ray.is_valid()).count() as u64
            });
            check(&|bits| invalid(scene.any_bits(wide, bits, &control)), &|bools| {
                invalid(scene.any_batch(wide, bools, &control))
            });
            for filtered in [plain, left_out] {
                for extras in [&[][..], &extras] {
                    check(&|bits| invalid(filtered.any_bits(rays, extras, bits, &control)), &|bools| {
                        invalid(filtered.any_batch(rays, extras, bools, &control))
                    });
                }
            }
        }
    }
    assert!(set > 10_000, "{set}");
}

#[test]
fn batches_of_other_lengths_and_cancelled_ones_are_errors() {
    let scene = sheets(&[1.0], Levels::One);
    let (rays, control) = ([AHEAD; 3], Control::default());
    let masked = scene.with(Filter::new().mask(1));
    let one = [RayExtra::default(); 1];
    let extras = Err(BatchError::Extras { asked: 3, found: 1 });
    assert_eq!(masked.closest_batch(&rays, &one, &mut [None; 3], &control).map(drop), extras);
    assert_eq!(masked.any_batch(&rays, &one, &mut [false; 3], &control).map(drop), extras);
    assert_eq!(masked.all_batch(&rays, &one, &control).map(drop), extras);
    assert_eq!(masked.any_bits(&rays, &one, &mut [0], &control).map(drop), extras);
    let words = Err(BatchError::Words { rays: 3, found: 2 });
    assert_eq!(masked.any_bits(&rays, &[], &mut [0; 2], &control).map(drop), words);
    assert_eq!(scene.any_bits(&rays, &mut [0; 2], &control).map(drop), words);
    let wide = [Ray64::new([0.0; 3], [0.0, 0.0, 1.0]); 33];
    let text = "33 words of 32 bits for the answers to 33 rays; give 2";
    assert_eq!(scene.any_bits(&wide, &mut [0; 33], &control).unwrap_err().to_string(), text);
    let length = Err(BatchError::Length { asked: 3, found: 2 });
    assert_eq!(masked.closest_batch(&rays, &[], &mut [None; 2], &control).map(drop), length);
    let cancel = AtomicBool::new(true);
    let control = Control { cancel: Some(&cancel), ..control };
    let cancelled = Err(BatchError::Trace(TraceError::Cancelled));
    assert_eq!(masked.any_batch(&rays, &[], &mut [false; 3], &control).map(drop), cancelled);
    assert_eq!(masked.any_bits(&rays, &[], &mut [0], &control).map(drop), cancelled);
    assert_eq!(scene.any_bits(&rays, &mut [0], &control).map(drop), cancelled);
    assert_eq!(masked.closest_batch::<Ray>(&[], &[], &mut [], &Control::default()).map(|stats| stats.rays), Ok(0));
}

#[test]
fn custom_geometry_moves() {
    let mut random = Random::new(9);
    let spheres: Spheres = spheres(&mut random);
    let ends: Vec<[Affine64; 2]> = (0..4).map(|_| places(&mut random, 2.0)).collect();
    let scene = |time: Option<f32>| {
        let mut builder = Scene::builder();
        let custom = builder.custom(Arc::new(spheres.clone()));
        for &[start, end] in &ends {
            match time {
                None => builder.moving(custom, [start, end], u32::MAX, 0),
                Some(time) => {
                    let map = start.rounded().between(&end.rounded(), time);
                    builder.instance(custom, Affine64::from(&map), u32::MAX, 0)
                }
            };
        }
        built(builder, Levels::Auto)
    };
    let (moving, mut hits) = (scene(None), 0);
    for time in TIMES {
        let still = scene(Some(time));
        for _ in 0..200 {
            let (from, to) = (random.point().map(|x| 4.0 * x), random.point());
            let ray = Ray::new(from, std::array::from_fn(|i| to[i] - from[i]));
            let hit = moving.with(Filter::new().time(time)).closest(&ray);
            // Boxes are where they are at any time, so that the same spheres are asked; not in the same order.
            assert_eq!(hit, still.closest(&ray), "{time} {ray:?}");
            hits += usize::from(hit.is_some());
        }
    }
    assert!(hits > 200, "{hits}");
}

#[test]
fn edits_make_things_move_and_stand_still() {
    let up = |z: f64| Affine64::translation([0.0, 0.0, z]);
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    let group = builder.group(&[Placement::moving(sheet, [up(0.0), up(1.0)])]);
    let moving = builder.moving(sheet, [up(1.0), up(3.0)], u32::MAX, 1);
    let still = builder.instance(group, up(10.0), u32::MAX, 2);
    let before = built(builder, Levels::Auto);
    let seen = |scene: &Scene, time: f32| {
        let mut hits = Vec::new();
        scene.with(Filter::new().time(time)).all_into(&AHEAD, &mut hits);
        hits.iter().map(|hit| (hit.t, hit.user)).collect::<Vec<_>>()
    };
    assert_eq!(seen(&before, 0.5), [(2.0, 1), (10.5, 2)]);
    let mut edit = before.edit();
    edit.set_transform(moving, up(5.0));
    // Its member goes on.
    edit.set_transform(still, up(20.0));
    let added = edit.moving(sheet, [up(7.0), up(8.0)], u32::MAX, 3);
    edit.set_user(added, 4);
    let after = edit.commit(&Control::default()).unwrap();
    assert_eq!(seen(&after, 0.5), [(5.0, 1), (7.5, 4), (20.5, 2)]);
    assert_eq!(seen(&after, 0.0), [(5.0, 1), (7.0, 4), (20.0, 2)]);
    let mut edit = after.into_edit();
    edit.set_motion(moving, [up(5.0), up(6.0)]);
    edit.set_motion(still, [up(20.0), up(30.0)]);
    // What moves goes on in another shape.
    let lower = SHEET.map(|[x, y, z]| [x, y, z - 0.25]);
    edit.set_mesh(sheet, &lower, &SHEET_INDICES);
    let last = edit.commit(&Control::default()).unwrap();
    assert_eq!(seen(&last, 0.5), [(5.25, 1), (7.25, 4), (25.25, 2)]);
    assert_eq!(seen(&before, 0.5), [(2.0, 1), (10.5, 2)]);
    let bad = |change: &dyn Fn(&mut Edit<'_>)| {
        let mut edit = last.edit();
        change(&mut edit);
        edit.commit(&Control::default()).unwrap_err()
    };
    let thin = Affine64::scale([1.0, 1.0, 1e-16]);
    let error = bad(&|edit| edit.set_motion(moving, [up(0.0), thin]));
    assert!(matches!(error, EditError::Scene(SceneError::IllConditioned { instance: 0 })), "{error}");
    let error = bad(&|edit| edit.set_motion(moving, [up(0.0), Affine64::scale([1.0, 0.0, 1.0])]));
    assert!(matches!(error, EditError::Scene(SceneError::Singular { instance: 0 })), "{error}");
    assert!(matches!(bad(&|edit| edit.set_motion(InstanceId(77), [up(0.0); 2])), EditError::NoInstance { .. }));
}

#[test]
fn motions_that_cannot_be_are_errors_that_name_them() {
    let up = |z: f64| Affine64::translation([0.0, 0.0, z]);
    let error = |ends: [Affine64; 2], levels| {
        let mut builder = Scene::builder();
        let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
        builder.instance(sheet, up(0.0), u32::MAX, 0);
        builder.moving(sheet, ends, u32::MAX, 0);
        builder.build(&options(levels), &Control::default()).unwrap_err()
    };
    for levels in [Levels::One, Levels::Two] {
        let flat = error([up(0.0), Affine64::scale([1.0, 0.0, 1.0])], levels);
        assert!(matches!(flat, SceneError::Singular { instance: 1 }), "{flat}");
        let nan = error([up(0.0), Affine64::scale([f64::NAN; 3])], levels);
        assert!(matches!(nan, SceneError::NotFinite { instance: 1 }), "{nan}");
        let far = error([up(-3e38), up(3e38)], levels);
        assert!(matches!(far, SceneError::NotFinite { instance: 1 }), "{far}");
        let thin = error([Affine64::scale([1.0, 1.0, 1e-16]), up(0.0)], levels);
        assert!(matches!(thin, SceneError::IllConditioned { instance: 1 }), "{thin}");
    }
}

#[test]
fn a_loaded_scene_moves_as_the_saved_one_and_is_edited_alike() {
    for seed in 0..cases(3) as u64 {
        let mut random = Random::new(seed);
        let model = Model::new(&mut random);
        for levels in [Levels::Auto, Levels::Two] {
            let scene = model.built(levels);
            let mut both = [reloaded(&scene), scene];
            for step in 0..3 {
                let [loaded, saved] = &both;
                assert_eq!((loaded.bounds(), loaded.bytes()), (saved.bounds(), saved.bytes()));
                for time in TIMES {
                    for ray in aimed(saved, &model, time, &mut random, 20) {
                        let [got, want] = [loaded, saved].map(|scene| scene.with(Filter::new().time(time)));
                        assert_eq!(got.closest(&ray).as_ref().map(bits), want.closest(&ray).as_ref().map(bits));
                        assert_eq!(got.crossings(&ray), want.crossings(&ray));
                        let backs = Filter::new().time(time).culling(Culling::Backs);
                        assert_eq!(loaded.with(backs).any(&ray), saved.with(backs).any(&ray));
                        assert_eq!(got.nearest(ray.origin, 9.0), want.nearest(ray.origin, 9.0));
                    }
                }
                // What stood still moves, what moved stands still, and a mesh that moves takes another shape.
                let id = |instance| saved.instance_id(instance).unwrap();
                let (first, last) = (id(step), id(saved.instance_count() as u32 - 2));
                let to = places(&mut random, 3.0);
                let bent: Vec<[f32; 3]> = model.meshes[0].iter().map(|&[x, y, z]| [x, y, z + 0.25 * x]).collect();
                both = both.each_ref().map(|scene| {
                    let mut edit = scene.edit();
                    edit.set_motion(first, to);
                    edit.set_transform(last, to[0]);
                    edit.set_mesh(GeometryId(0), &bent, Indices::IN_ORDER);
                    edit.commit(&Control::default()).unwrap()
                });
            }
            reloaded(&both[0]);
        }
    }
}

#[test]
fn what_moves_in_a_group_that_is_nowhere_is_saved_too() {
    let up = |z: f64| Affine64::translation([0.0, 0.0, z]);
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    let group = builder.group(&[Placement::moving(sheet, [up(0.0), up(1.0)])]);
    let loaded = reloaded(&built(builder, Levels::Two));
    let mut edit = loaded.edit();
    edit.instance(group, up(2.0), u32::MAX, 0);
    let scene = edit.commit(&Control::default()).unwrap();
    let seen = [0.0, 1.0].map(|time| scene.with(Filter::new().time(time)).closest(&AHEAD).map(|hit| hit.t));
    assert_eq!(seen, [Some(2.0), Some(3.0)]);
}

#[test]
fn what_moves_far_from_zero_is_where_it_is_in_the_callers_coordinates() {
    let [x, y] = [512_345.25, 5_412_345.75];
    let positions = [[x, y, 0.0], [x + 0.01, y, 0.0], [x, y + 0.01, 0.0]];
    let near = [[0.0f32, 0.0, 0.0], [0.01, 0.0, 0.0], [0.0, 0.01, 0.0]];
    let by = |d: f64| Affine64::translation([d, 0.0, d]);
    let there = |d: f64| Affine64::translation([x + d, y, d]);
    for is_double in [true, false] {
        let mut builder = Scene::builder();
        if is_double {
            let mesh = builder.mesh(&positions, &[[0, 1, 2]]);
            builder.moving(mesh, [by(0.0), by(1.0)], u32::MAX, 0);
        } else {
            let mesh = builder.mesh(&near, &[[0, 1, 2]]);
            builder.moving(mesh, [there(0.0), there(1.0)], u32::MAX, 0);
        }
        let scene = built(builder, Levels::Auto);
        for time in [0.0f32, 0.25, 0.5, 1.0] {
            let d = f64::from(time);
            let ray = Ray64::new([x + d + 0.002, y + 0.003, 8.0], [0.0, 0.0, -1.0]);
            let hit = scene.with(Filter::new().time(time)).closest(&ray).expect("below");
            assert!((hit.t - (8.0 - d)).abs() < 1e-6, "{time}: {hit:?}");
            assert!(scene.with(Filter::new().time(time - 0.1)).closest(&ray).is_none() || time == 0.0);
        }
    }
}
