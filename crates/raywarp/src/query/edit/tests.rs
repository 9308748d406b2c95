//! Edited scenes against scenes that are built anew from the same data.

use super::EditError;
use crate::query::saved::tests::reloaded;
use crate::query::scene::Rays;
use crate::query::*;
use raywarp_geom::{Affine64, Control, Ray};
use raywarp_testing::Random;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) type Mesh = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// A tetrahedron, closed, or a sheet of triangles that is not.
fn mesh(random: &mut Random) -> Mesh {
    let mut point = || [0, 1, 2].map(|_| random.below(33) as f32 / 8.0 - 2.0);
    if point()[0] < 0.0 {
        let positions = (0..4).map(|_| point()).collect();
        return (positions, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    }
    let side = 5;
    let positions = (0..side * side).map(|i| [(i % side) as f32 - 2.0, (i / side) as f32 - 2.0, point()[2] / 4.0]);
    let cells = (0..(side - 1) * side).filter(|i| i % side < side - 1);
    let of = |i: u32| [[i, i + 1, i + side], [i + 1, i + side + 1, i + side]];
    (positions.collect(), cells.flat_map(of).collect())
}

fn transform(random: &mut Random) -> Affine64 {
    let mut number = |from: f64, to: f64| from + (to - from) * random.below(1 << 20) as f64 / f64::from(1 << 20);
    let place = Affine64::translation([number(-9.0, 9.0), number(-9.0, 9.0), number(-9.0, 9.0)]);
    let axis = [number(-1.0, 1.0), number(-1.0, 1.0), number(0.1, 1.0)];
    let turned = place.after(&Affine64::rotation(number(0.0, 360.0), axis));
    match number(0.0, 8.0) as u32 {
        0 => Affine64::IDENTITY,
        1 => place,
        2 => turned.after(&Affine64::scale([-1.0, number(0.5, 2.0), 1.0])),
        // Too thin for its boxes to be walked.
        3 => turned.after(&Affine64::scale([1.0, 1.0, 1e-16])),
        _ => turned.after(&Affine64::scale([number(0.5, 2.0); 3])),
    }
}

/// Part of a scene, as a builder is given it.
#[derive(Clone)]
enum Given {
    Mesh(Mesh),
    Group(Vec<Placement>),
    Removed,
}

/// What a scene should be, in plain lists.
#[derive(Clone, Default)]
struct Model {
    parts: Vec<Given>,
    instances: Vec<(InstanceId, Placement, u32)>,
}

impl Model {
    fn built(&self, levels: Levels) -> Scene {
        let mut builder = Scene::builder();
        for part in &self.parts {
            match part {
                Given::Mesh((positions, indices)) => builder.mesh(positions, indices),
                Given::Group(members) => builder.group(members),
                // Numbers stay what they are.
                Given::Removed => builder.group(&[]),
            };
        }
        for &(_, Placement { mesh, transform, end, mask }, user) in &self.instances {
            match end {
                None => builder.instance(mesh, transform, mask, user),
                Some(end) => builder.moving(mesh, [transform, end], mask, user),
            };
        }
        builder.build(&SceneOptions { levels, ..SceneOptions::default() }, &Control::default()).unwrap()
    }

    fn is_used(&self, part: usize) -> bool {
        let is_it = |placement: &Placement| placement.mesh.0 as usize == part;
        self.instances.iter().any(|(_, placement, _)| is_it(placement))
            || self.parts.iter().any(|given| matches!(given, Given::Group(members) if members.iter().any(is_it)))
    }

    /// Ids of the placements of meshes by their numbers.
    fn ids(&self) -> Vec<InstanceId> {
        fn size(parts: &[Given], part: GeometryId) -> usize {
            match &parts[part.0 as usize] {
                Given::Group(members) => members.iter().map(|member| size(parts, member.mesh)).sum(),
                _ => 1,
            }
        }
        let of = |(id, placement, _): &(InstanceId, Placement, u32)| vec![*id; size(&self.parts, placement.mesh)];
        self.instances.iter().flat_map(of).collect()
    }
}

pub(super) fn rays(random: &mut Random, count: usize) -> Vec<Ray> {
    let mut point = |size: f32| random.point().map(|x| (x * size * 16.0).round() / 16.0);
    let mut ray = || {
        let (from, to) = (point(16.0), point(8.0));
        Ray::new(from, std::array::from_fn(|i| to[i] - from[i]))
    };
    (0..count).map(|_| ray()).collect()
}

/// Compares all answers of two scenes, bit for bit; returns the number of hits.
#[track_caller]
pub(super) fn same(edited: &Scene, built: &Scene, rays: &[Ray]) -> usize {
    assert_eq!(edited.instance_count(), built.instance_count());
    let (mut found, mut hits) = (vec![None; rays.len()], 0);
    edited.closest_batch(rays, &mut found, &Control::default()).unwrap();
    for (ray, found) in rays.iter().zip(found) {
        let bits = |hit: &SurfaceHit| {
            (hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.instance, hit.primitive, hit.user)
        };
        let closest = built.closest(ray);
        assert_eq!(edited.closest(ray).as_ref().map(bits), closest.as_ref().map(bits), "{ray:?}");
        assert_eq!(found.as_ref().map(bits), closest.as_ref().map(bits), "{ray:?}");
        assert_eq!(edited.any(ray), closest.is_some());
        let all: Vec<_> = built.all(ray).map(|hit| bits(&hit)).collect();
        assert!(edited.all(ray).map(|hit| bits(&hit)).eq(all.iter().copied()), "{ray:?}");
        let mut visited = 0;
        let _ = edited.visit(ray, |_| {
            visited += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(visited, all.len());
        assert_eq!(edited.crossings(ray), built.crossings(ray));
        for time in [0.0, 0.3] {
            let filter = Filter::new().mask(0b101).culling(Culling::Backs).time(time);
            assert_eq!(edited.with(filter).closest(ray), built.with(filter).closest(ray));
            assert_eq!(edited.with(filter).crossings(ray), built.with(filter).crossings(ray));
        }
        hits += all.len();
    }
    assert_eq!(edited.closed(), built.closed());
    if built.is_closed() {
        let points: Vec<[f32; 3]> = rays.iter().map(|ray| ray.origin.map(|x| x / 4.0)).collect();
        assert!(points.iter().all(|&point| edited.contains(point) == built.contains(point)));
    }
    assert_eq!(edited.0.reach, built.0.reach);
    let (a, b) = (edited.bounds(), built.bounds());
    // In two levels boxes of placed trees are somewhat too large.
    let is_around = b.is_empty() || a.contains(&b) || matches!(built.0.rays, Rays::Two(..));
    assert!(a.is_empty() == b.is_empty() && is_around, "{a:?} {b:?}");
    hits
}

/// Returns a transform; where things move, one whose boxes can be walked.
fn start(random: &mut Random, moves: bool) -> Affine64 {
    let is_thin = |map: &Affine64| map.rows.iter().all(|row| row[2].abs() < 1e-10);
    let map = transform(random);
    if moves && is_thin(&map) { up(0.5) } else { map }
}

/// Returns where something is to go; nowhere in half of all cases, and where nothing moves.
fn end(random: &mut Random, moves: bool) -> Option<Affine64> {
    (moves && random.below(2) == 0).then(|| start(random, moves))
}

/// Makes random changes to a scene and to the model of it, and returns the new scene. With `moves` some make things
/// move.
fn changed(scene: &Scene, model: &mut Model, random: &mut Random, in_place: bool, moves: bool) -> Scene {
    let scene = scene.clone();
    let mut edit = if in_place { scene.into_edit() } else { scene.edit() };
    // Meshes are borrowed until the edit is done.
    let fresh: Vec<Mesh> = (0..8).map(|_| mesh(random)).collect();
    for mesh in fresh.iter().take(1 + random.below(8)) {
        let is_mesh = |model: &Model, part: usize| matches!(model.parts.get(part), Some(Given::Mesh(_)));
        let part = random.below(model.parts.len() + 1);
        let instance = random.below(model.instances.len() + 1);
        match random.below(10) {
            0 => {
                assert_eq!(edit.mesh(&mesh.0, &mesh.1).0 as usize, model.parts.len());
                model.parts.push(Given::Mesh(mesh.clone()));
            }
            1 => {
                let there = model.parts.iter().enumerate().filter(|(_, part)| !matches!(part, Given::Removed));
                let members = there.filter(|_| random.below(3) == 0).map(|(part, _)| part).collect::<Vec<_>>();
                let members = members.into_iter().filter(|&part| is_mesh(model, part)).take(3);
                let place = |part| {
                    let end = end(random, moves);
                    let placement = Placement::new(GeometryId(part as u32), start(random, moves));
                    Placement { mask: 0b110, end, ..placement }
                };
                let members: Vec<Placement> = members.map(place).collect();
                edit.group(&members);
                model.parts.push(Given::Group(members));
            }
            2..=4 if part < model.parts.len() && !matches!(model.parts[part], Given::Removed) => {
                let end = end(random, moves);
                let placement = Placement {
                    mesh: GeometryId(part as u32),
                    transform: start(random, moves),
                    end,
                    mask: random.below(8) as u32,
                };
                let (user, Placement { mesh, transform, mask, .. }) = (random.below(100) as u32, placement);
                let id = match end {
                    None => edit.instance(mesh, transform, mask, user),
                    Some(end) => edit.moving(mesh, [transform, end], mask, user),
                };
                assert!(model.instances.iter().all(|(old, ..)| *old < id));
                model.instances.push((id, placement, user));
            }
            5 | 6 if instance < model.instances.len() => {
                let (id, placement, _) = &mut model.instances[instance];
                (placement.end, placement.transform) = (end(random, moves), start(random, moves));
                match placement.end {
                    None => edit.set_transform(*id, placement.transform),
                    Some(end) => edit.set_motion(*id, [placement.transform, end]),
                }
            }
            7 if instance < model.instances.len() => {
                let (id, placement, user) = &mut model.instances[instance];
                (placement.mask, *user) = (random.below(8) as u32, random.below(100) as u32);
                edit.set_mask(*id, placement.mask);
                edit.set_user(*id, *user);
            }
            8 if instance < model.instances.len() => {
                edit.remove_instance(model.instances.remove(instance).0);
            }
            9 if is_mesh(model, part) => {
                let id = GeometryId(part as u32);
                if model.is_used(part) {
                    edit.set_mesh(id, &mesh.0, &mesh.1);
                    model.parts[part] = Given::Mesh(mesh.clone());
                } else {
                    edit.remove_geometry(id);
                    model.parts[part] = Given::Removed;
                }
            }
            _ => {}
        }
    }
    edit.commit(&Control::default()).unwrap()
}

#[test]
fn random_edits_give_the_hits_of_scenes_built_anew() {
    let mut hits = 0;
    for seed in 0..18 {
        let moves = seed >= 12;
        let mut random = Random::new(seed);
        let mut model = Model::default();
        for part in 0..4 {
            model.parts.push(Given::Mesh(mesh(&mut random)));
            let placement = Placement::new(GeometryId(part), start(&mut random, moves));
            model.instances.push((InstanceId(part), placement, part));
        }
        let mut scene = model.built(Levels::Two);
        for step in 0..25 {
            let before = (scene.clone(), model.clone());
            scene = changed(&scene, &mut model, &mut random, step % 2 == 1, moves);
            if step % 3 == 1 && !moves {
                scene = reloaded(&scene);
            }
            let rays = rays(&mut random, 60);
            let built = model.built(if step % 3 == 0 { Levels::One } else { Levels::Two });
            hits += same(&scene, &built, &rays);
            let ids = (0..).map_while(|number| scene.instance_id(number));
            assert!(ids.eq(model.ids()), "{seed} {step}");
            if step % 5 == 0 {
                // The scene as it was, and another edit of it.
                same(&before.0, &before.1.built(Levels::One), &rays[..20]);
                let mut other = before.1;
                let edited = changed(&before.0, &mut other, &mut random, false, moves);
                same(&edited, &other.built(Levels::One), &rays[..20]);
            }
        }
    }
    assert!(hits > 3000, "{hits}");
}

pub(super) fn two() -> SceneOptions {
    SceneOptions { levels: Levels::Two, ..SceneOptions::default() }
}

const SHEET: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
const SHEET_INDICES: [[u32; 3]; 2] = [[0, 1, 2], [1, 3, 2]];
const AHEAD: Ray = Ray { origin: [0.2, 0.2, 0.0], t_min: 0.0, direction: [0.0, 0.0, 1.0], t_max: f32::INFINITY };

fn up(z: f64) -> Affine64 {
    Affine64::translation([0.0, 0.0, z])
}

fn hits(scene: &Scene) -> Vec<(f32, u32, u32)> {
    scene.all(&AHEAD).map(|hit| (hit.t, hit.instance, hit.user)).collect()
}

#[test]
fn ids_stay_and_are_not_given_again_while_numbers_move_up() {
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    let ids: Vec<InstanceId> = (1..=3).map(|z| builder.instance(sheet, up(f64::from(z)), u32::MAX, z)).collect();
    let scene = builder.build(&two(), &Control::default()).unwrap();
    let mut edit = scene.edit();
    edit.remove_instance(ids[2]);
    edit.remove_instance(ids[0]);
    let scene = edit.commit(&Control::default()).unwrap();
    assert_eq!((hits(&scene), scene.instance_id(0)), (vec![(2.0, 0, 2)], Some(ids[1])));
    let mut edit = scene.into_edit();
    // Added and removed at once: its id is gone, too.
    let short = edit.instance(sheet, up(9.0), u32::MAX, 9);
    edit.remove_instance(short);
    let added = edit.instance(sheet, up(4.0), u32::MAX, 4);
    assert!(!ids.contains(&short) && !ids.contains(&added) && short != added);
    let (more, spare) = (edit.mesh(&SHEET, &SHEET_INDICES), edit.mesh(&SHEET, &SHEET_INDICES));
    edit.remove_geometry(spare);
    let scene = edit.commit(&Control::default()).unwrap();
    assert_eq!((hits(&scene), scene.instance_id(1)), (vec![(2.0, 0, 2), (4.0, 1, 4)], Some(added)));
    let mut edit = scene.edit();
    let next = edit.mesh(&SHEET, &SHEET_INDICES);
    assert!(next != spare && next != more && next != sheet);
    edit.set_transform(added, up(1.0));
    edit.set_transform(added, up(0.5));
    edit.set_user(added, 7);
    assert_eq!(hits(&edit.commit(&Control::default()).unwrap()), [(0.5, 1, 7), (2.0, 0, 2)]);
}

#[test]
fn what_is_not_there_or_still_needed_is_an_error_that_names_it() {
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    let pair = builder.group(&[Placement::new(sheet, up(0.0)), Placement::new(sheet, up(1.0))]);
    let placed = builder.instance(pair, up(1.0), u32::MAX, 0);
    let scene = builder.build(&two(), &Control::default()).unwrap();
    let error = |change: &dyn Fn(&mut Edit<'_>)| {
        let mut edit = scene.edit();
        change(&mut edit);
        edit.commit(&Control::default()).unwrap_err()
    };
    let strange = InstanceId(7);
    for change in
        [&|edit: &mut Edit<'_>| edit.set_mask(strange, 1) as _, &|edit: &mut Edit<'_>| edit.remove_instance(strange)]
            as [&dyn Fn(&mut Edit<'_>); 2]
    {
        assert!(matches!(error(change), EditError::NoInstance { instance } if instance == strange));
    }
    let strange = GeometryId(7);
    for change in [
        &|edit: &mut Edit<'_>| _ = edit.instance(strange, up(0.0), 1, 1),
        &|edit: &mut Edit<'_>| _ = edit.group(&[Placement::new(strange, up(0.0))]),
        &|edit: &mut Edit<'_>| edit.set_mesh(strange, &SHEET, &SHEET_INDICES),
        &|edit: &mut Edit<'_>| edit.remove_geometry(strange),
    ] as [&dyn Fn(&mut Edit<'_>); 4]
    {
        assert!(matches!(error(change), EditError::NoGeometry { geometry } if geometry == strange));
    }
    assert!(matches!(error(&|edit| edit.set_mesh(pair, &SHEET, &SHEET_INDICES)), EditError::NotAMesh { .. }));
    assert!(matches!(error(&|edit| edit.remove_geometry(sheet)), EditError::InUse { geometry } if geometry == sheet));
    assert!(matches!(error(&|edit| edit.remove_geometry(pair)), EditError::InUse { geometry } if geometry == pair));
    let flat = error(&|edit| edit.set_transform(placed, Affine64::scale([1.0, 0.0, 1.0])));
    assert!(matches!(flat, EditError::Scene(SceneError::Singular { instance: 0 })), "{flat}");
    for bad in [Affine64::scale([f64::NAN; 3]), up(1e39)] {
        let error = error(&|edit| edit.set_transform(placed, bad));
        assert!(matches!(error, EditError::Scene(SceneError::NotFinite { instance: 0 })), "{error}");
    }
    let bad = error(&|edit| edit.set_mesh(sheet, &SHEET, &[[0, 1, 4]]));
    assert!(matches!(bad, EditError::Scene(SceneError::Mesh { mesh: 0, .. })), "{bad}");
    // All of it goes at once, whatever the order; what is gone is not there for the next.
    let mut edit = scene.edit();
    edit.remove_geometry(sheet);
    edit.remove_geometry(pair);
    edit.remove_instance(placed);
    let gone = edit.commit(&Control::default()).unwrap();
    assert!(hits(&gone).is_empty() && gone.bounds().is_empty() && gone.bytes() < scene.bytes());
    let mut edit = gone.edit();
    edit.instance(sheet, up(0.0), u32::MAX, 0);
    assert!(matches!(edit.commit(&Control::default()), Err(EditError::NoGeometry { .. })));
    let mut edit = gone.edit();
    edit.set_transform(placed, up(0.0));
    assert!(matches!(edit.commit(&Control::default()), Err(EditError::NoInstance { .. })));
    assert_eq!(hits(&scene), [(1.0, 0, 0), (2.0, 1, 0)]);
}

#[test]
fn flattened_scenes_are_divided_by_the_first_edit() {
    let mut random = Random::new(3);
    for levels in [Levels::One, Levels::Auto, Levels::Two] {
        let (one, other) = (mesh(&mut random), mesh(&mut random));
        let mut model = Model { parts: vec![Given::Mesh(one), Given::Mesh(other)], ..Model::default() };
        let thin = up(1.0).after(&Affine64::scale([1.0, 1.0, 1e-16]));
        let turned = up(2.0).after(&Affine64::rotation(40.0, [1.0, 2.0, 3.0]));
        for (mesh, transform) in [(0, turned), (0, Affine64::IDENTITY), (0, thin), (1, up(3.0)), (1, thin)] {
            let id = InstanceId(model.instances.len() as u32);
            model.instances.push((id, Placement::new(GeometryId(mesh), transform), mesh));
        }
        let scene = model.built(levels);
        let mut edit = scene.edit();
        edit.set_mask(InstanceId(1), 2);
        edit.remove_instance(InstanceId(4));
        model.instances[1].1.mask = 2;
        model.instances.pop();
        let edited = edit.commit(&Control::default()).unwrap();
        let rays = rays(&mut random, 300);
        assert!(same(&edited, &model.built(Levels::One), &rays) > 20);
        // The first stands somewhere by the identity, and so is known; the second is not.
        let mut edit = edited.edit();
        for (index, id) in [0, 2].into_iter().enumerate() {
            let transform = up(5.0 + index as f64);
            edit.set_transform(InstanceId(id), transform);
            model.instances[id as usize].1.transform = transform;
        }
        let edited = edit.commit(&Control::default()).unwrap();
        same(&edited, &model.built(Levels::One), &rays);
        let mut edit = edited.edit();
        edit.set_transform(InstanceId(3), up(1.0));
        match edit.commit(&Control::default()) {
            Ok(_) => assert_eq!(levels, Levels::Two),
            Err(error) => {
                assert!(matches!(error, EditError::NotKept { geometry: GeometryId(1) }), "{levels:?} {error}");
            }
        }
        // Given again, it stands where it stood.
        let new = mesh(&mut random);
        let mut edit = edited.into_edit();
        edit.set_mesh(GeometryId(1), &new.0, &new.1);
        model.parts[1] = Given::Mesh(new.clone());
        let edited = edit.commit(&Control::default()).unwrap();
        same(&edited, &model.built(Levels::Two), &rays);
    }
}

#[test]
fn meshes_without_triangles_stay_where_they_are_placed() {
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&[[0.0f32; 3]; 0], &[[0u32; 3]; 0]);
    builder.instance(sheet, up(2.0), u32::MAX, 0);
    builder.instance(sheet, up(3.0).after(&Affine64::scale([1.0, 1.0, 1e-16])), u32::MAX, 1);
    for levels in [Levels::One, Levels::Two] {
        let mut again = Scene::builder();
        (again.parts, again.instances) = (vec![], builder.instances.clone());
        again.mesh(&[[0.0f32; 3]; 0], &[[0u32; 3]; 0]);
        let scene = again.build(&SceneOptions { levels, ..two() }, &Control::default()).unwrap();
        let mut edit = scene.edit();
        edit.set_mesh(sheet, &SHEET, &SHEET_INDICES);
        let full = edit.commit(&Control::default()).unwrap();
        assert_eq!(hits(&full), [(2.0, 0, 0), (3.0, 1, 1)]);
        let mut edit = full.edit();
        edit.set_mesh(sheet, &SHEET, &[[0u32; 3]; 0]);
        let empty = edit.commit(&Control::default()).unwrap();
        assert!(hits(&empty).is_empty() && hits(&full).len() == 2);
        let mut edit = empty.into_edit();
        edit.set_mesh(sheet, &SHEET, &SHEET_INDICES);
        assert_eq!(hits(&edit.commit(&Control::default()).unwrap()), [(2.0, 0, 0), (3.0, 1, 1)]);
    }
}

#[test]
fn a_scene_far_from_zero_is_edited_in_its_own_coordinates() {
    let [x, y] = [512_345.25, 5_412_345.75];
    let at = |d: f64| [[x + d, y, 0.0], [x + d + 0.01, y, 0.0], [x + d, y + 0.01, 0.0]];
    let mut builder = Scene::builder();
    let first = at(0.0);
    let mesh = builder.mesh(&first, &[[0, 1, 2]]);
    let id = builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
    let scene = builder.build(&two(), &Control::default()).unwrap();
    let height = |scene: &Scene, x: f64, y: f64| {
        let ray = scene.ray([x, y, 8.0], [0.0, 0.0, -1.0]);
        scene.closest(&ray).map(|hit| scene.point(&ray, hit.t)[2])
    };
    let mut edit = scene.edit();
    edit.set_transform(id, Affine64::translation([1.0, 0.0, 1.0]));
    let second = at(2.0);
    let mesh = edit.mesh(&second, &[[0, 1, 2]]);
    edit.instance(mesh, up(2.0), u32::MAX, 0);
    let near = edit.mesh(&SHEET, &SHEET_INDICES);
    edit.instance(near, Affine64::translation([x, y - 10.0, 3.0]), u32::MAX, 0);
    let edited = edit.commit(&Control::default()).unwrap();
    assert_eq!(edited.origin(), scene.origin());
    let found = [0.002, 1.002, 2.002].map(|d| height(&edited, x + d, y + 0.002));
    assert_eq!(found, [None, Some(1.0), Some(2.0)]);
    assert_eq!(height(&edited, x + 0.1, y - 9.9), Some(3.0));
    assert_eq!(height(&scene, x + 0.002, y + 0.002), Some(0.0));
    // A mesh in f64 keeps its cells in a scene without an origin, too.
    let mut edit = Scene::builder().build(&two(), &Control::default()).unwrap().into_edit();
    let mesh = edit.mesh(&first, &[[0, 1, 2]]);
    edit.instance(mesh, Affine64::translation([-x, -y, 1.0]), u32::MAX, 0);
    let near = edit.commit(&Control::default()).unwrap();
    assert_eq!([0.004, 0.006].map(|d| height(&near, d, d)), [Some(1.0), None]);
}

#[test]
fn edits_tell_of_each_triangle_that_gets_a_tree_or_is_fitted() {
    let sheets = |height: f32| -> Vec<[f32; 3]> {
        (0..5000).flat_map(|i| SHEET[..3].iter().map(move |&[x, y, _]| [x + 2.0 * i as f32, y, height])).collect()
    };
    let (low, high) = (sheets(0.0), sheets(1.0));
    let mut builder = Scene::builder();
    let mesh = builder.mesh(&low, Indices::IN_ORDER);
    builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
    let scene = builder.build(&two(), &Control::default()).unwrap();
    for how in [Reshape::Refit, Reshape::ByCost, Reshape::Rebuild] {
        let told = AtomicUsize::new(0);
        let progress = |count: usize| {
            told.fetch_add(count, Ordering::Relaxed);
        };
        let mut edit = scene.edit();
        edit.reshape(mesh, &high, Indices::IN_ORDER, how);
        edit.commit(&Control { progress: Some(&progress), cancel: None }).unwrap();
        assert_eq!(told.into_inner(), 5000, "{how:?}");
    }
}

#[test]
fn threads_that_trace_keep_their_snapshots_while_edits_commit() {
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    let ids: Vec<InstanceId> = (0..50).map(|i| builder.instance(sheet, up(1.0), u32::MAX, i)).collect();
    let mut scene = builder.build(&two(), &Control::default()).unwrap();
    std::thread::scope(|scope| {
        for step in 2..40u32 {
            let mut edit = scene.edit();
            ids.iter().for_each(|&id| edit.set_transform(id, up(f64::from(step))));
            let next = edit.commit(&Control::default()).unwrap();
            let before = std::mem::replace(&mut scene, next);
            scope.spawn(move || {
                for _ in 0..200 {
                    // All at the place of one step, whatever is committed meanwhile.
                    let seen: Vec<f32> = before.all(&AHEAD).map(|hit| hit.t).collect();
                    assert_eq!(seen, [step as f32 - 1.0; 50]);
                }
            });
        }
    });
    assert_eq!(hits(&scene)[0].0, 39.0);
}
