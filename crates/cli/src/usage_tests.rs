//! Which mistake is found in which command line.

use crate::mistake::{Instead, Mistake};
use crate::{Cli, definition, usage};
use clap::FromArgMatches;
use std::ffi::OsString;

fn mistake(line: &str) -> Mistake {
    let arguments: Vec<OsString> = ["raywarp"].into_iter().chain(line.split_whitespace()).map(Into::into).collect();
    let parsed = definition().try_get_matches_from(&arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    usage::explain(&parsed.expect_err(line), definition(), &arguments)
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

fn near(names: &[&str]) -> Instead {
    Instead::Near(strings(names))
}

fn commands(names: &[&str]) -> Instead {
    Instead::Commands(strings(names))
}

#[test]
fn an_option_that_there_is_not_comes_with_what_to_type_instead() {
    for (line, command, option, instead) in [
        ("render --sp 16", "render", "--sp", near(&["--spp"])),
        ("render --sampel 3", "render", "--sampel", near(&["--samples", "--sampler"])),
        ("render --x", "render", "--x", Instead::Help(Some("render".into()))),
        ("render -x", "render", "-x", Instead::Help(Some("render".into()))),
        ("info a.obj --epoo", "info", "--epoo", near(&["--epo"])),
        (
            "info --device cuda",
            "info",
            "--device",
            commands(&["render", "trace", "bench", "paper", "variants", "selftest"]),
        ),
        ("merge --legal 3", "merge", "--legal", commands(&["variants", "selftest"])),
    ] {
        let (command, option) = (command.into(), option.into());
        assert_eq!(mistake(line), Mistake::UnknownOption { command, option, instead }, "{line}");
    }
    let width = mistake("render --width 8");
    assert!(matches!(width, Mistake::UnknownOption { instead: Instead::Ours(ours), .. } if ours.contains("--size ")));
    let before = Mistake::OptionBeforeCommand { option: "--spp".into(), first: "render".into() };
    assert_eq!(mistake("--spp 3 render"), before);
}

#[test]
fn arguments_that_are_too_many_or_missing_are_named_with_the_usage() {
    for (line, command, argument, usage) in [
        ("render a.obj b.obj", "render", "b.obj", "raywarp render [OPTIONS] [SCENE]"),
        ("trace a.obj r.npy x.npy -o h.npy", "trace", "x.npy", "raywarp trace [OPTIONS] SCENE RAYS -o HITS"),
    ] {
        let [command, argument, usage] = [command, argument, usage].map(str::to_string);
        assert_eq!(mistake(line), Mistake::TooManyArguments { command, argument, usage }, "{line}");
    }
    for (line, command, arguments, usage) in [
        ("trace a.obj r.npy", "trace", &["--output HITS"][..], "raywarp trace [OPTIONS] SCENE RAYS -o HITS"),
        ("merge", "merge", &["--output FILE", "SHARE..."], "raywarp merge [OPTIONS] --output FILE SHARE..."),
        ("info", "info", &["SCENE"], "raywarp info [OPTIONS] SCENE"),
        (
            "simulate",
            "simulate",
            &["SCENE"],
            "raywarp simulate SCENE (--machine LIST | --efficiency | --experiment NAME)",
        ),
    ] {
        let found = mistake(line);
        let Mistake::Missing { command: c, arguments: a, usage: u } = &found else { panic!("{line}: {found:?}") };
        assert!(c == command && *a == strings(arguments) && u.starts_with(usage), "{line}: {found:?}");
    }
    for (line, command, option, other) in [
        ("trace a.obj r.npy --any --width=8 -o h.npy", "trace", "--width", "--variant VARIANT"),
        ("bench a.obj --machine h200", "bench", "--machine", "--simulate"),
    ] {
        let (command, option, others) = (command.into(), option.into(), strings(&[other]));
        assert_eq!(mistake(line), Mistake::MissingBeside { command, option, others }, "{line}");
    }
}

#[test]
fn a_missing_value_is_asked_for_with_the_names_that_are_known() {
    for (line, option, form, known) in [
        ("render -o", "--output", "--output FILE", &[][..]),
        ("render --spp=", "--spp", "--spp N", &[]),
        ("render --tone", "--tone", "--tone CURVE", &["srgb", "reinhard", "aces", "agx", "neutral"]),
        ("render --integrator", "--integrator", "--integrator INTEGRATOR", &["path", "ao", "normal", "depth", "cost"]),
        // Dozens of kernels are no help in a line.
        ("simulate a.obj --efficiency --variant", "--variant", "--variant LIST", &[]),
    ] {
        let (option, form, known) = (option.into(), form.into(), strings(known));
        assert_eq!(mistake(line), Mistake::NoValue { option, form, known }, "{line}");
    }
}

#[test]
fn a_command_that_there_is_not_comes_with_those_that_there_are() {
    let all: Vec<String> = definition().get_subcommands().map(|command| command.get_name().to_string()).collect();
    for (line, instead) in [
        ("rendr a.obj", near(&["render"])),
        // A file of the folder that tests run in.
        ("Cargo.toml", Instead::RenderOf("Cargo.toml".into())),
        ("frobnicate", Instead::Any(all.clone())),
    ] {
        let word = line.split(' ').next().unwrap().to_string();
        assert_eq!(mistake(line), Mistake::UnknownCommand { word, instead }, "{line}");
    }
    assert_eq!(mistake("-q"), Mistake::NoCommand { known: all });
}

#[test]
fn a_wrong_value_comes_with_its_option_and_the_reason() {
    // What each reason says is tested where the values are parsed.
    for (line, option, value, part) in [
        ("render --eye 1,2", "--eye", "1,2", "0,1.5,-3"),
        ("render --spp -1", "--spp", "-1", " 1"),
        ("render --spp 5.5", "--spp", "5.5", "whole"),
        ("render --clay -1", "--clay", "-1", " 0 to 1"),
        ("render --max-depth 10001", "--max-depth", "10001", " 0 to 10000"),
        ("render --samples 16", "--samples", "16", "--spp 16"),
        ("render --tone loud", "--tone", "loud", "srgb, reinhard, aces, agx"),
        ("render --device tpu", "--device", "tpu", "cpu, cuda, cuda:N, cuda:0,1 (a list), cuda:all"),
        ("render --device cuda:", "--device", "cuda:", "cpu, cuda"),
        ("render --device cuda:0,2,0", "--device", "cuda:0,2,0", "twice"),
        ("bench s.obj --device tpu", "--device", "tpu", "cpu, cuda, cuda:N and auto"),
        ("bench s.obj --device cuda:0,1", "--device", "cuda:0,1", "render and trace"),
        ("selftest --device cuda:all", "--device", "cuda:all", "render and trace"),
        ("variants --device cuda:1,0", "--device", "cuda:1,0", "render and trace"),
    ] {
        let found = mistake(line);
        let Mistake::WrongValue { option: o, value: v, why } = &found else { panic!("{line}: {found:?}") };
        assert!(o == option && v == value && why.contains(part), "{line}: {found:?}");
    }
    let known = strings(&["path", "ao", "normal", "depth", "cost"]);
    let unknown =
        Mistake::UnknownValue { option: "--integrator".into(), value: "pth".into(), known, near: strings(&["path"]) };
    assert_eq!(mistake("render --integrator pth"), unknown);
    let shells = strings(&["bash", "elvish", "fish", "powershell", "zsh"]);
    let shell = Mistake::UnknownValue { option: "SHELL".into(), value: "tcsh".into(), known: shells, near: Vec::new() };
    assert_eq!(mistake("completions tcsh"), shell);
}

#[test]
fn options_that_do_not_go_together_are_named() {
    let [spp, samples] = ["--spp", "--samples"].map(str::to_string);
    let others = vec![samples];
    assert_eq!(mistake("render --spp 3 --samples 0..2"), Mistake::Conflict { option: spp.clone(), others });
    assert_eq!(mistake("render --spp 1 --spp 2"), Mistake::Twice { option: spp });
    let quiet = Mistake::ValueTooMany { option: "--quiet".into(), value: "3".into() };
    assert_eq!(mistake("render --quiet=3"), quiet);
}
