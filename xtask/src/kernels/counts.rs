//! Counts of launches: instructions by a profiler, and events by the Rust schedules.

use raywarp_costs::{EventKind, IssueFormula};
use raywarp_cuda::{Query, compiled, fallback_variant, kernel_name};
use std::collections::{BTreeMap, HashMap};

/// A kernel's launch on a batch of rays, as counted by a profiler and by the Rust schedule.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Launch {
    pub kernel: String,
    /// Number of times that warps issued each instruction, by the profiler.
    pub counts: Vec<u64>,
    /// Opcode of each instruction.
    pub opcodes: Vec<String>,
    /// Number of events by the schedule, by kind.
    pub events: HashMap<EventKind, u64>,
}

impl Launch {
    /// Returns the number of events of a kind.
    pub fn count(&self, count: EventKind) -> f64 {
        self.events.get(&count).copied().unwrap_or(0) as f64
    }

    /// Returns the number of times that a formula says a basic block is issued.
    pub fn times(&self, issued: &IssueFormula) -> f64 {
        issued.0.iter().map(|&(factor, count)| f64::from(factor) * self.count(count)).sum()
    }
}

/// Reads the counts of launches from two files: `launch,kernel,batch,event,times` lines of the example, and the source
/// page of the profiler's report (`ncu --import REPORT --page source --csv`).
///
/// # Errors
/// A line that is none, or launches that differ.
pub fn launches(events: &str, counts: &str) -> Result<Vec<Launch>, String> {
    let mut launches: BTreeMap<usize, Launch> = BTreeMap::new();
    for line in events.lines().skip(1) {
        let wrong = |what: &str| format!("events: {what} in {line:?}");
        let fields: Vec<&str> = line.split(',').collect();
        let [launch, kernel, _, event, times] = fields[..] else { return Err(wrong("5 fields are wanted")) };
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong("a number is wanted"));
        let launch = launches.entry(number(launch)? as usize).or_default();
        launch.kernel = kernel.to_string();
        let count: EventKind = event.parse().map_err(|error: String| wrong(&error))?;
        let times = number(times)?;
        launch.events.insert(count, times);
        *launch.events.entry(EventKind { after: None, ..count }).or_default() += times;
    }
    let pages = pages(counts)?;
    // Behind a kernel that leaves rays another one is launched for these, of which there are no events.
    let behind = kernels_behind();
    let wanted: Vec<(usize, Option<&String>)> = launches
        .iter()
        .flat_map(|(&i, launch)| [Some((i, None)), behind.get(&launch.kernel).map(|kernel| (i, Some(kernel)))])
        .flatten()
        .collect();
    // Some versions print each page twice.
    let copies = pages.len() / wanted.len().max(1);
    if copies == 0 || pages.len() != copies * wanted.len() {
        return Err(format!("{} launches were counted, and there should be {}", pages.len(), wanted.len()));
    }
    for (page, (i, behind)) in pages.into_iter().step_by(copies).zip(wanted) {
        let launch = launches.entry(i).or_default();
        let kernel = behind.unwrap_or(&launch.kernel);
        if page.kernel != *kernel {
            return Err(format!("{} was counted in the place of {kernel}", page.kernel));
        }
        if behind.is_none() {
            (launch.counts, launch.opcodes) = (page.counts, page.opcodes);
        }
    }
    Ok(launches.into_values().collect())
}

/// Returns for each kernel that leaves rays undecided the kernel that is launched after it to trace them.
fn kernels_behind() -> HashMap<String, String> {
    let all = compiled().into_iter().flat_map(|variant| Query::ALL.map(|query| (variant, query)));
    all.filter_map(|(variant, query)| {
        Some((kernel_name(&variant, query), kernel_name(&fallback_variant(&variant)?, query)))
    })
    .collect()
}

/// Parses the pages of a profiler's report as launches without events.
fn pages(text: &str) -> Result<Vec<Launch>, String> {
    let mut pages: Vec<Launch> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with("\"Address\"")) {
        let wrong = || format!("counts: {line:?} is no line of a source page");
        // Fields are quoted, and hold commas.
        let fields: Vec<&str> = line.trim_matches(|c| c == '"' || c == ',').split("\",\"").collect();
        match (&fields[..], pages.last_mut()) {
            (["Kernel Name", kernel], _) => {
                pages.push(Launch { kernel: (*kernel).to_string(), ..Launch::default() });
            }
            ([_, source, times, ..], Some(page)) => {
                let mut words = source.split_whitespace();
                let opcode = words.find(|word| !word.starts_with('@')).ok_or_else(wrong)?;
                page.opcodes.push(opcode.to_string());
                page.counts.push(times.parse().map_err(|_| wrong())?);
            }
            _ if line.is_empty() => {}
            _ => return Err(wrong()),
        }
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &str =
        "launch,kernel,batch,event,times\n0,a,0,pop@visit_node,5\n0,a,0,pop@test_triangle,2\n1,b,0,vote@loop,3\n";
    const COUNTS: &str = "\"Kernel Name\",\"a\",\n\"Address\",\"Source\",\"inst_executed\"\n\
        \"0x10\",\"      LDC R1, c[0x0][0x28]\",\"5\"\n\"0x20\",\"@!P0  BRA 0xf20\",\"7\"\n\
        \"Kernel Name\",\"b\",\n\"Address\",\"Source\",\"inst_executed\"\n\"0x10\",\"      EXIT\",\"3\"\n";

    #[test]
    fn a_launch_behind_another_is_none_of_those_with_events() {
        let [ours, again] =
            ["raywarp-h8-direct", "replace/phased/h8?batch=exact&occlusion=far&refill=80&triangle=watertight"]
                .map(|text| kernel_name(&text.parse().unwrap(), Query::Any));
        let events = format!("launch,kernel,batch,event,times\n0,{ours},0,pop@visit_node,5\n1,{again},0,vote@loop,3\n");
        let page = |kernel: &str, times: u64| {
            format!(
                "\"Kernel Name\",\"{kernel}\",\n\"Address\",\"Source\",\"inst_executed\"\n\"0x10\",\"      EXIT\",\"{times}\"\n"
            )
        };
        let three = [page(&ours, 5), page(&again, 1), page(&again, 3)];
        let times = |text: &str| -> Result<Vec<u64>, String> {
            Ok(super::launches(&events, text)?.iter().map(|launch| launch.counts[0]).collect())
        };
        assert_eq!(times(&three.concat()), Ok(vec![5, 3]));
        let twice: String = three.iter().map(|page| page.repeat(2)).collect();
        assert_eq!(times(&twice), Ok(vec![5, 3]));
        let without = [&three[0][..], &three[2]].concat();
        assert!(times(&without).is_err_and(|error| error.contains('2') && error.contains('3')));
        let other = [page(&ours, 5), page(&ours, 1), page(&again, 3)].concat();
        assert!(times(&other).is_err_and(|error| error.contains(&ours) && error.contains(&again)));
    }

    #[test]
    fn counts_and_events_of_a_launch_come_together() {
        let launches = launches(EVENTS, COUNTS).unwrap();
        assert_eq!((launches.len(), &launches[0].counts[..]), (2, &[5, 7][..]));
        assert_eq!(launches[0].opcodes, ["LDC", "BRA"]);
        assert_eq!(launches[0].count("pop".parse().unwrap()), 7.0);
        assert_eq!(launches[0].times(&"2*pop-pop@visit_node".parse().unwrap()), 9.0);
    }

    #[test]
    fn files_that_do_not_fit_each_other_are_errors() {
        assert!(launches(EVENTS, "").is_err());
        assert!(launches(EVENTS, &COUNTS.replace("\"b\"", "\"c\"")).is_err());
        assert!(launches(EVENTS, &COUNTS.replace("\"7\"", "\"seven\"")).is_err());
        assert!(launches(&EVENTS.replace("pop@", "popp@"), COUNTS).is_err());
    }
}
