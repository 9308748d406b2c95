//! The sentences of notes on a picture.

use super::{Advice, PictureNote, PictureSetting};
use crate::render::darkness::Darkness;
use crate::render::viewpoint::{CameraRequest, CameraSource};
use std::fmt;

impl fmt::Display for PictureNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&PictureSetting::name))
    }
}

impl PictureNote {
    /// Returns the note as a sentence in which `name` gives the names of settings.
    pub fn worded(&self, name: &dyn Fn(PictureSetting) -> &'static str) -> String {
        Names(name).sentence(self)
    }
}

/// Names that a front end has for the settings of a picture.
#[derive(Clone, Copy)]
struct Names<'a>(&'a dyn Fn(PictureSetting) -> &'static str);

impl Names<'_> {
    /// Returns the names of settings.
    fn of<const N: usize>(self, settings: [PictureSetting; N]) -> [&'static str; N] {
        settings.map(self.0)
    }

    fn sentence(self, note: &PictureNote) -> String {
        match note {
            PictureNote::CropOfFile { crop, size: [width, height] } => {
                let [name] = self.of([PictureSetting::Crop]);
                format!(
                    "only the part {crop} of the picture, as the scene asks; {name} 0,0,{width}x{height} for all of it"
                )
            }
            PictureNote::FocusOnMiddle { distance } => {
                format!("focus at the middle of the scene, {distance} units away")
            }
            PictureNote::FirstCamera { count, name } => {
                let [camera] = self.of([PictureSetting::Camera]);
                format!("the first of {count} cameras, {name}; {camera} NAME chooses another")
            }
            PictureNote::KnownView { file, scene, count } => {
                let ([view], file) = (self.of([PictureSetting::View]), file.display());
                format!("the scene has no camera: seen from viewpoint 1 of {count}; {view} {file}:{scene}:1 names it")
            }
            PictureNote::LikelyUp([x, y, z]) => {
                let [up] = self.of([PictureSetting::Up]);
                format!("the program that wrote the file draws {x},{y},{z} upwards: {up} {x},{y},{z} shows it so")
            }
            PictureNote::ViewAlongUp { up: [x, y, z] } => {
                let [up] = self.of([PictureSetting::Up]);
                format!("the view is along {up}: {x},{y},{z} is upwards in the picture")
            }
            PictureNote::FromInside { view, open_above, outside } => self.seen_from_inside(view, *open_above, *outside),
            PictureNote::Framed { open_side, content } => self.framed(*open_side, content.as_deref()),
            PictureNote::NothingToFrame => {
                let [eye, target] = self.of([PictureSetting::Eye, PictureSetting::Target]);
                format!(
                    "the scene has neither a camera nor a triangle: only light is seen; {eye} X,Y,Z with {target} \
                     X,Y,Z looks elsewhere"
                )
            }
            PictureNote::RotationWithoutEffect => {
                let [light, rotate] = self.of([PictureSetting::Light, PictureSetting::LightRotate]);
                format!("{light} white is the same from all sides: {rotate} changes nothing")
            }
            PictureNote::StudioAdded { darkness } => {
                let ([light], cause, remedy) =
                    (self.of([PictureSetting::Light]), darkness.cause(), self.remedy(*darkness));
                format!(
                    "{cause}: a studio is added (soft lamps, grey backdrop); {remedy}{light} sky, white, none or an \
                     image FILE is another"
                )
            }
            PictureNote::LampsAdded { darkness, rotated } => self.lamps_added(*darkness, *rotated),
            PictureNote::WillBeDark { darkness, glows, tries } => {
                let but = if *glows { " but for what glows itself" } else { "" };
                let (cause, tries) = (darkness.cause(), self.clauses(tries).join("; "));
                format!("{cause}: the picture will be black or nearly so{but}; {tries}")
            }
            PictureNote::EmptyCrop { shown, size: [width, height] } => {
                let ([crop], share) =
                    (self.of([PictureSetting::Crop]), share_of(*shown, " of the crop", " of the crop's"));
                format!(
                    "{share} the scene: it is elsewhere in the picture; {crop} 0,0,{width}x{height} renders all of it"
                )
            }
            PictureNote::EmptyPicture { shown, camera } => {
                format!("{} the scene: {}", share_of(*shown, "", " of the"), self.blamed(camera))
            }
            PictureNote::BlownOut { share, tries } => {
                format!("{:.0} % of the pixels are blown out{}", 100.0 * share, self.to_try(tries))
            }
            PictureNote::Black { share, nearly, closed_in, tries } => {
                let nearly = if *nearly { "nearly " } else { "" };
                let share = format!("{:.0} % of the pixels that show the scene are {nearly}black", 100.0 * share);
                if *closed_in {
                    let tries = self.clauses(tries).join(", and ");
                    format!("{share}: light from around hardly gets in here; {tries}")
                } else {
                    format!("{share}{}", self.to_try(tries))
                }
            }
        }
    }

    fn seen_from_inside(self, view: &CameraRequest, open_above: bool, outside: Option<[f64; 3]>) -> String {
        let what = if open_above { "has walls all around and is open above" } else { "is a room" };
        let outside = outside.map_or(String::new(), |place| {
            let [eye] = self.of([PictureSetting::Eye]);
            format!("; {eye} {}{} shows it from outside", typed(&place), self.upwards(view))
        });
        format!("the scene has no camera and {what}: seen from inside, {}{outside}", self.view(view))
    }

    fn framed(self, open_side: bool, content: Option<&CameraRequest>) -> String {
        let how = if open_side { "it is open on one side, and seen from there" } else { "framed by its triangles" };
        let other = content.map_or_else(
            || self.clause(Advice::OtherEye),
            |view| format!("{} looks at what is inside", self.view(view)),
        );
        format!("the scene has no camera: {how}; {other}")
    }

    fn lamps_added(self, darkness: Darkness, rotated: bool) -> String {
        let [light, rotate, strength] =
            self.of([PictureSetting::Light, PictureSetting::LightRotate, PictureSetting::LightStrength]);
        let rotated = if rotated { format!(" ({rotate} does not turn them)") } else { String::new() };
        format!(
            "{}: light from around hardly gets in, so lamps in the room are added{rotated}; {}{strength} FACTOR \
             changes them, {light} none leaves them out",
            darkness.cause(),
            self.remedy(darkness)
        )
    }

    /// Returns the remedy of darkness before other advice, if there is one.
    fn remedy(self, darkness: Darkness) -> String {
        darkness.remedy().map_or(String::new(), |advice| format!("{}; ", self.clause(advice)))
    }

    /// Returns why a camera shows nothing, and what shows more.
    fn blamed(self, camera: &CameraSource) -> String {
        let [eye, target, up] = self.of([PictureSetting::Eye, PictureSetting::Target, PictureSetting::Up]);
        match camera {
            CameraSource::Asked(settings) => {
                let settings: Vec<&str> = settings.iter().map(|&setting| (self.0)(setting)).collect();
                let settings = settings.join(" and ");
                format!("it is far away or elsewhere; try without {settings}, or {up} 0,0,1")
            }
            CameraSource::File => format!("it is far away or elsewhere; {up} 0,1,0 frames it"),
            CameraSource::Framed => {
                let why = self.clause(Advice::ClearOrSmall);
                format!("{why}; {eye} X,Y,Z and {target} X,Y,Z look from nearer")
            }
        }
    }

    /// Returns what sets the camera to the view of a request.
    fn view(self, view: &CameraRequest) -> String {
        let [eye, target, vfov] = self.of([PictureSetting::Eye, PictureSetting::Target, PictureSetting::Vfov]);
        let [at, towards] = [view.eye, view.target].map(|place| typed(&place.unwrap_or_default()));
        let degrees = view.vfov.unwrap_or_default();
        format!("{eye} {at} {target} {towards}{} {vfov} {degrees}", self.upwards(view))
    }

    /// Returns what sets the direction upwards, after a space, if a request has one.
    fn upwards(self, view: &CameraRequest) -> String {
        let [name] = self.of([PictureSetting::Up]);
        view.up.map_or(String::new(), |up| format!(" {name} {}", typed(&up)))
    }

    /// Returns advice as a clause.
    fn clause(self, advice: Advice) -> String {
        let [eye, target, up] = self.of([PictureSetting::Eye, PictureSetting::Target, PictureSetting::Up]);
        let [light, shown] = self.of([PictureSetting::Light, PictureSetting::Shown]);
        match advice {
            Advice::OtherEye => format!("{eye} X,Y,Z looks from elsewhere"),
            Advice::OtherView => format!(
                "{eye} X,Y,Z and {target} X,Y,Z look elsewhere, and {up} 0,1,0 in place of them frames the scene"
            ),
            Advice::WithoutGlass => "without that glass in the file its light is found".into(),
            Advice::WithoutMedium => "without that medium in the file the light arrives".into(),
            Advice::ClearOrSmall => "its triangles are clear, or small beside the space between them".into(),
            Advice::DefaultLamps => format!("without {light}, lamps in the room are added"),
            Advice::Studio => format!("{light} studio adds light"),
            Advice::AmbientOcclusion => format!("{shown} ao shows shapes without light"),
            Advice::AutoExposure { .. } | Advice::AgxTone => self.thing(advice),
        }
    }

    fn clauses(self, tries: &[Advice]) -> Vec<String> {
        tries.iter().map(|&advice| self.clause(advice)).collect()
    }

    /// Returns advice as a thing to try.
    fn thing(self, advice: Advice) -> String {
        let [light, shown, exposure, tone] =
            self.of([PictureSetting::Light, PictureSetting::Shown, PictureSetting::Exposure, PictureSetting::Tone]);
        match advice {
            Advice::DefaultLamps => format!("leaving {light} out, which adds lamps in the room"),
            Advice::Studio => format!("{light} studio"),
            Advice::AmbientOcclusion => format!("{shown} ao, which shows shapes without light"),
            Advice::AutoExposure { stops } => format!("{exposure} auto (here {stops:+.1} stops)"),
            Advice::AgxTone => format!("{tone} agx"),
            Advice::OtherEye
            | Advice::OtherView
            | Advice::WithoutGlass
            | Advice::WithoutMedium
            | Advice::ClearOrSmall => self.clause(advice),
        }
    }

    /// Returns what may be tried, as the end of a sentence that says what is wrong.
    fn to_try(self, tries: &[Advice]) -> String {
        let tries: Vec<String> = tries.iter().map(|&advice| self.thing(advice)).collect();
        if tries.is_empty() { String::new() } else { format!("; try {}", tries.join(", or ")) }
    }
}

/// Returns which fraction of the pixels shows something, as the beginning of a sentence.
fn share_of(shown: f64, one: &str, all: &str) -> String {
    if shown == 0.0 { format!("no pixel{one} shows") } else { format!("only {:.2} %{all} pixels show", 100.0 * shown) }
}

/// Returns coordinates as they are typed.
fn typed(coordinates: &[impl ToString; 3]) -> String {
    coordinates.each_ref().map(ToString::to_string).join(",")
}
