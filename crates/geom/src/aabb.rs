//! Axis-aligned bounding boxes.

use bytemuck::{Pod, Zeroable};

/// A box from `min` to `max`, both included. Empty when any `min` exceeds its `max`.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Aabb {
    /// Corner with the smallest coordinate on each axis.
    pub min: [f32; 3],
    /// Corner with the largest coordinate on each axis.
    pub max: [f32; 3],
}

impl Aabb {
    /// Box that holds no point and that no ray hits: `min` at plus, `max` at minus infinity; the identity of
    /// [`Aabb::union`].
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Returns the smallest box around `points`.
    #[inline]
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a [f32; 3]>) -> Self {
        let mut aabb = Self::EMPTY;
        for point in points {
            aabb.grow(point);
        }
        aabb
    }

    /// Returns `true` if the box holds no point; a box with a NaN bound is empty too.
    #[inline]
    pub fn is_empty(&self) -> bool {
        // Negated, so that a NaN bound counts as empty.
        !(0..3).all(|i| self.min[i] <= self.max[i])
    }

    /// Enlarges the box to hold `point`.
    #[inline]
    pub fn grow(&mut self, point: &[f32; 3]) {
        for i in 0..3 {
            self.min[i] = self.min[i].min(point[i]);
            self.max[i] = self.max[i].max(point[i]);
        }
    }

    /// Returns the smallest box that holds both this box and `other`.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|i| self.min[i].min(other.min[i])),
            max: std::array::from_fn(|i| self.max[i].max(other.max[i])),
        }
    }

    /// Returns the box of the points that both boxes share; it is empty when they are apart.
    #[inline]
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|i| self.min[i].max(other.min[i])),
            max: std::array::from_fn(|i| self.max[i].min(other.max[i])),
        }
    }

    /// Returns `true` if `other` lies inside this box, borders included. Every box contains the empty one.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        other.is_empty() || (0..3).all(|i| self.min[i] <= other.min[i] && other.max[i] <= self.max[i])
    }

    /// Returns the side lengths of the box along x, y and z; zeros for an empty box.
    #[inline]
    pub fn extent(&self) -> [f32; 3] {
        std::array::from_fn(|i| (self.max[i] - self.min[i]).max(0.0))
    }

    /// Returns the largest absolute value of any coordinate of the box's corners; zero for an empty box.
    #[inline]
    pub fn farthest(&self) -> f32 {
        let corners = self.min.iter().chain(&self.max);
        if self.is_empty() { 0.0 } else { corners.fold(0.0, |most: f32, x| most.max(x.abs())) }
    }

    /// Returns half of the surface area, the measure of the surface area heuristic; zero for an empty box.
    #[inline]
    pub fn half_area(&self) -> f32 {
        let [x, y, z] = self.extent();
        x * y + y * z + z * x
    }

    /// Returns the centre of the box.
    #[inline]
    pub fn center(&self) -> [f32; 3] {
        std::array::from_fn(|i| 0.5 * self.min[i] + 0.5 * self.max[i])
    }

    /// Returns the length of the box's diagonal; zero for an empty box. Finite for boxes up to 1e38.
    pub fn diagonal(&self) -> f32 {
        self.extent().iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt() as f32
    }
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_box_is_the_identity_of_union() {
        let unit = Aabb { min: [0.0; 3], max: [1.0; 3] };
        assert_eq!(unit.union(&Aabb::EMPTY), unit);
        assert!(Aabb::EMPTY.is_empty() && !unit.is_empty());
        assert_eq!((Aabb::EMPTY.half_area(), unit.half_area()), (0.0, 3.0));
        assert!(unit.contains(&Aabb::EMPTY) && !Aabb::EMPTY.contains(&unit));
    }

    #[test]
    fn boxes_apart_have_an_empty_intersection() {
        let low = Aabb { min: [0.0; 3], max: [1.0; 3] };
        let high = Aabb { min: [2.0; 3], max: [3.0; 3] };
        assert!(low.intersection(&high).is_empty());
        assert_eq!(low.union(&high).diagonal(), 27.0f32.sqrt());
    }
}
