//! Textures as short programs on a small stack: no recursion, no boxes, so that a GPU can run them.

use crate::RenderError;
use glam::{Vec2, Vec3, Vec4};
use raywarp_scene::{
    Channel, ColorInput, Image, ImageFilter, Pixels, ScalarInput, Scene, Texture, TextureId, UvMapping, Wrap,
};
use std::sync::LazyLock;

/// What a texture may ask of the surface point.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TexturePoint {
    pub uv: [Vec2; 2],
    pub color: Vec4,
}

/// Deepest stack a program may need.
const STACK: usize = 12;
/// Longest program: a graph that shares its parts unfolds, and must not unfold without end.
const MAX_OPS: usize = 1024;

#[derive(Debug, Clone, Copy)]
enum Op {
    Constant(Vec4),
    Image {
        image: u32,
        mapping: UvMapping,
        wrap: [Wrap; 2],
        filter: ImageFilter,
    },
    VertexColor,
    /// Pops odd, even; pushes the one that the point lies in.
    Checkerboard(UvMapping),
    /// Pops b, a; pushes the product.
    Scale,
    /// Pops amount, b, a; pushes the blend.
    Mix,
}

/// All textures of a scene, compiled.
pub(crate) struct Textures<'s> {
    images: &'s [Image],
    ops: Vec<Op>,
    /// First and one past the last op of each texture.
    programs: Vec<(u32, u32)>,
}

impl<'s> Textures<'s> {
    pub fn new(scene: &'s Scene) -> Result<Self, RenderError> {
        let mut programs: Vec<Vec<Op>> = Vec::with_capacity(scene.textures.len());
        let mut depths: Vec<usize> = Vec::with_capacity(scene.textures.len());
        for (index, texture) in scene.textures.iter().enumerate() {
            // Children come before their parents (the scene is validated), so theirs are compiled.
            let (children, op): (Vec<TextureId>, Op) = match *texture {
                Texture::Constant(value) => (vec![], Op::Constant(value.into())),
                Texture::Image { image, mapping, wrap, filter } => {
                    (vec![], Op::Image { image: image.0, mapping, wrap, filter })
                }
                Texture::VertexColor => (vec![], Op::VertexColor),
                Texture::Checkerboard { mapping, even, odd } => (vec![even, odd], Op::Checkerboard(mapping)),
                Texture::Scale { a, b } => (vec![a, b], Op::Scale),
                Texture::Mix { a, b, amount } => (vec![a, b, amount], Op::Mix),
            };
            let mut ops: Vec<Op> = Vec::new();
            let mut depth = 1;
            for (held, child) in children.iter().enumerate() {
                depth = depth.max(held + depths[child.index()]);
                ops.extend_from_slice(&programs[child.index()]);
            }
            ops.push(op);
            if depth > STACK || ops.len() > MAX_OPS {
                return Err(RenderError::TextureTooDeep { texture: index, depth, ops: ops.len() });
            }
            programs.push(ops);
            depths.push(depth);
        }
        let mut all = Vec::new();
        let ranges = programs
            .iter()
            .map(|program| {
                let first = all.len() as u32;
                all.extend_from_slice(program);
                (first, all.len() as u32)
            })
            .collect();
        Ok(Self { images: &scene.images, ops: all, programs: ranges })
    }

    /// Linear RGBA of a texture at a point.
    pub fn value(&self, id: TextureId, point: &TexturePoint) -> Vec4 {
        let (first, end) = self.programs[id.index()];
        let mut stack = [Vec4::ZERO; STACK];
        let mut top = 0;
        for op in &self.ops[first as usize..end as usize] {
            match *op {
                Op::Constant(value) => {
                    stack[top] = value;
                    top += 1;
                }
                Op::Image { image, mapping, wrap, filter } => {
                    stack[top] = lookup(&self.images[image as usize], map(&mapping, point), wrap, filter);
                    top += 1;
                }
                Op::VertexColor => {
                    stack[top] = point.color;
                    top += 1;
                }
                Op::Checkerboard(mapping) => {
                    let at = map(&mapping, point).floor();
                    let odd = (at.x + at.y).rem_euclid(2.0) >= 1.0;
                    top -= 1;
                    if odd {
                        stack[top - 1] = stack[top];
                    }
                }
                Op::Scale => {
                    top -= 1;
                    stack[top - 1] *= stack[top];
                }
                Op::Mix => {
                    top -= 2;
                    let amount = stack[top + 1].clamp(Vec4::ZERO, Vec4::ONE);
                    stack[top - 1] = stack[top - 1] * (Vec4::ONE - amount) + stack[top] * amount;
                }
            }
        }
        stack[0]
    }

    pub fn color(&self, input: &ColorInput, point: &TexturePoint) -> Vec3 {
        let factor = Vec3::from(input.factor);
        match input.texture {
            None => factor,
            Some(id) => factor * self.value(id, point).truncate(),
        }
    }

    pub fn scalar(&self, input: &ScalarInput, point: &TexturePoint) -> f32 {
        match input.texture {
            None => input.factor,
            Some((id, channel)) => {
                let v = self.value(id, point);
                let value = match channel {
                    Channel::R => v.x,
                    Channel::G => v.y,
                    Channel::B => v.z,
                    Channel::A => v.w,
                    Channel::Mean => (v.x + v.y + v.z) / 3.0,
                };
                input.factor * value
            }
        }
    }

    /// Mean colour over the unit square, for choosing lights by power: an image is averaged over
    /// 256 x 256 places.
    pub fn mean_color(&self, input: &ColorInput) -> Vec3 {
        if input.texture.is_none() {
            return input.factor.into();
        }
        const SIDE: u32 = 256;
        let sum: Vec3 = (0..SIDE * SIDE)
            .map(|i| {
                let uv = (Vec2::new((i % SIDE) as f32, (i / SIDE) as f32) + 0.5) / SIDE as f32;
                self.color(input, &TexturePoint { uv: [uv; 2], color: Vec4::ONE }).max(Vec3::ZERO)
            })
            .sum();
        sum / (SIDE * SIDE) as f32
    }
}

fn map(mapping: &UvMapping, point: &TexturePoint) -> Vec2 {
    let uv = point.uv[usize::from(mapping.set.min(1))];
    let row = |r: &[f32; 3]| r[0] * uv.x + r[1] * uv.y + r[2];
    Vec2::new(row(&mapping.rows[0]), row(&mapping.rows[1]))
}

/// sRGB bytes to linear.
static SRGB: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|i| raywarp_scene::srgb_to_linear(i as u8)));

fn texel(image: &Image, x: u32, y: u32) -> Vec4 {
    let i = y as usize * image.width as usize + x as usize;
    match &image.pixels {
        Pixels::Srgb8(p) => {
            let [r, g, b, a] = p[i];
            let table = &*SRGB;
            Vec4::new(table[r as usize], table[g as usize], table[b as usize], f32::from(a) / 255.0)
        }
        Pixels::Linear8(p) => Vec4::from(p[i].map(f32::from)) / 255.0,
        Pixels::Float(p) => p[i].into(),
    }
}

/// The texel index that integer position `i` falls on, or none for black outside.
fn wrapped(i: i64, size: u32, wrap: Wrap) -> Option<u32> {
    let size = i64::from(size);
    let index = match wrap {
        Wrap::Repeat => i.rem_euclid(size),
        Wrap::Clamp => i.clamp(0, size - 1),
        Wrap::Mirror => {
            let m = i.rem_euclid(2 * size);
            if m < size { m } else { 2 * size - 1 - m }
        }
        Wrap::Black => return (0..size).contains(&i).then_some(i as u32),
    };
    Some(index as u32)
}

/// An image at texture coordinates `uv`.
pub(crate) fn lookup(image: &Image, uv: Vec2, wrap: [Wrap; 2], filter: ImageFilter) -> Vec4 {
    // Coordinates far out lose their fraction anyway; the clamp keeps the integers in range.
    let uv = if uv.is_finite() { uv.clamp(Vec2::splat(-1e9), Vec2::splat(1e9)) } else { Vec2::ZERO };
    let at = |x: i64, y: i64| match (wrapped(x, image.width, wrap[0]), wrapped(y, image.height, wrap[1])) {
        (Some(x), Some(y)) => texel(image, x, y),
        _ => Vec4::ZERO,
    };
    let p = uv * Vec2::new(image.width as f32, image.height as f32);
    if filter == ImageFilter::Nearest {
        return at(p.x.floor() as i64, p.y.floor() as i64);
    }
    let p = p - 0.5;
    let low = p.floor();
    let f = p - low;
    let (x, y) = (low.x as i64, low.y as i64);
    let top = at(x, y).lerp(at(x + 1, y), f.x);
    let bottom = at(x, y + 1).lerp(at(x + 1, y + 1), f.x);
    top.lerp(bottom, f.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_scene::ImageId;

    fn scene() -> Scene {
        let mut scene = Scene::default();
        let pixels = Pixels::Linear8(vec![[0, 0, 0, 255], [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 0]]);
        scene.add_image(Image { name: "four".into(), width: 2, height: 2, pixels });
        scene
    }

    fn image(wrap: Wrap, filter: ImageFilter) -> Texture {
        Texture::Image { image: ImageId(0), mapping: UvMapping::default(), wrap: [wrap; 2], filter }
    }

    fn at(u: f32, v: f32) -> TexturePoint {
        TexturePoint { uv: [Vec2::new(u, v); 2], color: Vec4::new(0.5, 0.25, 1.0, 1.0) }
    }

    #[test]
    fn images_are_looked_up_at_texel_centres_and_between() {
        let mut scene = scene();
        let nearest = scene.add_texture(image(Wrap::Repeat, ImageFilter::Nearest));
        let linear = scene.add_texture(image(Wrap::Clamp, ImageFilter::Bilinear));
        let textures = Textures::new(&scene).unwrap();
        assert_eq!(textures.value(nearest, &at(0.75, 0.25)), Vec4::new(1.0, 0.0, 0.0, 1.0));
        assert_eq!(textures.value(nearest, &at(-0.25, 1.75)), Vec4::new(0.0, 0.0, 1.0, 0.0));
        assert_eq!(textures.value(linear, &at(0.25, 0.75)), Vec4::new(0.0, 1.0, 0.0, 1.0));
        assert_eq!(textures.value(linear, &at(0.5, 0.25)), Vec4::new(0.5, 0.0, 0.0, 1.0));
        assert_eq!(textures.value(linear, &at(9.0, -9.0)), Vec4::new(1.0, 0.0, 0.0, 1.0));
        assert!(textures.value(linear, &at(f32::NAN, f32::INFINITY)).is_finite());
    }

    #[test]
    fn wrap_modes_cover_all_integers() {
        let row = |wrap| (-3..5).map(|i| wrapped(i, 2, wrap)).collect::<Vec<_>>();
        let some = |v: [u32; 8]| v.map(Some).to_vec();
        assert_eq!(row(Wrap::Repeat), some([1, 0, 1, 0, 1, 0, 1, 0]));
        assert_eq!(row(Wrap::Mirror), some([1, 1, 0, 0, 1, 1, 0, 0]));
        assert_eq!(row(Wrap::Clamp), some([0, 0, 0, 0, 1, 1, 1, 1]));
        assert_eq!(row(Wrap::Black)[2..6], [None, Some(0), Some(1), None]);
    }

    #[test]
    fn graphs_are_evaluated_and_too_deep_ones_refused() {
        let mut scene = scene();
        let a = scene.add_texture(Texture::Constant([0.5, 1.0, 0.0, 1.0]));
        let b = scene.add_texture(Texture::VertexColor);
        let scale = scene.add_texture(Texture::Scale { a, b });
        let amount = scene.add_texture(Texture::Constant([0.25; 4]));
        let mix = scene.add_texture(Texture::Mix { a, b: scale, amount });
        let check = scene.add_texture(Texture::Checkerboard { mapping: UvMapping::default(), even: mix, odd: b });
        let textures = Textures::new(&scene).unwrap();
        assert_eq!(textures.value(scale, &at(0.0, 0.0)), Vec4::new(0.25, 0.25, 0.0, 1.0));
        assert_eq!(textures.value(mix, &at(0.0, 0.0)), Vec4::new(0.4375, 0.8125, 0.0, 1.0));
        assert_eq!(textures.value(check, &at(0.5, 0.5)), Vec4::new(0.4375, 0.8125, 0.0, 1.0));
        assert_eq!(textures.value(check, &at(-0.5, 0.5)), Vec4::new(0.5, 0.25, 1.0, 1.0));

        let mut last = check;
        for _ in 0..30 {
            last = scene.add_texture(Texture::Scale { a: last, b: last });
        }
        assert!(matches!(Textures::new(&scene), Err(RenderError::TextureTooDeep { .. })));
    }
}
