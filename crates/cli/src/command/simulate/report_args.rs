//! `--report` and `--svg` of `raywarp simulate`.

use crate::common::command_line;
use crate::exit::CliError;
use crate::heading;
use clap::Args;
use raywarp::render::output::{can_write_file, write_atomic};
use raywarp::report::{About, Page};
use std::path::{Path, PathBuf};

/// Where reports go.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Write a report as well.
    ///
    /// One HTML file with tables, pictures and what to conclude.
    #[arg(long, value_name = "FILE.html", help_heading = heading::OUTPUT)]
    report: Option<PathBuf>,
    /// Write the report's pictures as SVG files into this folder.
    #[arg(long, value_name = "DIR", help_heading = heading::OUTPUT)]
    svg: Option<PathBuf>,
}

impl ReportArgs {
    /// Whether `--report` is given.
    pub fn page(&self) -> bool {
        self.report.is_some()
    }

    /// Whether `--svg` is given.
    pub fn pictures(&self) -> bool {
        self.svg.is_some()
    }

    /// Whether a page is asked for.
    pub fn wanted(&self) -> bool {
        self.report.is_some() || self.svg.is_some()
    }

    /// Whether it can be written: before a long run.
    pub fn check(&self) -> Result<(), CliError> {
        let svg = self.svg.as_ref().map(|folder| folder.join("01.svg"));
        self.report.iter().chain(&svg).try_for_each(|path| can_write_file(path).map_err(CliError::output))
    }

    /// Writes the page, if one is asked for.
    pub fn write(&self, scene: &Path, page: impl FnOnce(&About) -> Page) -> Result<(), CliError> {
        if !self.wanted() {
            return Ok(());
        }
        let page = page(&About { command: command_line(), scene_file: scene.display().to_string() });
        if let Some(path) = &self.report {
            write_atomic(path, page.html().as_bytes()).map_err(CliError::output)?;
        }
        for figure in page.figures() {
            if let Some(folder) = &self.svg {
                let path = folder.join(format!("{}.svg", figure.name));
                write_atomic(&path, figure.svg.as_bytes()).map_err(CliError::output)?;
            }
        }
        Ok(())
    }
}
