//! Differences between two renders, from their fingerprints.

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

/// Lists the differences between two renders' fingerprints, such as `seeds differ: 0 and 1`; empty if they are equal.
pub fn differences(a: &str, b: &str) -> Vec<String> {
    if a == b {
        return Vec::new();
    }
    let (Some(first), Some(second)) = (settings(a), settings(b)) else {
        return vec![format!("fingerprints differ: {a} and {b}")];
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
        let name = key.replace('-', " ");
        match () {
            () if a == b => None,
            () if is_hash(&a) && is_hash(&b) => Some(format!("{name} differ")),
            () => Some(format!("{name} differ: {a} and {b}")),
        }
    };
    let found: Vec<String> = keys.iter().filter_map(differ).collect();
    // The same settings in another order, which no version of this program writes.
    if found.is_empty() { vec![format!("fingerprints differ: {a} and {b}")] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_differ_are_named_with_both_values() {
        let a = "sizes=8x8 seeds=0 bounces=8 meshes=0123456789abcdef";
        assert_eq!(differences(a, a), [""; 0]);
        assert_eq!(differences(a, &a.replace("seeds=0", "seeds=1")), ["seeds differ: 0 and 1"]);
        let b = "sizes=8x8 seeds=0 bounces=4 meshes=0123456789abcdee crops=1x1";
        assert_eq!(differences(a, b), ["bounces differ: 8 and 4", "meshes differ", "crops differ: none and 1x1"]);
        assert_eq!(differences("old", a), [format!("fingerprints differ: old and {a}")]);
        assert_eq!(differences("a=1 b=2", "b=2 a=1").len(), 1);
    }
}
