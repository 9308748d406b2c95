//! Finds how often warps issue each block of a kernel, from a profiler's counts: which combination of events it is.
//!
//! Counts by instruction on several batches are compared with the events of the Rust schedule on the same rays (the
//! example `instruction_counts` of raywarp-bench). A combination is found on all batches but the last two, which tell
//! how far it holds.

use super::block_costs::{CompiledKernel, Shape};
use super::counts::{Launch, launches};
use raywarp_costs::{EventKind, IssueFormula};
use raywarp_cuda::Block;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Number of batches at the end on which formulas are tested rather than found.
const HELD_OUT: usize = 2;
/// Largest fraction of the instructions issued on a held-out batch that formulas may count wrongly.
const MOST_RESIDUAL: f64 = 0.01;
/// Relative errors of counts that a formula may have, each with the largest number of its parts; the next pair is tried
/// where nothing fits. Many parts fit something by chance, the sooner the coarser.
const TOLERANCES: [(f64, usize); 3] = [(0.001, 3), (0.006, 3), (0.015, 2)];
/// Factor by which an event of another operation must be nearer to be chosen, where no formula fits exactly.
const OTHERS_PENALTY: f64 = 1.3;
/// Largest factor of the event in a formula of one part: a loop without events of its own runs as often for each event.
const MOST_ITERATIONS: f64 = 32.0;

/// Formulas for how often a kernel's basic blocks are issued, from a profiler's counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Hash of the kernel's machine code.
    pub fingerprint: u64,
    /// Largest fraction, over the two held-out batches, of instructions that the formulas count wrongly.
    pub residual: f64,
    /// Basic blocks of the kernel, by offset.
    pub blocks: Vec<MeasuredBlock>,
}

/// A basic block of a kernel that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredBlock {
    pub offset: u32,
    pub shape: Shape,
    /// Formula for the number of times that the block is issued; where none fits, the nearest one, or an empty one.
    pub issued: IssueFormula,
    /// `true` if the formula fits the profiler's counts.
    pub fits: bool,
}

impl Measured {
    /// Returns `true` if the formulas hold on the batches that they were not found on.
    pub fn holds(&self) -> bool {
        self.residual <= MOST_RESIDUAL
    }
}

/// Header line of the table of measured kernels: the names of its columns.
const COLUMNS: &str = "kernel,code,residual,offset,fit,issued,shape,places";

/// Parses a table of measured kernels.
///
/// # Errors
/// A line that is none.
pub fn read(table: &str) -> Result<BTreeMap<String, Measured>, String> {
    let mut kernels = BTreeMap::new();
    for line in table.lines().skip(1) {
        let wrong = || format!("what was measured: {line:?} is no line of it");
        let fields: Vec<&str> = line.split(',').collect();
        let [kernel, code, residual, offset, fit, issued, shape, places] = fields[..] else { return Err(wrong()) };
        let shape: Vec<&str> = shape.split(' ').collect();
        if shape.iter().any(|word| !["runs", "waits", "called"].contains(word)) {
            return Err(wrong());
        }
        let fingerprint = u64::from_str_radix(code, 16).map_err(|_| wrong())?;
        let residual = residual.parse().map_err(|_| wrong())?;
        let empty = Measured { fingerprint, residual, blocks: vec![] };
        let places = places.split_whitespace().map(|place| u32::from_str_radix(place, 16));
        let places = places.collect::<Result<_, _>>().map_err(|_| wrong())?;
        kernels.entry(kernel.to_string()).or_insert(empty).blocks.push(MeasuredBlock {
            offset: offset.parse().map_err(|_| wrong())?,
            shape: Shape { places, waits: shape.contains(&"waits"), called: shape.contains(&"called") },
            issued: issued.parse().map_err(|error| format!("{error}: {}", wrong()))?,
            fits: match fit {
                "exact" => true,
                "nearest" => false,
                _ => return Err(wrong()),
            },
        });
    }
    Ok(kernels)
}

/// Returns the table of measured kernels as text.
pub fn write(kernels: &BTreeMap<String, Measured>) -> String {
    let mut text = format!("{COLUMNS}\n");
    for (kernel, m) in kernels {
        for block in &m.blocks {
            let fit = if block.fits { "exact" } else { "nearest" };
            let shape = match (block.shape.waits, block.shape.called) {
                (true, true) => "called waits",
                (true, false) => "waits",
                (false, true) => "called",
                (false, false) => "runs",
            };
            let places: Vec<String> = block.shape.places.iter().map(|place| format!("{place:x}")).collect();
            let (code, residual, places) = (m.fingerprint, m.residual, places.join(" "));
            let (offset, issued) = (block.offset, &block.issued);
            text += &format!("{kernel},{code:016x},{residual:.5},{offset},{fit},{issued},{shape},{places}\n");
        }
    }
    text
}

/// Replaces source lines of measured basic blocks whose names were changed.
pub fn rename_places(measured: &mut BTreeMap<String, Measured>, renames: &BTreeMap<u32, u32>) {
    for block in measured.values_mut().flat_map(|measured| &mut measured.blocks) {
        block.shape.places.iter_mut().for_each(|place| *place = renames.get(place).copied().unwrap_or(*place));
        block.shape.places.sort_unstable();
        block.shape.places.dedup();
    }
}

/// Updates the source lines of measured basic blocks whose machine code is unchanged in `kernels`, as other kernels'
/// blocks are matched by them.
pub fn renew_places(measured: &mut BTreeMap<String, Measured>, kernels: &[CompiledKernel]) {
    for kernel in kernels {
        let same = measured.get_mut(&kernel.name).filter(|measured| measured.fingerprint == kernel.fingerprint);
        for known in same.into_iter().flat_map(|measured| &mut measured.blocks) {
            if let Some(block) = kernel.blocks.iter().find(|block| block.cost.offset == known.offset) {
                known.shape = block.shape.clone();
            }
        }
    }
}

/// Returns the formulas of `kernels`, by name, from the profiler's `counts` and the schedules' `events`.
///
/// # Errors
/// Files that are malformed, that do not fit each other, or that are of other code.
pub fn measure(kernels: &[CompiledKernel], events: &str, counts: &str) -> Result<BTreeMap<String, Measured>, String> {
    let launches = launches(events, counts)?;
    let mut measured = BTreeMap::new();
    for kernel in kernels {
        let own: Vec<&Launch> = launches.iter().filter(|launch| launch.kernel == kernel.name).collect();
        if own.iter().any(|launch| opcodes(launch.opcodes.iter().map(String::as_str)) != kernel.opcodes) {
            return Err(format!("{}: the profiler counted other code", kernel.name));
        }
        if own.len() > HELD_OUT {
            measured.insert(kernel.name.clone(), fit(kernel, &own)?);
        }
    }
    Ok(measured)
}

/// Returns a hash of a sequence of opcodes, without suffixes, which tools print differently.
pub fn opcodes<'a>(opcodes: impl Iterator<Item = &'a str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    opcodes.for_each(|opcode| opcode.split('.').next().hash(&mut hasher));
    hasher.finish()
}

/// A part that formulas are made of, with its number of events on each batch.
#[derive(Debug, Clone)]
struct Part {
    terms: Vec<(i32, EventKind)>,
    times: Vec<f64>,
}

fn fit(kernel: &CompiledKernel, launches: &[&Launch]) -> Result<Measured, String> {
    let found_on = launches.len() - HELD_OUT;
    let all_parts = parts(&launches[..found_on]);
    let mut blocks = Vec::new();
    let mut known: Vec<(Block, Vec<f64>, IssueFormula, bool)> = Vec::new();
    let (mut wrong, mut all) = (vec![0.0; launches.len()], vec![0.0; launches.len()]);
    for block in &kernel.blocks {
        let mut times = Vec::new();
        for launch in launches {
            let own = launch.counts.get(block.cost.place());
            let own = own.ok_or_else(|| format!("{}: the profiler counted other code", kernel.name))?;
            if own.iter().any(|count| count != &own[0]) {
                return Err(format!(
                    "{}: instructions of a block at {} are counted apart",
                    kernel.name,
                    block.cost.place().start
                ));
            }
            times.push(own[0] as f64);
        }
        let (owner, found_times) = (block.cost.block, &times[..found_on]);
        let same = known.iter().find(|(of, times, ..)| *of == owner && times == found_times);
        let (combination, fits) = match same {
            Some((_, _, combination, fits)) => (combination.clone(), *fits),
            None => {
                let (combination, fits) = combination(found_times, &own_first(&all_parts, owner), owner);
                known.push((owner, found_times.to_vec(), combination.clone(), fits));
                (combination, fits)
            }
        };
        for (i, launch) in launches.iter().enumerate() {
            let size = f64::from(block.cost.instructions);
            wrong[i] += size * (launch.times(&combination) - times[i]).abs();
            all[i] += size * times[i];
        }
        let (offset, shape) = (block.cost.offset, block.shape.clone());
        blocks.push(MeasuredBlock { offset, shape, issued: combination, fits });
    }
    let residual = (found_on..launches.len()).map(|i| wrong[i] / all[i].max(1.0)).fold(0.0, f64::max);
    Ok(Measured { fingerprint: kernel.fingerprint, residual, blocks })
}

/// Returns all parts that formulas can be made of, the simplest first: events of a code block, those after an
/// operation, those of all lanes, and those of only some.
fn parts(launches: &[&Launch]) -> Vec<Part> {
    let mut counts: Vec<EventKind> = launches.iter().flat_map(|launch| launch.events.keys().copied()).collect();
    counts.sort_by_key(|count| (count.full, count.after.is_some(), *count));
    counts.dedup();
    let times = |count: EventKind| launches.iter().map(|launch| launch.count(count)).collect::<Vec<f64>>();
    let single = |&count: &EventKind| Part { terms: vec![(1, count)], times: times(count) };
    let mixed = |&full: &EventKind| {
        let any = EventKind { full: false, ..full };
        let of_both = times(any).iter().zip(times(full)).map(|(any, full)| any - full).collect();
        Part { terms: vec![(1, any), (-1, full)], times: of_both }
    };
    let full = counts.iter().filter(|count| count.full);
    let all = counts.iter().map(single).chain(full.map(mixed));
    all.filter(|part| part.times.iter().any(|&t| t > 0.0)).collect()
}

/// Keeps one of the parts with equal counts: that of the block itself or its operation, else the simplest.
fn own_first(parts: &[Part], owner: Block) -> Vec<Part> {
    let mut sorted: Vec<&Part> = parts.iter().collect();
    sorted.sort_by_key(|part| {
        let of = |is: fn(Block, Block) -> bool| part.terms.iter().all(|(_, count)| is(count.block, owner));
        (!of(|a, b| a == b), !of(|a, b| a.operation() == b.operation()))
    });
    let mut own: Vec<Part> = Vec::new();
    for part in sorted {
        if !own.iter().any(|known| known.times == part.times) {
            own.push(part.clone());
        }
    }
    own
}

/// Returns the shortest formula of `parts` that gives `times` on every batch, and `true`; or the nearest part or
/// nothing, and `false`.
fn combination(times: &[f64], parts: &[Part], owner: Block) -> (IssueFormula, bool) {
    if times.iter().all(|&t| t == 0.0) {
        return (IssueFormula::default(), true);
    }
    for (tolerance, most_parts) in TOLERANCES {
        let most: Vec<f64> = times.iter().map(|t| (tolerance * t).max(3.0)).collect();
        for count in 1..=most_parts {
            let mut chosen = Vec::new();
            if search(times, &most, parts, count, 0, &mut chosen) {
                return (sum(chosen.iter().map(|&i| &parts[i])), true);
            }
        }
    }
    let distance = |of: &dyn Fn(usize) -> f64| (0..times.len()).map(|i| (times[i] - of(i)).abs()).sum::<f64>();
    let nothing = distance(&|_| 0.0);
    let penalised = |part: &Part| {
        let is_own = part.terms.iter().all(|(_, count)| count.block.operation() == owner.operation());
        distance(&|i| part.times[i]) * if is_own { 1.0 } else { OTHERS_PENALTY }
    };
    let near = parts.iter().map(|part| (penalised(part), part));
    match near.min_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((off, part)) if off < nothing => (sum([part].into_iter()), false),
        _ => (IssueFormula::default(), false),
    }
}

/// Returns the largest factor that a formula's last part may have, after others or alone. Something that is rare, taken
/// often enough, makes up for anything on a few batches, and is far off on others.
fn most_repeats(part: &Part, alone: bool) -> f64 {
    match (alone, &part.terms[..]) {
        (true, _) => MOST_ITERATIONS,
        (false, [(_, count)]) if !count.full => 2.0,
        (false, _) => 1.0,
    }
}

/// Searches for `count` more parts, from index `first` on, the last one with a factor if need be, after which at most
/// `most` of `times` is left; adds them to `chosen`.
fn search(times: &[f64], most: &[f64], parts: &[Part], count: usize, first: usize, chosen: &mut Vec<usize>) -> bool {
    for (i, part) in parts.iter().enumerate().skip(first) {
        let left: Vec<f64> = times.iter().zip(&part.times).map(|(t, p)| t - p).collect();
        if left.iter().zip(most).any(|(left, most)| *left < -most) {
            continue;
        }
        if count > 1 {
            chosen.push(i);
            if search(&left, most, parts, count - 1, i, chosen) {
                return true;
            }
            chosen.pop();
            continue;
        }
        let largest = (0..times.len()).max_by(|&a, &b| part.times[a].total_cmp(&part.times[b])).unwrap_or(0);
        let repeats = (times[largest] / part.times[largest]).round().clamp(1.0, most_repeats(part, chosen.is_empty()));
        let fits = |j: usize| (times[j] - repeats * part.times[j]).abs() <= most[j];
        if (0..times.len()).all(fits) {
            chosen.extend(std::iter::repeat_n(i, repeats as usize));
            return true;
        }
    }
    false
}

/// Returns the sum of parts as a formula, with equal terms merged.
fn sum<'a>(parts: impl Iterator<Item = &'a Part>) -> IssueFormula {
    let mut terms: Vec<(i32, EventKind)> = Vec::new();
    for &(factor, count) in parts.flat_map(|part| &part.terms) {
        match terms.iter_mut().find(|(_, known)| *known == count) {
            Some((sum, _)) => *sum += factor,
            None => terms.push((factor, count)),
        }
    }
    terms.retain(|(factor, _)| *factor != 0);
    IssueFormula(terms)
}

#[cfg(test)]
mod tests {
    use super::super::block_costs::divide;
    use super::super::disassembly::{BasicBlock, Instruction, Machine};
    use super::super::source::Sources;
    use super::*;
    use std::path::Path;

    /// Returns a kernel of a vote, a visit, the place where its lanes meet again, and a slow path.
    fn kernel() -> CompiledKernel {
        let block = |offset, opcode: &str| BasicBlock {
            instructions: vec![Instruction {
                offset,
                opcode: opcode.to_string(),
                predicated: false,
                label: None,
                places: vec![],
            }],
            called: None,
        };
        let blocks = vec![block(0, "VOTE.ANY"), block(16, "FFMA"), block(32, "BSYNC"), block(48, "MUFU.RCP")];
        let sources = Sources::read(&[Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cuda/kernels")]).unwrap();
        divide(&Machine { name: "k".to_string(), blocks }, &[7], &sources).unwrap()
    }

    /// Returns the texts of events and counts of five batches. Of `visits` visits some have all lanes; `wrong` is added
    /// to the last count.
    fn files(wrong: u64) -> (String, String) {
        let (mut events, mut counts) = (String::from("launch,kernel,batch,event,times\n"), String::new());
        for (launch, (visits, full, repeats)) in
            [(1000u64, 100u64, 70u64), (5000, 33, 210), (700, 650, 31), (900, 222, 45), (4000, 500, 37)]
                .into_iter()
                .enumerate()
        {
            let mut add = |event: &str, n: u64| events += &format!("{launch},k,{launch},{event},{n}\n");
            add("loop@prologue", repeats);
            add("vote@loop", visits + repeats);
            add("visit_node@vote", visits);
            add("visit_node@vote!", full);
            let wrong = if launch == 4 { wrong } else { 0 };
            counts += "\"Kernel Name\",\"k\",\n\"Address\",\"Source\",\"inst_executed\"\n";
            for (opcode, n) in [
                ("VOTE.ANY P0, P1", visits + repeats),
                ("FFMA R1", visits + wrong),
                ("BSYNC B1", 2 * visits - full),
                ("MUFU.RCP R0", 0),
            ] {
                counts += &format!("\"0x10\",\"      {opcode}\",\"{n}\"\n");
            }
        }
        (events, counts)
    }

    #[test]
    fn combinations_are_found_and_told_by_what_was_held_out() {
        let (events, counts) = files(0);
        let measured = measure(&[kernel()], &events, &counts).unwrap();
        let texts: Vec<String> = measured["k"].blocks.iter().map(|block| block.issued.to_string()).collect();
        assert_eq!(texts, ["vote", "visit_node", "2*visit_node-visit_node!", "0"]);
        assert!(measured["k"].holds() && measured["k"].residual == 0.0);
        assert_eq!(read(&write(&measured)), Ok(measured.clone()));
        // Whatever shape a block has: also where lanes meet in a function that is called.
        for (waits, called) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut shaped = measured.clone();
            shaped.get_mut("k").unwrap().blocks[2].shape = Shape { places: vec![], waits, called };
            assert_eq!(read(&write(&shaped)), Ok(shaped));
        }
    }

    #[test]
    fn places_follow_lines_that_move_as_long_as_the_code_is_the_same() {
        let (events, counts) = files(0);
        let old = measure(&[kernel()], &events, &counts).unwrap();
        let mut moved = kernel();
        moved.blocks[1].shape.places = vec![77];
        let mut renewed = old.clone();
        renew_places(&mut renewed, std::slice::from_ref(&moved));
        assert_eq!(renewed["k"].blocks[1].shape.places, [77]);
        assert_eq!(renewed["k"].blocks[1].issued, old["k"].blocks[1].issued);
        assert_eq!(renewed["k"].blocks[2], old["k"].blocks[2]);
        moved.fingerprint += 1;
        moved.blocks[1].shape.places = vec![78];
        let before = renewed.clone();
        renew_places(&mut renewed, &[moved]);
        assert_eq!(renewed, before);
    }

    #[test]
    fn a_combination_that_fails_on_a_held_out_batch_is_not_verified() {
        let (events, counts) = files(1000);
        let measured = measure(&[kernel()], &events, &counts).unwrap();
        assert!(!measured["k"].holds(), "{}", measured["k"].residual);
    }

    #[test]
    fn counts_that_no_event_explains_get_the_nearest() {
        let times = [1000.0, 77.0, 5000.0];
        let part =
            |name: &str, times: [f64; 3]| Part { terms: vec![(1, name.parse().unwrap())], times: times.to_vec() };
        let parts = [part("vote", [1040.0, 99.0, 4900.0]), part("pop", [3.0, 3000.0, 1.0])];
        let (issued, fits) = combination(&times, &parts, Block::VisitNode);
        assert_eq!((issued.to_string().as_str(), fits), ("vote", false));
        // A loop that runs three times an event.
        let (issued, fits) = combination(&[9.0, 9000.0, 3.0], &parts, Block::Pop);
        assert_eq!((issued.to_string().as_str(), fits), ("3*pop", true));
    }

    #[test]
    fn what_is_rare_makes_up_for_nothing_by_being_taken_often() {
        let part =
            |name: &str, times: [f64; 2]| Part { terms: vec![(1, name.parse().unwrap())], times: times.to_vec() };
        let found = |rare: &str, often: f64| {
            let parts = [part("vote", [1000.0, 5000.0]), part(rare, [10.0, 30.0])];
            let (issued, fits) = combination(&[1000.0 + often * 10.0, 5000.0 + often * 30.0], &parts, Block::Vote);
            (issued.to_string(), fits)
        };
        assert_eq!(found("pop!", 1.0), ("vote+pop!".to_string(), true));
        assert_eq!(found("pop!", 9.0), ("vote".to_string(), false));
        assert_eq!(found("pop", 2.0), ("vote+2*pop".to_string(), true));
        assert_eq!(found("pop", 9.0), ("vote".to_string(), false));
    }

    #[test]
    fn counts_of_other_code_are_refused() {
        let (events, counts) = files(0);
        for (whole, other) in
            [("FFMA R1", "FADD R1"), ("      BSYNC B1", "      NOP\",\"0\"\n\"0x10\",\"      BSYNC B1")]
        {
            assert!(measure(&[kernel()], &events, &counts.replace(whole, other)).is_err(), "{other}");
        }
    }

    #[test]
    fn a_broken_table_is_an_error() {
        for line in [
            "k,7,0.1,16,exact,0",
            "k,x,0.1,16,exact,0,runs,",
            "k,7,0.1,16,exact,0,walks,",
            "k,7,0.1,16,good,0,runs,",
            "k,7,0.1,16,exact,0,runs,xyz",
        ] {
            assert!(read(&format!("{COLUMNS}\n{line}\n")).is_err(), "{line}");
        }
    }
}
