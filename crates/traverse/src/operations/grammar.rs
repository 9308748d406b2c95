//! What a ray can do: the order of its operations that a replay relies on.

use crate::dump::Code;

/// Largest number of entries of a ray's stack in a file: a replay has as much room for each of its lanes.
pub(crate) const MOST_ENTRIES: u32 = 1 << 16;

/// Operation of a ray that cannot come where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum RayFault {
    #[error("a ray begins, and goes on after '.', with a node (v) or a triangle (t)")]
    NothingBefore,
    #[error("a node of this tree has {children} children, so at most {} of them are pushed", children - 1)]
    Pushes { children: u32 },
    #[error("at most {most} of '+' can stand behind 't' in this walk")]
    Marks { most: u32 },
    #[error("a visit that pushes a child goes on with another: '.' cannot follow")]
    PopAfterPush,
    #[error("a leaf ends with '.' before the next node")]
    VisitInLeaf,
    #[error("the ray has ended: its stack was empty")]
    AfterTheEnd,
    #[error("the ray does not end: {entries} entries are left on its stack, and nothing says that a hit ended it")]
    Unfinished { entries: u32 },
    #[error("its stack has more than {MOST_ENTRIES} entries")]
    Deep,
}

/// Rules for the operations of rays in one kind of walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grammar {
    /// Number of children of a node, at most.
    pub children: u32,
    /// Number of marks behind a test that takes its hit.
    pub marks_of_hit: u32,
    /// `true` if a hit may end a ray.
    pub any: bool,
}

/// Place of a ray among its operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// At the start, or behind a pop: a node or a leaf comes next.
    Entry,
    /// Behind a visit that has pushed so many children.
    Visit(u32),
    /// Behind a test with so many marks.
    Test(u32),
    End,
}

/// A ray whose operations are checked one by one.
#[derive(Debug)]
pub(crate) struct Checked {
    grammar: Grammar,
    at: At,
    /// Number of entries on the ray's stack.
    entries: u32,
    /// Largest number of entries so far.
    pub depth: u32,
}

impl Checked {
    pub fn new(grammar: Grammar) -> Self {
        Self { grammar, at: At::Entry, entries: 0, depth: 0 }
    }

    /// Takes the ray's next operation.
    pub fn take(&mut self, code: Code) -> Result<(), RayFault> {
        let Grammar { children, marks_of_hit, .. } = self.grammar;
        self.at = match (self.at, code) {
            (At::End, _) => return Err(RayFault::AfterTheEnd),
            (At::Entry, Code::Mark | Code::Pop) => return Err(RayFault::NothingBefore),
            (At::Test(_), Code::Visit) => return Err(RayFault::VisitInLeaf),
            (At::Entry | At::Visit(_), Code::Visit) => At::Visit(0),
            (At::Entry | At::Visit(_) | At::Test(_), Code::Test) => At::Test(0),
            (At::Visit(pushed), Code::Mark) if pushed + 1 < children => {
                self.entries += 1;
                self.depth = self.depth.max(self.entries);
                if self.depth > MOST_ENTRIES {
                    return Err(RayFault::Deep);
                }
                At::Visit(pushed + 1)
            }
            (At::Visit(_), Code::Mark) => return Err(RayFault::Pushes { children }),
            (At::Visit(1..), Code::Pop) => return Err(RayFault::PopAfterPush),
            (At::Test(marks), Code::Mark) if marks < marks_of_hit => At::Test(marks + 1),
            (At::Test(_), Code::Mark) => return Err(RayFault::Marks { most: marks_of_hit }),
            (At::Visit(0) | At::Test(_), Code::Pop) => match self.entries.checked_sub(1) {
                None => At::End,
                Some(left) => {
                    self.entries = left;
                    At::Entry
                }
            },
        };
        Ok(())
    }

    /// Ends the ray's operations.
    pub fn end(&self) -> Result<(), RayFault> {
        let is_hit = self.grammar.any && self.at == At::Test(self.grammar.marks_of_hit);
        match self.at == At::End || is_hit {
            true => Ok(()),
            false => Err(RayFault::Unfinished { entries: self.entries }),
        }
    }
}
