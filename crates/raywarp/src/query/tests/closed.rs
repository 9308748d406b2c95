//! What is closed is decided in a mesh's own positions, whatever the levels.

use super::*;
use raywarp_testing::Random;

/// The cube, in which one triangle has a corner next to that of its neighbours: `up` half-ulps from it.
fn nearly_closed(up: u32) -> Vec<[[f32; 3]; 3]> {
    let mut triangles: Vec<_> = CUBE_INDICES.iter().map(|corners| corners.map(|v| CUBE[v as usize])).collect();
    let x = &mut triangles[2][1][0];
    *x = f32::from_bits(x.to_bits() + up);
    triangles
}

const FAR: f64 = 1024.0;
const OPEN: u64 = 4;

/// Returns a scene of meshes, three vertices a triangle, and their placements.
fn scene(meshes: &[Vec<[f32; 3]>], places: &[(usize, Affine64)], levels: Levels) -> Scene {
    let mut builder = Scene::builder();
    let ids: Vec<_> = meshes.iter().map(|mesh| builder.mesh(mesh, Indices::IN_ORDER)).collect();
    places.iter().for_each(|(mesh, place)| _ = builder.instance(ids[*mesh], *place, u32::MAX, 0));
    built(builder, levels)
}

#[test]
fn corners_that_a_placement_joins_by_rounding_close_nothing() {
    let [whole, near] = [0, 1].map(|up| nearly_closed(up).concat());
    let far = Affine64::translation([FAR, 0.0, 0.0]);
    let thin = far.after(&Affine64::scale([1.0, 1.0, 1e-16]));
    // Rounding does join them: flattened first, the mesh is closed.
    let flat: Vec<[f32; 3]> = near.iter().map(|p| far.rounded().point(*p)).collect();
    assert!(scene(&[flat], &[(0, Affine64::IDENTITY)], Levels::One).is_closed());
    let here = Affine64::IDENTITY;
    let turned = far.after(&Affine64::rotation(30.0, [1.0, 2.0, 3.0]));
    type Places<'a> = &'a [(usize, Affine64)];
    let cases: [(Places<'_>, Option<u32>); 8] = [
        (&[(1, far)], Some(0)),
        (&[(0, far), (0, here), (0, thin), (0, turned)], None),
        (&[(0, far), (1, here)], Some(1)),
        (&[(0, here), (1, far), (1, here)], Some(1)),
        (&[(0, far), (0, turned), (1, turned), (1, far)], Some(2)),
        (&[(0, here), (1, thin)], Some(1)),
        (&[(0, thin), (1, thin), (1, turned)], Some(1)),
        (&[], None),
    ];
    for levels in [Levels::One, Levels::Auto, Levels::Two] {
        for (places, first) in cases {
            let open = first.map(|instance| NotClosed { instance, open_edges: OPEN });
            let scene = scene(&[whole.clone(), near.clone()], places, levels);
            assert_eq!(scene.closed(), open.map_or(Ok(()), Err), "{levels:?} {places:?}");
            // Edits know it too, of meshes that they keep and of those that they do not.
            let mut edit = scene.edit();
            let mesh = edit.mesh(&near, Indices::IN_ORDER);
            edit.instance(mesh, far, u32::MAX, 0);
            let edited = edit.commit(&Control::default()).unwrap();
            let last = NotClosed { instance: places.len() as u32, open_edges: OPEN };
            assert_eq!(edited.closed(), Err(open.unwrap_or(last)), "{levels:?} {places:?}");
            let mut edit = edited.into_edit();
            edit.set_mesh(mesh, &whole, Indices::IN_ORDER);
            let edited = edit.commit(&Control::default()).unwrap();
            assert_eq!(edited.closed(), open.map_or(Ok(()), Err), "{levels:?} {places:?}");
        }
    }
}

#[test]
fn open_edges_are_the_same_number_in_one_level_and_in_two() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut mesh = || {
            let mut triangles = nearly_closed(random.below(2) as u32);
            for _ in 0..random.below(4) {
                match random.below(3) {
                    0 => _ = triangles.remove(random.below(triangles.len())),
                    1 => triangles.push(triangles[random.below(triangles.len())]),
                    _ => triangles[random.below(8)].swap(0, 1),
                }
            }
            triangles.concat()
        };
        let meshes = [mesh(), nearly_closed(0).concat(), mesh()];
        let places: Vec<(usize, Affine64)> = (0..1 + random.below(5))
            .map(|_| {
                let away = Affine64::translation([0.0, FAR, f64::from(random.word() % 9)]);
                let scales = [1.0, if random.below(3) == 0 { 1e-16 } else { -0.3 }, 2.0];
                let place = [Affine64::IDENTITY, away, away.after(&Affine64::scale(scales))][random.below(3)];
                (random.below(3), place)
            })
            .collect();
        let found = [Levels::One, Levels::Auto, Levels::Two].map(|levels| scene(&meshes, &places, levels).closed());
        let of =
            |mesh: &Vec<[f32; 3]>| scene(std::slice::from_ref(mesh), &[(0, Affine64::IDENTITY)], Levels::Two).closed();
        let alone = meshes.each_ref().map(of);
        let first = (0..).zip(&places).find_map(|(instance, (mesh, _))| {
            alone[*mesh].err().map(|NotClosed { open_edges, .. }| NotClosed { instance, open_edges })
        });
        assert_eq!(found, [first.map_or(Ok(()), Err); 3], "{seed} {places:?}");
    }
}
