//! Nanoseconds to bring a record of 64 bytes into lanes: whole by [`Words::gather_records`], or word by word by
//! [`Words::gather`], on every instruction set of this CPU.
//!
//! `cargo run --release -p raywarp-lanes --example gather_speed`. The records lie at random places of a table that fits
//! the first-level cache, the second, or neither. Of each the fastest of several runs counts.
#![forbid(unsafe_code)]

use raywarp_lanes::{InstructionSet, Isa, Mask, Task, Vector, Words};
use std::time::Instant;

type Record = [u32; 16];

/// The exclusive or of all words of each record that is asked for.
struct Fold<'a> {
    table: &'a [Record],
    index: &'a [u32],
    folded: &'a mut [u32],
    /// Sixteen lanes instead of eight.
    wide: bool,
    /// Whole records instead of words.
    whole: bool,
}

impl Task for Fold<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(mut self, set: S) {
        if self.wide {
            fold::<S::F16, 16>(set, &mut self);
        } else {
            fold::<S::F8, 8>(set, &mut self);
        }
    }
}

#[inline(always)]
fn fold<V: Vector<N>, const N: usize>(set: V::Set, task: &mut Fold<'_>) {
    let words = task.table.as_flattened();
    for (index, folded) in task.index.chunks(N).zip(task.folded.chunks_mut(N)) {
        let mask = V::Mask::first(set, index.len());
        let index = V::Words::load_part(set, index);
        let mut sum = V::Words::splat(set, 0);
        if task.whole {
            for word in index.gather_records(task.table, mask) {
                sum = sum ^ word;
            }
        } else {
            let first = index.shl(4);
            for word in 0..16 {
                sum = sum ^ (first + V::Words::splat(set, word)).gather(words, mask);
            }
        }
        sum.store_part(folded);
    }
}

fn main() {
    let mut numbers = raywarp_testing::Random::new(1);
    let mut random = || numbers.integer() as u32;
    for kib in [16, 256, 65536] {
        let table: Vec<Record> = (0..16 * kib).map(|_| std::array::from_fn(|_| random())).collect();
        let index: Vec<u32> = (0..4099).map(|_| random() % table.len() as u32).collect();
        let want: Vec<u32> = index.iter().map(|&i| table[i as usize].iter().fold(0, |sum, word| sum ^ word)).collect();
        for isa in Isa::all() {
            print!("{kib:6} KiB  {:8}", isa.name());
            for (wide, whole) in [(false, true), (false, false), (true, true), (true, false)] {
                let (mut folded, mut best) = (vec![0; index.len()], f64::INFINITY);
                for _ in 0..40 {
                    let start = Instant::now();
                    isa.run(Fold { table: &table, index: &index, folded: &mut folded, wide, whole });
                    best = best.min(start.elapsed().as_secs_f64());
                }
                assert_eq!(folded, want);
                let (lanes, how) = (if wide { 16 } else { 8 }, if whole { "records" } else { "words" });
                print!("  {lanes} lanes, {how} {:5.2} ns", best * 1e9 / index.len() as f64);
            }
            println!();
        }
    }
}
