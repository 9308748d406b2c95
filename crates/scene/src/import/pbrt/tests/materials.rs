use super::*;
use crate::{Alpha, ColorInput, NormalInput, Roughness, RoughnessRemap, ScalarInput, Surface};

/// Imports a directive `Material kind parameters` without warnings and returns its surface.
#[track_caller]
fn surface(directive: &str) -> Surface {
    material(&clean(&format!("WorldBegin {directive} {TRIANGLE}"))).surface.clone()
}

const fn color(r: f32, g: f32, b: f32) -> ColorInput {
    ColorInput::constant([r, g, b])
}

const fn grey(c: f32) -> ColorInput {
    color(c, c, c)
}

fn rough(x: f32, y: f32, remap: RoughnessRemap) -> Roughness {
    Roughness { x: ScalarInput::constant(x), y: ScalarInput::constant(y), remap }
}

fn glass(ior: f32, roughness: Roughness, thin: bool) -> Surface {
    Surface::Dielectric { ior, roughness, reflectance: grey(1.0), transmittance: grey(1.0), thin, absorption: None }
}

fn copper(roughness: Roughness) -> Surface {
    Surface::Conductor { eta: color(0.2004, 0.9240, 1.1022), k: color(3.9129, 2.4528, 2.1421), roughness }
}

#[test]
fn simple_materials_map_one_to_one() {
    use RoughnessRemap::{Pbrt3, Sqrt};
    let coated = |kd: f32, ks: f32, roughness| Surface::Coated { diffuse: grey(kd), specular: grey(ks), roughness };
    for (directive, want) in [
        ("", Surface::Diffuse { reflectance: grey(0.5) }),
        ("Material \"matte\"", Surface::Diffuse { reflectance: grey(0.5) }),
        ("Material \"matte\" \"rgb Kd\" [.1 .2 .3]", Surface::Diffuse { reflectance: color(0.1, 0.2, 0.3) }),
        ("Material \"matte\" \"color Kd\" [.1 .2 .3]", Surface::Diffuse { reflectance: color(0.1, 0.2, 0.3) }),
        ("Material \"diffuse\" \"rgb reflectance\" [.1 .2 .3]", Surface::Diffuse { reflectance: color(0.1, 0.2, 0.3) }),
        ("Material \"mirror\"", Surface::Mirror { reflectance: grey(0.9) }),
        ("Material \"metal\"", copper(rough(0.01, 0.01, Pbrt3))),
        ("Material \"metal\" \"float uroughness\" 0.2 \"float roughness\" 0.1", copper(rough(0.2, 0.1, Pbrt3))),
        ("Material \"conductor\"", copper(Roughness::SMOOTH)),
        ("Material \"conductor\" \"float roughness\" .3", copper(rough(0.3, 0.3, Sqrt))),
        (
            "Material \"conductor\" \"float roughness\" .3 \"bool remaproughness\" false",
            copper(rough(0.3, 0.3, RoughnessRemap::None)),
        ),
        ("Material \"glass\"", glass(1.5, Roughness::SMOOTH, false)),
        (
            "Material \"glass\" \"float index\" 1.3 \"float uroughness\" .1 \"float vroughness\" .1",
            glass(1.3, rough(0.1, 0.1, Pbrt3), false),
        ),
        (
            "Material \"dielectric\" \"float eta\" 1.5168 \"float roughness\" .1",
            glass(1.5168, rough(0.1, 0.1, Sqrt), false),
        ),
        ("Material \"thindielectric\" \"float eta\" 1.4", glass(1.4, Roughness::SMOOTH, true)),
        ("Material \"plastic\" \"rgb Kd\" [.2 .2 .2] \"rgb Ks\" [1 1 1]", coated(0.2, 0.04, rough(0.1, 0.1, Pbrt3))),
        ("Material \"coateddiffuse\" \"float roughness\" .2", coated(0.5, 0.04, rough(0.2, 0.2, Sqrt))),
        ("Material \"substrate\" \"rgb Ks\" [.3 .3 .3]", coated(0.5, 0.3, rough(0.1, 0.1, Pbrt3))),
        (
            "Material \"chrome\"",
            Surface::Conductor {
                eta: color(4.3696, 2.9167, 1.6547),
                k: color(5.2064, 4.2313, 3.7549),
                roughness: Roughness::SMOOTH,
            },
        ),
        (
            "Material \"blinn\" \"rgb Kd\" [.1 .1 .1] \"rgb Ks\" [.2 .2 .2] \"float exponent\" 50",
            Surface::Blinn { diffuse: grey(0.1), specular: grey(0.2), exponent: ScalarInput::constant(50.0) },
        ),
        (
            "Material \"diffusetransmission\" \"float scale\" .5",
            Surface::DiffuseTransmission { reflectance: grey(0.125), transmittance: grey(0.125) },
        ),
        (
            "Material \"translucent\" \"rgb Kd\" [.8 .8 .8] \"rgb Ks\" [0 0 0] \"rgb transmit\" [.25 .25 .25]",
            Surface::DiffuseTransmission { reflectance: grey(0.4), transmittance: grey(0.2) },
        ),
        ("Material \"interface\"", Surface::Invisible),
        ("Material \"\"", Surface::Invisible),
        ("Material \"none\"", Surface::Invisible),
    ] {
        match (surface(directive), want) {
            (
                Surface::Coated { diffuse: d, specular: s, roughness: r },
                Surface::Coated { diffuse, specular, roughness },
            ) => {
                assert_eq!((d, r), (diffuse, roughness), "{directive}");
                assert!((s.factor[0] - specular.factor[0]).abs() < 1e-6, "{directive}: {s:?}");
            }
            (found, want) => assert_eq!(found, want, "{directive}"),
        }
    }
}

#[test]
fn car_paint_has_its_documented_parameters() {
    let Surface::CarPaint(paint) = surface(
        "Material \"carpaint\" \"rgb base\" [.1 .2 .3] \"rgb flakecolor\" [.4 .5 .6] \"float flakeamount\" .7 \
         \"float flakesize\" .01 \"float flakealpha\" .2 \"float coatior\" 1.6 \"float coatalpha\" 0",
    ) else {
        panic!("no car paint")
    };
    assert_eq!((paint.base, paint.flake_color), (color(0.1, 0.2, 0.3), color(0.4, 0.5, 0.6)));
    let found = [paint.flake_amount, paint.flake_size, paint.flake_alpha, paint.coat_ior, paint.coat_alpha];
    assert_eq!(found, [0.7, 0.01, 0.2, 1.6, 0.0]);
    assert_eq!(surface("Material \"carpaint\""), Surface::CarPaint(Box::default()));
    let error = import("WorldBegin Material \"carpaint\" \"float flakeamount\" 2").unwrap_err();
    let range = PbrtFault::CarPaint { name: "flakeamount", value: 2.0, least: 0.0, most: 1.0 };
    assert_eq!(fault(error), (Place::Line(1), range.into()));
}

#[test]
fn metals_take_samples_names_and_reflectances() {
    let Surface::Conductor { eta, k, .. } =
        surface("Material \"metal\" \"spectrum eta\" [400 .3 500 .3] \"spectrum k\" \"metal-Ag-k\"")
    else {
        panic!("no conductor")
    };
    near(eta.factor, [0.3; 3]);
    assert_eq!(k, color(4.8283, 3.1222, 2.1470));
    let Surface::Conductor { eta, k, .. } = surface("Material \"conductor\" \"rgb reflectance\" [.5 .5 .5]") else {
        panic!("no conductor")
    };
    assert_eq!(eta, grey(1.0));
    near(k.factor, [2.0; 3]);
    let Surface::Principled(coated) = surface("Material \"coatedconductor\" \"float interface.roughness\" .0016")
    else {
        panic!("no coat")
    };
    assert_eq!((coated.metallic.factor, coated.clearcoat.factor), (1.0, 1.0));
    // alpha = sqrt(0.0016) = 0.04 = 0.2^2.
    assert!((coated.clearcoat_roughness.factor - 0.2).abs() < 1e-6);
    assert!(coated.base_color.factor[0] > 0.9 && coated.base_color.factor[2] < 0.6, "copper: {:?}", coated.base_color);
}

#[test]
fn uber_becomes_coats_glass_and_opacity() {
    let coat = surface("Material \"uber\" \"rgb Ks\" [.5 .5 .5] \"float eta\" 1.5");
    assert!(matches!(coat, Surface::Coated { specular, .. } if (specular.factor[0] - 0.02).abs() < 1e-6), "{coat:?}");
    let mirror = surface("Material \"uber\" \"rgb Ks\" [0 0 0] \"rgb Kr\" [1 1 1]");
    assert!(matches!(mirror, Surface::Coated { roughness: Roughness::SMOOTH, .. }), "{mirror:?}");
    let scene = clean(&format!("WorldBegin Material \"uber\" \"rgb opacity\" [.2 .3 .4] {TRIANGLE}"));
    let Alpha::Blend { alpha } = material(&scene).alpha else { panic!("opaque") };
    assert!((alpha.factor - 0.3).abs() < 1e-6);
    let glass = surface("Material \"uber\" \"rgb Kd\" [0 0 0] \"rgb Ks\" [0 0 0] \"rgb Kt\" [1 1 1]");
    assert!(matches!(glass, Surface::Dielectric { .. }), "{glass:?}");
    let scene = clean(&format!(
        "WorldBegin Material \"uber\" \"rgb Kd\" [.5 .5 .5] \"rgb Ks\" [0 0 0] \"rgb Kt\" [.5 .5 .5] {TRIANGLE}"
    ));
    let Surface::Mix { second, amount, .. } = material(&scene).surface.clone() else { panic!("no mix") };
    assert!(matches!(scene.materials[second.index()].surface, Surface::Dielectric { .. }));
    assert_eq!(amount.factor, 0.5);
}

#[test]
fn mixes_weigh_as_their_version_does() {
    let named = "MakeNamedMaterial \"a\" \"string type\" \"mirror\" MakeNamedMaterial \"b\" \"string type\" \"glass\"";
    for (parameters, mirror_share) in [
        // Version 3's amount is the share of the first, version 4's of the second.
        ("\"string namedmaterial1\" \"a\" \"string namedmaterial2\" \"b\" \"rgb amount\" [.2 .2 .2]", 0.2),
        ("\"string materials\" [\"a\" \"b\"] \"float amount\" .2", 0.8),
    ] {
        let scene = clean(&format!("WorldBegin {named} Material \"mix\" {parameters} {TRIANGLE}"));
        let Surface::Mix { first, second, amount } = material(&scene).surface.clone() else { panic!("no mix") };
        let second_is_mirror = matches!(scene.materials[second.index()].surface, Surface::Mirror { .. });
        assert_ne!(second_is_mirror, matches!(scene.materials[first.index()].surface, Surface::Mirror { .. }));
        let found = if second_is_mirror { amount.factor } else { 1.0 - amount.factor };
        assert!((found - mirror_share).abs() < 1e-6, "{parameters}: {found}");
    }
    warned(
        &format!("WorldBegin {named} Material \"mix\" \"string materials\" [\"a\" \"c\"] {TRIANGLE}"),
        PbrtWarning::UndefinedMix { name: "mix".into(), part: "c".into() },
    );
}

#[test]
fn named_materials_and_defaults_of_version_4_apply() {
    let scene = clean(&format!(
        "WorldBegin MakeNamedMaterial \"m\" \"string type\" \"mirror\" Material \"matte\" NamedMaterial \"m\" {TRIANGLE}"
    ));
    assert_eq!(
        (material(&scene).name.as_str(), &material(&scene).surface),
        ("m", &Surface::Mirror { reflectance: grey(0.9) })
    );
    warned(&format!("WorldBegin NamedMaterial \"m\" {TRIANGLE}"), PbrtWarning::NoMaterial { name: "m".into() });
    let scene = clean(&format!(
        "WorldBegin Attribute \"material\" \"rgb reflectance\" [.1 .1 .1] Material \"diffuse\" {TRIANGLE}"
    ));
    assert_eq!(material(&scene).surface, Surface::Diffuse { reflectance: grey(0.1) });
}

#[test]
fn bump_maps_are_heights() {
    let scene = clean(&format!(
        "WorldBegin Texture \"h\" \"float\" \"checkerboard\" Material \"matte\" \"texture bumpmap\" \"h\" {TRIANGLE}"
    ));
    assert!(matches!(material(&scene).normal, Some(NormalInput::Bump { height }) if height.texture.is_some()));
    let scene = clean(&format!("WorldBegin Material \"diffuse\" \"float displacement\" 3 {TRIANGLE}"));
    assert_eq!(material(&scene).normal, None, "a constant height bends nothing");
}

#[test]
fn alpha_is_a_mask_in_version_3_and_coverage_in_version_4() {
    let shape = |alpha: &str| format!("Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0] {alpha}");
    let alpha = |text: String| material(&clean(&text)).alpha;
    let texture = "Texture \"a\" \"float\" \"checkerboard\"";
    let by_texture = shape("\"texture alpha\" \"a\"");
    assert!(matches!(alpha(format!("WorldBegin Material \"matte\" {texture} {by_texture}")), Alpha::Mask { .. }));
    assert!(matches!(alpha(format!("WorldBegin Material \"diffuse\" {texture} {by_texture}")), Alpha::Blend { .. }));
    assert_eq!(alpha(format!("WorldBegin Material \"diffuse\" {}", shape("\"float alpha\" 1"))), Alpha::Opaque);
    let half = Alpha::Blend { alpha: ScalarInput::constant(0.5) };
    assert_eq!(alpha(format!("WorldBegin Material \"diffuse\" {}", shape("\"float alpha\" .5"))), half);
    assert_eq!(alpha(format!("WorldBegin Material \"matte\" {}", shape("\"float alpha\" .5"))), Alpha::Opaque);
    assert_eq!(
        alpha(format!("WorldBegin Attribute \"shape\" \"float alpha\" .5 Material \"diffuse\" {TRIANGLE}")),
        half
    );
    warned(&format!("WorldBegin {}", shape("\"float shadowalpha\" 0")), PbrtWarning::ShadowAlpha);
}

#[test]
fn stand_ins_are_named() {
    let unsupported = |kind: &str| PbrtWarning::Material { name: kind.into(), kind: kind.into() };
    let subsurface = PbrtWarning::Subsurface { name: "subsurface".into(), kind: "subsurface".into() };
    let clamped = PbrtWarning::ClampedColor { name: "Kd".into(), value: [2.0, 0.5, -1.0] };
    let unknown = PbrtWarning::UnknownSpectrum { name: "metal-Unobtainium-eta".into() };
    for (directive, want) in [
        ("Material \"fourier\" \"string bsdffile\" \"a.bsdf\"", unsupported("fourier")),
        ("Material \"measured\"", unsupported("measured")),
        ("Material \"velvet\"", unsupported("velvet")),
        ("Material \"subsurface\" \"string name\" \"Skin1\"", subsurface),
        ("Material \"hair\" \"float beta_m\" .3", PbrtWarning::Hair { name: "hair".into() }),
        ("Material \"disney\" \"rgb color\" [.1 .2 .3]", PbrtWarning::Disney),
        ("Material \"matte\" \"float sigma\" 20", PbrtWarning::Sigma),
        ("Material \"translucent\"", PbrtWarning::TranslucentGloss),
        ("Material \"matte\" \"rgb Kd\" [2 .5 -1]", clamped),
        ("Material \"matte\" \"rgb kd\" [.5 .5 .5]", unused("kd", "material \"matte\"")),
        ("Material \"metal\" \"spectrum eta\" \"metal-Unobtainium-eta\"", unknown),
    ] {
        warned(&format!("WorldBegin {directive} {TRIANGLE}"), want);
    }
}

#[test]
fn glass_whose_index_varies_with_the_wavelength_is_named() {
    let index = |scene: &Description| match material(scene).surface {
        Surface::Dielectric { ior, .. } => ior,
        ref other => panic!("{other:?}"),
    };
    let bent = |name: &str, is_material, index| PbrtWarning::Dispersion { name: name.into(), is_material, index };
    for (name, want) in [("glass-BK7", 1.5168), ("glass-SF11", 1.7847)] {
        let text = format!("WorldBegin Material \"dielectric\" \"spectrum eta\" \"{name}\" {TRIANGLE}");
        assert_eq!(index(&warned(&text, bent(name, true, want))), want, "{name}");
    }
    let sampled = "\"spectrum eta\" [400 1.6 700 1.5]";
    let (scene, warnings) = import(&format!("WorldBegin Material \"dielectric\" {sampled} {TRIANGLE}")).unwrap();
    assert!((index(&scene) - 1.55).abs() < 0.01);
    assert_eq!(warnings, [bent("eta", false, index(&scene)).into()]);
    let flat = "\"spectrum eta\" [400 1.6 700 1.6]";
    assert!((index(&clean(&format!("WorldBegin Material \"dielectric\" {flat} {TRIANGLE}"))) - 1.6).abs() < 1e-5);
    warned(
        &format!("WorldBegin Material \"coateddiffuse\" \"spectrum eta\" \"glass-SF11\" {TRIANGLE}"),
        bent("glass-SF11", true, 1.7847),
    );
}

#[test]
fn coats_have_their_index_and_what_is_between_layers_is_named() {
    let metal = "Material \"coatedconductor\" \"rgb reflectance\" [.2 .3 .4] \"float conductor.roughness\" .04 \
                 \"float interface.roughness\" .01";
    // glTF's coat has an index of 1.5.
    assert!(matches!(surface(&format!("{metal} \"float interface.eta\" 1.5")), Surface::Principled(_)));
    let Surface::CarPaint(coated) = surface(&format!("{metal} \"float interface.eta\" 3")) else { panic!("no coat") };
    assert_eq!((coated.coat_ior, coated.flake_amount, coated.flake_color), (3.0, 1.0, color(0.2, 0.3, 0.4)));
    near([coated.flake_alpha, coated.coat_alpha, coated.flake_size], [0.2, 0.1, 0.0]);
    let turned = "\"float conductor.uroughness\" .2 \"float interface.eta\" 3";
    warned(&format!("WorldBegin {metal} {turned} {TRIANGLE}"), PbrtWarning::CoatIndex { index: 3.0 });
    for kind in ["coateddiffuse", "coatedconductor"] {
        let layer = "\"float thickness\" .01 \"float g\" 0 \"rgb albedo\" [0 0 0] \"integer maxdepth\" 10 \"integer nsamples\" 9";
        clean(&format!("WorldBegin Material \"{kind}\" {layer} {TRIANGLE}"));
        let layer = "\"float thickness\" 5 \"float g\" .5 \"rgb albedo\" [.9 .1 .1] \"integer maxdepth\" 3";
        let names = ["thickness", "g", "albedo", "maxdepth"].map(String::from).to_vec();
        let left_out = PbrtWarning::CoatMedium { kind: kind.into(), names };
        warned(&format!("WorldBegin Material \"{kind}\" {layer} {TRIANGLE}"), left_out);
    }
}
