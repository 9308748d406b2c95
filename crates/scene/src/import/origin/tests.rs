use super::*;
use crate::{FaceMaterials, Instance, Material, Mesh};

/// A sheet of 8 x 8 cells of `size` from `corner` on, as f64 corners and its triangles.
fn sheet(corner: [f64; 3], size: f64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let point = |i: usize| {
        let (x, y) = ((i % 9) as f64, (i / 9) as f64);
        [corner[0] + x * size, corner[1] + y * size, corner[2] + size * (x * 1.7 + y * 0.9).sin()]
    };
    let cells = (0..8).flat_map(|y| (0..8).map(move |x| 9 * y + x));
    ((0..81).map(point).collect(), cells.flat_map(|a| [[a, a + 1, a + 9], [a + 1, a + 10, a + 9]]).collect())
}

/// A scene of sheets, rounded as an importer would.
fn scene(sheets: &[([f64; 3], f64)]) -> (Scene, Center) {
    let mut scene = Scene::default();
    let material = scene.add_material(Material::diffuse("", [0.7; 3]));
    let mut center = Center::default();
    for &(corner, size) in sheets {
        let (points, indices) = sheet(corner, size);
        let mut rounder = center.in_world();
        let positions = points.into_iter().map(|p| rounder.round(p)).collect();
        center.note(&rounder);
        let triangles = TriangleMesh { positions, indices, ..TriangleMesh::default() };
        let mesh = scene.add_mesh(Mesh { name: String::new(), triangles, materials: FaceMaterials::Uniform(material) });
        scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
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
    assert!(!all.is_estimate && !all.warning().unwrap().contains("about"));
    let copies = MOST_LOOKED / all.triangles * 5 / 2;
    scene.instances = vec![scene.instances[0].clone(); copies as usize];
    let (same, many) = look(&scene, &run);
    let (same, center) = (same.unwrap().origin, center.unwrap().origin);
    assert!((0..3).all(|i| (same[i] - center[i]).abs() <= 1.0), "{same:?} {center:?}");
    assert!(many.is_estimate && many.triangles == copies * all.triangles, "{many:?}");
    let (hurt, want) = (many.hurt as f64, (copies * all.hurt) as f64);
    assert!((hurt / want - 1.0).abs() < 0.1, "{hurt} {want}");
    assert!(many.warning().unwrap().contains("corners of about "));
}
