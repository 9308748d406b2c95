//! The albedo tables against their integrals.

use super::*;
use crate::bsdf::albedo_table::{AlbedoTable, CELLS};
use crate::bsdf::fresnel::schlick_weight;
use crate::bsdf::tabulate::albedo::{POINTS, TABLES, axis, integrate, mean};

#[test]
fn the_tables_are_what_their_integrals_give() {
    for (name, table, contribution) in TABLES {
        for (a, c) in [(1, 1), (2, 20), (8, 0), (8, 9), (11, 32), (19, 5), (20, 25), (27, 13), (32, 1), (32, 32)] {
            let stored = Vec2::from(table().nodes[a][c]);
            let exact = integrate(contribution, axis(a), axis(c), POINTS).as_vec2();
            assert!((stored - exact).abs().max_element() < 2e-5, "{name} {a} {c}: {stored} for {exact}");
        }
        for a in [0, 1, 9, 17, 32] {
            let stored = Vec2::from(table().means[a]);
            assert!((stored - mean(&table().nodes[a]).as_vec2()).abs().max_element() < 2e-5, "{name} {a}");
        }
    }
}

#[test]
fn the_tables_are_right_between_their_nodes() {
    for (name, table, contribution) in TABLES {
        let mut worst = [(0.0, 0.0, 0.0); 2];
        for a in 0..12 {
            let alpha = ((a as f32 + 0.53) / 12.0).powi(2).max(2e-3);
            for c in 0..16 {
                let cos = ((c as f32 + 0.57) / 16.0).powi(2);
                let exact = integrate(contribution, alpha, cos, 96).as_vec2();
                let error = (table().row(alpha).at(cos) - exact).abs().max_element();
                let place = &mut worst[usize::from(alpha < 0.01)];
                if error > place.0 {
                    *place = (error, alpha, cos);
                }
            }
        }
        println!("{name}: largest error, alpha, cosine: {worst:?}");
        assert!(worst[0].0 < 3e-3 && worst[1].0 < 2e-2, "{name}: {worst:?}");
    }
}

#[test]
fn a_smooth_lobe_reflects_what_schlick_says() {
    for (name, table, _) in TABLES {
        for cos in [0.1f32, 0.5, 1.0] {
            let (s, got) = (schlick_weight(cos), table().row(0.0).at(cos));
            assert!((got - Vec2::new(1.0 - s, s)).length() < 3e-3, "{name} {cos}: {got}");
        }
    }
}

#[test]
fn known_integrals_are_met() {
    // GGX with alpha 1 at normal incidence: scale + bias is 1 - ln 2 (see energy.rs).
    let both = Vec2::from(AlbedoTable::ggx().nodes[CELLS][CELLS]).element_sum();
    assert!((both - (1.0 - 2f32.ln())).abs() < 1e-4, "{both}");
}
