//! Media, the surfaces between them, and the camera that is in one.

use super::{TRIANGLE, clean, material, warned};
use crate::{Absorption, Medium, MediumId, MediumInterface, PbrtWarning, Surface, flatten};

const INK: &str = "MakeNamedMedium \"ink\" \"string type\" \"homogeneous\" \"rgb sigma_a\" [1 2 3] \
    \"rgb sigma_s\" [0 0 0] \"float scale\" 2\n";
const TEA: &str = "MakeNamedMedium \"tea\" \"rgb sigma_a\" [0 1 0] \"rgb sigma_s\" [0 0 0]\n";

const ID_0: Option<MediumId> = Some(MediumId(0));

#[test]
fn a_shape_has_the_media_that_its_interface_names_whatever_it_is_made_of() {
    for made_of in ["glass", "matte", "interface"] {
        let media = |interface: &str| {
            let text = format!("WorldBegin {INK}{TEA} Material \"{made_of}\" MediumInterface {interface} {TRIANGLE}");
            let scene = clean(&text);
            assert_eq!(flatten(&scene).unwrap().len(), usize::from(!material(&scene).is_nothing()));
            let sigma = |id: MediumId| scene.media[id.index()].absorption.sigma;
            let sides = material(&scene).media.map(|m| [m.inside, m.outside].map(|id| id.map(sigma)));
            (sides, scene.media.len())
        };
        let (ink, tea) = (Some([2.0, 4.0, 6.0]), Some([0.0, 1.0, 0.0]));
        // A medium that nothing is made of is left out.
        assert_eq!(media("\"ink\" \"\""), (Some([ink, None]), 1));
        assert_eq!(media("\"\" \"ink\""), (Some([None, ink]), 1));
        assert_eq!(media("\"tea\" \"ink\""), (Some([tea, ink]), 2));
        // No boundary.
        assert_eq!(media("\"ink\" \"ink\""), (None, 0));
        assert_eq!(media("\"ink\""), (None, 0));
        assert_eq!(media("\"\""), (None, 0));
    }
}

#[test]
fn blocks_keep_the_media_of_shapes_to_themselves() {
    let scene = clean(&format!(
        "WorldBegin {INK} AttributeBegin MediumInterface \"ink\" \"\" {TRIANGLE} AttributeEnd {TRIANGLE}"
    ));
    let media = |instance| scene.materials[scene.material_of(instance, 0).index()].media;
    assert_eq!([media(0).is_some(), media(1).is_some()], [true, false]);
}

#[test]
fn the_camera_is_in_the_medium_outside_and_so_is_the_world() {
    let camera = "Camera \"perspective\"";
    let scene = clean(&format!("MediumInterface \"\" \"tea\" {camera} {INK}{TEA} WorldBegin {TRIANGLE}"));
    assert_eq!((scene.cameras[0].medium, &*scene.media[0].name), (ID_0, "tea"));
    assert_eq!(material(&scene).media, Some(MediumInterface { inside: None, outside: ID_0 }));
    let scene = clean(&format!("{INK} MediumInterface \"ink\" {camera} WorldBegin MediumInterface \"\" {TRIANGLE}"));
    assert_eq!((scene.cameras[0].medium, material(&scene).media), (ID_0, None));
    assert_eq!(clean(&format!("{INK}{camera} WorldBegin {TRIANGLE}")).cameras[0].medium, None);
}

#[test]
fn a_name_that_is_defined_again_is_another_medium_from_there_on() {
    let shape = format!("MediumInterface \"ink\" \"\" {TRIANGLE}");
    let scene = clean(&format!("WorldBegin {INK} {shape} {shape} {} {shape}", TEA.replace("tea", "ink")));
    let inside = |instance| scene.materials[scene.material_of(instance, 0).index()].media.unwrap().inside.unwrap().0;
    assert_eq!(([0, 1, 2].map(inside), scene.media.len()), ([0, 0, 1], 2));
}

#[test]
fn an_absorption_below_0_is_named_and_becomes_0() {
    let medium = |numbers: &str| {
        let sigma = format!("\"rgb sigma_a\" {numbers} \"rgb sigma_s\" [0 0 0]");
        format!("\nMakeNamedMedium \"m\" {sigma} WorldBegin MediumInterface \"m\" \"\" {TRIANGLE}")
    };
    let negative = || PbrtWarning::NegativeAbsorption { name: "m".into(), absorption: -2.0 };
    assert_eq!(warned(&medium("[1 -2 3]"), negative()).media[0].absorption.sigma, [1.0, 0.0, 3.0]);
    assert_eq!(warned(&medium("[-2 -2 -2]"), negative()).media.len(), 0);
    // A scale can be negative, too.
    assert_eq!(clean(&medium("[-1 -2 -3] \"float scale\" -1")).media[0].absorption.sigma, [1.0, 2.0, 3.0]);
}

#[test]
fn media_that_scatter_absorb_and_others_are_empty_and_each_is_named_once() {
    let shapes = |medium: &str| {
        format!("WorldBegin {medium} Material \"interface\" MediumInterface \"m\" \"\" {TRIANGLE}{TRIANGLE}")
    };
    let milk = "MakeNamedMedium \"m\" \"rgb sigma_a\" [1 0 0] \"rgb sigma_s\" [1 1 1]";
    let scene = warned(&shapes(milk), PbrtWarning::ScatteringMedium { name: "m".into() });
    assert_eq!(scene.media, [Medium { name: "m".into(), absorption: Absorption { sigma: [1.0, 0.0, 0.0] } }]);
    assert_eq!(material(&scene).media, Some(MediumInterface { inside: ID_0, outside: None }));

    let fog = "MakeNamedMedium \"m\" \"rgb sigma_a\" [0 0 0] \"rgb sigma_s\" [1 1 1]";
    let name = || "m".to_string();
    let preset = PbrtWarning::MediumPreset { name: name(), preset: "Skin1".into() };
    for (medium, want) in [
        (fog, PbrtWarning::ScatteringMedium { name: name() }),
        (
            "MakeNamedMedium \"m\" \"string type\" \"uniformgrid\"",
            PbrtWarning::Medium { name: name(), kind: "uniformgrid".into() },
        ),
        ("MakeNamedMedium \"m\" \"string preset\" \"Skin1\"", preset),
    ] {
        let scene = warned(&shapes(medium), want);
        assert_eq!((scene.media.len(), material(&scene).media), (0, None));
        assert_eq!(material(&scene).surface, Surface::Invisible);
    }
    let used = format!("WorldBegin MediumInterface \"m\" \"\" {TRIANGLE}");
    warned(&used, PbrtWarning::NoMedium { name: "m".into() });
    warned(
        &format!("MediumInterface \"m\" Camera \"perspective\" WorldBegin MediumInterface \"\" {TRIANGLE}"),
        PbrtWarning::NoMedium { name: "m".into() },
    );
}
