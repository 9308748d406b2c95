//! Areas in f32 for the builders' inner loops.

use crate::reference::Bounds;

/// Unit of area for boxes inside one large box, chosen so that f32 half areas neither overflow nor underflow. In this
/// unit the large box is between 1 and 2 long, so that small boxes are lost to zero no sooner than the box around them.
///
/// The unit is a power of two: a scene's scale by another changes no decision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Areas {
    scale: f32,
}

impl Areas {
    /// Chooses the unit of area for boxes inside `bounds`.
    pub(crate) fn within(bounds: Bounds) -> Self {
        let exponent = (bounds.max - bounds.min).max_element().to_bits() >> 23 & 0xff;
        // An extent without exponent (zero, denormal) or past the largest takes the nearest scale.
        Self { scale: f32::from_bits(254u32.saturating_sub(exponent).max(1) << 23) }
    }

    /// Returns half of the surface area of a box, in this scaled unit of area. Positive infinity for an empty box.
    #[inline]
    pub(crate) fn half_area(self, bounds: Bounds) -> f32 {
        let [x, y, z] = ((bounds.max - bounds.min) * self.scale).to_array();
        x * y + (x + y) * z
    }

    /// Returns the power of two by which lengths are multiplied.
    pub(crate) fn scale(self) -> f32 {
        self.scale
    }

    /// Converts a sum of areas from this scaled unit to the scene's.
    pub(crate) fn in_scene_units(self, area: f32) -> f64 {
        let scale = f64::from(self.scale);
        f64::from(area) / (scale * scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3A;

    #[test]
    fn areas_agree_with_those_in_f64_at_every_scale() {
        for exponent in [-44, -38, -20, 0, 20, 37, 38] {
            let max = Vec3A::new(1.0, 0.75, 3.0).as_dvec3() * 10f64.powi(exponent);
            let bounds = Bounds { min: Vec3A::ZERO, max: max.as_vec3a() };
            let areas = Areas::within(bounds);
            let (got, want) = (areas.in_scene_units(areas.half_area(bounds)), bounds.half_area());
            assert!((got - want).abs() <= 1e-6 * want, "1e{exponent}: {got} and {want}");
            assert!(
                exponent < -38 || (0.5..=12.0).contains(&areas.half_area(bounds)),
                "1e{exponent}: {}",
                areas.half_area(bounds)
            );
        }
        let point = Bounds::point(Vec3A::ONE);
        assert_eq!(Areas::within(point).half_area(point), 0.0);
    }
}
