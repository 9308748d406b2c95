//! Tables of source lines: which line of the kernels' sources each instruction comes from, through which calls.
//!
//! Compilers inline functions into one another, so that an instruction has a chain of places: the line itself, the line
//! that calls its function, and so on outwards. Chains share their outer parts, and so they are kept as a tree of
//! [`SourceFrame`]s. A table holds the text of its files as they were compiled, so that its line numbers never point
//! into a text that has changed since.
//!
//! The text form has four kinds of line: `file NAME`, followed by the file's lines, each behind a tab; `frame FILE LINE
//! CALLER`, numbers from 0 of a file and of an earlier frame (`-` for none), and a line from 1; and `kernel NAME HASH
//! RUNS`, the hash of the kernel's machine code in hexadecimal, and for its instructions in order the numbers of their
//! frames (`-` for none), each with `*COUNT` if several in a row have it.

use std::collections::BTreeMap;
use std::fmt::Write;

/// First line of a table's text.
const HEADER: &str = "raywarp source lines";

/// A source file, as it was compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path below the folder of kernels, such as `ops/pop.h`.
    pub name: String,
    /// Lines of the file.
    pub lines: Vec<String>,
}

/// A line of a source file, as part of one chain of inlined calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceFrame {
    /// Index of the file in the table.
    pub file: usize,
    /// Number of the line in the file, from 1.
    pub line: usize,
    /// Index of the frame into whose line the function was inlined; `None` for a function that is called, or a kernel.
    pub caller: Option<usize>,
}

/// The source lines of a kernel's instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelLines {
    /// Hash of the kernel's machine code that the lines are about.
    pub fingerprint: u64,
    /// Index of each instruction's innermost frame; `None` where the compiler named no line.
    pub frames: Vec<Option<usize>>,
}

/// Source lines of the instructions of kernels, with the text of the sources.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineTable {
    files: Vec<SourceFile>,
    frames: Vec<SourceFrame>,
    kernels: BTreeMap<String, KernelLines>,
}

/// Reason why a text is no table of source lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineTableError {
    /// Number of the line in the text, from 1.
    pub line: usize,
    /// What is wrong there.
    pub fault: LineFault,
}

/// Fault of a line in a table of source lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFault {
    /// The first line does not say that this is such a table.
    Header,
    /// The line begins with none of the known words.
    Word,
    /// A line of text stands behind no file.
    NoFile,
    /// A number is missing, or is no number.
    Number,
    /// A number refers to a file, a line of it or a frame that the table does not have before that place.
    Unknown,
}

impl std::fmt::Display for LineTableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.fault {
            LineFault::Header => "a table of source lines begins with \"raywarp source lines\"",
            LineFault::Word => "file, frame, kernel or a line of text behind a tab is wanted",
            LineFault::NoFile => "a line of text stands before any file",
            LineFault::Number => "a number is wanted",
            LineFault::Unknown => "a file, a line or a frame is named that does not stand above",
        };
        write!(f, "line {}: {what}", self.line)
    }
}

impl std::error::Error for LineTableError {}

impl LineTable {
    /// Returns a table of these files without kernels.
    pub fn of_files(files: Vec<SourceFile>) -> Self {
        Self { files, ..Self::default() }
    }

    /// Returns the source files.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Returns the index of the file with this name.
    pub fn file(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|file| file.name == name)
    }

    /// Returns the kernels, by name.
    pub fn kernels(&self) -> impl Iterator<Item = (&str, &KernelLines)> {
        self.kernels.iter().map(|(name, lines)| (name.as_str(), lines))
    }

    /// Returns the lines of the kernel's instructions.
    pub fn kernel(&self, name: &str) -> Option<&KernelLines> {
        self.kernels.get(name)
    }

    /// Returns the frames of a chain of inlined calls, from the innermost one, which has the index `frame`, outwards.
    pub fn chain(&self, frame: usize) -> impl Iterator<Item = SourceFrame> {
        std::iter::successors(self.frames.get(frame), |frame| self.frames.get(frame.caller?)).copied()
    }

    /// Adds a kernel: for each instruction its chain of places, file and line, from the innermost outwards. Replaces
    /// a kernel of the same name.
    ///
    /// # Errors
    /// The first place that is in none of the table's files.
    pub fn add(
        &mut self,
        name: &str,
        fingerprint: u64,
        chains: impl IntoIterator<Item = Vec<(String, usize)>>,
    ) -> Result<(), (String, usize)> {
        let mut known: BTreeMap<SourceFrame, usize> = self.frames.iter().enumerate().map(|(i, f)| (*f, i)).collect();
        let mut frames = Vec::new();
        for chain in chains {
            let mut caller = None;
            for (file, line) in chain.into_iter().rev() {
                let place = self.file(&file).filter(|&file| (1..=self.files[file].lines.len()).contains(&line));
                let frame = SourceFrame { file: place.ok_or((file, line))?, line, caller };
                caller = Some(*known.entry(frame).or_insert_with(|| {
                    self.frames.push(frame);
                    self.frames.len() - 1
                }));
            }
            frames.push(caller);
        }
        self.kernels.insert(name.to_string(), KernelLines { fingerprint, frames });
        Ok(())
    }

    /// Returns the table's text.
    pub fn write(&self) -> String {
        let mut text = format!("{HEADER}\n");
        let or_dash = |index: Option<usize>| index.map_or("-".to_string(), |index| index.to_string());
        for file in &self.files {
            let _ = writeln!(text, "file {}", file.name);
            file.lines.iter().for_each(|line| text.extend(["\t", line, "\n"]));
        }
        for frame in &self.frames {
            let _ = writeln!(text, "frame {} {} {}", frame.file, frame.line, or_dash(frame.caller));
        }
        for (name, kernel) in &self.kernels {
            let _ = write!(text, "kernel {name} {:016x}", kernel.fingerprint);
            for run in kernel.frames.chunk_by(|a, b| a == b) {
                let _ = write!(text, " {}", or_dash(run[0]));
                if run.len() > 1 {
                    let _ = write!(text, "*{}", run.len());
                }
            }
            text.push('\n');
        }
        text
    }

    /// Reads a table from its text.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn read(text: &str) -> Result<Self, LineTableError> {
        let mut table = Self::default();
        if text.lines().next() != Some(HEADER) {
            return Err(LineTableError { line: 1, fault: LineFault::Header });
        }
        for (number, line) in text.lines().enumerate().skip(1) {
            table.take(line).map_err(|fault| LineTableError { line: number + 1, fault })?;
        }
        Ok(table)
    }

    /// Reads one line of a table's text.
    fn take(&mut self, line: &str) -> Result<(), LineFault> {
        if let Some(text) = line.strip_prefix('\t') {
            self.files.last_mut().ok_or(LineFault::NoFile)?.lines.push(text.to_string());
            return Ok(());
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "file" => self.files.push(SourceFile { name: rest.to_string(), lines: Vec::new() }),
            "frame" => {
                let numbers: Vec<&str> = rest.split(' ').collect();
                let &[file, line, caller] = &numbers[..] else { return Err(LineFault::Number) };
                let frame = SourceFrame { file: number(file)?, line: number(line)?, caller: self.frame(caller)? };
                let lines = self.files.get(frame.file).map_or(0, |file| file.lines.len());
                if !(1..=lines).contains(&frame.line) {
                    return Err(LineFault::Unknown);
                }
                self.frames.push(frame);
            }
            "kernel" => {
                let mut words = rest.split(' ');
                let (name, hash) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
                let fingerprint = u64::from_str_radix(hash, 16).map_err(|_| LineFault::Number)?;
                let mut frames = Vec::new();
                for run in words {
                    let (frame, count) = run.split_once('*').unwrap_or((run, "1"));
                    let count = number(count)?;
                    if count > MOST_INSTRUCTIONS - frames.len() {
                        return Err(LineFault::Number);
                    }
                    frames.extend(std::iter::repeat_n(self.frame(frame)?, count));
                }
                self.kernels.insert(name.to_string(), KernelLines { fingerprint, frames });
            }
            _ => return Err(LineFault::Word),
        }
        Ok(())
    }

    /// Reads the number of a frame that stands above; `-` is none.
    fn frame(&self, text: &str) -> Result<Option<usize>, LineFault> {
        if text == "-" {
            return Ok(None);
        }
        Ok(Some(number(text).ok().filter(|&frame| frame < self.frames.len()).ok_or(LineFault::Unknown)?))
    }
}

/// Largest number of instructions of a kernel that is read: no kernel of this family has a hundredth of it.
const MOST_INSTRUCTIONS: usize = 1 << 20;

fn number(text: &str) -> Result<usize, LineFault> {
    text.parse().map_err(|_| LineFault::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> LineTable {
        let file = |name: &str, lines: &[&str]| SourceFile {
            name: name.to_string(),
            lines: lines.iter().map(ToString::to_string).collect(),
        };
        let mut table = LineTable::of_files(vec![file("a.h", &["one", "", "\tthree"]), file("ops/b.h", &["int x;"])]);
        let place = |file: &str, line| (file.to_string(), line);
        let chains = [
            vec![place("ops/b.h", 1), place("a.h", 3)],
            vec![place("ops/b.h", 1), place("a.h", 3)],
            vec![],
            vec![place("a.h", 3)],
            // The same line, called from elsewhere.
            vec![place("ops/b.h", 1), place("a.h", 1)],
        ];
        table.add("kernel", 0xfeed, chains).unwrap();
        table
    }

    #[test]
    fn a_table_comes_back_from_its_text() {
        let table = table();
        assert_eq!(LineTable::read(&table.write()), Ok(table.clone()));
        // The first two chains and the fourth share the frame of a.h, 3.
        assert_eq!(table.frames.len(), 4);
        assert!(table.write().ends_with("kernel kernel 000000000000feed 1*2 - 0 3\n"), "{}", table.write());
    }

    #[test]
    fn chains_go_from_the_innermost_line_outwards() {
        let table = table();
        let kernel = table.kernel("kernel").unwrap();
        let chain = |instruction: usize| -> Vec<(&str, usize)> {
            let frame = kernel.frames[instruction].into_iter();
            frame.flat_map(|f| table.chain(f)).map(|f| (table.files()[f.file].name.as_str(), f.line)).collect()
        };
        assert_eq!(chain(0), [("ops/b.h", 1), ("a.h", 3)]);
        assert_eq!(chain(2), []);
        assert_eq!(chain(4), [("ops/b.h", 1), ("a.h", 1)]);
        assert_eq!(table.kernel("other"), None);
    }

    #[test]
    fn a_place_that_no_file_has_is_refused() {
        for (file, line) in [("c.h", 1), ("a.h", 4), ("a.h", 0)] {
            let place = (file.to_string(), line);
            assert_eq!(table().add("kernel", 0, [vec![place.clone()]]), Err(place));
        }
    }

    #[test]
    fn what_is_no_table_is_told_by_its_line() {
        for (text, line, fault) in [
            ("", 1, LineFault::Header),
            ("raywarp source lines\n\ttext", 2, LineFault::NoFile),
            ("raywarp source lines\nlines", 2, LineFault::Word),
            ("raywarp source lines\nfile a.h\n\tx\nframe 0 1", 4, LineFault::Number),
            (
                "raywarp source lines\nfile a.h\n\tx\nframe 0 1 -\nkernel k 0 0 0*18446744073709551615",
                5,
                LineFault::Number,
            ),
            ("raywarp source lines\nfile a.h\n\tx\nframe 0 2 -", 4, LineFault::Unknown),
            ("raywarp source lines\nfile a.h\n\tx\nframe 1 1 -", 4, LineFault::Unknown),
            ("raywarp source lines\nfile a.h\n\tx\nframe 0 1 0", 4, LineFault::Unknown),
            ("raywarp source lines\nkernel k 12 0", 2, LineFault::Unknown),
            ("raywarp source lines\nkernel k xy", 2, LineFault::Number),
            ("raywarp source lines\nkernel k 12 -*99999999", 2, LineFault::Number),
        ] {
            assert_eq!(LineTable::read(text), Err(LineTableError { line, fault }), "{text:?}");
        }
    }
}
