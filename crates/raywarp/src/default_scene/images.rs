//! Images by formulas: a stone floor and a sky.

use raywarp_scene::{Image, Pixels};
use std::f32::consts::PI;

/// A reproducible number in 0..1 from two integers.
fn noise(x: u32, y: u32) -> f32 {
    let mut h = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77);
    h = (h ^ (h >> 15)).wrapping_mul(0x2C1B_3C6D);
    h = (h ^ (h >> 12)).wrapping_mul(0x297A_2D39);
    ((h ^ (h >> 15)) >> 8) as f32 / (1 << 24) as f32
}

/// Tileable terrazzo, `side` texels square: cells of a jittered grid as stones in cement.
pub fn terrazzo(side: u32) -> Image {
    const CELLS: u32 = 40;
    let stones = [[168, 150, 132], [98, 88, 84], [196, 186, 172], [142, 92, 74], [70, 78, 82]];
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
                    let place = [gx as f32 + 0.5 + 0.8 * (noise(seed, 1) - 0.5), gy as f32 + 0.5 + 0.8 * (noise(seed, 2) - 0.5)];
                    let distance = (p[0] - place[0]).hypot(p[1] - place[1]);
                    if distance < nearest {
                        (second, nearest, id) = (nearest, distance, seed);
                    } else {
                        second = second.min(distance);
                    }
                }
            }
            let grain = 0.94 + 0.12 * noise(i, 7);
            let is_stone = second - nearest > 0.16 + 0.5 * noise(id, 3);
            let color = if is_stone { stones[(noise(id, 4) * 4.999) as usize] } else { [178, 172, 162] };
            let [r, g, b] = color.map(|c: u8| (f32::from(c) * grain).min(255.0) as u8);
            [r, g, b, 255]
        })
        .collect();
    Image { name: "terrazzo".into(), width: side, height: side, pixels: Pixels::Srgb8(pixels) }
}

/// A clear evening sky with a soft low sun and a dim ground, latitude by longitude.
pub fn sky(width: u32, height: u32) -> Image {
    let sun = {
        let (azimuth, elevation) = (2.1f32, 0.42f32);
        [elevation.cos() * azimuth.sin(), elevation.sin(), -elevation.cos() * azimuth.cos()]
    };
    let pixels = (0..width * height)
        .map(|i| {
            let phi = ((i % width) as f32 + 0.5) / width as f32 * 2.0 * PI - PI;
            let theta = ((i / width) as f32 + 0.5) / height as f32 * PI;
            let d = [theta.sin() * phi.sin(), theta.cos(), -theta.sin() * phi.cos()];
            let up = d[1];
            let toward_sun: f32 = (0..3).map(|k| d[k] * sun[k]).sum::<f32>().max(0.0);
            let horizon = (1.0 - up.abs()).powi(5);
            let [zenith, rim, ground] = [[0.16, 0.30, 0.62], [0.95, 0.72, 0.52], [0.20, 0.17, 0.15]];
            let glow = 2.2 * toward_sun.powi(12) + 30.0 * toward_sun.powi(220);
            let color: [f32; 3] = std::array::from_fn(|k| {
                let base = if up >= 0.0 { zenith[k] } else { ground[k] };
                let sky = base + (rim[k] - base) * horizon;
                sky + glow * [1.0, 0.78, 0.52][k] * f32::from(u8::from(up > -0.02))
            });
            [color[0], color[1], color[2], 1.0]
        })
        .collect();
    Image { name: "sky".into(), width, height, pixels: Pixels::Float(pixels) }
}
