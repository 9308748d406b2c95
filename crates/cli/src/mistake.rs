//! Mistakes of a command line: what was typed, what is wrong with it, what to type instead.

use crate::usage::list;
use std::fmt;

/// What is wrong with a command line. Options are named without their values, as `--spp`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mistake {
    /// The command `command` lacks the option.
    UnknownOption { command: String, option: String, instead: Instead },
    /// An option of a command stands before the command's name; `first` is a command that has it.
    OptionBeforeCommand { option: String, first: String },
    /// The command takes no more arguments.
    TooManyArguments { command: String, argument: String, usage: String },
    /// The option takes no value.
    ValueTooMany { option: String, value: String },
    /// There is no command of that name.
    UnknownCommand { word: String, instead: Instead },
    /// No command is given.
    NoCommand { known: Vec<String> },
    /// The command needs arguments.
    Missing { command: String, arguments: Vec<String>, usage: String },
    /// An option that is given needs others.
    MissingBeside { command: String, option: String, others: Vec<String> },
    /// The option cannot be used here.
    Misplaced { option: String },
    /// The option excludes others that are given.
    Conflict { option: String, others: Vec<String> },
    /// The option is given twice.
    Twice { option: String },
    /// The option lacks its value, which is written as `form`; `known` are its names, if few.
    NoValue { option: String, form: String, known: Vec<String> },
    /// The value is none of the names that the option knows.
    UnknownValue { option: String, value: String, known: Vec<String>, near: Vec<String> },
    /// The value is not one, for this reason.
    WrongValue { option: String, value: String, why: String },
    /// Any other refusal of clap, in its own words.
    Other { command: String, words: String },
}

/// What to type instead of a wrong name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instead {
    /// One of the names that look alike.
    Near(Vec<String>),
    /// The option with a command that has it.
    Commands(Vec<String>),
    /// What this program has for an option of other renderers.
    Ours(&'static str),
    /// Any name of this list.
    Any(Vec<String>),
    /// A render of the file that has this name.
    RenderOf(String),
    /// What the help of a command (or `None`: of all) says.
    Help(Option<String>),
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOption { command, option, instead } => write!(f, "{command} has no option {option}{instead}"),
            Self::OptionBeforeCommand { option, first } => {
                write!(f, "{option} goes behind the command, such as: raywarp {first} {option}")
            }
            Self::TooManyArguments { command, argument, usage } => {
                write!(f, "{command}: '{argument}' is one argument too many; {usage}")
            }
            Self::ValueTooMany { option, value } => write!(f, "{option} takes no value: '{value}' is too much"),
            Self::UnknownCommand { word, instead } => write!(f, "there is no command '{word}'{instead}"),
            Self::NoCommand { known } => write!(f, "no command is given{}", Instead::Any(known.clone())),
            Self::Missing { command, arguments, usage } => {
                write!(f, "{command} needs {}; {usage}", list(arguments, "and"))
            }
            Self::MissingBeside { command, option, others } => {
                write!(f, "{command}: {option} needs {} beside it", list(others, "and"))
            }
            Self::Misplaced { option } => write!(f, "{option} cannot be used here"),
            Self::Conflict { option, others } => {
                write!(f, "{option} and {} exclude each other; leave one out", list(others, "and"))
            }
            Self::Twice { option } => write!(f, "{option} is given twice; give it once"),
            Self::NoValue { option, form, known } if known.is_empty() => write!(f, "{option} needs a value: {form}"),
            Self::NoValue { option, form, known } => {
                write!(f, "{option} needs a value: {form} ({})", list(known, "or"))
            }
            Self::UnknownValue { option, value, known, near } => {
                write!(f, "{option} {value}: known are {}{}", list(known, "and"), did_you_mean(near))
            }
            Self::WrongValue { option, value, why } => write!(f, "{option} {value}: {why}"),
            Self::Other { command, words } => write!(f, "{command}: {words}"),
        }
    }
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Near(names) => f.write_str(&did_you_mean(names)),
            Self::Commands(names) if names.len() == 1 => write!(f, "; {} has it", names[0]),
            Self::Commands(names) => write!(f, "; {} have it", list(names, "and")),
            Self::Ours(text) => write!(f, "; {text}"),
            Self::Any(names) => write!(f, "; there are {}", list(names, "and")),
            Self::RenderOf(file) => write!(f, "; a picture of that file: raywarp render {file}"),
            Self::Help(Some(command)) => write!(f, "; see raywarp {command} -h"),
            Self::Help(None) => f.write_str("; see raywarp --help"),
        }
    }
}

fn did_you_mean(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", list(names, "or")) }
}
