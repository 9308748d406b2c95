//! Pixels in the papers' order, and the primary rays through them.

use crate::vector::{add_scaled, normalized, wide};
use rayon::prelude::*;
use raywarp_geom::Ray;
use raywarp_sample::warp::sin_cos_turn;
use raywarp_scene::{Camera, FovAxis, Projection};

/// Width and height of a block of pixels, whose rays fill a warp of 32 lanes.
const BLOCK: [u32; 2] = [8, 4];

/// Returns the indices (`y * width + x`) of all pixels of a picture, in blocks of 8 x 4 pixels along a Morton curve. In
/// the blocks' order x is the lower bit, and rows of a block come from the top. Where 8 divides the width and 4 the
/// height, each 32 consecutive pixels are one block; blocks at other borders are cut short.
///
/// `size[0] * size[1]` must be below 2^32.
pub fn block_order(size: [u32; 2]) -> Vec<u32> {
    let [width, height] = size;
    let blocks = [width.div_ceil(BLOCK[0]), height.div_ceil(BLOCK[1])];
    let mut order: Vec<(u64, [u32; 2])> =
        (0..blocks[1]).flat_map(|y| (0..blocks[0]).map(move |x| (spread(x) | spread(y) << 1, [x, y]))).collect();
    order.par_sort_unstable();
    let mut pixels = Vec::with_capacity(width as usize * height as usize);
    for (_, [bx, by]) in order {
        let (x0, y0) = (bx * BLOCK[0], by * BLOCK[1]);
        for y in y0..height.min(y0 + BLOCK[1]) {
            pixels.extend((x0..width.min(x0 + BLOCK[0])).map(|x| y * width + x));
        }
    }
    pixels
}

/// Spreads the bits of `x` apart: bit i moves to bit 2 i.
fn spread(x: u32) -> u64 {
    (0..32).fold(0, |key, bit| key | u64::from(x >> bit & 1) << (2 * bit))
}

/// Makes a primary ray through the centre of each of `pixels` of a picture of `size`. The pixels are as of
/// [`block_order`]; rays go from 0 to infinity, with unit directions and no lens.
pub fn primary_rays(camera: &Camera, size: [u32; 2], pixels: &[u32]) -> Vec<Ray> {
    let (half, perspective) = half_size(camera, size);
    let [right, up, forward, eye] = [camera.right, camera.up, camera.forward, camera.eye].map(wide);
    let ray = |&pixel: &u32| {
        let place = [pixel % size[0], pixel / size[0]].map(|x| f64::from(x) + 0.5);
        let x = (2.0 * place[0] / f64::from(size[0]) - 1.0) * half[0];
        let y = (1.0 - 2.0 * place[1] / f64::from(size[1])) * half[1];
        let from = if perspective { forward } else { eye };
        let across = add_scaled(add_scaled(from, x, right), y, up);
        let (origin, direction) = if perspective { (eye, across) } else { (across, forward) };
        let direction = normalized(direction).unwrap_or(forward);
        Ray::new(origin.map(|x| x as f32), direction.map(|x| x as f32))
    };
    pixels.par_iter().with_min_len(4096).map(ray).collect()
}

/// Returns half the width and height of the image plane (at distance 1, or in scene units), and `true` if the camera is
/// a perspective one.
fn half_size(camera: &Camera, size: [u32; 2]) -> ([f64; 2], bool) {
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    match camera.projection {
        Projection::Orthographic { half_height } => ([f64::from(half_height) * aspect, f64::from(half_height)], false),
        Projection::Perspective { fov, axis } => {
            // Not the platform's tangent: machines must agree on every bit.
            let (sin, cos) = sin_cos_turn(fov / 720.0);
            let t = f64::from(sin) / f64::from(cos);
            let vertical = match axis {
                FovAxis::Vertical => true,
                FovAxis::Horizontal => false,
                FovAxis::Shorter => aspect >= 1.0,
            };
            (if vertical { [t * aspect, t] } else { [t, t / aspect] }, true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_the_morton_curve_and_their_rows() {
        let pixels = block_order([32, 8]);
        let corners: Vec<[u32; 2]> = pixels.iter().step_by(32).map(|p| [p % 32, p / 32]).collect();
        assert_eq!(corners, [[0, 0], [8, 0], [0, 4], [8, 4], [16, 0], [24, 0], [16, 4], [24, 4]]);
        assert_eq!(pixels[32..42], [8, 9, 10, 11, 12, 13, 14, 15, 40, 41]);
    }

    #[test]
    fn each_warp_of_the_papers_picture_is_one_block() {
        let [width, height] = super::super::RESOLUTION;
        let pixels = block_order([width, height]);
        assert_eq!(pixels.len(), 786_432);
        for warp in pixels.chunks(32) {
            let block = |p: u32| [p % width / 8, p / width / 4];
            assert!(warp.iter().all(|&p| block(p) == block(warp[0])));
        }
    }

    #[test]
    fn pictures_of_any_size_have_every_pixel_once() {
        for size in [[1, 1], [7, 3], [8, 4], [9, 5], [33, 70], [640, 2], [0, 5]] {
            let mut pixels = block_order(size);
            pixels.sort_unstable();
            assert!(pixels.into_iter().eq(0..size[0] * size[1]), "{size:?}");
        }
    }

    #[test]
    fn rays_pass_the_centres_of_their_pixels() {
        let camera = Camera::look_at([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], [0.0, 1.0, 0.0], 90.0).unwrap();
        let rays = primary_rays(&camera, [4, 2], &[0, 7]);
        // Right is +x and up +y; the picture spans -2 .. 2 and -1 .. 1 at distance 1.
        for (ray, [x, y]) in rays.iter().zip([[-1.5, 0.5], [1.5, -0.5]]) {
            let d = ray.direction;
            assert_eq!((ray.origin, ray.t_min, ray.t_max), ([1.0, 2.0, 3.0], 0.0, f32::INFINITY));
            assert!((d[0] / -d[2] - x).abs() < 1e-6 && (d[1] / -d[2] - y).abs() < 1e-6, "{d:?}");
            assert!((d.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn orthographic_rays_are_parallel() {
        let mut camera = Camera::look_at([0.0; 3], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0], 90.0).unwrap();
        camera.projection = Projection::Orthographic { half_height: 3.0 };
        let rays = primary_rays(&camera, [2, 1], &[0, 1]);
        assert_eq!(rays.iter().map(|r| r.origin[0]).collect::<Vec<_>>(), [-3.0, 3.0]);
        assert!(rays.iter().all(|r| r.direction == [0.0, 0.0, -1.0]));
    }
}
