//! The tables of the embedded kernels: every instruction belongs to a block, and blocks have the pipelines and times
//! that the machine code tells.

use raywarp_costs::{Flow, KeplerWord, Pipe, PricedKernel, Wait, Word, read_costs, words};
use raywarp_cuda::{FAMILY, Query, cost_architectures, elf};
use raywarp_family::{Block, Variant};
use std::collections::HashMap;

/// What a kernel costs by its embedded table.
fn costs(variant: &Variant, query: Query, architecture: u32) -> Option<PricedKernel> {
    let (table, name) = raywarp_cuda::cost_table(variant, query, architecture)?;
    read_costs(table, &name).unwrap()
}

/// The instructions of a kernel.
fn machine_code(variant: &Variant, query: Query, architecture: u32) -> Option<Vec<Word>> {
    raywarp_cuda::machine_code(variant, query, architecture).map(|code| words(code, architecture))
}

/// All kernels of all tables: name, architecture, costs.
fn each(check: impl Fn(&str, u32, &PricedKernel)) {
    for architecture in cost_architectures() {
        let table = FAMILY.cost_table(architecture).unwrap();
        let lines: Vec<&str> = table.lines().skip(1).collect();
        let name = |line: &&str| line.split(',').next().unwrap().to_string();
        assert!(!lines.is_empty());
        for lines in lines.chunk_by(|a, b| name(a) == name(b)) {
            let kernel = name(&lines[0]);
            let costs = read_costs(&format!("\n{}", lines.join("\n")), &kernel).unwrap().unwrap();
            check(&kernel, architecture, &costs);
        }
    }
}

#[test]
fn no_instruction_of_a_kernel_is_without_a_block() {
    each(|kernel, architecture, costs| {
        let mut end = 0;
        for block in &costs.blocks {
            // Each begins where the last one ended; an instruction has 16 bytes.
            assert_eq!(block.offset, end, "{kernel}, {architecture}");
            assert_eq!(block.pipes.iter().sum::<u32>(), block.instructions, "{kernel}, {architecture}");
            end += 16 * block.instructions;
        }
        // Code is laid out in lines of 128 bytes, Kepler's in groups of seven.
        let unit = if architecture == KeplerWord::ARCHITECTURE { 7 * 16 } else { 128 };
        assert_eq!((costs.instructions() * 16, end % unit), (end, 0), "{kernel}, {architecture}");
    });
}

#[test]
fn words_of_the_images_have_the_pipelines_that_the_tables_have_by_name() {
    let mut images = HashMap::new();
    for architecture in cost_architectures() {
        for (source, _) in raywarp_cuda::sources() {
            // Not all is for Kepler.
            let Some(image) = FAMILY.cubin(&source, architecture) else {
                assert_eq!(architecture, KeplerWord::ARCHITECTURE, "{source}");
                continue;
            };
            let kernels = elf::code(image).unwrap();
            images.extend(kernels.into_iter().map(|(kernel, code)| ((kernel, architecture), code)));
        }
    }
    each(|kernel, architecture, costs| {
        let words = words(images[&(kernel, architecture)], architecture);
        for block in &costs.blocks {
            let mut pipes = [0; Pipe::ALL.len()];
            for word in &words[block.place()] {
                let pipe = match architecture {
                    KeplerWord::ARCHITECTURE => KeplerWord::from(*word).pipe(),
                    _ => word.pipe(architecture),
                };
                let pipe = pipe.unwrap_or_else(|| panic!("{kernel}, {architecture}: {:#x}", word.operation()));
                pipes[pipe as usize] += 1;
            }
            assert_eq!(pipes, block.pipes, "{kernel}, {architecture}, at {}", block.offset);
        }
    });
    let variant: Variant = "al09-while-while".parse().unwrap();
    let costs = costs(&variant, Query::Closest, 90).unwrap();
    assert_eq!(machine_code(&variant, Query::Closest, 90).unwrap().len() as u32, costs.instructions());
    assert_eq!(machine_code(&variant, Query::Closest, 91), None);
}

#[test]
fn a_warp_alone_takes_at_least_as_long_as_it_takes_to_issue_and_a_load_for_a_visit() {
    each(|kernel, architecture, costs| {
        let mut visit = 0;
        for cost in costs.blocks.iter().filter(|cost| !cost.is_never()) {
            let alone = cost.alone.unwrap_or_else(|| panic!("{kernel}, {architecture}: no time"));
            let clocks = alone.at(Wait::nominal);
            // Kepler issues two at once.
            let per_clock = if architecture == KeplerWord::ARCHITECTURE { 2 } else { 1 };
            assert!(per_clock * clocks >= cost.instructions as i32, "{kernel}, {architecture}: {cost:?}");
            visit += i32::from(cost.block == Block::VisitNode) * clocks;
            // Two boxes are too little work to pass a load's time with.
            let waits = alone.waits[Wait::L1 as usize];
            let whole = kernel.starts_with("direct_while_while_bvh2__") && cost.block == Block::VisitNode;
            assert!(!whole || cost.instructions < 40 || waits > 0, "{kernel}, {architecture}: {cost:?}");
        }
        assert!(visit >= Wait::L1.nominal(), "{kernel}, {architecture}: a visit takes {visit} clocks");
    });
}

#[test]
fn keplers_code_goes_where_there_is_code_and_keeps_the_times_of_its_arithmetic() {
    let architecture = KeplerWord::ARCHITECTURE;
    let (mut all, mut together, mut plans) = (0, 0, 0);
    for (source, _) in raywarp_cuda::sources() {
        let Some(image) = FAMILY.cubin(&source, architecture) else { continue };
        for (kernel, code) in elf::code(image).unwrap() {
            let words = KeplerWord::all(code);
            assert_eq!(words.len() * 64, code.len() * 7, "{kernel}");
            for (number, word) in words.iter().enumerate() {
                let points = matches!(word.flow(), Flow::Jump | Flow::Call | Flow::Prepares);
                let target = word.target(number);
                assert_eq!(points, target.is_some_and(|target| target < words.len()), "{kernel}: {number}");
                // A sum is there after nine clocks, for whoever needs it next.
                let (Some("FADD" | "FMUL" | "FFMA"), Some(next)) = (word.opcode(), words.get(number + 1)) else {
                    continue;
                };
                let result = (word.bits >> 2) as u8;
                if result != 255
                    && word.always()
                    && next.touches(result)
                    && next.bits >> 2 & 255 != word.bits >> 2 & 255
                {
                    assert!(word.stall() >= 9, "{kernel}: {number} {word:?}");
                }
                plans += usize::from(word.plan != 0);
                (all, together) = (all + 1, together + usize::from(word.stall() == 0));
            }
        }
    }
    assert!(all > 20_000 && plans == all, "{plans} of {all}");
    // Of sums and products one in five issues with the next.
    assert!((0.1..0.4).contains(&(together as f64 / all as f64)), "{together} of {all}");
}

#[test]
fn kernels_have_costs_by_variant() {
    let variant: Variant = "direct/while-while/bvh2".parse().unwrap();
    if cost_architectures().any(|architecture| architecture == 90) {
        let costs = costs(&variant, Query::Closest, 90).unwrap();
        let of = |block| costs.blocks.iter().filter(|cost| cost.block == block).count();
        assert!([Block::Prologue, Block::VisitNode, Block::TestTriangle, Block::Pop].map(of).iter().all(|&n| n > 0));
    }
    assert_eq!(costs(&variant, Query::Closest, 20), None);
}
