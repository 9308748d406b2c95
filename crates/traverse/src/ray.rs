//! Values of a ray that tests of boxes and triangles use, computed once by `setup_ray`.

use raywarp_family::{BoxPlanes, BoxTest, Tree, TriangleTest, Variant};
use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Aabb, HitKey, PaddedSlab, PlainSlab, Ray, fused_multiply_adds};
use raywarp_layout::H8Ray;

/// A lane's ray, with the values that box and triangle tests compute from it once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LaneRay {
    /// Ray as the caller gave it.
    pub given: Ray,
    /// Key of a hit that the ray goes on from: only later hits count.
    pub after: HitKey,
    /// Reciprocals of the ray direction's components.
    pub inverse: [f32; 3],
    /// Origin times reciprocal direction on each axis, for lower planes and for upper planes.
    pub ood: [[f32; 3]; 2],
    /// Reciprocals of the direction in f64, for machines without fused multiply-adds.
    wide_inverse: [f64; 3],
    wide_ood: [[f64; 3]; 2],
    /// `true` if all reciprocals and products are finite, so that no plane's distance is NaN.
    is_finite: bool,
    /// Factor from `t` to the distances that box tests compute.
    pub scale: f32,
    /// Nearest distance, in those of box tests, at which a box counts.
    pub box_low: f32,
    /// Values of the ray for the watertight triangle test, where the variant has it.
    pub watertight: Option<Watertight>,
    /// Values of the ray for the tree of eight-child blocks (h8), where the variant walks it.
    pub blocks: Option<H8Ray>,
    /// `true` if the variant's test of h8 blocks takes any ray and triangle; `false` if it leaves some to another
    /// variant.
    pub takes_any: bool,
    pub may_leave_undecided: bool,
}

impl LaneRay {
    /// Computes what the tests of `variant` need of a valid ray through a scene within `bounds`.
    pub fn new(ray: &Ray, after: &HitKey, bounds: &Aabb, variant: &Variant) -> Self {
        let (planes, test) = (variant.box_planes(), variant.box_test());
        let (inverse, ood, scale) = match planes {
            BoxPlanes::Padded => {
                let slab = PaddedSlab::new(ray, bounds);
                (slab.inverse, [slab.ood_lo, slab.ood_hi], slab.scale)
            }
            BoxPlanes::Plain => {
                let slab = PlainSlab::new(ray);
                (slab.inverse, [slab.ood; 2], 1.0)
            }
        };
        let box_low = box_low(ray.t_min.max(after.t) * scale, test);
        let prepare = if variant.triangle() == TriangleTest::Pair { H8Ray::new } else { H8Ray::of_any };
        let blocks = (variant.tree() == Tree::H8).then(|| prepare(ray, ray.t_min.max(after.t), bounds.farthest()));
        let watertight =
            matches!(variant.triangle(), TriangleTest::Watertight | TriangleTest::Pair).then(|| Watertight::new(ray));
        let is_finite = inverse.iter().chain(ood.as_flattened()).all(|x| x.is_finite());
        let (wide_inverse, wide_ood) = (inverse.map(f64::from), ood.map(|ood| ood.map(f64::from)));
        Self {
            given: *ray,
            after: *after,
            inverse,
            ood,
            wide_inverse,
            wide_ood,
            is_finite,
            scale,
            box_low,
            watertight,
            blocks,
            takes_any: variant.takes_any_ray(),
            may_leave_undecided: variant.may_leave_undecided(),
        }
    }

    /// Returns the ray as it meets the boxes of a placed tree, prepared in that tree's space; triangles are still
    /// tested by the ray in the world. The tree's `t` is the world's times `power`.
    pub fn among_boxes(&self, slab: &PaddedSlab, power: f32, test: BoxTest) -> Self {
        let (inverse, ood, scale) = (slab.inverse, [slab.ood_lo, slab.ood_hi], slab.scale * power);
        let is_finite = inverse.iter().chain(ood.as_flattened()).all(|x| x.is_finite());
        let (wide_inverse, wide_ood) = (inverse.map(f64::from), ood.map(|ood| ood.map(f64::from)));
        let box_low = box_low(self.t_low() * scale, test);
        Self { inverse, ood, wide_inverse, wide_ood, is_finite, scale, box_low, ..*self }
    }

    /// Returns the nearest `t` at which a hit counts.
    pub fn t_low(&self) -> f32 {
        self.given.t_min.max(self.after.t)
    }

    /// Returns `t` in the distances of box tests; never infinite, so that no box at infinity is hit.
    #[inline]
    pub fn box_distance(&self, t: f32) -> f32 {
        (t * self.scale).min(f32::MAX)
    }

    /// Returns the ray for boxes on a grid: plane `x` of axis `i` lies at the box distance `x * step[i] +
    /// corner[0][i]`, or `corner[1][i]` if it is an upper plane. For [`LaneRay::enter`] alone.
    #[inline(always)]
    pub fn in_steps(&self, step: [f32; 3], corner: [[f32; 3]; 2]) -> Self {
        let ood = corner.map(|side| side.map(|x| -x));
        let is_finite = step.iter().chain(ood.as_flattened()).all(|x| x.is_finite());
        let (wide_inverse, wide_ood) = (step.map(f64::from), ood.map(|ood| ood.map(f64::from)));
        Self { inverse: step, ood, wide_inverse, wide_ood, is_finite, ..*self }
    }

    /// Computes the box distance at which the ray enters each of `N` boxes, given by their planes on each axis, and
    /// whether it does so up to `t_max`.
    ///
    /// Source: ALK12, figure 2: six fused multiply-adds, then minima and maxima.
    #[inline(always)]
    pub fn enter<const N: usize>(
        &self,
        lo: [[f32; N]; 3],
        hi: [[f32; N]; 3],
        t_max: f32,
        test: BoxTest,
    ) -> ([f32; N], [bool; N]) {
        let t_max = self.box_distance(t_max);
        let fused = cfg!(any(target_feature = "fma", target_arch = "aarch64"));
        let (mut t, mut hit, doubtful) = if fused | !self.is_finite {
            ([0.0; N], [false; N], [!NO_DOUBT; N])
        } else if test == BoxTest::Integer {
            self.enter_unless_doubtful::<N, true>(&lo, &hi, t_max)
        } else {
            self.enter_unless_doubtful::<N, false>(&lo, &hi, t_max)
        };
        if doubtful != [NO_DOUBT; N] {
            self.settle(&lo, &hi, t_max, test, &doubtful, &mut t, &mut hit);
        }
        (t, hit)
    }

    /// Tests `N` boxes as [`LaneRay::enter`] does, in f64 for machines without fused multiply-adds, and also returns
    /// the boxes where rounding twice might matter. Without a NaN: for finite rays.
    #[inline(always)]
    fn enter_unless_doubtful<const N: usize, const INTEGER: bool>(
        &self,
        lo: &[[f32; N]; 3],
        hi: &[[f32; N]; 3],
        t_max: f32,
    ) -> ([f32; N], [bool; N], [u64; N]) {
        // Without a NaN these are minima and maxima; machines have no faster ones that know of NaN.
        let (less, more) = (|x: f64, y: f64| if x < y { x } else { y }, |x: f64, y: f64| if x > y { x } else { y });
        let low = f64::from(self.box_low);
        let (mut near, mut far, mut least) = ([low; N], [f64::from(t_max); N], [f64::INFINITY; N]);
        for axis in 0..3 {
            let inverse = self.wide_inverse[axis];
            for i in 0..N {
                let a = f64::from(lo[axis][i]) * inverse - self.wide_ood[0][axis];
                let b = f64::from(hi[axis][i]) * inverse - self.wide_ood[1][axis];
                let leave = more(a, b);
                (near[i], far[i]) = (more(less(a, b), near[i]), less(leave, far[i]));
                if INTEGER {
                    least[i] = less(leave.abs(), least[i]);
                }
            }
        }
        // Rounding keeps the order: of all sums only the two that count have to be rounded, or looked at closely.
        let doubt = |yes: bool| u64::from(yes).wrapping_neg();
        let doubtful = std::array::from_fn(|i| {
            // As `rounds_twice`, but for what was a float before; a far end of zero is looked at for nothing.
            let halfway = doubt(is_halfway(near[i])) | doubt(is_halfway(far[i]));
            let small = doubt(near[i] < SMALL) & doubt(near[i] > low) | doubt(far[i].abs() < SMALL);
            // Integers end up where floats do, but for planes behind the ray of which one may round to a negative zero.
            halfway | small | doubt(INTEGER & (least[i] < SMALL))
        });
        let (near, far) = (near.map(|x| x as f32), far.map(|x| x as f32));
        (near, std::array::from_fn(|i| near[i] <= far[i]), doubtful)
    }

    /// Tests again, exactly, the boxes for which rounding twice might matter.
    #[cold]
    #[inline(never)]
    fn settle<const N: usize>(
        &self,
        lo: &[[f32; N]; 3],
        hi: &[[f32; N]; 3],
        t_max: f32,
        test: BoxTest,
        doubtful: &[u64; N],
        t: &mut [f32; N],
        hit: &mut [bool; N],
    ) {
        for i in (0..N).filter(|&i| doubtful[i] != NO_DOUBT) {
            let bounds = Aabb { min: lo.map(|axis| axis[i]), max: hi.map(|axis| axis[i]) };
            let entry = self.enter_exactly(&bounds, t_max, test);
            (t[i], hit[i]) = (entry.unwrap_or(t_max), entry.is_some());
        }
    }

    /// Tests a box with each plane's distance rounded once, as a fused multiply-add does.
    #[inline(never)]
    fn enter_exactly(&self, bounds: &Aabb, t_max: f32, test: BoxTest) -> Option<f32> {
        let ([a, b, c], [d, e, f]) = (bounds.min, bounds.max);
        let ([i, j, k], [lo, hi]) = (self.inverse, self.ood.map(|ood| ood.map(|x| -x)));
        let [x0, y0, z0, x1, y1, z1] =
            fused_multiply_adds([a, b, c, d, e, f], [i, j, k, i, j, k], [lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]]);
        let (lo, hi) = ([x0, y0, z0], [x1, y1, z1]);
        match test {
            BoxTest::Float => span_float(lo, hi, self.box_low, t_max),
            BoxTest::Integer => span_integer(lo, hi, self.box_low, t_max),
        }
    }
}

/// Mask of a box whose test is not doubtful; masks rather than bools, as they compile to vectors.
const NO_DOUBT: u64 = 0;

/// Magnitude below which f32 numbers are denormal, and halfway between two of them has other bits.
const SMALL: f64 = f32::MIN_POSITIVE as f64;

/// Returns `true` if the f64 sum may lie halfway between two f32 numbers.
#[inline(always)]
fn is_halfway(sum: f64) -> bool {
    const HALF: u64 = 1 << 28;
    sum.to_bits() & (2 * HALF - 1) == HALF
}

/// Returns the nearest distance in the overlap of three spans and `low ..= high`, by float minimum and maximum; `None`
/// if they do not overlap.
#[inline(always)]
pub(crate) fn span_float(a: [f32; 3], b: [f32; 3], low: f32, high: f32) -> Option<f32> {
    // A NaN drops out of either, as in the papers' instructions.
    let near = (0..3).fold(low, |t, i| t.max(a[i].min(b[i])));
    let far = (0..3).fold(high, |t, i| t.min(a[i].max(b[i])));
    (near <= far).then_some(near)
}

/// Returns the nearest distance in the overlap of the spans, by integer minimum and maximum on the floats' bits. `low`
/// must not be negative, so that wrong orders among negative floats do not matter (ALK12).
#[inline(always)]
pub(crate) fn span_integer(a: [f32; 3], b: [f32; 3], low: f32, high: f32) -> Option<f32> {
    let bits = |x: f32| x.to_bits() as i32;
    let near = (0..3).fold(bits(low), |t, i| t.max(bits(a[i]).min(bits(b[i]))));
    let far = (0..3).fold(bits(high), |t, i| t.min(bits(a[i]).max(bits(b[i]))));
    // Compared as floats: a negative far end is wrong in its size, but not in its sign.
    let (near, far) = (f32::from_bits(near as u32), f32::from_bits(far as u32));
    (near <= far).then_some(near)
}

/// Returns the nearest distance at which a box counts, for a box test by integers or floats.
fn box_low(low: f32, test: BoxTest) -> f32 {
    // Integers order floats only if one of two is not negative (ALK12); and -0 is the least of them.
    if test == BoxTest::Integer { low.max(0.0) + 0.0 } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_and_float_spans_agree_for_all_sign_cases() {
        // Each plane distance of each axis takes each of these: all 8^6 cases of signs, zero and order.
        let values = [f32::NEG_INFINITY, -3.0, -1.0, 0.0, 1.0, 2.5, 7.0, f32::INFINITY];
        let mut hits = 0u32;
        for case in 0..values.len().pow(6) {
            let mut rest = case;
            let mut next = || {
                let value = values[rest % values.len()];
                rest /= values.len();
                value
            };
            let (a, b) = ([next(), next(), next()], [next(), next(), next()]);
            for (low, high) in [(0.0, f32::INFINITY), (1.5, 3.0), (2.0, 1.0)] {
                let (float, integer) = (span_float(a, b, low, high), span_integer(a, b, low, high));
                assert_eq!(float, integer, "{a:?} {b:?} from {low} to {high}");
                hits += u32::from(float.is_some());
            }
        }
        assert!(hits > 100_000);
    }

    #[test]
    fn rounding_only_what_counts_changes_no_box_test() {
        let mut numbers = raywarp_testing::Random::new(5);
        let mut random = || numbers.integer() as usize;
        let scene = Aabb { min: [-8.0; 3], max: [8.0; 3] };
        // Few values, so that planes, origins and distances coincide; and all bits of a float between.
        let few = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -3.0, 1.0 + f32::EPSILON, 7.999_999_5, 1e-30, -1e-38];
        let (mut hits, mut all) = (0, 0);
        for round in 0..200_000 {
            let mut number = || {
                if random() % 4 > 0 { few[random() % few.len()] } else { random() as f32 / (1u32 << 28) as f32 - 4.0 }
            };
            let mut ray = Ray::new([number(), number(), number()], [number(), number(), number()]);
            (ray.t_min, ray.t_max) = (number().abs(), if round % 3 == 0 { f32::INFINITY } else { number().abs() });
            let (p, q): ([f32; 3], [f32; 3]) = ([(); 3].map(|()| number()), [(); 3].map(|()| number()));
            let bounds =
                Aabb { min: std::array::from_fn(|i| p[i].min(q[i])), max: std::array::from_fn(|i| p[i].max(q[i])) };
            for text in ["", "box=integer", "planes=plain", "box=integer&planes=plain"] {
                let variant: Variant = format!("direct/while-while/bvh2?{text}").trim_end_matches('?').parse().unwrap();
                let lane = LaneRay::new(&ray, &HitKey::START, &scene, &variant);
                let test = variant.box_test();
                let slow = lane.enter_exactly(&bounds, lane.box_distance(ray.t_max), test);
                // Beside itself, and beside boxes that are another matter.
                let one = lane.enter(bounds.min.map(|x| [x]), bounds.max.map(|x| [x]), ray.t_max, test);
                let two = lane.enter(
                    std::array::from_fn(|i| [[0.0, 0.5, -0.0][i], bounds.min[i]]),
                    std::array::from_fn(|i| [1.0, bounds.max[i]]),
                    ray.t_max,
                    test,
                );
                for (t, hit) in [(one.0[0], one.1[0]), (two.0[1], two.1[1])] {
                    let fast = hit.then_some(t);
                    // A zero of either sign is the same place.
                    assert!(
                        fast == slow && fast.map(|t| t == 0.0 || t.is_sign_positive()) == slow.map(|_| true),
                        "{ray:?} {bounds:?} {text}: {fast:?}, exactly {slow:?}"
                    );
                }
                hits += u32::from(slow.is_some());
                all += 1;
            }
        }
        assert!(hits > all / 40 && hits < all, "{hits} of {all}");
    }

    #[test]
    fn a_negative_zero_counts_as_behind_for_integers() {
        // The one difference: a box that a ray leaves at the very -0. Padded planes are never zero there.
        let (a, b) = ([-1.0; 3], [-0.0; 3]);
        assert_eq!(span_float(a, b, 0.0, 1.0), Some(0.0));
        assert_eq!(span_integer(a, b, 0.0, 1.0), None);
    }

    #[test]
    fn without_a_floor_of_zero_integers_go_wrong() {
        // Why ALK12 needs t_min >= 0: both spans are behind, and the farther one wins.
        let (a, b) = ([-1.0; 3], [-3.0; 3]);
        assert_eq!(span_float(a, b, f32::NEG_INFINITY, 0.0), Some(-3.0));
        assert_ne!(span_integer(a, b, f32::NEG_INFINITY, 0.0), Some(-3.0));
    }
}
