//! Evaluation of textures, which are short programs on a small stack.

use super::{TexturePoint, look_up};
use crate::flat::{ImageLookup, ShadingScene, TextureKind, TextureOp, Wrapping};
use glam::{Vec2, Vec4};

/// Largest number of values that a texture program may hold on its stack.
pub(crate) const STACK: usize = 12;

/// Evaluates a texture program at a surface point; returns linear RGBA.
pub fn value(scene: &ShadingScene, program: u32, point: &TexturePoint) -> Vec4 {
    let program = scene.programs[program as usize];
    let mut stack = [Vec4::ZERO; STACK];
    let mut top = 0;
    for op in &scene.texture_ops[program.first as usize..program.end as usize] {
        match TextureKind::of(op.kind) {
            TextureKind::Constant => {
                stack[top] = op.value.into();
                top += 1;
            }
            TextureKind::Image => {
                let image = &scene.images[op.image as usize];
                stack[top] = look_up(image, mapped(op, point), op.wrap.map(Wrapping::of), ImageLookup::of(op.lookup));
                top += 1;
            }
            TextureKind::VertexColor => {
                stack[top] = point.color;
                top += 1;
            }
            TextureKind::Checkerboard => {
                let at = mapped(op, point).floor();
                let odd = (at.x + at.y).rem_euclid(2.0) >= 1.0;
                top -= 1;
                if odd {
                    stack[top - 1] = stack[top];
                }
            }
            TextureKind::Scale => {
                top -= 1;
                stack[top - 1] *= stack[top];
            }
            TextureKind::Mix => {
                top -= 2;
                let amount = stack[top + 1].clamp(Vec4::ZERO, Vec4::ONE);
                stack[top - 1] = stack[top - 1] * (Vec4::ONE - amount) + stack[top] * amount;
            }
        }
    }
    stack[0]
}

#[inline]
fn mapped(op: &TextureOp, point: &TexturePoint) -> Vec2 {
    let uv = point.uv[op.uv_set as usize];
    let row = |r: &[f32; 3]| r[0] * uv.x + r[1] * uv.y + r[2];
    Vec2::new(row(&op.rows[0]), row(&op.rows[1]))
}
