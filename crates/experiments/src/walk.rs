//! Other loops over the tree than the product's.

use raywarp_family::Variant;
use raywarp_render_cuda::PATH_VARIANT;

/// Loop by which kernels that hold a path in a lane find hits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Walk {
    /// The product's loop over the tree of blocks, which is fastest.
    #[default]
    Phased,
    /// While-while over a binary tree, as W11 did (AL09 3.2).
    WhileWhile,
    /// The same over a binary tree; lanes with a leaf go on until all have one (AL09 4).
    SpeculativeWhileWhile,
}

impl Walk {
    /// All loops, in the order of their declaration.
    pub const ALL: [Self; 3] = [Self::Phased, Self::WhileWhile, Self::SpeculativeWhileWhile];

    /// Returns the loop's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Phased => "phased",
            Self::WhileWhile => "while-while",
            Self::SpeculativeWhileWhile => "speculative-while-while",
        }
    }

    /// Returns the family's variant with this loop, whose tree is walked.
    pub const fn variant(self) -> Variant {
        match self {
            Self::Phased => PATH_VARIANT,
            Self::WhileWhile => Variant::WATERTIGHT,
            Self::SpeculativeWhileWhile => Variant::WATERTIGHT_SPECULATIVE,
        }
    }

    /// Returns the ending of names of kernels with this loop.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Phased => "",
            Self::WhileWhile => "_while_while",
            Self::SpeculativeWhileWhile => "_speculative",
        }
    }

    /// Returns the stage with this loop, of kernels that take whole paths, and of those of a bounce.
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
