//! The hierarchy, instances, cameras and lights.

use super::*;
use crate::{FovAxis, Light, Projection, SpotFalloff};
use raywarp_geom::Affine;

#[track_caller]
fn near(a: [f32; 3], b: [f32; 3]) {
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?}, not {b:?}");
}

/// Returns the world positions of the object's origin and of (1, 0, 0) and (0, 1, 0), for each instance.
fn placed(scene: &Description) -> Vec<[[f32; 3]; 3]> {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    scene.instances.iter().map(|i| corners.map(|p| i.transform.point(p))).collect()
}

#[test]
fn transforms_compose_down_the_hierarchy() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let scene = clean(&triangle(json!({"scenes": [{"nodes": [2]}], "nodes": [
        {"mesh": 0, "scale": [2, 3, 4]},
        {"children": [0], "rotation": [0, 0, half, half]},
        {"children": [1], "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]},
    ]})));
    let [origin, x, y] = placed(&scene)[0];
    near(origin, [5.0, 6.0, 7.0]);
    near(x, [5.0, 8.0, 7.0]);
    near(y, [2.0, 6.0, 7.0]);
}

#[test]
fn a_mesh_used_twice_is_read_once_and_may_be_mirrored() {
    let scene = clean(&triangle(json!({"scenes": [{"nodes": [0, 1]}], "nodes": [
        {"mesh": 0}, {"mesh": 0, "scale": [-1, 1, 1]}]})));
    assert_eq!((scene.meshes.len(), scene.instances.len(), scene.triangle_count()), (1, 2, 2));
    assert!(scene.instances[1].transform.determinant() < 0.0);
    near(placed(&scene)[1][1], [-1.0, 0.0, 0.0]);
}

#[test]
fn the_default_scene_is_shown_else_the_first_else_every_root() {
    let nodes =
        json!([{"mesh": 0, "translation": [1, 0, 0]}, {"mesh": 0, "translation": [2, 0, 0]}, {"children": [0]}]);
    let shown = |more: Value| {
        let mut document = triangle(json!({"nodes": &nodes}));
        document.as_object_mut().unwrap().retain(|key, _| key != "scene" && key != "scenes");
        document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        placed(&clean(&document)).iter().map(|p| p[0][0]).collect::<Vec<_>>()
    };
    let scenes = json!([{"nodes": [0]}, {"nodes": [1]}]);
    assert_eq!(shown(json!({"scenes": &scenes, "scene": 1})), [2.0]);
    assert_eq!(shown(json!({"scenes": &scenes})), [1.0]);
    assert_eq!(shown(json!({})), [2.0, 1.0]);
}

#[test]
fn cycles_and_shared_children_are_errors_that_name_the_node() {
    for nodes in [
        json!([{"children": [0]}]),
        json!([{"children": [1]}, {"children": [0]}]),
        json!([{"children": [1, 1]}, {"mesh": 0}]),
        json!([{"children": [1, 2]}, {"children": [2]}, {}]),
    ] {
        let (item, found) = fault(import(&triangle(json!({"nodes": &nodes}))));
        assert!(item.starts_with("nodes[") && matches!(found, GltfFault::ReachedTwice { .. }), "{item}: {found}");
    }
    let mut document = triangle(json!({"nodes": [{"children": [0]}]}));
    document.as_object_mut().unwrap().retain(|key, _| key != "scene" && key != "scenes");
    assert_eq!(fault(import(&document)), ("nodes".into(), GltfFault::NoRoot));
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_is_followed() {
    let last = 100_000;
    let mut nodes: Vec<Value> = (0..last).map(|i| json!({"children": [i + 1], "translation": [1, 0, 0]})).collect();
    nodes.push(json!({"mesh": 0}));
    let scene = clean(&triangle(json!({"nodes": nodes})));
    near(placed(&scene)[0][0], [100_000.0, 0.0, 0.0]);
}

#[test]
fn hidden_nodes_hide_what_is_below_them() {
    let hidden = json!({"KHR_node_visibility": {"visible": false}});
    let nodes = json!([{"extensions": hidden, "children": [1]}, {"mesh": 0}]);
    assert!(clean(&triangle(json!({"nodes": nodes}))).instances.is_empty());
}

#[test]
fn gpu_instances_are_placed_inside_their_node() {
    let mut b = Builder::new();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    b.floats("VEC3", 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let turn: Vec<u8> = [0_i16, 0, 0, 32767, 0, 0, 23170, 23170].iter().flat_map(|v| v.to_le_bytes()).collect();
    b.accessor(&turn, json!({"componentType": 5122, "normalized": true, "count": 2, "type": "VEC4"}));
    b.floats("VEC3", 3, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    let mut document = b.with(json!({
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0, "translation": [10, 0, 0], "extensions": {"EXT_mesh_gpu_instancing":
            {"attributes": {"TRANSLATION": 1, "ROTATION": 2, "SCALE": 3, "_ID": 0}}}}]}));
    let scene = clean(&document);
    assert_eq!((scene.meshes.len(), scene.instances.len()), (1, 2));
    let [first, second] = placed(&scene)[..] else { panic!() };
    near(first[1], [12.0, 2.0, 3.0]);
    // Scaled by 2, turned by 90 degrees about z, then moved.
    let want = Affine::translation([14.0, 5.0, 6.0]).after(&Affine::rotation(90.0, [0.0, 0.0, 1.0]));
    let got = second[1];
    assert!((0..3).all(|i| (got[i] - want.point([2.0, 0.0, 0.0])[i]).abs() < 1e-3), "{got:?}");
    document["accessors"][3]["count"] = json!(1);
    assert_eq!(fault(import(&document)).1, GltfFault::InstanceCounts { counts: vec![2, 2, 1] });
}

#[test]
fn cameras_look_along_minus_z_of_their_node() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let scene = clean(&triangle(json!({"scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"camera": 0, "translation": [1, 2, 3], "rotation": [0, half, 0, half], "scale": [2, 2, 2]},
            {"camera": 1, "name": "top", "scale": [-1, 1, 1]}],
        "cameras": [
            {"type": "perspective", "name": "eye", "perspective": {"yfov": 1.0, "aspectRatio": 2, "znear": 0.1}},
            {"type": "orthographic", "orthographic": {"xmag": 4, "ymag": 3, "znear": 0, "zfar": 9}}]})));
    let [eye, top] = &scene.cameras[..] else { panic!() };
    assert_eq!((eye.name.as_str(), top.name.as_str()), ("eye", "top"));
    near(eye.eye, [1.0, 2.0, 3.0]);
    near(eye.forward, [-1.0, 0.0, 0.0]);
    near(eye.up, [0.0, 1.0, 0.0]);
    near(eye.right, [0.0, 0.0, -1.0]);
    assert_eq!(eye.projection, Projection::Perspective { fov: 1.0_f32.to_degrees(), axis: FovAxis::Vertical });
    assert_eq!(top.projection, Projection::Orthographic { half_height: 3.0 });
    near(top.right, [-1.0, 0.0, 0.0]);
    assert_eq!((eye.aspect, top.aspect), (Some(2.0), Some(4.0 / 3.0)));
}

#[test]
fn cameras_that_say_no_usable_shape_leave_it_to_the_user() {
    for (shape, said) in [
        (json!({}), false),
        (json!({"aspectRatio": 0}), true),
        (json!({"aspectRatio": -1}), true),
        (json!({"aspectRatio": 1e9}), true),
    ] {
        let mut lens = json!({"yfov": 1});
        lens.as_object_mut().unwrap().extend(shape.as_object().unwrap().clone());
        let document = triangle(json!({"nodes": [{"mesh": 0, "camera": 0}],
            "cameras": [{"type": "perspective", "perspective": lens}]}));
        let (scene, warnings) = import(&document).unwrap();
        assert_eq!(scene.cameras[0].aspect, None);
        let is_shape = |w: &Warning| matches!(w.kind, WarningKind::Gltf(GltfWarning::PictureShape { .. }));
        assert_eq!(warnings.iter().any(is_shape), said, "{warnings:?}");
    }
}

#[test]
fn numbers_that_the_specification_forbids_are_said() {
    let document = triangle(json!({"scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0}, {"camera": 0, "extensions": {"KHR_lights_punctual": {"light": 0}}}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [-1, 0, 0.5, 1.00001], "roughnessFactor": 1.5},
            "emissiveFactor": [0, -2, 9]}],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point", "intensity": -3, "color": [1, 1, -1]}]}},
        "cameras": [{"type": "orthographic", "orthographic": {"xmag": -4, "ymag": 3, "znear": 0, "zfar": 9}}]}));
    let (scene, warnings) = import(&document).unwrap();
    assert_eq!(scene.cameras[0].aspect, Some(4.0 / 3.0));
    let range = |name, values: &[f32], most| GltfWarning::OutOfRange { name, values: values.to_vec(), most };
    for want in [
        range("baseColorFactor", &[-1.0, 0.0, 0.5, 1.00001], 1.0),
        range("roughnessFactor", &[1.5], 1.0),
        range("emissiveFactor", &[0.0, -2.0, 9.0], f32::INFINITY),
        range("intensity", &[-3.0], f32::INFINITY),
        range("color", &[1.0, 1.0, -1.0], f32::INFINITY),
        GltfWarning::NegativeSizes { xmag: -4.0, ymag: 3.0 },
    ] {
        let want = want.into();
        assert!(warnings.iter().any(|warning| warning.kind == want), "{want}: {warnings:?}");
    }
    assert_eq!(warnings.len(), 6, "{warnings:?}");
}

#[test]
fn punctual_lights_shine_along_minus_z() {
    let lights = json!([
        {"type": "directional", "color": [1, 0.5, 0], "intensity": 2},
        {"type": "point", "intensity": 30, "range": 10},
        {"type": "spot", "intensity": 60, "spot": {"innerConeAngle": 0.2, "outerConeAngle": 0.5}},
        {"type": "spot"}, {"type": "tube"}]);
    let node = |light: usize| {
        json!({"translation": [1, 2, 3], "rotation": [-1, 0, 0, 1],
        "extensions": {"KHR_lights_punctual": {"light": light}}})
    };
    let (scene, warnings) = import(&triangle(json!({"scenes": [{"nodes": [0, 1, 2, 3, 4]}],
        "nodes": [node(0), node(1), node(2), node(3), node(4)], "extensions": {"KHR_lights_punctual": {"lights": lights}}})))
    .unwrap();
    let [Light::Directional { direction, irradiance }, point, spot, default] = &scene.lights[..] else { panic!() };
    near(*direction, [0.0, -1.0, 0.0]);
    assert_eq!(*irradiance, [2.0, 1.0, 0.0]);
    assert_eq!(*point, Light::Point { position: [1.0, 2.0, 3.0], intensity: [30.0; 3] });
    let Light::Spot { position, intensity, cos_inner, cos_outer, falloff, .. } = spot else { panic!() };
    assert_eq!((*position, *intensity, *falloff), ([1.0, 2.0, 3.0], [60.0; 3], SpotFalloff::Gltf));
    assert_eq!((*cos_inner, *cos_outer), (0.2_f32.cos(), 0.5_f32.cos()));
    let Light::Spot { cos_inner, cos_outer, .. } = default else { panic!() };
    assert_eq!((*cos_inner, *cos_outer), (1.0, std::f32::consts::FRAC_PI_4.cos()));
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    let light = |index| format!("extensions.KHR_lights_punctual.lights[{index}]");
    assert_eq!(warnings[0], warning(&light(1), GltfWarning::LightRange));
    assert_eq!(warnings[1], warning(&light(4), GltfWarning::LightType { kind: "tube".into() }));
}

#[test]
fn a_projective_matrix_is_said_to_be_read_as_affine() {
    let said = |matrix: [f32; 16]| {
        let document = json!({"asset": {"version": "2.0"}, "nodes": [{"matrix": matrix}]});
        import(&document).unwrap().1
    };
    let mut matrix = [0.0; 16];
    [0, 5, 10, 15].iter().for_each(|&i| matrix[i] = 1.0);
    assert_eq!(said(matrix), []);
    let projective = warning("nodes[0]", GltfWarning::ProjectiveMatrix);
    for i in [3, 7, 11, 15] {
        let mut odd = matrix;
        odd[i] = 0.5;
        assert_eq!(said(odd), std::slice::from_ref(&projective), "{i}");
    }
}
