//! A number of an exhibit, ours beside the paper's, and the files in which those of the reference scenes are kept.

use super::sampled::Draws;
use raywarp_papers::{Claim, Printed};
use raywarp_report::cells_of;
use std::collections::HashMap;

/// Origin of a number of ours.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NumberSource {
    /// It was simulated in this run.
    Simulated,
    /// It was measured in this run on the GPU of this name, by the program of this commit where that is known.
    Measured(String),
    /// It stands in a record: the name of a run and its file, or what was simulated and when.
    Recorded(String),
    /// Nobody has it: the paper's number stands alone, for this reason.
    Nowhere,
}

/// A number of an exhibit.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Name of the scene.
    pub scene: String,
    /// Kernel, setting or machine that the number is of.
    pub subject: String,
    /// Kind of rays, or another column of the paper's table.
    pub rays: String,
    /// Key of the quantity among those of the exhibit.
    pub quantity: String,
    /// Text that the paper prints; empty where it prints nothing.
    pub theirs: Printed,
    /// Our number of it.
    pub ours: Option<f64>,
    /// Origin of our number.
    pub source: NumberSource,
    /// Our number by each of five further samples, where it is one of a sample of rays of the exhibit's own size.
    pub draws: Option<Draws>,
}

/// Words that tell a number of an exhibit from all others.
pub type RecordKey<'a> = [&'a str; 4];

impl Record {
    /// Returns what tells this number from the others of its exhibit.
    pub fn key(&self) -> RecordKey<'_> {
        [&self.scene, &self.subject, &self.rays, &self.quantity]
    }

    /// Returns half the 95 % interval of our number, where it is one of a sample: by the spread of further samples, and
    /// so wide that it holds their mean.
    pub fn half(&self) -> Option<f64> {
        Some(self.draws?.half(self.ours?))
    }

    /// Returns `true` if the number is of this scene, with whatever materials or from wherever, or the paper's alone.
    pub fn is_of_scene(&self, name: &str) -> bool {
        let rest = self.scene.strip_prefix(name);
        self.is_theirs_alone() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
    }

    /// Returns `true` if the number is of a scene that the paper alone has.
    pub fn is_theirs_alone(&self) -> bool {
        self.scene.starts_with("theirs")
    }

    /// Returns what the paper claims, if that can be compared with a number.
    pub fn claim(&self) -> Option<Claim> {
        let text = self.theirs.text();
        match (Claim::parse(text), self.theirs.ranges()) {
            (Some(claim), _) => Some(claim),
            (None, &[[least, most]]) => Some(Claim::Between(least, most)),
            _ => None,
        }
    }
}

/// The columns of a file of records; those of samples are parted by semicolons, and a file without intervals ends
/// before them.
pub const HEAD: &str = "scene,subject,rays,quantity,theirs,ours,source,draws";

/// Reads a file of records.
///
/// # Errors
/// What is wrong, with the number of the line.
pub fn read(text: &str) -> Result<Vec<Record>, String> {
    let mut lines = text.lines().enumerate();
    let head = lines.next().map_or("", |(_, head)| head);
    if head != HEAD && Some(head) != HEAD.strip_suffix(",draws") {
        return Err(format!("line 1: the columns are {HEAD}"));
    }
    lines.map(|(number, line)| record(line).map_err(|why| format!("line {}: {why}", number + 1))).collect()
}

fn record(line: &str) -> Result<Record, String> {
    let cells = cells_of(line);
    let (Some([scene, subject, rays, quantity, theirs, ours, source]), [] | [_]) =
        (cells.first_chunk::<7>(), cells.get(7..).unwrap_or_default())
    else {
        return Err(format!("it has {} cells, not 7 or 8", cells.len()));
    };
    let number = |cell: &str| match cell {
        "" => Ok(None),
        number => number.parse().map(Some).map_err(|_| format!("{number} is no number")),
    };
    let ours = number(ours)?;
    let draws = match cells.get(7).map_or("", String::as_str) {
        "" => None,
        list => {
            let numbers = list.split(';').map(number).collect::<Result<Option<Vec<f64>>, _>>()?.unwrap_or_default();
            let of = ours.ok_or_else(|| format!("{list} are drawn for no number"))?;
            Some(Draws::new(&numbers, of).ok_or_else(|| format!("{list} are not five numbers"))?)
        }
    };
    let source = if source.is_empty() { NumberSource::Nowhere } else { NumberSource::Recorded(source.clone()) };
    let [scene, subject, rays, quantity] = [scene, subject, rays, quantity].map(String::clone);
    Ok(Record { scene, subject, rays, quantity, theirs: theirs.as_str().into(), ours, source, draws })
}

/// Returns records with those of `others` in place of numbers that have the same key, and the rest of them behind the
/// last of their scene. What is printed stays where `others` have nothing printed.
pub fn merged(records: Vec<Record>, others: Vec<Record>) -> Vec<Record> {
    let mut records = records;
    let key = |record: &Record| record.key().map(str::to_string);
    let mut places: HashMap<[String; 4], usize> = records.iter().map(key).zip(0..).collect();
    for other in others {
        match places.get(&key(&other)) {
            Some(&place) => {
                let old = &mut records[place];
                let theirs =
                    if other.theirs.is_empty() { std::mem::take(&mut old.theirs) } else { other.theirs.clone() };
                if other.ours.is_some() {
                    // A sample made again has the spread that is known of it.
                    let known = if other.source == NumberSource::Simulated { old.draws } else { None };
                    *old = Record { theirs, draws: other.draws.or(known), ..other };
                } else {
                    old.theirs = theirs;
                }
            }
            None => {
                places.insert(key(&other), records.len());
                records.push(other);
            }
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> Record {
        Record {
            scene: "sibenik".into(),
            subject: "at most 4, every 4 \"rounds\"".into(),
            rays: "ao".into(),
            quantity: "gain".into(),
            theirs: "~40".into(),
            ours: Some(22.25),
            source: NumberSource::Recorded("simulated, 2026-11-28".into()),
            draws: Draws::new(&[22.0, 22.5, 21.75, 22.25, 22.5], 22.25),
        }
    }

    #[test]
    fn a_line_is_a_number_of_ours_or_theirs_alone() {
        let alone = Record { ours: None, theirs: "85/84".into(), source: NumberSource::Nowhere, draws: None, ..one() };
        let start = r#"sibenik,"at most 4, every 4 ""rounds""",ao,gain"#;
        let text =
            format!("{HEAD}\n{start},~40,22.25,\"simulated, 2026-11-28\",22;22.5;21.75;22.25;22.5\n{start},85/84,,\n");
        assert_eq!(read(&text), Ok(vec![one(), alone]));
    }

    #[test]
    fn a_faulty_line_is_named() {
        assert!(read("scene,ours\n").is_err());
        assert_eq!(read(&format!("{HEAD}\na,b,c\n")), Err("line 2: it has 3 cells, not 7 or 8".to_string()));
        assert_eq!(read(&format!("{HEAD}\na,b,c,d,,x1,\n")), Err("line 2: x1 is no number".to_string()));
        let four = read(&format!("{HEAD}\na,b,c,d,,1,x,1;2;3;4\n"));
        assert_eq!(four, Err("line 2: 1;2;3;4 are not five numbers".to_string()));
        let none = read(&format!("{HEAD}\na,b,c,d,1,,,1;2;3;4;5\n"));
        assert_eq!(none, Err("line 2: 1;2;3;4;5 are drawn for no number".to_string()));
    }

    #[test]
    fn claims_are_read_from_what_papers_print() {
        let of = |theirs: &str| Record { theirs: theirs.into(), ..one() }.claim();
        assert_eq!(of("62"), Some(Claim::Number(62.0)));
        assert_eq!(of("3 to 5"), None);
        assert_eq!(of("6-19"), Some(Claim::Between(6.0, 19.0)));
        assert_eq!(of("up to 20"), Some(Claim::UpTo(20.0)));
        assert_eq!(of("less"), None);
    }
}
