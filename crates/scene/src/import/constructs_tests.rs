//! `docs/reference/formats-constructs.md` against the importers: whatever they know by name has a row there.
//!
//! The names are those of lists that the importers use, and the words of `match` arms in their source.

use super::gltf::extension;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../../docs/reference/formats-constructs.md");

/// Names of ratified Khronos extensions for glTF that were seen in files, whether the importer reads them or not.
const RATIFIED: [&str; 26] = [
    "EXT_lights_image_based",
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_mesh_quantization",
    "KHR_node_visibility",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "KHR_xmp_json_ld",
    "KHR_materials_pbrSpecularGlossiness",
];

/// Returns the names in back-quotes in the first column of the tables on the page of formats; `lower` for names read in
/// any case.
fn documented(lower: bool) -> BTreeSet<String> {
    let first_cells = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let quoted = first_cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    quoted.map(|name| if lower { name.to_lowercase() } else { name.to_string() }).collect()
}

/// Returns the strings on the left of `match` arms, in the part of a source between two lines that begin with `from`
/// and `to`.
fn arms<'a>(source: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    let from = source.find(from).unwrap_or_else(|| panic!("no {from:?}"));
    let part = &source[from..from + source[from..].find(to).unwrap_or_else(|| panic!("no {to:?}"))];
    let lines = part.lines().map(str::trim_start).filter(|line| line.starts_with('"') || line.starts_with("| \""));
    let patterns =
        lines.map(|line| line.split("=>").next().unwrap_or(line)).map(|line| line.split(" if ").next().unwrap_or(line));
    patterns.flat_map(|pattern| pattern.split('"').skip(1).step_by(2)).filter(|word| !word.is_empty()).collect()
}

/// Returns those of `names` that have no row in the page's tables.
fn missing<'a>(names: impl IntoIterator<Item = &'a str>, lower: bool) -> Vec<&'a str> {
    let documented = documented(lower);
    names.into_iter().filter(|name| !documented.contains(*name)).collect()
}

#[test]
fn every_extension_of_gltf_has_a_row() {
    let known = [extension::SUPPORTED, extension::QUIET, extension::WARNED_AT_USE].concat();
    assert!(known.len() > 20);
    assert_eq!(missing(known.into_iter().chain(RATIFIED), false), [""; 0]);
    let fields = include_str!("gltf/json.rs").split('"').skip(1).step_by(2).filter(|name| name.contains("_"));
    let fields: Vec<&str> = fields.filter(|name| name.starts_with("KHR_") || name.starts_with("EXT_")).collect();
    assert!(fields.len() > 15, "{fields:?}");
    assert_eq!(missing(fields, false), [""; 0]);
}

#[test]
fn every_statement_of_obj_and_mtl_has_a_row() {
    let mtl = include_str!("obj/mtl.rs");
    let mut statements = arms(mtl, "fn statement(", "fn not_rendered(");
    statements.extend(arms(mtl, "fn not_rendered(", "fn color("));
    statements.extend(arms(mtl, "fn map(", "fn word("));
    assert!(statements.len() > 45 && statements.contains(&"map_pcr") && statements.contains(&"-mm"), "{statements:?}");
    assert_eq!(missing(statements, true), [""; 0]);
    let statements = arms(include_str!("obj/geometry.rs"), "fn line(", "fn position(");
    assert!(statements.len() > 25 && statements.contains(&"usemtl") && statements.contains(&"con"), "{statements:?}");
    assert_eq!(missing(statements, false), [""; 0]);
}

#[test]
fn every_property_of_ply_and_element_of_3mf_has_a_row() {
    let names = include_str!("ply/vertices.rs");
    let names = &names[names.find("const NAMES").unwrap()..names.find("const NORMAL").unwrap()];
    let colors = include_str!("ply/color.rs");
    let colors = &colors[colors.find("const NAMES").unwrap()..colors.find("struct Channels").unwrap()];
    let quoted = |text: &'static str| text.split('"').skip(1).step_by(2);
    let names: Vec<&str> = quoted(names).chain(quoted(colors)).collect();
    assert!(names.len() > 25 && names.contains(&"texture_s") && names.contains(&"diffuse_red"), "{names:?}");
    assert_eq!(missing(names, false), [""; 0]);
    let faces = ["vertex_indices", "vertex_index", "material", "texcoord", "texnumber", "tristrips", "edge", "camera"];
    assert_eq!(missing(faces, false), [""; 0]);
    let model = include_str!("threemf/model.rs");
    let mut elements = arms(model, "impl Model", "fn vertices(");
    elements.extend(arms(include_str!("../findings/threemf.rs"), "fn why(", "\n}\n"));
    let quiet = &model[model.find("const QUIET").unwrap()..model.find("fn not_read(").unwrap()];
    elements.extend(quoted(quiet));
    elements.retain(|name| !matches!(*name, "id" | "name"));
    assert!(elements.len() > 15 && elements.contains(&"beamlattice"), "{elements:?}");
    assert_eq!(missing(elements, false), [""; 0]);
}

#[test]
fn every_directive_and_type_of_pbrt_has_a_row() {
    let parse = include_str!("pbrt/directive/parse.rs");
    let mut names = arms(parse, "fn directive(", "pub fn argument(");
    names.extend(arms(include_str!("pbrt/material/mod.rs"), "fn read_material(", "fn stand_in("));
    names.extend(arms(include_str!("pbrt/texture.rs"), "match class {", "fn store_texture("));
    names.extend(arms(include_str!("pbrt/light.rs"), "match kind {", "fn light_position("));
    names.extend(arms(include_str!("pbrt/shape/mod.rs"), "match kind {", "fn add_shape("));
    names.extend(arms(include_str!("pbrt/camera.rs"), "match kind {", "fn shutter("));
    let picture = include_str!("pbrt/directive/picture.rs");
    names.extend(arms(picture, "pub fn film(", "fn pixel_bounds("));
    names.extend(arms(picture, "pub fn sampler(", "pub fn integrator("));
    names.extend(arms(picture, "pub fn pixel_filter(", "\n}\n"));
    // What the documentation of pbrt has.
    let table = include_str!("pbrt/tests/parameters.rs");
    let rows = table.lines().filter(|line| line.starts_with("3 ") || line.starts_with("4 "));
    for row in rows {
        let mut cells = row.split(" | ");
        let (head, directive) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        let mut words = directive.split(['"', ' ']).filter(|word| !word.is_empty());
        match head.split(' ').nth(1) {
            Some("spectrum" | "float") => names.extend(words.next()),
            Some("medium") => names.extend(words.nth(2)),
            _ => names.extend(words.take(2)),
        }
    }
    for name in ["carpaint", "Attribute", "kdsubsurface", "marble", "nanovdb", "mlt", "paraboloid", "zsobol"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert_eq!(missing(names, false), [""; 0]);
}

#[test]
fn a_name_without_a_row_is_found() {
    assert_eq!(missing(["KHR_materials_sheen", "KHR_materials_wool"], false), ["KHR_materials_wool"]);
    let source = "fn f() {\n    \"a\" | \"b\" => 1,\n    \"c\"\n    | \"d\" => \"e\",\n}\nfn g() {\n    \"h\" => 2,\n";
    assert_eq!(arms(source, "fn f", "fn g"), ["a", "b", "c", "d"]);
}
