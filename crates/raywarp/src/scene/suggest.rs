//! Finds the known name that a mistyped one means.

/// Returns the name in `known` that is most similar to `typed`, ignoring case; `None` if none is similar.
///
/// # Examples
/// ```
/// assert_eq!(raywarp::scene::closest_name("sibenk", ["kitchen", "sibenik"]), Some("sibenik"));
/// assert_eq!(raywarp::scene::closest_name("teapot", ["kitchen", "sibenik"]), None);
/// ```
pub fn closest_name<'n>(typed: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Long text is no slip of the fingers, and the measure takes the square of its length.
    const LONGEST: usize = 100;
    if typed.len() > LONGEST {
        return None;
    }
    let typed = typed.to_lowercase();
    let likeness = |name: &str| {
        let name: String = name.chars().take(LONGEST).collect::<String>().to_lowercase();
        let typo = strsim::normalized_damerau_levenshtein(&typed, &name);
        // A beginning counts too: who types `crytek` means `crytek_sponza`.
        let begins = typed.len() >= 3 && (name.starts_with(&typed) || typed.starts_with(&name) && name.len() >= 3);
        if begins { typo.max(0.7) } else { typo }
    };
    let best = known.into_iter().map(|name| (likeness(name), name)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.6).then_some(best.1)
}
