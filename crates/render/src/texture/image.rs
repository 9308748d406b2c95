//! Look-up of texels, and of points between and outside of them.

use crate::flat::{ImageLookup, Texels, TextureImage, Wrapping, srgb_to_linear};
use glam::{Vec2, Vec4};
use std::sync::LazyLock;

/// Linear value of each sRGB byte.
static SRGB: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|i| srgb_to_linear(i as u8)));

/// Returns the linear values of the 256 sRGB bytes.
pub fn srgb_table() -> &'static [f32; 256] {
    &SRGB
}

/// Returns the linear RGBA of a texel within the image.
#[inline]
pub(crate) fn texel(image: &TextureImage, x: u32, y: u32) -> Vec4 {
    let i = y as usize * image.size[0] as usize + x as usize;
    match &*image.texels {
        Texels::Srgb8(p) => {
            let [r, g, b, a] = p[i];
            let table = srgb_table();
            Vec4::new(table[r as usize], table[g as usize], table[b as usize], f32::from(a) * (1.0 / 255.0))
        }
        Texels::Linear8(p) => Vec4::from(p[i].map(f32::from)) * (1.0 / 255.0),
        Texels::Float(p) => p[i].into(),
    }
}

/// Returns the texel index for an integer position `i` along an axis; `None` for black outside.
#[inline]
fn wrapped(i: i64, size: u32, wrap: Wrapping) -> Option<u32> {
    let size = i64::from(size);
    let index = match wrap {
        Wrapping::Repeat => i.rem_euclid(size),
        Wrapping::Clamp => i.clamp(0, size - 1),
        Wrapping::Mirror => {
            let m = i.rem_euclid(2 * size);
            if m < size { m } else { 2 * size - 1 - m }
        }
        Wrapping::Black => return (0..size).contains(&i).then_some(i as u32),
    };
    Some(index as u32)
}

/// Looks up an image at the texture coordinates `uv`, and returns linear RGBA.
pub fn look_up(image: &TextureImage, uv: Vec2, wrap: [Wrapping; 2], lookup: ImageLookup) -> Vec4 {
    // Coordinates far out lose their fraction anyway; the clamp keeps the integers in range.
    let uv = if uv.is_finite() { uv.clamp(Vec2::splat(-1e9), Vec2::splat(1e9)) } else { Vec2::ZERO };
    let [width, height] = image.size;
    let column = |x: i64| wrapped(x, width, wrap[0]);
    let row = |y: i64| wrapped(y, height, wrap[1]);
    let at = |x: Option<u32>, y: Option<u32>| match (x, y) {
        (Some(x), Some(y)) => texel(image, x, y),
        _ => Vec4::ZERO,
    };
    let p = uv * Vec2::new(width as f32, height as f32);
    match lookup {
        ImageLookup::Nearest => at(column(p.x.floor() as i64), row(p.y.floor() as i64)),
        ImageLookup::Bilinear => {
            let p = p - 0.5;
            let low = p.floor();
            let f = p - low;
            let (x, y) = (low.x as i64, low.y as i64);
            let ([x0, x1], [y0, y1]) = ([column(x), column(x + 1)], [row(y), row(y + 1)]);
            let top = at(x0, y0).lerp(at(x1, y0), f.x);
            let bottom = at(x0, y1).lerp(at(x1, y1), f.x);
            top.lerp(bottom, f.y)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrap_modes_cover_all_integers() {
        let row = |wrap| (-3..5).map(|i| wrapped(i, 2, wrap)).collect::<Vec<_>>();
        let some = |v: [u32; 8]| v.map(Some).to_vec();
        assert_eq!(row(Wrapping::Repeat), some([1, 0, 1, 0, 1, 0, 1, 0]));
        assert_eq!(row(Wrapping::Mirror), some([1, 1, 0, 0, 1, 1, 0, 0]));
        assert_eq!(row(Wrapping::Clamp), some([0, 0, 0, 0, 1, 1, 1, 1]));
        assert_eq!(row(Wrapping::Black)[2..6], [None, Some(0), Some(1), None]);
    }
}
