//! Textures with every step, every wrap and every look-up.

use super::images::{COLORS, DOT, NORMALS};
use raywarp_scene::{
    Channel, ColorInput, Description, ImageFilter, ImageId, ScalarInput, Texture, TextureId, UvMapping, Wrap,
};

/// Test textures, dealt to materials round robin.
#[derive(Debug)]
pub(super) struct Textures {
    colors: Vec<TextureId>,
    pub normals: TextureId,
    /// Number of textures dealt so far.
    next: std::cell::Cell<usize>,
}

impl Textures {
    fn next(&self) -> (usize, TextureId) {
        let next = self.next.get();
        self.next.set(next + 1);
        // A step without a common divisor with their number meets all of them.
        (next, self.colors[next * 7 % self.colors.len()])
    }

    /// Returns a colour input with the next texture.
    pub fn color(&self, factor: [f32; 3]) -> ColorInput {
        ColorInput { factor, texture: Some(self.next().1) }
    }

    /// Returns a scalar input with the next texture and the next channel.
    pub fn number(&self, factor: f32) -> ScalarInput {
        let (next, texture) = self.next();
        let channel = [Channel::R, Channel::G, Channel::B, Channel::A, Channel::Mean][next % 5];
        ScalarInput { factor, texture: Some((texture, channel)) }
    }
}

const WRAPS: [[Wrap; 2]; 6] = [
    [Wrap::Repeat; 2],
    [Wrap::Mirror; 2],
    [Wrap::Clamp; 2],
    [Wrap::Black; 2],
    [Wrap::Repeat, Wrap::Mirror],
    [Wrap::Clamp, Wrap::Black],
];

fn mappings() -> [UvMapping; 3] {
    let turned = [[1.7, 0.4, -0.2], [-0.3, 2.1, 0.6]];
    [UvMapping::default(), UvMapping { set: 0, rows: turned }, UvMapping { set: 1, rows: turned }]
}

/// Adds the test textures to the scene.
pub(super) fn add(scene: &mut Description) -> Textures {
    let image = |scene: &mut Description, image: ImageId, wrap: [Wrap; 2], filter: ImageFilter, mapping: UvMapping| {
        scene.add_texture(Texture::Image { image, mapping, wrap, filter })
    };
    let mut colors = Vec::new();
    for (i, &source) in COLORS.iter().enumerate() {
        for (k, &wrap) in WRAPS.iter().enumerate() {
            for filter in [ImageFilter::Nearest, ImageFilter::Bilinear] {
                colors.push(image(scene, source, wrap, filter, mappings()[(i + k) % 3]));
            }
        }
    }
    colors.push(image(scene, DOT, [Wrap::Repeat; 2], ImageFilter::Bilinear, mappings()[1]));
    let constant = scene.add_texture(Texture::Constant([0.3, 0.6, 0.9, 0.45]));
    let vertex = scene.add_texture(Texture::VertexColor);
    let (a, b) = (colors[1], colors[15]);
    let scale = scene.add_texture(Texture::Scale { a, b: vertex });
    let mix = scene.add_texture(Texture::Mix { a, b, amount: colors[25] });
    let checks =
        |scene: &mut Description, even, odd, mapping| scene.add_texture(Texture::Checkerboard { mapping, even, odd });
    let board = checks(scene, constant, b, mappings()[1]);
    let deep = checks(scene, mix, scale, mappings()[2]);
    let mut deepest = deep;
    for _ in 0..4 {
        // Each needs one more place on the stack than the last.
        deepest = scene.add_texture(Texture::Mix { a: constant, b: deepest, amount: vertex });
    }
    colors.extend([constant, vertex, scale, mix, board, deep, deepest]);
    let normals = image(scene, NORMALS, [Wrap::Repeat; 2], ImageFilter::Bilinear, mappings()[1]);
    assert_ne!(colors.len() % 7, 0);
    Textures { colors, normals, next: std::cell::Cell::new(0) }
}
