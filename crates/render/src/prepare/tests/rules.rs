//! What `validate` says of scenes that were tampered with.

use super::*;
use crate::flat::ShadingRule;

/// Breaks a rule of a valid scene by `tamper`, and checks that `validate` reports just that.
#[track_caller]
fn broken(item: &str, rule: ShadingRule, tamper: impl FnOnce(&mut ShadingScene)) {
    let mut flat = flat(&rich());
    tamper(&mut flat);
    let found = flat.validate().expect_err("a broken rule goes unnoticed");
    assert_eq!((found.item.as_str(), found.rule), (item, rule));
}

#[test]
fn every_rule_of_surfaces_is_checked() {
    broken("inputs[0]", ShadingRule::Factor, |s| s.inputs[0].factor[1] = f32::NAN);
    broken("inputs[0]", ShadingRule::NoTexture, |s| s.inputs[0].source = 7);
    broken("inputs[0]", ShadingRule::NoChannel, |s| s.inputs[0].source = 6 << 28);
    broken("materials[0]", ShadingRule::NoKind, |s| s.materials[0].kind = 99);
    broken("materials[0]", ShadingRule::NoRemap, |s| s.materials[0].remap = 4);
    broken("materials[0]", ShadingRule::NoFlag, |s| s.materials[0].flags |= 1 << 30);
    broken("materials[0]", ShadingRule::NoInputs, |s| s.materials[0].first_input = u32::MAX);
    broken("materials[0]", ShadingRule::NoInput, |s| s.materials[0].emission = 1000);
    broken("materials[0]", ShadingRule::NoMedium, |s| s.materials[0].inside = 0);
    broken("materials[0]", ShadingRule::NoMedium, |s| s.materials[0].outside = 0);
    broken("materials[0]", ShadingRule::OutsideOfNoInterface, |s| {
        s.media.push(crate::flat::MediumRecord { absorption: [1.0; 3], ior: 0.0 });
        s.materials[0].outside = 0;
    });
    broken("media[0]", ShadingRule::Refraction, |s| {
        s.media.push(crate::flat::MediumRecord { absorption: [1.0; 3], ior: f32::NAN });
    });
    broken("media", ShadingRule::TooManyMedia, |s| {
        s.media = vec![crate::flat::MediumRecord { absorption: [1.0; 3], ior: 0.0 }; ShadingScene::MOST_MEDIA + 1];
    });
    broken("materials[0]", ShadingRule::Cutoff, |s| s.materials[0].cutoff = f32::INFINITY);
    broken("materials[0]", ShadingRule::Parts, |s| {
        s.materials[0].parts[0] = 0;
    });
    broken("materials[2]", ShadingRule::Parts, |s| {
        s.materials[2].parts[1] = 2;
    });
    broken("materials[1]", ShadingRule::LooksUnsaid, |s| s.materials[1].flags = 0);
    broken("materials[1]", ShadingRule::NormalMap, |s| {
        let input = s.materials[1].normal as usize;
        s.inputs[input].source = NONE;
    });
    broken("materials[0]", ShadingRule::Unused, |s| s.materials[0].unused[3] = 1);
    broken("all_opaque", ShadingRule::AllOpaque, |s| s.all_opaque = true);
    broken("media[0]", ShadingRule::Absorption, |s| {
        s.media.push(crate::flat::MediumRecord { absorption: [-1.0; 3], ior: 0.0 });
    });
}

#[test]
fn every_rule_of_textures_is_checked() {
    broken("texture_ops[0]", ShadingRule::NoKind, |s| s.texture_ops[0].kind = 6);
    broken("texture_ops[0]", ShadingRule::Value, |s| s.texture_ops[0].value[3] = f32::NAN);
    broken("texture_ops[0]", ShadingRule::Mapping, |s| s.texture_ops[0].rows[1][2] = f32::INFINITY);
    broken("texture_ops[0]", ShadingRule::NoTextureCoordinates, |s| s.texture_ops[0].uv_set = 2);
    broken("texture_ops[0]", ShadingRule::NoImage, |s| s.texture_ops[0].image = 1);
    broken("texture_ops[0]", ShadingRule::NoLookup, |s| s.texture_ops[0].lookup = 2);
    broken("texture_ops[0]", ShadingRule::NoWrapping, |s| s.texture_ops[0].wrap[1] = 4);
    broken("programs[0]", ShadingRule::NoSteps, |s| s.programs[0].end = 2);
    broken("programs[0]", ShadingRule::StackUnderflow, |s| s.texture_ops[0].kind = 4);
    broken("programs[0]", ShadingRule::StackRest, |s| {
        let op = s.texture_ops[0];
        s.texture_ops.push(op);
        s.programs[0].end = 2;
    });
    broken("programs[0]", ShadingRule::StackOverflow, |s| {
        s.texture_ops = vec![s.texture_ops[0]; 13];
        s.programs[0].end = 13;
    });
    broken("images[0]", ShadingRule::TexelCount, |s| s.images[0].size = [2, 3]);
}

#[test]
fn every_rule_of_triangles_is_checked() {
    broken("placements[1]", ShadingRule::PlacementBegin, |s| s.placements[1].first_triangle = 1);
    broken("placements[1]", ShadingRule::PlacementEnd, |s| s.placements[1].triangle_count = 1);
    broken("triangles[3]", ShadingRule::Corner, |s| s.triangles[3].corners[2][0] = f32::NAN);
    broken("triangles[0]", ShadingRule::NoMaterial, |s| s.triangles[0].material_and_flags = 3);
    broken("triangles[0]", ShadingRule::NoAttributes, |s| s.triangles[0].attributes = 3);
    broken("triangles[0]", ShadingRule::NoPlacement, |s| s.triangles[0].instance = 2);
    broken("triangles[0]", ShadingRule::OtherPlacement, |s| s.triangles[0].instance = 1);
    broken("triangles[0]", ShadingRule::NoLight, |s| s.triangles[0].light = 100);
    broken("triangles[0]", ShadingRule::OtherLight, |s| s.triangles[0].light = 1);
    broken("attributes[0]", ShadingRule::NoColors, |s| s.attributes[0].colors_and_flags = 9);
    broken("attributes[0]", ShadingRule::TextureCoordinates, |s| s.attributes[0].uv1[0][0] = f32::NAN);
    broken("colors[0]", ShadingRule::Number, |s| s.colors[0].corners[0][0] = f32::NAN);
}

#[test]
fn every_rule_of_lights_is_checked() {
    broken("lights[0]", ShadingRule::NoKind, |s| s.lights[0].kind = 8);
    broken("lights[0]", ShadingRule::Number, |s| s.lights[0].w[2] = f32::NAN);
    broken("lights[0]", ShadingRule::Density, |s| s.lights[0].value = -1.0);
    broken("lights[0]", ShadingRule::OtherMaterial, |s| s.lights[0].material = 0);
    broken("lights[0]", ShadingRule::NoMaterial, |s| s.lights[0].material = 3);
    broken("lights[0]", ShadingRule::NoTriangles, |s| s.lights[0].index = 4);
    broken("lights[1]", ShadingRule::NoTriangles, |s| s.lights[1].index = 3);
    broken("lights[1]", ShadingRule::OtherTriangle, |s| s.lights[1].index = 1);
    broken("lights[0]", ShadingRule::Place, |s| s.lights[0].u[0] += 0.5);
    broken("lights[1]", ShadingRule::Place, |s| s.triangles[3].corners[1][2] += 0.5);
    broken("lights[1]", ShadingRule::Holes, |s| {
        let mut ball = flat(&ball(1.0));
        (s.lights[1].kind, s.lights[1].index) = (LightKind::Sphere.tag(), 4);
        let triangle = crate::flat::TriangleRecord { light: 1, instance: 1, ..s.triangles[2] };
        s.triangles.extend(ball.triangles.drain(..).map(|_| triangle));
        s.triangles[2].light = NONE;
        s.triangles[3].light = NONE;
    });
    broken("lights[0]", ShadingRule::NoCell, |s| s.light_choice.truncate(1));
    broken("lights[2]", ShadingRule::NoEnvironment, |s| s.lights[2].index = 1);
    broken("lights[3]", ShadingRule::NoRamp, |s| {
        (s.lights[3].kind, s.lights[3].index) = (LightKind::Spot.tag(), 3);
    });
    broken("light_choice[0]", ShadingRule::NoLight, |s| s.light_choice[0].alias = 5);
    broken("light_choice[0]", ShadingRule::Share, |s| s.light_choice[0].own = 1.5);
    broken("environments[0]", ShadingRule::Radiance, |s| s.environments[0].radiance[0] = f32::NAN);
    broken("environments[0]", ShadingRule::RotationNotFinite, |s| s.environments[0].rows[0][0] = f32::NAN);
    for row in [[1.01, 0.0, 0.0], [1.0, 0.01, 0.0], [0.0; 3]] {
        broken("environments[0]", ShadingRule::RotationShears, |s| s.environments[0].rows[0] = row);
    }
    broken("environments[0]", ShadingRule::Unused, |s| s.environments[0].unused[0] = 1);
    broken("environments[0]", ShadingRule::Choice, |s| {
        s.environments[0].choice = 2.0;
    });
    broken("environments[0]", ShadingRule::NoImage, |s| s.environments[0].image = 1);
    broken("environments[0]", ShadingRule::NoTable, |s| s.environments[0].table = 1);
    broken("environments[0]", ShadingRule::TableOrder, |s| s.tables[1] = 2.0f32.to_bits());
    broken("environments[0]", ShadingRule::TableGuide, |s| *s.tables.last_mut().unwrap() += 1);
}

#[test]
fn materials_say_that_they_choose_just_where_they_do() {
    broken("materials[2]", ShadingRule::ChoosesUnsaid, |s| {
        s.materials[2].flags &= !MaterialFlags::CHOOSES;
    });
    broken("materials[0]", ShadingRule::ChoosesNothing, |s| s.materials[0].flags |= MaterialFlags::CHOOSES);
    // Metal and dielectric, with so much of it glass.
    let principled = |s: &mut ShadingScene, transmission: Input| {
        (s.materials[0].kind, s.materials[0].first_input) = (MaterialKind::Principled.tag(), s.inputs.len() as u32);
        s.inputs.extend([Input::constant([0.5; 3]); MaterialKind::Principled.input_count() as usize]);
        s.inputs[(s.materials[0].first_input + MaterialKind::TRANSMISSION) as usize] = transmission;
    };
    broken("materials[0]", ShadingRule::ChoosesUnsaid, |s| principled(s, Input::constant([0.1; 3])));
    broken("materials[0]", ShadingRule::ChoosesUnsaid, |s| {
        principled(s, Input::textured([-1.0; 3], 0, InputChannel::R));
        s.materials[0].flags |= MaterialFlags::LOOKS_AT_ATTRIBUTES;
    });
    broken("materials[0]", ShadingRule::ChoosesNothing, |s| {
        principled(s, Input::constant([0.0; 3]));
        s.materials[0].flags |= MaterialFlags::CHOOSES;
    });
}

#[test]
fn a_boundary_of_media_without_a_surface_is_a_hole_all_over() {
    let boundary = |s: &mut ShadingScene, alpha: f32| {
        (s.materials[0].kind, s.materials[0].flags) = (MaterialKind::Invisible.tag(), MaterialFlags::INTERFACE);
        s.materials[0].alpha = s.inputs.len() as u32;
        s.inputs.push(Input::constant([alpha, 0.0, 0.0]));
    };
    let mut good = flat(&rich());
    boundary(&mut good, 0.0);
    assert_eq!(good.validate(), Ok(()));
    let rule = ShadingRule::SolidBoundary;
    broken("materials[0]", rule, |s| boundary(s, 0.5));
    broken("materials[0]", rule, |s| {
        boundary(s, 0.0);
        s.materials[0].alpha = NONE;
    });
    // An alpha of 0 that reaches the cutoff.
    broken("materials[0]", rule, |s| {
        boundary(s, 0.0);
        s.materials[0].flags |= MaterialFlags::MASK;
    });
}

#[test]
fn directions_have_length_1() {
    let rule = ShadingRule::Direction;
    broken("lights[3]", rule, |s| (s.lights[3].kind, s.lights[3].u) = (LightKind::Spot.tag(), [0.0, 0.0, 0.99999]));
    broken("lights[4]", rule, |s| s.lights[4].u[2] *= 1.00001);
}

#[test]
fn lights_are_chosen_as_often_as_everything_says() {
    let rule = ShadingRule::Probability;
    broken("lights[0]", rule, |s| s.lights[0].value *= 1.0001);
    broken("lights[1]", rule, |s| s.lights[1].value = 0.0);
    broken("lights[3]", rule, |s| s.lights[3].value = 0.1);
    broken("environments[0]", rule, |s| s.environments[0].choice *= 0.9999);
    // Nothing is chosen, and the paths that meet a light are told another thing.
    broken("lights[0]", rule, |s| s.light_choice.clear());
    broken("lights[3]", ShadingRule::SharedEnvironment, |s| {
        (s.lights[3].kind, s.lights[3].index) = (LightKind::Environment.tag(), 0);
    });
    broken("environments[0]", ShadingRule::NotALight, |s| {
        (s.lights[2].kind, s.lights[2].index) = (LightKind::Point.tag(), 0);
    });
    broken("light_choice[0]", ShadingRule::AliasProbability, |s| {
        s.light_choice[0].alias_probability *= 1.0001;
    });
    broken("light_choice[0]", ShadingRule::ChosenOften, |s| {
        s.light_choice[0].own *= 0.99;
    });
}
