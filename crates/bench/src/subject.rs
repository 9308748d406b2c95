//! Subjects of measurements: kernels of the family, the CPU's tracer, and peers.

use raywarp_family::{IllegalVariant, Key, Supply, TraversalLoop, Variant};
use std::fmt;
use std::str::FromStr;

/// Subject of a benchmark: a kernel of the family, this CPU's tracer, or another project's tracer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The tracer of this CPU, which library users get.
    CpuTracer,
    /// A kernel of the traversal family.
    Kernel(Variant),
    /// The Vulkan driver's own ray tracing pipelines, over a tree that the driver builds.
    VulkanRt,
}

impl Subject {
    /// Returns the short name: that of a paper's kernel, or of the nearest one with what differs
    /// (`alk12-kepler?planes=plain`), or the variant's text. It parses back as a subject.
    pub fn name(&self) -> String {
        let Self::Kernel(variant) = self else { return self.to_string() };
        let near = raywarp_family::rows().filter(|row| row.variant.parts() == variant.parts()).map(|row| {
            let differ: Vec<String> = Key::ALL
                .iter()
                .filter(|&&key| row.variant.value(key) != variant.value(key))
                .map(|key| format!("{key}={}", variant.value(*key)))
                .collect();
            (row.name, differ)
        });
        match near.min_by_key(|(_, differ)| differ.len()) {
            Some((name, differ)) if differ.is_empty() => name.to_string(),
            Some((name, differ)) if differ.len() <= 3 => {
                let text = format!("{name}?{}", differ.join("&"));
                // A key may be legal only with another one.
                if text.parse() == Ok(*self) { text } else { variant.to_string() }
            }
            _ => variant.to_string(),
        }
    }

    /// Returns the largest number of triangles of a leaf that the subject's tree can hold.
    pub fn leaf_limit(&self) -> u32 {
        match self {
            Self::Kernel(variant) => variant.tree().max_leaf().min(255),
            Self::CpuTracer | Self::VulkanRt => 255,
        }
    }

    /// Returns `true` if the subject builds a tree of its own, instead of walking one of ours.
    pub(crate) fn has_own_tree(&self) -> bool {
        *self == Self::VulkanRt
    }

    /// Returns the variant whose answers on a single lane are the reference: the same tree, boxes and triangle test in
    /// the plain while-while loop. What a loop or a supply does changes no answer, so that many subjects share a
    /// reference.
    pub(crate) fn reference(&self) -> Variant {
        let variant = match self {
            Self::Kernel(variant) => *variant,
            Self::CpuTracer | Self::VulkanRt => {
                return WATERTIGHT.parse().unwrap_or_else(|_| Variant::papers()[0].variant);
            }
        };
        let plain = Variant::new(Supply::Direct, TraversalLoop::WhileWhile, variant.tree());
        let own = Variant::new(Supply::Direct, variant.traversal_loop(), variant.tree());
        // Those that mean nothing for the tree change nothing.
        let keys = [Key::Branching, Key::Collapse, Key::Planes, Key::Triangle];
        let Ok(base) = plain.or(own) else { return variant.voted() };
        keys.iter().fold(base, |base, &key| base.with(key, variant.value(key)).unwrap_or(base))
    }
}

/// Variant of the library's own queries, with which the CPU tracer is compared.
const WATERTIGHT: &str = "direct/while-while/bvh2?triangle=watertight";

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CpuTracer => f.write_str("cpu"),
            Self::VulkanRt => f.write_str("vulkan-rt"),
            Self::Kernel(variant) => variant.fmt(f),
        }
    }
}

impl FromStr for Subject {
    type Err = IllegalVariant;

    /// Parses `cpu`, `vulkan-rt`, a variant, or a paper's kernel with options: `alk12-kepler?planes=plain&unroll=2`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "cpu" => return Ok(Self::CpuTracer),
            "vulkan-rt" => return Ok(Self::VulkanRt),
            _ => {}
        }
        let Some((row, options)) = text.split_once('?').filter(|(row, _)| !row.contains('/')) else {
            return text.parse().map(Self::Kernel);
        };
        let mut variant: Variant = row.parse()?;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').ok_or_else(|| IllegalVariant::Form(text.to_string()))?;
            let key = Key::parse(key).ok_or_else(|| IllegalVariant::UnknownKey { found: key.to_string() })?;
            variant = variant.with(key, value)?;
        }
        Ok(Self::Kernel(variant))
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
        assert_eq!(
            subject("replace/if-while/cwbvh8?batch=exact&refill=lost&sync=implicit").name(),
            "ykl17?sync=implicit"
        );
        assert_eq!(subject("direct/if-if/bvh2?unroll=2").name(), "al09-if-if?unroll=2");
        assert_eq!(subject("queue/if-if/bvh2").name(), "queue/if-if/bvh2");
        assert_eq!(subject("cpu").name(), "cpu");
        assert_eq!(subject("vulkan-rt").name(), "vulkan-rt");
    }

    #[test]
    fn every_name_parses_back() {
        for variant in raywarp_cuda::compiled() {
            let subject = Subject::Kernel(variant);
            assert_eq!(subject.name().parse(), Ok(subject));
        }
        for wrong in ["al09-if-if?unroll", "al09-if-if?speed=2", "al09-if-if?unroll=9", "fast?unroll=2", "cpu?unroll=2"]
        {
            assert!(wrong.parse::<Subject>().is_err(), "{wrong}");
        }
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
