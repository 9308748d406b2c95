//! Scenes in two levels of trees: the pictures and hits of the flattened scene, bit for bit.

use raywarp::device::Plan;
use raywarp::render::film::Film;
use raywarp::render::{BuiltInLight, Integrator, LightRequest, LightSource, Prepared, RenderContext, RenderOptions};
use raywarp::scene::{
    Absorption, Alpha, Camera, Channel, ColorInput, Description, Emission, FaceMaterials, Image, ImageFilter, ImageId,
    Instance, Light, Material, MaterialId, Medium, MediumInterface, Mesh, NormalInput, Pixels, Principled, Roughness,
    RoughnessRemap, ScalarInput, Surface, Texture, UvMapping, Wrap, default_scene,
};
use raywarp::trace::{Answers, Field, TraceScene, surface_columns};
use raywarp::{Affine, Control, Levels, Query, Ray, TriangleMesh};

/// Returns numbers from -1 to 1, a function of `seed`.
fn numbers<const N: usize>(seed: u32) -> [f32; N] {
    std::array::from_fn(|i| {
        let mut x = (u64::from(seed) << 32) | (i as u64 + 1);
        for _ in 0..3 {
            x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        (x >> 40) as f32 / (1 << 23) as f32 - 1.0
    })
}

fn image(scene: &mut Description) -> ImageId {
    let texel = |i: u32| numbers::<4>(90 + i).map(|x| (127.0 + 127.0 * x) as u8);
    let pixels = Pixels::Linear8((0..16).map(texel).collect());
    scene.add_image(Image { name: "noise".into(), width: 4, height: 4, pixels: pixels.into() })
}

/// Adds a material of each kind that two levels may treat differently.
fn materials(scene: &mut Description) {
    let image = image(scene);
    let plain =
        Texture::Image { image, mapping: UvMapping::default(), wrap: [Wrap::Repeat; 2], filter: ImageFilter::Bilinear };
    let turned = Texture::Image {
        image,
        mapping: UvMapping { set: 1, rows: [[0.0, 1.5, 0.1], [-2.0, 0.2, 0.0]] },
        wrap: [Wrap::Repeat; 2],
        filter: ImageFilter::Bilinear,
    };
    let [plain, turned] = [plain, turned].map(|texture| scene.add_texture(texture));
    let reflectance = ColorInput::texture(plain);
    let diffuse = Surface::Diffuse { reflectance };
    let bent = |texture| Some(NormalInput::Map { texture, scale: 0.7 });
    let holes = ScalarInput { factor: 1.0, texture: Some((plain, Channel::R)) };
    let height = ScalarInput { factor: 0.1, texture: Some((plain, Channel::G)) };
    let red = scene.add_medium(Medium { name: "red".into(), absorption: Absorption { sigma: [0.1, 1.0, 1.0] } });
    let rough = ScalarInput::constant(0.5);
    let along = Principled {
        base_color: reflectance,
        metallic: ScalarInput::constant(1.0),
        roughness: Roughness { x: ScalarInput::constant(0.2), y: rough, remap: RoughnessRemap::None },
        ..Principled::default()
    };
    let boundary = MediumInterface { inside: Some(red), outside: None };
    for material in [
        Material::diffuse("plain", [0.6, 0.5, 0.4]),
        Material::new("painted", diffuse.clone()),
        Material { normal: bent(plain), ..Material::new("bent", diffuse.clone()) },
        Material { normal: bent(turned), ..Material::new("turned", diffuse.clone()) },
        Material { normal: Some(NormalInput::Bump { height }), ..Material::new("bumped", diffuse.clone()) },
        Material { alpha: Alpha::Blend { alpha: holes }, ..Material::new("with holes", diffuse.clone()) },
        Material { alpha: Alpha::Mask { alpha: holes, cutoff: 0.5 }, ..Material::new("cut out", diffuse) },
        Material::new("along", Surface::Principled(Box::new(along))),
        Material::new("nothing", Surface::Invisible),
        Material { media: Some(boundary), ..Material::new("boundary", Surface::Invisible) },
        Material {
            emission: Some(Emission { radiance: ColorInput::constant([3.0, 2.0, 1.0]), two_sided: true }),
            ..Material::diffuse("lamp", [0.2; 3])
        },
    ] {
        scene.add_material(material);
    }
}

/// Returns a mesh of triangles about its origin, some without area, with the vertex attributes whose bits are set.
fn mesh(seed: u32, attributes: u32, materials: FaceMaterials) -> Mesh {
    let count = 40;
    let of = |bit: u32| if attributes >> bit & 1 == 1 { 3 * count } else { 0 };
    let at = |bit: u32, i: u32| seed + 1000 * (bit + 1) + i;
    let corner = |i: u32| -> [f32; 3] {
        let (middle, off): ([f32; 3], [f32; 3]) = (numbers(at(9, i / 3)), numbers(at(10, i)));
        match i / 3 {
            // Lines: two corners at one place; three in a row, which rounding may move off it.
            0 if !i.is_multiple_of(3) => middle,
            1 => [0, 1, 2].map(|axis| middle[axis] * (1.0 + (i % 3) as f32)),
            _ => [0, 1, 2].map(|axis| middle[axis] + 0.4 * off[axis]),
        }
    };
    let triangles = TriangleMesh {
        positions: (0..3 * count).map(corner).collect(),
        indices: (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
        normals: (0..of(0)).map(|i| numbers(at(0, i))).collect(),
        tangents: (0..of(1)).map(|i| numbers(at(1, i))).collect(),
        uvs: (0..of(2)).map(|i| numbers(at(2, i))).collect(),
        uvs1: (0..of(3)).map(|i| numbers(at(3, i))).collect(),
        colors: (0..of(4)).map(|i| numbers::<4>(at(4, i)).map(f32::abs)).collect(),
    };
    Mesh { name: String::new(), triangles, materials }
}

/// Returns a scene of meshes of all kinds, placed many times: mirrored, sheared, flattened, far too small in a
/// direction, with materials of their own, with lamps among them.
fn zoo(seed: u32) -> Description {
    let mut scene = Description::default();
    materials(&mut scene);
    let count = scene.materials.len() as u32;
    for kind in 0..14u32 {
        let own = |i: u32| MaterialId((i * (1 + kind % 3) + kind) % count);
        let materials = match kind % 3 {
            0 => FaceMaterials::Uniform(own(0)),
            _ => FaceMaterials::PerTriangle((0..40).map(own).collect()),
        };
        let attributes = [31, 0, 1, 4, 6, 15, 12, 29, 16][((kind + seed) % 9) as usize];
        let mesh = scene.add_mesh(mesh(100_000 * seed + 20_000 * kind, attributes, materials));
        for placement in 0..1 + 3 * (kind % 4) {
            let [at, rows] = [numbers::<9>(seed + 31 * kind + placement), numbers::<9>(777 + 13 * kind + placement)];
            let mut transform =
                Affine { rows: [0, 1, 2].map(|i| [rows[3 * i], rows[3 * i + 1], rows[3 * i + 2], 4.0 * at[i]]) };
            match placement {
                1 => transform = Affine { rows: [0, 1, 2].map(|i| [0.0, 0.0, 0.0, 3.0 * at[i]]) },
                2 => transform.rows[0] = [0.0, 0.0, 0.0, at[0]],
                3 => transform.rows[2] = transform.rows[2].map(|x| 1e-13 * x),
                _ => {}
            }
            if placement == 1 {
                (0..3).for_each(|i| transform.rows[i][i] = [1.0, -1.0, 1.0][i]);
            }
            let material = (placement % 3 == 2).then(|| MaterialId((kind + placement) % count));
            scene.instances.push(Instance { mesh, transform, material });
        }
    }
    scene.lights.push(Light::Environment {
        map: None,
        radiance: [0.4, 0.5, 0.6],
        world_to_map: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    });
    scene.cameras.extend(Camera::look_at([0.5, -9.0, 1.0], [0.0; 3], [0.0, 0.0, 1.0], 60.0));
    raywarp::scene::validate(&scene).unwrap();
    scene
}

/// Prepares a scene in one level and in two.
fn both(scene: &Description) -> [Prepared; 2] {
    [Levels::One, Levels::Two].map(|levels| Prepared::with_levels(scene.clone(), &Plan::default(), levels).unwrap())
}

/// Returns the bits of all sums of a film, those of features too.
fn bits(film: &Film) -> String {
    film.pixels().map(|pixel| format!("{:?} {:?}\n", film.sums(pixel), film.feature_sums(pixel))).collect()
}

/// Checks that pictures of a scene are the same in both levels, and returns how bright they are.
#[track_caller]
fn check_pictures(scene: &Description, size: [u32; 2]) -> f64 {
    let prepared = both(scene);
    let [one, two] = &prepared;
    assert!(one.two_levels().is_none() && two.two_levels().is_some_and(|sizes| sizes.trees > 1));
    assert_eq!(one.bounds(), two.bounds());
    let mut brightness = 0.0;
    for integrator in
        [Integrator::Path, Integrator::AmbientOcclusion { distance: 1.0 }, Integrator::Normal, Integrator::Depth]
    {
        let options = RenderOptions { size, samples: 0..3, features: true, integrator, ..RenderOptions::default() };
        let film =
            |prepared: &Prepared| prepared.render(&prepared.camera(), &options, RenderContext::default()).unwrap().film;
        let [a, b] = [film(one), film(two)];
        let (first, second) = (bits(&a), bits(&b));
        if first != second {
            let wrong = first.lines().zip(second.lines()).filter(|(a, b)| a != b).count();
            panic!("{integrator:?}: {wrong} pixels differ");
        }
        if integrator == Integrator::Path {
            brightness = a.pixels().filter_map(|pixel| a.mean_of_hits(pixel)).map(|c| f64::from(c[1])).sum();
        }
    }
    brightness
}

#[test]
fn pictures_of_placed_meshes_are_those_of_the_flattened_scene() {
    for seed in 0..6 {
        let brightness = check_pictures(&zoo(seed), [64, 48]);
        assert!(brightness > 100.0, "{seed}: {brightness}");
    }
}

#[test]
fn the_built_in_scene_is_the_same_in_two_levels() {
    let mut scene = default_scene();
    // More than lamps and glass share a mesh here: each is placed once more, mirrored.
    for index in 0..scene.instances.len() {
        let instance = scene.instances[index].clone();
        let mut transform = instance.transform;
        transform.rows[0] = transform.rows[0].map(|x| -x);
        transform.rows[0][3] -= 0.01;
        scene.instances.push(Instance { transform, ..instance });
    }
    check_pictures(&scene, [48, 32]);
}

#[test]
fn hits_of_traced_rays_are_those_of_the_flattened_scene() {
    for seed in 0..6 {
        let scene = zoo(seed);
        let [one, two] =
            [Levels::One, Levels::Two].map(|levels| TraceScene::with_levels(&scene, &Plan::default(), levels).unwrap());
        assert!(two.two_levels().is_some() && two.kernel(Query::Closest, 1).as_str().contains("levels=2"));
        let world = |index: u32| -> [f32; 3] {
            let instance = &scene.instances[index as usize % scene.instances.len()];
            let mesh = &scene.meshes[instance.mesh.index()].triangles;
            instance.transform.point(mesh.positions[index as usize * 7 % mesh.positions.len()])
        };
        // Rays at vertices, where lines end and many triangles meet, and past them.
        let ray = |i: u32| {
            let origin = numbers::<3>(5_000_000 + seed + 97 * i).map(|x| 6.0 * x);
            let (to, off) = (world(i), numbers::<3>(6_000_000 + i));
            let off = if i.is_multiple_of(2) { 0.0 } else { 0.2 * off[0] };
            Ray::new(origin, [0, 1, 2].map(|axis| to[axis] + off - origin[axis]))
        };
        let rays: Vec<Ray> = (0..20_000).map(ray).collect();
        for query in [Query::Closest, Query::Any] {
            let [a, b] = [&one, &two].map(|scene| scene.trace(&rays, query, &Control::default()).unwrap().answers);
            assert!(format!("{a:?}") == format!("{b:?}"), "{seed} {query:?}");
            let [a, b] = [&a, &b].map(|answers| surface_columns(&scene, answers, &[Field::Position, Field::Normal]));
            assert!(format!("{a:?}") == format!("{b:?}"), "{seed} {query:?}");
        }
        let Answers::Closest { hits, .. } = one.trace(&rays, Query::Closest, &Control::default()).unwrap().answers
        else {
            panic!("hits were asked for")
        };
        assert!(hits.iter().filter(|hit| hit.is_hit()).count() > 10_000, "{seed}");
    }
}

#[test]
fn two_levels_have_a_mesh_once_and_lights_can_change() {
    let mut scene = zoo(1);
    let mesh = scene.instances.iter().rev().find(|instance| instance.material.is_none()).unwrap().mesh;
    for i in 0..3000 {
        let at = numbers::<3>(i).map(|x| 30.0 * x);
        scene.instances.push(Instance { mesh, transform: Affine::translation(at), material: Some(MaterialId(1)) });
    }
    let mut prepared = both(&scene);
    let bytes = prepared.each_ref().map(|prepared| {
        let shading = prepared.shading().unwrap();
        assert_eq!(shading.validate(), Ok(()));
        (shading.bytes().total(), prepared.tracer_bytes())
    });
    assert!(bytes[1].0 < bytes[0].0 / 10 && bytes[1].1 < bytes[0].1 / 5, "{bytes:?}");
    let camera = prepared[0].camera();
    let options = RenderOptions { size: [32, 24], samples: 0..2, ..RenderOptions::default() };
    let sky = LightRequest::built_in(BuiltInLight::Sky);
    let films = prepared.each_mut().map(|prepared| {
        prepared.add_light(&sky, &LightSource::BuiltIn(BuiltInLight::Sky), &camera);
        bits(&prepared.render(&camera, &options, RenderContext::default()).unwrap().film)
    });
    assert!(films[0] == films[1]);
}
