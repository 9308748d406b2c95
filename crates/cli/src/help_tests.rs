//! What `--help` promises, of every command.

use super::*;
use clap::{Arg, ArgAction};

/// Headings of option groups that help texts may use. A new one is added here on purpose, not by a slip.
const HEADINGS: [&str; 16] = [
    heading::MODE,
    heading::OUTPUT,
    heading::QUALITY,
    heading::CAMERA,
    heading::LIGHT,
    heading::STUDIES,
    heading::SCENE,
    heading::TREE,
    heading::RAYS,
    heading::KERNELS,
    heading::TIMING,
    heading::WITH_MACHINE,
    heading::WITH_EXPERIMENT,
    heading::WITH_COMPACTION,
    heading::MACHINE,
    heading::GENERAL,
];

/// Returns the program and all its commands, with the flags that all take.
fn commands() -> Vec<clap::Command> {
    let mut definition = definition();
    definition.build();
    std::iter::once(definition.clone()).chain(definition.get_subcommands().cloned()).collect()
}

fn options(command: &clap::Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set())
}

fn help_of(arg: &Arg) -> String {
    arg.get_help().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn every_argument_is_explained_and_every_option_stands_in_a_known_group() {
    for command in commands() {
        let name = command.get_name();
        for arg in command.get_arguments() {
            assert!(!help_of(arg).is_empty(), "{name} {arg}: no help");
        }
        for arg in options(&command) {
            let heading = arg.get_help_heading().unwrap_or("none");
            assert!(HEADINGS.contains(&heading), "{name} {arg}: its group is {heading}");
        }
    }
}

#[test]
fn the_short_help_of_an_option_is_short() {
    let mut long: Vec<String> = Vec::new();
    for command in commands() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(about.chars().count() <= 80, "{}: {about}", command.get_name());
        let options = options(&command).map(|arg| (arg, help_of(arg)));
        let too_long = options.filter(|(_, help)| help.chars().count() > 90);
        long.extend(too_long.map(|(arg, help)| format!("{} {arg}: {help}", command.get_name())));
    }
    // The rest of a longer text goes into a second paragraph of the doc comment, which only --help shows.
    assert!(long.is_empty(), "more than 90 characters in the first paragraph:\n{}", long.join("\n"));
}

#[test]
fn help_fits_its_width_and_has_examples() {
    for command in commands() {
        let name = command.get_name().to_string();
        for (form, text) in [("-h", command.clone().render_help()), ("--help", command.clone().render_long_help())] {
            let text = text.to_string();
            for line in text.lines() {
                assert!(line.chars().count() <= 100, "{name} {form}: {line}");
            }
            assert!(text.contains("\nExamples:\n"), "{name} {form} has no examples");
        }
    }
    // A command's line in the list of all.
    let list = definition().render_help().to_string();
    let commands = list.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    assert!(commands.lines().all(|line| line.chars().count() <= 80), "{commands}");
}

/// Returns the command lines of the examples in `text`, each as words.
fn examples_of(text: &str) -> Vec<Vec<String>> {
    let section = text.split("\nExamples:\n").nth(1).unwrap_or_default();
    let lines = section.lines().take_while(|line| line.starts_with("  "));
    let commands = lines.filter(|line| !line.trim_start().starts_with('#'));
    commands
        .map(|line| line.split_whitespace().take_while(|word| *word != ">" && *word != "|").map(String::from).collect())
        .collect()
}

#[test]
fn examples_are_commands_that_work() {
    let mut count = 0;
    for command in commands() {
        for words in examples_of(&command.clone().render_long_help().to_string()) {
            let line = words.join(" ");
            let matches = definition().try_get_matches_from(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
            let cli = Cli::from_arg_matches(&matches).unwrap();
            let (called, _) = matches.subcommand().unwrap();
            assert!(
                command.has_subcommands() || command.get_name() == called,
                "{line} is under {}",
                command.get_name()
            );
            if let Command::Simulate(args) = &cli.command {
                args.check_mode().unwrap_or_else(|error| panic!("{line}: {error}"));
            }
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

#[test]
fn an_option_with_a_value_says_its_default_or_needs_none() {
    // What is added, limited or chosen only where it is asked for.
    let none: &[&str] = &[
        "scene",
        "samples",
        "clay",
        "made-of",
        "light",
        "target",
        "crop",
        "suite",
        "export-rays",
        "csv",
        "record",
        "top",
        "counters",
        "sampled",
        "own",
        "measured",
        "costs",
        "operation-cost",
        "operations",
        "export-operations",
        "set",
        "variant",
        "peers",
        "machine",
        "experiment",
        "report",
        "svg",
        "sort",
        "view",
        "output",
    ];
    for command in commands() {
        for arg in options(&command).filter(|arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)) {
            let long = arg.get_long().unwrap_or_default();
            let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
            let said = !arg.get_default_values().is_empty() || help.contains("[default: ");
            assert!(said || arg.is_required_set() || none.contains(&long), "{} --{long}: {help}", command.get_name());
        }
    }
}

#[test]
fn no_command_lists_what_it_does_not_take() {
    let takers = |long: &str| -> Vec<String> {
        let takes = |command: &&clap::Command| options(command).any(|arg| arg.get_long() == Some(long));
        commands()[1..].iter().filter(takes).map(|command| command.get_name().to_string()).collect()
    };
    assert_eq!(takers("device"), ["render", "trace", "bench", "paper", "variants", "selftest"]);
    assert_eq!(takers("scenes"), ["render", "info", "trace", "bench", "simulate", "explain", "paper"]);
    assert_eq!(takers("threads"), ["render", "info", "trace", "bench", "simulate", "explain", "paper", "selftest"]);
}
