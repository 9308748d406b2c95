//! What varies over a surface: textures, normals, alpha, colours of vertices; and instances.

use crate::stage::{Stage, UPRIGHT, ahead, at, floor, sphere, square};
use raywarp::scene::{
    Alpha, Channel, ColorInput, Description, ImageFilter, Material, MaterialId, NormalInput, Roughness, ScalarInput,
    Surface, Texture, UvMapping, Wrap,
};
use raywarp::{Affine, TriangleMesh};

/// Where four panels of half a unit stand, from the top left.
const PLACES: [[f32; 3]; 4] = [[-0.52, 0.52, 0.0], [0.52, 0.52, 0.0], [-0.52, -0.52, 0.0], [0.52, -0.52, 0.0]];

/// Panels of these materials from the top left, in daylight.
fn panels(mut stage: Stage, materials: [MaterialId; 4]) -> Description {
    for (place, material) in PLACES.into_iter().zip(materials) {
        stage.panel(at(place, [0.48, 0.48, 1.0]), material);
    }
    stage.wall();
    stage.daylight();
    stage.seen_from(ahead([0.0, 0.0, 8.0], 15.5))
}

/// Repeat, mirror, clamp along u, and black along u and clamp along v, around an image in the middle.
pub fn wrap_modes() -> Description {
    let modes = [[Wrap::Repeat; 2], [Wrap::Mirror; 2], [Wrap::Clamp, Wrap::Repeat], [Wrap::Black, Wrap::Clamp]];
    let mut stage = Stage::default();
    let image = stage.letter(false);
    let image = stage.scene.add_image(image);
    let mapping = UvMapping { set: 0, rows: [[2.6, 0.0, -0.9], [0.0, 2.6, -0.9]] };
    let materials = modes.map(|wrap| {
        let texture = Texture::Image { image, mapping, wrap, filter: ImageFilter::Nearest };
        let texture = stage.scene.add_texture(texture);
        stage.diffuse(texture)
    });
    panels(stage, materials)
}

/// Nearest and bilinear texels; a turned and sheared mapping; the second texture coordinates.
pub fn lookups() -> Description {
    let mut stage = Stage::default();
    let image = stage.letter(false);
    let image = stage.scene.add_image(image);
    let upright = UvMapping::default();
    let turned = UvMapping { set: 0, rows: [[0.5, -1.2, 0.9], [1.2, 0.8, -0.4]] };
    let second = UvMapping { set: 1, ..upright };
    let kinds = [
        (upright, ImageFilter::Nearest),
        (upright, ImageFilter::Bilinear),
        (turned, ImageFilter::Nearest),
        (second, ImageFilter::Nearest),
    ];
    let triangles = TriangleMesh { uvs1: vec![[1.0, 2.0], [0.0, 2.0], [0.0, 0.0], [1.0, 0.0]], ..square() };
    let mesh = stage.mesh(triangles);
    for (place, (mapping, filter)) in PLACES.into_iter().zip(kinds) {
        let texture = stage.scene.add_texture(Texture::Image { image, mapping, wrap: [Wrap::Repeat; 2], filter });
        let material = stage.diffuse(texture);
        stage.place(mesh, at(place, [0.48, 0.48, 1.0]), material);
    }
    stage.wall();
    stage.daylight();
    stage.seen_from(ahead([0.0, 0.0, 8.0], 15.5))
}

/// A checkerboard, a product of it with an image, a mix of both by a third, and one on a ball.
pub fn graphs() -> Description {
    let mut stage = Stage::default();
    let checks = stage.checks([[0.9, 0.8, 0.1], [0.1, 0.1, 0.3]], [5.0, 3.0]);
    let letter = stage.letter(false);
    let letter = stage.image_texture(letter, 1.0);
    let speckles = stage.speckles();
    let speckles = stage.image_texture(speckles, 1.0);
    let product = stage.scene.add_texture(Texture::Scale { a: checks, b: letter });
    let mix = stage.scene.add_texture(Texture::Mix { a: checks, b: letter, amount: speckles });
    let materials = [checks, product, mix, letter].map(|texture| stage.diffuse(texture));
    for (place, material) in PLACES.into_iter().zip(materials).take(3) {
        stage.panel(at(place, [0.48, 0.48, 1.0]), material);
    }
    stage.ball(at(PLACES[3], [0.48; 3]), materials[0]);
    stage.wall();
    stage.daylight();
    stage.seen_from(ahead([0.0, 0.0, 8.0], 15.5))
}

/// The normal map's texture is the scene's first image.
fn dented(stage: &mut Stage, surface: Surface, scale: f32) -> MaterialId {
    let dents = stage.dents();
    let texture = stage.image_texture(dents, 1.0);
    let mut material = Material::new("", surface);
    material.normal = Some(NormalInput::Map { texture, scale });
    stage.scene.add_material(material)
}

/// A normal map on a diffuse and a metal panel, weaker on a mirrored panel, and on a ball.
pub fn normal_maps() -> Description {
    let mut stage = Stage::default();
    let grey = || Surface::Diffuse { reflectance: ColorInput::constant([0.7; 3]) };
    let metal = Surface::Conductor {
        eta: ColorInput::constant([1.5; 3]),
        k: ColorInput::constant([3.0; 3]),
        roughness: Roughness::isotropic(0.3),
    };
    let materials = [
        dented(&mut stage, grey(), 1.0),
        dented(&mut stage, metal, 1.0),
        dented(&mut stage, grey(), 0.4),
        dented(&mut stage, grey(), 1.0),
    ];
    stage.panel(at(PLACES[0], [0.48, 0.48, 1.0]), materials[0]);
    stage.panel(at(PLACES[1], [0.48, 0.48, 1.0]), materials[1]);
    stage.panel(at(PLACES[2], [-0.48, 0.48, 1.0]), materials[2]);
    stage.ball(at(PLACES[3], [0.48; 3]), materials[3]);
    stage.wall();
    stage.lamp([25.0; 3]);
    stage.sky([0.3; 3], UPRIGHT);
    stage.seen_from(ahead([0.0, 0.0, 8.0], 15.5))
}

/// Heights: an image on two panels, once upside down, a faint one under a coat, and one on a ball.
pub fn bump_maps() -> Description {
    let mut stage = Stage::default();
    let letter = stage.letter(false);
    let texture = stage.image_texture(letter, 1.0);
    let bump =
        |factor: f32| Some(NormalInput::Bump { height: ScalarInput { factor, texture: Some((texture, Channel::R)) } });
    let grey = Surface::Diffuse { reflectance: ColorInput::constant([0.7; 3]) };
    let coat = Surface::Coated {
        diffuse: ColorInput::constant([0.2, 0.3, 0.2]),
        specular: ColorInput::constant([0.2; 3]),
        roughness: Roughness::isotropic(0.2),
    };
    let materials = [(grey.clone(), 0.1), (grey.clone(), -0.1), (coat, 0.03), (grey, 0.15)].map(|(surface, factor)| {
        let mut material = Material::new("", surface);
        material.normal = bump(factor);
        stage.scene.add_material(material)
    });
    for (place, material) in PLACES.into_iter().zip(materials).take(3) {
        stage.panel(at(place, [0.48, 0.48, 1.0]), material);
    }
    stage.ball(at(PLACES[3], [0.48; 3]), materials[3]);
    stage.wall();
    stage.lamp([25.0; 3]);
    stage.sky([0.3; 3], UPRIGHT);
    stage.seen_from(ahead([0.0, 0.0, 8.0], 15.5))
}

/// Masked at two cutoffs, blended by an image, and a blended ball: with the shadows of each.
pub fn alpha() -> Description {
    let mut stage = Stage::default();
    let letter = stage.letter(true);
    let texture = stage.image_texture(letter, 1.0);
    let covered = ScalarInput { factor: 1.0, texture: Some((texture, Channel::A)) };
    let kinds = [
        Alpha::Mask { alpha: covered, cutoff: 0.5 },
        Alpha::Mask { alpha: covered, cutoff: 0.23 },
        Alpha::Blend { alpha: covered },
        Alpha::Blend { alpha: ScalarInput::constant(0.4) },
    ];
    let materials = kinds.map(|alpha| {
        let mut material = Material::new("", Surface::Diffuse { reflectance: ColorInput::texture(texture) });
        material.alpha = alpha;
        stage.scene.add_material(material)
    });
    for (place, material) in PLACES.into_iter().zip(materials).take(3) {
        stage.panel(at(place, [0.48, 0.48, 1.0]), material);
    }
    stage.ball(at(PLACES[3], [0.48; 3]), materials[3]);
    stage.wall();
    stage.daylight();
    stage.seen_from(ahead([0.0, 0.0, 8.0], 15.5))
}

/// Colours of vertices on a panel and a ball; their alpha as coverage; their product with an image.
pub fn vertex_colors() -> Description {
    let mut stage = Stage::default();
    let corners = vec![[0.9, 0.1, 0.1, 0.1], [0.1, 0.8, 0.1, 1.0], [0.1, 0.1, 0.9, 0.6], [0.9, 0.9, 0.2, 0.3]];
    let panel = stage.mesh(TriangleMesh { colors: corners, ..square() });
    let ball = sphere();
    let colors = ball.positions.iter().map(|p| [0.5 + 0.5 * p[0], 0.5 + 0.5 * p[1], 0.5 + 0.5 * p[2], 1.0]).collect();
    let ball = stage.mesh(TriangleMesh { colors, ..ball });
    let colors = stage.scene.add_texture(Texture::VertexColor);
    let letter = stage.letter(false);
    let letter = stage.image_texture(letter, 1.0);
    let product = stage.scene.add_texture(Texture::Scale { a: colors, b: letter });
    let plain = stage.diffuse(colors);
    let product = stage.diffuse(product);
    let mut veil = Material::new("", Surface::Diffuse { reflectance: ColorInput::texture(colors) });
    veil.alpha = Alpha::Blend { alpha: ScalarInput { factor: 1.0, texture: Some((colors, Channel::A)) } };
    let veil = stage.scene.add_material(veil);
    for (place, (mesh, material)) in
        PLACES.into_iter().zip([(panel, plain), (panel, veil), (panel, product), (ball, plain)])
    {
        stage.place(mesh, at(place, [0.48, 0.48, 0.48]), material);
    }
    stage.wall();
    stage.daylight();
    stage.seen_from(ahead([0.0, 0.0, 8.0], 15.5))
}

/// One mesh placed as it is, mirrored, stretched and turned, sheared; a mirrored lamp shines to where it faces.
pub fn instances() -> Description {
    let mut stage = Stage::default();
    let material = dented(&mut stage, Surface::Diffuse { reflectance: ColorInput::constant([0.7, 0.6, 0.5]) }, 1.0);
    let ball = stage.mesh(sphere());
    let places = [
        at([-1.1, 0.45, 0.0], [0.45; 3]),
        at([0.0, 0.45, 0.0], [-0.45, 0.45, 0.45]),
        Affine { rows: [[0.27, -0.3, 0.0, 1.1], [0.36, 0.225, 0.0, 0.5], [0.0, 0.0, 0.45, 0.0]] },
        Affine { rows: [[0.4, 0.35, 0.0, -0.6], [0.0, 0.3, 0.0, 0.3], [0.0, 0.0, -0.3, 1.1]] },
    ];
    for place in places {
        stage.place(ball, place, material);
    }
    let lamp = stage.light_material(ColorInput::constant([6.0, 3.0, 1.0]), false);
    stage.panel(Affine { rows: [[0.0, 0.0, -1.0, 1.9], [0.0, 0.4, 0.0, 0.5], [0.4, 0.0, 0.0, 0.6]] }, lamp);
    stage.panel(Affine { rows: [[0.0, 0.0, 1.0, -1.9], [0.0, 0.4, 0.0, 0.5], [0.4, 0.0, 0.0, 0.6]] }, lamp);
    let grey = stage.diffuse([0.6; 3]);
    stage.panel(floor(0.0, 3.0, 3.0, -1.5), grey);
    stage.sky([0.4; 3], UPRIGHT);
    let mut camera = ahead([0.0, 2.2, 7.0], 22.0);
    (camera.up, camera.forward) = ([0.0, 0.96, -0.28], [0.0, -0.28, -0.96]);
    stage.seen_from(camera)
}

/// Few triangles with normals between them, and without: a smooth and a faceted ball.
pub fn coarse() -> Description {
    let mut stage = Stage::default();
    let mesh = sphere();
    // Every fourth row and column of the fine grid.
    let coarse: Vec<[u32; 3]> = (0..24u32)
        .step_by(4)
        .flat_map(|row| (0..48u32).step_by(8).map(move |column| row * 49 + column))
        .flat_map(|a| [[a, a + 4 * 49, a + 8], [a + 8, a + 4 * 49, a + 4 * 49 + 8]])
        .collect();
    let smooth = TriangleMesh { indices: coarse, ..mesh };
    let flat = TriangleMesh { normals: Vec::new(), ..smooth.clone() };
    let grey = stage.diffuse([0.7; 3]);
    let metal = stage.material(Surface::Mirror { reflectance: ColorInput::constant([0.9; 3]) });
    for (i, mesh) in [smooth, flat].into_iter().enumerate() {
        let mesh = stage.mesh(mesh);
        let x = PLACES[i][0];
        stage.place(mesh, at([x, 0.52, 0.0], [0.48; 3]), grey);
        stage.place(mesh, at([x, -0.52, 0.0], [0.48; 3]), metal);
    }
    stage.wall();
    stage.daylight();
    stage.seen_from(ahead([0.0, 0.0, 8.0], 15.5))
}
