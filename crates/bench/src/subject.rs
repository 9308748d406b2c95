//! What is measured.

use raywarp_family::{Key, Organisation, Sync, Tree, Variant};
use std::fmt;
use std::str::FromStr;

/// A kernel of the family, or the tracer of this CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The tracer that users of a CPU get.
    CpuTracer,
    /// A kernel.
    Kernel(Variant),
}

impl Subject {
    /// The short name: that of a paper's row where there is one, with `sync=implicit` added for the form of a row
    /// that leaves lockstep to the hardware; else the variant's text.
    pub fn name(&self) -> String {
        let Self::Kernel(variant) = self else { return self.to_string() };
        let row = |variant: &Variant| Variant::papers().iter().find(|row| row.variant == *variant);
        if let Some(row) = row(variant) {
            return row.name.to_string();
        }
        match row(&voted(variant)).filter(|_| variant.sync() == Sync::Implicit) {
            Some(row) => format!("{} implicit", row.name),
            None => variant.to_string(),
        }
    }

    /// The most triangles of a leaf that its tree can hold.
    pub fn leaf_limit(&self) -> u32 {
        // By name, so that a tree of the family that comes later is no reason to change this.
        match self {
            Self::Kernel(variant) => match variant.tree().name() {
                "cwbvh8" => 3,
                "h8" => 1,
                _ => 255,
            },
            Self::CpuTracer => 255,
        }
    }

    /// Whose answers on one lane are the reference: the same tree, boxes and triangle test in the plainest loop, one
    /// ray a lane. What a loop or a supply does changes no answer, so that many subjects share a reference.
    pub(crate) fn reference(&self) -> Variant {
        let variant = match self {
            Self::Kernel(variant) => *variant,
            Self::CpuTracer => return WATERTIGHT.parse().unwrap_or_else(|_| Variant::papers()[0].variant),
        };
        let plain = Variant::new(raywarp_family::Supply::Direct, Organisation::WhileWhile, variant.tree());
        let own = Variant::new(raywarp_family::Supply::Direct, variant.organisation(), variant.tree());
        let keys: &[Key] = match variant.tree() {
            // Its schedule is the tree's own.
            Tree::Cwbvh8 => &[Key::Planes, Key::Triangle],
            _ => &[Key::Branching, Key::Collapse, Key::Planes, Key::Triangle],
        };
        let Ok(base) = plain.or(own) else { return voted(&variant) };
        keys.iter().fold(base, |base, &key| base.with(key, variant.value(key)).unwrap_or(base))
    }
}

/// The kernel of the library's own queries: what the CPU tracer is held against.
const WATERTIGHT: &str = "direct/while-while/bvh2?triangle=watertight";

/// The form of a kernel that agrees at each loop end.
fn voted(variant: &Variant) -> Variant {
    variant.with(Key::Sync, "voted").unwrap_or(*variant)
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CpuTracer => f.write_str("cpu"),
            Self::Kernel(variant) => variant.fmt(f),
        }
    }
}

impl FromStr for Subject {
    type Err = raywarp_family::IllegalVariant;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "cpu" { Ok(Self::CpuTracer) } else { text.parse().map(Self::Kernel) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(text: &str) -> Subject {
        text.parse().unwrap()
    }

    #[test]
    fn names_are_short_where_a_paper_has_one() {
        assert_eq!(subject("replace/if-while/cwbvh8?batch=exact&refill=lost").name(), "ykl17");
        assert_eq!(subject("replace/if-while/cwbvh8?batch=exact&refill=lost&sync=implicit").name(), "ykl17 implicit");
        assert_eq!(subject("direct/if-if/bvh2?unroll=2").name(), "direct/if-if/bvh2?unroll=2");
        assert_eq!(subject("cpu").name(), "cpu");
    }

    #[test]
    fn kernels_of_one_tree_and_test_share_a_reference() {
        let same = ["al09-while-while", "alk12-fermi", "g14-unroll", "al09-persistent-while-while", "alk12-kepler"];
        assert!(same.iter().all(|name| subject(name).reference().to_string() == "direct/while-while/bvh2"));
        assert_eq!(subject("watertight").reference(), subject("cpu").reference());
        assert_eq!(
            subject("direct/while-while/bvh2?planes=plain&sync=implicit").reference().to_string(),
            "direct/while-while/bvh2?planes=plain"
        );
        assert_eq!(subject("l9-mbvh").reference().collapse(), raywarp_family::Collapse::Adopt);
        assert_eq!(subject("al09-wide16").reference().lanes_per_ray(), 16);
        for row in Variant::papers() {
            let reference = Subject::Kernel(row.variant).reference();
            assert_eq!((reference.tree(), reference.triangle()), (row.variant.tree(), row.variant.triangle()));
            assert!(!reference.needs().gpu);
        }
    }

    #[test]
    fn compressed_leaves_are_small() {
        assert_eq!(subject("ykl17").leaf_limit(), 3);
        assert_eq!(subject("g14").leaf_limit(), 255);
    }
}
