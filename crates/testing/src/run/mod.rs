//! Running cargo: first it builds, then it runs the tests while its output is read.

mod options;
mod tally;

pub use options::{Options, USAGE};

use raywarp_testing::{NOTES, Note, notes_file, read_notes};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};
use tally::Tally;

/// How many of the slowest are named.
const SLOWEST: usize = 10;

/// Builds and runs the tests. The exit status is cargo's, or 1 if a test was skipped for a reason that is not allowed.
pub fn run(options: &Options) -> Result<ExitCode, String> {
    let notes = notes_file();
    match std::fs::remove_file(&notes) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(format!("{}: {error}", notes.display())),
        _ => {}
    }
    let start = Instant::now();
    // Alone, since cargo shows how far it is only to a terminal.
    if let Some(arguments) = options.building() {
        let status = cargo().args(arguments).status().map_err(|error| format!("cargo: {error}"))?;
        if !status.success() {
            return Ok(exit_code(status));
        }
    }
    let built = start.elapsed();
    let mut command = cargo();
    command.args(options.running()).env(NOTES, &notes);
    let (status, tally) = watched(&mut command).map_err(|error| format!("cargo: {error}"))?;
    let skipped = read_notes(&notes).map_err(|error| format!("{}: {error}", notes.display()))?;

    println!();
    if options.slowest {
        print!("{}", tally.slowest(SLOWEST));
    }
    println!("built in {}, ran in {}", seconds(built), seconds(start.elapsed() - built));
    let refused: Vec<&Note> = skipped.iter().filter(|note| !options.allows(note.reason)).collect();
    for note in &refused {
        println!("not to be skipped here: {} {}, {}: {}", note.binary, note.test, note.reason.missing(), note.why);
    }
    println!("{}", tally.summary(&skipped));
    Ok(if status.success() && !refused.is_empty() { ExitCode::FAILURE } else { exit_code(status) })
}

/// The cargo that started this program, or the one on PATH.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// Runs a command whose output, of both kinds in its order, goes to standard output and into a tally.
fn watched(command: &mut Command) -> io::Result<(ExitStatus, Tally)> {
    let (reader, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // Else the command itself would keep the pipe open.
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let (mut reader, mut line, mut tally) = (BufReader::new(reader), Vec::new(), Tally::default());
    while reader.read_until(b'\n', &mut line)? > 0 {
        io::stdout().write_all(&line)?;
        tally.read(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok((child.wait()?, tally))
}

/// Cargo's exit status as this program's; 101 where a signal ended it.
fn exit_code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(101))
}

fn seconds(time: Duration) -> String {
    format!("{:.0} s", time.as_secs_f64())
}
