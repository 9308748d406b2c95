//! Rates of the papers' GPUs and of ours against what these GPUs can do (ALK12 figure 3).

use raywarp_bench::recorded_rates::kernel_on_h200;
use raywarp_cuda::Query;
use raywarp_papers::alk12;
use raywarp_report::{
    Column, Document, Sheet, Value,
    chart::{ChartLine, Points},
};
use raywarp_sim::machine::{Machine, keys};

const KINDS: [&str; 3] = ["primary", "ao", "diffuse"];

/// Peak rates and measured ray rates of a GPU, as multiples of the GTX 285's.
#[derive(Debug, Clone, PartialEq)]
struct Standing {
    name: String,
    flops: f64,
    bandwidth: f64,
    rates: [f64; 3],
}

/// Returns a machine's peak rate of float products and sums at the vendor's own clock, in 10^9 a second. For the GTX
/// 285 what ALK12 allows it of its second pipe: of the products there, a fifth at a rate of 1.2.
fn gflops(machine: &Machine) -> f64 {
    let second = machine.get(keys::ISSUE_FIGURE3_RATE).map_or(0.0, |rate| rate - 1.0);
    let clock = machine.get(keys::CLOCK_BASE_MHZ).unwrap_or_else(|| machine.need(keys::CLOCK_MHZ));
    machine.need(keys::PIPE_FMA) * (2.0 + second) * machine.need(keys::SM_COUNT) * clock / 1e3
}

fn standings() -> Option<Vec<Standing>> {
    let base = Machine::find("gtx285").ok()?;
    let of = |short: &str, rates: [f64; 3]| -> Option<Standing> {
        let machine = Machine::find(short).ok()?;
        Some(Standing {
            name: machine.name().trim_start_matches("GeForce ").to_string(),
            flops: gflops(&machine) / gflops(&base),
            bandwidth: machine.need(keys::DRAM_GB_PER_S) / base.need(keys::DRAM_GB_PER_S),
            rates,
        })
    };
    let theirs = alk12().table_1.on_all_machines();
    let mean = |age: usize, kind: usize| {
        theirs.iter().map(|(_, rates)| rates[age][kind] / rates[0][kind]).sum::<f64>() / theirs.len() as f64
    };
    let mut all = Vec::new();
    for (age, short) in alk12().table_1.machines.iter().enumerate() {
        all.push(of(short, [0, 1, 2].map(|kind| mean(age, kind)))?);
    }
    let recorded = kernel_on_h200();
    let (_, then) = theirs.iter().find(|(scene, _)| *scene == recorded.scene)?;
    all.push(of(&recorded.machine, [0, 1, 2].map(|kind| recorded.mega_rates[kind] / then[0][kind]))?);
    Some(all)
}

/// Adds ALK12's figure of ray rates over peak rates, with its numbers and conclusions.
pub(super) fn describe(document: &mut Document) {
    let Some(all) = standings() else { return };
    let last = &all[all.len() - 1];
    let is_todays = Query::ALL.into_iter().all(|query| kernel_on_h200().state(query).is_same());
    let ratio = |by: f64| -> String {
        let cells = KINDS.iter().zip(last.rates).map(|(kind, rate)| format!("{kind} {:.2}", rate / by));
        cells.collect::<Vec<_>>().join(", ")
    };
    document.prose(format!(
        "Figure 3 of ALK12 asks what rates follow, peak floating-point operations or bandwidth. Over the GTX 285 an H200 has {:.0} times the \
         operations and {:.0} times the bandwidth. Its rates rose by these parts of the operations: {}; and of the bandwidth: {}.",
        last.flops,
        last.bandwidth,
        ratio(last.flops),
        ratio(last.bandwidth),
    ));
    for (name, words, x_axis, of) in [
        (
            "flops",
            "peak operations",
            "peak floating-point operations, GTX 285 = 1",
            (|s| s.flops) as fn(&Standing) -> f64,
        ),
        ("bandwidth", "bandwidth", "memory bandwidth, GTX 285 = 1", |s| s.bandwidth),
    ] {
        let line = |kind: usize| ChartLine {
            name: KINDS[kind].into(),
            points: all
                .iter()
                .map(|s| (of(s), s.rates[kind], if kind == 1 { s.name.clone() } else { String::new() }))
                .collect(),
        };
        let chart = Points {
            x_axis: x_axis.into(),
            y_axis: "rate, GTX 285 = 1".into(),
            logarithmic: true,
            diagonal: true,
            lines: (0..3).map(line).collect(),
        };
        document.chart(
            format!("generations-{name}"),
            format!(
                "Relative rate against relative {words}, as in figure 3 of ALK12; on the thin line both rise alike. GTX: their table 1, mean over Conference, Fairy and \
                 Sibenik. H200: {}, recorded {}{}, Sibenik alone, over their GTX 285 in it.",
                kernel_on_h200().kernel,
                kernel_on_h200().date,
                if is_todays { "" } else { " with other machine code than today's" }
            ),
            chart,
        );
    }
    let number = |of: fn(&Standing) -> f64| Column::plain(move |row: &Standing| Value::Number(of(row))).digits(2);
    let sheet = Sheet(vec![
        Column::words(|row: &Standing| row.name.clone()).page(0, "GPU"),
        number(|row| row.flops).page(1, "operations"),
        number(|row| row.bandwidth).page(2, "bandwidth"),
        number(|row| row.rates[0]).page(3, "primary"),
        number(|row| row.rates[1]).page(4, "AO"),
        number(|row| row.rates[2]).page(5, "diffuse"),
    ]);
    document.table(sheet.table(&all).on_page(
        "Multiples of the GTX 285. Its peak counts 1.2 instructions for one, as theirs does: a sum of products and a fifth of a product.",
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares peak rates with those that the vendor printed.
    #[test]
    fn peak_rates_are_those_that_the_vendor_prints() {
        let peak = |name: &str| gflops(&Machine::find(name).unwrap());
        assert!((peak("gtx480") - 1345.0).abs() < 1.0, "{}", peak("gtx480"));
        assert!((peak("gtx680") - 3090.0).abs() < 1.0, "{}", peak("gtx680"));
        assert!((peak("gtx285") - 354.24 * 2.2).abs() < 0.1, "{}", peak("gtx285"));
    }
}
