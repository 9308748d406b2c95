//! Tables that may have been interrupted: what was finished is printed, and says that it is not all.

use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::interrupt;
use serde_json::Value;
use std::io::Write;

/// Words of an interrupt while a table grows.
pub const KEEPS: &str = "what is finished will be printed";

/// Prints a table as a document with `"interrupted"`, or as text; the status of one that was.
pub fn print(
    interrupted: bool,
    (text, json): (impl FnOnce() -> String, impl FnOnce() -> Value),
    common: &Common,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    if common.json {
        let mut document = json();
        document["interrupted"] = interrupted.into();
        common.describe_scenes(&mut document);
        writeln!(out, "{document:#}")?;
    } else {
        if interrupted {
            writeln!(out, "{MARK}")?;
        }
        write!(out, "{}", text())?;
    }
    Ok(if interrupted { Status::Interrupted } else { Status::Done })
}

/// Leaves a finished table to whoever interrupts before it is printed.
pub fn leave((text, mut json): (String, Value), common: &Common) {
    json["interrupted"] = true.into();
    let text = if common.json { format!("{json:#}\n") } else { format!("{MARK}\n{text}") };
    interrupt::leave(text, "what was finished was printed");
}

/// The line above an interrupted table.
pub const MARK: &str = "INTERRUPTED: the table has what was finished, and no more.";

/// Says that there is no page about half a run.
pub fn no_page(common: &Common) {
    common.note("interrupted; no report was written, since it would be of some of the kernels only");
}
