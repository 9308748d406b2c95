//! What blocks are made from: what the command prints, and files of recorded runs. Each is read once.

use super::aligned::rows_of_text;
use super::spec::{Check, with_options, words};
use super::table::{Row, Table, of_markdown, rows_of_csv, rows_of_json, rows_of_tables};
use lzma_rust2::XzReader;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Words of an output, its rows, and its tables where it is Markdown.
#[derive(Debug, Clone, Default)]
pub(super) struct Output {
    pub text: String,
    pub rows: Vec<Row>,
    pub tables: Vec<Table>,
}

/// How outputs of commands are to be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As tables, in Markdown unless the line asks for JSON.
    Tables,
    /// As the line says.
    Text,
}

/// Runs commands and reads files, each once.
pub(super) struct Reader {
    root: PathBuf,
    program: PathBuf,
    pub scenes: Option<PathBuf>,
    known: HashMap<Vec<String>, Output>,
}

impl Reader {
    /// Returns a reader for the workspace at `root`, which runs `program`.
    pub fn new(root: &Path, program: PathBuf) -> Self {
        Self { root: root.to_path_buf(), program, scenes: scenes(root), known: HashMap::new() }
    }

    /// Returns what a source of a block says; with `check` by the cheaper command that it names.
    ///
    /// # Errors
    /// If the command fails, or the file cannot be read.
    pub fn read(&mut self, source: &str, form: Form, check: Option<&Check>) -> Result<Output, String> {
        let mut line = words(source);
        if line.first().is_none_or(|first| first != "raywarp") {
            return self.file(source);
        }
        let is_sampled = line.iter().any(|word| check.is_some_and(|check| check.options.first() == Some(word)));
        if let Some(check) = check.filter(|_| is_sampled || line.get(1).is_some_and(|command| command == "simulate")) {
            line = with_options(&line, &check.options);
        }
        if form == Form::Tables && !line.iter().any(|word| word == "--json" || word == "--markdown") {
            line.push("--markdown".to_string());
        }
        if let Some(known) = self.known.get(&line) {
            return Ok(known.clone());
        }
        let output = self.command(&line)?;
        self.known.insert(line, output.clone());
        Ok(output)
    }

    fn file(&self, path: &str) -> Result<Output, String> {
        let text = text_of(&self.root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        let rows = match path.trim_end_matches(".xz").rsplit_once('.').map(|(_, end)| end) {
            Some("csv") => rows_of_csv(&text),
            Some("json") => rows_of_json(&serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?),
            _ => Some(rows_of_tables(&of_markdown(&text)))
                .filter(|rows| !rows.is_empty())
                .unwrap_or_else(|| rows_of_text(&text)),
        };
        Ok(Output { tables: Vec::new(), rows, text })
    }

    fn command(&self, line: &[String]) -> Result<Output, String> {
        let scenes = self.scenes.clone().unwrap_or_default();
        // A packed file is given to the command as it is when unpacked.
        let packed = line.iter().find(|word| word.ends_with(".xz"));
        let unpacked = packed.map(|packed| Unpacked::new(&self.root.join(packed), packed)).transpose()?;
        let argument = |word: &String| match &unpacked {
            Some(unpacked) if packed == Some(word) => unpacked.0.display().to_string(),
            _ => word.replace("$RAYWARP_SCENES", &scenes.to_string_lossy()),
        };
        let arguments = line[1..].iter().map(argument);
        let mut command = Command::new(&self.program);
        command.current_dir(&self.root).args(arguments).arg("-q").env("RAYWARP_SCENES", &scenes);
        let output = command.output().map_err(|error| format!("{}: {error}", self.program.display()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`{}`: {}: {}", line.join(" "), output.status, said.trim()));
        }
        if line.iter().any(|word| word == "--json") {
            let document = serde_json::from_str(&text).map_err(|error| format!("`{}`: {error}", line.join(" ")))?;
            return Ok(Output { rows: rows_of_json(&document), text, tables: Vec::new() });
        }
        let tables = of_markdown(&text);
        Ok(Output { rows: rows_of_tables(&tables), tables, text })
    }
}

/// A file that is there unpacked as long as this is.
struct Unpacked(PathBuf);

impl Unpacked {
    fn new(packed: &Path, name: &str) -> Result<Self, String> {
        let wrong = |error: std::io::Error| format!("{name}: {error}");
        let plain = packed.file_stem().unwrap_or_default().to_string_lossy();
        let file = std::env::temp_dir().join(format!("raywarp-docs-{}-{plain}", std::process::id()));
        let unpacked = Self(file);
        std::fs::write(&unpacked.0, text_of(packed).map_err(wrong)?).map_err(wrong)?;
        Ok(unpacked)
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        // One that stays does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Reads a text, which may be packed as xz.
fn text_of(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    let file = std::fs::File::open(path)?;
    match path.extension().is_some_and(|end| end == "xz") {
        true => XzReader::new(std::io::BufReader::new(file), true).read_to_string(&mut text)?,
        false => std::io::BufReader::new(file).read_to_string(&mut text)?,
    };
    Ok(text)
}

/// Returns the folder of large scenes, as the tests find it; an empty one has none.
fn scenes(root: &Path) -> Option<PathBuf> {
    let folder = match std::env::var_os("RAYWARP_SCENES") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => root.join("../shared/scenes"),
    };
    of_scenes(&folder)
}

/// Returns the full path of a folder that has scenes.
fn of_scenes(folder: &Path) -> Option<PathBuf> {
    let has_scenes = |folder: &PathBuf| std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    folder.canonicalize().ok().filter(has_scenes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_folder_of_scenes_is_none() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(of_scenes(folder.path()), None);
        assert_eq!(of_scenes(&folder.path().join("none")), None);
        std::fs::create_dir(folder.path().join("sibenik")).unwrap();
        assert!(of_scenes(folder.path()).is_some());
    }
}
