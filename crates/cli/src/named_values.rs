//! Values that have names: shells complete them, and a message about a missing value lists them. Their help texts name
//! them already, so that each such option hides clap's own list there.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Parser of option values that also lists named values for help and completion. It may take other words too, such as
/// numbers or files.
#[derive(Clone)]
pub struct NamedValues<P> {
    parser: P,
    names: Vec<&'static str>,
}

/// Returns the parser `parser` with the `names` that it takes listed in help and completion.
pub fn named_values<P: TypedValueParser>(names: impl IntoIterator<Item = &'static str>, parser: P) -> NamedValues<P> {
    NamedValues { parser, names: names.into_iter().collect() }
}

impl<P: TypedValueParser> TypedValueParser for NamedValues<P> {
    type Value = P::Value;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<P::Value, Error> {
        self.parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(|&name| PossibleValue::new(name))))
    }
}
