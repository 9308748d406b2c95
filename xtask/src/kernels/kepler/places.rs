//! Finds where instructions come from, through a compiler whose PTX names one place each and not the places that it was
//! inlined at.
//!
//! LLVM's own language keeps all of them: `!DILocation` has a line, a scope with a file, and the location where that
//! was inlined. So each location is given its own number as its line before PTX is made, and whoever reads that number
//! of the machine code finds the whole chain here.

use super::super::disassembly::{Place, place_in};
use std::collections::HashMap;

/// Source locations in LLVM's debug information, by number.
#[derive(Debug, Default)]
pub struct Locations {
    /// Line, scope and inlining location of each location.
    locations: HashMap<usize, (usize, usize, Option<usize>)>,
    /// Source file of each scope.
    scopes: HashMap<usize, usize>,
    files: HashMap<usize, String>,
}

impl Locations {
    /// Reads the locations in the LLVM text `text`, and returns them with the text changed so that each location's line
    /// is its number.
    pub fn take(text: &str) -> (Self, String) {
        let mut own = Self::default();
        let mut numbered = String::with_capacity(text.len());
        for line in text.lines() {
            match own.read(line) {
                Some(changed) => numbered += &changed,
                None => numbered += line,
            }
            numbered.push('\n');
        }
        (own, numbered)
    }

    /// Reads the definition in a line; for a location returns the line with its number as line.
    fn read(&mut self, line: &str) -> Option<String> {
        let (number, value) = line.strip_prefix('!')?.split_once(" = ")?;
        let number: usize = number.parse().ok()?;
        let value = value.strip_prefix("distinct ").unwrap_or(value);
        if value.starts_with("!DILocation(") {
            let at = numeral(value, "(line: ")?;
            self.locations.insert(number, (at, numeral(value, "scope: !")?, numeral(value, "inlinedAt: !")));
            return Some(line.replacen(&format!("(line: {at}"), &format!("(line: {number}"), 1));
        }
        if value.starts_with("!DIFile(") {
            let (_, name) = value.split_once("filename: \"")?;
            self.files.insert(number, name.split('"').next()?.to_string());
        } else if value.starts_with("!DISubprogram(") || value.starts_with("!DILexicalBlock") {
            self.scopes.insert(number, numeral(value, "file: !")?);
        }
        None
    }

    /// Returns the source lines of a location below kernels/, from the innermost function outwards.
    pub fn places(&self, number: usize) -> Vec<Place> {
        let mut places = Vec::new();
        let mut next = Some(number);
        // As many as there are at most, should they go in a circle.
        for _ in 0..=self.locations.len() {
            let Some(&(line, scope, around)) = next.and_then(|number| self.locations.get(&number)) else { break };
            let file = self.scopes.get(&scope).and_then(|file| self.files.get(file));
            places.extend(file.and_then(|file| place_in(file, line)));
            next = around;
        }
        places
    }
}

/// Returns the number that follows `name` in a text.
fn numeral(text: &str, name: &str) -> Option<usize> {
    let (_, rest) = text.split_once(name)?;
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "define void @f() !dbg !14\n\
        !1 = !DIFile(filename: \"a.cu\", directory: \"/x\")\n\
        !14 = distinct !DISubprogram(name: \"f(line: 3\", scope: !1, file: !1, line: 6)\n\
        !18 = distinct !DISubprogram(name: \"pop\", scope: !19, file: !19, line: 3)\n\
        !19 = !DIFile(filename: \"../../crates/cuda/kernels/schedule/../ops/pop.h\", directory: \"/x\")\n\
        !20 = distinct !DILocation(line: 6, column: 26, scope: !14)\n\
        !21 = !DILocation(line: 5, column: 2, scope: !22, inlinedAt: !20)\n\
        !22 = distinct !DILexicalBlock(scope: !18, file: !19, line: 4, column: 1)\n";

    #[test]
    fn a_location_stands_for_the_places_around_it() {
        let (locations, numbered) = Locations::take(TEXT);
        assert!(numbered.contains("!21 = !DILocation(line: 21, column: 2, scope: !22, inlinedAt: !20)\n"));
        assert!(numbered.contains("!20 = distinct !DILocation(line: 20, column"));
        assert_eq!(numbered.replace("line: 21", "line: 5").replace("line: 20", "line: 6"), TEXT);
        // The generated source says nothing.
        assert_eq!(locations.places(21), [Place { file: "ops/pop.h".to_string(), line: 5 }]);
        assert_eq!((locations.places(20), locations.places(7)), (vec![], vec![]));
    }

    #[test]
    fn locations_in_a_circle_end() {
        let (locations, _) = Locations::take("!3 = !DILocation(line: 1, scope: !4, inlinedAt: !3)\n");
        assert_eq!(locations.places(3), []);
    }
}
