//! A picture of which much is black or clipped, and what to try.

use crate::render::Prepared;
use crate::render::added_light::Added;
use crate::render::darkness::Darkness;
use crate::render::note::{Advice, PictureNote};
use crate::render::picture::Picture;
use crate::render::visible_light::{is_closed_in, is_out_of_view};
use raywarp_render::Integrator;
use raywarp_render::film::Film;
use raywarp_render::output::{ExposureChoice, Look, Lost, Tone};

/// Fractions of black, dark or clipped pixels from which on the user is told.
const MANY_BLACK: f64 = 0.5;
const MANY_DARK: f64 = 0.8;
const MANY_BLOWN: f64 = 0.25;
/// Fraction of pixels that show the scene below which the camera is likely wrong.
const FEW_SHOWN: f64 = 0.001;

/// Returns a note for the user if much of a picture shows nothing as `look` displays it: of the pixels that show the
/// scene, over half black or over four fifths nearly so, or over a quarter of all clipped. Only radiance of a scene
/// with triangles is looked at.
pub fn lost_pixels(prepared: &Prepared, picture: &Picture, film: &Film, look: &Look) -> Option<PictureNote> {
    let hits = film.pixels().filter(|&pixel| film.sums(pixel).hits > 0).count();
    let shown = hits as f64 / film.window().pixel_count().max(1) as f64;
    let is_path = picture.options.integrator == Integrator::Path;
    if !is_path || prepared.triangle_count() == 0 || picture.darkness == Some(Darkness::OutOfView) {
        return None;
    }
    if shown < FEW_SHOWN && !film.window().is_whole() && is_in_view(prepared, picture) {
        return Some(PictureNote::EmptyCrop { shown, size: picture.options.size });
    }
    if shown < FEW_SHOWN {
        return Some(PictureNote::EmptyPicture { shown, camera: picture.camera_source.clone() });
    }
    let means = film.means();
    let lost = Lost::count(means.iter().copied(), look);
    let other = other_exposure(picture, film, look);
    let auto = |stops| Advice::AutoExposure { stops };
    if lost.blown_share() > MANY_BLOWN {
        let tone = (look.tone == Tone::Srgb).then_some(Advice::AgxTone);
        let tries = other.map(auto).into_iter().chain(tone).collect();
        return Some(PictureNote::BlownOut { share: lost.blown_share(), tries });
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
    let nearly = lost.black_share() <= MANY_BLACK;
    let share = if nearly { lost.dark_share() } else { lost.black_share() };
    let closed_in = picture.added == (Added::Around { closed_in: true });
    let brighter = other.filter(|stops| stops.is_sign_positive()).map(auto);
    let tries = if closed_in {
        vec![Advice::OtherEye, Advice::AmbientOcclusion]
    } else {
        brighter.into_iter().chain([light_to_try(prepared, picture)]).collect()
    };
    Some(PictureNote::Black { share, nearly, closed_in, tries })
}

/// Returns the light to try for a black picture, or what shows shapes without any. Light that is there already is not
/// to be added again, and light from around does not get into a closed room.
fn light_to_try(prepared: &Prepared, picture: &Picture) -> Advice {
    let is_room = || is_closed_in(prepared, &picture.camera, &picture.options).unwrap_or(false);
    match picture.added {
        Added::LeftOut { lamps: true } => Advice::DefaultLamps,
        Added::Nothing if is_room() => Advice::AmbientOcclusion,
        Added::Nothing | Added::LeftOut { lamps: false } => Advice::Studio,
        Added::Around { .. } | Added::Lamps => Advice::AmbientOcclusion,
    }
}

/// Returns `true` if the whole picture (not just the crop) would show anything of the scene.
fn is_in_view(prepared: &Prepared, picture: &Picture) -> bool {
    is_out_of_view(prepared, &picture.camera, &picture.options).is_ok_and(|out_of_view| !out_of_view)
}

/// Returns the exposure in stops that the pixels ask for, if it differs from the one in use.
fn other_exposure(picture: &Picture, film: &Film, look: &Look) -> Option<f32> {
    let auto = Picture { exposure_choice: ExposureChoice::Auto, ..picture.clone() };
    let wanted = picture.stops(auto.exposure_of(film));
    ((wanted - picture.stops(look.exposure)).abs() >= 0.5).then_some(wanted)
}
