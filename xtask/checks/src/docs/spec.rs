//! What the comment above a block says: sources, which rows and columns, tolerance, needs.

use super::tolerance::Tolerance;

/// How a block is made and checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spec {
    /// Letters and what they stand for: a line of the command, or a file of a recorded run.
    pub sources: Vec<(String, String)>,
    /// Words in brackets in sources, and what takes their place, one after the other.
    pub each: Vec<(String, Vec<String>)>,
    /// Heads of columns of the page whose cells choose a row of the source, with the source's name of each.
    pub rows: Vec<(String, String)>,
    /// Words of such cells, and what the source says in their place.
    pub names: Vec<(String, String)>,
    /// Names that templates have for longer expressions.
    pub short: Vec<(String, String)>,
    /// How cells are made.
    pub cells: Vec<CellRule>,
    /// Columns of the source, and their heads on the page, where a whole table is made.
    pub columns: Vec<(String, String)>,
    /// A paragraph with numbers to fill in.
    pub text: Option<String>,
    /// Kernels of a recorded run that the block is about, if its table does not name them.
    pub kernels: Vec<String>,
    /// What [`as_written::mark`](super::as_written::mark) gives for the numbers that nothing makes, if it has such.
    pub as_written: Option<String>,
    /// A hash of what was made, where a check may leave the block out ([`last_made`](super::last_made)).
    pub made: Option<String>,
    pub check: Check,
    pub needs: Vec<Need>,
}

/// How the cells of a column are made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellRule {
    pub head: String,
    /// Which of several columns with that head, from 0.
    pub number: usize,
    pub template: String,
    /// The words that a row's cells have to have, by the heads of their columns.
    pub only: Vec<(String, String)>,
}

/// How `--check` checks a block.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Check {
    /// Options that take the place of those of the command, to be done sooner.
    pub options: Vec<String>,
    /// Another command that has some of the cells, in the place of all sources.
    pub instead: Option<String>,
    pub tolerance: Tolerance,
}

/// What a machine must have to make a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// The folder of large scenes.
    Scenes,
    Gpu,
    /// Time that a check of every change has not got, in seconds where they are said.
    Time(Option<u32>),
}

impl Spec {
    /// Parses a comment, which begins with `made by:`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(comment: &str) -> Result<Self, String> {
        let mut spec = Self {
            sources: Vec::new(),
            each: Vec::new(),
            rows: Vec::new(),
            names: Vec::new(),
            short: Vec::new(),
            cells: Vec::new(),
            columns: Vec::new(),
            text: None,
            kernels: Vec::new(),
            as_written: None,
            made: None,
            check: Check::default(),
            needs: Vec::new(),
        };
        for (key, value) in parts(comment)? {
            match key.as_str() {
                "made by" => spec.add_source("a", &value)?,
                "each" => spec.each = pairs(&value).into_iter().map(|(name, values)| (name, list(&values))).collect(),
                "rows" => spec.rows = pairs(&value),
                "names" => spec.names = pairs(&value),
                "short" => spec.short = pairs(&value),
                "columns" => spec.columns = pairs(&value),
                "text" => spec.text = Some(value),
                "kernels" => spec.kernels = value.split(';').map(|name| name.trim().to_string()).collect(),
                "as written" => spec.as_written = value.split_whitespace().next().map(String::from),
                "made" => spec.made = value.split_whitespace().next().map(String::from),
                "check" => spec.check = check(&value)?,
                "needs" => {
                    spec.needs = value.split(';').map(|need| Need::parse(need.trim())).collect::<Result<_, _>>()?;
                }
                "|" => spec.cells.push(CellRule::parse(&value)?),
                letter => spec.add_source(letter, &value)?,
            }
        }
        match (&spec.text, spec.cells.is_empty()) {
            (Some(_), false) => Err("a block is a text, or a table with cells to fill in, not both".into()),
            (None, false) if spec.rows.is_empty() => Err("cells to fill in need `rows:`".into()),
            _ => Ok(spec),
        }
    }

    fn add_source(&mut self, letter: &str, value: &str) -> Result<(), String> {
        let source = match value.strip_prefix("as ") {
            None => value.to_string(),
            Some(other) => {
                let (like, changes) = other.split_once(' ').unwrap_or((other, ""));
                let like = self.sources.iter().find(|(letter, _)| letter == like);
                let (_, line) = like.ok_or_else(|| format!("{letter}: no source \"{other}\" above it"))?;
                changed(line, changes)
            }
        };
        self.sources.push((letter.to_string(), source));
        Ok(())
    }
}

impl Check {
    /// Returns `true` if a part of the block is checked, or all of it in less time.
    pub fn is_sampled(&self) -> bool {
        self.instead.is_some() || !self.options.is_empty()
    }
}

impl Spec {
    /// Returns `true` if the block has a mark of its run's kernels and nothing that is made: numbers of a text.
    pub fn is_mark_alone(&self) -> bool {
        let is_file = self.sources.iter().all(|(_, source)| source.starts_with("bench/runs/"));
        is_file && self.cells.is_empty() && self.columns.is_empty() && self.text.is_none()
    }

    /// Returns the lines that a source stands for, with the words that took the place of those in brackets.
    pub fn lines(&self, source: &str) -> Vec<(String, Vec<(String, String)>)> {
        let mut lines = vec![(source.to_string(), Vec::new())];
        for (name, values) in &self.each {
            let word = format!("{{{name}}}");
            if !source.contains(&word) {
                continue;
            }
            let with = |(line, columns): &(String, Vec<(String, String)>), value: &String| {
                let columns = columns.iter().cloned().chain([(name.clone(), value.clone())]).collect();
                (line.replace(&word, value), columns)
            };
            lines = lines.iter().flat_map(|line| values.iter().map(move |value| with(line, value))).collect();
        }
        lines
    }
}

impl CellRule {
    /// Parses `HEAD | TEMPLATE` or `HEAD | TEMPLATE | HEAD = WORDS`, where `HEAD#2` is the second column of that head.
    fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(" | ").map(str::trim);
        let (Some(head), Some(template)) = (parts.next(), parts.next()) else {
            return Err(format!("| {text}: a cell is `| HEAD | TEMPLATE`"));
        };
        let (head, number) = match head.rsplit_once('#') {
            Some((head, number)) => {
                (head, number.parse::<usize>().map_err(|error| format!("{head}#{number}: {error}"))?)
            }
            None => (head, 1),
        };
        let only = parts.next().map_or_else(Vec::new, pairs);
        let number = number.checked_sub(1).ok_or("columns are counted from 1")?;
        Ok(Self { head: head.to_string(), number, template: template.to_string(), only })
    }
}

impl Need {
    fn parse(word: &str) -> Result<Self, String> {
        match word {
            "scenes" => Ok(Self::Scenes),
            "gpu" => Ok(Self::Gpu),
            "minutes" => Ok(Self::Time(None)),
            other => match other.strip_suffix(" s").and_then(|seconds| seconds.parse().ok()) {
                Some(seconds) => Ok(Self::Time(Some(seconds))),
                None => Err(format!("needs: {other}; known are scenes, gpu, minutes, and seconds such as 90 s")),
            },
        }
    }
}

/// Splits a comment into its keys and values. A line that begins with none of the keys goes on with the one above.
fn parts(comment: &str) -> Result<Vec<(String, String)>, String> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for line in comment.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let key = line.split_once(':').map(|(key, _)| key).filter(|key| is_key(key));
        match (key, line.strip_prefix("| "), parts.last_mut()) {
            (Some(key), ..) => parts.push((key.to_string(), line[key.len() + 1..].trim().to_string())),
            (None, Some(cell), Some(_)) => parts.push(("|".into(), cell.to_string())),
            (None, None, Some((key, value))) => {
                // Lists of a command have no spaces.
                if !value.ends_with(',') || !is_source(key) {
                    value.push(' ');
                }
                value.push_str(line.trim_end_matches('\\').trim_end());
            }
            (None, _, None) => return Err(format!("{line}: a block begins with `made by:`")),
        }
    }
    for (_, value) in &mut parts {
        *value = value.trim_end_matches('\\').replace(" \\ ", " ");
    }
    Ok(parts)
}

fn is_source(key: &str) -> bool {
    key == "made by" || (key.len() == 1 && key.bytes().all(|letter| letter.is_ascii_lowercase()))
}

fn is_key(key: &str) -> bool {
    const KEYS: [&str; 11] =
        ["each", "rows", "names", "short", "columns", "text", "kernels", "as written", "made", "check", "needs"];
    is_source(key) || KEYS.contains(&key)
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(|value| value.trim().to_string()).collect()
}

/// Splits `name = value; name; ...` into names and values; a name without a value is its own.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |part: &str| {
        let (name, value) = part.split_once(" = ").unwrap_or((part, part));
        (name.trim().to_string(), value.trim().to_string())
    };
    text.split(';').map(str::trim).filter(|part| !part.is_empty()).map(pair).collect()
}

/// Parses `--sample 4096 within 4 points`, either part alone, and words in brackets at the end on why; or another
/// command in the place of the options.
fn check(text: &str) -> Result<Check, String> {
    let (options, tolerance) = match text.find("within ") {
        Some(at) => (&text[..at], Tolerance::parse(&text[at + "within ".len()..])?),
        None => (text, Tolerance::default()),
    };
    let options = options.trim_end_matches([',', ' ']);
    let (options, instead) = match options.starts_with("raywarp ") {
        true => (Vec::new(), Some(options.to_string())),
        false => (words(options), None),
    };
    match options.first() {
        Some(first) if !first.starts_with("--") => Err(format!("check: {text}: options begin with --")),
        _ => Ok(Check { options, instead, tolerance }),
    }
}

/// Returns the words of a line of a command; those in quotation marks are one.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in line.split('"').enumerate() {
        match number % 2 {
            1 => words.push(part.to_string()),
            _ => words.extend(part.split_whitespace().map(String::from)),
        }
    }
    words
}

/// Returns a line of a command with changes: `--option value` takes the place of that option or is added, `without
/// --option` drops it, and another first word takes the place of the scene.
fn changed(line: &str, changes: &str) -> String {
    let (mut line, mut changes) = (words(line), words(changes));
    if changes.first().is_some_and(|first| !first.starts_with("--") && first != "without") {
        let scene = changes.remove(0);
        if let Some(word) = line.get_mut(2) {
            *word = scene;
        }
    }
    while let Some(at) = changes.iter().position(|word| word == "without") {
        let dropped = changes.remove(at);
        if at < changes.len() && dropped == "without" {
            let option = changes.remove(at);
            drop_option(&mut line, &option);
        }
    }
    quoted(&with_options(&line, &changes))
}

/// Returns the words of a command with options that take the place of its own.
pub(super) fn with_options(line: &[String], options: &[String]) -> Vec<String> {
    let mut line = line.to_vec();
    options.iter().filter(|word| word.starts_with("--")).for_each(|option| drop_option(&mut line, option));
    line.extend_from_slice(options);
    line
}

fn drop_option(line: &mut Vec<String>, option: &str) {
    if let Some(at) = line.iter().position(|word| word == option) {
        let has_value = line.get(at + 1).is_some_and(|word| !word.starts_with("--"));
        line.drain(at..at + 1 + usize::from(has_value));
    }
}

/// Joins words to a line that [`words`] splits into the same.
pub(super) fn quoted(words: &[String]) -> String {
    let quoted = |word: &String| if word.contains(' ') { format!("\"{word}\"") } else { word.clone() };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_says_sources_rows_cells_and_tolerance() {
        let spec = Spec::parse(
            " made by: raywarp simulate sibenik --efficiency --kind a,\n   b --split 1\n   --sample 16384\n b: as a crytek_sponza \
             --sample 8 without --split\n rows: kernel = variant; rays\n names: while-while = al09-while-while; AO = ao\n \
             | ours | {tr}/{b.is}\n | ours#2 | {n:,} | kernel = nodes\n check: --sample 4096 within 4 points (of a sample)\n needs: scenes",
        )
        .unwrap();
        let line = "raywarp simulate sibenik --efficiency --kind a,b --split 1 --sample 16384";
        let b = "raywarp simulate crytek_sponza --efficiency --kind a,b --sample 8";
        assert_eq!(spec.sources, [("a".to_string(), line.to_string()), ("b".to_string(), b.to_string())]);
        assert_eq!(spec.rows, [("kernel".into(), "variant".into()), ("rays".into(), "rays".into())]);
        assert_eq!(spec.names[1], ("AO".into(), "ao".into()));
        assert_eq!((spec.cells[1].number, spec.cells[1].only.len()), (1, 1));
        assert_eq!(spec.check.options, ["--sample", "4096"]);
        assert_eq!(spec.needs, [Need::Scenes]);
        let slow = Spec::parse("made by: raywarp x\n needs: scenes; 90 s").unwrap();
        assert_eq!(slow.needs, [Need::Scenes, Need::Time(Some(90))]);
        let other = check("raywarp simulate --operations a.txt.xz within 4 points (a sample)").unwrap();
        assert_eq!(other.instead.as_deref(), Some("raywarp simulate --operations a.txt.xz"));
        assert!(other.is_sampled() && other.options.is_empty());
    }

    #[test]
    fn a_source_is_run_with_each_of_several_words() {
        let spec =
            Spec::parse("made by: raywarp info {scene} --cost {cost}\n each: scene = s, t; cost = 1, 2").unwrap();
        let lines = spec.lines(&spec.sources[0].1);
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[1].0, "raywarp info s --cost 2");
        assert_eq!(lines[2].1, [("scene".to_string(), "t".to_string()), ("cost".to_string(), "1".to_string())]);
        assert_eq!(spec.lines("raywarp info x").len(), 1);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for wrong in [
            "what: ever",
            "made by: raywarp x\n needs: luck",
            "made by: raywarp x\n check: 4096",
            "made by: raywarp x\n check: within a hair",
            "made by: raywarp x\n | head | {a}",
            "made by: raywarp x\n rows: a\n | head",
            "made by: raywarp x\n rows: a\n text: b\n | head | {a}",
            "made by: raywarp x\n b: as c --split 1",
        ] {
            assert!(Spec::parse(wrong).is_err(), "{wrong}");
        }
    }
}
