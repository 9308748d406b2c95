//! Black and clipped pictures: why, and what to try.

use super::notes::*;
use raywarp::render::output::{ExposureChoice, Tone};
use raywarp::render::{Advice, BuiltInLight, CameraRequest, Darkness, PictureNote, PictureRequest, Shown};

/// A triangle under a point light of `intensity`.
fn lamp(intensity: &str) -> String {
    format!(
        "LookAt 0.4 0.4 3  0.4 0.4 0  0 1 0\n\
         Camera \"perspective\" \"float fov\" 20\nWorldBegin\nLightSource \"point\" \"point from\" [0.4 0.4 3] \"rgb I\" [{intensity} {intensity} {intensity}]\n\
         Shape \"trianglemesh\" \"integer indices\" [0 1 2] \"point P\" [-9 -9 0 19 -9 0 -9 19 0]\n"
    )
}

#[test]
fn black_and_blown_out_pictures_get_a_note_and_auto_exposure_has_none() {
    match &notes(&lamp("9000"), PictureRequest::default())[..] {
        [PictureNote::BlownOut { share, tries }] => match tries[..] {
            [Advice::AutoExposure { stops }, Advice::AgxTone] => {
                assert!(*share > 0.995 && (-10.0..-9.0).contains(&stops), "{share} {stops}");
            }
            _ => panic!("{tries:?}"),
        },
        other => panic!("{other:?}"),
    }
    assert_eq!(notes(&lamp("0.3"), PictureRequest::default()), []);
    let weak = lamp("1e-6");
    assert_eq!(studio(&notes(&weak, PictureRequest::default())), Some(Darkness::Weak));
    match &notes(&weak, lit(BuiltInLight::None))[..] {
        [PictureNote::Black { share, nearly: false, closed_in: false, tries }] => {
            let is_brighter = matches!(tries[0], Advice::AutoExposure { stops } if (2.0..30.0).contains(&stops));
            assert!(*share > 0.995 && is_brighter, "{share} {tries:?}");
        }
        other => panic!("{other:?}"),
    }
    for scene in [&lamp("9000"), &weak] {
        let auto = PictureRequest { exposure: ExposureChoice::Auto, ..PictureRequest::default() };
        assert_eq!(notes(scene, auto), [], "{scene}");
    }
}

/// A wide floor seen from above, with `rest` of the scene before it.
fn floor(rest: &str) -> String {
    world("0 0 0", &format!("{rest}\n{FLOOR}"))
}

const SHELL: &str = "Shape \"sphere\" \"float radius\" 500";
const DISTANT: &str = "LightSource \"distant\" \"point from\" [1 1 9] \"point to\" [0 0 0] \"rgb L\" [3 3 3]\n";

#[test]
fn a_black_picture_says_why_and_what_to_try() {
    let pane = "Material \"thindielectric\"\nShape \"trianglemesh\" \"integer indices\" [0 1 2] \"point P\" [-90 -90 6 190 -90 6 -90 190 6]\n";
    let inside = |material: &str, lamp: &str| {
        format!(
            "AttributeBegin\nTranslate 0 0 1.5\n{lamp}\nAttributeEnd\n\
             AttributeBegin\nTranslate 0 0 1.5\nMaterial {material}\nShape \"sphere\" \"float radius\" 0.5\nAttributeEnd"
        )
    };
    let bulb = "LightSource \"point\" \"rgb I\" [30 30 30]";
    let filament = "AreaLightSource \"diffuse\" \"rgb L\" [900 900 900]\nShape \"sphere\" \"float radius\" 0.004";
    let cases = [
        (format!("{DISTANT}{pane}"), Darkness::BehindGlass, Advice::WithoutGlass),
        (inside("\"glass\"", bulb), Darkness::BehindGlass, Advice::WithoutGlass),
        (inside("\"glass\"", filament), Darkness::GlassLamp, Advice::WithoutGlass),
        (inside("\"matte\"", filament), Darkness::ClosedLamp, Advice::OtherEye),
        (format!("Translate 0 0 -1\n{bulb}\nTranslate 0 0 1"), Darkness::Unlit, Advice::OtherEye),
    ];
    for (rest, cause, remedy) in cases {
        // The light that is added is said in the same line.
        let said = notes(&floor(&rest), PictureRequest::default());
        assert_eq!((studio(&said), cause.remedy()), (Some(cause), Some(remedy)), "{rest}: {said:?}");
        // And where none is to be added, the picture stays black; the finished one needs no second line.
        let said = notes(&floor(&rest), PictureRequest { threads: 1, ..lit(BuiltInLight::None) });
        let tries = vec![remedy, Advice::Studio];
        assert_eq!(said, [PictureNote::WillBeDark { darkness: cause, glows: false, tries }], "{rest}");
    }
    let normals = PictureRequest { shown: Shown::Normal, ..PictureRequest::default() };
    assert_eq!(notes(&floor(&format!("Translate 0 0 -1\n{bulb}\nTranslate 0 0 1")), normals), []);
}

#[test]
fn light_from_around_that_does_not_get_in_is_no_remedy() {
    let night = "LightSource \"infinite\" \"rgb L\" [1 1 1]\n";
    let closed = floor(&format!("{night}{SHELL}"));
    let unlit = floor(SHELL);
    for (scene, request) in
        [(&closed, PictureRequest::default()), (&closed, lit(BuiltInLight::Sky)), (&unlit, lit(BuiltInLight::Studio))]
    {
        let said = notes(scene, request);
        assert_eq!(will_be_dark(&said), Some(Darkness::Unlit), "{said:?}");
        assert!(tries(&said).contains(&Advice::AmbientOcclusion), "{said:?}");
    }
    // What shows a picture has nothing to say.
    let night = floor(&night.replace("1 1 1", "0.001 0.001 0.001"));
    let camera = CameraRequest { eye: Some([0.0, 0.0, 900.0]), ..CameraRequest::default() };
    for (scene, request) in [
        (&floor(DISTANT), PictureRequest::default()),
        (&floor(DISTANT), lit(BuiltInLight::None)),
        (&night, PictureRequest::default()),
        (&unlit, PictureRequest { camera, ..lit(BuiltInLight::Sky) }),
    ] {
        let said = notes_with(scene, request, Tone::Srgb);
        assert_eq!((will_be_dark(&said), studio(&said)), (None, None), "{said:?}");
    }
}
