//! Files of rays' operations: what each ray does by itself, as text that any program can write.
//!
//! ```text
//! raywarp-operations 1
//! launch primary closest direct/while-while/bvh2
//! v+v.tt+.
//! v.
//! ```
//!
//! The first line has the version. A launch has a name without spaces, a query, and the kind of walk
//! ([`RayDump::walk_of`]). Each line below it is a ray, with a letter for each operation in order:
//!
//! | letter | the ray |
//! |---|---|
//! | `v` | visits a node |
//! | `t` | tests a triangle |
//! | `+` | behind `v`: pushes a child that is hit besides the one where it goes on; behind `t`: takes the hit |
//! | `.` | takes the next entry from its stack: behind a `v` that hits no child, and behind the last `t` of a leaf |
//! | `-` | does nothing at all: alone in its line |
//!
//! A ray ends with a `.` when its stack is empty; one that asks for any hit also with a hit. With `fetch=needed` the
//! rows of a triangle come one by one: the first and the second `+` behind a `t` are its second and third row, and the
//! third is the hit. Lines that begin with `#`, and empty ones, are comments.

mod grammar;
mod read;

pub use grammar::RayFault;
pub use read::{OperationsError, OperationsFault, read_operations};

use crate::dump::{Code, RayDump};
use std::io::{self, Write};

/// First word of a file of operations, by which it is told from other files.
pub const OPERATIONS_MAGIC: &str = "raywarp-operations";

/// Version of the format that is written and read.
pub(crate) const VERSION: u32 = 1;

/// Letter of a ray that does nothing.
pub(crate) const NOTHING: char = '-';

/// Operations of the rays of a launch, with the launch's name.
#[derive(Debug, Clone)]
pub struct NamedDump {
    /// Name of the launch.
    pub name: String,
    /// Operations of its rays.
    pub dump: RayDump,
}

impl Code {
    /// Returns the operation's letter in files.
    pub(crate) fn letter(self) -> char {
        match self {
            Self::Visit => 'v',
            Self::Test => 't',
            Self::Mark => '+',
            Self::Pop => '.',
        }
    }

    /// Returns the operation with this letter in files; `None` if there is none.
    pub(crate) fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.letter() == letter)
    }
}

/// Writes launches as a file of operations, a letter for each operation. Spaces in names become underscores. Dumps of
/// [nothing](RayDump::of_nothing) have no walk, and are left out.
///
/// # Errors
/// Those of `out`.
pub fn write_operations(launches: &[NamedDump], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{OPERATIONS_MAGIC} {VERSION}")?;
    let mut line = String::new();
    for NamedDump { name, dump } in launches {
        let Some(walk) = dump.walk() else { continue };
        let name: String = name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
        writeln!(out, "launch {name} {} {walk}", dump.query().name())?;
        for ray in 0..dump.ray_count() {
            line.clear();
            line.extend(dump.codes(ray).map(Code::letter));
            if line.is_empty() {
                line.push(NOTHING);
            }
            line.push('\n');
            out.write_all(line.as_bytes())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
