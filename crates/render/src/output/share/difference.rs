//! Differences between two renders, from their fingerprints.

use std::fmt;

/// Setting in which two renders differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingDifference {
    /// Name of the setting, in the plural.
    pub setting: String,
    /// Values of the setting in the two renders; `None` if only their hashes are known.
    pub values: Option<[String; 2]>,
}

impl SettingDifference {
    pub(super) fn new(setting: &str, a: impl Into<String>, b: impl Into<String>) -> Self {
        Self { setting: setting.into(), values: Some([a.into(), b.into()]) }
    }

    /// Returns the difference of fingerprints that are no lists of settings.
    fn of_fingerprints(a: &str, b: &str) -> Vec<Self> {
        vec![Self::new("fingerprints", a, b)]
    }
}

impl fmt::Display for SettingDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} differ", self.setting)?;
        match &self.values {
            Some([a, b]) => write!(f, ": {a} and {b}"),
            None => Ok(()),
        }
    }
}

/// Lists differences in one line.
pub(super) fn listed(differences: &[SettingDifference]) -> String {
    differences.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Returns the settings of a fingerprint as (key, value); `None` if it is not a list of `KEY=VALUE`.
fn settings(fingerprint: &str) -> Option<Vec<(&str, &str)>> {
    fingerprint
        .split_whitespace()
        .map(|word| word.split_once('='))
        .collect::<Option<Vec<_>>>()
        .filter(|s| !s.is_empty())
}

/// Returns `true` if a fingerprint's value is a hash, which tells that something differs, but not how.
fn is_hash(value: &str) -> bool {
    value.len() == 16 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Lists the differences between two renders' fingerprints; empty if they are equal.
pub fn differences(a: &str, b: &str) -> Vec<SettingDifference> {
    if a == b {
        return Vec::new();
    }
    let (Some(first), Some(second)) = (settings(a), settings(b)) else {
        return SettingDifference::of_fingerprints(a, b);
    };
    let value = |of: &[(&'_ str, &'_ str)], key: &str| {
        of.iter().find(|(known, _)| *known == key).map_or("none".to_string(), |(_, value)| (*value).to_string())
    };
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in first.iter().chain(&second) {
        if !keys.contains(key) {
            keys.push(key);
        }
    }
    let differ = |key: &&str| {
        let [a, b] = [value(&first, key), value(&second, key)];
        let setting = key.replace('-', " ");
        match () {
            () if a == b => None,
            () if is_hash(&a) && is_hash(&b) => Some(SettingDifference { setting, values: None }),
            () => Some(SettingDifference { setting, values: Some([a, b]) }),
        }
    };
    let found: Vec<SettingDifference> = keys.iter().filter_map(differ).collect();
    // The same settings in another order, which no version of this program writes.
    if found.is_empty() { SettingDifference::of_fingerprints(a, b) } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_differ_are_named_with_both_values() {
        let a = "sizes=8x8 seeds=0 bounces=8 meshes=0123456789abcdef";
        assert_eq!(differences(a, a), []);
        assert_eq!(differences(a, &a.replace("seeds=0", "seeds=1")), [SettingDifference::new("seeds", "0", "1")]);
        let b = "sizes=8x8 seeds=0 bounces=4 meshes=0123456789abcdee crops=1x1";
        let bounces = SettingDifference::new("bounces", "8", "4");
        let meshes = SettingDifference { setting: "meshes".into(), values: None };
        assert_eq!(differences(a, b), [bounces, meshes, SettingDifference::new("crops", "none", "1x1")]);
        assert_eq!(differences("old", a), [SettingDifference::new("fingerprints", "old", a)]);
        assert_eq!(differences("a=1 b=2", "b=2 a=1").len(), 1);
    }
}
