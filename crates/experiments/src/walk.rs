//! Other loops over the tree than the product's.

use raywarp_family::Variant;
use raywarp_render_cuda::PATH_VARIANT;

/// BVH traversal loop of the kernels that hold a light path in a lane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Walk {
    /// The product's phased loop over the tree of blocks of eight children, which is fastest.
    #[default]
    Phased,
    /// While-while loop over a binary tree, as in W11 (AL09 3.2).
    WhileWhile,
    /// Speculative while-while loop over a binary tree: lanes with a leaf go on until all have one (AL09 4).
    SpeculativeWhileWhile,
}

impl Walk {
    /// All traversal loops, in the order of their declaration.
    pub const ALL: [Self; 3] = [Self::Phased, Self::WhileWhile, Self::SpeculativeWhileWhile];

    /// Returns the name of the traversal loop.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Phased => "phased",
            Self::WhileWhile => "while-while",
            Self::SpeculativeWhileWhile => "speculative-while-while",
        }
    }

    /// Returns the variant of the traversal family that has this loop, and whose tree is built.
    pub const fn variant(self) -> Variant {
        match self {
            Self::Phased => PATH_VARIANT,
            Self::WhileWhile => Variant::WATERTIGHT,
            Self::SpeculativeWhileWhile => Variant::WATERTIGHT_SPECULATIVE,
        }
    }

    /// Returns the suffix of the names of kernels with this loop.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Phased => "",
            Self::WhileWhile => "_while_while",
            Self::SpeculativeWhileWhile => "_speculative",
        }
    }

    /// Returns the name of the kernel stage `stage` with this traversal loop.
    pub(crate) fn stage(self, stage: &str) -> String {
        format!("{stage}{}", self.suffix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_loop_is_a_variant_of_the_family() {
        for walk in Walk::ALL {
            let variant = walk.variant();
            assert_eq!(variant.tree().holds_pairs(), walk == Walk::Phased, "{variant}");
        }
    }
}
