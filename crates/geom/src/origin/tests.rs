use super::choose::MOST_LOOKED;
use super::look::look_under;
use super::rounding::MOST_COUNTED;
use super::*;
use crate::TriangleMesh;

/// Test scene: meshes, and placements as mesh index and transform.
#[derive(Default)]
struct Scene {
    meshes: Vec<TriangleMesh>,
    placements: Vec<(usize, Affine)>,
}

impl Scene {
    fn add_mesh(&mut self, mesh: TriangleMesh) -> usize {
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }
}

impl PlacedMeshes for Scene {
    fn mesh_count(&self) -> usize {
        self.meshes.len()
    }

    fn mesh(&self, index: usize) -> &TriangleMesh {
        &self.meshes[index]
    }

    fn placement_count(&self) -> usize {
        self.placements.len()
    }

    fn placement(&self, index: usize) -> (usize, Affine) {
        self.placements[index]
    }
}

/// Returns the rows of a transform that translates by `x`, `y` and `z`.
fn shift([x, y, z]: [f64; 3]) -> [[f64; 4]; 3] {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]
}

const HERE: [[f64; 4]; 3] = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// Returns a sheet of 8 x 8 cells of `size` from `corner` on, as f64 positions and triangles.
fn sheet(corner: [f64; 3], size: f64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let point = |i: usize| {
        let (x, y) = ((i % 9) as f64, (i / 9) as f64);
        [corner[0] + x * size, corner[1] + y * size, corner[2] + size * (x * 1.7 + y * 0.9).sin()]
    };
    let cells = (0..8).flat_map(|y| (0..8).map(move |x| 9 * y + x));
    ((0..81).map(point).collect(), cells.flat_map(|a| [[a, a + 1, a + 9], [a + 1, a + 10, a + 9]]).collect())
}

/// Returns a scene of sheets, rounded as an importer would.
fn scene(sheets: &[([f64; 3], f64)]) -> (Scene, Center) {
    let mut scene = Scene::default();
    let mut center = Center::default();
    for &(corner, size) in sheets {
        let (points, indices) = sheet(corner, size);
        let mut rounder = center.in_world();
        let positions = points.into_iter().map(|p| rounder.round(p)).collect();
        center.note(&rounder);
        let triangles = TriangleMesh { positions, indices, ..TriangleMesh::default() };
        let mesh = scene.add_mesh(triangles);
        scene.placements.push((mesh, Affine::IDENTITY));
    }
    (scene, center)
}

#[track_caller]
fn origin_of(sheets: &[([f64; 3], f64)]) -> Option<[f64; 3]> {
    let (scene, run) = scene(sheets);
    look(&scene, &run).0.map(|center| center.origin)
}

#[test]
fn a_survey_gets_an_origin_of_few_digits_near_it() {
    assert_eq!(origin_of(&[([512_345.1, 5_412_345.3, 120.0], 0.1)]), Some([512_345.0, 5_412_346.0, 120.0]));
    // All triangles are points in f32.
    assert_eq!(origin_of(&[([512_345.1, 5_412_345.3, 0.0], 0.01)]), Some([512_345.0, 5_412_346.0, 0.0]));
    // Whole metres, which f32 holds; rays and what they hit it does not hold.
    assert_eq!(origin_of(&[([512_345.0, 5_412_345.0, 0.0], 2.0)]), Some([512_351.0, 5_412_351.0, 0.0]));
    // Metres.
    assert_eq!(origin_of(&[([512_345.1, 5_412_345.3, 0.0], 10.3)]), Some([512_380.0, 5_412_380.0, 0.0]));
}

#[test]
fn what_f32_holds_and_what_an_origin_does_not_mend_stays() {
    assert_eq!(origin_of(&[([1.1, 2.3, 0.0], 0.1)]), None);
    assert_eq!(origin_of(&[([-4e-5, -4e-5, 0.0], 1e-5)]), None);
    // Kilometres of UTM.
    assert_eq!(origin_of(&[([512_345.1, 5_412_345.3, 0.0], 1000.1)]), None);
}

#[test]
fn of_copies_without_number_every_so_manieth_triangle_is_looked_at() {
    let (mut scene, run) = scene(&[([512_345.1, 5_412_345.3, 120.0], 0.1)]);
    let (center, all) = look(&scene, &run);
    let says_about = |found: &Rounding| match found.warning() {
        Some(RoundingWarning::Corners { is_estimate, .. }) => is_estimate,
        other => panic!("{other:?}"),
    };
    assert!(!all.is_estimate && !says_about(&all));
    let copies = MOST_COUNTED / all.triangles * 5 / 2;
    scene.placements = vec![scene.placements[0]; copies as usize];
    let (same, many) = look(&scene, &run);
    let (same, center) = (same.unwrap().origin, center.unwrap().origin);
    assert!((0..3).all(|i| (same[i] - center[i]).abs() <= 1.0), "{same:?} {center:?}");
    assert!(many.is_estimate && many.triangles == copies * all.triangles, "{many:?}");
    let (hurt, want) = (many.hurt as f64, (copies * all.hurt) as f64);
    assert!((hurt / want - 1.0).abs() < 0.1, "{hurt} {want}");
    assert!(says_about(&many));
}

#[test]
fn what_is_near_zero_beside_a_survey_does_not_keep_it_there() {
    // One mesh of whole metres, which float32 holds, and a vertex that no triangle uses, or a triangle, at zero.
    let (points, indices) = sheet([512_345.0, 5_412_345.0, 0.0], 2.0);
    for stray in [vec![], vec![[900, 901, 902]]] {
        let mut positions: Vec<[f32; 3]> = points.iter().map(|p| p.map(|x| x.round() as f32)).collect();
        positions.resize(900, positions[0]);
        positions.extend([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let (scene, run) = placed(positions, [indices.clone(), stray].concat(), &[HERE]);
        let origin = look(&scene, &run).0.map(|center| center.origin);
        assert_eq!(origin, Some([512_351.0, 5_412_351.0, 0.0]));
    }
    // Where both are as fine, no origin is good for both, and a line says so.
    let (mut scene, mut run) =
        placed(points.iter().map(|p| p.map(|x| x.round() as f32)).collect(), indices.clone(), &[HERE]);
    let (near, _) = sheet([0.0; 3], 2.0);
    let triangles = TriangleMesh {
        positions: near.iter().map(|p| p.map(|x| x as f32)).collect(),
        indices: indices.repeat(20),
        ..TriangleMesh::default()
    };
    let check = |scene: &Scene, run: &Center| {
        let (better, found) = look(scene, run);
        assert!(better.is_none(), "{better:?}");
        let hits = RoundingWarning::Hits { step: 0.5, hurt: 128, triangles: 2688, is_estimate: false };
        assert_eq!(found.warning(), Some(hits));
    };
    let far = scene.meshes[0].clone();
    let mesh = scene.add_mesh(triangles.clone());
    let transform = run.place(1, &HERE, [0.0; 3]);
    scene.placements.push((mesh, transform));
    check(&scene, &run);
    // Of one mesh.
    let count = triangles.positions.len() as u32;
    let far_indices = far.indices.iter().map(|corners| corners.map(|i| i + count));
    let (scene, run) = placed(
        [triangles.positions, far.positions].concat(),
        triangles.indices.into_iter().chain(far_indices).collect(),
        &[HERE],
    );
    check(&scene, &run);
}

#[test]
fn steps_are_those_where_a_triangle_stands() {
    // Half of a mesh lies at the origin, and its own space at zero.
    let origin = [512_351.0, 5_412_351.0, 0.0];
    let (points, indices) = sheet([512_345.0, 5_412_345.0, 0.0], 2.0);
    let (near, _) = sheet([0.0; 3], 2.0);
    let positions = points.iter().chain(&near).map(|p| p.map(|x| x.round() as f32)).collect();
    let second = indices.iter().map(|corners| corners.map(|i| i + 81));
    let indices = indices.iter().copied().chain(second).collect();
    let mut run = Center::new(origin, Vec::new());
    let (mut scene, _) = placed(positions, indices, &[]);
    let transform = run.place(0, &HERE, [0.0; 3]);
    scene.placements.push((0, transform));
    let found = rounding(&scene, &run);
    assert_eq!((found.triangles, found.stepped), (256, 128), "{found:?}");
}

#[test]
fn a_placed_mesh_as_large_as_its_distance_has_the_origin_of_its_site() {
    let (land, indices) = sheet([0.0; 3], 50_000.0);
    let (site, _) = sheet([400_000.35, 600_000.35, 0.0], 0.1);
    let mut run = Center::default();
    let mut rounder = run.in_mesh();
    let positions = land.into_iter().chain(site).map(|p| rounder.round(p)).collect();
    let second = indices.iter().map(|corners| corners.map(|i| i + 81));
    let indices: Vec<[u32; 3]> = indices.iter().copied().chain(second).collect();
    let mut scene = Scene::default();
    let triangles = TriangleMesh { positions, indices, ..TriangleMesh::default() };
    let mesh = scene.add_mesh(triangles);
    run.note_mesh(mesh, &rounder);
    let transform = run.place(0, &HERE, [0.0; 3]);
    scene.placements.push((mesh, transform));
    let center = look(&scene, &run).0.unwrap();
    assert_eq!(*center.locals, [center.origin]);
}

#[test]
fn details_of_a_room_that_float32_holds_do_not_move_it() {
    let as_f32 = |points: Vec<[f64; 3]>| points.into_iter().map(|p| p.map(|x| x as f32));
    // Half of its triangles, of which half a step is three thousandths; and a tenth of a room that lies far from zero, of which
    // it is more than a hundredth.
    let at_zero = ([-1000.0, -1000.0, 0.0], 250.0, [1000.0, 0.0, 0.0], 0.01, 1);
    let far = ([10_000.0, 0.0, 0.0], 50.0, [10_200.0, 0.0, 0.0], 0.02, 9);
    for (corner, cell, at, fine, times) in [at_zero, far] {
        let (room, indices) = sheet(corner, cell);
        let (detail, _) = sheet(at, fine);
        let positions: Vec<[f32; 3]> = as_f32(room).chain(as_f32(detail)).collect();
        let fine = indices.iter().map(|corners| corners.map(|i| i + 81));
        let indices = indices.iter().copied().cycle().take(times * 128).chain(fine).collect();
        let (scene, run) = placed(positions, indices, &[HERE]);
        let (better, found) = look(&scene, &run);
        assert!(better.is_none() && found.warning().is_none(), "{corner:?}: {better:?} {found:?}");
    }
}

#[test]
fn the_centre_of_a_mesh_is_where_most_of_it_is() {
    let far = [691_000.0, 5_334_000.0, 520.0];
    let run = Center::new([0.0; 3], vec![far]);
    for stray in 0..5 {
        let mut wide: Vec<[f64; 3]> = (0..4).map(|i| std::array::from_fn(|k| far[k] + 0.1 * f64::from(i))).collect();
        wide.insert(stray, [0.0; 3]);
        let mut rounder = run.in_mesh();
        let mut positions: Vec<[f32; 3]> = wide.iter().map(|&position| rounder.round(position)).collect();
        rounder.settle(&mut positions);
        assert_eq!(rounder.at(), far);
        assert_eq!(positions[stray], far.map(|x| -x as f32));
        let moved = wide.iter().map(|p| minus(*p, far).map(|x| x as f32));
        assert_eq!(positions, moved.collect::<Vec<_>>());
    }
}

#[test]
fn each_survey_that_is_placed_has_a_centre_of_its_own() {
    // 150 km apart, and beside each other in the scene.
    let corners = [[691_000.5, 5_334_000.25, 520.0], [650_000.5, 5_480_000.25, 300.0]];
    let (mut scene, mut run) = (Scene::default(), Center::default());
    for (corner, x) in corners.iter().zip([0.0, 3.0]) {
        let (points, indices) = sheet(*corner, 0.1);
        let mut rounder = run.in_mesh();
        let mut positions: Vec<[f32; 3]> = points.into_iter().map(|p| rounder.round(p)).collect();
        rounder.settle(&mut positions);
        let mesh = scene.add_mesh(TriangleMesh { positions, indices, ..TriangleMesh::default() });
        run.note_mesh(mesh, &rounder);
        let world = shift([x - corner[0], -corner[1], -corner[2]]);
        let transform = run.place(scene.placements.len(), &world, rounder.at());
        scene.placements.push((mesh, transform));
    }
    let center = look(&scene, &run).0.unwrap();
    assert_eq!((center.origin, center.locals.len()), ([0.0; 3], 2));
}

/// Returns a scene of one unrounded mesh with an instance for each of `worlds`.
fn placed(positions: Vec<[f32; 3]>, indices: Vec<[u32; 3]>, worlds: &[[[f64; 4]; 3]]) -> (Scene, Center) {
    let (mut scene, mut run) = (Scene::default(), Center::default());
    let triangles = TriangleMesh { positions, indices, ..TriangleMesh::default() };
    let mesh = scene.add_mesh(triangles);
    for world in worlds {
        let transform = run.place(scene.placements.len(), world, [0.0; 3]);
        scene.placements.push((mesh, transform));
    }
    (scene, run)
}

#[test]
fn what_is_said_to_move_is_moved() {
    // A triangle of a thousand half units of its largest numbers, at the place of numbers that f32 holds and of others.
    let triangle = |at: f32| vec![[at, 0.0, 0.0], [at + 0.25, 0.0, 0.0], [at, 0.25, 0.0]];
    let look_at = |positions, world| {
        let (scene, run) = placed(positions, vec![[0, 1, 2]], &[world]);
        rounding(&scene, &run)
    };
    let shift = |x: f64| shift([x, 0.0, 0.0]);
    assert_eq!(look_at(triangle(0.0), shift(512_345.25)).hurt, 0);
    assert_eq!(look_at(triangle(512_345.25), shift(-512_345.0)).hurt, 0);
    // Half a unit is 1/64 there; the file's number is 0.01 off, and both are rounded once.
    let moved = look_at(triangle(0.0), shift(512_345.26));
    assert_eq!(moved.hurt, 1);
    assert!((moved.share - 0.01 / 0.25).abs() < 1e-3, "{moved:?}");
    // What is rounded again when it is placed.
    let moved = look_at(vec![[0.0, 0.0, 0.0], [0.26, 0.0, 0.0], [0.0, 0.26, 0.0]], shift(512_345.25));
    assert_eq!(moved.hurt, 1);
    assert!((moved.share - 0.01 / 0.26).abs() < 1e-3, "{moved:?}");
}

#[test]
fn a_mesh_that_rounding_moved_says_nothing_of_another() {
    let (mut scene, mut run) = scene(&[([0.1, 0.2, 0.3], 1.1)]);
    let noted = std::mem::take(&mut run.moved);
    run.meshes.insert(0, noted);
    // Slivers as f32 has them, of few steps.
    let step = f32::EPSILON;
    let positions = vec![[1.0, 1.0, 0.0], [1.0 + step, 1.0, 0.0], [1.0, 1.0 + 3.0 * step, 0.0]];
    let triangles = TriangleMesh { positions, indices: vec![[0, 1, 2]; 9], ..TriangleMesh::default() };
    let mesh = scene.add_mesh(triangles);
    scene.placements.push((mesh, Affine::IDENTITY));
    assert_eq!(rounding(&scene, &run).hurt, 0);
    run.meshes.insert(mesh, noted);
    assert_eq!(rounding(&scene, &run).hurt, 9);
}

#[test]
fn coordinates_of_float32_that_are_coarser_than_their_triangles_are_said() {
    let sheet_of = |corner, size| {
        let (points, indices) = sheet(corner, size);
        placed(points.iter().map(|p| p.map(|x| x as f32)).collect(), indices, &[HERE])
    };
    let (scene, run) = sheet_of([512_345.1, 5_412_345.3, 120.0], 0.01);
    let said = coarse(&scene, &run);
    assert!(matches!(said, Some(RoundingWarning::File { triangles: 128, step: 0.5, .. })), "{said:?}");
    for (corner, size) in [([0.0; 3], 1e-9), ([512_345.1, 5_412_345.3, 120.0], 10.0), ([1.0, 2.0, 3.0], 0.001)] {
        let (scene, run) = sheet_of(corner, size);
        assert_eq!(coarse(&scene, &run), None, "{corner:?} {size}");
    }
    // Triangles that their file has as lines and points, at any place, are only these.
    let (mut scene, run) = sheet_of([5.0, 6.0, 7.0], 1.0);
    scene.meshes[0].indices.iter_mut().for_each(|corners| *corners = [corners[0]; 3]);
    assert_eq!(coarse(&scene, &run), None);
    let (mut scene, run) = sheet_of([5.0, 6.0, 7.0], 1.0);
    let indices = &mut scene.meshes[0].indices;
    indices.iter_mut().step_by(2).for_each(|corners| *corners = [corners[0]; 3]);
    assert_eq!(coarse(&scene, &run), None);
    // So are those of a file that has no others.
    scene.meshes[0].indices.iter_mut().for_each(|corners| *corners = [0, 1, 0]);
    assert_eq!(coarse(&scene, &run), None);
}

#[test]
fn slivers_of_a_mesh_that_float32_holds_are_not_said_and_a_part_that_it_does_not_hold_is() {
    let world = |corner, size, copies: usize| {
        let (points, indices) = sheet(corner, size);
        (points.iter().map(|p| p.map(|x| x as f32)).collect::<Vec<_>>(), indices.repeat(copies))
    };
    let shift = shift([1000.3, 0.0, 0.0]);
    let (mut positions, mut indices) = world([0.0; 3], 10.0, 8);
    let small = positions.len() as u32;
    positions.extend([[0.0; 3], [0.0001, 0.0, 0.0], [0.0, 0.0001, 0.0]]);
    indices.push([small, small + 1, small + 2]);
    let (scene, run) = placed(positions, indices, &[shift]);
    let rounding_of_slivers = rounding(&scene, &run);
    assert_eq!((rounding_of_slivers.hurt, rounding_of_slivers.plain), (1, 1));
    assert!(rounding_of_slivers.warning().is_none());
    // The same triangle as a mesh of its own.
    let (mut scene, mut run) = placed(world([0.0; 3], 10.0, 8).0, world([0.0; 3], 10.0, 8).1, &[shift]);
    let triangles = TriangleMesh {
        positions: vec![[0.0; 3], [0.0001, 0.0, 0.0], [0.0, 0.0001, 0.0]],
        indices: vec![[0, 1, 2]],
        ..TriangleMesh::default()
    };
    let mesh = scene.add_mesh(triangles);
    scene.placements.push((mesh, run.place(1, &shift, [0.0; 3])));
    let said = rounding(&scene, &run).warning();
    assert!(matches!(said, Some(RoundingWarning::Corners { hurt: 1, triangles: 1025, .. })), "{said:?}");
}

#[test]
fn copies_of_a_mesh_with_a_sliver_are_not_taken_for_slivers() {
    let (mut scene, run) = placed(
        vec![[0.0; 3], [0.0001, 0.0, 0.0], [0.0, 0.0001, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [vec![[0, 1, 2]], vec![[0, 3, 4]; 1999]].concat(),
        &[shift([1000.3, 0.0, 0.0])],
    );
    let copies = 2 * MOST_LOOKED;
    scene.placements = vec![scene.placements[0]; copies as usize];
    let found = look_under(&scene, &run, None, MOST_LOOKED).rounding;
    assert!(found.is_estimate && found.triangles == 2000 * copies, "{found:?}");
    assert!((found.plain as f64 / copies as f64 - 1.0).abs() < 0.3, "{found:?}");
    assert_eq!((found.parts, found.warning()), (0, None));
}
