//! Images by formulas: terrazzo and a studio's surroundings.

use raywarp_scene::{Image, Pixels};
use std::f32::consts::PI;

/// Returns a pseudo-random but reproducible number in 0..1 for two integers, such as a texel's column and row.
fn noise(x: u32, y: u32) -> f32 {
    let mut h = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77);
    h = (h ^ (h >> 15)).wrapping_mul(0x2C1B_3C6D);
    h = (h ^ (h >> 12)).wrapping_mul(0x297A_2D39);
    ((h ^ (h >> 15)) >> 8) as f32 / (1 << 24) as f32
}

/// Draws a tileable terrazzo texture of `side` by `side` texels: stones in cement, from the cells of a jittered grid.
pub fn terrazzo(side: u32) -> Image {
    const CELLS: u32 = 22;
    let stones = [[186, 92, 66], [62, 84, 88], [206, 156, 92], [150, 138, 126], [120, 60, 52]];
    let pixels = (0..side * side)
        .map(|i| {
            let p = [(i % side) as f32, (i / side) as f32].map(|c| (c + 0.5) / side as f32 * CELLS as f32);
            let (cx, cy) = (p[0] as i64, p[1] as i64);
            let (mut nearest, mut second, mut id) = (f32::INFINITY, f32::INFINITY, 0u32);
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let (gx, gy) = (cx + dx, cy + dy);
                    let cell = [gx, gy].map(|g| g.rem_euclid(i64::from(CELLS)) as u32);
                    let seed = cell[1] * CELLS + cell[0];
                    let place = [
                        gx as f32 + 0.5 + 0.8 * (noise(seed, 1) - 0.5),
                        gy as f32 + 0.5 + 0.8 * (noise(seed, 2) - 0.5),
                    ];
                    let distance = (p[0] - place[0]).hypot(p[1] - place[1]);
                    if distance < nearest {
                        (second, nearest, id) = (nearest, distance, seed);
                    } else {
                        second = second.min(distance);
                    }
                }
            }
            let grain = 0.95 + 0.08 * noise(i, 7);
            let is_stone = second - nearest > 0.2 + 0.6 * noise(id, 3);
            let color = if is_stone { stones[(noise(id, 4) * 4.999) as usize] } else { [226, 216, 200] };
            let [r, g, b] = color.map(|c: u8| (f32::from(c) * grain).min(255.0) as u8);
            [r, g, b, 255]
        })
        .collect();
    Image { name: "terrazzo".into(), width: side, height: side, pixels: Pixels::Srgb8(pixels).into() }
}

/// Draws the default scene's environment map (latitude by longitude): a dim warm room with a cool strip light to the
/// right and a faint one above.
pub fn studio(width: u32, height: u32) -> Image {
    let smooth = |edge: f32, soft: f32, x: f32| {
        let t = ((edge + soft - x.abs()) / (2.0 * soft)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    let pixels = (0..width * height)
        .map(|i| {
            // Azimuth from -z towards +x, elevation from the horizon.
            let azimuth = ((i % width) as f32 + 0.5) / width as f32 * 2.0 * PI - PI;
            let elevation = 0.5 * PI - ((i / width) as f32 + 0.5) / height as f32 * PI;
            let strip = smooth(0.22, 0.08, azimuth - 2.1) * smooth(0.5, 0.12, elevation - 0.75);
            let fill = smooth(0.7, 0.25, azimuth.abs() - PI) * smooth(0.16, 0.1, elevation - 0.75);
            // Dark below and behind the backdrop, where light could not reach anything.
            let room = smooth(1.45, 0.35, elevation - PI / 2.0) * (0.15 + 0.85 * smooth(1.7, 0.9, azimuth.abs() - PI));
            let color: [f32; 3] = std::array::from_fn(|k| {
                room * [0.52, 0.48, 0.46][k] + strip * [3.2, 4.0, 4.8][k] + fill * [1.3, 1.2, 1.1][k]
            });
            [color[0], color[1], color[2], 1.0]
        })
        .collect();
    Image { name: "studio".into(), width, height, pixels: Pixels::Float(pixels).into() }
}
