use super::*;
use crate::{ColorInput, Surface, Texture};

/// Imports texture directives; returns the scene, and the reflectance of a matte surface whose Kd is texture "t".
#[track_caller]
fn kd(textures: &str) -> (Description, ColorInput) {
    let scene = clean(&format!("WorldBegin {textures} Material \"matte\" \"texture Kd\" \"t\" {TRIANGLE}"));
    let Surface::Diffuse { reflectance } = material(&scene).surface.clone() else { panic!("not matte") };
    (scene, reflectance)
}

#[test]
fn constants_fold_into_factors() {
    let constant = |texture: &str| {
        let (scene, input) = kd(texture);
        assert_eq!((input.texture, scene.textures.len()), (None, 0), "{texture}");
        input.factor
    };
    assert_eq!(constant("Texture \"t\" \"spectrum\" \"constant\" \"rgb value\" [.1 .2 .3]"), [0.1, 0.2, 0.3]);
    assert_eq!(
        constant("Texture \"t\" \"spectrum\" \"scale\" \"rgb tex1\" [.2 .4 .6] \"rgb tex2\" [.5 .5 .5]"),
        [0.1, 0.2, 0.3]
    );
    assert_eq!(
        constant("Texture \"t\" \"spectrum\" \"scale\" \"rgb tex\" [.2 .4 .6] \"float scale\" .5"),
        [0.1, 0.2, 0.3]
    );
    assert_eq!(
        constant("Texture \"t\" \"spectrum\" \"mix\" \"rgb tex1\" [0 0 1] \"rgb tex2\" [1 0 0] \"float amount\" .25"),
        [0.25, 0.0, 0.75]
    );
}

#[test]
fn checkerboards_count_squares_as_pbrt_does() {
    let (scene, input) =
        kd("Texture \"t\" \"spectrum\" \"checkerboard\" \"float uscale\" 8 \"float vscale\" 4 \"float vdelta\" .25 \
         \"rgb tex1\" [.1 .1 .1] \"rgb tex2\" [.8 .8 .8]");
    let Texture::Checkerboard { mapping, even, odd } = scene.textures[input.texture.unwrap().index()] else {
        panic!("not a checkerboard")
    };
    assert_eq!(scene.textures[even.index()], Texture::Constant([0.1, 0.1, 0.1, 1.0]));
    assert_eq!(scene.textures[odd.index()], Texture::Constant([0.8, 0.8, 0.8, 1.0]));
    // (s, t) = (8 u, 4 v + 0.25) with pbrt's v, which is 1 - ours.
    for (u, v) in [(0.0f32, 0.0f32), (0.3, 0.7)] {
        let ours = [u, 1.0 - v, 1.0];
        let [s, t] = mapping.rows.map(|row| row.iter().zip(ours).map(|(a, b)| a * b).sum::<f32>());
        assert!((s - 8.0 * u).abs() < 1e-5 && (t - (4.0 * v + 0.25)).abs() < 1e-5);
    }
}

#[test]
fn mixes_and_scales_of_textures_become_a_graph() {
    let checks = "Texture \"c\" \"spectrum\" \"checkerboard\"";
    let (scene, input) =
        kd(&format!("{checks} Texture \"t\" \"spectrum\" \"scale\" \"texture tex1\" \"c\" \"rgb tex2\" [.5 1 1]"));
    assert!(matches!(scene.textures[input.texture.unwrap().index()], Texture::Checkerboard { .. }));
    assert_eq!(input.factor, [0.5, 1.0, 1.0]);
    let (scene, input) =
        kd(&format!("{checks} Texture \"t\" \"spectrum\" \"mix\" \"texture tex1\" \"c\" \"rgb tex2\" [.5 1 1]"));
    let Texture::Mix { a, .. } = scene.textures[input.texture.unwrap().index()] else { panic!("no mix") };
    assert!(matches!(scene.textures[a.index()], Texture::Checkerboard { .. }));
}

#[test]
fn floats_and_spectra_have_their_own_names() {
    let (_, input) = kd(
        "Texture \"t\" \"float\" \"constant\" \"float value\" .9 Texture \"t\" \"spectrum\" \"constant\" \"rgb value\" [.1 .2 .3]",
    );
    assert_eq!(input.factor, [0.1, 0.2, 0.3]);
}

#[test]
fn what_textures_cannot_do_is_said() {
    let text = |texture: &str| format!("WorldBegin {texture} Material \"matte\" \"texture Kd\" \"t\" {TRIANGLE}");
    let (checker, point5) = ("Texture \"t\" \"spectrum\" \"checkerboard\"", [0.5; 3]);
    warned(
        &text(&format!("{checker} \"string mapping\" \"spherical\"")),
        PbrtWarning::TextureMapping { name: "spherical".into() },
    );
    warned(&text(&format!("{checker} \"integer dimension\" 3")), PbrtWarning::SolidCheckerboard);
    let marble = PbrtWarning::Texture { name: "t".into(), class: "marble".into() };
    let scene = warned(&text("Texture \"t\" \"spectrum\" \"marble\" \"float scale\" 3"), marble);
    assert_eq!(material(&scene).surface, Surface::Diffuse { reflectance: ColorInput::constant(point5) });
    let scene = warned(&text(""), PbrtWarning::NoTexture { name: "t".into() });
    assert_eq!(material(&scene).surface, Surface::Diffuse { reflectance: ColorInput::constant(point5) });
    warned(&text("Texture \"t\" \"spectrum\" \"bilerp\""), PbrtWarning::Bilerp { name: "t".into() });
    warned(&text("Texture \"t\" \"spectrum\" \"constant\" \"float vlaue\" 1"), unused("vlaue", "constant textures"));
}
