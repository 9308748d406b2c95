//! What glass of different alphas loses: the table against its integrals.

use crate::bsdf::anisotropic_glass_data::ANISOTROPIC_GLASS_MEANS;
use crate::bsdf::loss_table::GlassLosses;
use crate::bsdf::tabulate::anisotropic_glass::{Place, mean_number};
use crate::bsdf::tabulate::loss::{POINTS, mean_of_anisotropic};

#[test]
fn what_anisotropic_glass_loses_is_its_integral() {
    let mut worst = [[(0.0f64, None); 2]; 2];
    for (i, dense) in (0..1500).flat_map(|i| [(i, false), (i, true)]) {
        let place = Place::random(i, dense);
        let error = f64::from(GlassLosses::new(place.alpha, place.n).at(dense, place.wo)) - place.exact(POINTS / 2);
        for (worst, error) in worst[usize::from(dense)].iter_mut().zip([-error, error]) {
            if error > worst.0 {
                *worst = (error, Some(place));
            }
        }
    }
    println!("anisotropic glass, too low and too high by: {worst:#?}");
    for (worst, most) in worst.as_flattened().iter().zip([0.016, 0.003, 0.025, 0.012]) {
        assert!(worst.0 < most, "{worst:?}");
    }
}

#[test]
fn the_means_of_anisotropic_glass_are_those_of_its_losses() {
    for at in [1, 38, 135, 355, 500, 647, 901, 1351] {
        let (got, want) = (ANISOTROPIC_GLASS_MEANS[at], mean_number(at));
        assert!(got.abs_diff(want) <= 2, "{at}: {got} for {want}");
    }
    // Between the nodes the error matters by the loss that it is multiplied by.
    let mut worst = [(0.0f64, None); 2];
    for i in 0..120 {
        let Place { alpha, n, .. } = Place::random(i, false);
        let losses = GlassLosses::new(alpha, n);
        for (dense, said) in [false, true].into_iter().zip(losses.means(n)) {
            let lost = |j: u32| losses.at(dense, Place { alpha, n, dense, ..Place::random(j, dense) }.wo);
            let most = (0..64).map(lost).fold(0.0, f32::max);
            let exact = mean_of_anisotropic(|w| losses.at(dense, w), alpha);
            let error = f64::from(most) * (exact / f64::from(said) - 1.0);
            for (worst, error) in worst.iter_mut().zip([-error, error]) {
                if error > worst.0 {
                    *worst = (error, Some((alpha, n, dense)));
                }
            }
        }
    }
    println!("means of anisotropic glass, of the light too little and too much by: {worst:?}");
    assert!(worst[0].0 < 1e-2 && worst[1].0 < 1e-2, "{worst:?}");
}
