//! Conversion of texture graphs to programs.

use crate::RenderError;
use crate::flat::{ImageLookup, ProgramRecord, ShadingScene, TextureKind, TextureOp, Wrapping};
use crate::texture::STACK;
use raywarp_scene::{Description, ImageFilter, Texture, TextureId, UvMapping, Wrap};

/// Largest number of steps of a texture program, since a graph with shared parts unfolds.
const MAX_OPS: usize = 1024;

/// Compiles all textures of `scene` to programs.
pub(super) fn add(flat: &mut ShadingScene, scene: &Description) -> Result<(), RenderError> {
    let mut depths: Vec<usize> = Vec::with_capacity(scene.textures.len());
    for (index, texture) in scene.textures.iter().enumerate() {
        // Children come before their parents (the scene is validated), so theirs are compiled.
        let (children, op) = step(texture);
        let first = flat.texture_ops.len();
        let mut depth = 1;
        for (held, child) in children.iter().enumerate() {
            depth = depth.max(held + depths[child.index()]);
            let ProgramRecord { first, end } = flat.programs[child.index()];
            flat.texture_ops.extend_from_within(first as usize..end as usize);
        }
        flat.texture_ops.push(op);
        let ops = flat.texture_ops.len() - first;
        if depth > STACK || ops > MAX_OPS {
            return Err(RenderError::TextureTooDeep { texture: index, depth, ops });
        }
        flat.programs.push(ProgramRecord { first: first as u32, end: flat.texture_ops.len() as u32 });
        depths.push(depth);
    }
    Ok(())
}

/// Returns a texture's operands in the order in which they are pushed, and its own step.
fn step(texture: &Texture) -> (Vec<TextureId>, TextureOp) {
    match *texture {
        Texture::Constant(value) => (vec![], TextureOp { value, ..of(TextureKind::Constant) }),
        Texture::Image { image, mapping, wrap, filter } => {
            let op = TextureOp {
                image: image.0,
                wrap: wrap.map(wrapping),
                lookup: lookup(filter),
                ..mapped(TextureKind::Image, &mapping)
            };
            (vec![], op)
        }
        Texture::VertexColor => (vec![], of(TextureKind::VertexColor)),
        Texture::Checkerboard { mapping, even, odd } => (vec![even, odd], mapped(TextureKind::Checkerboard, &mapping)),
        Texture::Scale { a, b } => (vec![a, b], of(TextureKind::Scale)),
        Texture::Mix { a, b, amount } => (vec![a, b, amount], of(TextureKind::Mix)),
    }
}

fn of(kind: TextureKind) -> TextureOp {
    TextureOp { kind: kind.tag(), ..bytemuck::Zeroable::zeroed() }
}

fn mapped(kind: TextureKind, mapping: &UvMapping) -> TextureOp {
    TextureOp { uv_set: u32::from(mapping.set.min(1)), rows: mapping.rows, ..of(kind) }
}

fn wrapping(wrap: Wrap) -> u32 {
    match wrap {
        Wrap::Repeat => Wrapping::Repeat,
        Wrap::Mirror => Wrapping::Mirror,
        Wrap::Clamp => Wrapping::Clamp,
        Wrap::Black => Wrapping::Black,
    }
    .tag()
}

fn lookup(filter: ImageFilter) -> u32 {
    match filter {
        ImageFilter::Nearest => ImageLookup::Nearest,
        ImageFilter::Bilinear => ImageLookup::Bilinear,
    }
    .tag()
}
