//! Rooms are seen from inside, and what is open or solid from outside.

use super::{add, cuboid, figure, room, show, sphere, turned_over};
use raywarp::TriangleMesh;
use raywarp::device::Plan;
use raywarp::render::{CameraRequest, Darkness, Picture, PictureNote, PictureRequest, Prepared};
use raywarp::scene::{Description, Material};

#[test]
fn a_closed_room_is_seen_from_inside_and_the_line_names_the_view() {
    for scale in [1e-6, 1.0, 1e6] {
        let mut scene = room();
        for mesh in &mut scene.meshes {
            mesh.triangles.positions.iter_mut().flatten().for_each(|x| *x *= scale);
        }
        let mut prepared = Prepared::new(scene, &Plan::default()).unwrap();
        let picture = Picture::settle(&mut prepared, &PictureRequest::default()).unwrap();
        let view = from_inside(&picture.notes).expect("it is a room").0.clone();
        let eye = picture.camera.eye.map(|x| x / scale);
        assert!(eye.iter().zip([6.0, 3.0, 6.0]).all(|(x, side)| (0.0..side).contains(x)), "{eye:?}");
        assert!((1.5..1.8).contains(&eye[1]), "{eye:?}: the eye's height");
        // What the note says gives the same camera.
        let again = PictureRequest { camera: view, ..PictureRequest::default() };
        assert_eq!(Picture::settle(&mut prepared, &again).unwrap().camera, picture.camera);
    }
}

#[test]
fn nobody_stands_inside_of_furniture() {
    let mut scene = Description::default();
    let walls = turned_over(cuboid([0.0; 3], [6.0, 2.8, 5.0], None));
    add(&mut scene, walls, Material::diffuse("", [0.7; 3]));
    add(&mut scene, cuboid([1.5, 0.0, 1.2], [4.5, 2.4, 3.8], None), Material::diffuse("", [0.7; 3]));
    let picture = show(scene, PictureRequest::default()).picture;
    assert!(from_inside(&picture.notes).is_some(), "{:?}", picture.notes);
    let [x, _, z] = picture.camera.eye;
    assert!(!((1.5..4.5).contains(&x) && (1.2..3.8).contains(&z)), "{x} {z}");
}

/// A scene of such surfaces.
fn of(meshes: impl IntoIterator<Item = TriangleMesh>) -> Description {
    let mut scene = Description::default();
    meshes.into_iter().for_each(|mesh| add(&mut scene, mesh, Material::diffuse("", [0.7; 3])));
    scene
}

fn notes(scene: Description) -> Vec<PictureNote> {
    show(scene, PictureRequest::default()).picture.notes
}

/// The view from inside and the position outside, if notes say that a room is seen from inside.
fn from_inside(notes: &[PictureNote]) -> Option<(&CameraRequest, Option<[f64; 3]>)> {
    notes.iter().find_map(|note| match note {
        PictureNote::FromInside { view, outside, .. } => Some((&**view, *outside)),
        _ => None,
    })
}

/// Whether notes say how to see what is inside of a framed scene; `None` if none is said to be framed.
fn is_looked_into(notes: &[PictureNote]) -> Option<bool> {
    notes.iter().find_map(|note| match note {
        PictureNote::Framed { open_side: false, content } => Some(content.is_some()),
        _ => None,
    })
}

#[track_caller]
fn check_inside(what: &str, scene: Description, inside: bool) {
    let notes = notes(scene);
    assert_eq!(from_inside(&notes).is_some(), inside, "{what}: {notes:?}");
}

#[test]
fn what_is_open_or_solid_is_seen_from_outside() {
    check_inside("a room", room(), true);
    assert_eq!(from_inside(&notes(room())).unwrap().1, None);
    // A stage, a house without a roof, an empty box, a figure.
    for skip in 0..6 {
        let mut scene = room();
        scene.meshes[0].triangles = turned_over(cuboid([0.0; 3], [6.0, 3.0, 6.0], Some(skip)));
        check_inside(&format!("without side {skip}"), scene, false);
    }
    check_inside("a box", of([cuboid([0.0; 3], [6.0, 3.0, 6.0], None)]), false);
    // A door with panels in it, which is as thin as one; an empty jar, whose wall has an inner and an outer surface.
    let mut door = room();
    for mesh in &mut door.meshes {
        mesh.triangles.positions.iter_mut().for_each(|p| p[2] *= 0.1);
    }
    check_inside("a door", door, false);
    let jar = of([cuboid([0.0; 3], [2.0; 3], None), turned_over(cuboid([0.1; 3], [1.9; 3], None))]);
    check_inside("a jar", jar, false);
    check_inside("a figure", figure(0.7), false);
    check_inside("a ball that is turned inside out", of([turned_over(sphere([0.0; 3], 1.0))]), false);
}

#[test]
fn a_room_on_a_wide_ground_or_with_something_far_away_is_a_room() {
    let ground = || cuboid([-400.0, -0.2, -300.0], [300.0, -0.1, 400.0], None);
    let far = || cuboid([1e5, 0.0, 0.0], [1e5 + 1.0, 1.0, 1.0], None);
    let boxes = |scene: &mut Description| {
        for i in 0..25 {
            let [x, z] = [i % 5, i / 5].map(|step| 0.4 + 1.2 * step as f32);
            add(scene, cuboid([x, 0.0, z], [x + 0.3, 0.4, z + 0.3], None), Material::diffuse("", [0.7; 3]));
        }
    };
    // Without its floor it has the ground's.
    for (beside, floor) in [(ground(), Some(2)), (far(), None)] {
        for skip in [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)] {
            let mut scene = room();
            scene.meshes[0].triangles = turned_over(cuboid([0.0; 3], [6.0, 3.0, 6.0], skip));
            boxes(&mut scene);
            add(&mut scene, beside.clone(), Material::diffuse("", [0.7; 3]));
            let is_room = skip.is_none() || skip == floor;
            check_inside(&format!("without {skip:?}"), scene.clone(), is_room);
            let height = show(scene, PictureRequest::default()).picture.camera.eye[1];
            assert!(!is_room || (1.4..1.9).contains(&height), "{skip:?} {floor:?} {height}");
        }
        let mut scene = figure(0.7);
        boxes(&mut scene);
        add(&mut scene, beside, Material::diffuse("", [0.7; 3]));
        check_inside("a figure", scene, false);
    }
}

/// A surface of revolution about the y axis: facing outwards where the profile (radius, height) goes up along its outside.
fn lathed(profile: &[[f32; 2]]) -> TriangleMesh {
    let around = 48u32;
    let mut mesh = TriangleMesh::default();
    for (row, &[radius, y]) in (0u32..).zip(profile) {
        for column in 0..around {
            let (sin, cos) = (column as f32 / around as f32 * std::f32::consts::TAU).sin_cos();
            mesh.positions.push([radius * cos, y, radius * sin]);
            if row > 0 {
                let [a, b] = [column, (column + 1) % around].map(|column| (row - 1) * around + column);
                mesh.indices.extend([[a, a + around, b + around], [a, b + around, b]]);
            }
        }
    }
    mesh
}

#[test]
fn a_hollow_object_is_seen_from_outside() {
    for inner in [0.97, 0.95, 0.93, 0.9] {
        let ball = [sphere([0.3, 5.0, 0.1], 1.0), turned_over(sphere([0.3, 5.0, 0.1], inner))];
        check_inside(&format!("a hollow ball of {inner}"), of(ball), false);
    }
    for (wall, neck) in [(0.02, 0.2), (0.03, 0.4), (0.04, 0.3)] {
        let outer = [[0.001, 0.0], [0.5, 0.0], [0.7, 0.5], [0.5, 1.2], [neck, 1.5], [neck + 0.05, 1.7]];
        let inner = [[0.001, wall], [0.5 - wall, wall], [0.7 - wall, 0.5], [0.5 - wall, 1.2], [neck - wall, 1.5]];
        let rim = [[neck + 0.05 - wall, 1.7]];
        let profile: Vec<[f32; 2]> = outer.into_iter().chain(rim).chain(inner.into_iter().rev()).collect();
        check_inside(&format!("a vase of {wall} and {neck}"), of([lathed(&profile)]), false);
    }
    // Walls whose inner surface goes through places of the grid.
    let shell = [cuboid([0.0; 3], [2.0, 1.0, 1.0], None), turned_over(cuboid([0.1; 3], [1.9, 0.9, 0.9], None))];
    check_inside("a box with walls of a tenth", of(shell), false);
    // What stands in it makes no room of it; the line looks at that.
    let ball = |center, radius| turned_over(sphere(center, radius));
    let full = [sphere([0.0; 3], 1.0), ball([0.0; 3], 0.95), sphere([0.0, -0.5, 0.0], 0.3)];
    let said = notes(of(full));
    assert_eq!((from_inside(&said), is_looked_into(&said)), (None, Some(true)), "{said:?}");
    let thin = |things: &[TriangleMesh]| {
        let walls = [cuboid([0.0; 3], [4.0, 3.0, 3.0], None), turned_over(cuboid([0.03; 3], [3.97, 2.97, 2.97], None))];
        of(walls.into_iter().chain(things.iter().cloned()))
    };
    check_inside("a carton with a thing in it", thin(&[cuboid([1.0, 0.04, 1.0], [2.0, 2.0, 2.0], None)]), false);
}

#[test]
fn a_furnished_room_with_the_outside_of_its_walls_is_a_room() {
    let table = || cuboid([2.0, 0.0, 1.5], [3.2, 0.8, 2.3], None);
    let chair = || cuboid([4.0, 0.0, 2.0], [4.5, 1.0, 2.5], None);
    let room = |wall: f32| {
        let outside = cuboid([-wall; 3], [6.0 + wall, 2.7 + wall, 4.0 + wall], None);
        [turned_over(cuboid([0.0; 3], [6.0, 2.7, 4.0], None)), outside]
    };
    for wall in [0.1, 0.2, 0.4] {
        let furnished = of(room(wall).into_iter().chain([table(), chair()]));
        check_inside(&format!("walls of {wall}"), furnished.clone(), true);
        // The note says how to see it from outside, which a room without an outside has not.
        let said = notes(furnished);
        let (view, eye) = from_inside(&said).unwrap();
        let eye = eye.expect("an eye outside");
        assert_eq!(view.vfov, Some(60.0));
        assert!(eye[0] > 7.0 && eye[1] > 3.0 && eye[2] > 5.0, "{said:?}");
        check_inside(&format!("walls of {wall} about nothing"), of(room(wall)), false);
    }
}

#[test]
fn closed_skins_within_each_other_are_a_solid_and_the_line_says_how_to_look_in() {
    let nested = [cuboid([0.0; 3], [1.0; 3], None), cuboid([0.1; 3], [0.9; 3], None)];
    check_inside("a box in a box", of(nested), false);
    let parts =
        || [cuboid([0.2; 3], [0.4, 0.5, 0.4], None), cuboid([0.6, 0.2, 0.6], [0.8, 0.4, 0.8], None)].into_iter();
    let case = notes(of(parts().chain([cuboid([0.0; 3], [1.0; 3], None)])));
    assert_eq!(is_looked_into(&case), Some(true), "{case:?}");
    // Two solids beside each other are in no case.
    let beside = notes(of([cuboid([0.0; 3], [1.0; 3], None), cuboid([1.1, 0.0, 0.0], [2.0, 1.0, 1.0], None)]));
    assert_eq!(is_looked_into(&beside), Some(false), "{beside:?}");
    // The same parts in a box that shows its fronts inwards are in a room, and so they are where every second
    // triangle of all is turned over.
    let mut furnished = of(parts().chain([turned_over(cuboid([0.0; 3], [1.0; 3], None))]));
    check_inside("a room with things in it", furnished.clone(), true);
    for mesh in &mut furnished.meshes {
        mesh.triangles.indices.iter_mut().step_by(2).for_each(|corners| corners.swap(1, 2));
    }
    check_inside("a room whose triangles are turned as it comes", furnished, true);
    let mut turned_as_it_comes = cuboid([0.0; 3], [1.0; 3], None);
    turned_as_it_comes.indices.iter_mut().step_by(2).for_each(|corners| corners.swap(1, 2));
    check_inside("a box whose triangles are", of([turned_as_it_comes]), false);
}

/// A wall of 6 x 2.7 at z = 0 with a hole in its middle whose sides are so much of the wall's.
fn wall_with_window(share: f32) -> TriangleMesh {
    let corner = |share: f32| {
        let (x, y) = (3.0 * share, 1.35 * share);
        [[3.0 - x, 1.35 - y, 0.0], [3.0 + x, 1.35 - y, 0.0], [3.0 + x, 1.35 + y, 0.0], [3.0 - x, 1.35 + y, 0.0]]
    };
    let positions = [corner(1.0), corner(share)].concat();
    let indices = (0..4u32).flat_map(|i| [[i, (i + 1) % 4, 4 + (i + 1) % 4], [i, 4 + (i + 1) % 4, 4 + i]]).collect();
    TriangleMesh { positions, indices, ..TriangleMesh::default() }
}

#[test]
fn a_room_needs_no_furniture() {
    check_inside("an empty room", of([turned_over(cuboid([0.0; 3], [6.0, 2.7, 4.0], None))]), true);
    for window in [0.2, 0.4, 0.6] {
        let walls = turned_over(cuboid([0.0; 3], [6.0, 2.7, 4.0], Some(4)));
        let table = cuboid([1.0, 0.0, 2.0], [2.0, 0.8, 3.0], None);
        check_inside(&format!("a window of {window}"), of([walls, wall_with_window(window), table]), true);
    }
}

#[test]
fn a_court_is_seen_from_inside_and_called_open_above() {
    // Under a roof with an opening over a tenth of the floor.
    let strip = |x: [f32; 2], z: [f32; 2]| {
        let positions = vec![[x[0], 4.0, z[0]], [x[1], 4.0, z[0]], [x[1], 4.0, z[1]], [x[0], 4.0, z[1]]];
        TriangleMesh { positions, indices: vec![[0, 1, 2], [0, 2, 3]], ..TriangleMesh::default() }
    };
    let (wide, opening, along) = (10.0, [2.5f32, 7.5], [4.0, 6.0]);
    let court = of([
        turned_over(cuboid([0.0; 3], [wide, 4.0, wide], Some(3))),
        strip([0.0, opening[0]], [0.0, wide]),
        strip([opening[1], wide], [0.0, wide]),
        strip(opening, [0.0, along[0]]),
        strip(opening, [along[1], wide]),
    ]);
    let said = notes(court);
    assert!(said.iter().any(|note| matches!(note, PictureNote::FromInside { open_above: true, .. })), "{said:?}");
    assert!(said.contains(&PictureNote::StudioAdded { darkness: Darkness::NoLight }), "{said:?}");
}

#[test]
fn in_a_tall_hall_the_eye_is_lower_than_half_its_height() {
    let eye_height = |height: f32, arcades: &[TriangleMesh]| {
        let hall = turned_over(cuboid([0.0; 3], [6.0, height, 6.0], None));
        let picture = show(of([hall].into_iter().chain(arcades.iter().cloned())), PictureRequest::default()).picture;
        f64::from(picture.camera.eye[1]) / f64::from(height)
    };
    for (height, share) in [(1.5, 0.55..0.5501), (3.0, 0.549..0.551), (15.0, 0.27..0.35), (22.0, 0.2..0.24)] {
        let eye = eye_height(height, &[]);
        assert!((share.start - 1e-3..share.end + 1e-3).contains(&eye), "{height}: {eye}");
    }
    // Arcades of a third of the height along both sides of what is wide enough.
    let arcade = |x: f32| cuboid([x, 2.0, 0.0], [x + 2.0, 2.2, 6.0], None);
    let eye = eye_height(6.0, &[arcade(0.0), arcade(4.0)]);
    assert!((0.19..0.25).contains(&eye), "{eye}");
}
