//! Lines of machine code, as the assembler writes them into a cubin: DWARF's table of lines, a sequence a kernel.

use gimli::{DebugLine, DebugLineOffset};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};
use std::collections::BTreeMap;

/// Source lines of each kernel, by the offset in its code at which they begin.
pub type Lines = BTreeMap<String, BTreeMap<u64, usize>>;

/// Number of bytes of an address.
const ADDRESS: usize = 8;

/// Parses the line table of a cubin, which may have none.
///
/// # Errors
/// What is no cubin, and a table that ends early.
pub fn read(cubin: &[u8]) -> Result<Lines, String> {
    let wrong = |error: object::Error| format!("a cubin's table of lines: {error}");
    let file = ElfFile64::<object::LittleEndian>::parse(cubin).map_err(wrong)?;
    let Some(section) = file.section_by_name(".debug_line") else { return Ok(Lines::new()) };
    let mut table = section.data().map_err(wrong)?.to_vec();
    // Which kernel a sequence is of is said at the place of its first address: the upper half becomes the kernel's
    // number.
    let mut kernels: BTreeMap<usize, &str> = BTreeMap::new();
    for (place, relocation) in section.relocations() {
        if let RelocationTarget::Symbol(symbol) = relocation.target() {
            let symbol = file.symbol_by_index(symbol).map_err(wrong)?;
            kernels.insert(place as usize, symbol.name().map_err(wrong)?);
        }
    }
    for (number, &place) in (1u32..).zip(kernels.keys()) {
        if let Some(address) = table.get_mut(place..).and_then(|rest| rest.get_mut(..ADDRESS)) {
            address[ADDRESS / 2..].copy_from_slice(&number.to_le_bytes());
        }
    }
    let names: Vec<&str> = kernels.into_values().collect();
    sequences(&table, &names).map_err(|error| format!("a cubin's table of lines: {error}"))
}

/// Returns the lines of a `table` by kernel, where addresses have the kernel's number, from 1 on, in their upper half.
fn sequences(table: &[u8], kernels: &[&str]) -> Result<Lines, gimli::Error> {
    let mut lines = Lines::new();
    let mut start = 0;
    while start < table.len() {
        let unit = DebugLine::new(table, gimli::LittleEndian);
        let unit = unit.program(DebugLineOffset(start), ADDRESS as u8, None, None)?;
        start += size_of::<u32>() + unit.header().unit_length();
        let mut rows = unit.rows();
        while let Some((_, row)) = rows.next_row()? {
            let (number, offset) = (row.address() >> 32, row.address() & u64::from(u32::MAX));
            let kernel = (number as usize).checked_sub(1).and_then(|index| kernels.get(index));
            if let (Some(&kernel), false) = (kernel, row.end_sequence()) {
                let line = row.line().map_or(0, |line| line.get() as usize);
                lines.entry(kernel.to_string()).or_default().insert(offset, line);
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::write::{self, Relocation, Symbol, SymbolSection};
    use object::{Architecture, BinaryFormat, Endianness, RelocationEncoding, RelocationFlags, RelocationKind};
    use object::{SectionKind, SymbolFlags, SymbolKind, SymbolScope};

    /// Offset of the first address in [`table`]: after the header and three bytes.
    const PLACE: usize = 10 + 16 + 3;

    /// Returns a line table of one kernel: line 5 at 8, 70 at 8 + 16, and its end.
    fn table() -> Vec<u8> {
        let mut program = vec![0, 9, 2];
        program.extend([8, 0, 0, 0, 0, 0, 0, 0]);
        // 4 lines more; then 16 bytes and 65 lines, of which the last is by a row's operation of its own.
        program.extend([3, 4, 1, 2, 16, 3, 0xc0, 0, 10 + 5 + 1, 0, 1, 1]);
        let header = vec![1, 1, (-5i8) as u8, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0];
        let mut table = vec![0, 0, 0, 0, 2, 0];
        table.extend((header.len() as u32).to_le_bytes());
        table.extend(&header);
        table.extend(&program);
        let length = table.len() as u32 - 4;
        table[..4].copy_from_slice(&length.to_le_bytes());
        table
    }

    #[test]
    fn lines_begin_where_the_table_says() {
        let mut object = write::Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let code = object.add_section(Vec::new(), b".text.loop".to_vec(), SectionKind::Text);
        let symbol = object.add_symbol(Symbol {
            name: b"loop".to_vec(),
            value: 0,
            size: 0,
            kind: SymbolKind::Text,
            scope: SymbolScope::Linkage,
            weak: false,
            section: SymbolSection::Section(code),
            flags: SymbolFlags::None,
        });
        assert_eq!(read(&object.write().unwrap()), Ok(Lines::new()));
        let lines = object.add_section(Vec::new(), b".debug_line".to_vec(), SectionKind::Debug);
        object.append_section_data(lines, &table(), 1);
        let (kind, encoding) = (RelocationKind::Absolute, RelocationEncoding::Generic);
        let flags = RelocationFlags::Generic { kind, encoding, size: 64 };
        object.add_relocation(lines, Relocation { offset: PLACE as u64, symbol, addend: 0, flags }).unwrap();
        let lines = read(&object.write().unwrap()).unwrap();
        assert_eq!(lines, Lines::from([("loop".to_string(), BTreeMap::from([(8, 5), (24, 70)]))]));
        assert!(read(b"no cubin").is_err());
    }

    #[test]
    fn a_table_that_ends_early_is_an_error() {
        let mut whole = table();
        whole[PLACE + 4] = 1;
        assert_eq!(sequences(&whole, &["loop"]).unwrap()["loop"], BTreeMap::from([(8, 5), (24, 70)]));
        // Of no kernel that is known.
        assert_eq!(sequences(&whole, &[]), Ok(Lines::new()));
        for length in 1..whole.len() {
            assert!(sequences(&whole[..length], &["loop"]).is_err(), "{length}");
        }
        assert_eq!(sequences(&[], &["loop"]), Ok(Lines::new()));
    }
}
