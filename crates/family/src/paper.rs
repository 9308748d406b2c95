//! Rows of the papers: their kernels as variants, with section and table.

use crate::{Key, Supply, TraversalLoop, Tree, Variant};
use std::sync::OnceLock;

/// A traversal kernel that a paper describes, as a variant of the family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaperRow {
    /// Short name of the paper's kernel, which parses as the variant.
    pub name: &'static str,
    /// Variant of the family that does what the paper's kernel does.
    pub variant: Variant,
    /// Citation key of the paper in docs/papers/README.md; [`OWN`] for a kernel that no paper has.
    pub paper: &'static str,
    /// Section of the paper that describes the kernel; of a kernel that no paper has its file.
    pub section: &'static str,
    /// Row of the paper's results table, or what its text calls the kernel.
    pub row: &'static str,
}

/// Fields of a table row as texts: name, variant, paper, section, row.
type Text = [&'static str; 5];

const ROWS: &[Text] = &[
    ["al09-packet", "direct/packet/bvh2", "AL09", "3.1", "Table 1: packet [Günther 2007]"],
    ["al09-while-while", "direct/while-while/bvh2", "AL09", "3.2", "Table 1: while-while"],
    ["al09-if-if", "direct/if-if/bvh2", "AL09", "3.2", "Table 1: if-if"],
    ["al09-spec-if-if", "direct/speculative-if-if/bvh2", "AL09", "4", "Table 1: Speculative if-if"],
    ["al09-spec-while-while", "direct/speculative-while-while/bvh2", "AL09", "6", "text: speculative while-while"],
    ["al09-persistent-packet", "persistent/packet/bvh2", "AL09", "3.4", "Table 1: Persistent packet"],
    ["al09-persistent-while-while", "persistent/while-while/bvh2", "AL09", "3.4", "Table 1: Persistent while-while"],
    [
        "al09-persistent-spec-while-while",
        "persistent/speculative-while-while/bvh2",
        "AL09",
        "4",
        "Table 1: Persistent speculative while-while",
    ],
    ["al09-replace", "replace/while-while/bvh2?refill=100&rounds=4", "AL09", "5.1", "text: N = 4"],
    ["al09-replace-every-4", "replace/while-while/bvh2?every=4&refill=100&rounds=4", "AL09", "5.1", "text: every n"],
    ["al09-queue", "queue/while-while/bvh2", "AL09", "5.2", "text: 85/84 and 85/85 on Fairy"],
    ["al09-queue-2", "queue/while-while/bvh2?rounds=2", "AL09", "5.2", "text: max 2 iterations"],
    ["al09-queue-1", "queue/while-while/bvh2?rounds=1", "AL09", "5.2", "text: max 1 iteration"],
    ["al09-wide4", "persistent/while-while/wideN", "AL09", "5.3", "text: branching factor 4"],
    ["al09-wide8", "persistent/while-while/wideN?branching=8", "AL09", "5.3", "text: branching factor 8"],
    ["al09-wide16", "persistent/while-while/wideN?branching=16", "AL09", "5.3", "text: branching factor 16"],
    ["al09-wide32", "persistent/while-while/wideN?branching=32", "AL09", "5.3", "text: branching factor 32"],
    [
        "alk12-fermi",
        "direct/speculative-while-while/bvh2?box=integer&fetch=needed&leaves=nested",
        "ALK12",
        "Summary",
        "Table 2: Fermi",
    ],
    [
        "alk12-kepler",
        "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested",
        "ALK12",
        "Summary",
        "Table 2: Kepler",
    ],
    [
        "alk12-kepler-float",
        "replace/speculative-while-while/bvh2?batch=exact&leaves=nested",
        "ALK12",
        "Summary",
        "Table 2: VMIN, VMAX left out",
    ],
    [
        "alk12-kepler-postpone-0",
        "replace/while-while/bvh2?batch=exact&box=integer&leaves=nested",
        "ALK12",
        "Summary",
        "Table 2: no postpone buffer",
    ],
    [
        "alk12-kepler-postpone-2",
        "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&postpone=2",
        "ALK12",
        "Summary",
        "Table 2: two-slot postpone buffer",
    ],
    [
        "g14-wide4",
        "replace/speculative-while-while/wide4?batch=exact&box=integer&leaves=nested",
        "G14",
        "4.1",
        "text: 4-ary, six comparators",
    ],
    [
        "g14-wide4-merge",
        "replace/speculative-while-while/wide4?batch=exact&box=integer&leaves=nested&order=network5",
        "G14",
        "4.1",
        "text: 4-ary, five comparators",
    ],
    [
        "g14-wide4-unsorted",
        "replace/speculative-while-while/wide4?batch=exact&box=integer&leaves=nested&occlusion=unsorted",
        "G14",
        "4.2",
        "text: unsorted occlusion",
    ],
    [
        "g14-unroll",
        "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&unroll=2",
        "G14",
        "4",
        "text: triangle loop unrolled",
    ],
    [
        "g14",
        "replace/speculative-while-while/wide4?batch=exact&box=integer&leaves=nested&occlusion=unsorted&unroll=2",
        "G14",
        "5",
        "Table 2: improved",
    ],
    ["l9-mbvh", "direct/while-while/wide4?collapse=adopt&order=low-bits", "L9", "Building the MBVH", "text: low bits"],
    [
        "l9-mbvh-nearest",
        "direct/while-while/wide4?collapse=adopt&order=nearest",
        "L9",
        "Building the MBVH",
        "nearest child first",
    ],
    ["ykl17", "replace/if-while/cwbvh8?batch=exact&refill=lost", "YKL17", "4.4", "postponed triangles, dynamic fetch"],
    ["ykl17-direct", "direct/if-while/cwbvh8?share=0", "YKL17", "4", "no fetch, no postponing"],
    [
        "watertight",
        "direct/while-while/bvh2?triangle=watertight",
        "WBW13",
        "3",
        "ours: while-while for queries that lose no hit",
    ],
    ["raywarp-h8", "replace/phased/h8?batch=exact&occlusion=far&refill=80", "RAYWARP", "h8", "ours: rays apart"],
    ["raywarp-h8-direct", "direct/phased/h8?occlusion=far&step=75&test=37", "RAYWARP", "h8", "ours: rays side by side"],
];

/// Citation key of the kernels that are nobody's paper.
pub const OWN: &str = "OWN";

/// Kernels that are nobody's paper: a place for what one thinks up oneself. They parse by name, are listed, simulated
/// and tested as the papers' are. One without CUDA code (`is_written` in crates/cuda/src/names.rs) is simulated alone,
/// with no costs.
const OWN_ROWS: &[Text] =
    &[["own-while-if", "direct/while-if/bvh2", OWN, "while_if.rs", "all lanes find a leaf, then one triangle a turn"]];

impl Variant {
    /// Variant of the row `raywarp-h8`: nodes of eight children, and lanes that take new rays one by one. The fastest
    /// with most rays on the GPUs that were measured; its hits have the bits of the CPU's tracer.
    pub const RAYWARP_H8: Self = Self::known(
        Supply::Replace,
        TraversalLoop::Phased,
        Tree::H8,
        &[(Key::Batch, "exact"), (Key::Occlusion, "far"), (Key::Refill, "80")],
    );
    /// Variant of the row `raywarp-h8` whose any-hit rays visit near children first.
    pub const RAYWARP_H8_NEAR: Self =
        Self::known(Supply::Replace, TraversalLoop::Phased, Tree::H8, &[(Key::Batch, "exact"), (Key::Refill, "80")]);
    /// Variant of the row `raywarp-h8` with a watertight test of each triangle by itself, which takes any ray: it
    /// traces what others on this tree leave undecided.
    pub const RAYWARP_H8_WATERTIGHT: Self = Self::known(
        Supply::Replace,
        TraversalLoop::Phased,
        Tree::H8,
        &[(Key::Batch, "exact"), (Key::Occlusion, "far"), (Key::Refill, "80"), (Key::Triangle, "watertight")],
    );
    /// Variant of the row `raywarp-h8-direct`: one ray a lane over the tree of `raywarp-h8`, which is faster with few
    /// rays.
    pub const RAYWARP_H8_DIRECT: Self = Self::known(
        Supply::Direct,
        TraversalLoop::Phased,
        Tree::H8,
        &[(Key::Occlusion, "far"), (Key::Step, "75"), (Key::Test, "37")],
    );
    /// Phased loop over nodes of eight children, all options at their defaults, which the kernels of other crates call.
    pub const PHASED_H8: Self = Self::known(Supply::Direct, TraversalLoop::Phased, Tree::H8, &[]);
    /// Variant of the row `watertight`: a binary tree with the watertight test, whose hits have the bits of
    /// `raywarp-h8`. It holds scenes that blocks of eight cannot.
    pub const WATERTIGHT: Self =
        Self::known(Supply::Direct, TraversalLoop::WhileWhile, Tree::Bvh2, &[(Key::Triangle, "watertight")]);
    /// Variant of the row `watertight` as a speculative loop: lanes with a leaf go on until all have one (AL09 4).
    pub const WATERTIGHT_SPECULATIVE: Self =
        Self::known(Supply::Direct, TraversalLoop::SpeculativeWhileWhile, Tree::Bvh2, &[(Key::Triangle, "watertight")]);
    /// Variant of the row `al09-while-while`, all options at their defaults.
    pub const WHILE_WHILE: Self = Self::known(Supply::Direct, TraversalLoop::WhileWhile, Tree::Bvh2, &[]);
}

/// Returns the papers' kernels, one a row: what "every variant" means in this project.
///
/// # Panics
/// Never: a test parses each row.
pub fn papers() -> &'static [PaperRow] {
    static PARSED: OnceLock<Vec<PaperRow>> = OnceLock::new();
    PARSED.get_or_init(|| parse(ROWS))
}

/// Returns the kernels that are nobody's paper, one a row.
///
/// # Panics
/// Never: a test parses each row.
pub fn own_rows() -> &'static [PaperRow] {
    static PARSED: OnceLock<Vec<PaperRow>> = OnceLock::new();
    PARSED.get_or_init(|| parse(OWN_ROWS))
}

/// Returns all kernels that have a name: the papers', then those that are nobody's.
pub fn rows() -> impl Iterator<Item = &'static PaperRow> {
    papers().iter().chain(own_rows())
}

fn parse(rows: &[Text]) -> Vec<PaperRow> {
    let parse = |&[name, text, paper, section, row]: &Text| {
        let variant = Variant::parse_parts(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        PaperRow { name, variant, paper, section, row }
    };
    rows.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_are_values_are_those_of_their_rows() {
        for (text, value) in [
            ("raywarp-h8", Variant::RAYWARP_H8),
            ("replace/phased/h8?batch=exact&refill=80", Variant::RAYWARP_H8_NEAR),
            (
                "replace/phased/h8?batch=exact&occlusion=far&refill=80&triangle=watertight",
                Variant::RAYWARP_H8_WATERTIGHT,
            ),
            ("raywarp-h8-direct", Variant::RAYWARP_H8_DIRECT),
            ("direct/phased/h8", Variant::PHASED_H8),
            ("watertight", Variant::WATERTIGHT),
            ("direct/speculative-while-while/bvh2?triangle=watertight", Variant::WATERTIGHT_SPECULATIVE),
            ("al09-while-while", Variant::WHILE_WHILE),
        ] {
            assert_eq!(text.parse(), Ok(value));
        }
    }

    #[test]
    fn every_row_parses_prints_as_written_and_differs_from_the_others() {
        let rows: Vec<&PaperRow> = rows().collect();
        assert_eq!(rows.len(), ROWS.len() + OWN_ROWS.len());
        for (row, text) in rows.iter().zip(ROWS.iter().chain(OWN_ROWS)) {
            assert_eq!(row.variant.to_string(), text[1], "{}", row.name);
            assert_eq!(row.name.parse(), Ok(row.variant));
            // A kernel is one of a paper, or of this project's own list.
            assert_eq!(row.paper == OWN, row.name.starts_with("own-"), "{}", row.name);
        }
        for (i, a) in rows.iter().enumerate() {
            assert!(rows[..i].iter().all(|b| b.name != a.name && b.variant != a.variant), "{} twice", a.name);
        }
    }
}
