//! Parsers of options that take a whole number from a range.

use clap::builder::TypedValueParser;
use std::error::Error;
use std::num::TryFromIntError;
use std::ops::RangeInclusive;

/// A whole number that lies outside of what its option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutOfRange {
    /// The option takes numbers between two ends.
    Between {
        /// Least number that the option takes.
        least: i64,
        /// Largest number that the option takes.
        most: i64,
    },
    /// The option takes all numbers from one on that its type holds.
    From {
        /// Least number that the option takes.
        least: i64,
    },
}

impl Error for OutOfRange {}

impl std::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Between { least, most } => write!(f, "must be a whole number from {least} to {most}"),
            Self::From { least } => write!(f, "must be a whole number from {least}"),
        }
    }
}

/// Returns the parser of a whole number from a range.
pub fn whole<T>(range: RangeInclusive<i64>) -> impl TypedValueParser<Value = T>
where
    T: TryFrom<i64, Error = TryFromIntError> + Clone + Send + Sync + 'static,
{
    let (least, most) = range.into_inner();
    move |text: &str| parse(text, least..=most, OutOfRange::Between { least, most })
}

/// Returns the parser of a whole number that is not below `least`, for a type that holds them without signs.
pub fn whole_from<T>(least: i64) -> impl TypedValueParser<Value = T>
where
    T: TryFrom<i64, Error = TryFromIntError> + Clone + Send + Sync + 'static,
{
    move |text: &str| parse(text, least..=i64::from(u32::MAX), OutOfRange::From { least })
}

fn parse<T>(text: &str, range: RangeInclusive<i64>, outside: OutOfRange) -> Result<T, Box<dyn Error + Send + Sync>>
where
    T: TryFrom<i64, Error = TryFromIntError>,
{
    let number: i64 = text.parse()?;
    if !range.contains(&number) {
        return Err(outside.into());
    }
    Ok(T::try_from(number)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_of_the_range_are_told_what_it_is() {
        let said = |text: &str, range: RangeInclusive<i64>| {
            let (least, most) = (*range.start(), *range.end());
            parse::<u32>(text, range, OutOfRange::Between { least, most }).map_err(|error| error.to_string())
        };
        assert_eq!(said("4096", 0..=4096), Ok(4096));
        assert_eq!(said("-1", 0..=4096).unwrap_err(), "must be a whole number from 0 to 4096");
        assert_eq!(OutOfRange::From { least: 1 }.to_string(), "must be a whole number from 1");
        assert!(parse::<u16>("65536", 1..=70_000, OutOfRange::From { least: 1 }).unwrap_err().is::<TryFromIntError>());
        assert!(parse::<u32>("x", 1..=2, OutOfRange::From { least: 1 }).unwrap_err().is::<std::num::ParseIntError>());
    }
}
