//! Reads the lines of cargo and of the tests: counts, and how long things took.

use raywarp_testing::{Note, Reason};
use std::fmt::Write;

/// Counts of passed, failed and ignored tests, and running times, of one test binary or several.
#[derive(Debug, Default, PartialEq)]
pub struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
    /// Name of the test binary whose output is read.
    program: String,
    /// Test binaries with the seconds that each took; the tests follow likewise.
    programs: Vec<(String, f64)>,
    tests: Vec<(String, f64)>,
}

impl Tally {
    /// Makes an empty tally for the test binary named `program`.
    pub fn of(program: String) -> Self {
        Self { program, ..Self::default() }
    }

    /// Counts what a line of test output says.
    pub fn read(&mut self, line: &str) {
        let line = line.trim();
        if let Some((_, result)) = line.split_once("test result: ") {
            self.result(result);
        } else if let Some((test, time)) = line.strip_prefix("test ").and_then(timed) {
            self.tests.push((format!("{}: {test}", self.program), time));
        }
    }

    /// Adds the counts of another tally to this one.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.programs.extend(other.programs);
        self.tests.extend(other.tests);
    }

    /// Counts the results in the last line of a test binary's output, such as `ok. 90 passed; 0 failed; 0 ignored; 0
    /// measured; 0 filtered out; finished in 3.29s`.
    fn result(&mut self, result: &str) {
        for part in result.split(['.', ';']).map(str::trim) {
            let Some((number, what)) = part.split_once(' ') else { continue };
            let count = match what {
                "passed" => &mut self.passed,
                "failed" => &mut self.failed,
                "ignored" => &mut self.ignored,
                _ => continue,
            };
            *count += number.parse::<usize>().unwrap_or_default();
        }
        let time = result.rsplit_once("finished in ").and_then(|(_, time)| time.strip_suffix('s')?.parse().ok());
        if let Some(time) = time {
            self.programs.push((self.program.clone(), time));
        }
    }

    /// Returns the summary line, such as `1,858 passed, 12 skipped: 9 no GPU, 3 no scenes`, with what failed or was
    /// ignored.
    pub fn summary(&self, skipped: &[Note]) -> String {
        let mut text = String::new();
        if self.failed > 0 {
            text += &format!("{} failed, ", grouped(self.failed));
        }
        // The tests that skip end as those that pass.
        text += &format!("{} passed", grouped(self.passed.saturating_sub(skipped.len())));
        if self.ignored > 0 {
            text += &format!(", {} ignored", grouped(self.ignored));
        }
        text += &format!(", {} skipped", grouped(skipped.len()));
        for (i, (reason, count)) in by_reason(skipped).into_iter().enumerate() {
            let _ = write!(text, "{} {} {}", if i == 0 { ":" } else { "," }, grouped(count), reason.missing());
        }
        text
    }

    /// Returns a text that lists the slowest `count` tests and test binaries, one on each line.
    pub fn slowest(&self, count: usize) -> String {
        let mut text = String::new();
        for (what, times) in [("tests", &self.tests), ("programs of tests", &self.programs)] {
            let mut sorted: Vec<&(String, f64)> = times.iter().collect();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
            let sum: f64 = times.iter().map(|(_, time)| time).sum();
            let _ = writeln!(text, "the slowest of {} {what}, which took {sum:.1} s together:", grouped(times.len()));
            for (name, time) in sorted.into_iter().take(count) {
                let _ = writeln!(text, "{time:8.1} s  {name}");
            }
        }
        text
    }
}

/// Parses the test's name and seconds from an output line such as `a::test ... ok <1.234s>`.
fn timed(line: &str) -> Option<(&str, f64)> {
    let (test, result) = line.split_once(" ... ")?;
    let (_, time) = result.split_once('<')?;
    Some((test, time.strip_suffix("s>")?.parse().ok()?))
}

fn by_reason(skipped: &[Note]) -> Vec<(Reason, usize)> {
    let count = |reason| skipped.iter().filter(|note| note.reason == reason).count();
    let mut counts: Vec<_> = Reason::ALL.into_iter().map(|reason| (reason, count(reason))).collect();
    counts.retain(|(_, count)| *count > 0);
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// Formats a number with its digits in groups of three: `1,858`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const GEOM: &str = "
running 33 tests
test half::tests::products_and_sums_are_rounded_once ... ok <0.500s>
test result: ok. 1033 passed; 0 failed; 8 ignored; 0 measured; 0 filtered out; finished in 0.22s
";
    const CPU: &str = "
test rays ... FAILED <12.250s>
test result: FAILED. 829 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 23.00s
";

    fn tally() -> Tally {
        let mut all = Tally::default();
        for (program, output) in [("raywarp-geom raywarp_geom", GEOM), ("raywarp-cpu tests", CPU)] {
            let mut tally = Tally::of(program.to_string());
            output.lines().for_each(|line| tally.read(line));
            all.add(tally);
        }
        all
    }

    fn note(reason: Reason, test: &str) -> Note {
        Note { reason, binary: "a".into(), test: test.into(), why: "why".into() }
    }

    #[test]
    fn results_are_added_up_and_skipped_tests_have_not_passed() {
        let skipped = [note(Reason::Scenes, "one"), note(Reason::Gpu, "two"), note(Reason::Gpu, "three")];
        let summary = "1 failed, 1,859 passed, 8 ignored, 3 skipped: 2 no GPU, 1 no scenes";
        assert_eq!(tally().summary(&skipped), summary);
        let all = Tally { passed: 7, ..Tally::default() };
        assert_eq!(all.summary(&[]), "7 passed, 0 skipped");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn the_slowest_are_named_with_their_program() {
        let text = tally().slowest(1);
        assert!(text.contains("    12.2 s  raywarp-cpu tests: rays\n"), "{text}");
        assert!(text.contains("    23.0 s  raywarp-cpu tests\n"), "{text}");
        assert!(text.contains("of 2 programs") && text.contains(" 23.2 s "), "{text}");
    }
}
