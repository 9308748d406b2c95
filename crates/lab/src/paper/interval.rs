//! Intervals of numbers that are made of a sample of rays, by the spread of several samples.

use super::exhibit::{Exhibit, own_sample};
use super::formed::completed;
use super::make::{Drawn, ExhibitScene, make_drawn};
use super::record::{NumberSource, Record};
use super::sampled::{DRAWS, Draws};
use raywarp_geom::Control;
use raywarp_study::simulate::SimulateError;
use std::collections::HashMap;

/// Sets the intervals of records that were made of a sample of an exhibit's rays: as many rays again are traced, in
/// five samples of a fifth. `sample` is the number of rays of a kind and view in place of the exhibit's own.
///
/// # Errors
/// [`SimulateError`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn add_intervals(
    records: &mut Vec<Record>,
    exhibit: &Exhibit,
    place: &ExhibitScene<'_>,
    sample: Option<usize>,
    control: &Control<'_>,
) -> Result<(), SimulateError> {
    let Some(rays) = sample.or(own_sample(exhibit)) else { return Ok(()) };
    let mut draws = Vec::new();
    for number in 1..=DRAWS as u32 {
        let part = Drawn { rays: Some((rays / DRAWS).max(1)), number };
        draws.push(completed(exhibit, make_drawn(exhibit, place, part, control)?));
    }
    *records = completed(exhibit, std::mem::take(records));
    set_draws(records, &draws);
    Ok(())
}

/// Widens the intervals of simulated numbers of a scene, which are known of samples of the exhibit's own size, to those
/// of samples of so many rays of a kind and view.
pub fn widen_intervals(records: &mut Vec<Record>, exhibit: &Exhibit, scene: &str, sample: usize) {
    let Some(own) = own_sample(exhibit) else { return };
    // Gains that follow from rates are made now, so that theirs widen too.
    *records = completed(exhibit, std::mem::take(records));
    let wider = (own as f64 / sample as f64).sqrt();
    let is_remade = |record: &&mut Record| record.source == NumberSource::Simulated && record.scene == scene;
    records
        .iter_mut()
        .filter(is_remade)
        .for_each(|record| record.draws = record.draws.map(|draws| draws.widened(wider)));
}

/// Sets what each sample gave, for records that each of them has.
fn set_draws(records: &mut [Record], draws: &[Vec<Record>]) {
    let mut numbers: HashMap<_, Vec<f64>> = HashMap::new();
    for record in draws.iter().flatten() {
        numbers.entry(record.key()).or_default().extend(record.ours);
    }
    for record in records {
        record.draws = record.ours.and_then(|ours| Draws::new(numbers.get(&record.key())?, ours));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::{Paper, find, merged, stored};

    fn record(rays: &str, ours: f64) -> Record {
        let [scene, subject, quantity] = ["sibenik", "if-if", "traversal"].map(String::from);
        let (rays, source) = (rays.to_string(), NumberSource::Simulated);
        Record { scene, subject, rays, quantity, theirs: "".into(), ours: Some(ours), source, draws: None }
    }

    #[test]
    fn a_number_has_what_each_sample_gave() {
        let draws: Vec<Vec<Record>> = [8.0, 9.0, 10.0, 11.0, 12.0].map(|ours| vec![record("ao", ours)]).to_vec();
        let mut records = vec![record("ao", 10.5), record("diffuse", 10.5)];
        set_draws(&mut records, &draws);
        assert_eq!(records[0].draws.unwrap().numbers(), [8.0, 9.0, 10.0, 11.0, 12.0]);
        assert_eq!(records[1].draws, None);
    }

    #[test]
    fn a_quarter_of_the_rays_has_twice_the_interval() {
        let exhibit = find(Paper::Al09, "shuffled").unwrap();
        let draws = Draws::new(&[7.0, 8.0, 8.0, 8.0, 9.0], 8.0);
        let of = |scene: &str, source| Record { scene: scene.into(), source, draws, ..record("ao", 8.0) };
        let recorded = NumberSource::Recorded("a run".into());
        let simulated = || NumberSource::Simulated;
        let mut records = vec![of("sibenik", simulated()), of("conference", simulated()), of("sibenik", recorded)];
        widen_intervals(&mut records, exhibit, "sibenik", own_sample(exhibit).unwrap() / 4);
        let own = draws.unwrap().half(8.0);
        let halves: Vec<f64> = records.iter().filter_map(Record::half).collect();
        assert_eq!(halves, [2.0 * own, own, own]);
    }

    #[test]
    fn the_interval_of_a_gain_widens_with_those_of_its_rates() {
        let exhibit = find(Paper::G14, "table2").unwrap();
        let gain = |records: &[Record]| {
            let own = |record: &&Record| record.key() == ["sibenik", "Titan", "ao", "speedup"];
            records.iter().find(own).unwrap().half().unwrap()
        };
        let mut records = stored(exhibit);
        let own = gain(&records);
        assert!(own > 0.0);
        // The same rates made again: others would be farther from what the samples gave.
        let again = |subject: &str| {
            let key = ["sibenik", subject, "ao", "expected"];
            let ours = records.iter().find(|record| record.key() == key).unwrap().ours.unwrap();
            Record { subject: subject.into(), quantity: "expected".into(), ..record("ao", ours) }
        };
        let made = vec![again("Titan, ALK12's"), again("Titan, improved")];
        records = merged(records, made);
        widen_intervals(&mut records, exhibit, "sibenik", own_sample(exhibit).unwrap() / 4);
        assert!((gain(&records) - 2.0 * own).abs() < 1e-9);
    }
}
