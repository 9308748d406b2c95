//! Running tests: cargo builds their programs, two of them run at once, and cargo runs those of the documentation
//! beside them, most of whose time is a compiler's.

mod options;
mod programs;
mod tally;

pub use options::{Options, USAGE};

use programs::Program;
use raywarp_testing::{NOTES, notes_file, read_notes};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tally::Tally;

/// Number of tests that `--slowest` lists.
const SLOWEST: usize = 10;

/// Number of test binaries that run at once: many of the longest tests use one thread only.
const AT_ONCE: usize = 2;

/// Builds and runs the tests, prints a summary and returns the exit status. The exit status is cargo's, or 1 if a test
/// failed or was skipped for a reason that is not allowed.
pub fn run(options: &Options) -> Result<ExitCode, String> {
    let notes = notes_file();
    match std::fs::remove_file(&notes) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(format!("{}: {error}", notes.display())),
        _ => {}
    }
    let start = Instant::now();
    let (status, programs) = built(options).map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Ok(exit_code(status));
    }
    let built = start.elapsed();
    let (all, documentation) = std::thread::scope(|scope| {
        let documentation = options.documentation().map(|arguments| {
            let mut command = cargo();
            command.args(arguments).env(NOTES, &notes);
            scope.spawn(move || output_of(command))
        });
        let all = run_all(&programs, options, &notes);
        (all, documentation.map(|thread| thread.join().expect("a thread that waits for cargo panicked")))
    });
    let (mut tally, failed) = all.map_err(|error| format!("a test: {error}"))?;
    let mut status = if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if let Some(documentation) = documentation {
        let (documentation, output) = documentation.map_err(|error| format!("cargo: {error}"))?;
        io::stdout().write_all(&output).map_err(|error| format!("standard output: {error}"))?;
        String::from_utf8_lossy(&output).lines().for_each(|line| tally.read(line));
        if !documentation.success() {
            status = exit_code(documentation);
        }
    }
    let skipped = read_notes(&notes).map_err(|error| format!("{}: {error}", notes.display()))?;

    println!();
    if options.slowest {
        print!("{}", tally.slowest(SLOWEST));
    }
    for program in &failed {
        println!("failed: {program}");
    }
    for note in skipped.iter().filter(|note| !options.allows(note.reason)) {
        println!("not to be skipped here: {} {}, {}: {}", note.binary, note.test, note.reason.missing(), note.why);
        status = ExitCode::FAILURE;
    }
    println!("built in {}, ran in {}", seconds(built), seconds(start.elapsed() - built));
    println!("{}", tally.summary(&skipped));
    Ok(status)
}

/// Builds the test binaries with cargo and returns them, with cargo's exit status.
fn built(options: &Options) -> io::Result<(ExitStatus, Vec<Program>)> {
    let mut child = cargo().args(options.building()).stdout(Stdio::piped()).spawn()?;
    let mut programs = Vec::new();
    if let Some(messages) = child.stdout.take() {
        for message in BufReader::new(messages).lines() {
            programs.extend(Program::parse(&message?));
        }
    }
    Ok((child.wait()?, programs))
}

/// Runs all test binaries, printing the output of each when it has ended; returns the summed counts and the names of
/// those that failed.
fn run_all(programs: &[Program], options: &Options, notes: &Path) -> io::Result<(Tally, Vec<String>)> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new((Tally::default(), Vec::new())));
    let worker = || -> io::Result<()> {
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (status, output, tally) = program.run(&options.tests, notes, options.slowest)?;
            let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            println!("\n     Tests of {}", program.name());
            io::stdout().write_all(&output)?;
            done.0.add(tally);
            if !status.success() {
                done.1.push(program.name());
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a thread that waits for a program panicked"))
    })?;
    Ok(done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// Returns a command of the cargo that started this program, or of the one on PATH.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// Runs a command; returns its exit status, and what it prints, both streams as they come.
pub fn output_of(mut command: Command) -> io::Result<(ExitStatus, Vec<u8>)> {
    let (mut reader, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer).stdin(Stdio::null());
    let mut child = command.spawn()?;
    // Else the command itself would keep the pipe open.
    drop(command);
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    Ok((child.wait()?, output))
}

/// Converts an exit status of cargo to that of this program; 101 where a signal ended cargo.
fn exit_code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(101))
}

fn seconds(time: Duration) -> String {
    format!("{:.0} s", time.as_secs_f64())
}
