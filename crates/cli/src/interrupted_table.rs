//! Tables that may have been interrupted: what was finished is printed, and says that it is not all.

use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::interrupt;
use serde_json::Value;
use std::io::Write;

/// Message for an interrupt while a table is still growing.
pub const KEEPS: &str = "what is finished will be printed";

/// Prints a table as text or JSON, marked if `interrupted`, and returns the exit status for that.
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

/// Leaves a finished table to be printed if an interrupt comes before it is.
pub fn leave((text, mut json): (String, Value), common: &Common) {
    json["interrupted"] = true.into();
    let text = if common.json { format!("{json:#}\n") } else { format!("{MARK}\n{text}") };
    interrupt::leave(text, "what was finished was printed");
}

/// Line above an interrupted table.
pub const MARK: &str = "INTERRUPTED: the table has what was finished, and no more.";

/// Prints that an interrupted run writes no report page.
pub fn no_page(common: &Common) {
    common.note("interrupted; no report was written, since it would be of some of the kernels only");
}
