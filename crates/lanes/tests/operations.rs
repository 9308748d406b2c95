//! Every operation on lanes, of every instruction set of this CPU and at 4, 8 and 16 lanes, against the scalar one.

use crate::common::{Check, Lanes, ROUNDS, everywhere, identical, same, truths, words};
use raywarp_lanes::{InstructionSet, Isa, Mask, Task, Vector, Words};

#[test]
fn arithmetic_of_floats_rounds_as_scalars_do() {
    struct Arithmetic;
    impl Check for Arithmetic {
        #[inline(always)]
        fn check<V: Vector<N>, const N: usize>(&self, set: V::Set) {
            let mut random = Lanes::new(1);
            for _ in 0..ROUNDS {
                let [a, b, c]: [[f32; N]; 3] = std::array::from_fn(|_| random.floats());
                let [x, y, z] = [&a, &b, &c].map(|lanes| V::load(set, lanes));
                same("add", (x + y).store(), |i| a[i] + b[i]);
                same("sub", (x - y).store(), |i| a[i] - b[i]);
                same("mul", (x * y).store(), |i| a[i] * b[i]);
                same("div", (x / y).store(), |i| a[i] / b[i]);
                same("sqrt", x.sqrt().store(), |i| a[i].sqrt());
                same("not fused", (x * y + z).store(), |i| a[i] * b[i] + c[i]);
                same("mul_add", x.mul_add(y, z).store(), |i| a[i].mul_add(b[i], c[i]));
                same("mul_sub", x.mul_sub(y, z).store(), |i| a[i].mul_add(b[i], -c[i]));
                same("neg_mul_add", x.neg_mul_add(y, z).store(), |i| (-a[i]).mul_add(b[i], c[i]));
                same("floor", x.floor().store(), |i| a[i].floor());
                identical("neg", (-x).store(), |i| -a[i]);
                identical("abs", x.abs().store(), |i| a[i].abs());
                identical("min", Vector::min(x, y).store(), |i| if a[i] < b[i] { a[i] } else { b[i] });
                identical("max", Vector::max(x, y).store(), |i| if a[i] > b[i] { a[i] } else { b[i] });
            }
        }
    }
    everywhere(&Arithmetic);
}

#[test]
fn comparisons_and_choices_are_those_of_scalars() {
    struct Choices;
    impl Check for Choices {
        #[inline(always)]
        fn check<V: Vector<N>, const N: usize>(&self, set: V::Set) {
            let mut random = Lanes::new(2);
            for round in 0..ROUNDS {
                let (a, mut b): ([f32; N], [f32; N]) = (random.floats(), random.floats());
                if round % 3 == 0 {
                    b[round % N] = a[round % N];
                }
                let (x, y) = (V::load(set, &a), V::load(set, &b));
                truths("lt", x.lt(y), |i| a[i] < b[i]);
                truths("le", x.le(y), |i| a[i] <= b[i]);
                truths("eq", x.eq(y), |i| a[i] == b[i]);
                truths("gt", x.gt(y), |i| a[i] > b[i]);
                truths("ge", x.ge(y), |i| a[i] >= b[i]);
                let bits = random.mask::<N>();
                let chosen = V::select(V::Mask::from_bits(set, bits), x, y);
                identical("select", chosen.store(), |i| if bits >> i & 1 == 1 { a[i] } else { b[i] });
                let chosen = V::select(x.lt(y), x, y);
                identical("select by lt", chosen.store(), |i| if a[i] < b[i] { a[i] } else { b[i] });
            }
        }
    }
    everywhere(&Choices);
}

#[test]
fn conversions_are_those_of_scalars() {
    struct Conversions;
    impl Check for Conversions {
        #[inline(always)]
        fn check<V: Vector<N>, const N: usize>(&self, set: V::Set) {
            let mut random = Lanes::new(3);
            for _ in 0..ROUNDS {
                let (a, b): ([f32; N], [u32; N]) = (random.floats(), random.words());
                let (x, y) = (V::load(set, &a), V::Words::load(set, &b));
                words("to_u32", x.to_u32().store(), |i| a[i] as u32);
                words("to_i32", x.to_i32().store(), |i| (a[i] as i32).cast_unsigned());
                identical("from_u32", V::from_u32(y).store(), |i| b[i] as f32);
                identical("from_i32", V::from_i32(y).store(), |i| b[i].cast_signed() as f32);
                words("to_bits", x.to_bits().store(), |i| a[i].to_bits());
                identical("from_bits", V::from_bits(y).store(), |i| f32::from_bits(b[i]));
            }
        }
    }
    everywhere(&Conversions);
}

#[test]
fn words_are_unsigned_integers_modulo_2_to_the_32() {
    struct Integers;
    impl Check for Integers {
        #[inline(always)]
        fn check<V: Vector<N>, const N: usize>(&self, set: V::Set) {
            let mut random = Lanes::new(4);
            for round in 0..ROUNDS {
                let (a, mut b): ([u32; N], [u32; N]) = (random.words(), random.words());
                if round % 3 == 0 {
                    b[round % N] = a[round % N];
                }
                let (x, y) = (V::Words::load(set, &a), V::Words::load(set, &b));
                words("add", (x + y).store(), |i| a[i].wrapping_add(b[i]));
                words("sub", (x - y).store(), |i| a[i].wrapping_sub(b[i]));
                words("mul", (x * y).store(), |i| a[i].wrapping_mul(b[i]));
                words("and", (x & y).store(), |i| a[i] & b[i]);
                words("or", (x | y).store(), |i| a[i] | b[i]);
                words("xor", (x ^ y).store(), |i| a[i] ^ b[i]);
                words("not", (!x).store(), |i| !a[i]);
                words("min", Words::min(x, y).store(), |i| a[i].min(b[i]));
                words("max", Words::max(x, y).store(), |i| a[i].max(b[i]));
                words("reverse_bits", x.reverse_bits().store(), |i| a[i].reverse_bits());
                truths("eq", x.eq(y), |i| a[i] == b[i]);
                truths("lt", x.lt(y), |i| a[i] < b[i]);
                truths("lt_signed", x.lt_signed(y), |i| a[i].cast_signed() < b[i].cast_signed());
                let count = b[0];
                words("shl", x.shl(count).store(), |i| a[i].unbounded_shl(count));
                words("shr", x.shr(count).store(), |i| a[i].unbounded_shr(count));
                words("shl_each", x.shl_each(y).store(), |i| a[i].unbounded_shl(b[i]));
                words("shr_each", x.shr_each(y).store(), |i| a[i].unbounded_shr(b[i]));
                let bits = random.mask::<N>();
                let chosen = V::Words::select(V::Mask::from_bits(set, bits), x, y);
                words("select", chosen.store(), |i| if bits >> i & 1 == 1 { a[i] } else { b[i] });
                words(
                    "keep",
                    x.keep(V::Mask::from_bits(set, bits)).store(),
                    |i| if bits >> i & 1 == 1 { a[i] } else { 0 },
                );
            }
            words("count_up", V::Words::count_up(set).store(), |i| i as u32);
        }
    }
    everywhere(&Integers);
}

#[test]
fn masks_are_sets_of_lanes() {
    struct Masks;
    impl Check for Masks {
        #[inline(always)]
        fn check<V: Vector<N>, const N: usize>(&self, set: V::Set) {
            let mut random = Lanes::new(5);
            for _ in 0..ROUNDS {
                let (a, b) = (random.mask::<N>(), random.mask::<N>());
                // What stands behind the lanes does not count.
                let beyond = if N < 32 { random.next() << N } else { 0 };
                let (x, y) = (V::Mask::from_bits(set, a | beyond), V::Mask::from_bits(set, b));
                truths("from_bits", x, |i| a >> i & 1 == 1);
                truths("and", x & y, |i| (a & b) >> i & 1 == 1);
                truths("or", x | y, |i| (a | b) >> i & 1 == 1);
                truths("xor", x ^ y, |i| (a ^ b) >> i & 1 == 1);
                truths("not", !x, |i| a >> i & 1 == 0);
                assert_eq!((x.any(), x.all()), (a != 0, a.count_ones() as usize == N));
                assert_eq!(x.count(), a.count_ones() as usize);
            }
            for count in [0, 1, N - 1, N, N + 1, 1000] {
                truths("first", V::Mask::first(set, count), |i| i < count);
            }
        }
    }
    everywhere(&Masks);
}

#[test]
fn a_task_runs_with_the_set_that_was_asked_for() {
    struct Which;
    impl Task for Which {
        type Output = (Isa, usize);
        #[inline(always)]
        fn run<S: InstructionSet>(self, set: S) -> Self::Output {
            set.prefetch(std::ptr::null());
            (set.isa(), S::NATIVE_LANES)
        }
    }
    for isa in Isa::all() {
        let (ran, lanes) = isa.run(Which);
        assert_eq!(ran, isa);
        let expected = match isa.name() {
            "avx512" => 16,
            "avx2" => 8,
            "neon" | "simd128" => 4,
            _ => 1,
        };
        assert_eq!(lanes, expected);
    }
}
