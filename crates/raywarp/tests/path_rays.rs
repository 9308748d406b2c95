//! The rays of paths that are kept are those that were traced.

use raywarp::device::Plan;
use raywarp::render::film::{Crop, Film, Window};
use raywarp::render::{BounceRays, PathRays, Picture, PictureRequest, Prepared, RenderContext, Rendered};
use raywarp::scene::{Alpha, ScalarInput, default_scene, make_clay};
use raywarp::{Control, Hit, Query, Ray};

/// The built-in scene with diffuse materials: no holes and no media, so that each ray is traced once.
fn clay() -> Prepared {
    let mut scene = default_scene();
    make_clay(&mut scene, 0.7);
    Prepared::new(scene, &Plan::default()).unwrap()
}

fn picture(prepared: &mut Prepared, threads: usize, crop: Option<Crop>) -> Picture {
    let request = PictureRequest {
        size: Some([60, 44]),
        samples: Some(3..5),
        max_depth: Some(4),
        crop,
        threads,
        ..Default::default()
    };
    Picture::settle(prepared, &request).unwrap()
}

/// Renders a picture, and the rays of the first `samples` of its two samples.
fn rays_of(prepared: &Prepared, picture: &Picture, samples: u32) -> (Rendered, Vec<BounceRays>) {
    let options = &picture.options;
    let film = Film::of(Window::new(options.size, options.crop).unwrap(), false).unwrap();
    let rays = PathRays::new(&film, options, samples).unwrap();
    let context = RenderContext { observer: Some(&rays), film: Some(film), ..RenderContext::default() };
    let rendered = prepared.render(&picture.camera, options, context).unwrap();
    (rendered, rays.into_bounces().unwrap().collect())
}

fn closest(prepared: &Prepared, rays: &[Ray]) -> Vec<Hit> {
    let mut hits = vec![Hit::default(); rays.len()];
    prepared.tracer().closest(rays, &[], &mut hits, &mut [], &Control::default()).unwrap();
    hits
}

/// Where `starts`, in their order, begin among `points`, of which some are left out.
fn is_followed(points: &[[f32; 3]], starts: &[Ray], slack: f32) -> bool {
    let is_near = |point: &[f32; 3], ray: &Ray| (0..3).all(|axis| (point[axis] - ray.origin[axis]).abs() <= slack);
    let mut waiting = starts.iter().peekable();
    for point in points {
        waiting.next_if(|ray| is_near(point, ray));
    }
    waiting.next().is_none()
}

#[test]
fn rays_start_where_those_of_the_bounce_before_hit_in_their_order() {
    let mut prepared = clay();
    let picture = picture(&mut prepared, 0, None);
    let (_, bounces) = rays_of(&prepared, &picture, 2);
    let of = |bounce: u32, query| bounces.iter().find(|rays| (rays.bounce, rays.query) == (bounce, query));
    assert_eq!(of(0, Query::Closest).unwrap().rays.len(), 2 * 60 * 44);
    let slack = 1e-4 * prepared.bounds().diagonal();
    for bounce in 0..=4 {
        let rays = &of(bounce, Query::Closest).unwrap().rays;
        let hits = closest(&prepared, rays);
        let points: Vec<[f32; 3]> =
            rays.iter().zip(&hits).filter(|(_, hit)| hit.is_hit()).map(|(ray, hit)| ray.at(hit.t)).collect();
        for next in [of(bounce + 1, Query::Closest), of(bounce, Query::Any)].into_iter().flatten() {
            assert!(next.rays.len() <= points.len());
            assert!(is_followed(&points, &next.rays, slack), "{}", next.file_name());
            // In another order nothing fits.
            let turned: Vec<Ray> = next.rays.iter().rev().copied().collect();
            assert!(!is_followed(&points, &turned, slack), "{}", next.file_name());
        }
    }
    assert!(of(5, Query::Closest).is_none() && of(3, Query::Any).is_some() && of(4, Query::Any).is_none());
}

#[test]
fn connections_of_the_last_vertex_are_the_rays_of_one_file_more() {
    let mut prepared = clay();
    let picture = picture(&mut prepared, 0, None);
    let mut last = picture.clone();
    last.options.connect_last = true;
    let [(_, without), (rendered, with)] = [&picture, &last].map(|picture| rays_of(&prepared, picture, 2));
    assert_eq!(with[..without.len()], without);
    let names: Vec<String> = with[without.len()..].iter().map(BounceRays::file_name).collect();
    assert_eq!(names, ["shadow-04.npy"]);
    assert_eq!(with.iter().map(|bounce| bounce.rays.len() as u64).sum::<u64>(), rendered.rays);
}

#[test]
fn as_many_rays_are_kept_as_were_traced_and_of_fewer_samples_the_first() {
    let mut prepared = clay();
    let crop = Crop { origin: [7, 5], size: [33, 20] };
    for crop in [None, Some(crop)] {
        let picture = picture(&mut prepared, 2, crop);
        let (rendered, all) = rays_of(&prepared, &picture, u32::MAX);
        assert_eq!(all.iter().map(|bounce| bounce.rays.len() as u64).sum::<u64>(), rendered.rays);
        let (same, first) = rays_of(&prepared, &picture, 1);
        assert_eq!(same.rays, rendered.rays);
        assert_eq!(2 * first[0].rays.len(), all[0].rays.len());
        for (first, all) in first.iter().zip(&all) {
            assert_eq!(first.rays, all.rays[..first.rays.len()], "{}", first.file_name());
        }
    }
}

#[test]
fn a_ray_that_goes_on_behind_a_hole_is_kept_once() {
    let mut scene = default_scene();
    for material in scene.materials.iter_mut().step_by(2) {
        material.alpha = Alpha::Blend { alpha: ScalarInput::constant(0.5) };
    }
    let mut prepared = Prepared::new(scene, &Plan::default()).unwrap();
    let picture = picture(&mut prepared, 2, None);
    let (rendered, bounces) = rays_of(&prepared, &picture, 2);
    assert_eq!(bounces[0].rays.len(), 2 * 60 * 44);
    assert!(bounces.iter().map(|bounce| bounce.rays.len() as u64).sum::<u64>() < rendered.rays);
}

#[test]
fn neither_threads_nor_a_listener_change_anything() {
    // With glass and textures, as it is.
    let mut prepared = Prepared::new(default_scene(), &Plan::default()).unwrap();
    let one = picture(&mut prepared, 1, None);
    let (rendered, rays) = rays_of(&prepared, &one, 2);
    let unobserved = prepared.render(&one.camera, &one.options, RenderContext::default()).unwrap();
    let means = |rendered: &Rendered| rendered.film.means();
    assert_eq!((means(&rendered), rendered.rays), (means(&unobserved), unobserved.rays));
    for threads in [2, 3] {
        let picture = picture(&mut prepared, threads, None);
        let (again, same) = rays_of(&prepared, &picture, 2);
        assert_eq!(means(&again), means(&rendered));
        assert_eq!(same, rays, "{threads} threads");
    }
}
