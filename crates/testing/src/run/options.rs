//! The command line of `cargo tests`.

use raywarp_testing::Reason;

/// What `--help` prints.
pub const USAGE: &str = "\
usage: cargo tests [--allow REASONS] [--slowest] [OPTIONS OF CARGO TEST] [-- OPTIONS OF THE TESTS]

Runs `cargo test --release --workspace` (other packages with -p, another profile with --profile) and prints at the end
how many tests passed, how many were skipped, and why.

  --allow REASONS  fail if a test is skipped for another reason than these, with commas between them:
                   gpu, scenes, embree, vulkan, browser, arm, python, compiler, system
  --slowest        name the ten slowest tests and programs of tests; documentation tests are left out
";

/// A command line, taken apart.
#[derive(Debug, PartialEq)]
pub struct Options {
    /// Reasons for which tests may be skipped; all if none are named.
    allowed: Option<Vec<Reason>>,
    /// Whether the slowest tests are named.
    pub slowest: bool,
    /// What cargo is given before `--`.
    cargo: Vec<String>,
    /// What the tests are given.
    tests: Vec<String>,
}

impl Options {
    /// Reads a command line: an error says what is wrong with it.
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

    /// Whether a test may be skipped for this reason.
    pub fn allows(&self, reason: Reason) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(&reason))
    }

    /// What cargo is given to build alone; nothing if it is to run nothing else.
    pub fn building(&self) -> Option<Vec<String>> {
        let alone = ["--no-run", "--doc"].iter().any(|word| self.has(word));
        (!alone).then(|| [self.before(), vec!["--no-run".into()]].concat())
    }

    /// What cargo is given to run the tests.
    pub fn running(&self) -> Vec<String> {
        let mut all = self.before();
        let mut tests = self.tests.clone();
        if self.slowest {
            // The stable toolchain's tests say how long they take if this variable is set when they run; so it is set for
            // them alone, and nothing is compiled with it.
            let runner = r#"target."cfg(all())".runner=["env", "RUSTC_BOOTSTRAP=1"]"#;
            all.extend(["--config".into(), runner.into()]);
            tests.extend(["-Z", "unstable-options", "--report-time"].map(String::from));
        }
        if !tests.is_empty() {
            all.push("--".into());
            all.append(&mut tests);
        }
        all
    }

    /// `test`, what is tested by default, and the options of cargo.
    fn before(&self) -> Vec<String> {
        let mut all = vec!["test".to_string()];
        if !["--profile", "--release", "-r"].iter().any(|word| self.has(word)) {
            all.push("--release".into());
        }
        if !["--workspace", "-p", "--package"].iter().any(|word| self.has(word)) {
            all.push("--workspace".into());
        }
        let named = ["--lib", "--bins", "--bin", "--test", "--tests", "--all-targets"];
        if self.slowest && !named.iter().any(|word| self.has(word)) {
            all.push("--tests".into());
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
        let line = |text: &str| parsed(text).running().join(" ");
        assert_eq!(line(""), "test --release --workspace");
        assert_eq!(line("--locked"), "test --release --workspace --locked");
        assert_eq!(line("-p raywarp-geom --lib"), "test --release -p raywarp-geom --lib");
        assert_eq!(line("--profile dev -praywarp-geom"), "test --profile dev -praywarp-geom");
        assert_eq!(line("--package=a b -- --exact"), "test --release --package=a b -- --exact");
        assert_eq!(
            parsed("--locked -- --exact").building().unwrap().join(" "),
            "test --release --workspace --locked --no-run"
        );
        assert_eq!(parsed("--doc").building(), None);
    }

    #[test]
    fn tests_are_asked_how_long_they_take() {
        let line = parsed("--slowest --locked -- --test-threads=1").running().join(" ");
        assert!(line.starts_with("test --release --workspace --tests --locked --config target."), "{line}");
        assert!(line.ends_with(" -- --test-threads=1 -Z unstable-options --report-time"), "{line}");
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
