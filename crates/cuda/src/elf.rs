//! The machine code in a cubin: an ELF file with a section a kernel.

/// Returns the names and bytes of the sections of an ELF file (cubin) that hold code, sorted by name.
///
/// # Errors
/// What is no 64-bit little-endian ELF file, or ends early.
pub fn code(image: &[u8]) -> Result<Vec<(&str, &[u8])>, String> {
    let sections = sections(image)?.into_iter();
    let mut found: Vec<(&str, &[u8])> =
        sections.filter_map(|(name, bytes)| Some((name.strip_prefix(".text.")?, bytes))).collect();
    found.sort_unstable();
    Ok(found)
}

/// Returns the names and bytes of all sections of an ELF file (cubin), in file order.
fn sections(image: &[u8]) -> Result<Vec<(&str, &[u8])>, String> {
    let number = |at: usize, bytes: usize| -> Result<usize, String> {
        let field = at.checked_add(bytes).and_then(|end| image.get(at..end)).ok_or("a cubin ends early")?;
        Ok(field.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte)))
    };
    if image.get(..6) != Some(b"\x7fELF\x02\x01") {
        return Err("a cubin is no 64-bit ELF file".to_string());
    }
    let (table, size, count, names) = (number(0x28, 8)?, number(0x3a, 2)?, number(0x3c, 2)?, number(0x3e, 2)?);
    let section = |index: usize| -> Result<(usize, &[u8]), String> {
        let header = table.saturating_add(index * size);
        let (offset, length) = (number(header.saturating_add(0x18), 8)?, number(header.saturating_add(0x20), 8)?);
        // Sections without bytes of their own say how long they would be.
        let bytes = image.get(offset..offset.saturating_add(length)).unwrap_or_default();
        Ok((number(header, 4)?, bytes))
    };
    let (_, strings) = section(names)?;
    let mut found = Vec::new();
    for index in 0..count {
        let (name, bytes) = section(index)?;
        let name = strings.get(name..).and_then(|rest| rest.split(|&byte| byte == 0).next()).unwrap_or_default();
        found.push((std::str::from_utf8(name).map_err(|_| "a cubin's section has no name")?, bytes));
    }
    Ok(found)
}

/// Returns a 64-bit FNV-1a hash of a kernel's machine code.
pub fn fingerprint(code: &[u8]) -> u64 {
    code.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_cubin_is_an_error() {
        assert!(code(b"").is_err());
        assert!(code(b"\x7fELF\x01\x01").is_err());
        assert!(code(b"\x7fELF\x02\x01\x01\x00").is_err());
    }

    #[test]
    fn one_byte_more_is_another_fingerprint() {
        assert_eq!(fingerprint(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_ne!(fingerprint(b"ab"), fingerprint(b"ba"));
    }
}
