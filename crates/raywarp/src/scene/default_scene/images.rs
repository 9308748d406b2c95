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
    const COLORS: [[u8; 3]; 5] = [[186, 92, 66], [62, 84, 88], [206, 156, 92], [150, 138, 126], [120, 60, 52]];
    const CEMENT: [u8; 3] = [226, 216, 200];
    // The middle of each cell's stone, with a cell more on each side: the texture goes on with those opposite.
    let row = CELLS + 2;
    let stones: Vec<(f32, f32, u32)> = (0..row * row)
        .map(|i| {
            let (x, y) = (i % row, i / row);
            let seed = (y + CELLS - 1) % CELLS * CELLS + (x + CELLS - 1) % CELLS;
            let middle = |cell: u32, axis| cell as f32 - 1.0 + 0.5 + 0.8 * (noise(seed, axis) - 0.5);
            (middle(x, 1), middle(y, 2), seed)
        })
        .collect();
    let place = |texel: u32| (texel as f32 + 0.5) / side as f32 * CELLS as f32;
    let mut pixels = Vec::with_capacity((side * side) as usize);
    for i in 0..side * side {
        let (px, py) = (place(i % side), place(i / side));
        let corner = (py as u32 * row + px as u32) as usize;
        let (mut nearest, mut second, mut id) = (f64::INFINITY, f64::INFINITY, 0);
        for line in stones[corner..].chunks(row as usize).take(3) {
            for &(x, y, seed) in &line[..3] {
                let (dx, dy) = (f64::from(px - x), f64::from(py - y));
                let squared = dx * dx + dy * dy;
                if squared < nearest {
                    (second, nearest, id) = (nearest, squared, seed);
                } else {
                    second = second.min(squared);
                }
            }
        }
        let gap = second.sqrt() as f32 - nearest.sqrt() as f32;
        let grain = 0.95 + 0.08 * noise(i, 7);
        let is_stone = gap > 0.2 + 0.6 * noise(id, 3);
        let [r, g, b] = if is_stone { COLORS[(noise(id, 4) * 4.999) as usize] } else { CEMENT };
        let shade = |c: u8| (f32::from(c) * grain).min(255.0) as u8;
        pixels.push([shade(r), shade(g), shade(b), 255]);
    }
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
