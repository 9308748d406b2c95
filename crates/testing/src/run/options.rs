//! The command line of `cargo tests`.

use raywarp_testing::Reason;

/// Text that `--help` prints.
pub const USAGE: &str = "\
usage: cargo tests [--allow REASONS] [--slowest] [OPTIONS OF CARGO TEST] [-- FILTERS AND OPTIONS OF THE TESTS]

Runs the tests of `cargo test --release --workspace` (other packages with -p, another profile with --profile), two programs
of tests at once, and prints at the end how many tests passed, how many were skipped, and why.

  --allow REASONS  fail if a test is skipped for another reason than these, with commas between them:
                   gpu, scenes, embree, vulkan, browser, arm, node, python, compiler, system
  --slowest        name the ten slowest tests and programs of tests; documentation tests are left out
";

/// Parsed command line of `cargo tests`.
#[derive(Debug, PartialEq)]
pub struct Options {
    /// Reasons for which tests may be skipped without failing the run; `None` allows all.
    allowed: Option<Vec<Reason>>,
    /// `true` if the slowest tests are to be listed.
    pub slowest: bool,
    /// Arguments that are passed on to cargo, those before `--`.
    cargo: Vec<String>,
    /// Arguments that are passed on to the test binaries, such as filters: those after `--`.
    pub tests: Vec<String>,
}

impl Options {
    /// Parses a command line; the error says what is wrong with it.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self { allowed: None, slowest: false, cargo: Vec::new(), tests: Vec::new() };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--" => break,
                "--slowest" => options.slowest = true,
                "--allow" => {
                    let reasons = rest.next().ok_or("--allow needs reasons")?;
                    let named =
                        |name| Reason::named(name).ok_or(format!("--allow: there is no reason {name:?}\n\n{USAGE}"));
                    options.allowed = Some(reasons.split(',').map(named).collect::<Result<_, String>>()?);
                }
                _ => options.cargo.push(argument.clone()),
            }
        }
        options.tests = rest.cloned().collect();
        Ok(options)
    }

    /// Returns `true` if a test may be skipped for `reason` without failing the run.
    pub fn allows(&self, reason: Reason) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(&reason))
    }

    /// Returns the arguments with which cargo builds the test binaries and lists them as messages.
    pub fn building(&self) -> Vec<String> {
        let mut all = self.before();
        all.extend(["--no-run", "--message-format=json-render-diagnostics"].map(String::from));
        all
    }

    /// Returns the arguments with which cargo runs the documentation tests; `None` if the options select only other
    /// tests.
    pub fn documentation(&self) -> Option<Vec<String>> {
        let others =
            ["--lib", "--bins", "--bin", "--test", "--tests", "--example", "--examples", "--all-targets", "--no-run"];
        if self.slowest || others.iter().any(|word| self.has(word)) {
            return None;
        }
        let mut all = self.before();
        all.push("--doc".into());
        if !self.tests.is_empty() {
            all.push("--".into());
            all.extend(self.tests.iter().cloned());
        }
        Some(all)
    }

    /// Returns cargo's arguments common to all its runs: `test`, the default profile and packages, and the user's own.
    fn before(&self) -> Vec<String> {
        let mut all = vec!["test".to_string()];
        if !["--profile", "--release", "-r"].iter().any(|word| self.has(word)) {
            all.push("--release".into());
        }
        if !["--workspace", "-p", "--package"].iter().any(|word| self.has(word)) {
            all.push("--workspace".into());
        }
        all.extend(self.cargo.iter().cloned());
        all
    }

    fn has(&self, word: &str) -> bool {
        self.cargo.iter().any(|argument| {
            argument.strip_prefix(word).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('=') || (word == "-p" && !rest.starts_with('-'))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Options {
        Options::parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn all_is_tested_in_release_unless_something_is_named() {
        let line = |text: &str| parsed(text).building().join(" ");
        let end = " --no-run --message-format=json-render-diagnostics";
        assert_eq!(line(""), format!("test --release --workspace{end}"));
        assert_eq!(line("--locked -- --exact"), format!("test --release --workspace --locked{end}"));
        assert_eq!(line("-p raywarp-geom --lib"), format!("test --release -p raywarp-geom --lib{end}"));
        assert_eq!(line("--profile dev -praywarp-geom"), format!("test --profile dev -praywarp-geom{end}"));
        assert_eq!(line("--package=a"), format!("test --release --package=a{end}"));
    }

    #[test]
    fn documentation_is_tested_unless_something_else_is_named() {
        let line = |text: &str| parsed(text).documentation().map(|words| words.join(" "));
        assert_eq!(line("--locked").unwrap(), "test --release --workspace --locked --doc");
        assert_eq!(line("-p a -- --exact b").unwrap(), "test --release -p a --doc -- --exact b");
        assert!(["--lib", "--test=a", "--slowest", "--bins"].iter().all(|text| line(text).is_none()));
    }

    #[test]
    fn filters_go_to_the_programs() {
        assert_eq!(parsed("-p a -- one two").tests, ["one", "two"]);
    }

    #[test]
    fn reasons_are_allowed_by_name() {
        let options = parsed("--allow gpu,scenes --locked");
        assert!(options.allows(Reason::Gpu) && options.allows(Reason::Scenes) && !options.allows(Reason::Python));
        assert!(Reason::ALL.iter().all(|reason| parsed("").allows(*reason)));
        let wrong = Options::parse(&["--allow".into(), "gpu,moon".into()]).unwrap_err();
        assert!(wrong.contains("\"moon\""), "{wrong}");
        for reason in Reason::ALL {
            assert!(USAGE.contains(reason.name()));
        }
    }
}
