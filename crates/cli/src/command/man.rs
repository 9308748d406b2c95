//! `raywarp man [COMMAND]`: pages for man, made of the same text as `--help`.

use crate::common::{Common, Replacing};
use crate::exit::{CliError, Status};
use crate::heading;
use crate::replace::{self, MANUAL};
use clap::{Args, Command};
use clap_mangen::Man;
use raywarp::system;
use std::io::Write;
use std::path::PathBuf;

/// Prints a manual page, or writes all pages into a folder.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command [default: the page of raywarp itself].
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
    /// Folder for the pages of all commands; it is made where it is missing.
    #[arg(short, long, value_name = "DIR", conflicts_with = "command", help_heading = heading::OUTPUT)]
    output: Option<PathBuf>,
    #[command(flatten)]
    pub replacing: Replacing,
}

/// Runs the command `man`; `definition` is the whole program's command line.
pub fn run(args: &ManArgs, mut definition: Command, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    // Gives commands their long names: raywarp-render.
    definition.build();
    let Some(folder) = &args.output else {
        let page = match &args.command {
            None => page(&definition)?,
            Some(name) => page(definition.find_subcommand(name).ok_or_else(|| {
                let known: Vec<String> = definition.get_subcommands().map(|c| c.get_name().to_string()).collect();
                CliError::usage(format!(
                    "there is no command '{name}'; there are {}",
                    crate::usage::list(&known, "and")
                ))
            })?)?,
        };
        if common.json {
            writeln!(out, "{:#}", serde_json::json!({ "page": String::from_utf8_lossy(&page) }))?;
        } else {
            out.write_all(&page)?;
        }
        return Ok(Status::Done);
    };
    replace::can_name(folder)?;
    std::fs::create_dir_all(folder)
        .map_err(|error| CliError::output(format!("{}: cannot be made ({error})", folder.display())))?;
    let path_of = |command: &Command| {
        folder.join(format!("{}.1", command.get_display_name().unwrap_or_else(|| command.get_name())))
    };
    let commands: Vec<&Command> = std::iter::once(&definition).chain(definition.get_subcommands()).collect();
    // All are looked at before the first is written.
    commands.iter().try_for_each(|command| replace::can_write(&path_of(command), &MANUAL))?;
    let mut written = Vec::new();
    for command in commands {
        let path = path_of(command);
        system::write_atomic(&path, &page(command)?)?;
        written.push(path.display().to_string());
    }
    if common.json {
        writeln!(out, "{:#}", serde_json::json!({ "outputs": written }))?;
    } else if !common.quiet {
        writeln!(out, "wrote {} pages into {}", written.len(), folder.display())?;
    }
    Ok(Status::Done)
}

/// Returns the manual page of a command in roff, the language of `man`.
fn page(command: &Command) -> Result<Vec<u8>, CliError> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_string();
    let man = Man::new(command.clone()).title(name).source(crate::version::SHORT).manual("Raywarp");
    let mut page = Vec::new();
    let mut render = || -> std::io::Result<()> {
        man.render_title(&mut page)?;
        man.render_name_section(&mut page)?;
        // The crate's own lists every option here.
        writeln!(page, ".SH SYNOPSIS\n{}", escaped(&crate::usage::usage(command)))?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        if command.has_subcommands() {
            man.render_subcommands_section(&mut page)?;
        }
        Ok(())
    };
    render().map_err(|error| CliError::output(format!("the page of {}: {error}", command.get_name())))?;
    // By ourselves: the crate would fill examples and tables to one paragraph.
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    page.extend_from_slice(notes(&after.map(ToString::to_string).unwrap_or_default()).as_bytes());
    Ok(page)
}

/// Returns the part of a manual page below the options, examples and notes, in roff.
fn notes(text: &str) -> String {
    let mut page = String::new();
    let mut section = "";
    for paragraph in text.split("\n\n") {
        let (title, paragraph) = match paragraph.split_once("Examples:\n") {
            Some(("", examples)) => ("EXAMPLES", examples),
            _ => ("NOTES", paragraph),
        };
        page += &if title == section { ".PP\n".to_string() } else { format!(".SH {title}\n") };
        section = title;
        let lines: Vec<String> = paragraph.lines().map(escaped).collect();
        match lines.len() {
            1 => page += &lines.concat(),
            _ => page += &format!(".nf\n{}\n.fi", lines.join("\n")),
        }
        page.push('\n');
    }
    page
}

/// Escapes a line of text for roff, so that it starts no request and keeps its hyphens.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_keep_their_lines_and_paragraphs_are_filled() {
        let page = notes("Examples:\n  # One\n  raywarp a -o b\n\n.txt is no scene.");
        assert_eq!(page, ".SH EXAMPLES\n.nf\n  # One\n  raywarp a \\-o b\n.fi\n.SH NOTES\n\\&.txt is no scene.\n");
    }
}
