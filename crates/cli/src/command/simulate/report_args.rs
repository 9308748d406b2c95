//! Options `--report` and `--svg` of `raywarp simulate`.

use crate::common::{Common, command_line};
use crate::exit::CliError;
use crate::flags;
use crate::heading;
use crate::replace;
use clap::Args;
use raywarp::system::{FileError, can_write_file, write_atomic};
use raywarp_lab::report::{About, Document};
use std::path::{Path, PathBuf};

/// Lists the pictures of earlier reports in a folder, by their names: two digits, a dash, a name.
fn pictures(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_picture = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".svg")
            && matches!(name.as_bytes(), [a, b, b'-', ..] if a.is_ascii_digit() && b.is_ascii_digit())
    };
    files.filter(is_picture).collect()
}

/// Returns the path of a folder without a slash at its end, which would not name a file to be made.
fn plain(folder: &Path) -> PathBuf {
    folder.components().collect()
}

/// Where reports go.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Write a report as well.
    ///
    /// One HTML file with tables, pictures and what to conclude.
    #[arg(long, visible_alias = "html", value_name = "FILE.html", help_heading = heading::OUTPUT)]
    report: Option<PathBuf>,
    /// Write the report's pictures as SVG files into this folder.
    ///
    /// It is made if need be, in a folder that is there.
    #[arg(long, value_name = "DIR", help_heading = heading::OUTPUT)]
    svg: Option<PathBuf>,
}

impl ReportArgs {
    /// Returns `true` if `--report` asks for an HTML page.
    pub fn page(&self) -> bool {
        self.report.is_some()
    }

    /// Returns `true` if `--svg` asks for pictures.
    pub fn pictures(&self) -> bool {
        self.svg.is_some()
    }

    /// Returns `true` if a report is asked for, as a page or as pictures.
    pub fn wanted(&self) -> bool {
        self.report.is_some() || self.svg.is_some()
    }

    /// Checks that page and pictures can be written, before a long run.
    pub fn check(&self, common: &Common) -> Result<(), CliError> {
        if let Some(path) = &self.report {
            common.files.writes(path)?;
            replace::can_write(path, &replace::HTML)?;
        }
        if let Some(folder) = &self.svg {
            // One that is not there is made when there is something to put in it; the one around it has to be there, as
            // that of a page has.
            replace::can_name(folder)?;
            let folder = plain(folder);
            can_write_file(&if folder.exists() { folder.join("01.svg") } else { folder.clone() })?;
            // Which pictures there will be is known in the end only: with --no-clobber none of an earlier run may be
            // there, and none that is something else.
            for path in pictures(&folder) {
                replace::can_write(&path, &replace::SVG)?;
            }
        }
        Ok(())
    }

    /// Writes the page of a report and its pictures, where they are asked for. Returns `false` if pictures are asked
    /// for and there are none; then no folder is made.
    pub fn write(&self, scene: &Path, document: &Document) -> Result<bool, CliError> {
        if !self.wanted() {
            return Ok(true);
        }
        // Without its folder, as in the command line: the same run gives the same page everywhere.
        let scene_file = scene.file_name().unwrap_or(scene.as_os_str()).to_string_lossy().into_owned();
        let page = flags::in_report(document).page(&About { command: command_line(), scene_file });
        if let Some(path) = &self.report {
            write_atomic(path, page.html().as_bytes())?;
        }
        if let Some(folder) = self.svg.as_ref().filter(|_| !page.figures().is_empty()) {
            let folder = plain(folder);
            if !folder.is_dir() {
                std::fs::create_dir(&folder).map_err(|error| FileError::from_io(&folder, error))?;
            }
            for figure in page.figures() {
                write_atomic(&folder.join(format!("{}.svg", figure.name)), figure.svg.as_bytes())?;
            }
        }
        Ok(self.svg.is_none() || !page.figures().is_empty())
    }
}
