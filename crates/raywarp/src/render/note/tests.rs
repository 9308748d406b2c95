//! Sentences of notes, as they are displayed.

use super::*;
use std::path::Path;

#[test]
fn every_note_is_a_sentence_that_names_this_librarys_fields() {
    let view = |up| CameraRequest {
        eye: Some([0.5, 1.6, 2.0]),
        target: Some([3.0, 1.0, 0.0]),
        up,
        vfov: Some(60.0),
        ..CameraRequest::default()
    };
    let [plain, upright] = [None, Some([0.0, 0.0, 1.0])].map(|up| Box::new(view(up)));
    let crop = Crop { origin: [0, 2], size: [4, 6] };
    let auto = Advice::AutoExposure { stops: -9.25 };
    let notes = [
        (
            PictureNote::CropOfFile { crop, size: [8, 8] },
            "only the part 0,2,4x6 of the picture, as the scene asks; `PictureRequest::crop` 0,0,8x8 for all of it",
        ),
        (PictureNote::FocusOnMiddle { distance: 2.5 }, "focus at the middle of the scene, 2.5 units away"),
        (
            PictureNote::FirstCamera { count: 3, name: "Main".into() },
            "the first of 3 cameras, Main; `CameraRequest::named` NAME chooses another",
        ),
        (
            PictureNote::KnownView { file: Path::new("views.toml").into(), scene: "room".into(), count: 2 },
            "the scene has no camera: seen from viewpoint 1 of 2; `CameraRequest::view` views.toml:room:1 names it",
        ),
        (
            PictureNote::LikelyUp([0.0, 0.0, 1.0]),
            "the program that wrote the file draws 0,0,1 upwards: `CameraRequest::up` 0,0,1 shows it so",
        ),
        (
            PictureNote::ViewAlongUp { up: [0.0, 1.0, 0.0] },
            "the view is along `CameraRequest::up`: 0,1,0 is upwards in the picture",
        ),
        (
            PictureNote::FromInside { view: plain.clone(), open_above: true, outside: None },
            "the scene has no camera and has walls all around and is open above: seen from inside, \
             `CameraRequest::eye` 0.5,1.6,2 `CameraRequest::target` 3,1,0 `CameraRequest::vfov` 60",
        ),
        (
            PictureNote::FromInside { view: upright, open_above: false, outside: Some([9.0, 4.5, 9.0]) },
            "the scene has no camera and is a room: seen from inside, `CameraRequest::eye` 0.5,1.6,2 \
             `CameraRequest::target` 3,1,0 `CameraRequest::up` 0,0,1 `CameraRequest::vfov` 60; `CameraRequest::eye` \
             9,4.5,9 `CameraRequest::up` 0,0,1 shows it from outside",
        ),
        (
            PictureNote::Framed { open_side: false, content: None },
            "the scene has no camera: framed by its triangles; `CameraRequest::eye` X,Y,Z looks from elsewhere",
        ),
        (
            PictureNote::Framed { open_side: true, content: Some(plain) },
            "the scene has no camera: it is open on one side, and seen from there; `CameraRequest::eye` 0.5,1.6,2 \
             `CameraRequest::target` 3,1,0 `CameraRequest::vfov` 60 looks at what is inside",
        ),
        (
            PictureNote::NothingToFrame,
            "the scene has neither a camera nor a triangle: only light is seen; `CameraRequest::eye` X,Y,Z with \
             `CameraRequest::target` X,Y,Z looks elsewhere",
        ),
        (
            PictureNote::RotationWithoutEffect,
            "`LightRequest::source` white is the same from all sides: `LightRequest::rotate` changes nothing",
        ),
        (
            PictureNote::StudioAdded { darkness: Darkness::NoLight },
            "the scene has no light: a studio is added (soft lamps, grey backdrop); `LightRequest::source` sky, white, \
             none or an image FILE is another",
        ),
        (
            PictureNote::LampsAdded { darkness: Darkness::Unlit, rotated: true },
            "no light of the scene reaches what is seen from here: light from around hardly gets in, so lamps in the \
             room are added (`LightRequest::rotate` does not turn them); `CameraRequest::eye` X,Y,Z looks from \
             elsewhere; `LightRequest::strength` FACTOR changes them, `LightRequest::source` none leaves them out",
        ),
        (
            PictureNote::WillBeDark {
                darkness: Darkness::Absorbed,
                glows: true,
                tries: vec![Advice::WithoutMedium, Advice::Studio],
            },
            "a medium absorbs nearly all light on its way to what is seen from here: the picture will be black or \
             nearly so but for what glows itself; without that medium in the file the light arrives; \
             `LightRequest::source` studio adds light",
        ),
        (
            PictureNote::EmptyCrop { shown: 0.0, size: [8, 8] },
            "no pixel of the crop shows the scene: it is elsewhere in the picture; `PictureRequest::crop` 0,0,8x8 \
             renders all of it",
        ),
        (
            PictureNote::EmptyPicture {
                shown: 0.0005,
                camera: CameraSource::Asked(&[PictureSetting::Eye, PictureSetting::Target]),
            },
            "only 0.05 % of the pixels show the scene: it is far away or elsewhere; try without `CameraRequest::eye` \
             and `CameraRequest::target`, or `CameraRequest::up` 0,0,1",
        ),
        (
            PictureNote::EmptyPicture { shown: 0.0, camera: CameraSource::Framed },
            "no pixel shows the scene: its triangles are clear, or small beside the space between them; \
             `CameraRequest::eye` X,Y,Z and `CameraRequest::target` X,Y,Z look from nearer",
        ),
        (
            PictureNote::BlownOut { share: 1.0, tries: vec![auto, Advice::AgxTone] },
            "100 % of the pixels are blown out; try `PictureRequest::exposure` auto (here -9.2 stops), or \
             `FileContents::tone` agx",
        ),
        (
            PictureNote::Black {
                share: 0.9,
                nearly: true,
                closed_in: false,
                tries: vec![Advice::DefaultLamps, Advice::AmbientOcclusion],
            },
            "90 % of the pixels that show the scene are nearly black; try leaving `LightRequest::source` out, which \
             adds lamps in the room, or `PictureRequest::shown` ao, which shows shapes without light",
        ),
        (
            PictureNote::Black {
                share: 0.6,
                nearly: false,
                closed_in: true,
                tries: vec![Advice::OtherEye, Advice::AmbientOcclusion],
            },
            "60 % of the pixels that show the scene are black: light from around hardly gets in here; \
             `CameraRequest::eye` X,Y,Z looks from elsewhere, and `PictureRequest::shown` ao shows shapes without light",
        ),
    ];
    for (note, sentence) in notes {
        assert_eq!(note.to_string(), sentence);
        // Another front end's names stand where this library's stood.
        let others = note.worded(&|setting| if setting == PictureSetting::Eye { "EYE" } else { setting.name() });
        assert_eq!(others, sentence.replace("`CameraRequest::eye`", "EYE"));
    }
}
