//! Cameras, and the scene that integrators, samplers and filters are shown with.

use crate::stage::{Stage, UPRIGHT, ahead, at, floor};
use raywarp::scene::{Camera, ColorInput, Description, FovAxis, Projection, Roughness, Surface};

/// Balls of four materials one behind the other on a checked floor, some way off the axis.
pub fn alley() -> Stage {
    let mut stage = Stage::default();
    let checks = stage.checks([[0.7, 0.65, 0.6], [0.15, 0.18, 0.2]], [8.0, 16.0]);
    let ground = stage.diffuse(checks);
    stage.panel(floor(0.0, 2.0, 3.0, -5.0), ground);
    let red = stage.diffuse([0.7, 0.2, 0.1]);
    let metal = stage.material(Surface::Conductor {
        eta: ColorInput::constant([0.18, 0.54, 1.37]),
        k: ColorInput::constant([3.43, 2.29, 1.77]),
        roughness: Roughness::isotropic(0.1),
    });
    let glass = stage.material(Surface::Dielectric {
        ior: 1.5,
        roughness: Roughness::SMOOTH,
        reflectance: ColorInput::constant([1.0; 3]),
        transmittance: ColorInput::constant([1.0; 3]),
        thin: false,
        absorption: None,
    });
    stage.ball(at([-0.7, 0.4, 1.6], [0.4; 3]), glass);
    stage.ball(at([0.5, 0.5, 0.2], [0.5; 3]), red);
    stage.ball(at([-0.6, 0.5, -1.6], [0.5; 3]), metal);
    stage.ball(at([0.9, 0.5, -3.6], [0.5; 3]), red);
    stage.daylight();
    stage
}

pub fn camera() -> Camera {
    let mut camera = ahead([0.0, 1.7, 6.0], 26.0);
    (camera.up, camera.forward) = ([0.0, 0.98, -0.198_997_5], [0.0, -0.198_997_5, -0.98]);
    camera
}

pub fn pinhole() -> Description {
    alley().seen_from(camera())
}

/// Focus on the red ball in the middle.
pub fn lens() -> Description {
    alley().seen_from(Camera { lens_radius: 0.25, focal_distance: 5.6, ..camera() })
}

/// Parallel rays; left and right are swapped, as pbrt's `Scale -1 1 1` does.
pub fn orthographic() -> Description {
    let projection = Projection::Orthographic { half_height: 1.5 };
    alley().seen_from(Camera { projection, right: [-1.0, 0.0, 0.0], ..camera() })
}

/// An angle across the shorter side of a picture that is higher than wide.
pub fn upright() -> Description {
    let projection = Projection::Perspective { fov: 26.0, axis: FovAxis::Shorter };
    alley().seen_from(Camera { projection, ..camera() })
}

/// Before nothing: what a transparent picture is of.
pub fn cut_out() -> Description {
    let mut stage = Stage::default();
    let red = stage.diffuse([0.7, 0.2, 0.1]);
    let thin = stage.material(Surface::Dielectric {
        ior: 1.5,
        roughness: Roughness::SMOOTH,
        reflectance: ColorInput::constant([1.0; 3]),
        transmittance: ColorInput::constant([0.9; 3]),
        thin: true,
        absorption: None,
    });
    stage.ball(at([-0.55, 0.0, 0.0], [0.5; 3]), red);
    stage.ball(at([0.55, 0.0, 0.2], [0.5; 3]), thin);
    stage.sky([0.8; 3], UPRIGHT);
    stage.seen_from(ahead([0.0, 0.0, 8.0], 12.0))
}

/// What gets a studio or a sky, and is framed.
pub fn no_light() -> Description {
    let mut stage = Stage::default();
    let grey = stage.diffuse([0.7; 3]);
    stage.ball(at([0.0, 1.0, 0.0], [1.0; 3]), grey);
    stage.ball(at([0.0, 2.4, 0.0], [0.5; 3]), grey);
    stage.panel(floor(0.0, 1.3, 1.3, -1.3), grey);
    stage.scene
}
