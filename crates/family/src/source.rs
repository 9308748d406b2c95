//! The papers behind the keys that names and tables have: AL09, G14 and the others.

/// A paper that output cites by a key, such as AL09.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Citation {
    /// Citation key, as in docs/papers/README.md.
    pub key: &'static str,
    /// Authors and year of the cited publication.
    pub by: &'static str,
}

/// Citation key of ideas that are in no paper, this project's own. In small letters it is this program's name.
const OURS: &str = "RAYWARP";

/// All papers whose citation keys occur in output, in the order in which they are explained there.
pub const SOURCES: [Citation; 11] = [
    Citation { key: "AL09", by: "Aila and Laine 2009" },
    Citation { key: "ALK12", by: "Aila, Laine and Karras 2012" },
    Citation { key: "G14", by: "Guthe 2014" },
    Citation { key: "L9", by: "Bikker's lecture 9 on GPU ray tracing" },
    Citation { key: "LGS09", by: "Lauterbach et al. 2009" },
    Citation { key: "MB18", by: "Meister and Bittner 2018" },
    Citation { key: crate::OWN, by: "nobody's paper" },
    Citation { key: OURS, by: "this project" },
    Citation { key: "W11", by: "Wald 2011" },
    Citation { key: "WBW13", by: "Woop, Benthin and Wald 2013" },
    Citation { key: "YKL17", by: "Ylitie, Karras and Laine 2017" },
];

/// Returns an explanation of the citation keys in `text`, in capitals or in the names of kernels (al09-if-if): `AL09:
/// Aila and Laine 2009; G14: Guthe 2014`. Returns `None` where it has no key. References are in docs/papers/README.md.
pub fn sources_of(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    // In small letters these are a word of this program, and a usual one.
    let is_plain = |key: &str| key == OURS || key == crate::OWN;
    let is_key = |word: &str, key: &str| word == key || (!is_plain(key) && word.eq_ignore_ascii_case(key));
    let has = |source: &&Citation| words.iter().any(|word| is_key(word, source.key));
    let said: Vec<String> = SOURCES.iter().filter(has).map(|source| format!("{}: {}", source.key, source.by)).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_explained_where_they_stand_and_no_others() {
        assert_eq!(
            sources_of("al09-while-while on G14's rays").as_deref(),
            Some("AL09: Aila and Laine 2009; G14: Guthe 2014")
        );
        assert_eq!(sources_of("W11 Table 2").as_deref(), Some("W11: Wald 2011"));
        assert_eq!(sources_of("own-while-if OWN").as_deref(), Some("OWN: nobody's paper"));
        for none in ["", "own", "h8", "al091", "W110", "XAL09", "raywarp-h8"] {
            assert_eq!(sources_of(none), None, "{none}");
        }
    }

    #[test]
    fn every_row_and_every_key_is_in_the_list_and_in_the_papers_document() {
        let document = include_str!("../../../docs/papers/README.md");
        for source in SOURCES {
            let starts = [format!("| {} |", source.key), format!("| {} (", source.key)];
            assert!(
                starts.iter().any(|start| document.contains(start)),
                "{} is not in docs/papers/README.md",
                source.key
            );
        }
        for row in crate::rows() {
            assert!(SOURCES.iter().any(|source| source.key == row.paper), "{}", row.paper);
        }
    }
}
