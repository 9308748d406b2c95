use super::*;

/// Checks where a sequence of directives sends (0, 0, 0), (1, 0, 0) and (0, 1, 0).
#[track_caller]
fn check(directives: &str, want: [[f32; 3]; 3]) {
    let scene = clean(&format!("WorldBegin\n{directives}\n{TRIANGLE}"));
    for (found, want) in corners(&scene, 0, 0).into_iter().zip(want) {
        near(found, want);
    }
}

#[test]
fn each_transformation_multiplies_from_the_right() {
    check("", [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]]);
    check("Translate 1 2 3", [[1., 2., 3.], [2., 2., 3.], [1., 3., 3.]]);
    check("Translate 1 0 0 Scale 2 3 4", [[1., 0., 0.], [3., 0., 0.], [1., 3., 0.]]);
    check("Scale 2 3 4 Translate 1 0 0", [[2., 0., 0.], [4., 0., 0.], [2., 3., 0.]]);
    check("Rotate 90 0 0 7", [[0., 0., 0.], [0., 1., 0.], [-1., 0., 0.]]);
    check("Scale 5 5 5 Identity", [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]]);
}

#[test]
fn matrices_are_read_by_columns() {
    let matrix = "[ 0 1 0 0  -1 0 0 0  0 0 1 0  5 6 7 1 ]";
    let want = [[5., 6., 7.], [5., 7., 7.], [4., 6., 7.]];
    check(&format!("Translate 9 9 9 Transform {matrix}"), want);
    check(&format!("ConcatTransform {matrix}"), want);
    check(&format!("Translate 1 0 0 ConcatTransform {matrix}"), want.map(|[x, y, z]| [x + 1.0, y, z]));
    check("Transform 2 0 0 0 0 2 0 0 0 0 2 0 2 2 2 2", [[1., 1., 1.], [2., 1., 1.], [1., 2., 1.]]);
}

#[test]
fn look_at_maps_the_eye_to_the_origin_and_the_target_to_positive_z() {
    let scene = clean(&format!("WorldBegin Translate 0 0 0 LookAt 1 2 3 1 2 8 0 1 0 {TRIANGLE}"));
    let [origin, ..] = corners(&scene, 0, 0);
    near(origin, [-1.0, -2.0, -3.0]);
    let camera = &clean("LookAt 1 2 3 4 2 3 0 0 1 Camera \"perspective\" WorldBegin").cameras[0];
    near(camera.eye, [1.0, 2.0, 3.0]);
    near(camera.forward, [1.0, 0.0, 0.0]);
    near(camera.up, [0.0, 0.0, 1.0]);
    // Left-handed: with z up and x ahead, pbrt has +y on the right.
    near(camera.right, [0.0, 1.0, 0.0]);
}

#[test]
fn blocks_restore_what_they_save() {
    let triangles = |text: &str| {
        let scene = clean(&format!("WorldBegin\n{text}"));
        (0..scene.instances.len()).map(|i| corners(&scene, i, 0)[0].x).collect::<Vec<_>>()
    };
    let t = TRIANGLE;
    assert_eq!(triangles(&format!("AttributeBegin Translate 1 0 0 {t} AttributeEnd {t}")), [1.0, 0.0]);
    assert_eq!(triangles(&format!("TransformBegin Translate 1 0 0 {t} TransformEnd {t}")), [1.0, 0.0]);
    // A transform block does not save the material, an attribute block does.
    for (block, restored) in [("Transform", false), ("Attribute", true)] {
        let scene = clean(&format!(
            "WorldBegin Material \"matte\" \"rgb Kd\" [1 0 0] {block}Begin Material \"mirror\" {block}End {t}"
        ));
        assert_eq!(matches!(material(&scene).surface, crate::Surface::Diffuse { .. }), restored, "{block}");
    }
}

#[test]
fn coordinate_systems_are_remembered_by_name() {
    let scene = clean(&format!(
        "LookAt 0 0 5 0 0 0 0 1 0 Camera \"perspective\" WorldBegin\n\
         Translate 1 0 0 CoordinateSystem \"here\" Translate 9 9 9\n\
         CoordSysTransform \"here\" {TRIANGLE} CoordSysTransform \"world\" {TRIANGLE} CoordSysTransform \"camera\" {TRIANGLE}"
    ));
    near(corners(&scene, 0, 0)[0], [1.0, 0.0, 0.0]);
    near(corners(&scene, 1, 0)[0], [0.0, 0.0, 0.0]);
    near(corners(&scene, 2, 0)[0], [0.0, 0.0, 5.0]);
    warned(
        &format!("WorldBegin CoordSysTransform \"nowhere\" {TRIANGLE}"),
        PbrtWarning::NoCoordinateSystem { name: "nowhere".into() },
    );
}

#[test]
fn what_moves_stands_where_it_is_when_the_shutter_opens() {
    // One corner, and the one line that says so.
    let moved = |before: &str, world: &str, at| {
        let text = format!("{before} WorldBegin {world} {TRIANGLE} {TRIANGLE}");
        corners(&warned(&text, PbrtWarning::Motion { things: 2, at }), 0, 0)[0]
    };
    let one = |at| PbrtWarning::Motion { things: 1, at };
    let start_end =
        "ActiveTransform StartTime Translate -1 0 0 ActiveTransform EndTime Translate 3 0 0 ActiveTransform All";
    near(moved("", "ActiveTransform EndTime Translate 3 0 0 ActiveTransform All", 0.0), [0.0; 3]);
    near(moved("", start_end, 0.0), [-1.0, 0.0, 0.0]);
    near(moved("", &format!("{start_end} Translate 0 1 0"), 0.0), [-1.0, 1.0, 0.0]);
    let shutter = |open: f32| {
        format!("TransformTimes 2 4 Camera \"perspective\" \"float shutteropen\" {open} \"float shutterclose\" 9")
    };
    near(moved(&shutter(1.0), start_end, 1.0), [-1.0, 0.0, 0.0]);
    near(moved(&shutter(2.5), start_end, 2.5), [0.0, 0.0, 0.0]);
    near(moved(&shutter(4.5), start_end, 4.5), [3.0, 0.0, 0.0]);
    // Blocks restore which time directives change.
    let block = |kind: &str| format!("{kind}Begin ActiveTransform EndTime {kind}End Translate 1 0 0");
    for kind in ["Transform", "Attribute"] {
        near(corners(&clean(&format!("WorldBegin {} {TRIANGLE}", block(kind))), 0, 0)[0], [1.0, 0.0, 0.0]);
    }
    // An object that moves, and what is in it.
    let object = "ObjectBegin \"o\" Translate 0 1 0 Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0] ObjectEnd";
    let scene = warned(&format!("WorldBegin {object} {start_end} ObjectInstance \"o\""), one(0.0));
    near(corners(&scene, 0, 0)[0], [-1.0, 1.0, 0.0]);
    // A light stands at the start whenever the shutter opens, as in pbrt.
    let scene = warned(&format!("{} WorldBegin {start_end} LightSource \"point\"", shutter(3.0)), one(3.0));
    assert!(matches!(scene.lights[0], crate::Light::Point { position: [-1.0, 0.0, 0.0], .. }), "{:?}", scene.lights);
    // A camera moves from world to world, not by its inverses.
    let camera = "ActiveTransform EndTime Rotate 180 0 0 1 Translate -4 0 0 ActiveTransform All";
    let text = format!("{camera} Camera \"perspective\" \"float shutteropen\" .5 \"float shutterclose\" 1 WorldBegin");
    near(warned(&text, one(0.5)).cameras[0].eye, [2.0, 0.0, 0.0]);
    // The same at both times is no motion.
    clean(
        "ActiveTransform StartTime Scale 2 2 2 ActiveTransform EndTime Scale 2 2 2 Camera \"perspective\" WorldBegin",
    );
}

#[test]
fn objects_are_shared_meshes_under_both_transformations() {
    let scene = clean(&format!(
        "WorldBegin Translate 1 0 0 ObjectBegin \"o\" Translate 0 1 0 {TRIANGLE} Shape \"disk\" ObjectEnd\n\
         AttributeBegin Translate 0 0 1 ObjectInstance \"o\" AttributeEnd Scale 2 2 2 ObjectInstance \"o\""
    ));
    assert_eq!((scene.meshes.len(), scene.instances.len()), (2, 4));
    // Instance times definition, both with the Translate 1 0 0 of the outside.
    near(corners(&scene, 0, 0)[0], [2.0, 1.0, 1.0]);
    near(corners(&scene, 2, 0)[0], [3.0, 2.0, 0.0]);
    assert_eq!(scene.instances[0].mesh, scene.instances[2].mesh);
    // An object on its own shows nothing, and one that is not there is named.
    assert!(clean(&format!("WorldBegin ObjectBegin \"o\" {TRIANGLE} ObjectEnd")).instances.is_empty());
    warned("WorldBegin ObjectInstance \"ghost\"", PbrtWarning::NoObject { name: "ghost".into() });
}

#[test]
fn fronts_are_the_side_of_pbrts_normal_whatever_is_mirrored_or_reversed() {
    // Of a plain triangle, pbrt's normal is that of its object space, mapped, and turned by
    // ReverseOrientation. The triangle here has +z, which none of these maps but the last turns over.
    let up = |text: &str| {
        let scene = clean(&format!("WorldBegin {text}"));
        front(&scene, scene.instances.len() - 1, 0).z > 0.0
    };
    let t = TRIANGLE;
    assert!(up(t));
    assert!(up(&format!("Scale -1 1 1 {t}")));
    assert!(up(&format!("Scale -1 -1 1 {t}")));
    assert!(!up(&format!("ReverseOrientation {t}")));
    assert!(!up(&format!("ReverseOrientation Scale -1 1 1 {t}")));
    assert!(up(&format!("ReverseOrientation ReverseOrientation {t}")));
    assert!(!up(&format!("Scale 1 1 -1 {t}")));
    // The same through an object, whose mesh is also placed unmirrored.
    let object = format!("ObjectBegin \"o\" {t} ObjectEnd ObjectInstance \"o\"");
    assert!(up(&object));
    assert!(up(&format!("{object} Scale -1 1 1 ObjectInstance \"o\"")));
    assert!(!up(&format!("{object} Scale 1 1 -1 ObjectInstance \"o\"")));
    assert!(!up(&format!("ReverseOrientation {object} Scale -1 1 1 ObjectInstance \"o\"")));
    // With shading normals, they decide, whatever the winding; ReverseOrientation turns them too.
    let n = "Shape \"trianglemesh\" \"point P\" [0 0 0 1 0 0 0 1 0] \"normal N\" [0 0 -1 0 0 -1 0 0 -1]";
    assert!(!up(n));
    assert!(!up(&format!("Scale -1 1 1 {n}")));
    assert!(up(&format!("ReverseOrientation {n}")));
    let scene = clean(&format!("WorldBegin ReverseOrientation {n}"));
    assert_eq!(scene.meshes[0].triangles.normals[0], [0.0, 0.0, 1.0]);
}
