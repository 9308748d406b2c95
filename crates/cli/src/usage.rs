//! Wrong usage in our words: what was typed, what is wrong with it, what to type instead. Clap's own messages take half
//! a dozen lines, and their tips mislead: they name options that merely share a letter, and offer `-- --x`.

use crate::mistake::{Instead, Mistake};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};
use std::error::Error;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError, TryFromIntError};

/// Finds why clap refused `arguments` with `error`.
pub fn explain(error: &clap::Error, mut command: Command, arguments: &[OsString]) -> Mistake {
    // So that sub-commands know their long names, and arguments how they are written.
    command.build();
    let command = &command;
    let text = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let arg = plain(&text(ContextKind::InvalidArg));
    let called = command_of(command, arguments, &arg);
    let name = called.get_name().to_string();
    let value = text(ContextKind::InvalidValue);
    let option = flag(&arg);
    match error.kind() {
        ErrorKind::UnknownArgument if arg.starts_with('-') => unknown_option(&arg, called, command),
        ErrorKind::UnknownArgument => Mistake::TooManyArguments { command: name, argument: arg, usage: usage(called) },
        ErrorKind::TooManyValues if arg.starts_with('-') => Mistake::ValueTooMany { option: arg, value },
        ErrorKind::TooManyValues => Mistake::TooManyArguments { command: name, argument: value, usage: usage(called) },
        ErrorKind::InvalidSubcommand => unknown_command(&text(ContextKind::InvalidSubcommand), command),
        ErrorKind::MissingSubcommand => Mistake::NoCommand { known: commands(command) },
        ErrorKind::MissingRequiredArgument => {
            missing(&words(error, ContextKind::InvalidArg), called, command, arguments)
        }
        ErrorKind::ArgumentConflict => {
            let others: Vec<String> = words(error, ContextKind::PriorArg).iter().map(|other| flag(other)).collect();
            match &others[..] {
                [] => Mistake::Misplaced { option },
                [same] if *same == option => Mistake::Twice { option },
                _ => Mistake::Conflict { option, others },
            }
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation if value.is_empty() => {
            let known = words(error, ContextKind::ValidValue);
            // A longer list helps nobody.
            let known = if known.len() > 12 { Vec::new() } else { known };
            Mistake::NoValue { option, form: arg, known }
        }
        ErrorKind::InvalidValue => {
            let known = words(error, ContextKind::ValidValue);
            let near = near(&value, &known);
            Mistake::UnknownValue { option, value, known, near }
        }
        ErrorKind::ValueValidation => {
            let why = error.source().map_or_else(|| "cannot be read".to_string(), of_cause);
            Mistake::WrongValue { option, value, why }
        }
        // Clap's own first line says what is left: not UTF-8, too few values.
        _ => {
            let whole = error.to_string();
            let first = whole.lines().next().unwrap_or_default();
            Mistake::Other { command: name, words: first.trim_start_matches("error: ").to_string() }
        }
    }
}

/// Returns `true` if `--json` is among the arguments, even if others are wrong.
pub fn wants_json(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// Returns the subcommand that was called, or the whole command if `wrong` stands before its name.
fn command_of<'a>(command: &'a Command, arguments: &[OsString], wrong: &str) -> &'a Command {
    let is_wrong = |argument: &OsString| {
        wrong.starts_with('-') && argument.to_string_lossy().split('=').next() == wrong.split(' ').next()
    };
    let words = || arguments.iter().skip(1).take_while(|argument| *argument != "--");
    let named = |argument: &OsString| command.find_subcommand(argument);
    let Some(at) = words().position(|argument| named(argument).is_some()) else { return command };
    match words().position(is_wrong) {
        Some(before) if before < at => command,
        _ => words().nth(at).and_then(named).unwrap_or(command),
    }
}

/// Options of other renderers that this program lacks and whose similar names would mislead, with what to use instead.
const ELSEWHERE: [(&str, &str); 24] = [
    ("--denoise", DENOISED),
    ("--denoiser", DENOISED),
    ("--oidn", DENOISED),
    ("--optix", DENOISED),
    ("--frames", ANIMATED),
    ("--frame", ANIMATED),
    ("--animate", ANIMATED),
    ("--fps", ANIMATED),
    ("--env", SURROUNDED),
    ("--environment", SURROUNDED),
    ("--envmap", SURROUNDED),
    ("--env-map", SURROUNDED),
    ("--hdri", SURROUNDED),
    ("--hdr", SURROUNDED),
    ("--background", BACKGROUND),
    ("--bg", BACKGROUND),
    ("--resolution", SIZED),
    ("--res", SIZED),
    ("--width", SIZED),
    ("--height", SIZED),
    ("--fov", "--vfov DEGREES is the full vertical angle of view"),
    ("--bounces", "--max-depth N is the most bounces"),
    ("--gpu", "--device cuda renders on a GPU"),
    ("--quality", "--spp N and --noise 5% say how good the picture is to be"),
];
const DENOISED: &str = "nothing is denoised here: --noise 5% renders until so little noise is left, and --layers \
    albedo,normal writes what a denoiser wants into an .exr";
const SURROUNDED: &str = "--light FILE takes an image of the surroundings (.hdr, .exr), and --light studio, sky or white \
    need none";
const BACKGROUND: &str = "--transparent leaves the background out, and --light white, sky or FILE are light and \
    background in one";
const SIZED: &str = "--size 1024x768 says both sides of the picture";
const ANIMATED: &str = "a render is one picture: render once for each, with --at SECONDS (a time of a glTF file's animation) or \
    another --eye, and another -o";

fn unknown_option(option: &str, called: &Command, command: &Command) -> Mistake {
    let name = called.get_name().to_string();
    let has = |command: &Command| longs(command).iter().any(|long| long == option);
    let others: Vec<String> =
        command.get_subcommands().filter(|other| has(other)).map(|other| other.get_name().to_string()).collect();
    let option = option.to_string();
    if called.has_subcommands() {
        return match others.into_iter().next() {
            Some(first) => Mistake::OptionBeforeCommand { option, first },
            None => Mistake::UnknownOption { command: name, option, instead: Instead::Help(None) },
        };
    }
    let ours = ELSEWHERE.iter().find(|(known, _)| *known == option).map(|(_, instead)| Instead::Ours(instead));
    let near = near(&option, &longs(called));
    let instead = match (ours, &near[..], &others[..]) {
        (Some(ours), ..) => ours,
        (None, _, [_, ..]) => Instead::Commands(others),
        (None, [], []) => Instead::Help(Some(name.clone())),
        (None, _, []) => Instead::Near(near),
    };
    Mistake::UnknownOption { command: name, option, instead }
}

fn unknown_command(word: &str, command: &Command) -> Mistake {
    let known = commands(command);
    let near = near(word, &known);
    let instead = match near.is_empty() {
        _ if word == "help" => Instead::Ours("raywarp --help lists all, and raywarp render --help tells of one"),
        true if std::path::Path::new(word).exists() => Instead::RenderOf(word.to_string()),
        true => Instead::Any(known),
        false => Instead::Near(near),
    };
    Mistake::UnknownCommand { word: word.to_string(), instead }
}

fn missing(missing: &[String], called: &Command, command: &Command, arguments: &[OsString]) -> Mistake {
    let what: Vec<String> = missing.iter().map(|argument| plain(argument)).collect();
    let name = called.get_name().to_string();
    // What is not always required is so because of another option.
    let with_another =
        |arg: &&Arg| !arg.is_required_set() && !arg.is_positional() && what.contains(&plain(&arg.to_string()));
    if called.get_arguments().any(|arg| with_another(&arg)) {
        let option = needy(called, command, arguments).unwrap_or_else(|| "an option that is given".to_string());
        return Mistake::MissingBeside { command: name, option, others: what };
    }
    Mistake::Missing { command: name, arguments: what, usage: usage(called) }
}

/// Returns the given long option of `called` that requires another one, which clap's error does not name.
fn needy(called: &Command, command: &Command, arguments: &[OsString]) -> Option<String> {
    (1..arguments.len()).find_map(|at| {
        let text = arguments[at].to_str()?;
        let (name, has_value) = text.split_once('=').map_or((text, false), |(name, _)| (name, true));
        let long = name.strip_prefix("--")?;
        let arg = called.get_arguments().find(|arg| arg.get_long() == Some(long))?;
        let values = usize::from(!has_value && arg.get_action().takes_values());
        let without = arguments[..at].iter().chain(arguments.iter().skip(at + 1 + values));
        let parsed = command.clone().try_get_matches_from(without);
        let is_missing = parsed.is_err_and(|error| error.kind() == ErrorKind::MissingRequiredArgument);
        (!is_missing).then(|| name.to_string())
    })
}

/// Returns the names of all long options, those of every subcommand included.
fn longs(command: &Command) -> Vec<String> {
    command.get_arguments().filter_map(|arg| arg.get_long()).map(|long| format!("--{long}")).collect()
}

/// Returns the names of all commands.
fn commands(command: &Command) -> Vec<String> {
    command.get_subcommands().map(|command| command.get_name().to_string()).collect()
}

/// Returns a command's usage line: `raywarp merge [OPTIONS] --output FILE SHARE...`.
pub fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    plain(usage.trim_start_matches("Usage: ").trim())
}

/// Returns the names in `known` that `typed` may have meant: those that begin with it, or differ by a slip or two. At
/// most three.
fn near(typed: &str, known: &[String]) -> Vec<String> {
    let bare = typed.trim_start_matches('-');
    let slips = |name: &String| {
        let name = name.trim_start_matches('-');
        if bare.len() >= 2 && name.starts_with(bare) { 0 } else { strsim::osa_distance(bare, name) }
    };
    // A third of the letters: `sampel` for `samples`, but not `x` for `exposure`.
    let most = if bare.len() < 2 { 0 } else { (bare.len() / 3).max(1) };
    let best = known.iter().map(slips).min().filter(|&slips| slips <= most);
    let near = known.iter().filter(|name| Some(slips(name)) == best);
    near.take(3).cloned().collect()
}

/// Joins words to a list for a sentence: `a, b and c`.
pub fn list(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., end] => format!("{} {last} {end}", head.join(", ")),
    }
}

fn words(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::Strings(words)) => words.clone(),
        Some(ContextValue::String(word)) => vec![word.clone()],
        _ => Vec::new(),
    }
}

/// Removes angle brackets from an option's description: `--spp N` of `--spp <N>`.
fn plain(text: &str) -> String {
    text.replace(['<', '>'], "")
}

/// Returns the flag without its value: `--spp` of `--spp <N>`.
fn flag(text: &str) -> String {
    plain(text.split(' ').next().unwrap_or_default())
}

/// Describes in plain words what is wrong with an option's value.
fn of_cause(cause: &(dyn Error + 'static)) -> String {
    if let Some(error) = cause.downcast_ref::<ParseIntError>() {
        match error.kind() {
            IntErrorKind::Empty | IntErrorKind::InvalidDigit => return "must be a whole number".into(),
            IntErrorKind::PosOverflow => return "is too large".into(),
            _ => {}
        }
    }
    if cause.is::<TryFromIntError>() {
        return "is too large".into();
    }
    if cause.is::<ParseFloatError>() {
        return "must be a number".into();
    }
    cause.to_string()
}

/// Lets every option take a negative number as a value, so that its own message says what is allowed.
pub fn take_negative_numbers(command: Command) -> Command {
    command.mut_subcommands(|command| {
        command.mut_args(|arg| {
            let valued = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) && !arg.is_positional();
            if valued { arg.allow_negative_numbers(true) } else { arg }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::whole_number::OutOfRange;

    #[test]
    fn only_names_that_look_alike_are_suggested() {
        let known: Vec<String> =
            ["--spp", "--samples", "--sampler", "--exposure", "--output"].map(String::from).to_vec();
        let near = |typed| near(typed, &known);
        assert_eq!(near("--sp"), ["--spp"]);
        assert_eq!(near("--sampel"), ["--samples", "--sampler"]);
        assert_eq!(near("--out"), ["--output"]);
        assert_eq!(near("--exposrue"), ["--exposure"]);
        assert!(near("--x").is_empty() && near("--frames").is_empty() && near("-o").is_empty());
    }

    #[test]
    fn what_other_renderers_have_is_not_taken_for_a_slip() {
        let command = Command::new("raywarp")
            .subcommand(Command::new("render").args(["noise", "threads"].map(|long| Arg::new(long).long(long))));
        let render = command.find_subcommand("render").unwrap();
        let instead = |option| match unknown_option(option, render, &command) {
            Mistake::UnknownOption { instead, .. } => instead,
            other => panic!("{option}: {other:?}"),
        };
        for (option, ours) in ELSEWHERE {
            assert_eq!(instead(option), Instead::Ours(ours), "{option}");
        }
        assert_eq!(instead("--nose"), Instead::Near(vec!["--noise".into()]));
    }

    #[test]
    fn causes_are_said_plainly() {
        let range = OutOfRange::Between { least: 0, most: 4096 };
        assert_eq!(of_cause(&range), "must be a whole number from 0 to 4096");
        let whole = |text: &str| of_cause(&text.parse::<u32>().unwrap_err());
        assert_eq!(["", "x", "1e99"].map(whole), ["must be a whole number"; 3]);
        assert_eq!(whole("99999999999"), "is too large");
        assert_eq!(of_cause(&u8::try_from(300).unwrap_err()), "is too large");
        assert_eq!(of_cause(&"x".parse::<f32>().unwrap_err()), "must be a number");
    }
}
