//! Files whose meshes lie far from zero each in its own way: every one stands where the file says, whatever else is there.

use crate::sheets::{
    Sheet, UTM, assert_placed, check, load_bytes, minus, pbrt_points, placed, threemf, threemf_object,
};
use raywarp_scene::{Format, LoadOptions, load};
use std::path::{Path, PathBuf};

type Triangle = [[f64; 3]; 3];

/// Part of a file, and where its triangles are in the world.
#[derive(Clone)]
struct Piece {
    name: &'static str,
    text: String,
    want: Vec<Triangle>,
}

/// A turn about z and its inverse.
const TURN: [f64; 2] = [0.6, 0.8];

fn turned([x, y, z]: [f64; 3], [cos, sin]: [f64; 2]) -> [f64; 3] {
    [cos * x - sin * y, sin * x + cos * y, z]
}

fn moved(triangles: &[Triangle], by: [f64; 3]) -> Vec<Triangle> {
    triangles.iter().map(|t| t.map(|p| std::array::from_fn(|i| p[i] + by[i]))).collect()
}

/// Where an object is drawn that is to come back from there.
const ELSEWHERE: [f64; 3] = [-4_000_321.25, 700_123.5, -3000.125];

/// A place near the survey.
fn beside(k: f64) -> [f64; 3] {
    [UTM[0] + 1.5 * k, UTM[1] - 0.75 * k, UTM[2] + 0.25 * k]
}

fn numbers(points: &[[f64; 3]]) -> String {
    points.iter().flatten().map(|x| format!("{x:.9} ")).collect()
}

/// A folder of this test's own with a sheet in the world as `name`.ply.
fn folder(name: &str, sheet: &Sheet, at: [f64; 3]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("origin_mixed").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("far.ply"), crate::sheets::ply(&sheet.at(at), &sheet.triangles, true)).unwrap();
    std::fs::write(folder.join("near.ply"), crate::sheets::ply(&sheet.points, &sheet.triangles, false)).unwrap();
    folder
}

/// Triangles of a shape of pbrt that stands around zero.
fn shape_at_zero(shape: &str) -> Vec<Triangle> {
    let text = format!("WorldBegin\n{shape}");
    placed(&load_bytes(text.as_bytes(), Format::Pbrt).scene)
}

/// Every kind of shape and of placement of pbrt.
fn pbrt_pieces(sheet: &Sheet) -> Vec<Piece> {
    let indices: String = sheet.triangles.iter().flatten().map(|i| format!("{i} ")).collect();
    let mesh = |kind: &str, points: &[[f64; 3]]| {
        format!("Shape \"{kind}\" \"point3 P\" [{}] \"integer indices\" [{indices}]\n", numbers(points))
    };
    let placed =
        |t: [f64; 3], inner: &str| format!("AttributeBegin\nTranslate {}\n{inner}AttributeEnd\n", numbers(&[t]));
    let object = |name: &str, shape: &str, place: &str| {
        format!(
            "ObjectBegin \"{name}\"\n{shape}ObjectEnd\nAttributeBegin\n{place}ObjectInstance \"{name}\"\nAttributeEnd\n"
        )
    };
    let translate = |t: [f64; 3]| format!("Translate {}\n", numbers(&[t]));
    let at = |k: f64| sheet.at(beside(k));
    let corners = |k: f64| sheet.corners(beside(k));
    let piece = |name, text, want| Piece { name, text, want };
    let [disk, sphere] = ["disk", "sphere"].map(|kind| format!("Shape \"{kind}\" \"float radius\" 0.2\n"));
    let lamp = format!("AreaLightSource \"diffuse\" \"rgb L\" [9 9 9]\n{sphere}");
    let back = |p: [f64; 3]| turned(p, [TURN[0], -TURN[1]]);
    let turn = format!("ConcatTransform [{} {} 0 0 {} {} 0 0 0 0 1 0 0 0 0 1]\n", TURN[0], TURN[1], -TURN[1], TURN[0]);
    let turned_back: Vec<_> = at(7.0).into_iter().map(back).collect();
    let elsewhere = minus(beside(8.0), ELSEWHERE);
    let patch = |points: Vec<[f64; 3]>| {
        format!("Shape \"bilinearmesh\" \"point3 P\" [{}]\n", numbers(&[0, 1, 7, 8].map(|i| points[i])))
    };
    let smooth = |points: &[[f64; 3]]| mesh("loopsubdiv", points);
    let moved_shape = |shape: &str, k: f64| moved(&shape_at_zero(shape), beside(k));
    vec![
        piece("trianglemesh", mesh("trianglemesh", &at(1.0)), corners(1.0)),
        piece("plymesh", "Shape \"plymesh\" \"string filename\" \"far.ply\"\n".into(), sheet.corners(UTM)),
        piece("disk", placed(beside(2.0), &disk), moved_shape(&disk, 2.0)),
        piece("sphere lamp", placed(beside(3.0), &lamp), moved_shape(&sphere, 3.0)),
        piece("trianglemesh placed", placed(beside(4.0), &mesh("trianglemesh", &sheet.points)), corners(4.0)),
        piece(
            "plymesh placed",
            placed(beside(5.0), "Shape \"plymesh\" \"string filename\" \"near.ply\"\n"),
            corners(5.0),
        ),
        piece("object", object("a", &mesh("trianglemesh", &sheet.points), &translate(beside(6.0))), corners(6.0)),
        piece("object in the world", object("b", &mesh("trianglemesh", &at(6.5)), ""), corners(6.5)),
        piece(
            "turned",
            format!("AttributeBegin\n{turn}{}AttributeEnd\n", mesh("trianglemesh", &turned_back)),
            corners(7.0),
        ),
        piece(
            "object elsewhere",
            object("c", &mesh("trianglemesh", &sheet.at(ELSEWHERE)), &translate(elsewhere)),
            corners(8.0),
        ),
        piece("bilinearmesh", patch(at(9.0)), moved_shape(&patch(sheet.points.clone()), 9.0)),
        piece("loopsubdiv", smooth(&at(10.0)), moved_shape(&smooth(&sheet.points), 10.0)),
    ]
}

/// Both before the other, and all of them at once both ways round.
fn orders(pieces: &[Piece]) -> Vec<Vec<Piece>> {
    let mut all = vec![pieces.to_vec(), pieces.iter().rev().cloned().collect()];
    for a in pieces {
        all.push(vec![a.clone()]);
        all.extend(pieces.iter().filter(|b| b.name != a.name).map(|b| vec![a.clone(), b.clone()]));
    }
    all
}

fn wanted(pieces: &[Piece]) -> (String, Vec<Triangle>) {
    let names: Vec<&str> = pieces.iter().map(|piece| piece.name).collect();
    (names.join(" + "), pieces.iter().flat_map(|piece| piece.want.clone()).collect())
}

#[test]
fn shapes_of_pbrt_stand_where_they_are_beside_each_other() {
    let sheet = Sheet::new(50, 0.1);
    let folder = folder("pbrt", &sheet, UTM);
    for (version, film) in [("3", "image"), ("4", "rgb")] {
        for pieces in orders(&pbrt_pieces(&sheet)) {
            let (names, want) = wanted(&pieces);
            let eye = pbrt_points(&[beside(4.0), UTM]);
            let texts: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
            let text = format!("Film \"{film}\"\nLookAt {eye} 0 0 1\nCamera \"perspective\"\nWorldBegin\n{texts}");
            let text = if version == "3" { text.replace("point3 P", "point P") } else { text };
            let file = folder.join(format!("v{version}.pbrt"));
            std::fs::write(&file, text).unwrap();
            let loaded = load(&file, &LoadOptions::default()).unwrap_or_else(|error| panic!("{names}: {error}"));
            check(&format!("version {version}, {names}"), &loaded, &want);
        }
    }
}

#[test]
fn objects_of_3mf_stand_where_they_are_beside_each_other() {
    let sheet = Sheet::new(51, 0.1);
    let item =
        |id: u32, rows: &str, t: [f64; 3]| format!("<item objectid=\"{id}\" transform=\"{rows} {}\"/>", numbers(&[t]));
    let same = "1 0 0 0 1 0 0 0 1";
    let turn = format!("{} {} 0 {} {} 0 0 0 1", TURN[0], TURN[1], -TURN[1], TURN[0]);
    let points = [
        sheet.at(beside(1.0)),
        sheet.points.clone(),
        sheet.at(ELSEWHERE),
        sheet.at(beside(4.0)).into_iter().map(|p| turned(p, [TURN[0], -TURN[1]])).collect(),
        sheet.at(beside(5.0)),
    ];
    let items = [
        "<item objectid=\"1\"/>".to_string(),
        item(2, same, beside(2.0)),
        item(3, same, minus(beside(3.0), ELSEWHERE)),
        item(4, &turn, [0.0; 3]),
        "<item objectid=\"6\"/>".to_string(),
    ];
    let names = ["in the world", "by an item", "elsewhere", "turned", "by a component"];
    let pieces: Vec<Piece> = (0..names.len())
        .map(|i| Piece { name: names[i], text: items[i].clone(), want: sheet.corners(beside(1.0 + i as f64)) })
        .collect();
    let objects: Vec<String> =
        (1..).zip(&points).map(|(id, points)| threemf_object(id, points, &sheet.triangles)).collect();
    let holder = "<object id=\"6\"><components><component objectid=\"5\"/></components></object>";
    for pieces in orders(&pieces) {
        for reversed in [false, true] {
            let mut objects = objects.clone();
            if reversed {
                objects.reverse();
            }
            let build: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
            let (names, want) = wanted(&pieces);
            check(&names, &load_bytes(&threemf(&(objects.concat() + holder), &build), Format::ThreeMf), &want);
        }
    }
}

/// A document of meshes with a node each.
fn gltf(meshes: &[(&Sheet, String)]) -> Vec<u8> {
    use base64::Engine;
    let (mut buffer, mut views, mut accessors, mut list, mut nodes) = (Vec::new(), vec![], vec![], vec![], vec![]);
    for (i, (sheet, node)) in meshes.iter().enumerate() {
        let begin = buffer.len();
        sheet.points.iter().flatten().for_each(|&x| buffer.extend((x as f32).to_le_bytes()));
        let middle = buffer.len();
        sheet.triangles.iter().flatten().for_each(|&i| buffer.extend((i as u32).to_le_bytes()));
        let view = |from: usize, to: usize| format!(r#"{{"buffer":0,"byteOffset":{from},"byteLength":{}}}"#, to - from);
        views.extend([view(begin, middle), view(middle, buffer.len())]);
        let accessor = |view: usize, component: u32, count: usize, kind: &str| {
            format!(r#"{{"bufferView":{view},"componentType":{component},"count":{count},"type":"{kind}"}}"#)
        };
        accessors.push(accessor(2 * i, 5126, sheet.points.len(), "VEC3"));
        accessors.push(accessor(2 * i + 1, 5125, 3 * sheet.triangles.len(), "SCALAR"));
        list.push(format!(r#"{{"primitives":[{{"attributes":{{"POSITION":{}}},"indices":{}}}]}}"#, 2 * i, 2 * i + 1));
        nodes.push(format!(r#"{{"mesh":{i},{node}}}"#));
    }
    let all: Vec<String> = (0..meshes.len()).map(|i| i.to_string()).collect();
    let data = base64::engine::general_purpose::STANDARD.encode(&buffer);
    format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{},"uri":"data:application/octet-stream;base64,{data}"}}],
"bufferViews":[{}],"accessors":[{}],"meshes":[{}],"nodes":[{}],"scenes":[{{"nodes":[{}]}}]}}"#,
        buffer.len(),
        views.join(","),
        accessors.join(","),
        list.join(","),
        nodes.join(","),
        all.join(",")
    )
    .into_bytes()
}

/// A sheet as glTF holds vertices.
fn single(seed: u64, cell: f64, at: [f64; 3]) -> Sheet {
    let sheet = Sheet::new(seed, cell);
    let points = sheet.at(at).iter().map(|p| p.map(|x| f64::from(x as f32))).collect();
    Sheet { points, triangles: sheet.triangles }
}

#[test]
fn meshes_of_gltf_stand_where_they_are_beside_each_other() {
    let rotation = "\"rotation\":[0,0,0.44721359549995793,0.8944271909999159]";
    let translation = |t: [f64; 3]| format!("\"translation\":[{}]", numbers(&[t]).trim().replace(' ', ","));
    let near = single(52, 0.1, [0.0; 3]);
    let far = single(53, 100.0, beside(1.0));
    let elsewhere = single(54, 500.0, ELSEWHERE);
    let turned_back = {
        let sheet = single(55, 300.0, [0.0; 3]);
        let points = sheet.at(UTM).into_iter().map(|p| turned(p, [TURN[0], -TURN[1]]).map(|x| f64::from(x as f32)));
        Sheet { points: points.collect(), triangles: sheet.triangles }
    };
    let away = minus(beside(3.0), ELSEWHERE);
    let turn = |p: [f64; 3]| turned(p, TURN);
    let pieces: [(&Sheet, String, Vec<Triangle>); 4] = [
        (&far, "\"name\":\"in the world\"".into(), far.corners([0.0; 3])),
        (&near, translation(beside(2.0)), near.corners(beside(2.0))),
        (&elsewhere, translation(away), elsewhere.corners(away)),
        (&turned_back, rotation.into(), turned_back.corners([0.0; 3]).iter().map(|t| t.map(turn)).collect()),
    ];
    for a in 0..pieces.len() {
        for b in (0..pieces.len()).filter(|&b| b != a) {
            let both = [&pieces[a], &pieces[b]];
            let file = gltf(&both.map(|(sheet, node, _)| (*sheet, node.clone())));
            let loaded = load_bytes(&file, Format::Gltf);
            let want: Vec<Triangle> = both.iter().flat_map(|(.., want)| want.clone()).collect();
            assert_placed(&format!("{a} + {b}"), &loaded, &want);
            // The fine one needs an origin, and gets it beside what f32 holds.
            assert!(loaded.scene.origin != [0.0; 3] || (a != 1 && b != 1), "{a} + {b}");
        }
    }
}
