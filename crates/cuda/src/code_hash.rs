//! Hashes that tell whether a kernel's machine code is the one of another day.

use crate::{FAMILY, KernelSet, Query, elf, kernel_name, source_name};
use raywarp_family::Variant;
use std::fmt;
use std::str::FromStr;

/// A 64-bit FNV-1a hash of one kernel's machine code: of its own section of a cubin, so that it stays when other
/// kernels of the file, names and notes of the compiler change. Its text is 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeHash(u64);

impl CodeHash {
    /// Returns the hash of these bytes of machine code.
    pub fn of(code: &[u8]) -> Self {
        Self(elf::fingerprint(code))
    }
}

impl fmt::Display for CodeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A text that is no [`CodeHash`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a hash of machine code has 16 hexadecimal digits")]
pub struct NoCodeHash;

impl FromStr for CodeHash {
    type Err = NoCodeHash;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_hash = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(text, 16).ok().filter(|_| is_hash).map(Self).ok_or(NoCodeHash)
    }
}

impl KernelSet {
    /// Returns the hash of the machine code of the kernel `name` for an architecture (90 for compute capability 9.0);
    /// `None` where the set has no such kernel.
    pub fn code_hash(&self, name: &str, architecture: u32) -> Option<CodeHash> {
        let code = self.images.iter().find_map(|(source, _)| self.machine_code(source, name, architecture))?;
        Some(CodeHash::of(code))
    }
}

/// Returns the hash of the machine code of the kernel of a variant and query for an architecture; `None` where it is
/// not compiled for it.
pub fn code_hash(variant: &Variant, query: Query, architecture: u32) -> Option<CodeHash> {
    let code = FAMILY.machine_code(&source_name(variant), &kernel_name(variant, query), architecture)?;
    Some(CodeHash::of(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KernelImage, machine_code};

    #[test]
    fn a_hash_is_read_as_it_is_written() {
        let hash = CodeHash::of(b"a");
        assert_eq!(hash.to_string(), "af63dc4c8601ec8c");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        for text in ["", "af63dc4c8601ec8", "af63dc4c8601ec8c0", "+f63dc4c8601ec8c", "zf63dc4c8601ec8c"] {
            assert_eq!(text.parse::<CodeHash>(), Err(NoCodeHash), "{text}");
        }
    }

    #[test]
    fn each_kernel_has_a_hash_of_its_own_code() {
        let variant = Variant::RAYWARP_H8;
        let code = machine_code(&variant, Query::Closest, 90).unwrap();
        let hash = code_hash(&variant, Query::Closest, 90);
        assert_eq!(hash, Some(CodeHash::of(code)));
        assert_eq!(FAMILY.code_hash(&kernel_name(&variant, Query::Closest), 90), hash);
        let others = [(Query::Any, 90), (Query::Closest, 80)].map(|(query, to)| code_hash(&variant, query, to));
        assert!(others.iter().all(|other| other.is_some() && *other != hash), "{others:?}");
        assert_eq!(code_hash(&variant, Query::Closest, 91), None);
        assert_eq!(FAMILY.code_hash("no_such_kernel", 90), None);
        // A bit of it makes another.
        let mut changed = code.to_vec();
        changed[code.len() / 2] ^= 1;
        assert_ne!(hash, Some(CodeHash::of(&changed)));
    }

    #[test]
    fn other_kernels_of_a_file_do_not_matter() {
        // Of two files with kernels of the same name the first that has it counts, whatever else they hold.
        let of = |source: &str| *FAMILY.images.iter().find(|(known, _)| *known == source).unwrap();
        let name = "direct_packet_bvh2__any";
        let alone: &[(&str, &[KernelImage])] = vec![of("packet")].leak();
        let behind: &[(&str, &[KernelImage])] = vec![of("phased"), of("packet")].leak();
        let hash = |images| KernelSet { images, costs: &[], lines: &[], resources: "" }.code_hash(name, 90);
        assert!(hash(alone).is_some() && hash(alone) == hash(behind));
    }
}
