//! A camera for a scene that has none.

use raywarp_geom::Aabb;
use raywarp_scene::Camera;

/// Makes a camera that just sees all of `bounds` in a picture of 4:3 or wider: from the front, slightly to the right
/// and above, y up, 45 degrees. For an empty box it looks from +z at the origin.
pub fn frame_bounds(bounds: &Aabb) -> Camera {
    const VFOV: f32 = 45.0;
    /// Fraction of half the picture that the bounding box may fill.
    const FILL: f32 = 0.92;
    let (center, radius) = if bounds.is_empty() { ([0.0; 3], 1.0) } else { (bounds.center(), 0.5 * bounds.diagonal()) };
    // A point is seen from any distance.
    let radius = if radius > 0.0 { radius } else { 1.0 };
    let direction = normalize([0.45, 0.3, 0.84]);
    let look_from = |distance: f32| {
        let eye = std::array::from_fn(|i| center[i] + direction[i] * distance);
        Camera::look_at(eye, center, [0.0, 1.0, 0.0], VFOV)
    };
    let tan = (0.5 * VFOV.to_radians()).tan() * FILL;
    let far = look_from(2.0 * radius);
    // Each corner says how far away the camera must be for it to be inside the picture.
    let distance = far.as_ref().map_or(2.0 * radius, |camera| {
        let needed = (0..8).map(|corner| {
            let p: [f32; 3] = std::array::from_fn(|i| {
                if corner >> i & 1 == 0 { bounds.min[i] - center[i] } else { bounds.max[i] - center[i] }
            });
            let along = |axis: [f32; 3]| (0..3).map(|i| axis[i] * p[i]).sum::<f32>();
            let spread = along(camera.up).abs().max(along(camera.right).abs() * 0.75);
            spread / tan - along(camera.forward)
        });
        if bounds.is_empty() { 3.0 } else { needed.fold(radius, f32::max) }
    });
    // Fails only where f32 cannot tell eye and centre apart.
    look_from(distance).or(far).unwrap_or_else(|| {
        Camera::look_at([0.0, 0.0, 1.0], [0.0; 3], [0.0, 1.0, 0.0], VFOV).expect("distinct and finite")
    })
}

fn normalize(v: [f32; 3]) -> [f32; 3] {
    let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    v.map(|x| x / length)
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
                assert!(dot(camera.forward) > 0.0 && dot(camera.up).abs() <= limit);
                assert!(dot(camera.right).abs() <= limit * 4.0 / 3.0);
            }
        }
        assert_eq!(frame_bounds(&Aabb::EMPTY).forward.map(f32::is_finite), [true; 3]);
    }
}
