//! Which instructions this CPU has, found once and proven by a value.

/// An instruction set that this CPU was seen to have; only [`Isa::detect`] and [`Isa::all`] make one.
///
/// Results do not depend on it: every kernel computes the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// The fastest that this CPU has.
    pub fn detect() -> Self {
        Self::all()[0]
    }

    /// All that this CPU has, fastest first; the last is plain Rust.
    pub fn all() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let common = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            if common
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
            {
                found.push(Self(Kind::Avx512));
            }
            if common {
                found.push(Self(Kind::Avx2));
            }
        }
        found.push(Self(Kind::Portable));
        found
    }

    /// `avx512`, `avx2` or `portable`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
        }
    }

    pub(crate) fn kind(self) -> Kind {
        self.0
    }
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
}
