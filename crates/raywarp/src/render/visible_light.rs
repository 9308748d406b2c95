//! The trial if light would show in a picture, the scene's own or what is added around it: a small picture is rendered.

use crate::render::Prepared;
use crate::render::darkness::{Darkness, why_dark};
use crate::render::lamps::{Lamp, Seen, add_balls, remove_balls};
use crate::render::own_light::shines_by_images_alone;
use crate::render::picture::PictureError;
use rayon::prelude::*;
use raywarp_geom::Aabb;
use raywarp_render::film::{Film, luminance};
use raywarp_render::output::auto_exposure;
use raywarp_render::{RenderContext, RenderError, RenderOptions};
use raywarp_scene::{Camera, Description, Instance, Light};

/// Longer side of the small test picture, and the largest number of its paths: light that none of them finds would
/// hardly be seen.
const SIDE: f32 = 64.0;
const PATHS: u32 = 65_536;
/// Number of placements around a camera from which on there are fewer paths: each has to be entered by every path. No
/// scene that was made for a picture has so many.
const MANY_AROUND: usize = 1024;
/// Number of paths below which there are never fewer.
const FEWEST_PATHS: u32 = 256;
/// Radiance, after exposure, below which a surface looks black: byte 7 of 255 in a PNG.
const VISIBLE: f64 = 0.002;
/// Fraction of the pixels that show a surface which must be brighter for light to show.
const SHARE: f64 = 0.02;
/// Least fraction of brighter pixels, or least mean radiance, where nothing emits light but images of emission. Less is
/// decoration, the lit signs of a model that has no light of its own: more than half of such a picture is black.
/// (DamagedHelmet of the glTF samples has 0.16 and 0.009, the labels of ClearCoatTest 0.22 and 0.1; a lit screen over a
/// floor 0.7 to 1.)
const MANY_LIT: f64 = 0.5;
const MEAN: f64 = 0.2;
/// Largest number of bounces in the small test picture, since a picture may ask for thousands.
const DEEPEST: u32 = 64;

/// Finding that the scene's own light does not show, and why.
pub(crate) struct Dark {
    pub cause: Darkness,
    /// `true` if surfaces are seen to emit light nevertheless.
    pub glows: bool,
}

/// Result of rendering a small test picture.
enum Trial {
    /// Light shows, or an environment behind the scene.
    Light,
    /// Neither a surface nor an environment shows.
    Nothing,
    /// Surfaces show, but hardly any light from them.
    Dark { glows: bool },
}

/// Returns why the scene's lights do not show in what `camera` sees; `None` if they do. A small picture of the first
/// 65,536 paths is rendered, and 2 % of its pixels that show a surface must come out brighter than black at `exposure`
/// (a factor on radiance; infinite where it is to be found from the picture, and any light will do). A surface that is
/// seen to send out light itself counts: who sees a lamp sees light.
///
/// Light from everywhere around, however dark, means that night is intended: there it is enough that any path brings
/// anything.
///
/// # Errors
/// [`RenderError`].
pub(crate) fn darkness(
    prepared: &mut Prepared,
    camera: &Camera,
    options: &RenderOptions,
    exposure: f32,
) -> Result<Option<Dark>, RenderError> {
    if !prepared.has_light() {
        return Ok(Some(Dark { cause: Darkness::NoLight, glows: false }));
    }
    let small = small(prepared, camera, options);
    let glows = match trial(prepared, camera, &small, exposure)? {
        Trial::Light => return Ok(None),
        Trial::Nothing if options.transparent => return Ok(None),
        Trial::Nothing => return Ok(Some(Dark { cause: Darkness::OutOfView, glows: false })),
        Trial::Dark { glows } => glows,
    };
    let clear = prepared.without_absorption(|prepared| trial(prepared, camera, &small, exposure));
    let cause = match clear.transpose()? {
        Some(Trial::Light) => Darkness::Absorbed,
        // Of more bounces the connections would take much memory, and say the same.
        _ => why_dark(prepared, camera, &RenderOptions { max_depth: small.max_depth.min(8), ..small })?,
    };
    // Of a lamp that is seen some light comes out.
    let cause = if glows && cause == Darkness::ClosedLamp { Darkness::Unlit } else { cause };
    Ok(Some(Dark { cause, glows }))
}

/// Returns `true` if no camera ray from `camera` hits a surface of the scene.
///
/// # Errors
/// [`RenderError`].
pub(crate) fn is_out_of_view(
    prepared: &Prepared,
    camera: &Camera,
    options: &RenderOptions,
) -> Result<bool, RenderError> {
    let film = tried(prepared, camera, &RenderOptions { max_depth: 0, ..small(prepared, camera, options) })?;
    Ok(film.pixels().all(|pixel| film.sums(pixel).hits == 0))
}

fn trial(prepared: &Prepared, camera: &Camera, small: &RenderOptions, exposure: f32) -> Result<Trial, RenderError> {
    if !is_surrounded(prepared.scene()) {
        return surfaces_show(prepared, camera, small, exposure);
    }
    let shows = anything_shows(prepared, camera, small)?;
    Ok(if shows { Trial::Light } else { Trial::Dark { glows: false } })
}

/// Returns `true` if there is light from all directions around the scene.
pub(crate) fn is_surrounded(scene: &Description) -> bool {
    let shines = |light: &Light| matches!(light, Light::Environment { radiance, .. } if *radiance != [0.0; 3]);
    scene.lights.iter().any(shines)
}

/// Returns `true` if any path brings light, or there is no surface to be seen.
fn anything_shows(prepared: &Prepared, camera: &Camera, small: &RenderOptions) -> Result<bool, RenderError> {
    // One sample a pixel nearly always tells.
    for samples in [0..1, 1..small.samples.end] {
        let film = tried(prepared, camera, &RenderOptions { samples, ..small.clone() })?;
        let surfaces = film.pixels().any(|pixel| film.sums(pixel).hits > 0);
        if !surfaces || film.means().iter().flatten().any(|&radiance| radiance > 0.0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Renders a small picture, and returns whether enough of the visible surfaces are lit or emit light.
fn surfaces_show(
    prepared: &Prepared,
    camera: &Camera,
    small: &RenderOptions,
    exposure: f32,
) -> Result<Trial, RenderError> {
    let film = tried(prepared, camera, small)?;
    let is_seen = |radiance: f64| radiance > 0.0 && radiance * f64::from(exposure) >= VISIBLE;
    let (mut surfaces, mut lit, mut sum) = (0u32, 0u32, 0.0);
    for pixel in film.pixels() {
        if film.sums(pixel).hits > 0 {
            let radiance = luminance(film.mean(pixel).map(f64::from));
            surfaces += 1;
            lit += u32::from(is_seen(radiance));
            sum += radiance;
        }
    }
    let of_surfaces = |share: f64| share * f64::from(surfaces);
    // An exposure that is to be found brightens every trace.
    let is_bright = exposure.is_finite() && sum * f64::from(exposure) >= of_surfaces(MEAN);
    let is_decoration =
        || !is_bright && f64::from(lit) < of_surfaces(MANY_LIT) && shines_by_images_alone(prepared.scene());
    Ok(match surfaces {
        0 => Trial::Nothing,
        _ if f64::from(lit) >= of_surfaces(SHARE) && !is_decoration() => Trial::Light,
        _ => Trial::Dark { glows: lit > 0 && glows(prepared, camera, small, is_seen)? },
    })
}

/// Returns `true` if visible surfaces themselves emit light.
fn glows(
    prepared: &Prepared,
    camera: &Camera,
    small: &RenderOptions,
    is_seen: impl Fn(f64) -> bool,
) -> Result<bool, RenderError> {
    let film = tried(prepared, camera, &RenderOptions { max_depth: 0, ..small.clone() })?;
    Ok(film.pixels().any(|pixel| film.sums(pixel).hits > 0 && is_seen(luminance(film.mean(pixel).map(f64::from)))))
}

/// Returns `true` if rays from most of what `camera` sees hardly leave the scene, so that light from around does not
/// get in.
///
/// # Errors
/// [`RenderError`].
pub(crate) fn is_closed_in(prepared: &Prepared, camera: &Camera, options: &RenderOptions) -> Result<bool, RenderError> {
    Ok(Seen::from(prepared, camera, &small(prepared, camera, options))?.is_some_and(|seen| seen.is_closed_in()))
}

/// Places lamps in a scene that surrounding light hardly reaches (a room); `None` if it does, or if rays from what is
/// seen leave the scene. What is black in the open is no room.
///
/// The lamps are as strong as makes the picture's middle brightness mid-grey, by the rule of an automatic
/// exposure. Those that are balls stand in the scene then, with another strength ([`set_balls`]); points do not.
///
/// # Errors
/// [`PictureError`]: what is tried cannot be rendered, or the scene with balls in it not be prepared.
pub(crate) fn lamps_where_dark(
    prepared: &mut Prepared,
    camera: &Camera,
    options: &RenderOptions,
) -> Result<Option<Vec<Lamp>>, PictureError> {
    let small = RenderOptions { features: true, ..small(prepared, camera, options) };
    let film = tried(prepared, camera, &small)?;
    let (mut surfaces, mut dark) = (0, 0);
    for pixel in film.pixels() {
        let hits = film.sums(pixel).hits;
        let Some(sums) = film.feature_sums(pixel).filter(|_| hits > 0) else { continue };
        let reflectance = luminance(sums.albedo) / f64::from(small.samples.end);
        dark += usize::from(30.0 * luminance(film.mean(pixel).map(f64::from)) < reflectance);
        surfaces += 1;
    }
    if 2 * dark <= surfaces {
        return Ok(None);
    }
    let Some(seen) = Seen::from(prepared, camera, &small)?.filter(Seen::is_closed_in) else { return Ok(None) };
    let Some(lamps) = seen.lamps(prepared, camera) else { return Ok(None) };
    let before = prepared.scene().lights.len();
    // Polished metal and mirrors answer no connection: they show the balls.
    add_balls(prepared, &lamps)?;
    prepared.edit_lights(|scene| scene.lights.extend(lamps.iter().flat_map(Lamp::middle)));
    let film = tried(prepared, camera, &small);
    prepared.edit_lights(|scene| scene.lights.truncate(before));
    let exposure = auto_exposure(&film?.means());
    let stronger = |factor: f32| lamps.iter().map(|lamp| lamp.times(factor)).collect::<Vec<_>>();
    let found = exposure.map(|exposure| stronger(exposure.as_factor()));
    let found = found.filter(|lamps| lamps.iter().all(Lamp::is_finite));
    if found.is_none() {
        remove_balls(prepared, &lamps)?;
    }
    Ok(found)
}

/// Returns the largest number of paths of the small test picture: fewer where a camera is within thousands of
/// placements, so that what is done before a render, which no time limit ends, takes about as long as elsewhere. A
/// count of the scene's boxes, and so the same on every machine.
fn path_count(scene: &Description, camera: &Camera) -> u32 {
    if scene.instances.len() <= MANY_AROUND {
        return PATHS;
    }
    let bounds: Vec<Aabb> = scene.meshes.par_iter().map(|mesh| mesh.triangles.bounds()).collect();
    let eye = Aabb { min: camera.eye, max: camera.eye };
    let is_around = |instance: &&Instance| {
        let mesh = &bounds[instance.mesh.index()];
        !mesh.is_empty() && instance.transform.aabb(mesh).contains(&eye)
    };
    let around = scene.instances.par_iter().filter(is_around).count();
    let share = MANY_AROUND as f64 / around.max(MANY_AROUND) as f64;
    ((f64::from(PATHS) * share) as u32).max(FEWEST_PATHS)
}

/// Returns the options of the small test picture.
fn small(prepared: &Prepared, camera: &Camera, options: &RenderOptions) -> RenderOptions {
    small_of(options, path_count(prepared.scene(), camera))
}

/// Returns the options of a small test picture of so many paths at most.
fn small_of(options: &RenderOptions, paths: u32) -> RenderOptions {
    let longer = options.size[0].max(options.size[1]) as f32;
    // At least one path a pixel.
    let side = SIDE.min((paths as f32).sqrt().floor());
    let size = options.size.map(|pixels| ((pixels as f32 * side / longer).round() as u32).max(1));
    RenderOptions {
        size,
        samples: 0..paths / (size[0] * size[1]),
        // Connections of a last vertex are light of a bounce more. Who asks for emission alone is to see it.
        max_depth: options.max_depth.saturating_add(options.connect_last.into()).clamp(2, DEEPEST),
        threads: options.threads,
        ..RenderOptions::default()
    }
}

/// Renders the small test picture.
fn tried(prepared: &Prepared, camera: &Camera, small: &RenderOptions) -> Result<Film, RenderError> {
    Ok(prepared.render(camera, small, RenderContext::default())?.film)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::{Affine, TriangleMesh};
    use raywarp_scene::{FaceMaterials, Material, Mesh};

    #[test]
    fn a_camera_within_thousands_of_placements_has_fewer_paths_and_no_other_has() {
        let mut scene = Description::default();
        let material = scene.add_material(Material::diffuse("", [0.5; 3]));
        let positions = vec![[-1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0]];
        let triangles = TriangleMesh { positions, indices: vec![[0, 1, 2]], ..TriangleMesh::default() };
        let mesh = scene.add_mesh(Mesh { name: String::new(), triangles, materials: FaceMaterials::Uniform(material) });
        let at = |x: f32| Instance { mesh, transform: Affine::translation([x, 0.0, 0.0]), material: None };
        let camera = |x: f32| Camera::look_at([x, 0.0, 0.0], [x, 0.0, 9.0], [0.0, 1.0, 0.0], 45.0).unwrap();
        let mut count = |around: usize, aside: usize| {
            scene.instances = [vec![at(0.0); around], vec![at(9.0); aside]].concat();
            [0.0, 1.0, 5.0].map(|x| path_count(&scene, &camera(x)))
        };
        assert_eq!(count(1024, 0), [PATHS; 3]);
        assert_eq!(count(1024, 100_000), [PATHS; 3]);
        assert_eq!(count(1025, 1), [PATHS * 1024 / 1025, PATHS * 1024 / 1025, PATHS]);
        assert_eq!(count(8192, 0), [8192, 8192, PATHS]);
        assert_eq!(count(1 << 20, 0), [FEWEST_PATHS, FEWEST_PATHS, PATHS]);
        // Paths that are all there are: at least one a pixel, and no more than there may be.
        for (size, paths) in
            [([640, 480], PATHS), ([640, 480], 8192), ([1000, 10], 256), ([7, 700], 300), ([1, 1], 256)]
        {
            let small = small_of(&RenderOptions { size, ..RenderOptions::default() }, paths);
            let pixels = small.size[0] * small.size[1];
            assert!(small.samples.end >= 1 && pixels * small.samples.end <= paths, "{size:?} {paths}: {small:?}");
        }
        assert_eq!(small_of(&RenderOptions::default(), PATHS).size.iter().max(), Some(&64));
    }

    #[test]
    fn the_small_picture_has_the_light_of_the_render() {
        let depth = |max_depth, connect_last| {
            small_of(&RenderOptions { max_depth, connect_last, ..RenderOptions::default() }, PATHS).max_depth
        };
        assert_eq!([0, 2, 7, 64, u32::MAX].map(|n| depth(n, false)), [2, 2, 7, DEEPEST, DEEPEST]);
        assert_eq!([0, 2, 7, 64, u32::MAX].map(|n| depth(n, true)), [2, 3, 8, DEEPEST, DEEPEST]);
    }
}
