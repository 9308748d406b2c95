//! Lines of machine code, as the assembler writes them into a cubin: DWARF's table of lines (version 2, section 6.2), a sequence
//! a kernel.

use std::collections::BTreeMap;

/// For each kernel the lines that begin at offsets in its code, by offset.
pub type Lines = BTreeMap<String, BTreeMap<u64, usize>>;

/// Bytes of a symbol, and of a relocation without addend.
const SYMBOL: usize = 24;
const RELOCATION: usize = 16;

/// Reads the table of a cubin's `sections`.
///
/// # Errors
/// A table that ends early, or of another version.
pub fn read(sections: &[(&str, &[u8])]) -> Result<Lines, String> {
    let find = |name: &str| sections.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, bytes)| bytes);
    let (symbols, strings) = (find(".symtab"), find(".strtab"));
    let name_of = |symbol: usize| -> Option<String> {
        let start = Reader { bytes: symbols, at: symbol.checked_mul(SYMBOL)? }.number(4).ok()?;
        let name = strings.get(start as usize..)?.split(|&byte| byte == 0).next()?;
        Some(String::from_utf8_lossy(name).into_owned())
    };
    // Which kernel a sequence is of is said at the place of its first address.
    let mut kernels: BTreeMap<usize, String> = BTreeMap::new();
    for relocation in find(".rel.debug_line").chunks_exact(RELOCATION) {
        let mut reader = Reader { bytes: relocation, at: 0 };
        let (place, info) = (reader.number(8)?, reader.number(8)?);
        if let Some(name) = name_of((info >> 32) as usize) {
            kernels.insert(place as usize, name);
        }
    }
    let mut lines = Lines::new();
    let table = find(".debug_line");
    let mut at = 0;
    while at < table.len() {
        at = unit(table, at, &kernels, &mut lines)?;
    }
    Ok(lines)
}

/// Reads a unit's sequences; where the next unit begins.
fn unit(table: &[u8], start: usize, kernels: &BTreeMap<usize, String>, lines: &mut Lines) -> Result<usize, String> {
    let mut reader = Reader { bytes: table, at: start };
    let end = start + 4 + reader.number(4)? as usize;
    let version = reader.number(2)?;
    if version != 2 || end > table.len() {
        return Err(format!("lines of version {version}, of {} bytes", table.len()));
    }
    let header = reader.number(4)? as usize;
    let program = reader.at + header;
    let step = reader.number(1)?;
    reader.number(1)?;
    let (base, range, first) = (reader.number(1)? as u8 as i8, reader.number(1)?.max(1), reader.number(1)?);
    let arguments: Vec<u64> = (1..first).map(|_| reader.number(1)).collect::<Result<_, _>>()?;
    reader.at = program;
    let (mut address, mut line, mut kernel) = (0u64, 1i64, None);
    while reader.at < end {
        let operation = reader.number(1)?;
        let mut row = false;
        match operation {
            0 => {
                let length = reader.unsigned()? as usize;
                let next = reader.at + length;
                match reader.number(1)? {
                    1 => (address, line, kernel) = (0, 1, None),
                    2 => {
                        kernel = kernels.get(&reader.at).cloned();
                        address = reader.number(8)?;
                    }
                    _ => {}
                }
                reader.at = next;
            }
            1 => row = true,
            2 => address += reader.unsigned()? * step,
            3 => line += reader.signed()?,
            8 => address += (255 - first) / range * step,
            9 => address += reader.number(2)?,
            _ if operation >= first => {
                let adjusted = operation - first;
                address += adjusted / range * step;
                line += i64::from(base) + (adjusted % range) as i64;
                row = true;
            }
            _ => {
                for _ in 0..arguments.get(operation as usize - 1).copied().unwrap_or(0) {
                    reader.unsigned()?;
                }
            }
        }
        if let (true, Some(kernel)) = (row, &kernel) {
            lines.entry(kernel.clone()).or_default().insert(address, usize::try_from(line).unwrap_or(0));
        }
    }
    Ok(end)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// A number of so many bytes, the lowest first.
    fn number(&mut self, bytes: usize) -> Result<u64, String> {
        let end = self.at.saturating_add(bytes);
        let field = self.bytes.get(self.at..end).ok_or("a table of lines ends early")?;
        self.at = end;
        Ok(field.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    }

    /// A number in sevenths: LEB128.
    fn unsigned(&mut self) -> Result<u64, String> {
        Ok(self.sevenths()?.0)
    }

    fn signed(&mut self) -> Result<i64, String> {
        let (number, bits) = self.sevenths()?;
        let unused = 64u32.saturating_sub(bits);
        Ok(((number << unused) as i64) >> unused)
    }

    /// The number and how many bits it has.
    fn sevenths(&mut self) -> Result<(u64, u32), String> {
        let (mut number, mut bits) = (0, 0);
        loop {
            let byte = self.number(1)?;
            number |= (byte & 0x7f).checked_shl(bits).unwrap_or(0);
            bits += 7;
            if byte & 0x80 == 0 {
                return Ok((number, bits));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of one kernel, of which the symbol is the second: line 5 at 8, 70 at 8 + 16, and its end.
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

    fn read_table(table: &[u8]) -> Result<Lines, String> {
        // Its first address is behind the header and three bytes.
        let place = 10 + 16 + 3u64;
        let mut relocation = place.to_le_bytes().to_vec();
        relocation.extend((1u64 << 32 | 2).to_le_bytes());
        let mut symbols = vec![0; 48];
        symbols[24] = 1;
        read(&[
            (".symtab", &symbols),
            (".strtab", b"\0loop\0"),
            (".rel.debug_line", &relocation),
            (".debug_line", table),
        ])
    }

    #[test]
    fn lines_begin_where_the_table_says() {
        let lines = read_table(&table()).unwrap();
        assert_eq!(lines["loop"], BTreeMap::from([(8, 5), (24, 70)]));
    }

    #[test]
    fn a_table_that_ends_early_is_an_error() {
        let whole = table();
        for length in 1..whole.len() {
            assert!(read_table(&whole[..length]).is_err(), "{length}");
        }
        assert_eq!(read(&[]), Ok(Lines::new()));
    }
}
