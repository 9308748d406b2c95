//! `cargo xtask docs`: numbers in pages are made by commands, and `--check` fails where one is no longer today's.
//!
//! A block of a page (`block`) stands below a comment that says how it is made (`spec`): by a line of the command
//! or from a file of a recorded run (`source`, `table`), as a whole or cell by cell (`filling`, `template`,
//! `expression`). What a check allows is a `tolerance`. `last_made` guards what a check
//! may leave out. `marks` say what was measured on kernels of another day. The
//! `ledger` has all numbers beside, of the pages that are `listed`. `findings` are the statements of papers, which have
//! such comments too.
//! `docs/README.md` describes it for who writes a page.

mod aligned;
mod as_written;
mod block;
mod expression;
mod filling;
mod findings;
mod last_made;
mod ledger;
mod listed;
mod marks;
#[cfg(test)]
mod planted;
mod source;
mod spec;
mod table;
mod template;
mod tolerance;

use crate::files;
use block::{Block, blocks};
use filling::{Made, Part, in_part_of, made};
pub use marks::{Code, Corpus};
use source::{Form, Output, Reader};
use spec::{Check, Need};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tolerance::Tolerance;

/// What the options are.
pub const USAGE: &str =
    "docs [--check [--all]] [--program FILE] [PAGE[:LINE]]... | docs --accept [PAGE]... [--typed NUMBER]...";

/// What is asked for.
#[derive(Debug)]
struct Asked {
    is_check: bool,
    /// `true` to check also what takes minutes.
    all: bool,
    program: PathBuf,
    /// Pages, and the line of a block on them; none for all.
    pages: Vec<(String, Option<usize>)>,
}

/// Makes the blocks of pages, or checks them; returns `true` if nothing is wrong. Without `corpus`, what is known of
/// recorded runs' kernels, marks stay as they are.
///
/// # Errors
/// Text for wrong usage, and for a program or a page that is not there.
pub fn run(root: &Path, options: &[String], corpus: Option<&dyn Corpus>) -> Result<bool, String> {
    if options.iter().any(|option| option == "--accept") {
        return accept(root, options);
    }
    let start = Instant::now();
    let mut done = done(root, options, corpus)?;
    let (listed, ledger) = (listed::checked(root), ledger::checked(root));
    if options.iter().any(|option| option == "--check") {
        done.faults.extend(listed.faults);
        done.faults.extend(ledger.faults);
        done.faults.extend(faults_beside(root));
    }
    done.written.iter().for_each(|page| println!("{page}: made anew"));
    done.skipped.iter().for_each(|skipped| println!("skipped: {skipped}"));
    done.faults.iter().for_each(|fault| println!("{fault}"));
    let verb = if options.iter().any(|option| option == "--check") { "checked" } else { "made" };
    let seconds = start.elapsed().as_secs_f64();
    let (blocks, skipped, written) = (done.blocks, done.skipped.len(), done.as_written);
    println!("{blocks} blocks {verb}, {skipped} skipped, {written} with numbers as written, {seconds:.1} s");
    let (numbers, quoted) = (ledger.numbers, ledger.quoted);
    println!("outside of blocks: {numbers} numbers, {quoted} of them quoted; {} marks of older kernels", listed.marks);
    Ok(done.faults.is_empty())
}

/// Returns what is wrong beside blocks and the ledger, without a command: blocks that are not what was made, recorded
/// runs, and copies of data in crates that are not what the files at the root are.
fn faults_beside(root: &Path) -> Vec<String> {
    let made = last_made::faults(root).into_iter();
    made.chain(crate::recorded::faults(root)).chain(crate::copies::faults(root, &[])).collect()
}

/// Renews the ledger, and prints what differs from it.
fn accept(root: &Path, options: &[String]) -> Result<bool, String> {
    let (mut pages, mut typed) = (Vec::new(), Vec::new());
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match option.as_str() {
            "--accept" => {}
            "--typed" => typed.push(options.next().ok_or("--typed needs a number")?.clone()),
            other if other.starts_with('-') => return Err(format!("{other}: usage: cargo xtask {USAGE}")),
            page => pages.push(page.to_string()),
        }
    }
    ledger::accept(root, &pages, &typed, &mut |line| println!("{line}"))
}

/// Does what [`run`] does and returns what came of it, without a word.
///
/// # Errors
/// As those of [`run`].
pub fn done(root: &Path, options: &[String], corpus: Option<&dyn Corpus>) -> Result<Done, String> {
    let asked = Asked::parse(options)?;
    crate::program::check_age(&asked.program)?;
    let mut reader = Reader::new(root, asked.program.clone());
    let mut done = Done::default();
    for page in pages(root) {
        if asked.wants(&page) {
            match page.ends_with(".toml") {
                true => done.findings(root, &page, &asked, &mut reader)?,
                false => done.page(root, &page, (&asked, corpus), &mut reader)?,
            }
        }
    }
    Ok(done)
}

/// Returns the pages and statements that may have blocks.
fn pages(root: &Path) -> Vec<String> {
    let folders = ["docs", "bench"].into_iter().filter(|folder| root.join(folder).is_dir());
    let mut pages: Vec<String> = folders.flat_map(|folder| files::ending(root, folder, &[".md"])).collect();
    pages.extend(Some("README.md".to_string()).filter(|page| root.join(page).is_file()));
    if root.join(findings::FOLDER).is_dir() {
        pages.extend(files::ending(root, findings::FOLDER, &[".toml"]));
    }
    pages
}

impl Asked {
    fn parse(options: &[String]) -> Result<Self, String> {
        let mut asked =
            Self { is_check: false, all: false, program: crate::program::of_this_build()?, pages: Vec::new() };
        let mut options = options.iter();
        while let Some(option) = options.next() {
            match option.as_str() {
                "--check" => asked.is_check = true,
                "--all" => asked.all = true,
                "--program" => asked.program = options.next().ok_or("--program needs a file")?.into(),
                other if other.starts_with('-') => return Err(format!("{other}: usage: cargo xtask {USAGE}")),
                page => asked.pages.push(match page.rsplit_once(':') {
                    Some((page, line)) => {
                        (page.to_string(), Some(line.parse().map_err(|_| format!("{line}: no line"))?))
                    }
                    None => (page.to_string(), None),
                }),
            }
        }
        Ok(asked)
    }

    /// Returns `true` if blocks are made or checked in full, however long that takes.
    fn has_time(&self) -> bool {
        self.all || !self.is_check || !self.pages.is_empty()
    }

    fn wants(&self, page: &str) -> bool {
        self.pages.is_empty() || self.pages.iter().any(|(asked, _)| asked == page)
    }

    fn wants_block(&self, page: &str, block: &Block) -> bool {
        let is_this = |line: Option<usize>| line.is_none_or(|line| (block.line..=block.end_line).contains(&line));
        self.pages.is_empty() || self.pages.iter().any(|(asked, line)| asked == page && is_this(*line))
    }
}

/// What was done.
#[derive(Debug, Default)]
pub struct Done {
    /// Number of blocks that were made or checked.
    pub blocks: usize,
    /// Blocks that were left out, each with the reason.
    pub skipped: Vec<String>,
    /// What is wrong, each with file and line.
    pub faults: Vec<String>,
    /// Number of blocks with numbers that nothing makes, which are to be as they were written.
    pub as_written: usize,
    /// Pages that were written anew.
    pub written: Vec<String>,
}

impl Done {
    fn page(
        &mut self,
        root: &Path,
        page: &str,
        (asked, corpus): (&Asked, Option<&dyn Corpus>),
        reader: &mut Reader,
    ) -> Result<(), String> {
        let path = root.join(page);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{page}: {error}"))?;
        let blocks = match blocks(&text) {
            Ok(blocks) => blocks,
            Err((line, error)) => {
                self.faults.push(format!("{page}:{line}: {error}"));
                return Ok(());
            }
        };
        if corpus.is_some() {
            let stray = marks::outside(&text, blocks.iter().map(|block| block.content.clone()));
            self.faults.extend(
                stray.map(|line| format!("{page}:{line}: a mark outside of blocks; nobody writes one by hand")),
            );
        }
        let mut contents = Vec::new();
        for block in blocks.iter().filter(|block| asked.wants_block(page, block)) {
            let content = &text[block.content.clone()];
            self.as_written += usize::from(block.spec.as_written.is_some());
            self.faults
                .extend(as_written::fault(block, content).map(|fault| format!("{page}:{}: {fault}", block.line)));
            let made = self.block(page, block, content, asked, reader);
            if let Some(made) = &made {
                let place = comment_of(block, &text);
                let comment = last_made::written(&text[place.clone()], &block.spec, made, ("     ", "-->"));
                contents.push((place, comment));
            }
            let mut today = made.unwrap_or_else(|| content.to_string());
            if let Some(corpus) = corpus {
                self.mark(page, block, &mut today, asked, (reader, corpus));
            }
            contents.push((block.content.clone(), today));
        }
        let mut new = text.clone();
        // From the last, so that places before it stay what they are.
        contents.into_iter().rev().for_each(|(place, content)| new.replace_range(place, &content));
        let counted = marks::with_count(&new);
        if asked.is_check && corpus.is_some() && counted != new {
            self.faults
                .push(format!("{page}: the line that counts its marks is not right; `cargo xtask docs` writes it"));
        }
        if !asked.is_check && counted != text {
            self.written.push(page.to_string());
            std::fs::write(&path, counted).map_err(|error| format!("{page}: {error}"))?;
        }
        Ok(())
    }

    /// Makes or checks a block, and returns the content that the page is to have if it was made.
    fn block(
        &mut self,
        page: &str,
        block: &Block,
        content: &str,
        asked: &Asked,
        reader: &mut Reader,
    ) -> Option<String> {
        let place = format!("{page}:{}", block.line);
        if let Some(why) = lacking(block, reader, asked) {
            self.skipped.push(format!("{place}: {why}"));
            return None;
        }
        let plain = marks::without_mark(content);
        let check = check_of(block, asked);
        let in_part = check.as_ref().is_some_and(|check| check.instead.is_some());
        let made = outputs(block, &plain, reader, check.as_ref()).and_then(|outputs| {
            if in_part { in_part_of(block, &plain, &outputs) } else { made(block, &plain, &outputs) }
        });
        // What cannot be made was not checked either.
        self.blocks += usize::from(made.is_ok());
        match (made, check) {
            (Err(error), _) => self.faults.push(format!("{place}: {error}")),
            (Ok(made), Some(check)) => self.compare(page, block, &made, check.tolerance),
            (Ok(made), None) => return Some(marks::with_mark(&made.content, marks::mark_of(content))),
        }
        None
    }

    fn compare(&mut self, page: &str, block: &Block, made: &Made, tolerance: Tolerance) {
        let is_off = |part: &&Part| !tolerance.agrees(&part.page, &part.today);
        let faults = made.parts.iter().filter(is_off).map(|part| fault(page, block, part, tolerance));
        self.faults.extend(faults);
    }

    /// Puts the mark below a block's content that it should have, or says that it has another.
    fn mark(
        &mut self,
        page: &str,
        block: &Block,
        content: &mut String,
        asked: &Asked,
        (reader, corpus): (&mut Reader, &dyn Corpus),
    ) {
        match mark_today(block, content, reader, corpus) {
            Err(error) => self.faults.push(format!("{page}:{}: {error}", block.line)),
            Ok(today) if asked.is_check => {
                let said =
                    |mark: Option<&str>| mark.map_or_else(|| "no mark".to_string(), |mark| format!("\"{mark}\""));
                if marks::mark_of(content) != today.as_deref() {
                    let (has, wanted) = (said(marks::mark_of(content)), said(today.as_deref()));
                    self.faults.push(format!("{page}:{}: it has {has}, today it is {wanted}", block.line));
                }
            }
            Ok(today) => *content = marks::with_mark(content, today.as_deref()),
        }
    }
}

/// Returns the place of a block's comment in the text of its page.
fn comment_of(block: &Block, page: &str) -> Range<usize> {
    let start = page.split_inclusive('\n').take(block.line - 1).map(str::len).sum();
    start..block.content.start
}

/// Returns the mark that a block should have, if it should have one.
fn mark_today(
    block: &Block,
    content: &str,
    reader: &mut Reader,
    corpus: &dyn Corpus,
) -> Result<Option<String>, String> {
    let (mut all, mut inputs, mut first) = (Vec::new(), Vec::new(), None);
    for file in marks::run_files(&block.spec) {
        let rows = reader.read(&file, Form::Tables, None)?.rows;
        let mut variants = marks::variants(block, content, &rows);
        if variants.is_empty() {
            variants = corpus.kernels(&file)?.into_iter().map(|kernel| (kernel.clone(), kernel)).collect();
        }
        for (name, variant) in variants {
            let code = corpus.code(&file, &variant)?;
            if !all.contains(&(name.clone(), code)) {
                all.push((name, code));
            }
        }
        inputs.extend(
            corpus.changed_inputs(&file)?.into_iter().filter(|what| !inputs.contains(what)).collect::<Vec<_>>(),
        );
        first.get_or_insert(file);
    }
    Ok(first.and_then(|file| marks::mark(&file, &all, &inputs)))
}

fn fault(page: &str, block: &Block, part: &Part, tolerance: Tolerance) -> String {
    let line = block.content_line + part.line;
    let name = if part.name.is_empty() { String::new() } else { format!("{}: ", part.name) };
    format!("{page}:{line}: {name}the page has \"{}\", today it is \"{}\" ({tolerance})", part.page, part.today)
}

/// Returns how a block is checked: on the sample that it names, or, where there is time for all of it, without a
/// difference. `None` if it is to be made.
fn check_of(block: &Block, asked: &Asked) -> Option<Check> {
    let check = &block.spec.check;
    let check = if check.is_sampled() && asked.has_time() { Check::default() } else { check.clone() };
    asked.is_check.then_some(check)
}

/// Says why a block cannot be made here, if so.
fn lacking(block: &Block, reader: &Reader, asked: &Asked) -> Option<String> {
    if check_of(block, asked).is_some_and(|check| check.instead.is_some()) {
        return None;
    }
    let is_long = !block.spec.check.is_sampled() && !asked.has_time();
    block.spec.needs.iter().find_map(|need| match need {
        Need::Time(None) => is_long.then(|| "takes minutes (--all)".to_string()),
        Need::Time(Some(seconds)) => is_long.then(|| format!("takes {seconds} s (--all)")),
        Need::Scenes if reader.scenes.is_none() => Some("no folder of large scenes (RAYWARP_SCENES)".to_string()),
        Need::Scenes => None,
        Need::Gpu => Some("made on a GPU".to_string()),
    })
}

/// Returns what the sources of a block say.
fn outputs(
    block: &Block,
    content: &str,
    reader: &mut Reader,
    check: Option<&Check>,
) -> Result<BTreeMap<String, Output>, String> {
    let spec = &block.spec;
    let is_fence = spec.text.is_none() && spec.cells.is_empty() && content.trim_start().starts_with("```");
    let form = if is_fence { Form::Text } else { Form::Tables };
    if let Some(instead) = check.and_then(|check| check.instead.as_ref()) {
        return Ok([("a".to_string(), reader.read(instead, form, None)?)].into());
    }
    let mut outputs = BTreeMap::new();
    for (letter, source) in &spec.sources {
        let mut whole = Output::default();
        for (line, columns) in spec.lines(source) {
            let output = reader.read(&line, form, check)?;
            whole.rows.extend(output.rows.into_iter().map(|row| columns.iter().cloned().chain(row).collect()));
            whole.tables.extend(output.tables);
            whole.text += &output.text;
        }
        outputs.insert(letter.clone(), whole);
    }
    Ok(outputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_is_not_its_crate_s_copy_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("machines")).unwrap();
        std::fs::write(root.join("machines/a.toml"), "clock_mhz = 1476\n").unwrap();
        crate::copies::write(root, &[]).unwrap();
        let of_copies =
            || faults_beside(root).into_iter().filter(|fault| fault.contains("machines/")).collect::<Vec<_>>();
        assert_eq!(of_copies(), Vec::<String>::new());
        std::fs::write(root.join("machines/a.toml"), "clock_mhz = 1477\n").unwrap();
        let found = of_copies();
        assert!(found.len() == 1 && found[0].contains("`cargo xtask copies`"), "{found:?}");
    }
}
