//! Limits of rates in words.

use raywarp_costs::Pipe;
use raywarp_sim::bounds::Limit;

/// Returns a phrase that says what limits a rate.
pub(super) fn in_words(limit: Limit) -> String {
    match limit {
        Limit::Lanes => "the issue slots, even were all lanes full".into(),
        Limit::Issue => "the issue slots of the schedulers".into(),
        Limit::LeastIssue => "the issue slots, by what rays need however they are dealt".into(),
        Limit::LeastIntegerProducts => {
            "the pipeline of integer products, by what rays need however they are dealt".into()
        }
        Limit::IntegerProducts => "the pipeline of integer products (imul)".into(),
        Limit::LeastPipe(pipe) => format!("the {} pipeline, by what rays need however they are dealt", pipe.name()),
        Limit::Pipe(Pipe::Alu) => "the pipeline of comparisons, minima and logic (alu)".into(),
        Limit::Pipe(Pipe::Fma) => "the pipeline of products and sums (fma)".into(),
        Limit::Pipe(Pipe::Lsu) => "the load and store pipeline".into(),
        Limit::Pipe(pipe) => format!("the {} pipeline", pipe.name()),
        Limit::L1Least => "the bytes that pass through the L1".into(),
        Limit::L1Passes => "passes through the L1, by its banks and lines".into(),
        Limit::Dram | Limit::DramCold | Limit::DramLru => "the memory's bandwidth".into(),
        Limit::L2 => "the L2's bandwidth".into(),
        Limit::Latency => "latency, with the warps that are resident".into(),
    }
}
