//! What is counted as a stand-in.

use super::*;
use crate::StandIns;

#[track_caller]
fn check(text: &str, expected: Option<StandIns>) {
    let path = Path::new("scene.pbrt");
    let mut context = Context::new(path, &LoadOptions { allow_missing: true, ..LoadOptions::default() });
    let scene = import_bytes(path, text.as_bytes().to_vec(), &mut context, false, 1 << 20).unwrap();
    assert_eq!(context.stand_ins.count(&scene), expected, "{text}");
}

/// Returns the counts of so many materials that are replaced, on `triangles` of all triangles.
fn materials(materials: u64, [triangles, of]: [u64; 2]) -> StandIns {
    StandIns { materials, triangles, of, ..StandIns::default() }
}

/// Returns the counts of one texture that is replaced, on one triangle of `of`.
fn texture(of: u64) -> StandIns {
    StandIns { textures: 1, triangles: 1, of, ..StandIns::default() }
}

#[test]
fn materials_that_are_replaced_are_counted_where_triangles_have_them() {
    let grey = "Material \"matte\"\n";
    check(&format!("{grey}{TRIANGLE}"), None);
    let one = Some(materials(1, [1, 2]));
    for replaced in
        ["Material \"hair\"\n", "Material \"subsurface\"\n", "Material \"velvet\"\n", "NamedMaterial \"x\"\n"]
    {
        check(&format!("{replaced}{TRIANGLE}{grey}{TRIANGLE}"), one);
        // One that no triangle has shows nowhere.
        check(&format!("{replaced}{grey}{TRIANGLE}"), None);
    }
    // Two of a kind, one used twice; alpha and lights keep what their material is.
    let hair = |name: &str| format!("MakeNamedMaterial \"{name}\" \"string type\" \"hair\"\n");
    let light = "AreaLightSource \"diffuse\"\n";
    let named = |name: &str| format!("NamedMaterial \"{name}\"\n{TRIANGLE}");
    check(
        &format!("{}{}{}{}{light}{}", hair("a"), hair("b"), named("a"), named("b"), named("a")),
        Some(materials(2, [3, 3])),
    );
    let mix = "Material \"mix\" \"string namedmaterial1\" \"a\" \"string namedmaterial2\" \"b\"\n";
    check(&format!("{}{}{mix}{TRIANGLE}", hair("a"), hair("b")), Some(materials(2, [1, 1])));
}

#[test]
fn textures_that_are_replaced_are_counted_with_what_is_made_of_them() {
    let matte = "Material \"matte\" \"texture Kd\" \"t\"\n";
    let one = Some(texture(1));
    for replaced in [
        "",
        "Texture \"t\" \"color\" \"marble\"\n",
        "Texture \"t\" \"color\" \"bilerp\"\n",
        "Texture \"t\" \"color\" \"imagemap\" \"string filename\" \"missing.png\"\n",
        "Texture \"s\" \"color\" \"fbm\"\nTexture \"t\" \"color\" \"scale\" \"texture tex1\" \"s\"\n",
    ] {
        check(&format!("{replaced}{matte}{TRIANGLE}"), one);
    }
    // A texture that is defined again is the new one.
    let again = "Texture \"t\" \"color\" \"fbm\"\nTexture \"t\" \"color\" \"constant\"\n";
    check(&format!("{again}{matte}{TRIANGLE}"), None);
    // A light's picture is of no surface.
    check(&format!("LightSource \"infinite\" \"string mapname\" \"x.exr\"\n{TRIANGLE}"), None);
    let alpha = TRIANGLE.trim_end().to_string() + " \"texture alpha\" \"none\"\n";
    check(&format!("{alpha}{TRIANGLE}"), Some(texture(2)));
}

#[test]
fn media_that_scatter_and_shapes_that_are_left_out_are_counted() {
    let glass = "Material \"glass\"\n";
    let milk = "MakeNamedMedium \"m\" \"string type\" \"homogeneous\"\n";
    let fog = "MakeNamedMedium \"m\" \"string type\" \"cloud\"\n";
    let inside = "MediumInterface \"m\" \"\"\n";
    for medium in [milk, fog, ""] {
        // The same glass without it is what it says.
        let text = format!("{medium}{glass}{TRIANGLE}{inside}{TRIANGLE}");
        check(&text, Some(materials(1, [1, 2])));
    }
    // A medium on both sides has no boundary there.
    check(&format!("{fog}{glass}MediumInterface \"m\" \"m\"\n{TRIANGLE}"), None);
    let clear = milk.trim_end().to_string() + " \"rgb sigma_s\" [0 0 0]\n";
    check(&format!("{clear}{glass}{inside}{TRIANGLE}"), None);
    check(
        &format!("{TRIANGLE}Shape \"curve\"\nShape \"curve\"\n"),
        Some(StandIns { of: 1, left_out: 2, ..StandIns::default() }),
    );
    check(
        &format!("Material \"hair\"\n{TRIANGLE}Shape \"plymesh\" \"string filename\" \"none.ply\"\n"),
        Some(StandIns { left_out: 1, ..materials(1, [1, 1]) }),
    );
}
