//! What kernels are called, and which are compiled.

use raywarp_family::{Fetch, Organisation, Supply, Sync, Tree, TriangleTest, Variant, papers};

/// What a ray asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Query {
    /// The nearest hit.
    Closest,
    /// Anything opaque.
    Any,
}

impl Query {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Closest, Self::Any];

    fn suffix(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Any => "any",
        }
    }
}

/// The name of the kernel of a variant: its text form in letters, digits and underscores.
pub fn kernel_name(variant: &Variant, query: Query) -> String {
    let text: String = variant.to_string().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("{text}__{}", query.suffix())
}

/// The file of kernels/ that a variant's kernel is compiled in.
pub fn source_name(variant: &Variant) -> String {
    variant.organisation().to_string().replace('-', "_")
}

/// Blocks of 128 threads that a multiprocessor should hold: what limits a kernel's registers.
fn blocks(variant: &Variant) -> u32 {
    let two_boxes = variant.tree() == Tree::Bvh2 && variant.triangle() != TriangleTest::Watertight;
    if two_boxes && variant.supply() == Supply::Direct && variant.fetch() == Fetch::Needed {
        // ALK12's Fermi kernel had 32 registers and full occupancy; ours would spill.
        12
    } else if two_boxes {
        12
    } else {
        match variant.tree() {
            Tree::WideN => 4,
            Tree::Cwbvh8 => 10,
            Tree::H8 if variant.supply() != Supply::Direct => 9,
            _ => 8,
        }
    }
}

/// The sources of the kernels, each with the variants that are compiled in it.
pub fn sources() -> Vec<(String, Vec<Variant>)> {
    let mut sources: Vec<(String, Vec<Variant>)> = Vec::new();
    for variant in compiled() {
        let name = source_name(&variant);
        match sources.iter_mut().find(|(known, _)| *known == name) {
            Some((_, variants)) => variants.push(variant),
            None => sources.push((name, vec![variant])),
        }
    }
    sources
}

/// The text of a source: one kernel a variant and query.
pub fn source_text(variants: &[Variant]) -> String {
    let mut text = String::from("#include \"kernel.h\"\n");
    for (variant, query) in variants.iter().flat_map(|v| Query::ALL.map(|query| (v, query))) {
        let name = kernel_name(variant, query);
        text += &format!(
            "\nnamespace raywarp {{\nconstexpr Options OPTIONS_{name}{{{}}};\n}}\n\
             RW_KERNEL({name}, 128, {}) {{ raywarp::run<raywarp::OPTIONS_{name}>(launch); }}\n",
            options_text(variant, query),
            blocks(variant)
        );
    }
    text
}

/// Whether there is CUDA code for it: packets and phases are about votes.
fn is_written(variant: &Variant) -> bool {
    let votes = matches!(variant.organisation(), Organisation::Packet | Organisation::Phased);
    let h8 = (variant.organisation() == Organisation::Phased) == (variant.tree() == Tree::H8);
    h8 && !(votes && variant.sync() == Sync::Implicit)
}

/// Variants beside the papers' that are compiled: those that are measured.
const OTHERS: &[&str] = &[
    // ALK12 with the plain box test in floats: what the peers of MEASUREMENTS are.
    "direct/speculative-while-while/bvh2?fetch=needed&leaves=nested&planes=plain",
    "replace/speculative-while-while/bvh2?batch=exact&leaves=nested&planes=plain",
    "replace/if-while/cwbvh8?batch=exact&planes=plain&refill=lost",
    "direct/if-while/cwbvh8?planes=plain",
    // Ours for rays that begin and end together.
    "direct/phased/h8?step=75&test=37",
];

/// All variants that are compiled, each once: the papers', those measured beside them, and the form of each
/// that leaves lockstep to the hardware.
pub fn compiled() -> Vec<Variant> {
    let rows = papers().iter().map(|row| row.variant);
    let others = OTHERS.iter().filter_map(|text| text.parse().ok());
    let mut all = Vec::new();
    for variant in rows.chain(others) {
        let implicit = variant.with(raywarp_family::Key::Sync, "implicit").ok();
        for variant in std::iter::once(variant).chain(implicit).filter(is_written) {
            if !all.contains(&variant) {
                all.push(variant);
            }
        }
    }
    all
}

/// The options of a variant as an initialiser of `Options` in kernels/options.h.
pub fn options_text(variant: &Variant, query: Query) -> String {
    let name = |text: &str| -> String { text.split('-').map(|word| word[..1].to_uppercase() + &word[1..]).collect() };
    let refill = match variant.refill() {
        raywarp_family::Refill::Below(share) => share.to_string(),
        raywarp_family::Refill::LostIterations => "LOST".to_string(),
    };
    [
        format!("Supply::{}", name(&variant.supply().to_string())),
        format!("Organisation::{}", name(&variant.organisation().to_string())),
        format!("TreeKind::{}", upper_first(&variant.tree().to_string())),
        format!("Query::{}", name(query.suffix())),
        variant.batch().map_or("EXACT".to_string(), |n| n.to_string()),
        format!("BoxTest::{}", name(&variant.box_test().to_string())),
        variant.lanes_per_ray().to_string(),
        variant.every().to_string(),
        format!("Fetch::{}", name(&variant.fetch().to_string())),
        format!("LeafLoop::{}", name(&variant.leaf_loop().to_string())),
        format!("Occlusion::{}", name(&variant.occlusion().to_string())),
        format!("ChildOrder::{}", name(&variant.child_order().to_string())),
        format!("BoxPlanes::{}", name(&variant.box_planes().to_string())),
        if variant.organisation() == Organisation::IfWhile { 0 } else { variant.postpone() }.to_string(),
        refill,
        variant.rounds().map_or("UNLIMITED".to_string(), |n| n.to_string()),
        variant.share().to_string(),
        format!("Sync::{}", name(&variant.sync().to_string())),
        format!("TriangleTest::{}", name(&variant.triangle().to_string())),
        variant.unroll().to_string(),
        variant.step().to_string(),
        variant.test().to_string(),
    ]
    .join(", ")
}

fn upper_first(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_names_are_different_and_are_names() {
        let mut seen = std::collections::BTreeSet::new();
        for variant in compiled() {
            for query in Query::ALL {
                let name = kernel_name(&variant, query);
                assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
                assert!(seen.insert(name.clone()), "{name} twice");
            }
        }
    }

    #[test]
    fn every_other_variant_parses() {
        for text in OTHERS {
            assert_eq!(text.parse::<Variant>().map(|v| v.to_string()), Ok((*text).to_string()));
        }
    }
}
