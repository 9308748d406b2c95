//! Numbers of an exhibit that follow from its rates: gains, and shares of bounds.

use super::exhibit::{Exhibit, Formed};
use super::record::{NumberSource, Record, merged};
use super::sampled::Sampled;
use raywarp_papers::Measure;

/// Returns records with the numbers that follow from them, by the rates that are there now.
pub(super) fn completed(exhibit: &Exhibit, records: Vec<Record>) -> Vec<Record> {
    match exhibit.formed {
        None => records,
        Some(Formed::Gains { ends, of }) => {
            let gains = gains(ends, of, &records);
            merged(records, gains)
        }
        Some(Formed::OnMachines { rate, base, of, mean }) => {
            let gains = on_machines(rate, base, of, &records);
            let mut records = merged(records, gains);
            records.retain(|record| record.quantity != rate);
            let means = of.iter().flat_map(|(key, _)| means(exhibit, key, mean, &records)).collect();
            merged(records, means)
        }
        Some(Formed::Share { key, of, bound, gpu }) => {
            let mut records = records;
            // A share stands or falls with its rate.
            records.iter_mut().filter(|record| record.quantity == key).for_each(|record| {
                (record.ours, record.draws, record.source) = (None, None, NumberSource::Nowhere);
            });
            let shares = shares(key, of, bound, gpu, &records);
            let mut records = merged(records, shares);
            records.retain(|record| record.ours.is_some() || !record.theirs.is_empty());
            records
        }
    }
}

fn sampled(record: &Record) -> Option<Sampled> {
    Some(Sampled { number: record.ours?, draws: record.draws })
}

fn find<'a>(records: &'a [Record], key: [&str; 4]) -> Option<&'a Record> {
    records.iter().find(|record| record.key() == key)
}

/// Returns a number that follows from the one of a record.
fn of(record: &Record, subject: &str, quantity: &str, number: Sampled) -> Record {
    let [subject, quantity] = [subject, quantity].map(str::to_string);
    let (ours, draws) = (Some(number.number), number.draws);
    Record { subject, quantity, theirs: "".into(), ours, draws, ..record.clone() }
}

fn gains([above, below]: [&str; 2], of_keys: &[(&str, &[&str])], records: &[Record]) -> Vec<Record> {
    let mut all = Vec::new();
    for (key, rates) in of_keys {
        for after in rates.iter().flat_map(|rate| records.iter().filter(move |record| record.quantity == *rate)) {
            let Some(subject) = after.subject.strip_suffix(above) else { continue };
            let before = [&after.scene, &format!("{subject}{below}"), after.rays.as_str(), &after.quantity];
            let before = find(records, before).and_then(sampled);
            if let (Some(rate), Some(before)) = (sampled(after), before) {
                all.push(of(after, subject, key, rate.over(before, Measure::Gain)));
            }
        }
    }
    all
}

fn on_machines(rate: &str, base: &str, of_keys: &[(&str, &str)], records: &[Record]) -> Vec<Record> {
    let mut all = Vec::new();
    for (key, machine) in of_keys {
        for after in records.iter().filter(|record| record.quantity == rate) {
            let Some(run) = after.subject.strip_prefix(machine).and_then(|rest| rest.strip_prefix(", ")) else {
                continue;
            };
            let before = [&after.scene, &format!("{machine}, {base}"), after.rays.as_str(), rate];
            let before = find(records, before).and_then(sampled);
            if let (true, Some(rate), Some(before)) = (run != base, sampled(after), before) {
                all.push(of(after, run, key, rate.over(before, Measure::Gain)));
            }
        }
    }
    all
}

/// Returns the geometric means of gains over the scenes of an exhibit, where all of them have one.
fn means(exhibit: &Exhibit, key: &str, mean: &str, records: &[Record]) -> Vec<Record> {
    let Some((first, others)) = exhibit.scenes.split_first() else { return Vec::new() };
    let is_first = |record: &&Record| record.quantity == key && record.scene == *first;
    let of_scenes = |record: &Record| {
        let factor = |gain: Sampled| gain.with(Sampled::exact(0.0), |gain, _| 1.0 + gain / 100.0);
        let mut product = factor(sampled(record)?);
        let mut source = record.source.clone();
        for scene in others {
            let other = find(records, [scene, &record.subject, record.rays.as_str(), key])?;
            product = product.with(factor(sampled(other)?), |a, b| a * b);
            // What is partly of this run is of this run.
            source = if source == NumberSource::Simulated { source } else { other.source.clone() };
        }
        let root = 1.0 / exhibit.scenes.len() as f64;
        let gain = product.with(Sampled::exact(0.0), |product, _| 100.0 * (product.powf(root) - 1.0));
        Some(Record { scene: mean.to_string(), source, ..of(record, &record.subject, key, gain) })
    };
    records.iter().filter(is_first).filter_map(of_scenes).collect()
}

fn shares(key: &str, measured: &str, bound: &str, gpu: &str, records: &[Record]) -> Vec<Record> {
    let is_of_gpu = |record: &&Record| match &record.source {
        NumberSource::Measured(name) | NumberSource::Recorded(name) => {
            name.strip_prefix(gpu).is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
        }
        _ => false,
    };
    let share = |rate: &Record| {
        let bound = find(records, [&rate.scene, &rate.subject, rate.rays.as_str(), bound])?;
        Some(of(rate, &rate.subject, key, sampled(rate)?.over(sampled(bound)?, Measure::Share)))
    };
    let rates = records.iter().filter(|record| record.quantity == measured && record.ours.is_some());
    rates.filter(is_of_gpu).filter_map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::{Draws, Paper, find as exhibit, stored};

    fn fresh([scene, subject, rays, quantity]: [&str; 4], ours: f64, source: NumberSource) -> Record {
        let [scene, subject, rays, quantity] = [scene, subject, rays, quantity].map(String::from);
        Record { scene, subject, rays, quantity, theirs: "".into(), ours: Some(ours), source, draws: None }
    }

    #[test]
    fn a_share_of_a_bound_is_of_the_rate_that_was_measured_last() {
        let table1 = exhibit(Paper::Al09, "table1").unwrap();
        let records = stored(table1);
        let key = |quantity| ["sibenik", "packet", "ao", quantity];
        let share = |records: &[Record]| find(records, key("of simulated")).unwrap().clone();
        let before = share(&records);
        let rate = find(&records, key("measured")).unwrap().ours.unwrap();
        let half = before.half().unwrap();
        assert!(half > 0.5 && half < 20.0, "{before:?}");
        let measured = |gpu: &str| {
            let made = vec![fresh(key("measured"), rate / 2.0, NumberSource::Measured(gpu.to_string()))];
            share(&completed(table1, merged(records.clone(), made)))
        };
        let after = measured("NVIDIA H200, commit 1a2b3c4d");
        assert!((after.ours.unwrap() - before.ours.unwrap() / 2.0).abs() < 1e-9, "{after:?}");
        assert!((after.half().unwrap() - half / 2.0).abs() < 1e-9 && after.source != before.source, "{after:?}");
        // The bounds are of an H200: another GPU's rate has no share of them.
        let other = measured("NVIDIA H2000");
        assert_eq!((other.ours, other.source, other.theirs.text()), (None, NumberSource::Nowhere, "41"));
    }

    #[test]
    fn gains_on_machines_are_over_the_same_machines_base() {
        let improvements = exhibit(Paper::G14, "improvements").unwrap();
        let made = |scene: &'static str, subject, ours| {
            fresh([scene, subject, "ao", "expected"], ours, NumberSource::Simulated)
        };
        let draws = |record: Record, numbers| Record { draws: Draws::new(numbers, record.ours.unwrap()), ..record };
        let rates = vec![
            draws(made("sibenik", "Titan, ALK12's", 100.0), &[99.0, 100.0, 101.0, 100.0, 100.0]),
            draws(made("sibenik", "Titan, 4-ary", 121.0), &[119.79, 121.0, 122.21, 121.0, 121.0]),
            made("sibenik", "GTX 680, ALK12's", 50.0),
            made("sibenik", "GTX 680, 4-ary", 60.0),
            made("conference", "Titan, ALK12's", 100.0),
            made("conference", "Titan, 4-ary", 100.0),
        ];
        let all = completed(improvements, rates.clone());
        let of = |scene: &str, quantity: &str| find(&all, [scene, "4-ary", "ao", quantity]).cloned();
        let [titan, other] = ["gtxtitan", "gtx680"].map(|quantity| of("sibenik", quantity).unwrap());
        assert!((titan.ours.unwrap() - 21.0).abs() < 1e-9 && (other.ours.unwrap() - 20.0).abs() < 1e-9);
        // Each sample has the same quotient, however much both rise and fall.
        assert!(titan.half().unwrap() < 1e-9, "{titan:?}");
        // 1.21 and 1 have 1.1 for their mean; what one scene lacks has none.
        let mean = of("sibenik and conference", "gtxtitan").unwrap();
        assert!((mean.ours.unwrap() - 10.0).abs() < 1e-9 && mean.half().is_some(), "{mean:?}");
        assert_eq!(of("sibenik and conference", "gtx680"), None);
        // Rates are no quantity of the table.
        assert!(all.iter().all(|record| record.quantity != "expected"), "{all:?}");
        // Those that are stored have intervals wherever they are.
        let is_expected = |record: &&Record| ["gtx680", "gtxtitan"].contains(&record.quantity.as_str());
        let own = stored(improvements);
        let gains: Vec<&Record> = own.iter().filter(is_expected).filter(|record| record.ours.is_some()).collect();
        assert_eq!((gains.len(), gains.iter().filter(|gain| gain.half().is_some()).count()), (144, 144));
    }
}
