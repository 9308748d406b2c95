//! Whether light would show in a picture: the scene's own, or what is added around it. A small picture is tried.

use crate::Prepared;
use raywarp_render::film::{Film, luminance};
use raywarp_render::output::auto_exposure;
use raywarp_render::{RenderError, RenderOptions, Watch};
use raywarp_scene::{Camera, Light};

/// Longer side of the picture that is tried, and its samples a pixel: some 50,000 paths.
const SIDE: f32 = 64.0;
const SAMPLES: u32 = 16;
/// A surface of less radiance, after exposure, is as good as black: byte 7 of 255 in a PNG.
const VISIBLE: f64 = 0.002;
/// Share of the pixels with a surface that must be brighter.
const SHARE: f64 = 0.02;

/// Whether the lights of the scene itself light what is seen from `camera`: a small picture is rendered, and 2 % of its
/// pixels that show a surface must come out brighter than black at `exposure` (a factor on radiance; infinite where it
/// is to be found from the picture, and any light will do). What a surface sends out itself does not count: a lamp that
/// lights nothing but itself leaves the rest black.
///
/// A scene with an environment of its own has a light, however dark that is: night is meant.
///
/// # Errors
/// [`RenderError`].
pub(crate) fn own_light_shows(
    prepared: &Prepared,
    camera: &Camera,
    options: &RenderOptions,
    exposure: f32,
) -> Result<bool, RenderError> {
    if !prepared.has_light() {
        return Ok(false);
    }
    let night = |light: &Light| matches!(light, Light::Environment { radiance, .. } if *radiance != [0.0; 3]);
    if prepared.scene().lights.iter().any(night) {
        return Ok(true);
    }
    // Who asks for emission alone is to see it.
    let film = tried(prepared, camera, options, options.max_depth.clamp(2, 8))?;
    // The same samples, so that the difference is exact.
    let emitted = tried(prepared, camera, options, 0)?;
    let (mut surfaces, mut bright) = (0u32, 0u32);
    for pixel in film.pixels() {
        if film.sums(pixel).hits > 0 {
            let of = |film: &Film| luminance(film.mean(pixel).map(f64::from));
            // Sums of f64, rounded: what is left of nothing is not light.
            let radiance = of(&film) - (1.0 + 1e-6) * of(&emitted);
            surfaces += 1;
            bright += u32::from(radiance > 0.0 && radiance * f64::from(exposure) >= VISIBLE);
        }
    }
    Ok(surfaces == 0 || f64::from(bright) >= SHARE * f64::from(surfaces))
}

/// A lamp at the camera for a scene that the light around it hardly gets into (a room), or `None` where it does: where
/// more than half of the pixels with a surface have a radiance of at least a thirtieth of their reflectance.
///
/// The lamp is as strong as makes the picture's middle brightness mid-grey, by the rule of `--exposure auto`.
///
/// # Errors
/// [`RenderError`].
pub(crate) fn lamp_where_dark(
    prepared: &mut Prepared,
    camera: &Camera,
    options: &RenderOptions,
) -> Result<Option<Light>, RenderError> {
    let depth_limit = options.max_depth.clamp(2, 8);
    let film = tried(prepared, camera, options, depth_limit)?;
    let mut depths = Vec::new();
    let mut dark = 0;
    for pixel in film.pixels() {
        let hits = film.sums(pixel).hits;
        let Some(sums) = film.feature_sums(pixel).filter(|_| hits > 0) else { continue };
        let reflectance = luminance(sums.albedo) / f64::from(SAMPLES);
        dark += usize::from(30.0 * luminance(film.mean(pixel).map(f64::from)) < reflectance);
        depths.push(sums.depth / f64::from(hits));
    }
    if 2 * dark <= depths.len() {
        return Ok(None);
    }
    depths.sort_unstable_by(f64::total_cmp);
    let depth = depths[depths.len() / 2] as f32;
    // A little above the lens, as a flash is, so that what stands in front has a shadow.
    let position = std::array::from_fn(|i| camera.eye[i] + 0.02 * depth * camera.up[i]);
    let lamp = |intensity: f32| Light::Point { position, intensity: [intensity; 3] };
    prepared.push_light(lamp(depth * depth));
    let film = tried(prepared, camera, options, depth_limit);
    prepared.pop_light();
    let exposure = auto_exposure(&film?.means());
    Ok(exposure.map(|exposure| lamp(depth * depth * exposure.as_factor())).filter(is_finite))
}

fn is_finite(light: &Light) -> bool {
    matches!(light, Light::Point { position, intensity } if position.iter().chain(intensity).all(|x| x.is_finite()))
}

/// The small picture.
fn tried(prepared: &Prepared, camera: &Camera, options: &RenderOptions, max_depth: u32) -> Result<Film, RenderError> {
    let longer = options.size[0].max(options.size[1]) as f32;
    let side = |pixels: u32| ((pixels as f32 * SIDE / longer).round() as u32).max(1);
    let small = RenderOptions {
        size: options.size.map(side),
        samples: 0..SAMPLES,
        max_depth,
        features: true,
        threads: options.threads,
        ..RenderOptions::default()
    };
    Ok(prepared.render(camera, &small, &Watch::default())?.film)
}
