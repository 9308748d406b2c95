//! Scenes that are saved and loaded, and bytes that are none.

use super::checksum::Checksum;
use super::read::lines_of;
use super::*;
use crate::bvh::presets;
use crate::query::scene::Rays;
use crate::query::tests::{CUBE, CUBE_INDICES};
use crate::query::{EditError, End, GeometryId, Indices, InstanceId, Levels, Placement, Ray64, Reshape, SceneOptions};
use rayon::prelude::*;
use raywarp_bvh::BuildOptions;
use raywarp_geom::{Aabb, Affine64, Control, Ray};
use raywarp_testing::{Random, cases};
use std::ops::ControlFlow;

/// Saves a scene, and loads it in each way; returns what was loaded.
#[track_caller]
pub(in crate::query) fn reloaded(scene: &Scene) -> Scene {
    let bytes = saved(scene);
    let loaded = Scene::load_from(&mut &bytes[..]).unwrap();
    assert!(saved(&loaded) == bytes, "another scene");
    loaded
}

fn saved(scene: &Scene) -> Vec<u8> {
    let mut bytes = Vec::new();
    scene.save_to(&mut bytes).unwrap();
    bytes
}

/// Asks a scene all that can be asked; what it answers.
fn answers(scene: &Scene, count: usize) -> Vec<String> {
    let mut random = Random::new(5);
    let mut answers = vec![format!(
        "{scene:?} {:?} {:?} {:?} {}",
        scene.bounds(),
        scene.origin(),
        scene.rounding(),
        scene.instance_count()
    )];
    let around = scene.0.reach;
    for number in 0..count {
        let mut point = || -> [f32; 3] {
            let at = |i: usize, share: f32| around.min[i] + share * (around.max[i] - around.min[i]);
            std::array::from_fn(|i| at(i, 1.5 * random.unit() - 0.25))
        };
        let (from, to) = (point(), point());
        let ray = Ray::new(from, std::array::from_fn(|i| to[i] - from[i]));
        let here: [f64; 3] = std::array::from_fn(|i| f64::from(from[i]) + scene.origin()[i]);
        let wide = Ray64::new(here, ray.direction.map(f64::from));
        let aabb = Aabb::of_points(&[from, to]);
        let mut overlaps = Vec::new();
        _ = scene.overlaps(&aabb, |id| {
            overlaps.push((id.instance, id.primitive));
            ControlFlow::Continue(())
        });
        overlaps.sort_unstable();
        let number = number as u32;
        answers.push(format!(
            "{:?} {} {:?} {:?} {:?} {} {:?} {:?} {overlaps:?} {:?} {:?} {:?}",
            scene.closest(&ray),
            scene.any(&ray),
            scene.all(&ray).collect::<Vec<_>>(),
            scene.closest(&wide),
            scene.crossings(&ray),
            scene.visible(End::Point(from), End::Point(to)),
            scene.nearest(from, f32::INFINITY),
            scene.contains(from),
            scene.instance_id(number),
            scene.path(number).collect::<Vec<_>>(),
            scene.with(crate::Filter::new().mask(2)).closest(&ray)
        ));
        let then = scene.with(crate::Filter::new().time(0.4));
        answers.push(format!("{:?} {:?} {:?}", then.closest(&ray), then.crossings(&ray), then.nearest(from, 9.0)));
    }
    let rays: Vec<Ray> = (0..count).map(|_| Ray::new(random.point(), random.point())).collect();
    let mut hits = vec![None; count];
    scene.closest_batch(&rays, &mut hits, &Control::default()).unwrap();
    answers.push(format!("{hits:?}"));
    answers
}

fn up(z: f64) -> Affine64 {
    Affine64::translation([0.0, 0.0, z])
}

fn thin() -> Affine64 {
    up(2.0).after(&Affine64::scale([1.0, 1.0, 1e-16]))
}

fn options(levels: Levels, quality: Option<BuildOptions>) -> SceneOptions {
    SceneOptions { levels, quality, ..SceneOptions::default() }
}

/// Long triangles, which spatial splits cut.
fn spikes(count: usize) -> Vec<[f32; 3]> {
    let at = |i: usize| [i % 3, i / 3 % 7, i % 11].map(|k| k as f32 * if i.is_multiple_of(2) { 1.0 } else { -1.0 });
    (0..3 * count).map(at).collect()
}

/// Scenes of all that there is, with `size` triangles in their largest mesh.
fn scenes(size: usize) -> Vec<Scene> {
    let spikes = spikes(size);
    let far = [512_345.25, 5_412_345.75, 10.0];
    let wide: Vec<[f64; 3]> = spikes.iter().map(|p| std::array::from_fn(|i| far[i] + f64::from(p[i]) / 64.0)).collect();
    let mut all = Vec::new();
    let control = Control::default();
    for levels in [Levels::One, Levels::Auto, Levels::Two] {
        all.push(Scene::builder().build(&options(levels, None), &control).unwrap());

        // Groups in groups, masks, numbers of users, mirrors; one that is flattened, and one that is nowhere.
        let mut builder = Scene::builder();
        let cube = builder.mesh(&CUBE, &CUBE_INDICES);
        let many = builder.mesh(&spikes, Indices::IN_ORDER);
        let none = builder.group(&[]);
        let pair =
            builder.group(&[Placement { mask: 6, ..Placement::new(cube, up(0.0)) }, Placement::new(none, up(1.0))]);
        let both = builder.group(&[Placement::new(pair, up(3.0)), Placement::new(many, up(f64::NAN).after(&up(0.0)))]);
        let rest = builder.group(&[Placement::new(pair, up(3.0)), Placement::new(many, up(1.0))]);
        _ = both;
        builder.instance(rest, Affine64::rotation(40.0, [1.0, 2.0, 3.0]), u32::MAX, 7);
        builder.instance(none, up(1.0), 1, 8);
        builder.instance(cube, up(9.0).after(&Affine64::scale([-1.0, 1.0, 2.0])), 2, 9);
        builder.instance(many, thin(), 4, 10);
        builder.instance(cube, Affine64::IDENTITY, 1, u32::MAX);
        builder.mesh(&CUBE, &CUBE_INDICES[1..]);
        all.push(builder.build(&options(levels, None), &control).unwrap());

        // Cut triangles, by other options.
        let mut builder = Scene::builder();
        let many = builder.mesh(&spikes, Indices::IN_ORDER);
        builder.instance(many, Affine64::IDENTITY, u32::MAX, 0);
        let quality = BuildOptions { split_clipping: Some(0.25), ..presets::BEST };
        all.push(builder.build(&options(levels, Some(quality)), &control).unwrap());

        // Far from zero, in f64, both huge and fine.
        let mut builder = Scene::builder();
        let many = builder.mesh(&wide, Indices::IN_ORDER);
        builder.instance(many, Affine64::IDENTITY, u32::MAX, 0);
        let cube = builder.mesh(&CUBE, &CUBE_INDICES);
        builder.instance(cube, Affine64::translation(far).after(&Affine64::scale([1e-3; 3])), u32::MAX, 0);
        builder.instance(cube, Affine64::translation(far.map(|x| 9.0 * x)), u32::MAX, 0);
        all.push(builder.build(&options(levels, None), &control).unwrap());

        // A mesh that is open, and flattened by a transform alone.
        let mut builder = Scene::builder();
        let lid = builder.mesh(&CUBE, &CUBE_INDICES[1..]);
        builder.instance(lid, up(4.0), u32::MAX, 0);
        all.push(builder.build(&options(levels, None), &control).unwrap());
    }
    for levels in [Levels::Auto, Levels::Two] {
        // What moves: by itself, in groups, to where it is already, mirrored on its way; beside what stands still.
        let mut builder = Scene::builder();
        let cube = builder.mesh(&CUBE, &CUBE_INDICES);
        let many = builder.mesh(&spikes, Indices::IN_ORDER);
        let ends = [up(1.0), up(2.0).after(&Affine64::rotation(20.0, [1.0, 2.0, 3.0]))];
        let group = builder.group(&[Placement::moving(cube, ends), Placement::new(many, up(3.0))]);
        _ = builder.group(&[Placement::moving(cube, [up(f64::NAN), up(1.0)])]);
        builder.moving(group, [up(4.0), up(5.0)], 6, 1);
        builder.instance(group, up(9.0), 3, 2);
        builder.moving(cube, [up(7.0); 2], u32::MAX, 3);
        builder.moving(cube, [Affine64::IDENTITY, Affine64::scale([-1.0, 1.0, 1.0])], u32::MAX, 4);
        builder.instance(many, thin(), 4, 5);
        all.push(builder.build(&options(levels, None), &Control::default()).unwrap());
    }
    // A mesh that keeps a tree beside others that do not.
    let mut builder = Scene::builder();
    let many = builder.mesh(&spikes, Indices::IN_ORDER);
    let cube = builder.mesh(&CUBE, &CUBE_INDICES);
    // From 20,000 triangles on; small scenes are to be small files.
    for i in 0..if size < 100 { 2 } else { 20_000 / size + 2 } {
        builder.instance(many, Affine64::rotation(i as f64, [1.0, 2.0, 3.0]), u32::MAX, i as u32);
        builder.instance(cube, up(i as f64), u32::MAX, 0);
    }
    all.push(builder.build(&options(Levels::Auto, None), &Control::default()).unwrap());
    // Edited: fitted, removed, flattened by themselves, trees that are free, warnings that stay.
    let edited = all.iter().map(|scene| edited(scene, &spikes)).collect::<Vec<_>>();
    all.extend(edited);
    // Of placements that overlap, parts of which are in the tree over them; and edited, so that one of them is whole.
    let mut builder = Scene::builder();
    let many = builder.mesh(&spikes, Indices::IN_ORDER);
    let ids = [0.0, 0.1, 0.2].map(|z| builder.instance(many, up(z), u32::MAX, 0));
    all.push(builder.build(&options(Levels::Two, None), &control).unwrap());
    let mut edit = all[all.len() - 1].edit();
    edit.set_transform(ids[1], up(0.3));
    all.push(edit.commit(&control).unwrap());
    all
}

/// Returns the number of parts of placements that are in the tree over them.
fn opened(scene: &Scene) -> usize {
    match &scene.0.rays {
        Rays::Two(levels, _) => levels.opened().len(),
        Rays::One(..) => 0,
    }
}

/// Changes a scene in many ways.
fn edited(scene: &Scene, spikes: &[[f32; 3]]) -> Scene {
    let mut edit = scene.edit();
    let one = edit.mesh(spikes, Indices::IN_ORDER);
    let other = edit.mesh(&CUBE, &CUBE_INDICES);
    let pair = edit.group(&[Placement::new(one, up(1.0)), Placement::new(other, thin())]);
    let ids = [pair, one, other, pair].map(|part| edit.instance(part, up(2.0), 3, 4));
    edit.moving(one, [up(6.0), up(8.0)], 1, 6);
    let scene = edit.commit(&Control::default()).unwrap();
    let mut edit = scene.edit();
    edit.remove_instance(ids[0]);
    edit.remove_instance(ids[2]);
    edit.set_transform(ids[1], thin());
    let gone = edit.mesh(&CUBE, &CUBE_INDICES);
    let scene = edit.commit(&Control::default()).unwrap();
    let mut edit = scene.edit();
    edit.remove_geometry(gone);
    let bent: Vec<[f32; 3]> = spikes.iter().map(|[x, y, z]| [*x, *y, z + 0.1 * x]).collect();
    edit.reshape(one, &bent, Indices::IN_ORDER, Reshape::Refit);
    edit.commit(&Control::default()).unwrap()
}

#[test]
fn a_loaded_scene_answers_as_the_saved_one_and_is_saved_as_the_same_bytes() {
    let (mut rounding, mut built, mut free, mut open, mut flat, mut moving) = (0, 0, 0, 0, 0, 0);
    let mut parts = Vec::new();
    for scene in scenes(100) {
        let loaded = reloaded(&scene);
        assert_eq!(answers(&loaded, 60), answers(&scene, 60));
        assert_eq!((loaded.bytes(), loaded.kernel_name()), (scene.bytes(), scene.kernel_name()));
        // Edited alike, they stay alike.
        let both = [&loaded, &scene].map(|scene| edited(scene, &spikes(40)));
        assert_eq!(answers(&both[0], 30), answers(&both[1], 30));
        assert!(saved(&both[0]) == saved(&both[1]));
        let kept = &scene.0.kept;
        let meshes = || (0..kept.parts.len()).filter_map(|part| kept.mesh(part));
        rounding += usize::from(scene.rounding().is_some());
        built += meshes().filter(|mesh| mesh.built.is_some()).count();
        open += meshes().filter(|mesh| mesh.open_edges.is_some()).count();
        (free, flat) = (free + kept.free.len(), flat + usize::from(!kept.is_divided));
        moving += usize::from(scene.moves());
        parts.push([&loaded, &scene].map(opened));
    }
    assert!(moving >= 20, "{moving}");
    let [.., [loaded, of_three], [after, of_two]] = parts[..] else { unreachable!("scenes") };
    assert!(of_two > 3 && of_three > of_two && [loaded, after] == [of_three, of_two], "{parts:?}");
    assert!(rounding > 3 && built > 3 && free > 3 && open > 3 && flat > 3, "{rounding} {built} {free} {open} {flat}");
}

/// Returns what is wrong with the scene of a file; the error begins with the file's path.
fn contents(result: Result<(), SceneFileError>, of: &Path) -> SceneFileError {
    let error = result.unwrap_err();
    let text = error.to_string();
    let SceneFileError::InFile { path, error } = error else { panic!("{}: {error}", of.display()) };
    assert_eq!((path.as_path(), text), (of, format!("{}: {error}", of.display())));
    *error
}

#[test]
fn files_are_scenes_and_nothing_more() {
    let path = std::env::temp_dir().join(format!("raywarp-saved-scene-{}", std::process::id()));
    let scene = &scenes(30)[1];
    scene.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes == saved(scene) && saved(&Scene::load(&path).unwrap()) == bytes);
    for length in [0, 7, 8, 20, 40, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let error = contents(Scene::load(&path).map(drop), &path);
        assert!(matches!(error, SceneFileError::Truncated { .. } | SceneFileError::NotAScene), "{length}: {error}");
        // What has no name is not given one.
        assert_eq!(Scene::load_from(&mut &bytes[..length]).unwrap_err().to_string(), error.to_string());
    }
    std::fs::write(&path, [&bytes[..], &[0]].concat()).unwrap();
    let long = contents(Scene::load(&path).map(drop), &path);
    assert!(matches!(long, SceneFileError::TooLong { at } if at == bytes.len() as u64));
    // From a stream it is a scene, and what follows is the next reader's.
    let two = [&bytes[..], &bytes[..], &[1, 2]].concat();
    let mut rest = &two[..];
    for _ in 0..2 {
        assert!(saved(&Scene::load_from(&mut rest).unwrap()) == bytes);
    }
    assert_eq!(rest, [1, 2]);
    std::fs::remove_file(&path).unwrap();
    // No file, no folder for one, and a folder in its place: each error of the system names what was asked for.
    let fails = |result: Result<(), SceneFileError>, of: &Path| {
        let Err(SceneFileError::Io(error)) = result else { panic!("{}: {result:?}", of.display()) };
        assert!(error.to_string().starts_with(&format!("{}: ", of.display())), "{error}");
        error.kind()
    };
    let within = path.join("in-no-folder");
    let none = io::ErrorKind::NotFound;
    assert_eq!(fails(Scene::load(&path).map(drop), &path), none);
    assert_eq!([fails(Scene::load(&within).map(drop), &within), fails(scene.save(&within), &within)], [none; 2]);
    assert!(!path.exists());
    std::fs::create_dir(&path).unwrap();
    fails(Scene::load(&path).map(drop), &path);
    fails(scene.save(&path), &path);
    std::fs::remove_dir(&path).unwrap();
}

#[test]
fn what_threads_read_of_a_file_is_what_a_stream_gives() {
    // Of more than four pieces.
    let spikes = spikes(30_000);
    for quality in [None, Some(BuildOptions { split_clipping: Some(0.25), ..presets::BEST })] {
        let mut builder = Scene::builder();
        let many = builder.mesh(&spikes, Indices::IN_ORDER);
        builder.instance(many, Affine64::IDENTITY, u32::MAX, 0);
        let scene = builder.build(&options(Levels::One, quality), &Control::default()).unwrap();
        let bytes = saved(&scene);
        assert!(bytes.len() > 5 * PIECE_BYTES);
        let path = std::env::temp_dir().join(format!("raywarp-saved-pieces-{}", std::process::id()));
        let load = |bytes: &[u8], threads: usize| {
            std::fs::write(&path, bytes).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Scene::load(&path))
        };
        for threads in [1, 3] {
            let loaded = load(&bytes, threads).unwrap();
            assert!(saved(&loaded) == bytes);
            assert_eq!(answers(&loaded, 4), answers(&scene, 4));
            for piece in 0..bytes.len() / PIECE_BYTES {
                let mut damaged = bytes.clone();
                damaged[HEADER_BYTES + 4000 + piece * PIECE_BYTES] ^= 4;
                let error = contents(load(&damaged, threads).map(drop), &path);
                assert!(matches!(error, SceneFileError::Damaged { .. }), "piece {piece}");
            }
            let end = bytes.len() - PIECE_BYTES;
            let early = contents(load(&bytes[..end], threads).map(drop), &path);
            assert!(matches!(early, SceneFileError::Truncated { at } if at == end as u64));
            let long = contents(load(&[&bytes[..], &[0]].concat(), threads).map(drop), &path);
            assert!(matches!(long, SceneFileError::TooLong { at } if at == bytes.len() as u64));
        }
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn custom_geometry_is_an_error_that_names_it() {
    struct Nothing;
    impl crate::Geometry for Nothing {
        fn len(&self) -> usize {
            0
        }
        fn bounds(&self, _: u32) -> Aabb {
            Aabb::EMPTY
        }
        fn intersect(&self, _: u32, _: &Ray) -> Option<crate::GeometryHit> {
            None
        }
    }
    let mut builder = Scene::builder();
    builder.mesh(&CUBE, &CUBE_INDICES);
    let custom = builder.custom(std::sync::Arc::new(Nothing));
    let scene = builder.build(&options(Levels::Two, None), &Control::default()).unwrap();
    let path = std::env::temp_dir().join(format!("raywarp-saved-custom-{}", std::process::id()));
    for error in [contents(scene.save(&path), &path), scene.save_to(&mut Vec::new()).unwrap_err()] {
        assert!(matches!(error, SceneFileError::Custom { geometry } if geometry == custom));
    }
    assert!(!path.exists());
    let mut edit = scene.edit();
    edit.remove_geometry(custom);
    reloaded(&edit.commit(&Control::default()).unwrap());
}

#[test]
fn what_ends_early_is_of_another_kind_or_version_or_damaged_says_so() {
    let all = scenes(3);
    for scene in [&all[1], &all[11], &all[14], &all[15], &all[29]] {
        let bytes = saved(scene);
        (0..bytes.len()).into_par_iter().for_each(|length| {
            let error = Scene::load_from(&mut &bytes[..length]).unwrap_err();
            let is_early = matches!(error, SceneFileError::Truncated { at } if at == length as u64);
            assert!(
                if length < 8 { matches!(error, SceneFileError::NotAScene) } else { is_early },
                "{length}: {error}"
            );
        });
        // Every bit of every byte.
        (0..8 * bytes.len()).into_par_iter().for_each(|bit| {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let error = Scene::load_from(&mut &bytes[..]).map(drop).unwrap_err();
            let is_it = match bit / 8 {
                0..8 => matches!(error, SceneFileError::NotAScene),
                8..12 => matches!(error, SceneFileError::OtherVersion { .. }),
                16..32 => true,
                _ => matches!(error, SceneFileError::Damaged { .. }),
            };
            assert!(is_it, "bit {bit}: {error}");
        });
        let mut tomorrow = bytes.clone();
        tomorrow[8] += 1;
        let found = FORMAT_VERSION + 1;
        assert!(
            matches!(Scene::load_from(&mut &tomorrow[..]), Err(SceneFileError::OtherVersion { found: it }) if it == found)
        );
        // More memory is told of than there is.
        for at in [16, 24, HEADER_BYTES + 100] {
            let mut long = bytes.clone();
            long[at..at + 8].copy_from_slice(&(1u64 << 60).to_le_bytes());
            assert!(Scene::load_from(&mut &summed(long)[..]).is_err());
        }
    }
    for other in [&b"RAYWTREE\x01\0\0\0"[..], b"", b"ply\n", b"RAYWSCE", &[0; 100]] {
        assert!(matches!(Scene::load_from(&mut &other[..]), Err(SceneFileError::NotAScene)));
    }
}

/// Returns whether a placement of a mesh is one of the mesh's own tree.
fn has_tree(scene: &Scene, number: usize) -> bool {
    let Rays::Two(levels, _) = &scene.0.rays else { return false };
    let tree = scene.0.kept.tree(scene.0.numbered[number].mesh as usize);
    let mut placements = (0..levels.placement_count()).map(|index| levels.placement(index));
    placements.any(|placement| placement.base as usize == number && Some(placement.tree) == tree)
}

#[test]
fn a_file_that_contradicts_itself_about_motion_is_broken() {
    // Of one level; of a tree in the world beside others; edited, placements with a tree of their own in the world.
    let (mut flat, mut moving) = (0, 0);
    for (index, mut scene) in scenes(3).into_iter().enumerate() {
        for number in 0..scene.instance_count() {
            let flip = |scene: &mut Scene| {
                let inner = std::sync::Arc::get_mut(&mut scene.0).unwrap();
                inner.numbered[number].moves ^= true;
                inner.numbered[number].moves
            };
            let is_said = flip(&mut scene);
            let found = Scene::load_from(&mut &saved(&scene)[..]);
            flip(&mut scene);
            let what = match found {
                Err(SceneFileError::Broken { what }) => what,
                // One that could move, and stands still, or that is to move to where it is.
                Ok(_) => {
                    assert!(has_tree(&scene, number), "scene {index}, placement {number}");
                    continue;
                }
                Err(error) => panic!("{error}"),
            };
            let expected =
                if is_said { "what moves is flattened" } else { "something moves that is said to stand still" };
            assert_eq!(what, expected, "scene {index}, placement {number}");
            (flat, moving) = (flat + usize::from(is_said), moving + usize::from(!is_said));
        }
    }
    assert!(flat > 30 && moving > 20, "{flat} {moving}");
}

/// Makes the checksums those of the bytes, where these have the lengths that they tell of.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let long =
        |bytes: &[u8], at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes.get(at + i).map_or(0, |x| *x)));
    let (told, trees) = (long(&bytes, 16), long(&bytes, 24));
    let ends = HEADER_BYTES as u64 + told;
    let ends = [(0, ends), (ends.saturating_add(8), ends.saturating_add(8).saturating_add(trees))];
    for (part, (start, end)) in ends.into_iter().enumerate() {
        if end.saturating_add(8) > bytes.len() as u64 {
            break;
        }
        let (start, end, mut checksum) = (start as usize, end as usize, Checksum::new());
        if part == 0 {
            checksum.add(&bytes[..HEADER_BYTES]);
            checksum.add(&bytes[HEADER_BYTES..end]);
        } else if let Ok(told) = parts::told(&bytes[HEADER_BYTES..HEADER_BYTES + told as usize]) {
            let (mut rest, mut sums) = (&bytes[start..end], Vec::new());
            for tree in &told.trees {
                let length = lines_of(tree.counts).map_or(rest.len(), |lines| rest.len().min(lines as usize * 64));
                let (tree, others) = rest.split_at(length);
                sums.extend(tree.chunks(PIECE_BYTES).map(Checksum::of));
                rest = others;
            }
            checksum.add(bytemuck::cast_slice(&sums));
        }
        bytes[end..end + 8].copy_from_slice(&checksum.value().to_le_bytes());
    }
    bytes
}

/// Changes bytes as nobody who saves a scene does.
fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let told = u64::from_le_bytes(std::array::from_fn(|i| bytes[16 + i])) as usize;
    for _ in 0..1 + random.below(3) {
        // What is told is short beside the trees, and has most of the rules.
        let end = if random.below(4) > 0 { HEADER_BYTES + told } else { bytes.len() };
        let at = random.below(end - 3) / 4 * 4;
        let other = random.below(bytes.len() - 3) / 4 * 4;
        let word = u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let other = u32::from_le_bytes(std::array::from_fn(|i| bytes[other + i]));
        let new = match random.below(14) {
            0 => 0,
            1 => 1,
            2 => u32::MAX,
            3 => 1 << random.below(32),
            4 => f32::NAN.to_bits(),
            5 => f32::INFINITY.to_bits(),
            6 => f32::MAX.to_bits(),
            7 => word.wrapping_add(1),
            8 => word.wrapping_sub(1),
            9 => word ^ 1 << random.below(32),
            10 => random.word(),
            11 => random.below(40) as u32,
            12 => f32::from_bits(word).next_up().to_bits(),
            _ => other,
        };
        bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
    }
    summed(bytes)
}

/// Asks and edits a scene that came of any bytes.
fn used(scene: &Scene) {
    answers(scene, 4);
    let mut edit = scene.edit();
    let ids: Vec<InstanceId> = (0..5).filter_map(|number| scene.instance_id(number)).collect();
    for (i, &id) in ids.iter().enumerate() {
        match i {
            0 => edit.set_transform(id, up(1.0)),
            1 => edit.set_transform(id, thin()),
            2 => edit.set_motion(id, [up(1.0), up(2.0)]),
            3 => edit.set_mask(id, 3),
            _ => edit.remove_instance(id),
        }
    }
    let mesh = edit.mesh(&CUBE, &CUBE_INDICES);
    edit.instance(mesh, up(2.0), 1, 1);
    let parts = &scene.0.kept.parts;
    if let Some(first) = (0..parts.len()).find(|&part| scene.0.kept.mesh(part).is_some()) {
        edit.set_mesh(GeometryId(first as u32), &CUBE, &CUBE_INDICES);
    }
    let changed: Result<Scene, EditError> = edit.commit(&Control::default());
    if let Ok(changed) = changed {
        answers(&changed, 3);
        _ = changed.save_to(&mut Vec::new());
    }
    reloaded(scene);
}

#[test]
fn whatever_bytes_are_with_sound_checksums_they_are_a_scene_or_an_error() {
    // RAYWARP_FUZZ_ROUNDS asks for a longer run.
    let rounds = std::env::var("RAYWARP_FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(cases(10_000) as u64);
    let files: Vec<Vec<u8>> = scenes(3).iter().map(saved).collect();
    let outcome = |seed: u64| {
        let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let file = &files[random.below(files.len())];
        match Scene::load_from(&mut &mutated(file, &mut random)[..]) {
            Ok(scene) => {
                used(&scene);
                [1, 0, 0, 0]
            }
            Err(SceneFileError::Broken { .. }) => [0, 1, 0, 0],
            Err(SceneFileError::Tree { .. }) => [0, 0, 1, 0],
            Err(_) => [0, 0, 0, 1],
        }
    };
    let add = |a: [u32; 4], b: [u32; 4]| std::array::from_fn(|i| a[i] + b[i]);
    let found = (0..rounds).into_par_iter().map(outcome).reduce(|| [0; 4], add);
    // Most get past the checksums; both scenes and faults of every kind come of them.
    let [scenes, broken, trees, others] = found;
    let share = |of: u32| f64::from(of) / rounds as f64;
    let is_mixed = share(scenes) > 0.1 && share(broken) > 0.1 && share(trees) > 0.01 && share(others) < 0.2;
    assert!(is_mixed || rounds < 1000, "{found:?}");
}

#[test]
fn seeds_of_the_fuzzer_are_scenes_and_its_finds_are_scenes_or_errors() {
    let folder = |kind: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(kind).join("scene");
        let files = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        files.map(|file| std::fs::read(file.path()).unwrap()).collect::<Vec<_>>()
    };
    let seeds = folder("seeds");
    seeds.iter().for_each(|bytes| used(&Scene::load_from(&mut &bytes[..]).unwrap()));
    assert!(seeds.len() >= 5, "{}", seeds.len());
    for bytes in folder("regressions") {
        // Of any checksums, as there.
        if let Ok(scene) = Scene::load_from(&mut &summed(bytes)[..]) {
            used(&scene);
        }
    }
}
