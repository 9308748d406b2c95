//! What single scattering loses: the tables against their integrals.

use super::*;
use crate::bsdf::coat_table::{COAT_MEAN_NUMBERS, CoatLoss};
use crate::bsdf::loss_data::{
    ANISOTROPIC, ANISOTROPIC_MEANS, COAT, COAT_MEANS, GLASS, GLASS_MEANS, WHITE, WHITE_MEANS,
};
use crate::bsdf::loss_table::{
    GLASS_NODES, Glass, MEAN_NODES, MOST_ANISOTROPY, SCALE, WHITE_NODES, White, WhiteLosses,
};
use crate::bsdf::tabulate::loss::*;

#[test]
fn the_losses_are_what_their_integrals_give() {
    let unit = 1.5 * f64::from(SCALE);
    for (a, t) in [(0, 0), (0, 13), (3, 20), (9, 1), (12, 24), (20, 7), (24, 0), (24, 24)] {
        let want = white_at(a as f64 / (WHITE_NODES - 1) as f64, t as f64 / (WHITE_NODES - 1) as f64);
        let got = f64::from(WHITE[a * WHITE_NODES + t]) * f64::from(SCALE);
        assert!((got - want).abs() < unit, "white {a} {t}: {got} for {want}");
    }
    for (side, node) in [(0, [0, 0, 3]), (0, [4, 7, 9]), (0, [15, 15, 15]), (1, [1, 3, 8]), (1, [8, 12, 2])] {
        let want = glass_node(side, node, &glass_value);
        let [i, a, t] = node;
        let got = f64::from(GLASS[((side * GLASS_NODES + i) * GLASS_NODES + a) * GLASS_NODES + t]) * f64::from(SCALE);
        assert!((got - want).abs() < unit, "glass {side} {node:?}: {got} for {want}");
    }
}

#[test]
fn what_anisotropic_facets_lose_is_their_integral() {
    for node in [0, 200, 461, 650, 803, 1111, 1259] {
        let (got, want) = (ANISOTROPIC[node], anisotropic_node(node));
        assert!(got.abs_diff(want) <= 2, "{node}: {got} for {want}");
    }
    for node in [1, 9, 17, 33] {
        let (got, want) = (2.0 * f64::from(ANISOTROPIC_MEANS[node]) * f64::from(SCALE), anisotropic_mean(node));
        assert!((got - want).abs() < 4e-4, "{node}: mean {got} for {want}");
    }
    let mut worst = [(0.0f64, Vec2::ZERO, Vec3::ZERO); 2];
    for i in 0..600 {
        let (v, u) = numbers(i);
        let (_, [azimuth, ratio]) = numbers(i + 1000);
        let most = (v * v).max(2e-3);
        let alpha = Vec2::new(most, most * (1.0 - MOST_ANISOTROPY * ratio));
        let cos = (u[0] * u[0]).max(1e-5);
        let wo = direction(f64::from(cos).acos().to_degrees(), 90.0 * f64::from(azimuth));
        let error = f64::from(WhiteLosses::new(alpha).at(wo)) - exact_anisotropic(alpha, wo, None, POINTS / 2);
        for (i, error) in [-error, error].into_iter().enumerate() {
            if error > worst[i].0 {
                worst[i] = (error, alpha, wo);
            }
        }
    }
    println!("anisotropic facets, too low and too high by: {worst:?}");
    assert!(worst[0].0 < 0.015 && worst[1].0 < 4e-3, "{worst:?}");
}

#[test]
fn what_a_coat_loses_of_its_base_is_its_integral() {
    for at in [0, 100, 350, 777, 1535] {
        let (got, want) = (f64::from(COAT[at]) * f64::from(SCALE), coat_node(at));
        assert!((got - want).abs() < 1.5 * f64::from(SCALE), "{at}: {got} for {want}");
    }
    let mut worst = [0.0f64; 2];
    for i in 0..400 {
        let (v, u) = numbers(i);
        let place = [v, u[0], u[1]].map(f64::from);
        let error = f64::from(CoatLoss::new(u[0] * u[0], v * v).at(u[1])) - coat_at(place);
        worst = [worst[0].min(error), worst[1].max(error)];
    }
    println!("a coat's loss, too low and too high by: {worst:?}");
    assert!(worst[0] > -1e-2 && worst[1] < 3e-3, "{worst:?}");
}

#[test]
fn the_means_beneath_a_coat_are_their_integrals() {
    for node in [0, 5, 31, 48, 77, 95] {
        for (i, want) in coat_means(node).into_iter().enumerate() {
            let got = f64::from(COAT_MEANS[node * COAT_MEAN_NUMBERS + i]) * f64::from(SCALE);
            assert!((got - want).abs() < 1.5 * f64::from(SCALE), "{node} {i}: {got} for {want}");
        }
    }
}

#[test]
fn the_means_are_those_of_the_losses() {
    for m in 0..MEAN_NODES {
        let (got, want) = (f64::from(WHITE_MEANS[m]), white_mean(m));
        assert!((got - want).abs() < 2e-4 * (1.0 + want), "white {m}: {got} for {want}");
        for (side, i) in [(0, m % GLASS_NODES), (1, (7 * m + 3) % GLASS_NODES)] {
            let got = f64::from(GLASS_MEANS[(side * GLASS_NODES + i) * MEAN_NODES + m]);
            let want = glass_mean(side, i, m);
            assert!((got - want).abs() < 2e-4 * (1.0 + want), "glass {side} {i} {m}: {got} for {want}");
        }
    }
    // Between the nodes the error matters by the loss that it is multiplied by.
    let mut worst = [0.0f64; 2];
    for i in 0..300 {
        let (_, u) = numbers(i);
        let alpha = alpha_at(f64::from(u[0]));
        let n = 1.02 + 3.0 * u[1] * u[1];
        let (white, glass) = (White::new(alpha), Glass::new(alpha, n));
        let mut see = |loss: &dyn Fn(f32) -> f32, said: f32| {
            let most = (0..=32).map(|t| loss(cos_at(f64::from(t) / 32.0, alpha))).fold(0.0, f32::max);
            let exact = mean(loss, alpha) * f64::from(alpha * alpha);
            let error = f64::from(most) * (exact / f64::from(said) - 1.0);
            worst = [worst[0].min(error), worst[1].max(error)];
        };
        see(&|cos| white.at(cos, alpha), white.mean);
        let [thinner, denser] = glass.means(alpha);
        see(&|cos| glass.at(false, cos, alpha), thinner);
        see(&|cos| glass.at(true, cos, alpha), denser);
    }
    println!("means: at most {worst:?} of the light");
    assert!(worst[0] > -1e-2 && worst[1] < 4e-3, "{worst:?}");
}

#[test]
fn the_losses_are_right_between_their_nodes() {
    let mut worst = [(0.0f64, [0.0f32; 3]); 4];
    let mut see = |place: usize, error: f64, at: [f32; 3]| {
        for (i, error) in [(place, -error), (place + 1, error)] {
            if error > worst[i].0 {
                worst[i] = (error, at);
            }
        }
    };
    for i in 0..1500 {
        let (v, u) = numbers(i);
        let alpha = if i % 3 == 0 { 1e-4f32.max(v * v * v * v) } else { v.max(1e-4) };
        let cos = if i % 2 == 0 { u[0] } else { u[0] * u[0] * u[0] };
        let n = index_at(f64::from(u[1]));
        see(0, f64::from(White::new(alpha).at(cos, alpha)) - exact(alpha, cos, None), [alpha, cos, 0.0]);
        for dense in [false, true] {
            let eta = if dense { 1.0 / n } else { n };
            let error = f64::from(Glass::new(alpha, n).at(dense, cos, alpha)) - exact(alpha, cos, Some(eta));
            see(2, error, [alpha, cos, eta]);
        }
    }
    println!("too low and too high by, at alpha, cosine, index: {worst:?}");
    assert!(worst[0].0 < 2e-3 && worst[1].0 < 2e-3, "white: {:?}", &worst[..2]);
    assert!(worst[2].0 < 0.019 && worst[3].0 < 2e-3, "glass: {:?}", &worst[2..]);
}
