//! A picture of which much is black or clipped, and what to try.

use crate::render::Prepared;
use crate::render::added_light::Added;
use crate::render::darkness::Darkness;
use crate::render::picture::Picture;
use crate::render::viewpoint::CameraSource;
use crate::render::visible_light::{is_closed_in, is_out_of_view};
use raywarp_render::film::Film;
use raywarp_render::output::{ExposureChoice, Look, Lost, Tone};

/// Fractions of black, dark or clipped pixels from which on the user is told.
const MANY_BLACK: f64 = 0.5;
const MANY_DARK: f64 = 0.8;
const MANY_BLOWN: f64 = 0.25;
/// Fraction of pixels that show the scene below which the camera is likely wrong.
const FEW_SHOWN: f64 = 0.001;

/// Returns a line for the user if much of a picture shows nothing as `look` displays it: of the pixels that show the
/// scene, over half black or over four fifths nearly so, or over a quarter of all clipped.
pub fn lost_pixels(prepared: &Prepared, picture: &Picture, film: &Film, look: &Look) -> Option<String> {
    let hits = film.pixels().filter(|&pixel| film.sums(pixel).hits > 0).count();
    let shown = hits as f64 / film.window().pixel_count().max(1) as f64;
    if picture.darkness == Some(Darkness::OutOfView) {
        return None;
    }
    if shown < FEW_SHOWN && !film.window().is_whole() && is_in_view(prepared, picture) {
        let share = if hits == 0 {
            "no pixel of the crop shows".into()
        } else {
            format!("only {:.2} % of the crop's pixels show", 100.0 * shown)
        };
        let [width, height] = picture.options.size;
        return Some(format!(
            "{share} the scene: it is elsewhere in the picture; \
             `PictureRequest::crop` 0,0,{width}x{height} renders all of it"
        ));
    }
    if shown < FEW_SHOWN {
        let share =
            if hits == 0 { "no pixel shows".into() } else { format!("only {:.2} % of the pixels show", 100.0 * shown) };
        let why = match &picture.camera_source {
            CameraSource::Asked(options) => {
                format!("it is far away or elsewhere; try without {options}, or `CameraRequest::up` 0,0,1")
            }
            CameraSource::File => "it is far away or elsewhere; `CameraRequest::up` 0,1,0 frames it".into(),
            CameraSource::Framed => "its triangles are clear, or small beside the space between them; \
                                     `CameraRequest::eye` X,Y,Z and \
                                     `CameraRequest::target` X,Y,Z look from nearer"
                .into(),
        };
        return Some(format!("{share} the scene: {why}"));
    }
    let means = film.means();
    let lost = Lost::count(means.iter().copied(), look);
    let other = other_exposure(picture, film, look);
    let auto = |stops: &String| format!("`PictureRequest::exposure` auto (here {stops})");
    if lost.blown_share() > MANY_BLOWN {
        let tone = (look.tone == Tone::Srgb).then(|| "`FileContents::tone` agx".to_string());
        let tries: Vec<String> = other.iter().map(auto).chain(tone).collect();
        return Some(format!("{:.0} % of the pixels are blown out{}", 100.0 * lost.blown_share(), to_try(&tries)));
    }
    let is_dark = |lost: &Lost| lost.black_share() > MANY_BLACK || lost.dark_share() >= MANY_DARK;
    if picture.darkness.is_some() {
        return None;
    }
    // What shows no surface is black where nothing shines from far away: that alone is no fault.
    let shown = film.pixels().filter(|&pixel| film.sums(pixel).hits > 0).map(|pixel| film.mean(pixel));
    let lost = Lost::count(shown, look);
    if !is_dark(&lost) {
        return None;
    }
    let share = match lost.black_share() {
        black if black > MANY_BLACK => format!("{:.0} % of the pixels that show the scene are black", 100.0 * black),
        _ => format!("{:.0} % of the pixels that show the scene are nearly black", 100.0 * lost.dark_share()),
    };
    // Light that is there already is not to be added again.
    // Light from around does not get into a closed room.
    let is_room = || is_closed_in(prepared, &picture.camera, &picture.options).unwrap_or(false);
    let light = match picture.added {
        Added::LeftOut { lamps: true } => "leaving `LightRequest::source` out, which adds lamps in the room",
        Added::Nothing if is_room() => "`PictureRequest::shown` ao, which shows shapes without light",
        Added::Nothing | Added::LeftOut { lamps: false } => "`LightRequest::source` studio",
        Added::Around { closed_in: true } => {
            return Some(format!(
                "{share}: light from around hardly gets in here; `CameraRequest::eye` X,Y,Z looks from elsewhere, \
                 and `PictureRequest::shown` ao \
                 shows shapes without light"
            ));
        }
        Added::Around { closed_in: false } | Added::Lamps => {
            "`PictureRequest::shown` ao, which shows shapes without light"
        }
    };
    let brighter = other.filter(|stops| stops.starts_with('+'));
    let tries: Vec<String> = brighter.iter().map(auto).chain([light.to_string()]).collect();
    Some(format!("{share}{}", to_try(&tries)))
}

/// Returns `true` if the whole picture (not just the crop) would show anything of the scene.
fn is_in_view(prepared: &Prepared, picture: &Picture) -> bool {
    is_out_of_view(prepared, &picture.camera, &picture.options).is_ok_and(|out_of_view| !out_of_view)
}

/// Joins advice to the end of a line that says what is wrong.
fn to_try(tries: &[String]) -> String {
    if tries.is_empty() { String::new() } else { format!("; try {}", tries.join(", or ")) }
}

/// Returns the exposure in stops that the pixels ask for, if it differs from the one in use.
fn other_exposure(picture: &Picture, film: &Film, look: &Look) -> Option<String> {
    let auto = Picture { exposure_choice: ExposureChoice::Auto, ..picture.clone() };
    let wanted = picture.stops(auto.exposure_of(film));
    ((wanted - picture.stops(look.exposure)).abs() >= 0.5).then(|| format!("{wanted:+.1} stops"))
}
