//! Packages made here, and tables of broken ones.

use super::*;
use crate::import::context::told;
use crate::import::fuzz;
use crate::{FaceMaterials, FaultKind, ImportError, LoadOptions, PackedFault, Surface, Warning, WarningKind};
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
    result: impl FnOnce(&Path, &mut Context) -> Result<Description, ImportError>,
) -> Result<(Description, Vec<Warning>), ImportError> {
    let path = Path::new("part.3mf");
    let mut context = Context::new(path, &LoadOptions::default());
    let scene = result(path, &mut context)?;
    assert_eq!(crate::validate(&scene), Ok(()));
    Ok((scene, context.finish()?))
}

/// Returns the fault that ends an import, and its position.
#[track_caller]
fn fault<T: std::fmt::Debug>(result: Result<T, ImportError>) -> (Place, FaultKind) {
    let (_, place, kind) = told(result.unwrap_err()).unwrap();
    (place, kind)
}

/// Returns the position of a line of the usual model.
fn line(line: u64) -> Place {
    Place::Item(format!("{USUAL_MODEL}:{line}"))
}

/// Returns a warning at a place of the package.
fn warning(place: Place, kind: impl Into<WarningKind>) -> Warning {
    Warning { path: "part.3mf".into(), place, kind: kind.into() }
}

/// Imports a package of these parts; returns the scene and the warnings.
fn read(parts: &[(&str, &str)]) -> Result<(Description, Vec<Warning>), ImportError> {
    let parts: Vec<_> = parts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    import(|path, context| import_bytes(path, &zip(&parts), context))
}

/// Imports a package with a model in the usual part; returns the scene and the warnings.
fn read_model(text: &str) -> Result<(Description, Vec<Warning>), ImportError> {
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
    let no_part = ThreeMfFault::NoPart { name: "/3D/Objects/a.model".into() };
    assert_eq!(fault(read(&[(USUAL_MODEL, &main)])), (line(12), no_part.into()));
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
    let unread = ThreeMfWarning::UnreadGroup { kind: "texture2dgroup".into() };
    assert_eq!(warnings, [warning(line(12), unread)]);
    assert_eq!(reflectance(&scene, 0), Some([0.7; 3]));
    // What is not read has a grey of its own, so that it can be counted.
    assert_eq!(scene.materials.len(), 2);
    let more = r#"<object id="2"><components><component objectid="1"/></components></object>"#;
    let (scene, warnings) = read_model(&model(SQUARE, more, "")).unwrap();
    let model = Place::Item(USUAL_MODEL.into());
    assert_eq!(warnings, [warning(model, ThreeMfWarning::NoBuildItems)]);
    assert_eq!(scene.instances.len(), 1);
}

#[test]
fn broken_models_are_refused_with_their_part_and_line() {
    let component = r#"<object id="2"><components><component objectid="1"/></components></object>"#;
    let good = model(&SQUARE.replacen("v3=\"2\"", "v3=\"2\" pid=\"5\" p1=\"0\"", 1), component, ITEM);
    assert!(read_model(&good).is_ok());
    let word = |word: &str| word.to_string();
    let index = |text| ThreeMfFault::Index { word: word(text) };
    let not_finite = |text| ThreeMfFault::NotFinite { word: word(text) };
    let color = |text| ThreeMfFault::Color { word: word(text) };
    for (from, to, at, want) in [
        ("<model unit", "<html unit", 3, ThreeMfFault::Root { name: "model" }),
        (
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<!DOCTYPE model [<!ENTITY a \"b\">]>",
            1,
            ThreeMfFault::DocumentType,
        ),
        ("v1=\"1\"", "v1=\"4\"", 10, ThreeMfFault::NoVertex { vertex: 4, vertices: 4 }),
        ("v1=\"1\"", "v1=\"-1\"", 10, index("-1")),
        ("v1=\"1\"", "v1=\"4294967296\"", 10, index("4294967296")),
        ("v1=\"1\"", "", 10, ThreeMfFault::Triangle),
        ("x=\"0\" y=\"0\" z=\"1\"", "x=\"0\" y=\"0\"", 9, ThreeMfFault::Vertex),
        ("x=\"0\" y=\"0\" z=\"1\"", "x=\"0\" y=\"nan\" z=\"1\"", 9, not_finite("nan")),
        ("x=\"0\" y=\"0\" z=\"1\"", "x=\"0\" y=\"1e39\" z=\"1\"", 9, not_finite("1e39")),
        ("x=\"0\" y=\"0\" z=\"1\"", "x=\"0\" y=\"one\" z=\"1\"", 9, ThreeMfFault::Number { word: word("one") }),
        (
            "pid=\"5\" p1=\"0\"",
            "pid=\"5\" p1=\"2\"",
            8,
            ThreeMfFault::NoProperty { triangle: 0, property: 2, count: 2 },
        ),
        ("pid=\"5\" p1=\"0\"", "pid=\"8\" p1=\"2\"", 8, ThreeMfFault::NoGroup { triangle: 0, group: 8 }),
        (
            "pid=\"5\" p1=\"0\"",
            "pid=\"6\" p1=\"0\" p3=\"2\"",
            8,
            ThreeMfFault::NoColor { triangle: 0, count: 2, group: 6 },
        ),
        ("displaycolor=\"#FF0000\"", "displaycolor=\"red\"", 6, color("red")),
        ("displaycolor=\"#FF0000\"", "displaycolor=\"#+F0000\"", 6, color("#+F0000")),
        ("displaycolor=\"#FF0000\"", "displaycolor=\"#FF000\u{e9}\"", 6, color("#FF000\u{e9}")),
        ("<object id=\"1\"", "<object", 8, ThreeMfFault::ObjectWithoutId),
        ("<object id=\"2\"", "<object id=\"1\"", 12, ThreeMfFault::ObjectTwice { id: 1 }),
        ("<component objectid=\"1\"/>", "<component/>", 12, ThreeMfFault::NoObjectId),
        ("<item objectid=\"1\"/>", "<item objectid=\"3\"/>", 14, ThreeMfFault::NoObject { id: 3 }),
        (
            "<item objectid=\"1\"/>",
            "<item objectid=\"1\" transform=\"1 2 3\"/>",
            14,
            ThreeMfFault::Transform { numbers: 3 },
        ),
        ("</build>\n</model>", "", 14, ThreeMfFault::Cut),
    ] {
        assert!(good.contains(from), "{from}");
        let found = fault(read_model(&good.replacen(from, to, 1)));
        assert_eq!(found, (line(at), want.into()), "{from} -> {to}");
    }
    for (from, to, at) in [
        ("v1=\"1\"", "v1=\"&lol;\"", 10),
        ("v1=\"1\"", "v1=1", 10),
        ("</build>", "", 15),
        ("<triangles>", "<shapes>", 10),
    ] {
        assert!(good.contains(from), "{from}");
        let (place, found) = fault(read_model(&good.replacen(from, to, 1)));
        assert!(matches!(found, FaultKind::ThreeMf(ThreeMfFault::Xml { .. })), "{from} -> {to}: {found:?}");
        assert_eq!((place, found.to_string().lines().count()), (line(at), 1), "{from} -> {to}");
    }
    assert_eq!(fault(read_model(&model("", "", ITEM))), (Place::File, ThreeMfFault::NoTriangles.into()));
    let huge = "transform=\"1e30 0 0 0 1e30 0 0 0 1e30 0 0 0\"";
    let more = format!(r#"<object id="2"><components><component objectid="1" {huge}/></components></object>"#);
    let found = fault(read_model(&model(SQUARE, &more, &format!(r#"<item objectid="2" {huge}/>"#))));
    assert_eq!(found, (line(12), ThreeMfFault::PlaceNotFinite.into()));
}

#[test]
fn objects_that_hold_themselves_or_multiply_without_end_are_refused() {
    let object = |id: usize, parts: &[usize]| {
        let component = |id: &usize| format!(r#"<component objectid="{id}"/>"#);
        let components: String = parts.iter().map(component).collect();
        format!(r#"<object id="{id}"><components>{components}</components></object>"#)
    };
    let more = object(2, &[3]) + &object(3, &[1, 2]);
    let found = fault(read_model(&model(SQUARE, &more, r#"<item objectid="2"/>"#)));
    assert_eq!(found, (line(12), ThreeMfFault::PartOfItself { id: 2 }.into()));
    // Thirty doublings, and of nothing at all.
    for last in [1, 2] {
        let more: String = object(2, &[])
            + &(3..33).map(|id| object(id, &[if id == 3 { last } else { id - 1 }; 2])).collect::<String>();
        let found = fault(read_model(&model(SQUARE, &more, r#"<item objectid="32"/>"#))).1;
        assert_eq!(found, ThreeMfFault::Placed.into());
    }
    let more: String = (2..100).map(|id| object(id, &[id - 1])).collect();
    let found = fault(read_model(&model(SQUARE, &more, r#"<item objectid="99"/>"#))).1;
    assert_eq!(found, ThreeMfFault::Depth.into());
}

#[test]
fn packages_that_are_none_or_unpack_without_end_are_refused() {
    let error = |bytes: &[u8]| fault(import(|path, context| import_bytes(path, bytes, context)));
    for bytes in [&b""[..], b"PK\x03\x04", b"solid x\nendsolid"] {
        let error = error(bytes);
        assert!(matches!(error, (Place::File, FaultKind::ThreeMf(ThreeMfFault::NoZip { .. }))), "{error:?}");
    }
    let no_part = ThreeMfFault::NoPart { name: USUAL_MODEL.into() };
    assert_eq!(error(&zip(&[("a.txt", b"")])), (Place::File, no_part.into()));
    assert_eq!(error(&zip(&[(USUAL_MODEL, b"<\xff")])), (line(1), ThreeMfFault::NotUtf8.into()));
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
    let model = Place::Item(USUAL_MODEL.into());
    let encrypted = changed(entry + 8, good[entry + 8] | 1);
    assert_eq!(encrypted, (model.clone(), ThreeMfFault::Encrypted.into()));
    assert_eq!(changed(entry + 10, 12), (model.clone(), ThreeMfFault::Method { method: 12 }.into()));
    let checksum = changed(entry + 16, good[entry + 16] ^ 1);
    assert!(checksum.0 == model && matches!(checksum.1, FaultKind::Packed(PackedFault::Broken { .. })), "{checksum:?}");
    let bomb = error(&zip(&[(USUAL_MODEL, &vec![b' '; 65 << 20])]));
    assert_eq!(bomb, (model, PackedFault::Unpacked { limit: 64 << 20 }.into()));
}

#[test]
fn a_package_cut_off_or_with_any_byte_changed_is_read_or_refused() {
    let text = model(SQUARE, "", ITEM);
    let rels = RELS.replace("/parts/Main.model", USUAL_MODEL);
    let package = zip(&[(USUAL_MODEL, text.as_bytes()), (RELATIONSHIPS, rels.as_bytes())]);
    for good in [package.as_slice(), text.as_bytes()] {
        fuzz::threemf(good);
        (0..good.len()).for_each(|length| fuzz::threemf(&good[..length]));
        for at in 0..good.len() {
            for flip in [0xff, 0x80, 0x10, 0x01] {
                let mut broken = good.to_vec();
                broken[at] ^= flip;
                fuzz::threemf(&broken);
            }
        }
    }
}

#[test]
fn extensions_of_the_format_are_said_where_they_change_what_is_seen() {
    let said = |square: &str, more: &str| read_model(&model(square, more, ITEM)).unwrap().1;
    let unread = |kind: &str| [warning(line(12), ThreeMfWarning::Unread { kind: kind.into() })];
    let painted = SQUARE.replacen("v3=\"2\"", "v3=\"2\" paint_color=\"4\"", 2);
    assert_eq!(said(&painted, ""), [warning(line(10), ThreeMfWarning::Painted)]);
    let metal = r#"<m:pbmetallicdisplayproperties id="9"><m:pbmetallic/></m:pbmetallicdisplayproperties>"#;
    assert_eq!(said(SQUARE, metal), unread("pbmetallicdisplayproperties"));
    let beams = r#"<object id="8"><mesh><b:beamlattice><b:beams/></b:beamlattice></mesh></object>"#;
    assert_eq!(said(SQUARE, &[beams; 2].concat().replacen("8", "9", 1)), unread("beamlattice"));
    let shape = r#"<object id="8"><bo:booleanshape objectid="1"/></object>"#;
    assert_eq!(said(SQUARE, shape), unread("booleanshape"));
    let clear = r##"<basematerials id="9"><base name="a" displaycolor="#FF000020"/></basematerials>"##;
    assert_eq!(said(SQUARE, clear), [warning(line(12), ThreeMfWarning::ClearColors)]);
    assert_eq!(said(SQUARE, r#"<object id="8"><metadatagroup><metadata/></metadatagroup></object>"#), []);
    let parts = [(USUAL_MODEL, &*model(SQUARE, "", ITEM)), ("Metadata/model_settings.config", "<config/>")];
    let settings = Place::Item("Metadata/model_settings.config".into());
    assert_eq!(read(&parts).unwrap().1, [warning(settings, ThreeMfWarning::SlicerSettings)]);
}

#[test]
fn vertices_that_are_not_finite_and_in_no_triangle_are_left_out_with_a_warning() {
    let good = model(SQUARE, "", ITEM);
    let odd = "<vertex x=\"nan\" y=\"0\" z=\"1e39\"/>";
    let used = fault(read_model(&good.replacen("<vertices>", &format!("<vertices>{odd}"), 1))).1;
    assert_eq!(used, ThreeMfFault::NotFinite { word: "1e39".into() }.into());
    let (scene, warnings) = read_model(&good.replacen("</vertices>", &format!("{odd}</vertices>"), 1)).unwrap();
    let (plain, _) = read_model(&good).unwrap();
    assert_eq!(scene.meshes[0].triangles, plain.meshes[0].triangles);
    assert!(warnings.iter().any(|warning| warning.kind == WarningKind::StrayVertices { count: 1 }), "{warnings:?}");
}
