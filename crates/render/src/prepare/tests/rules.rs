//! What `validate` says of scenes that were tampered with.

use super::*;

/// Breaks a rule of a valid scene by `tamper`, and checks that `validate` reports just that.
#[track_caller]
fn broken(item: &str, message: &str, tamper: impl FnOnce(&mut ShadingScene)) {
    let mut flat = flat(&rich());
    tamper(&mut flat);
    let found = flat.validate().expect_err("a broken rule goes unnoticed");
    assert_eq!((found.item.as_str(), found.message), (item, message));
}

#[test]
fn every_rule_of_surfaces_is_checked() {
    broken("inputs[0]", "has a factor that is not finite", |s| s.inputs[0].factor[1] = f32::NAN);
    broken("inputs[0]", "names a texture that is not there", |s| s.inputs[0].source = 7);
    broken("inputs[0]", "names a channel that does not exist", |s| s.inputs[0].source = 6 << 28);
    broken("materials[0]", "is of a kind that does not exist", |s| s.materials[0].kind = 99);
    broken("materials[0]", "remaps roughness in a way that does not exist", |s| s.materials[0].remap = 4);
    broken("materials[0]", "has a flag that does not exist", |s| s.materials[0].flags |= 1 << 30);
    broken("materials[0]", "has inputs that are not there", |s| s.materials[0].first_input = u32::MAX);
    broken("materials[0]", "names an input that is not there", |s| s.materials[0].emission = 1000);
    broken("materials[0]", "names a medium that is not there", |s| s.materials[0].inside = 0);
    broken("materials[0]", "names a medium that is not there", |s| s.materials[0].outside = 0);
    broken("materials[0]", "has a medium outside and is no interface", |s| {
        s.media.push(crate::flat::MediumRecord { absorption: [1.0; 3], ior: 0.0 });
        s.materials[0].outside = 0;
    });
    broken("media[0]", "has an index of refraction that is negative or not finite", |s| {
        s.media.push(crate::flat::MediumRecord { absorption: [1.0; 3], ior: f32::NAN });
    });
    broken("media", "are more than a path can tell apart", |s| {
        s.media = vec![crate::flat::MediumRecord { absorption: [1.0; 3], ior: 0.0 }; ShadingScene::MOST_MEDIA + 1];
    });
    broken("materials[0]", "has a cutoff that is not finite", |s| s.materials[0].cutoff = f32::INFINITY);
    broken("materials[0]", "has parts that do not come before it, or should have none", |s| {
        s.materials[0].parts[0] = 0;
    });
    broken("materials[2]", "has parts that do not come before it, or should have none", |s| {
        s.materials[2].parts[1] = 2;
    });
    broken("materials[1]", "looks at attributes and does not say so", |s| s.materials[1].flags = 0);
    broken("materials[1]", "has a normal map without a texture", |s| {
        let input = s.materials[1].normal as usize;
        s.inputs[input].source = NONE;
    });
    broken("materials[0]", "has unused fields that are not zero", |s| s.materials[0].unused[3] = 1);
    broken("all_opaque", "says another thing than the materials", |s| s.all_opaque = true);
    broken("media[0]", "absorbs an amount that is negative or not finite", |s| {
        s.media.push(crate::flat::MediumRecord { absorption: [-1.0; 3], ior: 0.0 });
    });
}

#[test]
fn every_rule_of_textures_is_checked() {
    broken("texture_ops[0]", "is of a kind that does not exist", |s| s.texture_ops[0].kind = 6);
    broken("texture_ops[0]", "has a value that is not finite", |s| s.texture_ops[0].value[3] = f32::NAN);
    broken("texture_ops[0]", "has a mapping that is not finite", |s| s.texture_ops[0].rows[1][2] = f32::INFINITY);
    broken("texture_ops[0]", "names texture coordinates that do not exist", |s| s.texture_ops[0].uv_set = 2);
    broken("texture_ops[0]", "names an image that is not there", |s| s.texture_ops[0].image = 1);
    broken("texture_ops[0]", "is looked up in a way that does not exist", |s| s.texture_ops[0].lookup = 2);
    broken("texture_ops[0]", "wraps in a way that does not exist", |s| s.texture_ops[0].wrap[1] = 4);
    broken("programs[0]", "has steps that are not there", |s| s.programs[0].end = 2);
    broken("programs[0]", "takes values that were not pushed", |s| s.texture_ops[0].kind = 4);
    broken("programs[0]", "leaves more than one value", |s| {
        let op = s.texture_ops[0];
        s.texture_ops.push(op);
        s.programs[0].end = 2;
    });
    broken("programs[0]", "holds more values than the stack", |s| {
        s.texture_ops = vec![s.texture_ops[0]; 13];
        s.programs[0].end = 13;
    });
    broken("images[0]", "has another number of texels than its size says", |s| s.images[0].size = [2, 3]);
}

#[test]
fn every_rule_of_triangles_is_checked() {
    broken("placements[1]", "does not begin where the one before it ends", |s| s.placements[1].first_triangle = 1);
    broken("placements[1]", "does not end with the triangles", |s| s.placements[1].triangle_count = 1);
    broken("triangles[3]", "has a corner that is not finite", |s| s.triangles[3].corners[2][0] = f32::NAN);
    broken("triangles[0]", "names a material that is not there", |s| s.triangles[0].material_and_flags = 3);
    broken("triangles[0]", "names attributes that are not there", |s| s.triangles[0].attributes = 3);
    broken("triangles[0]", "names a placement that is not there", |s| s.triangles[0].instance = 2);
    broken("triangles[0]", "names a placement that it is not in", |s| s.triangles[0].instance = 1);
    broken("triangles[0]", "names a light that is not there", |s| s.triangles[0].light = 100);
    broken("triangles[0]", "names a light that is another's", |s| s.triangles[0].light = 1);
    broken("attributes[0]", "names colours that are not there", |s| s.attributes[0].colors_and_flags = 9);
    broken("attributes[0]", "has texture coordinates that are not finite", |s| s.attributes[0].uv1[0][0] = f32::NAN);
    broken("colors[0]", "has a number that is not finite", |s| s.colors[0].corners[0][0] = f32::NAN);
}

#[test]
fn every_rule_of_lights_is_checked() {
    broken("lights[0]", "is of a kind that does not exist", |s| s.lights[0].kind = 8);
    broken("lights[0]", "has a number that is not finite", |s| s.lights[0].w[2] = f32::NAN);
    broken("lights[0]", "has a density that is negative or not finite", |s| s.lights[0].value = -1.0);
    broken("lights[0]", "has another material than its triangles", |s| s.lights[0].material = 0);
    broken("lights[0]", "names a material that is not there", |s| s.lights[0].material = 3);
    broken("lights[0]", "names triangles that are not there", |s| s.lights[0].index = 4);
    broken("lights[1]", "names triangles that are not there", |s| s.lights[1].index = 3);
    broken("lights[1]", "names a triangle that is another light", |s| s.lights[1].index = 1);
    broken("lights[0]", "is not where its triangles are", |s| s.lights[0].u[0] += 0.5);
    broken("lights[1]", "is not where its triangles are", |s| s.triangles[3].corners[1][2] += 0.5);
    broken("lights[1]", "has holes, through which its other side would show", |s| {
        let mut ball = flat(&ball(1.0));
        (s.lights[1].kind, s.lights[1].index) = (LightKind::Sphere.tag(), 4);
        let triangle = crate::flat::TriangleRecord { light: 1, instance: 1, ..s.triangles[2] };
        s.triangles.extend(ball.triangles.drain(..).map(|_| triangle));
        s.triangles[2].light = NONE;
        s.triangles[3].light = NONE;
    });
    broken("lights[0]", "has no cell in the choice, though others have", |s| s.light_choice.truncate(1));
    broken("lights[2]", "names an environment that is not there", |s| s.lights[2].index = 1);
    broken("lights[3]", "falls off in a way that does not exist", |s| {
        (s.lights[3].kind, s.lights[3].index) = (LightKind::Spot.tag(), 3);
    });
    broken("light_choice[0]", "names a light that is not there", |s| s.light_choice[0].alias = 5);
    broken("light_choice[0]", "has a share that is not from 0 to 1", |s| s.light_choice[0].own = 1.5);
    broken("environments[0]", "has a radiance that is not finite", |s| s.environments[0].radiance[0] = f32::NAN);
    broken("environments[0]", "has a rotation that is not finite", |s| s.environments[0].rows[0][0] = f32::NAN);
    for row in [[1.01, 0.0, 0.0], [1.0, 0.01, 0.0], [0.0; 3]] {
        broken("environments[0]", "has a rotation that stretches or shears", |s| s.environments[0].rows[0] = row);
    }
    broken("environments[0]", "has unused fields that are not zero", |s| s.environments[0].unused[0] = 1);
    broken("environments[0]", "is chosen with a probability that is not from 0 to 1", |s| {
        s.environments[0].choice = 2.0;
    });
    broken("environments[0]", "names an image that is not there", |s| s.environments[0].image = 1);
    broken("environments[0]", "has a table that is not there", |s| s.environments[0].table = 1);
    broken("environments[0]", "has a table that does not rise from 0 to 1", |s| s.tables[1] = 2.0f32.to_bits());
    broken("environments[0]", "has a table with the guide of another", |s| *s.tables.last_mut().unwrap() += 1);
}

#[test]
fn materials_say_that_they_choose_just_where_they_do() {
    broken("materials[2]", "chooses between parts and does not say so", |s| {
        s.materials[2].flags &= !MaterialFlags::CHOOSES;
    });
    broken("materials[0]", "says that it chooses and has no parts", |s| s.materials[0].flags |= MaterialFlags::CHOOSES);
    // Metal and dielectric, with so much of it glass.
    let principled = |s: &mut ShadingScene, transmission: Input| {
        (s.materials[0].kind, s.materials[0].first_input) = (MaterialKind::Principled.tag(), s.inputs.len() as u32);
        s.inputs.extend([Input::constant([0.5; 3]); MaterialKind::Principled.input_count() as usize]);
        s.inputs[(s.materials[0].first_input + MaterialKind::TRANSMISSION) as usize] = transmission;
    };
    broken("materials[0]", "chooses between parts and does not say so", |s| principled(s, Input::constant([0.1; 3])));
    broken("materials[0]", "chooses between parts and does not say so", |s| {
        principled(s, Input::textured([-1.0; 3], 0, InputChannel::R));
        s.materials[0].flags |= MaterialFlags::LOOKS_AT_ATTRIBUTES;
    });
    broken("materials[0]", "says that it chooses and has no parts", |s| {
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
    let message = "bounds media without a surface and is no hole all over";
    broken("materials[0]", message, |s| boundary(s, 0.5));
    broken("materials[0]", message, |s| {
        boundary(s, 0.0);
        s.materials[0].alpha = NONE;
    });
    // An alpha of 0 that reaches the cutoff.
    broken("materials[0]", message, |s| {
        boundary(s, 0.0);
        s.materials[0].flags |= MaterialFlags::MASK;
    });
}

#[test]
fn directions_have_length_1() {
    let message = "has a direction whose length is not 1";
    broken("lights[3]", message, |s| (s.lights[3].kind, s.lights[3].u) = (LightKind::Spot.tag(), [0.0, 0.0, 0.99999]));
    broken("lights[4]", message, |s| s.lights[4].u[2] *= 1.00001);
}

#[test]
fn lights_are_chosen_as_often_as_everything_says() {
    let message = "has another probability than the choice gives it";
    broken("lights[0]", message, |s| s.lights[0].value *= 1.0001);
    broken("lights[1]", message, |s| s.lights[1].value = 0.0);
    broken("lights[3]", message, |s| s.lights[3].value = 0.1);
    broken("environments[0]", message, |s| s.environments[0].choice *= 0.9999);
    // Nothing is chosen, and the paths that meet a light are told another thing.
    broken("lights[0]", message, |s| s.light_choice.clear());
    broken("lights[3]", "names an environment that is another light", |s| {
        (s.lights[3].kind, s.lights[3].index) = (LightKind::Environment.tag(), 0);
    });
    broken("environments[0]", "is no light", |s| (s.lights[2].kind, s.lights[2].index) = (LightKind::Point.tag(), 0));
    broken("light_choice[0]", "gives its alias another probability than the alias has", |s| {
        s.light_choice[0].alias_probability *= 1.0001;
    });
    broken("light_choice[0]", "is chosen more often or less often than its probability says", |s| {
        s.light_choice[0].own *= 0.99;
    });
}
