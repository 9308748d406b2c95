//! Branches of the machine code that are no events of the schedules.

use super::block_costs::CompiledKernel;
use super::measured::Measured;
use raywarp_cuda::Operation;
use std::collections::{BTreeMap, BTreeSet};

/// Branches in kernels that are no events of the schedule: part of a kernel's name, the operation, and the reason.
const WITHOUT_EVENT: &[(&str, Operation, &str)] = &[
    ("", Operation::TestTriangle, "conditions of a hit are tried one after the other, and a hit may lose a tie"),
    ("", Operation::StoreHit, "a ray that hit nothing is stored by other code"),
    ("leaves_nested", Operation::Ballot, "which of two nested loops comes after it"),
    ("leaves_nested", Operation::Loop, "iterations of the outer of two nested loops"),
    ("leaves_nested", Operation::FetchRay, "a warp that asks in vain at the end"),
    ("packet", Operation::VisitNode, "which children are hit is a vote, not an event"),
    ("packet", Operation::Pop, "whether a visit or a leaf comes before it"),
    ("packet", Operation::Loop, "leaves and nodes have an iteration each"),
    ("order_nearest", Operation::VisitNode, "the nearest child is looked for by branches"),
    ("cwbvh8", Operation::Loop, "a leaf that is put aside stays, or goes to the stack"),
    ("cwbvh8", Operation::Pop, "a leaf that is put aside stays, or goes to the stack"),
    ("cwbvh8", Operation::Postpone, "a leaf that is put aside stays, or goes to the stack"),
    ("wideN", Operation::FetchRay, "of the warps that a launch keeps, some ask in vain"),
    ("wideN", Operation::SetupRay, "of the warps that a launch keeps, some start in vain"),
    ("wideN", Operation::Loop, "of the warps that a launch keeps, some ask in vain"),
    ("queue", Operation::Loop, "whether an iteration replaces rays first, and which way a round of replacing ends"),
    ("queue", Operation::Vote, "a loop ends after its last round without asking"),
    ("phased", Operation::Pop, "lanes walk on before a test, which is no event where it ends their ray"),
];

/// Returns `true` if every basic block of verified kernels has a fitting formula, or is listed as a branch without
/// event; prints those that are neither.
pub fn explained(kernels: &BTreeMap<&str, &CompiledKernel>, measured: &BTreeMap<String, Measured>) -> bool {
    let mut unexplained: BTreeSet<String> = BTreeSet::new();
    for (name, kernel) in kernels {
        let measured = measured.get(*name).filter(|m| m.fingerprint == kernel.fingerprint && m.holds());
        let Some(measured) = measured else { continue };
        let fits = |offset| measured.blocks.iter().any(|known| known.offset == offset && known.fits);
        for block in kernel.blocks.iter().filter(|block| !fits(block.cost.offset)) {
            let operation = block.cost.block.operation();
            // Where lanes wait for each other is issued once for each way that they come.
            let listed = |part: &str, of: Operation| name.contains(part) && of == operation;
            if !block.shape.waits && !WITHOUT_EVENT.iter().any(|&(part, of, _)| listed(part, of)) {
                let (block, offset) = (block.cost.block.name(), block.cost.offset);
                unexplained.insert(format!("{name}: a branch at {offset:#x}, {block}, is no event of the schedule"));
            }
        }
    }
    unexplained.iter().for_each(|line| eprintln!("{line}"));
    unexplained.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::block_costs::{CompiledBlock, Shape};
    use crate::kernels::measured::MeasuredBlock;
    use raywarp_costs::{CountSource, IssueFormula, Pipe, PricedBlock};
    use raywarp_cuda::Block;

    fn kernel(name: &str, block: Block, waits: bool) -> CompiledKernel {
        let pipes = [0; Pipe::ALL.len()];
        let cost = PricedBlock {
            block,
            offset: 32,
            instructions: 1,
            pipes,
            alone: None,
            issued: IssueFormula::default(),
            source: CountSource::Assumed,
        };
        let block = CompiledBlock { cost, shape: Shape { waits, ..Shape::default() } };
        CompiledKernel { name: name.to_string(), code: vec![], fingerprint: 5, opcodes: 0, blocks: vec![block] }
    }

    fn check(kernel: &CompiledKernel, residual: f64, fits: bool) -> bool {
        let (shape, issued) = (Shape::default(), IssueFormula::default());
        let blocks = vec![MeasuredBlock { offset: 32, shape, issued, fits }];
        let measured = Measured { fingerprint: 5, residual, blocks };
        let kernels = [(kernel.name.as_str(), kernel)].into_iter().collect();
        explained(&kernels, &[(kernel.name.clone(), measured)].into_iter().collect())
    }

    #[test]
    fn a_branch_without_an_event_is_named_unless_it_is_known() {
        let visit = kernel("direct_while_while_bvh2__any", Block::VisitNode, false);
        assert!(!check(&visit, 0.001, false));
        assert!(check(&visit, 0.001, true));
        // Nothing is promised of what is not verified.
        assert!(check(&visit, 0.1, false));
        assert!(check(&kernel("direct_packet_bvh2__any", Block::VisitNode, false), 0.001, false));
        assert!(check(&kernel("direct_while_while_bvh2__any", Block::StoreHit, false), 0.001, false));
        assert!(check(&kernel("direct_while_while_bvh2__any", Block::VisitNode, true), 0.001, false));
    }
}
