//! Every number of a machine, with what its source is worth.

use raywarp_report::{Column, ReportTable, Sheet};
use raywarp_sim::machine::{Checked, Given, Machine, MachineKey};

/// Returns the table of a machine's numbers, with their sources.
pub(super) fn machine_numbers(machine: &Machine) -> ReportTable {
    type Row<'a> = (&'a MachineKey, &'a Given);
    let worth = |(_, given): &Row<'_>| match (&given.checked, given.estimate) {
        (_, true) => "estimate".to_string(),
        (Checked::Read | Checked::Set, _) => String::new(),
        (Checked::Quoted(text), _) => format!("as quoted in {text}"),
        (Checked::Unread, _) => "not read".to_string(),
    };
    let source = |(_, given): &Row<'_>| {
        let note = given.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        format!("{}{note}", given.source)
    };
    let sheet = Sheet(vec![
        Column::words(|(key, _): &Row<'_>| key.path).page(0, "number"),
        Column::words(|(_, given): &Row<'_>| given.value.to_string()).page(1, "value"),
        Column::words(|(key, _): &Row<'_>| key.unit).page(2, "unit"),
        Column::words(worth).page(3, "worth"),
        Column::words(source).page(4, "source"),
    ]);
    let estimates: Vec<&str> = machine.numbers().filter(|(_, given)| given.estimate).map(|(key, _)| key.path).collect();
    let doubt = match estimates[..] {
        [] => "none is an estimate".into(),
        _ => format!("estimates: {}", estimates.join(", ")),
    };
    let (major, minor) = machine.capability();
    let caption = format!("{}, compute capability {major}.{minor}; {doubt}", machine.name());
    sheet.table(&machine.numbers().collect::<Vec<_>>()).on_page(caption)
}
