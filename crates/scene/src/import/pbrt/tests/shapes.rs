use super::*;

/// Imports a shape directive and returns its mesh.
#[track_caller]
fn mesh(shape: &str) -> raywarp_geom::TriangleMesh {
    let mut scene = clean(&format!("WorldBegin {shape}"));
    assert_eq!((scene.meshes.len(), scene.instances.len()), (1, 1));
    scene.meshes.remove(0).triangles
}

#[test]
fn triangle_meshes_keep_order_and_turn_v() {
    for (kind, name) in [("float", "uv"), ("float", "st"), ("point2", "uv"), ("point2", "UV")] {
        let mesh = mesh(&format!(
            "Shape \"trianglemesh\" \"integer indices\" [0 1 2 2 3 0] \"point P\" [0 0 0 1 0 0 1 1 0 0 1 0] \
             \"{kind} {name}\" [0 0 1 0 1 .75 0 1]"
        ));
        assert_eq!(mesh.indices, [[0, 1, 2], [2, 3, 0]]);
        assert_eq!(mesh.uvs, [[0.0, 1.0], [1.0, 1.0], [1.0, 0.25], [0.0, 0.0]]);
        assert!(mesh.normals.is_empty());
    }
    let start = "WorldBegin Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0]";
    warned(&format!("{start} \"normal3 N\" [0 0 1]"), PbrtWarning::Normals { normals: 1, points: 3 });
    warned(&format!("{start} \"point2 uv\" [0 0 1 0]"), PbrtWarning::Coordinates { coordinates: 2, points: 3 });
    warned(&format!("{start} \"vector3 S\" [1 0 0 1 0 0 1 0 0]"), unused("S", "shape \"trianglemesh\""));
}

#[test]
fn round_shapes_face_pbrts_way() {
    for (shape, outwards) in [
        ("\"sphere\" \"float radius\" 2", true),
        ("\"sphere\" \"float radius\" 2 \"float zmin\" -1 \"float zmax\" 1 \"float phimax\" 90", true),
        ("\"cylinder\" \"float radius\" 2", true),
        ("\"cone\"", true),
        ("\"paraboloid\"", true),
    ] {
        for (before, sign) in [("", 1.0), ("ReverseOrientation", -1.0), ("Scale 1 -2 1", 1.0)] {
            let scene = clean(&format!("WorldBegin {before} Shape {shape}"));
            for i in 0..scene.meshes[0].triangles.indices.len() {
                let [a, ..] = corners(&scene, 0, i);
                let away = front(&scene, 0, i).dot(Vec3::new(a.x, a.y, 0.0)) * sign;
                assert!((away > -1e-4) == outwards, "{before} {shape}: triangle {i} {away}");
            }
        }
    }
    let scene = clean("WorldBegin Shape \"disk\" \"float height\" 3 \"float radius\" 2 \"float innerradius\" 1");
    assert!((0..256).all(|i| front(&scene, 0, i).z > 0.99));
    assert!(corners(&scene, 0, 7).iter().all(|p| p.z == 3.0 && p.truncate().length() > 0.99));
}

#[test]
fn equal_spheres_share_a_mesh_but_not_a_material() {
    let sphere = "Shape \"sphere\" \"float radius\" 2";
    let scene =
        clean(&format!("WorldBegin {sphere} Material \"mirror\" Translate 1 0 0 {sphere} ReverseOrientation {sphere}"));
    assert_eq!((scene.meshes.len(), scene.instances.len()), (2, 3));
    assert_ne!(scene.material_of(0, 0), scene.material_of(1, 0));
    assert_eq!(scene.material_of(1, 0), scene.material_of(2, 0));
}

#[test]
fn bilinear_patches_become_triangles_on_the_patch() {
    let flat = mesh("Shape \"bilinearmesh\" \"point3 P\" [-1 4 -1  1 4 -1  -1 4 1  1 4 1]");
    assert_eq!(flat.indices.len(), 2);
    // du x dv = x times z points down, which is where a lamp of this kind shines.
    let scene = clean("WorldBegin Shape \"bilinearmesh\" \"point3 P\" [-1 4 -1  1 4 -1  -1 4 1  1 4 1]");
    near(front(&scene, 0, 0), [0.0, -1.0, 0.0]);
    near(front(&scene, 0, 1), [0.0, -1.0, 0.0]);
    assert_eq!(flat.uvs, [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]);
    // z = x y, with its exact normal (-y, -x, 1).
    let twisted = mesh("Shape \"bilinearmesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0 1 1 1]");
    assert_eq!(twisted.indices.len(), 128);
    for (p, n) in twisted.positions.iter().zip(&twisted.normals) {
        assert!((p[2] - p[0] * p[1]).abs() < 1e-6);
        near(*n, Vec3::new(-p[1], -p[0], 1.0).normalize().into());
    }
}

#[test]
fn subdivision_surfaces_take_both_names_of_their_levels() {
    let shape = |levels: &str| {
        mesh(&format!(
            "Shape \"loopsubdiv\" {levels} \"integer indices\" [0 1 2 0 2 3 0 3 1 1 3 2] \"point P\" [0 0 0 1 0 0 0 1 0 0 0 1]"
        ))
    };
    for (levels, count) in [("", 4 * 64), ("\"integer nlevels\" 1", 16), ("\"integer levels\" 2", 64)] {
        assert_eq!(shape(levels).indices.len(), count, "{levels}");
    }
    // With normals there, they decide the front: pbrt's point away from the control mesh's.
    let scene = clean("WorldBegin Shape \"loopsubdiv\" \"integer indices\" [0 1 2] \"point P\" [0 0 0 1 0 0 0 1 0]");
    near(front(&scene, 0, 0), [0.0, 0.0, -1.0]);
}

#[test]
fn unknown_shapes_are_left_out() {
    for kind in ["curve", "nurbs", "heightfield", "hyperboloid", "teapot"] {
        let scene =
            warned(&format!("WorldBegin Shape \"{kind}\" \"float x\" 3"), PbrtWarning::Shape { kind: kind.into() });
        assert!(scene.instances.is_empty());
    }
}

#[test]
fn meshes_without_coordinates_get_pbrts_own_where_something_looks_at_them() {
    let square = "\"point3 P\" [0 0 0 1 0 0 1 1 0 0 1 0] \"integer indices\" [0 1 2 0 2 3]";
    let texture = "Texture \"t\" \"spectrum\" \"checkerboard\"";
    let painted = format!("{texture} Material \"matte\" \"texture Kd\" \"t\"");
    let mesh = |text: &str| clean(&format!("WorldBegin {text}")).meshes.remove(0).triangles;
    let got = mesh(&format!("{painted} Shape \"trianglemesh\" {square}"));
    let own = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]];
    assert_eq!((got.uvs.as_slice(), got.positions.len()), ([own, own].concat().as_slice(), 6));
    assert_eq!(got.corners(1), [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    // Corners that are swapped keep theirs.
    let got = mesh(&format!("{painted} ReverseOrientation Shape \"trianglemesh\" {square}"));
    let at = |mesh: &raywarp_geom::TriangleMesh, corner: usize| {
        let vertex = mesh.indices[0][corner] as usize;
        (mesh.positions[vertex], mesh.uvs[vertex])
    };
    assert_eq!([at(&got, 1), at(&got, 2)], [([1.0, 1.0, 0.0], own[2]), ([1.0, 0.0, 0.0], own[1])]);
    let rough = "Material \"metal\" \"float uroughness\" 0.1 \"float vroughness\" 0.3";
    assert_eq!(mesh(&format!("{rough} Shape \"trianglemesh\" {square}")).uvs.len(), 6);
    let subdivided = format!("{painted} Shape \"loopsubdiv\" \"integer levels\" 1 {square}");
    assert_eq!(mesh(&subdivided).uvs.len(), 8 * 3);
    // What nothing looks at takes no room, and what the file gives stays.
    assert_eq!(mesh(&format!("Shape \"trianglemesh\" {square}")).positions.len(), 4);
    let given = format!("{painted} Shape \"trianglemesh\" \"float uv\" [0 0 1 0 1 1 0 1] {square}");
    assert_eq!(mesh(&given).positions.len(), 4);
}

#[test]
fn points_that_are_not_finite_and_in_no_face_are_left_out_with_a_warning() {
    let said = || WarningKind::StrayVertices { count: 1 };
    for odd in ["nan 0 0", "0 -nan 0", "0 0 1e39", "-inf +nan inf"] {
        for kind in ["trianglemesh", "loopsubdiv"] {
            let text = format!(
                "WorldBegin\nShape \"{kind}\" \"point3 P\" [{odd} 0 0 1 1 0 1 0 1 1] \"integer indices\" [1 2 3]\n"
            );
            let scene = warned(&text, said());
            let plain = clean(&text.replace(odd, "").replace("1 2 3", "0 1 2"));
            assert_eq!(scene.meshes[0].triangles.positions, plain.meshes[0].triangles.positions, "{kind} {odd}");
        }
        let patch = format!(
            "Shape \"bilinearmesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0 1 1 0 {odd}] \"integer indices\" [0 1 2 3]\n"
        );
        assert_eq!(warned(&format!("WorldBegin\n{patch}"), said()).triangle_count(), 2);
    }
}

#[test]
fn points_that_are_not_finite_do_not_say_where_a_mesh_far_from_zero_is() {
    let load = |odd: &str, indices: &str| {
        let text = format!(
            "WorldBegin\nShape \"trianglemesh\" \"point3 P\" [{odd} 512345.1 5412345.1 0 512345.15 5412345.1 0 512345.1 5412345.15 0]\n\
             \"integer indices\" [{indices}]\n"
        );
        crate::load_from(text.as_bytes(), Path::new("a.pbrt"), &LoadOptions::default()).unwrap().scene
    };
    let plain = load("", "0 1 2");
    assert_ne!(plain.origin, [0.0; 3]);
    for odd in ["nan nan nan", "0 0 1e39"] {
        let scene = load(odd, "1 2 3");
        assert_eq!(scene.origin, plain.origin, "{odd}");
        assert_eq!(scene.instances[0].transform, plain.instances[0].transform, "{odd}");
        assert_eq!(scene.meshes[0].triangles, plain.meshes[0].triangles, "{odd}");
    }
}
