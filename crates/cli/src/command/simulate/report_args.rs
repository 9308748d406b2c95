//! `--report` and `--svg` of `raywarp simulate`.

use crate::common::{command_line, read_table};
use crate::exit::CliError;
use clap::Args;
use raywarp::render::output::{can_write_file, write_atomic};
use raywarp::report::{About, MeasuredRate, Page, read_measured};
use std::path::{Path, PathBuf};

/// A bench may have this many bytes; ours have a few per cent of it.
const MOST_BENCH_BYTES: u64 = 1 << 26;

/// Where reports go.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Write a report as well: one HTML file with tables, pictures and what to conclude.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write the report's pictures as SVG files into this folder.
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Rates that stand beside bounds in the report: bench.csv of `raywarp bench --record`.
    #[arg(long, value_name = "FILE.csv", requires = "report")]
    measured: Option<PathBuf>,
}

impl ReportArgs {
    /// Whether a page is asked for.
    pub fn wanted(&self) -> bool {
        self.report.is_some() || self.svg.is_some()
    }

    /// Whether rates are given to stand beside bounds.
    pub fn has_measured(&self) -> bool {
        self.measured.is_some()
    }

    /// Whether it can be written: before a long run.
    pub fn check(&self) -> Result<(), CliError> {
        let svg = self.svg.as_ref().map(|folder| folder.join("01.svg"));
        self.report.iter().chain(&svg).try_for_each(|path| can_write_file(path).map_err(CliError::output))
    }

    /// The rates to stand beside bounds.
    pub fn measured(&self) -> Result<Vec<MeasuredRate>, CliError> {
        let Some(path) = &self.measured else { return Ok(Vec::new()) };
        let text = read_table(path, MOST_BENCH_BYTES)?;
        read_measured(&text).map_err(|what| CliError::input(format!("{}: {what}", path.display())))
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
