//! Option `--set KEY=VALUE` of `raywarp simulate`.

use raywarp_lab::family::Key;
use raywarp_lab::sim::CostChange;
use raywarp_lab::sim::machine::keys;

/// Value of `--set`: a kernel option, a number of a machine, or the cost of an operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// Kernel option, as key and value.
    Option(Key, String),
    /// Number of a machine, as name and value.
    Number(String, String),
    /// Cost of an operation.
    Cost(CostChange),
}

impl Setting {
    /// Returns the kernel option, if the setting is one.
    pub fn option(&self) -> Option<(Key, &str)> {
        match self {
            Self::Option(key, value) => Some((*key, value)),
            _ => None,
        }
    }

    /// Returns the machine's number (name, value), if the setting is one.
    pub fn number(&self) -> Option<(&str, &str)> {
        match self {
            Self::Number(key, value) => Some((key, value)),
            _ => None,
        }
    }

    /// Returns the cost, if the setting is one.
    pub fn cost(&self) -> Option<CostChange> {
        match self {
            Self::Cost(change) => Some(*change),
            _ => None,
        }
    }
}

/// Parses a setting such as `leaves=nested`, `l2.bytes=2x` or `cost.visit_node=-30`.
pub fn parse(text: &str) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').ok_or("must be KEY=VALUE, such as leaves=nested or l2.bytes=2x")?;
    if let Some(operation) = name.strip_prefix("cost.") {
        return CostChange::parse(operation, value).map(Setting::Cost);
    }
    if name.contains('.') {
        let known = keys::find(name);
        if known.is_some_and(|key| !key.has_effect()) {
            return Err(format!("{name} describes a machine, and no bound and no rate depends on it"));
        }
        if known.is_none() {
            let near = keys::near(name);
            let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
            return Err(format!("a machine has no number \"{name}\"{hint}"));
        }
        return Ok(Setting::Number(name.to_string(), value.to_string()));
    }
    let key = Key::parse(name).ok_or_else(|| {
        format!(
            "known are {}; a machine's numbers have a dot (l2.bytes), costs begin with cost.",
            Key::NAMES.join(", ")
        )
    })?;
    if !key.values().contains(&value) {
        return Err(format!("{name} takes {}", key.values().join(", ")));
    }
    Ok(Setting::Option(key, value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart_by_their_dots() {
        assert_eq!(parse("leaves=nested").unwrap().option(), Some((Key::Leaves, "nested")));
        assert_eq!(parse("l2.bytes=2x").unwrap().number(), Some(("l2.bytes", "2x")));
        assert!(parse("cost.visit_node=-30").unwrap().cost().is_some());
        for (wrong, name) in [
            ("leaves", "KEY=VALUE"),
            ("leaf=nested", "leaves"),
            ("leaves=many", "flat"),
            ("l2.byte=2x", "l2.bytes"),
            ("l1.line_bytes=64", "l1.line_bytes"),
            ("cost.visit=3", "visit_node"),
            ("cost.pop=x", "instructions"),
        ] {
            let error = parse(wrong).unwrap_err();
            assert!(error.contains(name), "{wrong}: {error}");
        }
    }
}
