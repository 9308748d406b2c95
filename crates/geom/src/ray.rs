//! Rays and hits as they lie in memory, on every device and in files.

use bytemuck::{Pod, Zeroable};

/// A ray with its interval: 32 bytes, `ox oy oz t_min dx dy dz t_max`.
///
/// The direction need not be of unit length; `t` is measured in its lengths. A hit counts when
/// `t_min <= t <= t_max`. A ray with a NaN anywhere, an infinite origin or direction, or a zero
/// direction is *invalid*: it misses, and [`crate::BatchStats::invalid`] counts it.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Ray {
    /// Origin of the ray, in world units.
    pub origin: [f32; 3],
    /// Smallest ray parameter `t` at which a hit counts.
    pub t_min: f32,
    /// Direction of the ray; it may have any length but zero, and `t` counts in that length.
    pub direction: [f32; 3],
    /// Largest ray parameter `t` at which a hit counts; infinity is allowed.
    pub t_max: f32,
}

impl Ray {
    /// Makes a ray with the interval from 0 to infinity.
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> Self {
        Self { origin, t_min: 0.0, direction, t_max: f32::INFINITY }
    }

    /// Returns this ray with the interval from `t_min` to `t_max`.
    #[must_use]
    pub fn with_interval(self, t_min: f32, t_max: f32) -> Self {
        Self { t_min, t_max, ..self }
    }

    /// Returns `true` if the ray can hit anything: finite origin and direction, a direction that is not zero, and no
    /// NaN in the interval. An empty interval (`t_min > t_max`) is valid and misses.
    #[inline]
    pub fn is_valid(&self) -> bool {
        self.origin.iter().chain(&self.direction).all(|x| x.is_finite())
            && self.direction.iter().any(|&x| x != 0.0)
            && !self.t_min.is_nan()
            && !self.t_max.is_nan()
    }

    /// Returns the point at ray parameter `t`: origin + t * direction.
    #[inline]
    pub fn at(&self, t: f32) -> [f32; 3] {
        std::array::from_fn(|i| self.origin[i] + t * self.direction[i])
    }
}

/// Answer of a closest-hit query for one ray: 16 bytes, `t u v primitive`.
///
/// The hit point is `(1 - u - v) * v0 + u * v1 + v * v2` of the triangle.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Hit {
    /// Ray parameter of the hit, in lengths of the direction; `t_max` of the ray for a miss.
    pub t: f32,
    /// Barycentric weight of the triangle's second vertex, 0 to 1.
    pub u: f32,
    /// Barycentric weight of the triangle's third vertex, 0 to 1.
    pub v: f32,
    /// Index of the triangle in its mesh, or [`Hit::MISS`].
    pub primitive: u32,
}

impl Hit {
    /// Value of `primitive` that marks a miss.
    pub const MISS: u32 = u32::MAX;

    /// Returns the record of a ray that hits nothing up to `t_max`.
    #[inline]
    pub fn miss(t_max: f32) -> Self {
        Self { t: t_max, u: 0.0, v: 0.0, primitive: Self::MISS }
    }

    /// Returns `true` if the ray hit a triangle.
    #[inline]
    pub fn is_hit(&self) -> bool {
        self.primitive != Self::MISS
    }
}

impl Default for Hit {
    fn default() -> Self {
        Self::miss(f32::INFINITY)
    }
}

/// Position of a hit in the total order of a ray's hits: by `t`, then instance, then primitive. A query *after* a key
/// sees only hits that come later, which is how a caller goes on behind a transparent candidate without losing a
/// coincident one.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct HitKey {
    /// Ray parameter of the hit.
    pub t: f32,
    /// Index of the instance, as in `Description::instances`.
    pub instance: u32,
    /// Index of the triangle in its mesh.
    pub primitive: u32,
}

impl HitKey {
    /// Key that comes before every hit, with which a first query begins.
    pub const START: Self = Self { t: f32::NEG_INFINITY, instance: 0, primitive: 0 };

    /// Returns the key of `hit`, whose triangle belongs to `instance`.
    #[inline]
    pub fn of(hit: &Hit, instance: u32) -> Self {
        Self { t: hit.t, instance, primitive: hit.primitive }
    }

    /// Returns `true` if this key comes strictly before `other` in (t, instance, primitive) order.
    #[inline]
    pub fn before(&self, other: &Self) -> bool {
        (self.t, self.instance, self.primitive) < (other.t, other.instance, other.primitive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_their_documented_sizes() {
        assert_eq!((size_of::<Ray>(), size_of::<Hit>()), (32, 16));
    }

    #[test]
    fn rays_that_cannot_hit_anything_are_invalid() {
        let good = Ray::new([0.0; 3], [0.0, 0.0, -2.0]);
        assert!(good.is_valid() && good.with_interval(1.0, 0.0).is_valid());
        assert!(!Ray::new([0.0; 3], [0.0; 3]).is_valid());
        assert!(!Ray::new([f32::NAN, 0.0, 0.0], [1.0; 3]).is_valid());
        assert!(!Ray::new([0.0; 3], [f32::INFINITY, 0.0, 0.0]).is_valid());
        assert!(!good.with_interval(f32::NAN, 1.0).is_valid());
    }

    #[test]
    fn hits_are_ordered_by_t_then_instance_then_primitive() {
        let key = |t, instance, primitive| HitKey { t, instance, primitive };
        assert!(key(1.0, 9, 9).before(&key(2.0, 0, 0)));
        assert!(key(1.0, 0, 9).before(&key(1.0, 1, 0)));
        assert!(key(1.0, 1, 0).before(&key(1.0, 1, 1)));
        assert!(!key(1.0, 1, 1).before(&key(1.0, 1, 1)));
        assert!(HitKey::START.before(&key(0.0, 0, 0)));
    }
}
