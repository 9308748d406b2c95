//! Packages made here, and tables of broken ones.

use super::*;
use crate::{FaceMaterials, SceneError, Surface};
use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::io::Write;

/// Returns a ZIP file of these parts, every other one without compression.
fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for (i, (name, bytes)) in parts.iter().enumerate() {
        let method = if i % 2 == 0 { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
        let (mut entry, config) = archive.new_file(name).compression_method(method).start().unwrap();
        if i % 2 == 0 {
            let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::best());
            let mut writer = config.wrap(encoder);
            writer.write_all(bytes).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            entry.finish(descriptor).unwrap();
        } else {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(bytes).unwrap();
            let (_, descriptor) = writer.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
    }
    archive.finish().unwrap()
}

const RELS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Target="/Metadata/a.png" Id="r0" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"/>
<Relationship Target="/parts/Main.model" Id="r1" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>"#;

/// Returns the XML of a model with a square of id 1, `more` resources, and the items `build`.
fn model(square: &str, more: &str, build: &str) -> String {
    format!(
        r##"<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
    xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02" xmlns:p="production">
<metadata name="Title">A &amp; B &unknown; </metadata>
<resources>
<basematerials id="5"><base name="red &lt;1&gt;" displaycolor="#FF0000"/><base name="plain"/></basematerials>
<m:colorgroup id="6"><m:color color="#00FF00"/><m:color color="#0000FFff"/></m:colorgroup>
<object id="1" name="square" type="model">
<mesh><vertices><vertex x="0" y="0" z="1"/><vertex x="1" y="0" z="1"/><vertex x="0" y="1" z="1"/><vertex x="1e0" y=" 1 " z="1"/></vertices>
<triangles>{square}</triangles>
<t:trianglesets xmlns:t="t"><vertices><vertex/></vertices></t:trianglesets></mesh></object>
{more}
</resources>
<build>{build}</build>
</model>"##
    )
}

const SQUARE: &str = r#"<triangle v1="0" v2="1" v3="2"/><triangle v1="1" v2="3" v3="2"/>"#;
const ITEM: &str = r#"<item objectid="1"/>"#;

fn import(
    result: impl FnOnce(&Path, &mut Context) -> Result<Description, SceneError>,
) -> Result<(Description, Vec<String>), String> {
    let path = Path::new("part.3mf");
    let mut context = Context::new(path, &LoadOptions::default());
    let scene = result(path, &mut context).map_err(|error| error.to_string())?;
    assert_eq!(crate::validate(&scene), Ok(()));
    Ok((scene, context.finish().unwrap().iter().map(ToString::to_string).collect()))
}

/// Imports a package of these parts; returns the scene and the warnings.
fn read(parts: &[(&str, &str)]) -> Result<(Description, Vec<String>), String> {
    let parts: Vec<_> = parts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    import(|path, context| import_bytes(path, &zip(&parts), context))
}

/// Imports a package with a model in the usual part; returns the scene and the warnings.
fn read_model(text: &str) -> Result<(Description, Vec<String>), String> {
    read(&[(USUAL_MODEL, text)])
}

/// Returns the corners of all triangles in world space, rounded to integers.
fn corners(scene: &Description) -> Vec<[[i32; 3]; 3]> {
    let mut found = Vec::new();
    for instance in &scene.instances {
        let mesh = &scene.meshes[instance.mesh.index()].triangles;
        let place = |point: [f32; 3]| instance.transform.point(point).map(|x| x.round() as i32);
        found.extend((0..mesh.indices.len()).map(|i| mesh.corners(i).map(place)));
    }
    found
}

fn reflectance(scene: &Description, triangle: usize) -> Option<[f32; 3]> {
    let material = &scene.materials[scene.material_of(0, triangle).index()];
    let Surface::Diffuse { reflectance } = &material.surface else { panic!("{material:?}") };
    reflectance.texture.is_none().then_some(reflectance.factor)
}

const CORNERS: [[[i32; 3]; 3]; 2] = [[[0, 0, 1], [1, 0, 1], [0, 1, 1]], [[1, 0, 1], [1, 1, 1], [0, 1, 1]]];

#[test]
fn an_object_is_read_wherever_the_package_says() {
    let text = model(SQUARE, "", ITEM);
    let bom = format!("\u{feff}{text}");
    for parts in [
        vec![(USUAL_MODEL, text.as_str())],
        vec![(USUAL_MODEL, bom.as_str()), ("[Content_Types].xml", "")],
        vec![("_rels/.rels", RELS), ("parts/main.MODEL", &text)],
        vec![("parts/Main.model", text.as_str()), ("_rels/.rels", RELS), (USUAL_MODEL, "no XML")],
    ] {
        let (scene, warnings) = read(&parts).unwrap();
        assert_eq!((corners(&scene), warnings), (CORNERS.to_vec(), vec![]));
        assert_eq!((scene.meshes[0].name.as_str(), reflectance(&scene, 0)), ("square", Some([0.7; 3])));
        assert!(matches!(scene.meshes[0].materials, FaceMaterials::Uniform(_)));
    }
}

#[test]
fn components_and_items_are_placed_by_their_matrices() {
    // Turned by a quarter about z (x to y), then moved: rows are images of the axes.
    let turned = r#"transform="0 1 0 -1 0 0 0 0 1 10 20 30""#;
    let more = format!(
        r#"<object id="2"><components><component objectid="1" {turned}/><component objectid="1"/></components></object>"#
    );
    let build = r#"<item objectid="2" transform="2 0 0 0 2 0 0 0 2 100 0 0"/><item objectid="1"/>"#;
    let (scene, warnings) = read_model(&model(SQUARE, &more, build)).unwrap();
    assert_eq!((scene.meshes.len(), scene.instances.len(), warnings.len()), (1, 3, 0));
    let found = corners(&scene);
    // (1, 0, 1) is turned to (0, 1, 1), moved to (10, 21, 31), doubled and moved.
    assert_eq!(found[0], [[120, 40, 62], [120, 42, 62], [118, 40, 62]]);
    assert_eq!(found[2], [[100, 0, 2], [102, 0, 2], [100, 2, 2]]);
    assert_eq!(found[4..], CORNERS);
}

#[test]
fn objects_of_other_parts_are_found() {
    let other = model(SQUARE, "", "");
    let more =
        r#"<object id="2"><components><component objectid="1" p:path="/3D/Objects/a.model"/></components></object>"#;
    let build = r#"<item objectid="2"/><item p:path="3D\objects\A.model" objectid="1"/><item objectid="1"/>"#;
    let main = model(&SQUARE.replace(r#"<triangle v1="1" v2="3" v3="2"/>"#, ""), more, build);
    let (scene, _) = read(&[(USUAL_MODEL, &main), ("3D/Objects/a.model", &other)]).unwrap();
    assert_eq!((scene.meshes.len(), corners(&scene).len()), (2, 5));
    assert!(scene.instances[0].mesh == scene.instances[1].mesh && scene.instances[1].mesh != scene.instances[2].mesh);
    let error = read(&[(USUAL_MODEL, &main)]).map(|_| ()).unwrap_err();
    assert_eq!(error, "part.3mf: 3D/3dmodel.model:12: the package has no part /3D/Objects/a.model");
}

#[test]
fn colours_of_triangles_and_corners_are_read() {
    let colored = |first: &str, second: &str| {
        let text = SQUARE.replacen("v3=\"2\"", &format!("v3=\"2\" {first}"), 1);
        let text = text.replace("v2=\"3\" v3=\"2\"", &format!("v2=\"3\" v3=\"2\" {second}"));
        let (scene, warnings) = read_model(&model(&text, "", ITEM)).unwrap();
        assert_eq!((corners(&scene), warnings), (CORNERS.to_vec(), vec![]));
        scene
    };
    let scene = colored(r#"pid="5" p1="0""#, r#"pid="5" p1="1""#);
    assert_eq!((reflectance(&scene, 0), reflectance(&scene, 1)), (Some([1.0, 0.0, 0.0]), Some([0.7; 3])));
    assert_eq!(scene.materials[scene.material_of(0, 0).index()].name, "red <1>");
    // Colours of corners: those of the first triangle differ, the second has none.
    let scene = colored(r#"pid="6" p1="0" p2="1" p3="1""#, "");
    assert_eq!((reflectance(&scene, 0), reflectance(&scene, 1)), (None, Some([0.7; 3])));
    let mesh = &scene.meshes[0].triangles;
    let colors = mesh.indices[0].map(|i| mesh.colors[i as usize]);
    assert_eq!(colors, [[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]);
    assert_eq!(mesh.positions.len(), 6);
    // The object's own property counts where a triangle has none.
    let text = model(SQUARE, "", ITEM).replace("name=\"square\"", "pid=\"6\" pindex=\"0\"");
    let (scene, _) = read_model(&text).unwrap();
    assert_eq!((reflectance(&scene, 0), scene.meshes[0].triangles.positions.len()), (None, 4));
    assert_eq!(scene.meshes[0].triangles.colors, [[0.0, 1.0, 0.0, 1.0]; 4]);
}

#[test]
fn what_is_not_read_is_said() {
    let texture = r#"<m:texture2dgroup id="7" texid="9"><m:tex2coord u="0" v="0"/></m:texture2dgroup>"#;
    let square = SQUARE.replacen("v3=\"2\"", "v3=\"2\" pid=\"7\" p1=\"0\"", 1);
    let (scene, warnings) = read_model(&model(&square, texture, ITEM)).unwrap();
    assert_eq!(warnings, ["part.3mf: 3D/3dmodel.model:12: `texture2dgroup` is not read; rendered grey"]);
    assert_eq!(reflectance(&scene, 0), Some([0.7; 3]));
    // What is not read has a grey of its own, so that it can be counted.
    assert_eq!(scene.materials.len(), 2);
    let more = r#"<object id="2"><components><component objectid="1"/></components></object>"#;
    let (scene, warnings) = read_model(&model(SQUARE, more, "")).unwrap();
    assert_eq!(warnings, ["part.3mf: 3D/3dmodel.model: nothing is to be built; every object is shown"]);
    assert_eq!(scene.instances.len(), 1);
}

#[test]
fn broken_models_are_refused_with_their_part_and_line() {
    let component = r#"<object id="2"><components><component objectid="1"/></components></object>"#;
    let good = model(&SQUARE.replacen("v3=\"2\"", "v3=\"2\" pid=\"5\" p1=\"0\"", 1), component, ITEM);
    assert!(read_model(&good).is_ok());
    for (from, to, want) in [
        ("<model unit", "<html unit", ":3: the part should begin with an element `model`"),
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<!DOCTYPE model [<!ENTITY a \"b\">]>", ":1: a document type"),
        ("v1=\"1\"", "v1=\"4\"", ":10: a triangle uses vertex 4, but there are only 4"),
        ("v1=\"1\"", "v1=\"-1\"", ":10: `-1` is no index or id"),
        ("v1=\"1\"", "v1=\"4294967296\"", ":10: `4294967296` is no index or id"),
        ("v1=\"1\"", "", ":10: a triangle needs v1, v2 and v3"),
        ("v1=\"1\"", "v1=\"&lol;\"", ":10: "),
        ("v1=\"1\"", "v1=1", ":10: "),
        ("x=\"0\" y=\"0\" z=\"1\"", "x=\"0\" y=\"0\"", ":9: a vertex needs x, y and z"),
        ("x=\"0\" y=\"0\" z=\"1\"", "x=\"0\" y=\"nan\" z=\"1\"", ":9: `nan` is not finite"),
        ("x=\"0\" y=\"0\" z=\"1\"", "x=\"0\" y=\"1e39\" z=\"1\"", ":9: `1e39` is not finite"),
        ("x=\"0\" y=\"0\" z=\"1\"", "x=\"0\" y=\"one\" z=\"1\"", ":9: `one` is no number"),
        ("pid=\"5\" p1=\"0\"", "pid=\"5\" p1=\"2\"", ":8: triangle 0 of the object has property 2 of 2"),
        ("pid=\"5\" p1=\"0\"", "pid=\"8\" p1=\"2\"", ":8: triangle 0 of the object has a property of group 8, which"),
        ("pid=\"5\" p1=\"0\"", "pid=\"6\" p1=\"0\" p3=\"2\"", ":8: triangle 0 of the object has a colour beyond the 2"),
        ("displaycolor=\"#FF0000\"", "displaycolor=\"red\"", ":6: `red` is no colour such as #RRGGBB"),
        ("displaycolor=\"#FF0000\"", "displaycolor=\"#+F0000\"", ":6: `#+F0000` is no colour"),
        ("displaycolor=\"#FF0000\"", "displaycolor=\"#FF000\u{e9}\"", ":6: `#FF000\u{e9}` is no colour"),
        ("<object id=\"1\"", "<object", ":8: an object without an id"),
        ("<object id=\"2\"", "<object id=\"1\"", ":12: two objects have the id 1"),
        ("<component objectid=\"1\"/>", "<component/>", ":12: an item or a component needs an objectid"),
        ("<item objectid=\"1\"/>", "<item objectid=\"3\"/>", ":14: there is no object 3"),
        (
            "<item objectid=\"1\"/>",
            "<item objectid=\"1\" transform=\"1 2 3\"/>",
            ":14: a transform of 3 numbers; it has 12",
        ),
        ("</build>", "", ":15: "),
        ("</build>\n</model>", "", ":14: the part ends within an element: it is cut off"),
        ("<triangles>", "<shapes>", ":10: "),
    ] {
        assert!(good.contains(from), "{from}");
        let text = good.replacen(from, to, 1);
        let error = read_model(&text).map(|_| ()).unwrap_err();
        assert!(error.starts_with(&format!("part.3mf: 3D/3dmodel.model{want}")), "{from} -> {to}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let empty = read_model(&model("", "", ITEM)).map(|_| ()).unwrap_err();
    assert_eq!(empty, "part.3mf: it has no triangles");
    let huge = "transform=\"1e30 0 0 0 1e30 0 0 0 1e30 0 0 0\"";
    let more = format!(r#"<object id="2"><components><component objectid="1" {huge}/></components></object>"#);
    let error = read_model(&model(SQUARE, &more, &format!(r#"<item objectid="2" {huge}/>"#))).map(|_| ()).unwrap_err();
    assert_eq!(error, "part.3mf: 3D/3dmodel.model:12: its place is not finite");
}

#[test]
fn objects_that_hold_themselves_or_multiply_without_end_are_refused() {
    let object = |id: usize, parts: &[usize]| {
        let component = |id: &usize| format!(r#"<component objectid="{id}"/>"#);
        let components: String = parts.iter().map(component).collect();
        format!(r#"<object id="{id}"><components>{components}</components></object>"#)
    };
    let more = object(2, &[3]) + &object(3, &[1, 2]);
    let error = read_model(&model(SQUARE, &more, r#"<item objectid="2"/>"#)).map(|_| ()).unwrap_err();
    assert_eq!(error, "part.3mf: 3D/3dmodel.model:12: object 2 is a part of itself");
    // Thirty doublings, and of nothing at all.
    for last in [1, 2] {
        let more: String = object(2, &[])
            + &(3..33).map(|id| object(id, &[if id == 3 { last } else { id - 1 }; 2])).collect::<String>();
        let error = read_model(&model(SQUARE, &more, r#"<item objectid="32"/>"#)).map(|_| ()).unwrap_err();
        assert!(error.ends_with("more than 1048576 objects are placed"), "{error}");
    }
    let more: String = (2..100).map(|id| object(id, &[id - 1])).collect();
    let error = read_model(&model(SQUARE, &more, r#"<item objectid="99"/>"#)).map(|_| ()).unwrap_err();
    assert!(error.ends_with("components within components more than 64 deep"), "{error}");
}

#[test]
fn packages_that_are_none_or_unpack_without_end_are_refused() {
    let error = |bytes: &[u8]| import(|path, context| import_bytes(path, bytes, context)).map(|_| ()).unwrap_err();
    for bytes in [&b""[..], b"PK\x03\x04", b"solid x\nendsolid"] {
        let error = error(bytes);
        assert!(error.starts_with("part.3mf: no zip file, which a 3MF file is, or a broken one: "), "{error}");
    }
    assert_eq!(error(&zip(&[("a.txt", b"")])), "part.3mf: the package has no part 3D/3dmodel.model");
    assert_eq!(error(&zip(&[(USUAL_MODEL, b"<\xff")])), "part.3mf: 3D/3dmodel.model:1: the part is not UTF-8");
    let text = model(SQUARE, "", ITEM);
    let good = zip(&[(USUAL_MODEL, text.as_bytes())]);
    let at = |what: &[u8]| good.windows(what.len()).rposition(|bytes| bytes == what).unwrap();
    let changed = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        error(&bytes)
    };
    // Fields of the entry in the directory: flags, method, checksum.
    let entry = at(b"PK\x01\x02");
    assert!(changed(entry + 8, good[entry + 8] | 1).ends_with("3D/3dmodel.model: it is encrypted"));
    assert!(changed(entry + 10, 12).ends_with("3D/3dmodel.model: packed by method 12; known are none and deflate"));
    let checksum = changed(entry + 16, good[entry + 16] ^ 1);
    assert!(checksum.contains("3D/3dmodel.model: broken compressed data"), "{checksum}");
    let bomb = error(&zip(&[(USUAL_MODEL, &vec![b' '; 65 << 20])]));
    assert!(bomb.starts_with("part.3mf: 3D/3dmodel.model: unpacks to more than 67108864 bytes"), "{bomb}");
}

#[test]
fn a_package_cut_off_or_with_any_byte_changed_is_read_or_refused() {
    let text = model(SQUARE, "", ITEM);
    let rels = RELS.replace("/parts/Main.model", USUAL_MODEL);
    let package = zip(&[(USUAL_MODEL, text.as_bytes()), (RELATIONSHIPS, rels.as_bytes())]);
    for good in [package.as_slice(), text.as_bytes()] {
        fuzz_3mf(good);
        (0..good.len()).for_each(|length| fuzz_3mf(&good[..length]));
        for at in 0..good.len() {
            for flip in [0xff, 0x80, 0x10, 0x01] {
                let mut broken = good.to_vec();
                broken[at] ^= flip;
                fuzz_3mf(&broken);
            }
        }
    }
}

#[test]
fn extensions_of_the_format_are_said_where_they_change_what_is_seen() {
    let said = |square: &str, more: &str| read_model(&model(square, more, ITEM)).unwrap().1;
    let line = |message: &str| vec![format!("part.3mf: 3D/3dmodel.model:{message}")];
    let painted = SQUARE.replacen("v3=\"2\"", "v3=\"2\" paint_color=\"4\"", 2);
    assert_eq!(
        said(&painted, ""),
        line("10: what a slicer has painted on triangles is not read; they keep the colours of the object")
    );
    let metal = r#"<m:pbmetallicdisplayproperties id="9"><m:pbmetallic/></m:pbmetallicdisplayproperties>"#;
    assert_eq!(
        said(SQUARE, metal),
        line("12: `pbmetallicdisplayproperties` is not read; surfaces are diffuse and opaque")
    );
    let beams = r#"<object id="8"><mesh><b:beamlattice><b:beams/></b:beamlattice></mesh></object>"#;
    assert_eq!(
        said(SQUARE, &[beams; 2].concat().replacen("8", "9", 1)),
        line("12: `beamlattice` is not read; its beams are left out")
    );
    let shape = r#"<object id="8"><bo:booleanshape objectid="1"/></object>"#;
    assert_eq!(said(SQUARE, shape), line("12: `booleanshape` is not read"));
    let clear = r##"<basematerials id="9"><base name="a" displaycolor="#FF000020"/></basematerials>"##;
    assert_eq!(
        said(SQUARE, clear),
        line("12: colours have an alpha below FF, which has no effect; their triangles are opaque")
    );
    assert_eq!(
        said(SQUARE, r#"<object id="8"><metadatagroup><metadata/></metadatagroup></object>"#),
        Vec::<String>::new()
    );
    let parts = [(USUAL_MODEL, &*model(SQUARE, "", ITEM)), ("Metadata/model_settings.config", "<config/>")];
    assert_eq!(
        read(&parts).unwrap().1,
        [
            "part.3mf: Metadata/model_settings.config: settings of a slicer, such as the colours of its filaments, are not \
          read"
        ]
    );
}

#[test]
fn vertices_that_are_not_finite_and_in_no_triangle_are_left_out_with_a_warning() {
    let good = model(SQUARE, "", ITEM);
    let odd = "<vertex x=\"nan\" y=\"0\" z=\"1e39\"/>";
    let used = read_model(&good.replacen("<vertices>", &format!("<vertices>{odd}"), 1)).map(|_| ()).unwrap_err();
    assert!(used.contains("`1e39` is not finite"), "{used}");
    let (scene, warnings) = read_model(&good.replacen("</vertices>", &format!("{odd}</vertices>"), 1)).unwrap();
    let (plain, _) = read_model(&good).unwrap();
    assert_eq!(scene.meshes[0].triangles, plain.meshes[0].triangles);
    assert!(
        warnings.iter().any(|warning| warning.ends_with("1 vertex is not finite, and no face uses it; left out")),
        "{warnings:?}"
    );
}
