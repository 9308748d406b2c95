//! Pictures that come out dark, those that only look as if they would, and empty ones: what their notes say.

use super::notes::*;
use raywarp::render::film::Crop;
use raywarp::render::output::{ExposureChoice, Tone};
use raywarp::render::{
    Advice, BuiltInLight, CameraRequest, CameraSource, Darkness, PictureNote, PictureRequest, PictureSetting,
};

/// A ball of a medium of the given absorption around the bulb.
fn fog(sigma: f32) -> String {
    format!(
        "AttributeBegin\nTranslate 0 0 1.5\nMakeNamedMedium \"fog\" \"rgb sigma_a\" [{sigma} {sigma} {sigma}] \"rgb sigma_s\" [0 0 0]\n\
         MediumInterface \"fog\" \"\"\nMaterial \"interface\"\nShape \"sphere\" \"float radius\" 0.8\nAttributeEnd\n"
    )
}

#[test]
fn light_behind_more_glass_than_usual_is_looked_for_as_deep_as_the_picture_is() {
    let spheres: String =
        (0..10).map(|i| format!("Shape \"sphere\" \"float radius\" {}\n", 5.0 + 0.2 * i as f32)).collect();
    let night = "LightSource \"infinite\" \"rgb L\" [1 1 1]\nMaterial \"glass\" \"float eta\" 1.1\n";
    let scene = world("0 0 0", &format!("{night}{spheres}"));
    let deep = |bounces| notes(&scene, PictureRequest { max_depth: Some(bounces), ..PictureRequest::default() });
    assert_eq!(will_be_dark(&deep(64)), None);
    // With fewer bounces none comes through.
    assert!(will_be_dark(&deep(5)).is_some());
}

#[test]
fn what_is_seen_to_glow_is_light() {
    let panel = |side: f32| {
        format!(
            "AttributeBegin\nAreaLightSource \"diffuse\" \"rgb L\" [10 10 10] \"bool twosided\" true\nMaterial \"matte\" \"rgb Kd\" [0 0 0]\n\
             Shape \"trianglemesh\" \"integer indices\" [0 1 2 0 2 3] \"point P\" [-{side} -{side} 0 {side} -{side} 0 {side} {side} 0 -{side} {side} 0]\nAttributeEnd\n"
        )
    };
    let wall = world("0 0 0", &panel(9.0));
    for request in by_default_and_without_light() {
        let said = notes(&wall, request);
        assert!(!said.iter().any(is_of_light), "{said:?}");
    }
    // A panel of a tenth of the picture over a black floor lights nothing, and is itself seen.
    let black = black_floor().replace("Shape", "Translate 0 0 -1 Shape");
    for request in by_default_and_without_light() {
        let said = notes(&world("0 0 0", &format!("{}{black}", panel(0.5))), request);
        assert_eq!((studio(&said), will_be_dark(&said)), (None, None), "{said:?}");
    }
    // One that is too small to be seen is none.
    let said = notes(&world("0 0 0", &format!("{}{black}", panel(0.02))), PictureRequest::default());
    assert!(studio(&said).is_some(), "{said:?}");
}

#[test]
fn an_environment_alone_is_a_picture() {
    let camera = world("0 0 0", "");
    let map = "LightSource \"infinite\" \"rgb L\" [0.5 0.5 0.5]\n";
    for (scene, request) in
        [(map, PictureRequest::default()), ("", lit(BuiltInLight::Sky)), (BULB, lit(BuiltInLight::White))]
    {
        let said = notes(&format!("{camera}{scene}"), request);
        let is_empty = |note: &PictureNote| matches!(note, PictureNote::EmptyPicture { .. });
        assert!(!said.iter().any(|note| is_of_light(note) || is_empty(note)), "{scene}: {said:?}");
    }
}

#[test]
fn a_medium_that_takes_the_light_away_is_named() {
    let inside = world("0 0 0", &format!("{FLOOR}{}{BULB}", fog(40.0)));
    // Around the bulb, around the whole world, and before light that comes from infinity.
    let everywhere = |light: &str| {
        let medium = "MakeNamedMedium \"fog\" \"rgb sigma_a\" [40 40 40] \"rgb sigma_s\" [0 0 0]\nMediumInterface \"\" \"fog\"\n";
        format!("{medium}{}", world("0 0 0", &format!("{FLOOR}{light}")))
    };
    let night = "LightSource \"infinite\" \"rgb L\" [1 1 1]\n";
    for scene in [&inside, &everywhere(BULB), &everywhere(night)] {
        let said = notes(scene, lit(BuiltInLight::None));
        assert_eq!(will_be_dark(&said), Some(Darkness::Absorbed), "{scene}: {said:?}");
        assert!(tries(&said).contains(&Advice::WithoutMedium), "{scene}: {said:?}");
    }
    assert_eq!(studio(&notes(&inside, PictureRequest::default())), Some(Darkness::Absorbed));
    // What a thin fog leaves is seen, and a weak bulb in it is weak.
    let thin = |bulb: &str| notes(&world("0 0 0", &format!("{FLOOR}{}{bulb}", fog(0.01))), PictureRequest::default());
    assert!(!thin(BULB).iter().any(is_of_light));
    assert_eq!(studio(&thin(&BULB.replace("30", "0.001"))), Some(Darkness::Weak));
}

#[test]
fn a_camera_that_looks_past_the_scene_gets_one_line() {
    let past = world("0 0 9", &format!("{FLOOR}{BULB}"));
    let out_of_view =
        PictureNote::WillBeDark { darkness: Darkness::OutOfView, glows: false, tries: vec![Advice::OtherView] };
    for request in by_default_and_without_light() {
        assert_eq!(notes(&past, request), std::slice::from_ref(&out_of_view));
    }
    let unlit = world("0 0 9", FLOOR);
    assert!(notes(&unlit, lit(BuiltInLight::None)).contains(&out_of_view));
    // What is behind the scene shows, or nothing is meant to.
    let night = world("0 0 9", &format!("{FLOOR}LightSource \"infinite\"\n"));
    let transparent = PictureRequest { transparent: true, ..lit(BuiltInLight::None) };
    for (scene, request) in [
        (&past, transparent),
        (&past, lit(BuiltInLight::Sky)),
        (&night, PictureRequest::default()),
        (&unlit, PictureRequest::default()),
    ] {
        let said = notes(scene, request);
        assert_ne!(will_be_dark(&said), Some(Darkness::OutOfView), "{said:?}");
    }
}

#[test]
fn whether_a_lamp_is_closed_is_asked_on_the_side_that_shines() {
    // Beside the view, a lamp in the mouth of a funnel: its light goes up into the open, or down and ends there.
    let lamp = |corners: &str, normal: i32, twosided: bool| {
        let funnel = "\"point P\" [-0.32 -0.32 0.01 0.64 -0.32 0.01 -0.32 0.64 0.01 0 0 -0.3]";
        let points = "\"point P\" [-0.3 -0.3 0 0.6 -0.3 0 -0.3 0.6 0]";
        let n = format!("0 0 {normal}");
        let normals = if normal == 0 { String::new() } else { format!("\"normal N\" [{n} {n} {n}]") };
        let rest = format!(
            "AttributeBegin\nTranslate 20 0 1.5\nMaterial \"matte\"\n\
             Shape \"trianglemesh\" {funnel} \"integer indices\" [0 1 3 1 2 3 2 0 3]\n\
             AreaLightSource \"diffuse\" \"rgb L\" [10 10 10] \"bool twosided\" {twosided}\n\
             Shape \"trianglemesh\" {points} \"integer indices\" [{corners}] {normals}\nAttributeEnd\n"
        );
        notes(&world("0 0 0", &format!("{FLOOR}{rest}")), lit(BuiltInLight::None))
    };
    let (closed, open) = (Darkness::ClosedLamp, Darkness::Unlit);
    let (up, down) = ("0 1 2", "0 2 1");
    for (corners, normal, twosided, cause) in [
        (up, 0, false, open),
        (down, 0, false, closed),
        (up, -1, false, closed),
        (down, 1, false, open),
        (up, 0, true, open),
        (down, 0, true, open),
    ] {
        let found = will_be_dark(&lamp(corners, normal, twosided));
        assert_eq!(found, Some(cause), "{corners}, normals {normal}, two-sided {twosided}");
    }
}

#[test]
fn only_what_was_not_yet_taken_is_suggested() {
    let black = world("0 0 0", &black_floor());
    let auto = PictureRequest { exposure: ExposureChoice::Auto, ..lit(BuiltInLight::Studio) };
    for request in [PictureRequest::default(), lit(BuiltInLight::Studio), lit(BuiltInLight::White), auto] {
        let said = notes(&black, request);
        let tries = tries(&said);
        assert!(tries.contains(&Advice::AmbientOcclusion) && !is_light_suggested(tries), "{said:?}");
    }
    assert!(tries(&notes(&black, lit(BuiltInLight::None))).contains(&Advice::Studio));
    // In a closed room light from around is of no use.
    let shell = "Shape \"sphere\" \"float radius\" 9\n";
    let closed = world("0 0 0", &format!("{FLOOR}{shell}"));
    assert!(tries(&notes(&closed, lit(BuiltInLight::White))).contains(&Advice::DefaultLamps));
    let added = notes(&closed, PictureRequest::default());
    assert!(added.contains(&PictureNote::LampsAdded { darkness: Darkness::NoLight, rotated: false }), "{added:?}");
    assert_eq!(studio(&added), None);
    // Of none, of one whose light ends in a box, and of one that is too weak to be seen.
    let boxed = format!("{FLOOR}{shell}{BULB}Translate 0 0 1.5\nShape \"sphere\" \"float radius\" 0.1\n");
    let weak = format!("{FLOOR}{shell}{}", BULB.replace("30", "0.04"));
    let exposure = |advice: &Advice| matches!(advice, Advice::AutoExposure { .. });
    let lamps = |advice: &Advice| *advice == Advice::DefaultLamps;
    type IsOfAdvice = fn(&Advice) -> bool;
    let cases: [(&str, PictureRequest, bool, IsOfAdvice); 4] = [
        (&format!("{FLOOR}{shell}"), lit(BuiltInLight::None), true, lamps),
        (&boxed, lit(BuiltInLight::None), false, lamps),
        (&weak, PictureRequest::default(), true, exposure),
        (&weak, lit(BuiltInLight::None), true, exposure),
    ];
    for (rest, request, is_rendered, advice) in cases {
        let said = notes(&world("0 0 0", rest), request);
        let tries = tries(&said);
        assert!(tries.iter().any(advice) && !tries.contains(&Advice::Studio), "{rest}: {said:?}");
        // Whether the finished picture tells, or the trial before.
        assert_eq!(will_be_dark(&said).is_none(), is_rendered, "{rest}: {said:?}");
    }
    let glare = world("0 0 0", &format!("{FLOOR}{}", BULB.replace("30", "900000")));
    let tries = |tone| match &notes_with(&glare, PictureRequest::default(), tone)[..] {
        [PictureNote::BlownOut { tries, .. }] => tries.clone(),
        other => panic!("{other:?}"),
    };
    assert!(matches!(tries(Tone::Srgb)[..], [Advice::AutoExposure { .. }, Advice::AgxTone]));
    assert!(matches!(tries(Tone::Agx)[..], [Advice::AutoExposure { .. }]));
}

/// Whether advice is about adding light.
fn is_light_suggested(tries: &[Advice]) -> bool {
    tries.iter().any(|advice| matches!(advice, Advice::Studio | Advice::DefaultLamps))
}

#[test]
fn a_picture_without_the_scene_blames_what_it_can() {
    let clear = "WorldBegin\nShape \"sphere\" \"float alpha\" 0\n";
    let past = world("0 0 9", FLOOR);
    let eye = || CameraRequest { eye: Some([0.0, 0.0, 9.0]), ..CameraRequest::default() };
    let target = || CameraRequest { target: Some([0.0, 0.0, 9.0]), ..CameraRequest::default() };
    for (scene, camera, why) in [
        (clear, CameraRequest::default(), CameraSource::Framed),
        (clear, CameraRequest { up: Some([0.0, 0.0, 1.0]), ..CameraRequest::default() }, CameraSource::Framed),
        (clear, eye(), CameraSource::Asked(&[PictureSetting::Eye])),
        (clear, target(), CameraSource::Asked(&[PictureSetting::Target])),
        (
            clear,
            CameraRequest { target: Some([1.0; 3]), ..eye() },
            CameraSource::Asked(&[PictureSetting::Eye, PictureSetting::Target]),
        ),
        (&past, CameraRequest::default(), CameraSource::File),
        (
            &past,
            CameraRequest { named: Some("1".into()), ..CameraRequest::default() },
            CameraSource::Asked(&[PictureSetting::Camera]),
        ),
    ] {
        let said = notes(scene, PictureRequest { camera, ..lit(BuiltInLight::White) });
        let empty = PictureNote::EmptyPicture { shown: 0.0, camera: why };
        assert!(said.contains(&empty), "{empty:?}: {said:?}");
    }
    // A crop is blamed where the rest of the picture shows the scene.
    let middle = world("0 0 0", "Shape \"sphere\" \"float radius\" 0.3\n");
    let cropped = format!("Film \"image\" \"float cropwindow\" [0 0.1 0 0.1]\n{middle}");
    let corner = Some(Crop { origin: [0, 0], size: [2, 2] });
    for (scene, crop, is_crop) in [(&middle, corner, true), (&cropped, None, true), (&past, corner, false)] {
        let said = notes(scene, PictureRequest { crop, ..lit(BuiltInLight::White) });
        let is_blamed = |note: &PictureNote| *note == PictureNote::EmptyCrop { shown: 0.0, size: [32, 24] };
        let is_empty = |note: &PictureNote| matches!(note, PictureNote::EmptyPicture { .. });
        assert_eq!(said.iter().filter(|note| is_blamed(note)).count(), usize::from(is_crop), "{said:?}");
        assert_eq!(said.iter().filter(|note| is_empty(note)).count(), usize::from(!is_crop), "{said:?}");
    }
    let said = notes(clear, lit(BuiltInLight::None));
    let tries = vec![Advice::ClearOrSmall];
    assert!(said.contains(&PictureNote::WillBeDark { darkness: Darkness::OutOfView, glows: false, tries }), "{said:?}");
}
