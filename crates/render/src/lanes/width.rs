//! The width at which paths are shaded.

use raywarp_lanes::{InstructionSet, Isa, Task, Vector};

/// Vector code that works with any number of lanes.
pub(super) trait AtWidth {
    /// Runs the code with vectors of `N` lanes.
    fn at_width<V: Vector<N>, const N: usize>(self, set: V::Set);
}

/// Task that runs code at the native vector width of an instruction set ([`has_vectors`]) and no other, since each
/// width takes as long to compile.
pub(super) struct AtNativeWidth<T>(pub T);

impl<T: AtWidth> Task for AtNativeWidth<T> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(self, set: S) {
        if const { S::NATIVE_LANES >= 16 } {
            self.0.at_width::<S::F16, 16>(set);
        } else if const { S::NATIVE_LANES >= 8 } {
            self.0.at_width::<S::F8, 8>(set);
        } else if const { S::NATIVE_LANES >= 4 } {
            self.0.at_width::<S::F4, 4>(set);
        } else {
            // A constant condition keeps the text of plain Rust out: there every operation is a loop over lanes, and as
            // many loops took five sixths of the time that this crate took to compile.
            unreachable!("plain Rust is left to the functions of one path");
        }
    }
}

/// Returns `true` if vector code is worth using on this instruction set. Lanes in plain Rust have nothing to gain: they
/// would be taken one after the other.
pub(super) fn has_vectors(isa: Isa) -> bool {
    !matches!(isa, Isa::Portable(_))
}
