//! Every kind of light, on a floor, a wall and two balls.

use crate::stage::{Stage, UPRIGHT, ahead, at, floor};
use raywarp::Affine;
use raywarp::scene::{Camera, ColorInput, Description, Light, Material, Roughness, SpotFalloff, Surface};

fn camera() -> Camera {
    let mut camera = ahead([0.0, 1.9, 6.2], 26.0);
    (camera.up, camera.forward) = ([0.0, 0.98, -0.198_997_5], [0.0, -0.198_997_5, -0.98]);
    camera
}

/// A grey floor and wall, a white ball and a shiny one.
fn room() -> Stage {
    let mut stage = Stage::default();
    let grey = stage.diffuse([0.6; 3]);
    stage.panel(floor(0.0, 3.0, 4.0, -1.5), grey);
    stage.panel(at([0.0, 1.5, -1.5], [3.0, 1.5, 1.0]), grey);
    let white = stage.diffuse([0.8; 3]);
    stage.ball(at([-0.7, 0.5, 0.0], [0.5; 3]), white);
    let coat = stage.material(Surface::Coated {
        diffuse: ColorInput::constant([0.1, 0.25, 0.4]),
        specular: ColorInput::constant([0.2; 3]),
        roughness: Roughness::isotropic(0.15),
    });
    stage.ball(at([0.7, 0.5, 0.3], [0.5; 3]), coat);
    stage
}

fn lit(lights: impl IntoIterator<Item = Light>) -> Description {
    let mut stage = room();
    stage.scene.lights.extend(lights);
    stage.seen_from(camera())
}

/// A panel that shines to one side and one that shines to both.
pub fn panels() -> Description {
    let mut stage = room();
    let one = stage.light_material(ColorInput::constant([9.0, 5.0, 3.0]), false);
    let both = stage.light_material(ColorInput::constant([2.0, 4.0, 8.0]), true);
    stage.panel(Affine { rows: [[0.0, 0.0, 1.0, -1.6], [0.0, 0.4, 0.0, 1.3], [-0.4, 0.0, 0.0, -0.4]] }, one);
    stage.panel(Affine { rows: [[0.0, 0.0, 1.0, 1.5], [0.0, 0.3, 0.0, 1.5], [-0.3, 0.0, 0.0, -0.8]] }, both);
    stage.seen_from(camera())
}

/// A screen whose image lights the floor.
pub fn screen() -> Description {
    let mut stage = room();
    let letter = stage.letter(false);
    let texture = stage.image_texture(letter, 1.0);
    let screen = stage.light_material(ColorInput { factor: [6.0; 3], texture: Some(texture) }, false);
    stage.panel(at([0.0, 1.1, -1.2], [0.9, 0.9, 1.0]), screen);
    stage.seen_from(camera())
}

pub fn points() -> Description {
    let point = |position, intensity| Light::Point { position, intensity };
    lit([point([-1.5, 2.2, 1.0], [6.0, 4.0, 2.0]), point([0.1, 0.3, 0.9], [0.2, 0.3, 0.6])])
}

/// The three ways from a spot's inner to its outer cone, side by side.
pub fn spots() -> Description {
    let falloffs = [SpotFalloff::Gltf, SpotFalloff::Pbrt3, SpotFalloff::Pbrt4];
    let spots = falloffs.into_iter().enumerate().map(|(i, falloff)| Light::Spot {
        position: [1.1 * i as f32 - 1.1, 1.4, 2.0],
        direction: [0.0, 0.0, -1.0],
        intensity: [20.0, 18.0, 15.0],
        cos_inner: 0.997,
        cos_outer: 0.975,
        falloff,
    });
    lit(spots)
}

pub fn suns() -> Description {
    let sun = |direction, irradiance| Light::Directional { direction, irradiance };
    lit([sun([0.48, -0.6, -0.64], [3.0, 2.6, 2.0]), sun([-0.6, -0.64, -0.48], [0.2, 0.3, 0.8])])
}

pub fn even_sky() -> Description {
    lit([Light::uniform_environment([0.9, 1.0, 1.1])])
}

/// A sky behind mirrors: what direction shows what is to be seen.
fn mirrored_sky(world_to_map: [[f32; 3]; 3]) -> Description {
    let mut stage = Stage::default();
    let mirror = stage.material(Surface::Mirror { reflectance: ColorInput::constant([0.95; 3]) });
    let white = stage.diffuse([0.8; 3]);
    stage.ball(at([-0.6, 0.6, 0.0], [0.58; 3]), mirror);
    stage.ball(at([0.6, 0.6, 0.0], [0.58; 3]), white);
    stage.panel(floor(0.0, 1.4, 1.0, -1.0), white);
    stage.sky([0.8; 3], world_to_map);
    stage.seen_from(camera())
}

pub fn sky() -> Description {
    mirrored_sky(UPRIGHT)
}

/// Turned about the vertical and mirrored.
pub fn turned_sky() -> Description {
    mirrored_sky([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [0.8, 0.0, -0.6]])
}

/// Two kinds of light at once, one seen in a mirror and through glass.
pub fn together() -> Description {
    let mut stage = room();
    let mirror = Material::new("", Surface::Mirror { reflectance: ColorInput::constant([0.9; 3]) });
    let mirror = stage.scene.add_material(mirror);
    stage.ball(at([0.0, 0.3, 1.2], [0.3; 3]), mirror);
    let lamp = stage.light_material(ColorInput::constant([8.0, 6.0, 4.0]), false);
    stage.ball(at([-1.8, 2.0, -0.5], [0.25; 3]), lamp);
    stage.scene.lights.push(Light::Point { position: [1.6, 1.8, 1.0], intensity: [1.5, 2.0, 3.0] });
    stage.scene.lights.push(Light::uniform_environment([0.1; 3]));
    stage.seen_from(camera())
}
