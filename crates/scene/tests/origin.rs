//! Files whose coordinates f32 does not hold: what is loaded lies where the file says, in every format.

use crate::sheets::{
    Sheet, UTM, assert_placed, check, load_bytes, minus, pbrt_points, placed, ply, threemf, threemf_object,
};
use raywarp_geom::origin::RoundingWarning;
use raywarp_scene::{Format, WarningKind};
use std::fmt::Write;

fn obj(points: &[[f64; 3]], triangles: &[[usize; 3]]) -> Vec<u8> {
    let mut text = String::new();
    points.iter().for_each(|[x, y, z]| writeln!(text, "v {x:.6} {y:.6} {z:.6}").unwrap());
    triangles.iter().for_each(|t| writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap());
    text.into_bytes()
}

fn off(points: &[[f64; 3]], triangles: &[[usize; 3]]) -> Vec<u8> {
    let mut text = format!("OFF\n{} {} 0\n", points.len(), triangles.len());
    points.iter().for_each(|[x, y, z]| writeln!(text, "{x:.6} {y:.6} {z:.6}").unwrap());
    triangles.iter().for_each(|[a, b, c]| writeln!(text, "3 {a} {b} {c}").unwrap());
    text.into_bytes()
}

fn stl(points: &[[f64; 3]], triangles: &[[usize; 3]]) -> Vec<u8> {
    let mut text = "solid a\n".to_string();
    for t in triangles {
        text += "facet normal 0 0 1\nouter loop\n";
        t.iter().map(|&i| points[i]).for_each(|[x, y, z]| writeln!(text, "vertex {x:.6} {y:.6} {z:.6}").unwrap());
        text += "endloop\nendfacet\n";
    }
    (text + "endsolid a\n").into_bytes()
}

#[test]
fn meshes_of_doubles_and_decimals_lie_where_their_files_say() {
    for (seed, cell) in [(1, 0.1), (2, 0.01), (3, 10.0), (4, 0.1)] {
        let sheet = Sheet::new(seed, cell);
        let (points, triangles) = (sheet.at(UTM), &sheet.triangles);
        let want = sheet.corners(UTM);
        check("obj", &load_bytes(&obj(&points, triangles), Format::Obj), &want);
        check("off", &load_bytes(&off(&points, triangles), Format::Off), &want);
        check("stl", &load_bytes(&stl(&points, triangles), Format::Stl), &want);
        check("ascii ply", &load_bytes(&ply(&points, triangles, false), Format::Ply), &want);
        check("binary ply", &load_bytes(&ply(&points, triangles, true), Format::Ply), &want);
    }
}

#[test]
fn what_f32_holds_has_no_origin_and_its_own_bits() {
    let sheet = Sheet::new(5, 0.1);
    for (format, bytes) in [
        (Format::Obj, obj(&sheet.points, &sheet.triangles)),
        (Format::Off, off(&sheet.points, &sheet.triangles)),
        (Format::Stl, stl(&sheet.points, &sheet.triangles)),
        (Format::Ply, ply(&sheet.points, &sheet.triangles, false)),
        (Format::Ply, ply(&sheet.points, &sheet.triangles, true)),
    ] {
        let loaded = load_bytes(&bytes, format);
        assert_eq!((loaded.scene.origin, loaded.warnings.len()), ([0.0; 3], 0), "{format:?}");
        let want: Vec<[[f32; 3]; 3]> =
            sheet.corners([0.0; 3]).iter().map(|t| t.map(|p| p.map(|x| format!("{x:.6}").parse().unwrap()))).collect();
        let got: Vec<[[f32; 3]; 3]> = placed(&loaded.scene).iter().map(|t| t.map(|p| p.map(|x| x as f32))).collect();
        assert_eq!(got, want, "{format:?}");
    }
}

#[test]
fn what_is_both_huge_and_fine_is_said_with_how_much() {
    // A fine sheet at each end of a million units.
    let sheet = Sheet::new(6, 0.1);
    let ends = [sheet.at([-1e6, -1e6, 0.0]), sheet.at([1e6, 1e6, 0.0])].concat();
    let count = sheet.points.len();
    let triangles = [sheet.triangles.clone(), sheet.triangles.iter().map(|t| t.map(|i| i + count)).collect()].concat();
    let loaded = load_bytes(&obj(&ends, &triangles), Format::Obj);
    assert_eq!(loaded.scene.origin, [0.0; 3]);
    let [warning] = &loaded.warnings[..] else { panic!("{:?}", loaded.warnings) };
    let said = matches!(
        warning.kind,
        WarningKind::Rounding(RoundingWarning::Corners { hurt: 144, triangles: 144, is_estimate: false, .. })
    );
    assert!(said, "{:?}", warning.kind);
}

fn shifted(t: [f64; 3]) -> String {
    format!("transform=\"1 0 0 0 1 0 0 0 1 {:.6} {:.6} {:.6}\"", t[0], t[1], t[2])
}

#[test]
fn threemf_places_objects_where_items_and_components_say() {
    for seed in 10..13 {
        let sheet = Sheet::new(seed, 0.1);
        let far = threemf_object(1, &sheet.at(UTM), &sheet.triangles);
        let near = threemf_object(1, &sheet.points, &sheet.triangles);
        let want = sheet.corners(UTM);
        let load = |resources: &str, build: &str| load_bytes(&threemf(resources, build), Format::ThreeMf);
        check("vertices", &load(&far, "<item objectid=\"1\"/>"), &want);
        check("item", &load(&near, &format!("<item objectid=\"1\" {}/>", shifted(UTM))), &want);
        // A component far away in an object that is placed back.
        let back = minus([3.25, -1.5, 0.125], UTM);
        let parts = |object: &str| {
            object.to_string()
                + &format!(
                    "<object id=\"2\"><components><component objectid=\"1\" {}/></components></object>",
                    shifted(UTM)
                )
        };
        let loaded = load(&parts(&near), "<item objectid=\"2\"/>");
        check("component", &loaded, &want);
        let loaded = load(&parts(&near), &format!("<item objectid=\"2\" {}/>", shifted(back)));
        assert_eq!(loaded.scene.origin, [0.0; 3]);
        assert_placed("component and item", &loaded, &sheet.corners([3.25, -1.5, 0.125]));
        // Vertices far away, placed back.
        let loaded = load(&far, &format!("<item objectid=\"1\" {}/>", shifted(back)));
        assert_eq!(loaded.scene.origin, [0.0; 3]);
        assert_placed("vertices placed back", &loaded, &sheet.corners([3.25, -1.5, 0.125]));
    }
}

/// A document whose one mesh is `points`, with `nodes`; and `more` numbers behind, in an accessor of their own (2).
fn gltf(points: &[[f64; 3]], triangles: &[[usize; 3]], nodes: &str, more: &[[f32; 3]]) -> Vec<u8> {
    use base64::Engine;
    let mut buffer = Vec::new();
    points.iter().flatten().for_each(|&x| buffer.extend((x as f32).to_le_bytes()));
    let indices = buffer.len();
    triangles.iter().flatten().for_each(|&i| buffer.extend((i as u32).to_le_bytes()));
    let behind = buffer.len();
    more.iter().flatten().for_each(|&x| buffer.extend(x.to_le_bytes()));
    let data = base64::engine::general_purpose::STANDARD.encode(&buffer);
    format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{},"uri":"data:application/octet-stream;base64,{data}"}}],
"bufferViews":[{{"buffer":0,"byteLength":{indices}}},{{"buffer":0,"byteOffset":{indices},"byteLength":{}}},{{"buffer":0,"byteOffset":{behind},"byteLength":{}}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},{{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}},{{"bufferView":2,"componentType":5126,"count":{},"type":"VEC3"}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],"scenes":[{{"nodes":[0]}}],"cameras":[{{"type":"perspective","perspective":{{"yfov":1,"znear":1}}}}],
"extensionsUsed":["EXT_mesh_gpu_instancing","KHR_lights_punctual"],"extensions":{{"KHR_lights_punctual":{{"lights":[{{"type":"point"}}]}}}},"nodes":[{nodes}]}}"#,
        buffer.len(),
        behind - indices,
        (buffer.len() - behind).max(12),
        points.len(),
        3 * triangles.len(),
        more.len().max(1)
    )
    .replace(&format!("\"byteLength\":{},\"uri\"", buffer.len()), &format!("\"byteLength\":{},\"uri\"", buffer.len().max(behind + 12)))
    .into_bytes()
}

/// Rounded to f32 as glTF holds vertices.
fn single(sheet: &Sheet, offset: [f64; 3]) -> Sheet {
    let points = sheet.at(offset).iter().map(|p| p.map(|x| f64::from(x as f32))).collect();
    Sheet { points, triangles: sheet.triangles.clone() }
}

#[test]
fn gltf_places_meshes_cameras_and_lights_where_nodes_say() {
    let pad = [[0.0f32; 3]];
    for seed in 20..23 {
        let sheet = single(&Sheet::new(seed, 0.1), [0.0; 3]);
        let t = |v: [f64; 3]| format!("\"translation\":[{:.6},{:.6},{:.6}]", v[0], v[1], v[2]);
        let load = |sheet: &Sheet, nodes: &str, more: &[[f32; 3]]| {
            load_bytes(&gltf(&sheet.points, &sheet.triangles, nodes, more), Format::Gltf)
        };
        let node =
            format!(r#"{{"mesh":0,"camera":0,{},"extensions":{{"KHR_lights_punctual":{{"light":0}}}}}}"#, t(UTM));
        let loaded = load(&sheet, &node, &pad);
        check("node", &loaded, &sheet.corners(UTM));
        let eye = loaded.scene.in_file(loaded.scene.cameras[0].eye);
        assert!((0..3).all(|i| (eye[i] - UTM[i]).abs() < 1e-4), "{eye:?}");
        let raywarp_scene::Light::Point { position, .. } = loaded.scene.lights[0] else {
            panic!("{:?}", loaded.scene.lights)
        };
        assert_eq!(loaded.scene.in_file(position), eye);
        // A large shift above a large shift back, and a small rest.
        let nodes = format!(r#"{{"children":[1],{}}},{{"mesh":0,{}}}"#, t(UTM), t(minus([0.5, 0.25, 1.75], UTM)));
        let loaded = load(&sheet, &nodes, &pad);
        assert_eq!(loaded.scene.origin, [0.0; 3]);
        assert_placed("nodes that cancel", &loaded, &sheet.corners([0.5, 0.25, 1.75]));
        // Copies by an extension.
        let nodes = format!(
            r#"{{"mesh":0,{},"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":2}}}}}}}}"#,
            t(UTM)
        );
        let copies = [[1.5f32, 2.25, 0.0], [-3.5, 0.25, 1.0]];
        let loaded = load(&sheet, &nodes, &copies);
        let want: Vec<_> =
            copies.iter().flat_map(|c| sheet.corners(std::array::from_fn(|i| UTM[i] + f64::from(c[i])))).collect();
        check("instancing", &loaded, &want);
        // A mesh far away, turned and placed back: its own coordinates are as exact as f32 is there.
        let far = single(&Sheet::new(seed, 100.0), UTM);
        let nodes = r#"{"mesh":0,"rotation":[0,0,0.6,0.8]}"#;
        let turned = |p: [f64; 3]| {
            let (s, c) = (0.96, 0.28);
            [c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]]
        };
        let back = turned(UTM);
        let nodes = format!(r#"{{"children":[1],{}}},{}"#, t(back.map(|x| -x)), nodes);
        let loaded = load(&far, &nodes, &pad);
        let want: Vec<_> = far
            .corners([0.0; 3])
            .iter()
            .map(|c| {
                c.map(|p| {
                    let q = turned(p);
                    minus(q, back.map(|x| (x * 1e6).round() / 1e6))
                })
            })
            .collect();
        assert_eq!(loaded.scene.origin, [0.0; 3]);
        assert_placed("a far mesh placed back", &loaded, &want);
    }
}

#[test]
fn pbrt_places_shapes_cameras_and_lights_where_transformations_say() {
    for seed in 30..33 {
        let sheet = Sheet::new(seed, 0.1);
        let indices: String = sheet.triangles.iter().flatten().map(|i| format!("{i} ")).collect();
        let shape = |points: &[[f64; 3]]| {
            format!("Shape \"trianglemesh\" \"point3 P\" [{}] \"integer indices\" [{indices}]\n", pbrt_points(points))
        };
        let at = |t: [f64; 3]| format!("Translate {:.6} {:.6} {:.6}\n", t[0], t[1], t[2]);
        let eye = [UTM[0] + 1.0, UTM[1], UTM[2] + 20.0];
        let head = format!(
            "LookAt {} {} 0 1 0\nCamera \"perspective\"\nWorldBegin\nLightSource \"point\" \"point3 from\" [{}]\n",
            pbrt_points(&[eye]),
            pbrt_points(&[UTM]),
            pbrt_points(&[eye])
        );
        let load = |world: &str| load_bytes((head.clone() + world).as_bytes(), Format::Pbrt);
        let want = sheet.corners(UTM);
        let loaded = load(&shape(&sheet.at(UTM)));
        check("points", &loaded, &want);
        let seen = loaded.scene.in_file(loaded.scene.cameras[0].eye);
        assert!((0..3).all(|i| (seen[i] - eye[i]).abs() < 1e-4), "{seen:?}");
        let raywarp_scene::Light::Point { position, .. } = loaded.scene.lights[0] else {
            panic!("{:?}", loaded.scene.lights)
        };
        let lamp = loaded.scene.in_file(position);
        assert!((0..3).all(|i| (lamp[i] - eye[i]).abs() < 1e-4), "{lamp:?}");
        check("CTM", &load(&(at(UTM) + &shape(&sheet.points))), &want);
        let object = format!("ObjectBegin \"a\"\n{}ObjectEnd\n", shape(&sheet.points));
        check("ObjectInstance", &load(&(object + &at(UTM) + "ObjectInstance \"a\"\n")), &want);
        let object = format!("ObjectBegin \"a\"\n{}ObjectEnd\n", shape(&sheet.at(UTM)));
        let rest = [2.5, 1.25, -0.75];
        let loaded = load(&(object.clone() + &at(minus(rest, UTM)) + "ObjectInstance \"a\"\n"));
        assert_eq!(loaded.scene.origin, [0.0; 3]);
        assert_placed("far points placed back", &loaded, &sheet.corners(rest));
        let patch =
            format!("Shape \"bilinearmesh\" \"point3 P\" [{}]\n", pbrt_points(&[0, 1, 7, 8].map(|i| sheet.at(UTM)[i])));
        let loaded = load(&patch);
        assert_ne!(loaded.scene.origin, [0.0; 3]);
        let first = placed(&loaded.scene)[0][0];
        assert!((0..3).all(|i| (first[i] - sheet.at(UTM)[0][i]).abs() < 1e-4), "{first:?}");
    }
}
