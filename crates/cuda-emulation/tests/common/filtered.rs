//! Pictures whose textures are filtered by texture units.

use crate::{Driver, MOST_APART, Prepared, QUEUES, difference, every_call_fails, everything, everything_camera, few};
use raywarp_cuda::{CudaError, DriverCall};
use raywarp_cuda_emulation::twins::{of_pbrt, scene_of_everything};
use raywarp_experiments::{MeasuredOrganisation, PathExperiment};
use raywarp_render::film::Film;
use raywarp_render::{DirectLight, RenderContext, RenderOptions, render};
use raywarp_render_cuda::{EngineOptions, ImageUse, TextureFilter};
use raywarp_scene::{Camera, ImageFilter, Texture};

/// All there is, with images of which the nearest texel is taken: units find the CPU's.
pub fn nearest() -> Prepared {
    let mut scene = scene_of_everything();
    for texture in &mut scene.textures {
        if let Texture::Image { filter, .. } = texture {
            *filter = ImageFilter::Nearest;
        }
    }
    Prepared::new(scene, everything_camera())
}

fn hardware(organisation: MeasuredOrganisation, (paths, queues_per_batch): (usize, usize)) -> EngineOptions {
    let experiment = PathExperiment { paths, queues_per_batch, ..PathExperiment::of(organisation) };
    EngineOptions { texture_filter: TextureFilter::Hardware, ..experiment.into() }
}

fn options() -> RenderOptions {
    RenderOptions { size: [24, 16], samples: 3..7, max_depth: 6, features: true, seed: 5, ..RenderOptions::default() }
}

#[test]
fn where_the_nearest_texel_is_taken_units_give_the_picture_of_the_cpu() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = nearest();
    let used = ImageUse::of(&prepared.shading, TextureFilter::Hardware);
    // Images of materials; of skies and of a height that is also a colour those that kernels read.
    assert!(used.by_units.iter().any(|is_read| *is_read) && used.by_kernels.iter().any(|is_read| *is_read));
    for organisation in MOST_APART {
        for queues in QUEUES {
            for devices in [1, 2] {
                let films = prepared.films_of(&options(), hardware(organisation, queues), devices);
                assert_eq!(difference(&films), None, "{organisation:?}, {queues:?}, {devices} devices");
            }
        }
    }
    assert_eq!(driver.ask("images"), 0);
}

/// A wall under a sky of 1 everywhere, with the first image of the scene of everything, filtered.
fn screen() -> Prepared {
    let text = br#"
        LookAt 0 0 2  0 0 0  0 1 0
        Camera "perspective" "float fov" [ 50 ]
        WorldBegin
        LightSource "infinite" "rgb L" [ 1 1 1 ]
        Material "diffuse" "rgb reflectance" [ 0.7 0.6 0.5 ]
        Shape "trianglemesh" "point3 P" [ -2 -2 0  2 -2 0  -2 2 0  2 2 0 ] "integer indices" [ 0 1 2 2 1 3 ]
            "point2 uv" [ -0.3 -0.3  1.3 -0.3  -0.3 1.3  1.3 1.3 ]
    "#;
    let mut scene = of_pbrt(text);
    let all = scene_of_everything();
    let (image, texture) = all
        .textures
        .iter()
        .find_map(|texture| match texture {
            Texture::Image { image, filter: ImageFilter::Bilinear, .. } => Some((*image, texture.clone())),
            _ => None,
        })
        .expect("there is one");
    let texels = all.images[image.index()].clone();
    let Texture::Image { mapping, wrap, filter, .. } = texture else { unreachable!("found as an image") };
    let image = scene.add_image(texels);
    let texture = scene.add_texture(Texture::Image { image, mapping, wrap, filter });
    for material in &mut scene.materials {
        if let raywarp_scene::Surface::Diffuse { reflectance, .. } = &mut material.surface {
            reflectance.texture = Some(texture);
        }
    }
    let camera: Camera = scene.cameras[0].clone();
    Prepared::new(scene, camera)
}

#[test]
fn a_filtered_wall_is_the_one_of_the_cpu_as_nearly_as_weights_of_8_bits_allow() {
    let Some(_driver) = Driver::get() else { return };
    let prepared = screen();
    // One reflection, of a sky that is 1: a pixel is what its samples' look-ups are.
    let direct = DirectLight::Scattering;
    let options = RenderOptions { size: [48, 32], samples: 0..4, max_depth: 1, direct, ..RenderOptions::default() };
    for organisation in MOST_APART {
        let films = prepared.films(&options, hardware(organisation, (1 << 12, 1)));
        let [exact, units] = films;
        let (mut differing, mut largest) = (0, 0.0f32);
        for pixel in exact.pixels() {
            for (a, b) in exact.mean(pixel).iter().zip(units.mean(pixel)) {
                differing += usize::from(*a != b);
                largest = largest.max((a - b).abs());
            }
        }
        println!("{organisation:?}: {differing} numbers differ, by up to {largest}");
        // Texels are from 0 to 1, and the wall reflects no more than that of a sky of 1.
        assert!(largest <= 2.0 / 512.0 + 1e-5, "{largest}");
        assert!(differing > 500 && largest > 1e-4, "{differing}, {largest}");
    }
}

#[test]
fn pictures_of_all_there_is_by_units_are_about_those_of_the_cpu() {
    let Some(_driver) = Driver::get() else { return };
    let prepared = everything();
    let [exact, units] = {
        let film = |texture_filter| {
            let mut engine = prepared.engine(EngineOptions { texture_filter, ..few(1 << 12).into() }, 1);
            let context = RenderContext::by(&mut engine);
            render(&prepared.shading, &prepared.camera, &prepared.tracer, &options(), context).unwrap().film
        };
        [TextureFilter::Exact, TextureFilter::Hardware].map(film)
    };
    let sum = |film: &Film, pixel| film.mean(pixel).iter().sum::<f32>();
    // A path that decides otherwise, at an edge of a hole or of a lobe, leaves another pixel.
    let near = |&pixel: &_| {
        let (a, b) = (sum(&exact, pixel), sum(&units, pixel));
        (a - b).abs() <= 0.02 * a.max(b) + 1e-3
    };
    let near = exact.pixels().filter(near).count();
    println!("{near} of {} pixels are near", exact.pixel_count());
    assert!(near * 10 > exact.pixel_count() * 9, "{near} of {}", exact.pixel_count());
    assert!(difference(&[exact, units]).is_some(), "texture units have looked nothing up");
}

#[test]
fn whatever_call_fails_with_images_it_is_an_error_or_the_same_picture_and_no_image_stays() {
    let Some(driver) = Driver::get() else { return };
    let prepared = screen();
    let options = RenderOptions { size: [5, 4], samples: 0..2, max_depth: 2, ..RenderOptions::default() };
    let film = || -> Result<Film, String> {
        let mut engine = prepared
            .try_engine(hardware(MeasuredOrganisation::Megakernel, (64, 1)), 1)
            .map_err(|error| error.to_string())?;
        let context = RenderContext::by(&mut engine);
        let rendered = render(&prepared.shading, &prepared.camera, &prepared.tracer, &options, context);
        rendered.map(|rendered| rendered.film).map_err(|error| error.to_string())
    };
    let (_, said) = every_call_fails(&driver, film);
    let full = CudaError::OutOfMemory { what: "an image", needed: 0, free: 0 }.to_string();
    assert!(said.contains(full.split(" 0").next().unwrap()), "{said}");
    for doing in [DriverCall::UploadImage, DriverCall::MakeTexture] {
        assert!(said.contains(&doing.to_string()), "{doing}: {said}");
    }
}
