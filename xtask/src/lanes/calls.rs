//! Finds the callers of functions that were meant to be single instructions: read off the symbols and the code of an
//! ELF file for x86-64, without a disassembler.
//!
//! A call, a jump or an address in position-independent code ends with the distance to its target, four bytes. Only
//! distances that end exactly at an intrinsic, or at a slot that holds its address, behind a byte that such an
//! instruction has before them, are taken: among twenty million bytes chance makes one in a thousand binaries.

use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind};
use std::collections::{BTreeMap, HashMap};

/// Crates whose functions may call intrinsics, each with the reason.
const EXEMPT: &[(&str, &str)] = &[
    ("core::core_arch::", "an intrinsic made of others: what counts is who calls the outer one"),
    ("std_detect::", "asks which instructions there are, once"),
    (
        "hashbrown::",
        "hash maps of crates that are compiled without optimisation (Cargo.toml); none holds lanes of ours",
    ),
    ("core::slice::ascii::", "the same, of text"),
];

/// Modules in which a closure with a symbol of its own is a fault: it was not inlined, and so lost the instruction set
/// of its function.
const WITHOUT_CLOSURES: &[&str] = &[
    "raywarp_lanes::vector::",
    "raywarp_lanes::pair::",
    "raywarp_lanes::portable::",
    "raywarp_lanes::x86::",
    "raywarp_cpu::simd::",
    "raywarp_render::lanes::",
];

/// Modules among these that have no vector code, as they run once for a scene.
const SCALAR: &[&str] = &["raywarp_render::lanes::tables::"];

/// Returns the faults of the program `image`, one line each, sorted.
///
/// # Errors
/// What is no ELF file for x86-64, or has no symbols.
pub fn faults(image: &[u8]) -> Result<Vec<String>, String> {
    let file = object::File::parse(image).map_err(|error| error.to_string())?;
    if file.architecture() != object::Architecture::X86_64 {
        return Err(format!("is for {:?}, and only x86-64 is read", file.architecture()));
    }
    let functions = functions(&file);
    if functions.is_empty() {
        return Err("has no symbols: build it without `strip`".to_string());
    }
    let mut faults: Vec<String> =
        functions.values().filter(|name| is_lost_closure(name)).map(|name| format!("{name} is not inlined")).collect();
    let called = calls(&file, &functions)?;
    for (&address, intrinsic) in functions.iter().filter(|(_, name)| is_intrinsic(name)) {
        match called.get(&address) {
            None => faults.push(format!("{intrinsic} is a function, and nobody is seen to call it")),
            Some(callers) => {
                let by_us = callers.iter().filter(|(caller, _)| !is_exempt(caller));
                faults.extend(by_us.map(|(caller, times)| format!("{caller} calls {intrinsic}, at {times} places")));
            }
        }
    }
    faults.sort();
    Ok(faults)
}

/// Returns the addresses and names of all functions of a program.
fn functions(file: &object::File<'_>) -> BTreeMap<u64, String> {
    let texts = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition());
    texts.filter_map(|symbol| Some((symbol.address(), plain(symbol.name().ok()?)))).collect()
}

/// Returns the path in a symbol's name, without its hashes.
fn plain(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// Returns `true` if a function is in the module of intrinsics, not only named after a type of it.
fn is_intrinsic(name: &str) -> bool {
    name.trim_start_matches('<').starts_with("core::core_arch::")
}

fn is_exempt(caller: &str) -> bool {
    EXEMPT.iter().any(|(path, _)| caller.trim_start_matches('<').starts_with(path))
}

fn is_lost_closure(name: &str) -> bool {
    let stands_in = |paths: &[&str]| paths.iter().any(|path| name.trim_start_matches('<').starts_with(path));
    let is_closure = name.contains("{{closure}}") || name.contains("{closure#");
    is_closure && stands_in(WITHOUT_CLOSURES) && !stands_in(SCALAR)
}

/// Returns the callers of each intrinsic's address with the number of their calls.
fn calls(
    file: &object::File<'_>,
    functions: &BTreeMap<u64, String>,
) -> Result<BTreeMap<u64, BTreeMap<String, usize>>, String> {
    let mut targets: HashMap<u64, u64> =
        functions.iter().filter(|(_, name)| is_intrinsic(name)).map(|(&address, _)| (address, address)).collect();
    // A function of another crate may be called through a slot that the loader fills.
    for (slot, relocation) in file.dynamic_relocations().into_iter().flatten() {
        let address = match relocation.target() {
            RelocationTarget::Absolute => relocation.addend().cast_unsigned(),
            _ => continue,
        };
        if functions.get(&address).is_some_and(|name| is_intrinsic(name)) {
            targets.insert(slot, address);
        }
    }
    let mut found: BTreeMap<u64, BTreeMap<String, usize>> = BTreeMap::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let code = section.data().map_err(|error| error.to_string())?;
        for (at, address) in distances(code, section.address()) {
            let Some(&intrinsic) = targets.get(&address) else { continue };
            let caller = functions.range(..=at).next_back().map_or("code without a name", |(_, name)| name.as_str());
            *found.entry(intrinsic).or_default().entry(caller.to_string()).or_default() += 1;
        }
    }
    Ok(found)
}

/// Returns the positions in `code`, which begins at `start`, of what looks like a call, a jump or an address, with the
/// target of each.
fn distances(code: &[u8], start: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..code.len().saturating_sub(4)).filter_map(move |i| {
        let before = i.checked_sub(1).map(|before| code[before]);
        // `call` and `jmp` to a distance; else the byte of operands of `call *`, `jmp *`, `lea` or `mov` that says
        // "a distance follows", behind the byte of that instruction.
        let may_point = match code[i] {
            0xe8 | 0xe9 => true,
            0x15 | 0x25 if before == Some(0xff) => true,
            operands => operands & 0b1100_0111 == 0b0000_0101 && matches!(before, Some(0x8b | 0x8d)),
        };
        let distance = i32::from_le_bytes([code[i + 1], code[i + 2], code[i + 3], code[i + 4]]);
        let end = start + i as u64 + 5;
        may_point.then(|| (start + i as u64, end.wrapping_add_signed(i64::from(distance))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_ends_at_what_is_called() {
        // nop; call 0x1010; call *0x1020; lea 0x1000, rax; add eax, 1.
        let code = b"\x90\xe8\x0a\x00\x00\x00\xff\x15\x14\x00\x00\x00\x48\x8d\x05\xed\xff\xff\xff\x83\xc0\x01";
        let found: Vec<_> = distances(code, 0x1000).collect();
        for expected in [(0x1001, 0x1010), (0x1007, 0x1020), (0x100e, 0x1000)] {
            assert!(found.contains(&expected), "{expected:x?}: {found:x?}");
        }
        // jmp over 0x35 bytes; mov rdi, rax; call *: the 0x35 is no operand of an instruction that ends with a distance.
        let found: Vec<_> = distances(b"\xeb\x35\x48\x89\xc7\xff", 0x1000).collect();
        assert_eq!(found, []);
    }

    #[test]
    fn names_of_both_manglings_are_judged_alike() {
        for symbol in [
            "_RNvNtNtNtCsgEmfK2I1SDS_4core9core_arch3x864avx216__mm256_xor_si256.llvm.7898524589376960198",
            "_ZN4core9core_arch3x864avx224_mm256_permute4x64_epi6417h0d5f943b7aca8f6dE.llvm.7898524589376960198",
        ] {
            assert!(is_intrinsic(&plain(symbol)), "{symbol}");
            assert!(is_exempt(&plain(symbol)), "{symbol}");
        }
        let of_a_type = "_ZN4core3ptr76drop_in_place$LT$core..array..Guard$LT$core..core_arch..x86..__m128i$GT$$GT$17hcb110df3ae5fdaf5E";
        assert!(!is_intrinsic(&plain(of_a_type)));
        let kernel = "_ZN11raywarp_cpu4simd7on_avx27closest17hc54e192ae79ca03aE";
        assert!(!is_exempt(&plain(kernel)) && !is_lost_closure(&plain(kernel)));
        let closure = "_ZN11raywarp_cpu4simd4walk10test_block28_$u7b$$u7b$closure$u7d$$u7d$17h7a5595bd6bcad84eE";
        assert!(is_lost_closure(&plain(closure)));
    }

    #[test]
    fn what_is_no_program_is_an_error() {
        assert!(faults(b"").is_err());
        assert!(faults(b"\x7fELF\x02\x01\x01\x00").is_err());
    }
}
