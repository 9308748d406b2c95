//! What entering an instance and placing corners take, counted in what a compiler makes of `instances/instances.cu`:
//! the numbers of `src/instances.rs`.
//!
//! ```sh
//! cd crates/costs/instances
//! nvcc -std=c++20 -fmad=false -I ../../cuda/kernels -arch=sm_90 -cubin instances.cu -o /tmp/instances.cubin
//! nvdisasm -c /tmp/instances.cubin | cargo run --release -q -p raywarp-costs --example instances
//! ```

use raywarp_costs::Pipe;
use std::collections::BTreeMap;
use std::io::Read;

fn main() -> Result<(), String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
    let mut kernels: BTreeMap<String, [i64; Pipe::ALL.len()]> = BTreeMap::new();
    let (mut kernel, mut is_over) = (String::new(), false);
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix(".text.").and_then(|line| line.strip_suffix(':')) {
            (kernel, is_over) = (name.to_string(), false);
        }
        // `/*0010*/ @P0 FADD R1, R2, R3 ;`
        let Some(code) = line.strip_prefix("/*").and_then(|line| line.split_once("*/")).map(|(_, code)| code.trim())
        else {
            continue;
        };
        let Some(opcode) = code.split([' ', ';']).find(|word| !word.is_empty() && !word.starts_with('@')) else {
            continue;
        };
        // What stands behind the end fills a line of the cache.
        if is_over || opcode.starts_with('.') {
            continue;
        }
        let pipe = Pipe::of(opcode).ok_or_else(|| format!("{opcode}: no pipeline is known"))?;
        kernels.entry(kernel.clone()).or_default()[pipe as usize] += 1;
        is_over = opcode == "EXIT";
    }
    for (more, less) in [("enter", "nothing"), ("placed", "corners")] {
        let [more_of, less_of] = [more, less].map(|name| kernels.get(name).copied());
        let (Some(more_of), Some(less_of)) = (more_of, less_of) else { return Err(format!("no {more} or {less}")) };
        let pipes: Vec<String> = more_of.iter().zip(less_of).map(|(a, b)| (a - b).to_string()).collect();
        let sum: i64 = more_of.iter().zip(less_of).map(|(a, b)| a - b).sum();
        println!("{more}: {sum} instructions, by pipeline {}", pipes.join(" "));
    }
    Ok(())
}
