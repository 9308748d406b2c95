//! The triangles of a scene that touch a box.

use super::Scene;
use super::scene::Rays;
use raywarp_geom::{Aabb, PrimitiveId};
use std::ops::ControlFlow;

impl Scene {
    /// Passes every triangle that touches a box, relative to [`Scene::origin`], on to `receive`: each (instance,
    /// primitive) once and in no order, until `receive` breaks; returns whether it did. The box includes its faces, and
    /// triangles count as they are, not as the boxes around them; nothing touches an empty box, or one with NaN.
    ///
    /// Whether a triangle touches is decided without rounding, of its corners as the scene has them: the same
    /// triangles are told in one level and in two. `receive` may ask the scene itself. The time grows with the number
    /// of triangles by the box. Runs on the CPU, on the calling thread. What moves is where it is at time 0;
    /// [`Filtered::overlaps`](crate::Filtered::overlaps) takes a time, and a mask.
    ///
    /// ```
    /// use raywarp::{Aabb, Scene};
    /// use std::ops::ControlFlow;
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let touched = |min: [f32; 3], max: [f32; 3]| {
    ///     scene.overlaps(&Aabb { min, max }, |_id| ControlFlow::Break(())).is_break()
    /// };
    /// assert!(touched([0.4, 0.4, -1.0], [2.0, 2.0, 1.0]));
    /// // In the box around the triangle, beyond its longest edge.
    /// assert!(!touched([0.6, 0.6, -1.0], [0.9, 0.9, 1.0]));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn overlaps(&self, bounds: &Aabb, receive: impl FnMut(PrimitiveId) -> ControlFlow<()>) -> ControlFlow<()> {
        match &self.0.rays {
            Rays::One(cpu, _) => cpu.overlaps(bounds, receive),
            Rays::Two(levels, _) => levels.overlaps(bounds, receive),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Affine64, BuildOptions, Control, Levels, SceneOptions, bvh::presets};

    #[test]
    fn each_triangle_is_told_once_also_where_trees_cut_triangles() {
        // Long thin triangles, which trees of the best quality cut, each placed twice.
        let positions: Vec<[f32; 3]> =
            (0..300).map(|i| [(i % 17) as f32, (i % 23) as f32 * 3.0, (i % 29) as f32 * 0.5]).collect();
        let indices: Vec<[u32; 3]> = (0..298).map(|i| [i, i + 1, i + 2]).collect();
        let mut expected = None;
        for levels in [Levels::One, Levels::Two] {
            for quality in [BuildOptions::default(), presets::SINGLE_SPLIT] {
                let mut builder = Scene::builder();
                let mesh = builder.mesh(&positions, &indices);
                for degrees in [0.0, 50.0] {
                    builder.instance(mesh, Affine64::rotation(degrees, [1.0, 2.0, 3.0]), u32::MAX, 0);
                }
                let options = SceneOptions { levels, quality: Some(quality), ..SceneOptions::default() };
                let scene = builder.build(&options, &Control::default()).unwrap();
                let mut told = Vec::new();
                let bounds = Aabb { min: [1.0, 2.0, 3.0], max: [9.0, 30.0, 11.0] };
                let flow = scene.overlaps(&bounds, |id| {
                    told.push(id);
                    // A question within one.
                    assert!(scene.overlaps(&bounds, |_| ControlFlow::Break(())).is_break());
                    ControlFlow::Continue(())
                });
                assert!(flow.is_continue());
                told.sort_unstable();
                assert!(told.is_sorted_by(|a, b| a < b) && told.len() > 50 && told.len() < 590, "{}", told.len());
                assert_eq!(expected.get_or_insert(told.clone()), &told, "{levels:?}");
            }
        }
    }
}
