//! A camera for a scene that has none.

use raywarp_geom::Aabb;
use raywarp_scene::Camera;

/// A camera that sees all of `bounds`: from the front, a little to the right and above, y up, 45
/// degrees. For an empty box it looks from +z at the origin.
pub fn frame_bounds(bounds: &Aabb) -> Camera {
    const VFOV: f32 = 45.0;
    let (center, radius) =
        if bounds.is_empty() { ([0.0; 3], 1.0) } else { (bounds.center(), (0.5 * bounds.diagonal()).max(1e-6)) };
    // The sphere around the box just fits the picture's height, with a tenth to spare.
    let distance = 1.1 * radius / (0.5 * VFOV.to_radians()).sin();
    let direction = [0.45f32, 0.3, 0.84];
    let length = direction.iter().map(|d| d * d).sum::<f32>().sqrt();
    let eye = std::array::from_fn(|i| center[i] + direction[i] / length * distance);
    let camera = Camera::look_at(eye, center, [0.0, 1.0, 0.0], VFOV);
    // Fails only where f32 cannot tell eye and centre apart.
    camera.unwrap_or_else(|| {
        Camera::look_at([0.0, 0.0, 1.0], [0.0; 3], [0.0, 1.0, 0.0], VFOV).expect("distinct and finite")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_box_is_in_the_picture() {
        for (min, max) in [([0.0; 3], [1.0; 3]), ([-1e3, 5.0, 7.0], [1e3, 6.0, 8.0]), ([1.0; 3], [1.0; 3])] {
            let bounds = Aabb { min, max };
            let camera = frame_bounds(&bounds);
            for corner in 0..8 {
                let p: [f32; 3] = std::array::from_fn(|i| if corner >> i & 1 == 0 { min[i] } else { max[i] });
                let d: [f32; 3] = std::array::from_fn(|i| p[i] - camera.eye[i]);
                let dot = |a: [f32; 3]| (0..3).map(|i| a[i] * d[i]).sum::<f32>();
                let limit = (22.5f32).to_radians().tan() * dot(camera.forward);
                assert!(dot(camera.forward) > 0.0 && dot(camera.up).abs() <= limit && dot(camera.right).abs() <= limit);
            }
        }
        assert_eq!(frame_bounds(&Aabb::EMPTY).forward.map(f32::is_finite), [true; 3]);
    }
}
