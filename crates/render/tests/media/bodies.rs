//! Bodies in each other, that overlap and that touch.

use super::*;

#[test]
fn bodies_in_each_other_take_the_light_that_runs_in_them() {
    let nested = |inner: Option<f32>| {
        let mut scene = under_a_white_sky();
        add(&mut scene, block([0.0; 3], [1.0; 3]), body(inner));
        add(&mut scene, block([0.0; 3], [2.0; 3]), body(Some(0.3)));
        add(&mut scene, block([0.0; 3], [3.0; 3]), body(Some(0.1)));
        seen_from(&scene, &along_z(9.0))
    };
    let shells = 0.3 * 2.0 + 0.1 * 2.0f64;
    check(&nested(Some(0.5)), (-0.5 * 2.0 - shells).exp());
    // A clear solid in a drink keeps the drink out; a surface that says nothing of its inside does not.
    check(&nested(Some(0.0)), (-shells).exp());
    check(&nested(None), (-0.3 * 2.0 - shells).exp());
}

#[test]
fn an_object_in_a_drink_is_seen_through_the_drink() {
    let mut scene = under_a_white_sky();
    let unlit = Surface::Unlit { color: ColorInput::constant([0.5; 3]) };
    add(&mut scene, block([0.0, 0.0, -1.0], [1.0; 3]), Material::new("object", unlit));
    add(&mut scene, block([0.0; 3], [3.0; 3]), body(Some(0.25)));
    check(&seen_from(&scene, &along_z(9.0)), 0.5 * (-0.25 * 3.0f64).exp());
    check(&seen_from(&scene, &along_z(-9.0)), 0.5 * (-0.25 * 1.0f64).exp());
}

#[test]
fn of_bodies_that_overlap_the_one_entered_last_counts() {
    let mut scene = under_a_white_sky();
    // From -2 to 0.5 and from -0.5 to 2.
    add(&mut scene, block([0.0, 0.0, -0.75], [1.0, 1.0, 1.25]), body(Some(0.2)));
    add(&mut scene, block([0.0, 0.0, 0.75], [1.0, 1.0, 1.25]), body(Some(0.6)));
    check(&seen_from(&scene, &along_z(9.0)), (-0.6 * 1.5 - 0.2 * 2.5f64).exp());
    check(&seen_from(&scene, &along_z(-9.0)), (-0.2 * 1.5 - 0.6 * 2.5f64).exp());
}

#[test]
fn a_fifth_body_is_not_there() {
    for bodies in [4, 5, 6] {
        let mut scene = under_a_white_sky();
        for i in 1..=bodies {
            add(&mut scene, block([0.0; 3], [i as f32; 3]), body(Some(0.02 * i as f32)));
        }
        // Of more than four the inmost are filled with what is in the fourth.
        let sigma = |i: i32| 0.02 * f64::from(i.max(bodies - 3));
        check(&seen_from(&scene, &along_z(9.0)), (-2.0 * (1..=bodies).map(sigma).sum::<f64>()).exp());
    }
}

#[test]
fn clear_bodies_in_each_other_make_and_lose_no_light() {
    let seen = |indices: &[f32], camera: &Camera| {
        let mut scene = under_a_white_sky();
        for (i, &ior) in indices.iter().enumerate() {
            add(&mut scene, block([0.0; 3], [1.0 + 0.2 * i as f32; 3]), glass(ior, Some(0.0)));
        }
        trace(&scene, camera, &options([8, 8], 16, 256)).film.picture_mean().luminance
    };
    let around = camera([9.0, 7.0, 5.0], [0.0; 3], 20.0);
    for indices in [&[1.5; 4][..], &[1.5; 6], &[1.5, 1.0, 1.5, 1.0, 1.5, 1.0], &[2.0, 1.8, 1.6, 1.4, 1.2]] {
        let mean = seen(indices, &around);
        assert!((mean - 1.0).abs() < 2e-3, "{indices:?}: {mean}");
    }
    // What is trapped inside of one is trapped in six.
    let inside = camera([0.2, 0.1, 0.3], [3.0, 1.0, -2.0], 60.0);
    let (one, six) = (seen(&[1.5], &inside), seen(&[1.5; 6], &inside));
    assert!((one - six).abs() < 0.02 * one, "{one} in one, {six} in six");
}

#[test]
fn bodies_that_touch_bound_each_other() {
    let towers = |sigmas: [f32; 2], iors: [f32; 2], flipped: bool| {
        let mut scene = under_a_white_sky();
        let mut blocks = [(-2.0, 1.0, sigmas[0], iors[0]), (0.5, 1.5, sigmas[1], iors[1])];
        if flipped {
            blocks.reverse();
        }
        for (z, half, sigma, ior) in blocks {
            add(&mut scene, block([0.0, 0.0, z], [1.0, 1.0, half]), glass(ior, Some(sigma)));
        }
        scene
    };
    for flipped in [false, true] {
        for (sigmas, way) in [([0.2, 0.6], 0.4 + 1.8f64), ([0.3, 0.3], 1.5)] {
            let scene = towers(sigmas, [1.0; 2], flipped);
            for z in [9.0, -9.0] {
                check(&seen_from(&scene, &along_z(z)), (-way).exp());
            }
            // From within, and aslant.
            check(&seen_from(&scene, &along_z(0.1)), (-1.1 * f64::from(sigmas[1]) - 2.0 * f64::from(sigmas[0])).exp());
            let aslant = Camera {
                projection: Projection::Orthographic { half_height: 0.05 },
                ..camera([-4.0, 0.0, -5.0], [0.0, 0.0, -1.0], 1.0)
            };
            let (from_side, length) = (f64::from(2.0f32.sqrt()), f64::from(2.0f32.sqrt()));
            check(
                &seen_from(&scene, &aslant),
                (-f64::from(sigmas[0]) * from_side - f64::from(sigmas[1]) * length).exp(),
            );
        }
        // Water on glass returns what comes, from all around.
        let scene = towers([0.0; 2], [1.5, 1.33], flipped);
        for eye in [[6.0, 4.0, 5.0], [-5.0, 3.0, -7.0], [0.1, 0.2, 9.0]] {
            let mean = trace(&scene, &camera(eye, [0.0, 0.0, -0.5], 25.0), &options([16, 16], 64, 200))
                .film
                .picture_mean()
                .luminance;
            assert!((mean - 1.0).abs() < 2e-3, "{flipped} from {eye:?}: {mean}");
        }
    }
}

#[test]
fn bodies_in_each_other_bend_by_the_index_of_one_over_the_other() {
    let reflected = |a: f64, b: f64| ((a - b) / (a + b)).powi(2);
    let unlit = || Material::new("screen", Surface::Unlit { color: ColorInput::constant([1.0; 3]) });
    // A screen behind, and just as many bounces as a path takes that is not reflected.
    let seen = |bodies: &[(f32, [f32; 2], f32)], boundaries: u32| {
        let mut scene = Description::default();
        add(&mut scene, quad([-5.0, -5.0, -9.0], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0]), unlit());
        for &(ior, [from, to], sigma) in bodies {
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            add(&mut scene, block([0.0, 0.0, middle], [half; 3]), glass(ior, Some(sigma)));
        }
        trace(&scene, &along_z(9.0), &options([32, 32], 64, boundaries))
    };
    let (air_water, water_glass) = (1.0 - reflected(1.0, 1.33), 1.0 - reflected(1.33, 1.8));
    let in_water = seen(&[(1.8, [-1.0, 1.0], 0.0), (1.33, [-2.0, 2.0], 0.0)], 4);
    check(&in_water, (air_water * water_glass).powi(2));
    check(&seen(&[(1.33, [-1.0, 1.0], 0.0), (1.33, [-2.0, 2.0], 0.0)], 4), air_water.powi(2));
    // They overlap from -0.5 to 0.5: of the boundaries there the one that is met second is hidden.
    let air_glass = 1.0 - reflected(1.0, 1.8);
    let way = (-0.3 * 1.5 - 0.1 * 2.5f64).exp();
    let overlapping = seen(&[(1.8, [-2.0, 0.5], 0.1), (1.33, [-0.5, 2.0], 0.3)], 4);
    check(&overlapping, air_water * water_glass * air_glass * way);
}

#[test]
fn the_index_across_a_stated_boundary_is_what_the_surface_says() {
    let mut scene = Description::default();
    let milk = medium(&mut scene, [0.3; 3]);
    let screen = Material::new("screen", Surface::Unlit { color: ColorInput::constant([1.0; 3]) });
    add(&mut scene, quad([-5.0, -5.0, -9.0], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0]), screen);
    add(&mut scene, block([0.0; 3], [1.0; 3]), between(glass(1.8, None), milk, None));
    // A body around it, which has an index of its own.
    add(&mut scene, block([0.0; 3], [2.0; 3]), glass(1.33, Some(0.0)));
    let through = |eta: f64| (1.0 - ((eta - 1.0) / (eta + 1.0)).powi(2)).powi(2);
    let rendered = trace(&scene, &along_z(9.0), &options([32, 32], 64, 4));
    check(&rendered, through(1.8) * through(1.33) * (-0.3 * 2.0f64).exp());
}

#[test]
fn tea_is_the_same_whichever_way_its_surfaces_are_stated() {
    let inside = |scene: &mut Description, tea, material: Material| {
        add(scene, block([0.0; 3], [1.5, 1.5, 1.0]), between(material, tea, None));
    };
    let outside = |scene: &mut Description, tea, material: Material| {
        add(scene, turned(block([0.0; 3], [1.5, 1.5, 1.0])), between(material, None, tea));
    };
    let scene = |surface: &dyn Fn(&mut Description)| {
        let mut scene = under_a_white_sky();
        // A glass around it, which says nothing, a lump of sugar, and a lamp.
        add(&mut scene, block([0.0; 3], [2.0; 3]), body(None));
        add(&mut scene, block([0.3, 0.2, 0.1], [0.4; 3]), Material::diffuse("sugar", [0.8; 3]));
        add(&mut scene, quad([-0.5, 0.8, -0.5], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]), lamp(3.0));
        surface(&mut scene);
        trace(&scene, &camera([0.3, 0.2, 6.0], [0.0; 3], 30.0), &options([16, 16], 16, 8))
    };
    let closed = scene(&|s| _ = add(s, block([0.0; 3], [1.5, 1.5, 1.0]), body(Some(0.9))));
    let said = [
        scene(&|s| {
            let tea = medium(s, [0.9; 3]);
            inside(s, tea, body(None));
        }),
        scene(&|s| {
            let tea = medium(s, [0.9; 3]);
            outside(s, tea, body(None));
        }),
    ];
    let clear = scene(&|s| _ = add(s, block([0.0; 3], [1.5, 1.5, 1.0]), body(None)));
    assert!(closed.film.picture_mean().luminance < 0.8 * clear.film.picture_mean().luminance);
    for other in said {
        check_same(&closed, &other);
    }
    // Where there is no surface between tea and glass, shadow rays come through as well: the same both ways.
    let [a, b] = [
        scene(&|s| {
            let tea = medium(s, [0.9; 3]);
            inside(s, tea, nothing());
        }),
        scene(&|s| {
            let tea = medium(s, [0.9; 3]);
            outside(s, tea, nothing());
        }),
    ];
    check_same(&a, &b);
}
