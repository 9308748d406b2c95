//! Numbers that papers print, as data: `papers/*.toml` at the workspace's root, a file a paper; this crate has copies,
//! which `cargo xtask copies` writes.
//!
//! A file has a table for each table, figure or section of its paper that anything here stands beside; `place` says
//! which, and an unknown key is refused. Kernels are named as the family's rows. The papers' statements are rows of
//! `findings/*.toml`; [`Claim`] is the rule by which a number of ours reproduces what is stated.
#![forbid(unsafe_code)]

mod al09;
mod alk12;
mod claim;
mod finding;
mod g14;
mod printed;
mod w11;

pub use al09::{Al09, Cells, Method, Queue, QueueRow, SpeculationRow, WidthRow};
pub use alk12::{Alk12, DesignChoice, GenerationScene, Generations};
pub use claim::{Claim, Measure, Outcome, Wanted};
pub use finding::{Finding, FindingCell, Findings, Selection};
pub use g14::{G14, ImprovedScene, Improvement};
pub use printed::Printed;
pub use w11::{CompactionBounce, CompactionScene, W11, WarpTime};

use serde::de::DeserializeOwned;
use std::sync::LazyLock;

/// Names of those scenes in the papers of which Raywarp has some version, from the papers' viewpoints or others.
pub const SCENES_HERE: [&str; 2] = ["sibenik", "conference"];

/// Returns the numbers printed in AL09 (Aila and Laine 2009).
pub fn al09() -> &'static Al09 {
    static PAPER: LazyLock<Al09> = LazyLock::new(|| built_in("al09.toml", include_str!("../papers/al09.toml")));
    &PAPER
}

/// Returns the numbers printed in ALK12 (Aila, Laine and Karras 2012).
pub fn alk12() -> &'static Alk12 {
    static PAPER: LazyLock<Alk12> = LazyLock::new(|| built_in("alk12.toml", include_str!("../papers/alk12.toml")));
    &PAPER
}

/// Returns the numbers printed in G14 (Guthe 2014).
pub fn g14() -> &'static G14 {
    static PAPER: LazyLock<G14> = LazyLock::new(|| built_in("g14.toml", include_str!("../papers/g14.toml")));
    &PAPER
}

/// Returns the numbers printed in W11 (Wald 2011).
pub fn w11() -> &'static W11 {
    static PAPER: LazyLock<W11> = LazyLock::new(|| built_in("w11.toml", include_str!("../papers/w11.toml")));
    &PAPER
}

/// Returns the statements of all papers, in the order of the papers.
pub fn findings() -> &'static [Findings] {
    static ALL: LazyLock<Vec<Findings>> = LazyLock::new(|| FILES.map(|(name, text)| built_in(name, text)).into());
    &ALL
}

/// The files of statements, by the order in which the papers are listed.
const FILES: [(&str, &str); 5] = [
    ("findings/al09.toml", include_str!("../findings/al09.toml")),
    ("findings/alk12.toml", include_str!("../findings/alk12.toml")),
    ("findings/g14.toml", include_str!("../findings/g14.toml")),
    ("findings/w11.toml", include_str!("../findings/w11.toml")),
    ("findings/l9.toml", include_str!("../findings/l9.toml")),
];

/// Parses the TOML text of a paper that is built in, and panics if it is faulty, which the tests exclude.
fn built_in<T: DeserializeOwned>(name: &str, text: &str) -> T {
    read(text).unwrap_or_else(|error| panic!("papers/{name}: {error}"))
}

/// Parses the TOML text of a paper; the error says what is wrong with it, and in which line.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_is_of_its_paper() {
        assert_eq!([&al09().key, &alk12().key, &g14().key, &w11().key], ["AL09", "ALK12", "G14", "W11"]);
        let references = [&al09().reference, &alk12().reference, &g14().reference, &w11().reference];
        assert!(references.iter().all(|reference| reference.contains("20")), "{references:?}");
    }

    #[test]
    fn a_key_that_nobody_knows_and_a_table_without_a_place_are_refused() {
        let text = include_str!("../papers/w11.toml");
        assert!(read::<W11>(text).is_ok());
        for (whole, broken) in [
            ("mean = 13.8", "mean = 13.8\nmedian = 13.8"),
            ("place = \"Table 3\"\n", ""),
            ("naive = 3.13, ", ""),
            ("saved = 2.3 }", "saved = \"2.3\" }"),
            ("[table_3]", "[table_4]"),
        ] {
            assert!(text.contains(whole), "{whole}");
            assert!(read::<W11>(&text.replacen(whole, broken, 1)).is_err(), "{broken}");
        }
    }
}
