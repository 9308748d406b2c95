//! Reading a file of operations, checked so that a replay of it is that of rays in some tree.

use super::grammar::{Checked, Grammar, RayFault};
use super::{NOTHING, NamedDump, OPERATIONS_MAGIC, VERSION};
use crate::dump::{Code, DumpWriter, RayDump};
use crate::kernel::KernelError;
use raywarp_family::{Fetch, IllegalVariant, Query, Variant};

/// Error of a file of operations, with its place there.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("line {line}{}: {fault}", place(*column))]
pub struct OperationsError {
    /// Line of the file, from 1.
    pub line: usize,
    /// Letter in the line, from 1; 0 for the line as a whole.
    pub column: usize,
    /// What is wrong there.
    pub fault: OperationsFault,
}

fn place(column: usize) -> String {
    if column == 0 { String::new() } else { format!(", letter {column}") }
}

/// Fault of a file of operations.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum OperationsFault {
    #[error("is not a file of operations, which begins with \"{OPERATIONS_MAGIC} {VERSION}\"")]
    Magic,
    #[error("has version {found} of the format; version {VERSION} is read")]
    Version { found: String },
    #[error("a launch is \"launch NAME QUERY WALK\", such as \"launch primary closest direct/while-while/bvh2\"")]
    Launch,
    #[error("a launch's name may have at most {MOST_NAME} letters, not {found}")]
    LongName { found: usize },
    #[error("\"{found}\" is no query; there are closest and any")]
    Query { found: String },
    #[error("{0}")]
    Variant(IllegalVariant),
    #[error("{0}")]
    NoDump(KernelError),
    #[error("a ray walks as in {walk}, whatever the loop; write that in place of {found}")]
    OtherWalk { found: Variant, walk: Variant },
    #[error("a ray stands before any launch")]
    NoLaunch,
    #[error("'{found}' is no operation; there are v, t, + and '.', and '-' alone for a ray that does nothing")]
    Letter { found: char },
    #[error("{0}")]
    Ray(RayFault),
    #[error("launch {name} has more rays or operations than can be numbered")]
    TooMany { name: String },
    #[error("a carriage return stands in the line; lines end with a line feed, or with both")]
    CarriageReturn,
    #[error("the file has no launch")]
    Empty,
    #[error("no launch of the file has a ray")]
    NoRay,
}

/// Reads the text of a file of operations ([`write_operations`](super::write_operations) writes one).
///
/// # Errors
/// [`OperationsError`]: the first line that is wrong.
pub fn read_operations(text: &str) -> Result<Vec<NamedDump>, OperationsError> {
    // Some editors put a mark of the byte order first.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim_end()));
    let fault = |line: usize, fault: OperationsFault| OperationsError { line, column: 0, fault };
    let head = lines.next().map_or("", |(_, line)| line);
    // Line ends of both kinds are read; a third, alone, would hide a line in the one before it, or in a comment.
    let odd = text.lines().position(|line| line.trim_end().contains('\r'));
    if let Some(before) = odd.filter(|_| head.starts_with(OPERATIONS_MAGIC)) {
        return Err(fault(before + 1, OperationsFault::CarriageReturn));
    }
    match head.split_once(' ') {
        Some((OPERATIONS_MAGIC, version)) if version == VERSION.to_string() => {}
        Some((OPERATIONS_MAGIC, version)) => {
            return Err(fault(1, OperationsFault::Version { found: beginning(version) }));
        }
        _ => return Err(fault(1, OperationsFault::Magic)),
    }
    let mut launches: Vec<NamedDump> = Vec::new();
    let mut open: Option<OpenLaunch> = None;
    let mut last = 1;
    for (line, text) in lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
        last = line;
        if let Some(words) = text.strip_prefix("launch") {
            launches.extend(open.take().map(|launch| launch.close(line)).transpose()?);
            open = Some(OpenLaunch::parse(words).map_err(|what| fault(line, what))?);
            continue;
        }
        let launch = open.as_mut().ok_or_else(|| fault(line, OperationsFault::NoLaunch))?;
        launch.ray(text).map_err(|(column, fault)| OperationsError { line, column, fault })?;
    }
    launches.extend(open.take().map(|launch| launch.close(last)).transpose()?);
    if launches.is_empty() {
        return Err(fault(last, OperationsFault::Empty));
    }
    match launches.iter().all(|launch| launch.dump.ray_count() == 0) {
        true => Err(fault(last, OperationsFault::NoRay)),
        false => Ok(launches),
    }
}

/// Returns as much of a word as an error's line has room for.
fn beginning(word: &str) -> String {
    word.chars().take(20).collect()
}

/// Largest number of letters of a launch's name, which stands in tables.
const MOST_NAME: usize = 1000;

/// A launch whose rays are being read.
struct OpenLaunch {
    name: String,
    grammar: Grammar,
    writer: DumpWriter,
}

impl OpenLaunch {
    /// Parses what stands behind the word `launch`.
    fn parse(words: &str) -> Result<Self, OperationsFault> {
        if !words.starts_with(char::is_whitespace) {
            return Err(OperationsFault::Launch);
        }
        // At most four words are taken: a line may be as long as the file.
        let mut words = words.split_whitespace();
        let (Some(name), Some(found), Some(walk), None) = (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(OperationsFault::Launch);
        };
        let letters = name.chars().count();
        if letters > MOST_NAME {
            return Err(OperationsFault::LongName { found: letters });
        }
        let query = Query::ALL.into_iter().find(|known| known.name() == found);
        let query = query.ok_or_else(|| OperationsFault::Query { found: beginning(found) })?;
        let found: Variant = walk.parse().map_err(OperationsFault::Variant)?;
        let walk = RayDump::walk_of(&found).map_err(OperationsFault::NoDump)?;
        if walk != found {
            return Err(OperationsFault::OtherWalk { found, walk });
        }
        let marks_of_hit = if walk.fetch() == Fetch::Needed { 3 } else { 1 };
        let grammar = Grammar { children: walk.tree().most_children(), marks_of_hit, any: query == Query::Any };
        Ok(Self { name: name.to_string(), grammar, writer: DumpWriter::new(walk, query) })
    }

    /// Reads a ray; an error is of a letter, counted from 1, or of the line.
    fn ray(&mut self, line: &str) -> Result<(), (usize, OperationsFault)> {
        let mut ray = Checked::new(self.grammar);
        if line.len() == NOTHING.len_utf8() && line.starts_with(NOTHING) {
            self.writer.end_ray(0);
            return Ok(());
        }
        let mut count = 0;
        for (at, letter) in line.chars().enumerate() {
            let code = Code::of_letter(letter).ok_or((at + 1, OperationsFault::Letter { found: letter }))?;
            ray.take(code).map_err(|fault| (at + 1, OperationsFault::Ray(fault)))?;
            self.writer.push(code);
            count = at + 1;
        }
        ray.end().map_err(|fault| (count, OperationsFault::Ray(fault)))?;
        self.writer.end_ray(ray.depth as usize);
        Ok(())
    }

    fn close(self, line: usize) -> Result<NamedDump, OperationsError> {
        let Self { name, writer, .. } = self;
        let too_many = |name: &str| OperationsFault::TooMany { name: name.to_string() };
        match writer.finish() {
            Some(dump) => Ok(NamedDump { name, dump }),
            None => Err(OperationsError { line, column: 0, fault: too_many(&name) }),
        }
    }
}
