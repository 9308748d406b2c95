//! Options that stand on the command line, as against those that have their default or a value of the environment.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// Long options that the user typed, before the command's name and behind it.
#[derive(Debug, Clone, Default)]
pub struct TypedOptions(Vec<String>);

impl TypedOptions {
    /// Finds the typed options in what `definition`, which is built, made of the command line.
    pub fn of(matches: &ArgMatches, definition: &Command) -> Self {
        let mut given = typed(matches, definition);
        if let Some((name, matches)) = matches.subcommand() {
            given.extend(definition.find_subcommand(name).into_iter().flat_map(|command| typed(matches, command)));
        }
        Self(given)
    }

    /// Returns those of `options`, each as `--threads`, that were typed.
    pub fn among(&self, options: &[&str]) -> Vec<String> {
        options.iter().filter(|option| self.0.iter().any(|given| given == *option)).map(ToString::to_string).collect()
    }
}

fn typed(matches: &ArgMatches, command: &Command) -> Vec<String> {
    let is_typed = |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let long = |arg: &Arg| arg.get_long().map(|long| format!("--{long}"));
    command.get_arguments().filter(is_typed).filter_map(long).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(line: &str) -> TypedOptions {
        let mut definition = crate::definition();
        let matches = definition.try_get_matches_from_mut(line.split(' ')).unwrap();
        TypedOptions::of(&matches, &definition)
    }

    #[test]
    fn defaults_are_not_typed() {
        let options = ["--threads", "--scenes", "--device", "--light-units", "--wide", "--json"];
        assert!(given("raywarp paper al09 table1").among(&options).is_empty());
        let all =
            given("raywarp paper al09 table1 --device=cpu --threads 2 --scenes . --light-units auto --wide --json");
        assert_eq!(all.among(&options), options);
        assert_eq!(given("raywarp --threads 2 paper").among(&options), ["--threads"]);
    }
}
