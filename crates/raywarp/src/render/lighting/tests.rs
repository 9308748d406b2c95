use super::*;

/// Returns the radiance of an added light from a world direction, by the formula of [`Light::Environment`].
fn seen(request: &LightRequest, camera: &Camera, d: [f32; 3]) -> [f32; 3] {
    let mut scene = Description::default();
    request.add(&mut scene, request.source.as_ref().unwrap(), camera);
    assert_eq!(raywarp_scene::validate(&scene), Ok(()));
    let Light::Environment { map, radiance, world_to_map } = &scene.lights[0] else { panic!() };
    let Some(map) = map else { return *radiance };
    let image = &scene.images[map.index()];
    let d = world_to_map.map(|row| (0..3).map(|i| row[i] * d[i]).sum::<f32>());
    let u = 0.5 + d[0].atan2(-d[2]) / std::f32::consts::TAU;
    let v = d[1].clamp(-1.0, 1.0).acos() / std::f32::consts::PI;
    let at = |x: f32, n: u32| ((x * n as f32) as u32).min(n - 1);
    let texel = image.texel(at(u, image.width), at(v, image.height));
    std::array::from_fn(|i| texel[i] * radiance[i])
}

fn camera(eye: [f32; 3]) -> Camera {
    Camera::look_at(eye, [0.0; 3], [0.0, 1.0, 0.0], 30.0).unwrap()
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    v.map(|x| x / length)
}

#[test]
fn the_studio_turns_with_the_camera() {
    let studio = LightRequest::built_in(BuiltInLight::Studio);
    // The key stands above left behind the camera, wherever that is.
    assert!(seen(&studio, &camera([0.0, 0.0, 5.0]), unit([-0.55, 0.67, 0.5]))[0] > 2.0);
    assert!(seen(&studio, &camera([5.0, 0.0, 0.0]), unit([0.5, 0.67, 0.55]))[0] > 2.0);
    // What the camera sees behind the object is grey.
    for d in [[0.0, 0.0, -1.0], [0.4, 0.0, -1.0], [0.0, 0.4, -1.0], [0.0, -0.4, -1.0], [0.9, 0.9, -1.0]] {
        for rotate in [0.0, 90.0, 180.0] {
            let studio = LightRequest { rotate, ..studio.clone() };
            let [r, g, b] = seen(&studio, &camera([0.0, 0.0, 5.0]), unit(d));
            let corner = d[0] * d[0] + d[1] * d[1] > 1.0;
            assert!(((0.03..0.13).contains(&r) || corner) && r == g && g == b, "{rotate}, {d:?}: {r}");
        }
    }
}

#[test]
fn strength_and_rotation_do_what_they_say() {
    let from = camera([0.0, 0.0, 5.0]);
    for light in [BuiltInLight::White, BuiltInLight::Studio, BuiltInLight::Sky] {
        let once = LightRequest::built_in(light);
        let twice = LightRequest { strength: 2.0, ..once.clone() };
        let d = unit([0.3, 0.5, -0.6]);
        assert_eq!(seen(&once, &from, d).map(|c| 2.0 * c), seen(&twice, &from, d), "{light}");
    }
    // Counter-clockwise from above: what stood in the front (+z) stands on the right (+x) after a quarter.
    for light in [BuiltInLight::Studio, BuiltInLight::Sky] {
        let turned = LightRequest { rotate: 90.0, ..LightRequest::built_in(light) };
        let before = seen(&LightRequest::built_in(light), &from, unit([-0.31, 0.71, 0.6]));
        let after = seen(&turned, &from, unit([0.6, 0.71, 0.31]));
        assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() < 0.1 * a), "{light}: {before:?}, {after:?}");
    }
}

#[test]
fn the_sky_is_above_and_its_sun_brightest() {
    let sky = LightRequest::built_in(BuiltInLight::Sky);
    let from = camera([0.0, 0.0, 5.0]);
    let [r, _, b] = seen(&sky, &from, [0.0, 1.0, 0.0]);
    assert!(b > 1.5 * r, "the zenith is blue: {r} {b}");
    let ground = seen(&sky, &from, [0.0, -1.0, 0.0]);
    assert_eq!(ground, [0.16; 3]);
    let angle = 35f32.to_radians();
    let sun = [-angle.sin() * 0.5f32.sqrt(), 0.5f32.sqrt(), angle.cos() * 0.5f32.sqrt()];
    assert!(seen(&sky, &from, sun)[0] > 300.0);
    // With z upwards the sky is where z is.
    let z_up = Camera::look_at([0.0, -5.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0], 30.0).unwrap();
    assert_eq!(seen(&sky, &z_up, [0.0, 0.0, -1.0]), [0.16; 3]);
}

#[test]
fn a_level_white_surface_under_the_sky_is_below_white() {
    let image = sky::map();
    let mut sum = [0.0f64; 3];
    for y in 0..image.height / 2 {
        let theta = (f64::from(y) + 0.5) / f64::from(image.height) * std::f64::consts::PI;
        let area = theta.sin() * 2.0 * (std::f64::consts::PI / f64::from(image.height)).powi(2) / 2.0;
        for x in 0..image.width {
            let texel = image.texel(x, y);
            (0..3).for_each(|i| sum[i] += f64::from(texel[i]) * area * theta.cos() / std::f64::consts::PI);
        }
    }
    let luminance = 0.2126 * sum[0] + 0.7152 * sum[1] + 0.0722 * sum[2];
    assert!((luminance - 0.8).abs() < 0.02, "{luminance}");
}
