//! Instruction sets of this CPU, found once and proven by a value, and the choice of the one to use.

use std::sync::OnceLock;

/// Plain Rust as an instruction set, with no SIMD instructions: available on every CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portable;

/// Proof that this CPU has AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx2(pub(crate) ());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Returns the proof that this CPU has AVX2 and the sets that came with it; `None` if it lacks one.
    pub fn detect() -> Option<Self> {
        let there = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        there.then_some(Self(()))
    }
}

/// Proof that this CPU has AVX-512 F, VL, DQ and BW, besides all that [`Avx2`] proves.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx512(pub(crate) ());

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// Returns the proof that this CPU has the parts of AVX-512 that are used; `None` if it lacks one.
    pub fn detect() -> Option<Self> {
        let there = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw");
        Avx2::detect().filter(|_| there).map(|_| Self(()))
    }
}

/// Proof that this CPU has NEON.
#[cfg(target_arch = "aarch64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neon(pub(crate) ());

#[cfg(target_arch = "aarch64")]
impl Neon {
    /// Returns the proof that this CPU has NEON; `None` if it lacks it.
    pub fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}

/// Proof that this program was compiled for WebAssembly with its vectors of 128 bits (`simd128`).
///
/// A program cannot ask for them when it runs: one that has them is refused as a whole by an engine that lacks them.
#[cfg(target_feature = "simd128")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simd128(pub(crate) ());

#[cfg(target_feature = "simd128")]
impl Simd128 {
    /// Returns the proof, which there is wherever this type is.
    pub fn detect() -> Option<Self> {
        Some(Self(()))
    }
}

/// SIMD instruction set that was detected on this CPU; only this crate's functions make a value.
///
/// Results do not depend on it: every operation computes the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// Plain Rust, on any CPU.
    Portable(Portable),
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 F, VL, DQ and BW.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// NEON of 64-bit ARM.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    /// Vectors of WebAssembly, `simd128`.
    #[cfg(target_feature = "simd128")]
    Simd128(Simd128),
}

/// Reasons why the environment variable [`Isa::VARIABLE`] selects no instruction set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IsaError {
    /// Text in the variable that is not the name of an instruction set.
    #[error("{}={found:?} is no instruction set; known are {}", Isa::VARIABLE, Isa::NAMES.join(", "))]
    Unknown {
        /// Text that the environment variable [`Isa::VARIABLE`] holds.
        found: String,
    },
    /// Instruction set that the variable names but this CPU lacks.
    #[error("{}={wanted}: this CPU has no {wanted}; it has {available}", Isa::VARIABLE)]
    Missing {
        /// Name of the set that was asked for.
        wanted: &'static str,
        /// Names of the sets that this CPU has.
        available: String,
    },
}

impl Isa {
    /// Environment variable that names the instruction set to use; empty counts as unset.
    pub const VARIABLE: &'static str = "RAYWARP_ISA";

    /// Names of all instruction sets that Raywarp knows, whether this CPU has them or not.
    pub const NAMES: [&'static str; 5] = ["avx512", "avx2", "neon", "simd128", "portable"];

    /// Returns the fastest instruction set that this CPU has.
    pub fn detect() -> Self {
        Self::all()[0]
    }

    /// Returns the instruction set that [`Isa::VARIABLE`] names, or the fastest one if the variable is unset.
    ///
    /// # Errors
    /// [`IsaError`] if the variable holds something else, or what this CPU has not got.
    pub fn from_environment() -> Result<Self, IsaError> {
        let wanted = std::env::var_os(Self::VARIABLE).unwrap_or_default();
        choose(&wanted.to_string_lossy(), &Self::all())
    }

    /// Returns the instruction set that [`Isa::from_environment`] gives, or the fastest one where that fails;
    /// determined once per process. Everything that is not told otherwise uses it. A library does not stop at a
    /// variable; programs may ask for the error first.
    pub fn preferred() -> Self {
        static PREFERRED: OnceLock<Isa> = OnceLock::new();
        *PREFERRED.get_or_init(|| Self::from_environment().unwrap_or_else(|_| Self::detect()))
    }

    /// Returns all sets that this CPU has, fastest first; the last is plain Rust.
    pub fn all() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            found.extend(Avx512::detect().map(Self::Avx512));
            found.extend(Avx2::detect().map(Self::Avx2));
        }
        #[cfg(target_arch = "aarch64")]
        found.extend(Neon::detect().map(Self::Neon));
        #[cfg(target_feature = "simd128")]
        found.extend(Simd128::detect().map(Self::Simd128));
        found.push(Self::Portable(Portable));
        found
    }

    /// Returns the name of this instruction set, one of [`Isa::NAMES`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "avx512",
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => "neon",
            #[cfg(target_feature = "simd128")]
            Self::Simd128(_) => "simd128",
        }
    }
}

/// Returns the entry of `available` that `wanted` names, or the first (fastest) one if `wanted` is empty.
fn choose(wanted: &str, available: &[Isa]) -> Result<Isa, IsaError> {
    if wanted.is_empty() {
        return Ok(available[0]);
    }
    let Some(wanted) = Isa::NAMES.into_iter().find(|name| *name == wanted) else {
        return Err(IsaError::Unknown { found: wanted.to_string() });
    };
    available.iter().copied().find(|isa| isa.name() == wanted).ok_or_else(|| {
        let names: Vec<&str> = available.iter().map(|isa| isa.name()).collect();
        IsaError::Missing { wanted, available: names.join(", ") }
    })
}

impl std::fmt::Display for Isa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_rust_is_always_there_and_last() {
        assert_eq!(Isa::all().last().unwrap().name(), "portable");
        assert_eq!(Isa::detect(), Isa::all()[0]);
    }

    #[test]
    fn every_set_can_be_asked_for_by_its_name() {
        let all = Isa::all();
        for isa in &all {
            assert_eq!(choose(isa.name(), &all), Ok(*isa));
            assert!(Isa::NAMES.contains(&isa.name()));
        }
        assert_eq!(choose("", &all), Ok(all[0]));
    }

    #[test]
    fn what_is_unknown_or_not_there_is_said_with_what_is() {
        let portable = [Isa::Portable(Portable)];
        let missing = IsaError::Missing { wanted: "avx2", available: "portable".to_string() };
        assert_eq!(choose("avx2", &portable), Err(missing));
        assert_eq!(choose("AVX2\n", &portable), Err(IsaError::Unknown { found: "AVX2\n".to_string() }));
    }
}
