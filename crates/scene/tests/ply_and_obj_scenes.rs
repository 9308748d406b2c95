//! The scenes in RAYWARP_SCENES: they load, and hold as many triangles as their README says.

use raywarp_scene::{Description, LoadOptions, Loaded, load};
use raywarp_testing::scenes;

fn load_scene(folder: &std::path::Path, name: &str) -> Loaded {
    load(&folder.join(name), &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Smallest and largest coordinates of all vertices of a scene of untransformed instances.
fn bounds(scene: &Description) -> ([f32; 3], [f32; 3]) {
    let points = || scene.meshes.iter().flat_map(|m| &m.triangles.positions);
    let fold = |pick: fn(f32, f32) -> f32| {
        points().copied().reduce(|a, b| std::array::from_fn(|i| pick(a[i], b[i]))).unwrap_or_default()
    };
    (fold(f32::min), fold(f32::max))
}

#[test]
fn every_ply_scene_has_the_triangles_and_the_box_that_its_readme_says() {
    let Some(folder) = scenes() else { return };
    #[rustfmt::skip]
    let table: [(&str, u64, [f32; 6]); 17] = [
        ("sibenik/sibenik.ply.gz", 75_284, [-20.141, -15.312, -8.4968, 20.141, 15.3, 8.4968]),
        ("conference/conference.ply.gz", 331_179, [-1020.1, -2.7924, -1055.7, 1685.8, 650.29, 668.49]),
        ("dabrovic_sponza/dabrovic_sponza.ply.gz", 66_454, [-17.403, -0.90669, -7.7985, 17.417, 15.653, 7.8015]),
        ("crytek_sponza/crytek_sponza.ply.gz", 262_205, [-192.09, -12.644, -118.28, 179.99, 142.94, 110.54]),
        ("bmw_m6/bmw_m6.ply.gz", 792_746, [-23.974, -1.433, -28.291, 25.881, 13.435, 26.584]),
        ("kitchen/kitchen.ply.gz", 1_443_517, [-3.1387, -0.020776, -3.1837, 3.7774, 3.3639, 5.4706]),
        ("bathroom2/bathroom2.ply.gz", 1_016_615, [-20.143, -2.4551, -22.947, 18.967, 36.955, 53.532]),
        ("living_room/living_room.ply.gz", 143_163, [-0.51343, -0.003062, -3.6354, 5.1227, 2.8791, 0.59284]),
        ("classroom/classroom.ply.gz", 103_832, [-110.81, -0.16566, -110.81, 110.81, 3.0556, 110.81]),
        ("hairball_synthetic/hairball_synthetic.ply.gz", 864_000, [-1.5858, -1.715, -1.6438, 1.6229, 1.6083, 1.753]),
        ("models/dragon.ply.gz", 100_000, [-7.0467, 0.0, -3.1513, 7.0467, 9.9399, 3.1513]),
        ("models/dragon_vrip_res3.ply.gz", 47_794, [-0.10767, 0.052774, -0.050051, 0.095982, 0.19664, 0.040826]),
        ("models/buddha.ply.gz", 100_000, [-0.46096, -1.0022, -0.32388, 0.35222, 0.9775, 0.49018]),
        ("models/bunny.ply.gz", 69_451, [-1.4204, 0.4948, -0.92811, 0.91514, 2.8098, 0.882]),
        ("models/teapot.ply.gz", 6_320, [-3.0, 0.0, -2.0, 3.434, 3.15, 2.0]),
        ("models/spot.ply.gz", 5_856, [-0.47155, -0.73678, -0.66891, 0.47155, 0.95365, 1.049]),
        ("san_miguel/geometry/static.ply.gz", 924_673, [f32::NAN; 6]),
    ];
    for (name, triangles, want) in table {
        let Loaded { scene, warnings, .. } = load_scene(&folder, name);
        assert_eq!(scene.triangle_count(), triangles, "{name}");
        assert_eq!(warnings, [], "{name}");
        let (min, max) = bounds(&scene);
        for (got, want) in min.into_iter().chain(max).zip(want) {
            // The README gives five digits.
            assert!(want.is_nan() || (got - want).abs() <= 1e-4 * want.abs() + 1e-4, "{name}: {got}, not {want}");
        }
    }
}

#[test]
fn the_three_forms_of_a_cube_are_the_same_mesh() {
    let Some(folder) = scenes() else { return };
    let mesh = |name: &str| load_scene(&folder, name).scene.meshes.remove(0).triangles;
    let ascii = mesh("loader_tests/ply/cube_ascii.ply");
    assert_eq!(ascii.indices.len(), 13);
    assert_eq!(mesh("loader_tests/ply/cube_le.ply"), ascii);
    assert_eq!(mesh("loader_tests/ply/cube_be.ply"), ascii);
    let odd = mesh("loader_tests/ply/quad_be_odd.ply");
    assert_eq!((odd.indices.len(), odd.normals.len(), odd.uvs.len()), (2, 4, 4));
}

#[test]
fn every_obj_scene_has_the_triangles_that_its_readme_says() {
    let Some(folder) = scenes() else { return };
    let table = [
        ("cornell_box/CornellBox-Original.obj", 36),
        ("cornell_box/CornellBox-Mirror.obj", 36),
        ("cornell_box/CornellBox-Glossy.obj", 1_112),
        ("cornell_box/CornellBox-Glossy-Floor.obj", 1_112),
        ("cornell_box/CornellBox-Sphere.obj", 2_188),
        ("cornell_box/CornellBox-Water.obj", 7_088),
        ("cornell_box/CornellBox-Empty-CO.obj", 12),
        ("cornell_box/CornellBox-Empty-RG.obj", 12),
        ("cornell_box/CornellBox-Empty-White.obj", 12),
        ("crytek_sponza/crytek_sponza.obj.gz", 262_205),
        ("loader_tests/obj/negative.obj", 12),
        ("loader_tests/obj/interleaved_negative.obj", 2),
        ("loader_tests/obj/pentagon.obj", 3),
        ("loader_tests/obj/vertex_colours.obj", 1),
    ];
    for (name, triangles) in table {
        let Loaded { scene, warnings, .. } = load_scene(&folder, name);
        assert_eq!(scene.triangle_count(), triangles, "{name}");
        for warning in warnings {
            println!("{warning}");
        }
    }
}

#[test]
fn the_lights_of_the_cornell_boxes_shine_into_the_room() {
    let Some(folder) = scenes() else { return };
    let mut lamps = 0;
    for entry in std::fs::read_dir(folder.join("cornell_box")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".obj") {
            continue;
        }
        let scene = load_scene(&folder.join("cornell_box"), &name).scene;
        let (_, max) = bounds(&scene);
        for mesh in &scene.meshes {
            let raywarp_scene::FaceMaterials::Uniform(material) = mesh.materials else { continue };
            if scene.materials[material.index()].emission.is_none() {
                continue;
            }
            for triangle in 0..mesh.triangles.indices.len() {
                let [a, b, c] = mesh.triangles.corners(triangle);
                let edge = |p: [f32; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
                let (u, v) = (edge(b), edge(c));
                let normal_y = u[2] * v[0] - u[0] * v[2];
                assert!(normal_y < 0.0 && a[1] > 0.9 * max[1], "{name}: {} {triangle} shines upwards", mesh.name);
                lamps += 1;
            }
        }
    }
    assert_eq!(lamps, 16);
}
