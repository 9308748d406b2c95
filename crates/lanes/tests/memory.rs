//! Loads, stores, compressing and gathers of every instruction set of this CPU, at 4, 8 and 16 lanes, against indexing.

use crate::common::{Check, Lanes, everywhere, identical, words};
use raywarp_lanes::{Mask, Vector, Words};

#[test]
fn memory_is_read_and_written_in_the_order_of_lanes() {
    struct Memory;
    impl Check for Memory {
        #[inline(always)]
        fn check<V: Vector<N>, const N: usize>(&self, set: V::Set) {
            let mut random = Lanes::new(6);
            identical("splat", V::splat(set, -0.0).store(), |_| -0.0);
            words("splat", V::Words::splat(set, 7 << 29).store(), |_| 7 << 29);
            for length in 0..N + 3 {
                let a: Vec<f32> = (0..length).map(|_| random.float()).collect();
                let b: Vec<u32> = (0..length).map(|_| random.word()).collect();
                let (x, y) = (V::load_part(set, &a), V::Words::load_part(set, &b));
                identical("load_part", x.store(), |i| a.get(i).copied().unwrap_or(0.0));
                words("load_part", y.store(), |i| b.get(i).copied().unwrap_or(0));
                let (mut floats, mut integers) = (vec![9.0; length], vec![9; length]);
                x.store_part(&mut floats);
                y.store_part(&mut integers);
                for i in 0..length {
                    assert_eq!(floats[i].to_bits(), if i < N { a[i].to_bits() } else { 9.0f32.to_bits() });
                    assert_eq!(integers[i], if i < N { b[i] } else { 9 });
                }
            }
        }
    }
    everywhere(&Memory);
}

#[test]
fn compressing_keeps_the_lanes_of_a_mask_in_order() {
    struct Compressing;
    impl Check for Compressing {
        #[inline(always)]
        fn check<V: Vector<N>, const N: usize>(&self, set: V::Set) {
            let mut random = Lanes::new(7);
            // Every mask there is, up to 16 lanes.
            for bits in 0..1u32 << N.min(16) {
                let (a, b): ([f32; N], [u32; N]) = (random.floats(), random.words());
                let lanes: Vec<usize> = (0..N).filter(|i| bits >> i & 1 == 1).collect();
                let mask = V::Mask::from_bits(set, bits);
                let (x, y) = (V::load(set, &a), V::Words::load(set, &b));
                identical("compress", x.compress(mask).store(), |i| lanes.get(i).map_or(0.0, |&lane| a[lane]));
                words("compress", y.compress(mask).store(), |i| lanes.get(i).map_or(0, |&lane| b[lane]));
                let (mut floats, mut integers) = (vec![9.0; N + 1], vec![9; N + 1]);
                assert_eq!(x.compress_to(mask, &mut floats), lanes.len());
                assert_eq!(y.compress_to(mask, &mut integers), lanes.len());
                for i in 0..N {
                    let want = lanes.get(i).map_or((0, 0), |&lane| (a[lane].to_bits(), b[lane]));
                    assert_eq!((floats[i].to_bits(), integers[i]), want);
                }
                assert_eq!((floats[N], integers[N]), (9.0, 9));
            }
        }
    }
    everywhere(&Compressing);
}

#[test]
fn gathers_read_the_entries_of_lanes_in_the_mask_alone() {
    struct Gathering;
    impl Check for Gathering {
        #[inline(always)]
        fn check<V: Vector<N>, const N: usize>(&self, set: V::Set) {
            let mut random = Lanes::new(8);
            for round in 0..400 {
                let length = [0, 1, 2, 40][round % 4];
                let floats: Vec<f32> = (0..length).map(|_| random.float()).collect();
                let table: Vec<u32> = (0..length).map(|_| random.word()).collect();
                let small: Vec<[u32; 4]> = (0..length).map(|_| random.words()).collect();
                let large: Vec<[u32; 16]> = (0..length).map(|_| random.words()).collect();
                let bits = if length == 0 { 0 } else { random.mask::<N>() };
                // Lanes outside of the mask may point anywhere.
                let index: [u32; N] = std::array::from_fn(|i| {
                    let place = random.next();
                    if bits >> i & 1 == 1 { place % length as u32 } else { place }
                });
                let (lanes, mask) = (V::Words::load(set, &index), V::Mask::from_bits(set, bits));
                let place = |i: usize| (bits >> i & 1 == 1).then_some(index[i] as usize);
                identical("gather", V::gather(&floats, lanes, mask).store(), |i| place(i).map_or(0.0, |at| floats[at]));
                words("gather", lanes.gather(&table, mask).store(), |i| place(i).map_or(0, |at| table[at]));
                for (word, got) in lanes.gather_records(&small, mask).into_iter().enumerate() {
                    words("records of 4", got.store(), |i| place(i).map_or(0, |at| small[at][word]));
                }
                for (word, got) in lanes.gather_records(&large, mask).into_iter().enumerate() {
                    words("records of 16", got.store(), |i| place(i).map_or(0, |at| large[at][word]));
                }
            }
        }
    }
    everywhere(&Gathering);
}

/// What [`Outside`] gathers.
#[derive(Debug, Clone, Copy)]
enum Table {
    Floats,
    Integers,
    Records,
}

/// Gathers in all lanes from a table of five, of which one lane has an index of its own.
#[derive(Clone, Copy)]
struct Outside {
    table: Table,
    lane: usize,
    index: u32,
}

impl Check for Outside {
    #[inline(always)]
    fn check<V: Vector<N>, const N: usize>(&self, set: V::Set) {
        let mut index = [4; N];
        index[self.lane % N] = self.index;
        let (index, all) = (V::Words::load(set, &index), V::Mask::from_bits(set, u32::MAX));
        let gather = || match self.table {
            Table::Floats => drop(V::gather(&[1.0; 5], index, all).store()),
            Table::Integers => drop(index.gather(&[1; 5], all).store()),
            Table::Records => drop(index.gather_records(&[[1; 8]; 5], all).map(Words::store)),
        };
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(gather));
        assert!(refused.is_err(), "{:?}, lane {} of {N}, index {}", self.table, self.lane, self.index);
    }
}

#[test]
#[cfg_attr(panic = "abort", ignore = "a panic ends this program")]
fn an_index_outside_of_a_table_is_refused_in_every_lane() {
    let silent = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for table in [Table::Floats, Table::Integers, Table::Records] {
        for (lane, index) in [(0, 5), (3, u32::MAX), (7, 1 << 31), (15, 5), (2, 1 << 30)] {
            everywhere(&Outside { table, lane, index });
        }
    }
    std::panic::set_hook(silent);
}
