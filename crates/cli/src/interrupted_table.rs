//! Tables that may have been interrupted: what was finished is printed, and says that it is not all.

use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::flags;
use crate::interrupt;
use raywarp_lab::report::Document;
use std::io::Write;

/// Message for an interrupt while a table is still growing.
pub const KEEPS: &str = "what is finished will be printed";

/// Prints a table as text or JSON, marked if `interrupted`, and returns the exit status for that.
pub fn print(interrupted: bool, document: &Document, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let document = flags::in_report(document);
    if common.json {
        let mut document = document.json();
        document["interrupted"] = interrupted.into();
        common.describe_scenes(&mut document);
        writeln!(out, "{document:#}")?;
    } else {
        if interrupted {
            writeln!(out, "{MARK}")?;
        }
        write!(out, "{}", common.written(&document))?;
    }
    Ok(if interrupted { Status::Interrupted } else { Status::Done })
}

/// Leaves a finished table to be printed if an interrupt comes before it is.
pub fn leave(document: &Document, common: &Common) {
    let document = flags::in_report(document);
    let text = if common.json {
        let mut json = document.json();
        json["interrupted"] = true.into();
        format!("{json:#}\n")
    } else {
        format!("{MARK}\n{}", common.written(&document))
    };
    interrupt::leave(text, "what was finished was printed");
}

/// Line above an interrupted table.
pub const MARK: &str = "INTERRUPTED: the table has what was finished, and no more.";

/// Prints that an interrupted run writes no report page.
pub fn no_page(common: &Common) {
    common.note("interrupted; no report was written, since it would be of some of the kernels only");
}
