//! Names of kernels and their sources, and the list of variants that are compiled.

use raywarp_family::{Fetch, Query, Supply, Sync, TraversalLoop, Tree, TriangleTest, Variant, rows};

/// Number of threads per block of all kernels, also of other crates: shared memory of the traversal loops is sized for
/// it, as `BLOCK_WARPS` in kernels/launch.h.
pub const BLOCK_THREADS: u32 = 128;

/// Returns the name of a variant's kernel: its text form in letters, digits and underscores.
pub fn kernel_name(variant: &Variant, query: Query) -> String {
    let text: String = variant.to_string().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("{text}__{}", query.name())
}

/// Returns the name of the source, generated for compilation, that has a variant's kernel.
pub fn source_name(variant: &Variant) -> String {
    variant.traversal_loop().to_string().replace('-', "_")
}

/// Returns the number of blocks of 128 threads that a multiprocessor should hold, which limits the registers of a
/// variant's kernels. Chosen by sweeps on an H200 (bench/runs/2026-11-21-h200-2, registers.txt and limits.txt).
fn blocks(variant: &Variant) -> u32 {
    match variant.tree() {
        // 40 registers: with 48 its rates fall by 1 to 6 %. ALK12's had 32, where ours spill.
        Tree::Bvh2 if variant.supply() == Supply::Direct && variant.fetch() == Fetch::Needed => 12,
        // 48: with 40 primary rays lose 9 to 13 %, AO 1 to 7 %, diffuse nothing.
        Tree::Bvh2 if variant.triangle() != TriangleTest::Watertight => 10,
        _ if variant.lanes_per_ray() > 1 => 4,
        // 56: with 48 all lose 1 to 3 %.
        Tree::Cwbvh8 => 9,
        // 56: with 48 a few are spilled, with 64 there are fewer warps; diffuse rays lose 4 and 5 %.
        Tree::H8 if variant.supply() != Supply::Direct && variant.may_leave_undecided() => 9,
        // 71: with 64 two are spilled, and primary rays lose 2 %; AO and diffuse rays gain 1 %, which others trace
        // faster.
        Tree::H8 if variant.supply() == Supply::Direct => 7,
        _ => 8,
    }
}

/// Returns the names of the sources of traversal kernels, each with the variants that are compiled in it.
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

/// Returns the CUDA text of a source, which instantiates one kernel for each variant and query.
pub fn source_text(variants: &[Variant]) -> String {
    let mut text = String::from("#include \"kernel.h\"\n");
    for (variant, query) in variants.iter().flat_map(|v| Query::ALL.map(|query| (v, query))) {
        let name = kernel_name(variant, query);
        text += &format!(
            "\nnamespace raywarp {{\nconstexpr Options OPTIONS_{name}{{{}}};\n}}\n\
             RW_KERNEL({name}, {BLOCK_THREADS}, {}) {{ raywarp::run<raywarp::OPTIONS_{name}>(launch); }}\n",
            options_text(variant, query),
            blocks(variant)
        );
    }
    text
}

/// Name of the source with the kernel that aims rays at a closed mesh (kernels/check/aimed.h).
pub const AIMED_SOURCE: &str = "aimed";
/// Name of the kernel in [`AIMED_SOURCE`] that aims rays at a closed mesh.
pub const AIMED_KERNEL: &str = "check_aimed";

/// Variant whose tree users' kernels walk by kernels/raywarp.h, unless they name other options.
pub const ASKED_VARIANT: Variant = Variant::PHASED_H8;

/// Returns the names and texts of the sources whose kernels are not of variants: nothing is measured of them, and they
/// have no costs.
pub fn other_sources() -> Vec<(String, String)> {
    let text = format!(
        "#include \"check/aimed.h\"\n\n\
         RW_KERNEL_OF(raywarp::check::Aimed, aimed, {AIMED_KERNEL}, {BLOCK_THREADS}, 8) {{ raywarp::check::run(aimed); }}\n"
    );
    vec![(AIMED_SOURCE.to_string(), text)]
}

/// Returns `true` if there is CUDA code for the variant: packets and phased loops need votes. What is not written is
/// simulated, with no machine code and no costs.
fn is_written(variant: &Variant) -> bool {
    let (is_written, needs_votes, of_pairs) = match variant.traversal_loop() {
        TraversalLoop::Packet => (true, true, false),
        TraversalLoop::Phased => (true, true, true),
        TraversalLoop::WhileWhile
        | TraversalLoop::IfIf
        | TraversalLoop::SpeculativeWhileWhile
        | TraversalLoop::SpeculativeIfIf
        | TraversalLoop::IfWhile => (true, false, false),
        // kernels/options.h does not know it.
        TraversalLoop::WhileIf => (false, false, false),
    };
    let by_votes = !needs_votes || variant.sync() != Sync::Implicit;
    is_written && of_pairs == variant.tree().holds_pairs() && by_votes
}

/// Variants that are compiled and measured beside the papers' kernels.
const OTHERS: &[&str] = &[
    // ALK12 with the plain box test in floats: what the peers of MEASUREMENTS are.
    "direct/speculative-while-while/bvh2?planes=plain",
    "replace/speculative-while-while/bvh2?batch=exact&leaves=nested&planes=plain",
    "replace/if-while/cwbvh8?batch=exact&planes=plain&refill=80",
    "direct/if-while/cwbvh8?planes=plain",
    // Ours with any-hit rays from near to far.
    "replace/phased/h8?batch=exact&refill=80",
];

/// Returns the variant whose kernel traces the rays that `variant` leaves undecided ([`Variant::may_leave_undecided`]);
/// `None` if it leaves none.
pub fn fallback_variant(variant: &Variant) -> Option<Variant> {
    variant.may_leave_undecided().then_some(Variant::RAYWARP_H8_WATERTIGHT)
}

/// Returns the largest scene coordinate up to which a kernel that promises to lose no ray keeps the promise
/// (docs/reference/robustness.md, "Huge coordinates").
pub fn sure_up_to(variant: &Variant) -> f32 {
    if variant.tree() == Tree::H8 { 1.267_650_6e30 } else { 1e25 }
}

/// Variants that keep as many rays in flight as fit and replace those that end, which is slower with small batches.
/// They differ for any-hit rays alone, so that it is chance which of them is found to be faster for closest-hit rays.
const FOR_MANY: [Variant; 2] = [Variant::RAYWARP_H8, Variant::RAYWARP_H8_NEAR];

/// Returns the variant of one ray a lane over the same tree that is faster with small batches and gives the same bits;
/// `None` if there is none. [`CudaPair::by_size`] says what few are.
///
/// [`CudaPair::by_size`]: crate::CudaPair::by_size
pub fn kernel_for_few(variant: &Variant) -> Option<Variant> {
    FOR_MANY.contains(variant).then_some(Variant::RAYWARP_H8_DIRECT)
}

/// Variants, beside the papers' and our own, that lose no hit; compiled with votes only.
const WATERTIGHT: &[&str] = &[
    // Ours for any ray, by which others trace those that they leave.
    "replace/phased/h8?batch=exact&occlusion=far&refill=80&triangle=watertight",
    // The compressed node with the watertight test.
    "replace/if-while/cwbvh8?batch=exact&refill=80&triangle=watertight",
    "direct/if-while/cwbvh8?share=0&triangle=watertight",
];

/// Variants in which one choice of a paper is undone or varied; compiled with votes only.
const ABLATIONS: &[&str] = &[
    // ALK12, "alk12-fermi": boxes compared as floats, rows fetched at once.
    "direct/speculative-while-while/bvh2?fetch=needed&leaves=nested",
    "direct/speculative-while-while/bvh2?box=integer&leaves=nested",
    // "alk12-kepler": rows fetched when needed, and when idle lanes get new rays (60 % in the paper).
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&fetch=needed&leaves=nested",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&refill=20",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&refill=40",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&refill=80",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&refill=100",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&refill=lost",
    // G14: leaves of four triangles at once, against one ("alk12-kepler") and two (a row of the paper).
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&unroll=4",
    // Unsorted alone, unrolled and unsorted, 4-ary and unrolled; the other combinations are rows of the paper.
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&occlusion=unsorted",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&occlusion=unsorted&unroll=2",
    "replace/speculative-while-while/wide4?batch=exact&box=integer&leaves=nested&unroll=2",
    // Boxes in bytes, nothing else: against "g14-wide4", and against four boxes of floats where each lane has its ray.
    "replace/speculative-while-while/qbvh4?batch=exact&box=integer&leaves=nested",
    "direct/speculative-while-while/qbvh4",
    "direct/speculative-while-while/wide4",
];

/// Returns all variants that are compiled, each once: with and without votes the rows that have a name and those
/// measured beside them, then those that lose no hit, and the ablations.
pub fn compiled() -> Vec<Variant> {
    let rows = rows().map(|row| row.variant);
    let parsed = |texts: &'static [&'static str]| texts.iter().filter_map(|text| text.parse::<Variant>().ok());
    let both = |variant: Variant| [Some(variant), variant.with(raywarp_family::Key::Sync, "implicit").ok()];
    let mut all = Vec::new();
    for variant in rows
        .chain(parsed(OTHERS))
        .flat_map(both)
        .flatten()
        .chain(parsed(WATERTIGHT))
        .chain(parsed(ABLATIONS))
        .filter(is_written)
    {
        if !all.contains(&variant) {
            all.push(variant);
        }
    }
    all
}

/// Variant whose options are the defaults of `Options` in kernels/options.h.
const PLAIN: Variant = Variant::WHILE_WHILE;

/// Number of fields of `Options` that each initialiser names: those that say what kind of kernel it is.
const ALWAYS: usize = 4;

/// Returns the C++ initialiser of `Options` in kernels/options.h for a variant, without most fields that have their
/// defaults.
pub fn options_text(variant: &Variant, query: Query) -> String {
    let plain = options(&PLAIN, query);
    let own = options(variant, query).into_iter().enumerate();
    let differs = own.filter(|(i, (name, value))| *i < ALWAYS || !plain.contains(&(*name, value.clone())));
    differs.map(|(_, (name, value))| format!(".{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// Returns all options of a variant as C++ names and values, in the order of the fields of `Options`.
fn options(variant: &Variant, query: Query) -> Vec<(&'static str, String)> {
    let name = |text: &str| -> String { text.split('-').map(|word| word[..1].to_uppercase() + &word[1..]).collect() };
    let refill = match variant.refill() {
        raywarp_family::Refill::Below(share) => share.to_string(),
        raywarp_family::Refill::LostIterations => "LOST".to_string(),
    };
    let postpone = if variant.traversal_loop() == TraversalLoop::IfWhile { 0 } else { variant.postpone() };
    vec![
        ("supply", format!("Supply::{}", name(&variant.supply().to_string()))),
        ("organisation", format!("Organisation::{}", name(&variant.traversal_loop().to_string()))),
        ("tree", format!("TreeKind::{}", upper_first(&variant.tree().to_string()))),
        ("query", format!("Query::{}", name(query.name()))),
        ("batch", variant.batch().map_or("EXACT".to_string(), |n| n.to_string())),
        ("box", format!("BoxTest::{}", name(&variant.box_test().to_string()))),
        ("branching", variant.lanes_per_ray().to_string()),
        ("every", variant.every().to_string()),
        ("fetch", format!("Fetch::{}", name(&variant.fetch().to_string()))),
        ("leaves", format!("LeafLoop::{}", name(&variant.leaf_loop().to_string()))),
        ("occlusion", format!("Occlusion::{}", name(&variant.occlusion().to_string()))),
        ("order", format!("ChildOrder::{}", name(&variant.child_order().to_string()))),
        ("planes", format!("BoxPlanes::{}", name(&variant.box_planes().to_string()))),
        ("postpone", postpone.to_string()),
        ("refill", refill),
        ("rounds", variant.rounds().map_or("UNLIMITED".to_string(), |n| n.to_string())),
        ("share", variant.share().to_string()),
        ("sync", format!("Sync::{}", name(&variant.sync().to_string()))),
        ("triangle", format!("TriangleTest::{}", name(&variant.triangle().to_string()))),
        ("unroll", variant.unroll().to_string()),
        ("step", variant.step().to_string()),
        ("test", variant.test().to_string()),
        // Rays that keep something else in the place of their interval are other kernels'.
        ("interval", "Interval::Given".to_string()),
        ("has_fallback", "true".to_string()),
    ]
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
        for text in OTHERS.iter().chain(WATERTIGHT).chain(ABLATIONS) {
            assert_eq!(text.parse::<Variant>().map(|v| v.to_string()), Ok((*text).to_string()));
        }
    }

    #[test]
    fn few_rays_have_a_kernel_that_walks_the_same_bytes() {
        let few = "raywarp-h8-direct".parse::<Variant>().unwrap();
        let has_one = |variant: &Variant| kernel_for_few(variant).is_some();
        let (many, others): (Vec<_>, Vec<_>) = compiled().into_iter().partition(has_one);
        // Ours, and its twin for closest-hit rays, which `auto` may take as well.
        assert!(many.contains(&"raywarp-h8".parse().unwrap()) && many.len() == 2, "{many:?}");
        for many in many {
            assert_eq!(kernel_for_few(&many), Some(few));
            assert!(crate::Encoding::of(&many) == crate::Encoding::of(&few));
            // Answers with the same bits: both leave the same to the fallback kernel.
            assert_eq!((many.triangle(), fallback_variant(&many)), (few.triangle(), fallback_variant(&few)));
        }
        assert!(others.contains(&few));
        // So none that replaces rays over pairs is without.
        let replaces =
            |other: &Variant| other.supply() == raywarp_family::Supply::Replace && other.may_leave_undecided();
        assert!(!others.iter().any(replaces));
    }

    #[test]
    fn defaults_of_the_kernels_are_those_of_the_family() {
        let header = include_str!("../kernels/options.h");
        let fields = header.split("struct Options {").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
        // Comments, and fields of one line each: a type, a name, and the default where there is one.
        let fields: Vec<(&str, &str)> = (fields.lines().map(str::trim))
            .filter(|line| !line.is_empty() && !line.starts_with("//"))
            .map(|line| line.strip_suffix(';').and_then(|line| line.split_once(' ')).unwrap().1)
            .map(|field| field.split_once(" = ").unwrap_or((field, "")))
            .collect();
        let plain = options(&PLAIN, Query::Closest);
        assert_eq!(fields.len(), plain.len());
        for (i, (field, (name, value))) in fields.iter().zip(&plain).enumerate() {
            assert_eq!(*field, (*name, if i < ALWAYS { "" } else { value }));
        }
    }

    #[test]
    fn options_stand_by_name_where_they_are_not_defaults() {
        let text = |variant: &str, query| options_text(&variant.parse().unwrap(), query);
        assert_eq!(
            text("direct/while-while/bvh2", Query::Any),
            ".supply = Supply::Direct, .organisation = Organisation::WhileWhile, .tree = TreeKind::Bvh2, .query = Query::Any"
        );
        assert!(text("replace/phased/h8?batch=exact&refill=80", Query::Closest).ends_with(
            ".query = Query::Closest, .batch = EXACT, .postpone = 1, .refill = 80, .triangle = TriangleTest::Pair"
        ));
    }
}
