//! Finds the block of a micro-operation that a line of kernels/ is part of.
//!
//! A line is part of the event (`RW_EVENT`) of its braces: of the next one there, or of the last one where none
//! follows. A line without an event is part of what its function is known for; and one of a function that is
//! known for nothing (a minimum, a stack) is part of what calls it.

use super::disassembly::Place;
use raywarp_cuda::Block;
use raywarp_cuda::elf::fingerprint;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Names of kernel functions with the code block that their lines belong to; with their folder where the name alone is
/// ambiguous.
const FUNCTIONS: &[(&str, Block)] = &[
    ("run", Block::Prologue),
    ("make_idle", Block::Prologue),
    ("clear", Block::SetupRay),
    ("direct", Block::Iteration),
    ("persistent", Block::Iteration),
    ("replace", Block::Iteration),
    ("queue", Block::Iteration),
    ("trace", Block::Iteration),
    ("iterate", Block::Iteration),
    ("schedule/traverse", Block::Iteration),
    ("schedule/intersect", Block::Iteration),
    ("fetch_ray", Block::FetchRay),
    ("load_ray", Block::FetchRay),
    ("load_parked_ray", Block::FetchRay),
    ("tree/setup", Block::SetupRay),
    ("setup_ray", Block::SetupRay),
    ("visit_node", Block::VisitNode),
    ("visit_node_together", Block::VisitNode),
    ("push_ranked", Block::VisitNodePush),
    ("pop_together", Block::Pop),
    ("pop_exhausted", Block::Pop),
    ("postpone", Block::Postpone),
    ("defer", Block::Defer),
    ("move_on", Block::Pop),
    ("offer", Block::TestTriangleAccept),
    ("offer_record", Block::TestTriangleAccept),
    ("test_triangle", Block::TestTriangle),
    ("test_one", Block::TestTriangle),
    ("test_record", Block::TestTriangle),
    ("test_triangle_together", Block::TestTriangle),
    ("reduce_over_ray", Block::Shuffle),
    ("swap", Block::Exchange),
    ("exchange", Block::Exchange),
    ("store_hit", Block::StoreHit),
    ("write_hit", Block::StoreHit),
];

/// The lines of the kernels' headers: the code block that each belongs to, and a hash of its text.
pub struct Sources {
    files: BTreeMap<String, Vec<(Option<Block>, u64)>>,
    renames: Option<Renames>,
}

/// Earlier sources that differ in names alone, and hashes of their lines, each with the one of today's lines.
struct Renames {
    earlier: Box<Sources>,
    numbers: Mutex<BTreeMap<u32, u32>>,
}

impl Sources {
    /// Reads all headers below `folders`.
    ///
    /// # Errors
    /// A file that cannot be read, an event that is no block, or two headers of one name.
    pub fn read(folders: &[PathBuf]) -> Result<Self, String> {
        let mut files = BTreeMap::new();
        for folder in folders {
            Self::read_folder(folder, &mut files)?;
        }
        Ok(Self { files, renames: None })
    }

    /// Adds a source that is in none of the folders, under the name by which instructions' places have it.
    ///
    /// # Errors
    /// An event that is no block.
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), String> {
        let lines = lines(name, text).map_err(|error| format!("{name}: {error}"))?;
        let numbers = text.lines().map(|line| fingerprint(line.trim().as_bytes()));
        self.files.insert(name.to_string(), lines.into_iter().zip(numbers).collect());
        Ok(())
    }

    /// Takes note of the headers below `folders`, in which the same lines had other names.
    ///
    /// # Errors
    /// As [`read`](Self::read); a header that has more or fewer lines than it had.
    pub fn renamed_from(self, folders: &[PathBuf]) -> Result<Self, String> {
        let earlier = Box::new(Self::read(folders)?);
        let length = |lines: Option<&Vec<_>>| lines.map_or(0, Vec::len);
        if let Some(name) =
            earlier.files.keys().find(|&name| length(earlier.files.get(name)) != length(self.files.get(name)))
        {
            return Err(format!("{name}: not the same lines with other names"));
        }
        Ok(Self { renames: Some(Renames { earlier, numbers: Mutex::default() }), ..self })
    }

    /// Returns the hashes of earlier lines that were met, each with that of today's lines.
    pub fn renames(&self) -> BTreeMap<u32, u32> {
        let met = self.renames.as_ref().and_then(|renames| renames.numbers.lock().ok());
        met.map_or_else(BTreeMap::new, |numbers| numbers.clone())
    }

    fn read_folder(folder: &Path, files: &mut BTreeMap<String, Vec<(Option<Block>, u64)>>) -> Result<(), String> {
        let mut open = vec![folder.to_path_buf()];
        while let Some(next) = open.pop() {
            let entries = std::fs::read_dir(&next).map_err(|error| format!("{}: {error}", next.display()))?;
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|extension| extension == "h") {
                    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                    let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                    let lines = lines(&name, &text).map_err(|error| format!("{}: {error}", path.display()))?;
                    let numbers = text.lines().map(|line| fingerprint(line.trim().as_bytes()));
                    if files.insert(name, lines.into_iter().zip(numbers).collect()).is_some() {
                        return Err(format!("{}: another crate's kernels have a header of this name", path.display()));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the code block that an instruction from these source lines belongs to: that of the innermost line which
    /// belongs to one.
    pub fn owner(&self, places: &[Place]) -> Option<Block> {
        places.iter().find_map(|place| self.line(place)?.0)
    }

    fn line(&self, place: &Place) -> Option<(Option<Block>, u64)> {
        self.files.get(&place.file)?.get(place.line.checked_sub(1)?).copied()
    }

    /// Returns a hash of source lines that stays the same when lines move in their files.
    pub fn number(&self, places: &[Place]) -> u32 {
        let texts = places.iter().flat_map(|place| {
            let text = self.line(place).map_or(0, |line| line.1);
            [fingerprint(place.file.as_bytes()).to_le_bytes(), text.to_le_bytes()].concat()
        });
        let all = fingerprint(&texts.collect::<Vec<u8>>());
        let number = (all ^ all >> 32) as u32;
        if let Some(renames) = &self.renames
            && let Ok(mut numbers) = renames.numbers.lock()
        {
            numbers.insert(renames.earlier.number(places), number);
        }
        number
    }
}

/// A scope in braces of a kernel's source, with its events so far.
#[derive(Default)]
struct Scope {
    /// Lines of the scope that no event covers yet.
    pending: Vec<usize>,
    /// Last event of the scope.
    event: Option<Block>,
    function: Option<Block>,
}

/// Returns for each line of a header the code block that it belongs to.
fn lines(file: &str, text: &str) -> Result<Vec<Option<Block>>, String> {
    let mut parts: Vec<Option<Block>> = Vec::new();
    let mut scopes = vec![Scope::default()];
    let mut named = None;
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        parts.push(None);
        if code.trim_start().starts_with('#') {
            continue;
        }
        if let Some(function) = function(file, code) {
            named = Some(function);
        }
        if let Some(scope) = scopes.last_mut() {
            scope.pending.push(number);
        }
        if let Some((_, rest)) = code.split_once("RW_EVENT(") {
            let name = rest.split(')').next().unwrap_or_default();
            let block = Block::ALL.into_iter().find(|block| format!("{block:?}") == name);
            let block = block.ok_or_else(|| format!("line {}: {name} is no block", number + 1))?;
            if let Some(scope) = scopes.last_mut() {
                scope.pending.drain(..).for_each(|line| parts[line] = Some(block));
                scope.event = Some(block);
            }
        }
        for character in code.chars() {
            if character == '{' {
                let inherited = scopes.last().and_then(|scope| scope.function);
                let function = named.take().map_or(inherited, |known: Option<Block>| known);
                scopes.push(Scope { function, ..Scope::default() });
            } else if character == '}' {
                let Some(scope) = scopes.pop() else { break };
                // What follows the last event here is part of it; without one it waits for the braces around.
                match (scope.event, scopes.last_mut()) {
                    (Some(event), _) => scope.pending.iter().for_each(|&line| parts[line] = Some(event)),
                    // A function's end.
                    (None, Some(around)) if around.function != scope.function || around.function.is_none() => {
                        scope.pending.iter().for_each(|&line| parts[line] = scope.function);
                    }
                    (None, Some(around)) => around.pending.extend(scope.pending),
                    (None, None) => {}
                }
            }
        }
        if code.trim_end().ends_with(';') {
            named = None;
        }
    }
    Ok(parts)
}

/// Returns the name of the function that a line begins, if any, and the code block that it is known for.
fn function(file: &str, code: &str) -> Option<Option<Block>> {
    let marker = ["RW_FUNCTION ", "RW_COLD "].into_iter().find(|marker| code.contains(marker))?;
    let (_, signature) = code.split_once(marker)?;
    let name = signature.split('(').next()?.split_whitespace().last()?;
    let folder = file.split('/').next().unwrap_or_default();
    let is_it = |known: &str| known == name || known.split_once('/') == Some((folder, name));
    Some(FUNCTIONS.iter().find(|(known, _)| is_it(known)).map(|known| known.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// A file.\n\
        namespace raywarp {\n\
        RW_FUNCTION void helper() {\n\
        \x20   x = 1;\n\
        }\n\
        RW_FUNCTION void postpone(Lane& lane) {\n\
        \x20   if (lane.stands_at_leaf()) {\n\
        \x20       lane.postpone_leaf();\n\
        \x20       RW_EVENT(Postpone);\n\
        \x20   }\n\
        }\n\
        RW_FUNCTION void test_record(Lane& lane) {\n\
        \x20   const float t = height();\n\
        \x20   RW_EVENT(TestTriangleT);\n\
        \x20   if (t <= limit) {\n\
        \x20       const float u = weight();\n\
        \x20       RW_EVENT(TestTriangleU);\n\
        \x20       if (u >= 0.0f) {\n\
        \x20           offer();\n\
        \x20       }\n\
        \x20   }\n\
        }\n\
        }  // namespace raywarp\n";

    #[test]
    fn lines_belong_to_the_events_of_their_braces() {
        let parts = lines("ops/a.h", TEXT).unwrap();
        let at = |text: &str| parts[TEXT.lines().position(|line| line.contains(text)).unwrap()];
        assert_eq!(at("x = 1"), None);
        assert_eq!(at("stands_at_leaf"), Some(Block::Postpone));
        assert_eq!(at("postpone_leaf"), Some(Block::Postpone));
        assert_eq!(at("height"), Some(Block::TestTriangleT));
        assert_eq!(at("t <= limit"), Some(Block::TestTriangleT));
        assert_eq!(at("weight"), Some(Block::TestTriangleU));
        assert_eq!(at("offer"), Some(Block::TestTriangleU));
    }

    #[test]
    fn an_event_that_is_no_block_is_an_error() {
        assert!(lines("ops/a.h", "RW_FUNCTION void f() {\nRW_EVENT(Nothing);\n}\n").is_err());
    }

    #[test]
    fn hashes_of_renamed_lines_are_known_by_their_old_ones() {
        let folder = |text: &str| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("a.h"), text).unwrap();
            folder
        };
        let [old, new, longer] = ["f(again);\ng();\n", "f(parked);\ng();\n", "f(parked);\n\ng();\n"].map(folder);
        let read = |folder: &tempfile::TempDir| Sources::read(&[folder.path().to_path_buf()]).unwrap();
        let places = [1, 2].map(|line| [Place { file: "a.h".to_string(), line }]);
        let renamed = read(&new).renamed_from(&[old.path().to_path_buf()]).unwrap();
        let numbers = places.each_ref().map(|places| renamed.number(places));
        let want = places.each_ref().map(|places| read(&old).number(places)).into_iter().zip(numbers).collect();
        assert_eq!(renamed.renames(), want);
        assert_ne!(numbers[0], read(&old).number(&places[0]));
        assert!(read(&new).renamed_from(&[longer.path().to_path_buf()]).is_err());
    }

    #[test]
    fn the_innermost_known_place_owns_an_instruction() {
        let parts = lines("ops/a.h", TEXT).unwrap().into_iter().map(|part| (part, 0)).collect();
        let files = [("ops/a.h".to_string(), parts)].into_iter().collect();
        let sources = Sources { files, renames: None };
        let place = |line| Place { file: "ops/a.h".to_string(), line };
        assert_eq!(sources.owner(&[place(4), place(8), place(13)]), Some(Block::Postpone));
        assert_eq!(sources.owner(&[place(4)]), None);
        assert_eq!(sources.owner(&[]), None);
    }

    #[test]
    fn operations_schedules_and_supplies_name_no_tree_and_no_triangle_test() {
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cuda/kernels");
        for folder in ["ops", "schedule", "supply"] {
            for entry in std::fs::read_dir(kernels.join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let text = std::fs::read_to_string(&path).unwrap();
                for name in ["TreeKind", "TriangleTest::", "O.tree", "O.triangle"] {
                    assert!(!text.contains(name), "{}: {name}", path.display());
                }
            }
        }
    }

    #[test]
    fn headers_of_two_crates_have_different_names() {
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cuda/kernels");
        assert!(Sources::read(std::slice::from_ref(&kernels)).is_ok());
        let error = Sources::read(&[kernels.clone(), kernels]).err().unwrap();
        assert!(error.contains(".h: "), "{error}");
    }

    #[test]
    fn every_header_of_the_kernels_is_understood() {
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cuda/kernels");
        let sources = Sources::read(std::slice::from_ref(&kernels)).unwrap();
        for (file, text, want) in [
            ("ops/pop.h", "lane.work = lane.stack.pop();", Block::Pop),
            ("ops/store_hit.h", "lane.ray = NONE;", Block::StoreHit),
            ("ops/vote.h", "any_sync", Block::Vote),
            ("triangle/woop.h", "reciprocal_about", Block::TestTriangle),
        ] {
            let source = std::fs::read_to_string(kernels.join(file)).unwrap();
            let line = source.lines().position(|line| line.contains(text)).unwrap() + 1;
            // What is known for nothing is part of what calls it.
            let test = std::fs::read_to_string(kernels.join("triangle/rows.h")).unwrap();
            let call = test.lines().position(|line| line.contains("hit = Test::intersect(o, d, a, b, c)")).unwrap() + 1;
            let places = [(file, line), ("triangle/rows.h", call)];
            let owner = sources.owner(&places.map(|(file, line)| Place { file: file.to_string(), line }));
            assert_eq!(owner, Some(want), "{file}:{line}");
        }
    }
}
