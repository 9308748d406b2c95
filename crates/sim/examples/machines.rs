//! Prints the tables of docs/reference/machines.md.

use raywarp_sim::machine::{Machine, number_table, source_list};

fn main() {
    let machines = Machine::builtin();
    print!("{}\n## Sources\n{}", number_table(&machines), source_list(&machines));
}
