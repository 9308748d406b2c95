//! IEEE half-precision arithmetic in software, bit for bit as GPUs do it (round to nearest, even).
//!
//! A half is its 16 bits here: an integer comparison orders those that are not negative.

/// Bits of positive infinity as a 16-bit float.
pub const HALF_INFINITY: u16 = 0x7c00;
/// Exponent of the smallest step between 16-bit floats, 2^-24, which is that of the denormal ones.
const LEAST_EXPONENT: i32 = -24;

/// Rounds an `f32` to the nearest 16-bit float and returns its bits. Beyond 65520 it is infinite.
#[inline]
pub fn half_from_f32(x: f32) -> u16 {
    round_to_half(f64::from(x))
}

/// Returns the value of a 16-bit float, given by its bits.
#[inline]
pub fn half_to_f64(half: u16) -> f64 {
    let (sign, size) = (u64::from(half >> 15) << 63, u64::from(half & 0x7fff));
    if size >= u64::from(HALF_INFINITY) {
        let size = if size == u64::from(HALF_INFINITY) { f64::INFINITY } else { f64::NAN };
        return if sign == 0 { size } else { -size };
    }
    // The same digits as an f64, whose exponents are counted from 1023 and not from 15.
    f64::from_bits(sign | size << 42) * power(1023 - 15)
}

/// Computes `a * b + c` of 16-bit floats, given by their bits, with a single rounding.
#[inline]
pub fn half_multiply_add(a: u16, b: u16, c: u16) -> u16 {
    // The product has 22 bits. The sum may have more than 53, but what f64 cuts of a sum of two numbers that lie so
    // far apart is less than a half notices, except beside the middle between two halves: those are nudged.
    let (product, c) = (half_to_f64(a) * half_to_f64(b), half_to_f64(c));
    let sum = product + c;
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    if lost == 0.0 || !sum.is_finite() || sum.to_bits() & 1 == 1 {
        return round_to_half(sum);
    }
    // Rounding to odd keeps which side of a middle the exact sum is on.
    let outward = (lost > 0.0) == (sum > 0.0);
    round_to_half(f64::from_bits(if outward { sum.to_bits() + 1 } else { sum.to_bits() - 1 }))
}

/// Rounds to the nearest 16-bit float and returns its bits; ties go to the even one.
#[inline]
fn round_to_half(x: f64) -> u16 {
    let sign = ((x.to_bits() >> 48) & 0x8000) as u16;
    let size = x.abs();
    if size.is_nan() {
        return sign | 0x7fff;
    }
    if size >= 65520.0 {
        return sign | HALF_INFINITY;
    }
    // Exponent of the half's last bit, and how many of that.
    let exponent = ((size.to_bits() >> 52) as i32 - 1023 - 10).max(LEAST_EXPONENT);
    // A sum with 2^52 has no room for fractions: to the nearest, even. Some machines call a function for that.
    let steps = ((size * power(-exponent) + power(52)) - power(52)) as u16;
    // A carry into the exponent is what rounding up to the next power of two is.
    sign | ((((exponent - LEAST_EXPONENT) as u16) << 10) + steps)
}

/// Returns 2^`exponent` as an `f64`, for exponents of normal numbers.
#[inline]
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back_and_they_are_in_order() {
        let mut last = -1.0;
        for bits in 0..=HALF_INFINITY {
            let x = half_to_f64(bits);
            assert!(x > last, "{bits:#x}");
            last = x;
            assert_eq!((half_from_f32(x as f32), half_from_f32(-x as f32)), (bits, bits | 0x8000));
        }
        assert!(half_to_f64(0x7c01).is_nan() && half_from_f32(f32::NAN) & 0x7fff > HALF_INFINITY);
        let known = [(1.0, 0x3c00), (-2.0, 0xc000), (65504.0, 0x7bff), (2f32.powi(-24), 1), (2f32.powi(-14), 0x400)];
        assert!(known.into_iter().all(|(x, bits)| half_from_f32(x) == bits));
    }

    #[test]
    fn middles_go_to_even_and_all_else_to_the_nearest() {
        for bits in 0..HALF_INFINITY - 1 {
            let (low, high) = (half_to_f64(bits), half_to_f64(bits + 1));
            let middle = ((low + high) / 2.0) as f32;
            assert_eq!(half_from_f32(middle), bits + (bits & 1));
            assert_eq!(half_from_f32(middle.next_down()), bits);
            assert_eq!(half_from_f32(middle.next_up()), bits + 1);
        }
        assert_eq!(half_from_f32(65519.99), 0x7bff);
        assert_eq!(half_from_f32(65520.0), HALF_INFINITY);
    }

    /// Returns the value of a 16-bit float as an exact multiple of 2^-24, with which results are compared.
    fn fixed(half: u16) -> i128 {
        (half_to_f64(half) * 2f64.powi(24)) as i128
    }

    #[test]
    fn products_and_sums_are_rounded_once() {
        let mut random = raywarp_testing::Random::new(1);
        let mut next = || (random.state() >> 48) as u16;
        let finite = |bits: u16| if bits >> 10 & 31 == 31 { bits & !0x4000 } else { bits };
        for round in 0..400_000 {
            let (mut a, b, c) = (finite(next()), finite(next()), finite(next()));
            if round % 2 == 0 {
                // A byte as it stands.
                a &= 255;
            }
            let exact = (fixed(a) * fixed(b)) + (fixed(c) << 24);
            let got = half_multiply_add(a, b, c);
            if exact == 0 {
                assert_eq!(got & 0x7fff, 0);
                continue;
            }
            let size = got & 0x7fff;
            assert_eq!(got >> 15 == 1, exact < 0);
            if size == HALF_INFINITY {
                assert!(exact.abs() >= (65520i128 << 48), "{a:#x} {b:#x} {c:#x}");
                continue;
            }
            // No neighbour is nearer, and of two equally near ones it is the even one.
            let distance = |bits: u16| ((fixed(bits) << 24) - exact.abs()).abs();
            let up = if size + 1 == HALF_INFINITY { (65536i128 << 48) - exact.abs() } else { distance(size + 1) };
            assert!(distance(size) < up || (distance(size) == up && size.is_multiple_of(2)), "{a:#x} {b:#x} {c:#x}");
            if size > 0 {
                let down = distance(size - 1);
                assert!(
                    distance(size) < down || (distance(size) == down && size.is_multiple_of(2)),
                    "{a:#x} {b:#x} {c:#x}"
                );
            }
        }
    }
}
