//! Kernels whose rates or counters were recorded, beside those of today: what is foretold is of today's machine code.

use crate::simulate::{name_of, query_of};
use raywarp_bench::corpus::{CodeState, CodeThen};
use raywarp_bench::{CODE_BY_DRIVER, Subject};
use raywarp_cuda::{FAMILY, Query, kernel_name};
use raywarp_family::Variant;
use raywarp_sim::machine::Machine;
use raywarp_workload::rays::RayKind;
use serde_json::{Value, json};

/// A kernel of a recorded run, and whether its machine code is today's.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelThen {
    /// Variant of the kernel.
    pub variant: Variant,
    /// Query of the kernel.
    pub query: Query,
    /// Its machine code then beside today's.
    pub state: CodeState,
}

/// Reason where neither a table nor a run's file of facts has hashes.
const NO_HASHES: &str = "the table has no column code, and no run.toml beside it names them";

/// Reason where the driver compiled a kernel.
pub(crate) const BY_DRIVER: &str = "the driver compiled it";

/// Parses a cell of a column `code`: a hash, or that the driver compiled the kernel; `None` where it is neither.
pub(crate) fn code_cell(text: &str) -> Option<CodeThen> {
    match text {
        CODE_BY_DRIVER => Some(CodeThen::Unknown(BY_DRIVER.to_string())),
        hash => hash.parse().ok().map(CodeThen::Known),
    }
}

/// Returns the kernels of recorded rows, each once for what ran, with today's machine code for `machine`.
pub(crate) fn kernels_then<'a>(
    rows: impl Iterator<Item = (Variant, RayKind, Option<&'a CodeThen>)>,
    machine: &Machine,
) -> Vec<KernelThen> {
    let (major, minor) = machine.capability();
    // Of GPUs that are only foretold there is no machine code that could have run.
    let architecture = FAMILY.architecture_for((major as i32, minor as i32)).unwrap_or_default();
    let no_hashes = CodeThen::Unknown(NO_HASHES.to_string());
    let mut found: Vec<(Variant, Query, &CodeThen)> = Vec::new();
    let no_hashes = &no_hashes;
    for (variant, kind, then) in rows {
        let one = (variant, query_of(kind), then.unwrap_or(no_hashes));
        if !found.contains(&one) {
            found.push(one);
        }
    }
    let beside = |(variant, query, then): (Variant, Query, &CodeThen)| {
        let state = then.beside_today(&kernel_name(&variant, query), architecture, &[&FAMILY]);
        KernelThen { variant, query, state }
    };
    found.into_iter().map(beside).collect()
}

/// Returns lines that say which kernels are not today's, and of which nobody knows; none where all are today's.
pub(crate) fn warnings(kernels: &[KernelThen]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut unknown: Vec<(&str, Vec<String>)> = Vec::new();
    for KernelThen { variant, query, state } in kernels {
        // In quotes, so that no line begins as a row of the table does.
        let name = format!("\"{}\"", Subject::Kernel(*variant).name());
        match state {
            CodeState::Same(_) => {}
            CodeState::Changed { then, today } => lines.push(format!(
                "{name} ({}) has changed since this run: its machine code then was {then}, today's is {today}; what is \
                 foretold is of today's.",
                query.name()
            )),
            CodeState::Gone(then) => lines.push(format!(
                "{name} ({}) is not compiled for this machine today; its machine code in this run was {then}.",
                query.name()
            )),
            CodeState::Unknown(why) => match unknown.iter_mut().find(|(known, _)| known == why) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name),
                None => unknown.push((why, vec![name])),
            },
        }
    }
    let line = |(why, names): (&str, Vec<String>)| {
        format!("Nobody knows whether the machine code of {} was today's in this run: {why}.", names.join(", "))
    };
    lines.into_iter().chain(unknown.into_iter().map(line)).collect()
}

/// Returns the kernels for programs.
pub(crate) fn json(kernels: &[KernelThen]) -> Value {
    let one = |kernel: &KernelThen| {
        let hash = |hash: Option<raywarp_cuda::CodeHash>| hash.map(|hash| hash.to_string());
        let (today, why) = match &kernel.state {
            CodeState::Same(today) | CodeState::Changed { today, .. } => (Some(*today), None),
            CodeState::Gone(_) => (None, None),
            CodeState::Unknown(why) => (None, Some(why)),
        };
        json!({
            "name": name_of(&kernel.variant),
            "variant": kernel.variant.to_string(),
            "query": kernel.query.name(),
            "state": kernel.state.name(),
            "then": hash(kernel.state.then()),
            "today": hash(today),
            "why": why,
        })
    };
    kernels.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_cuda::{CodeHash, code_hash};

    fn then(machine: &str, rows: &[(&str, RayKind, Option<&CodeThen>)]) -> Vec<KernelThen> {
        let machine = Machine::find(machine).unwrap();
        kernels_then(rows.iter().map(|&(variant, kind, then)| (variant.parse().unwrap(), kind, then)), &machine)
    }

    #[test]
    fn kernels_of_a_run_are_compared_with_todays_once_each() {
        let today = |query| code_hash(&Variant::RAYWARP_H8, query, 90).unwrap();
        let [closest, any] = [Query::Closest, Query::Any].map(|query| CodeThen::Known(today(query)));
        let rows = [
            ("raywarp-h8", RayKind::Primary, Some(&closest)),
            ("raywarp-h8", RayKind::Diffuse, Some(&closest)),
            ("raywarp-h8", RayKind::Ao, Some(&any)),
        ];
        let found = then("h200", &rows);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|kernel| kernel.state.is_same()) && warnings(&found).is_empty());
        // On another architecture the same kernel has other code.
        let other = then("rtx4090", &rows);
        assert!(other.iter().all(|kernel| matches!(kernel.state, CodeState::Changed { .. })));
        assert_eq!(warnings(&other).len(), 2);
    }

    #[test]
    fn what_changed_is_said_kernel_by_kernel_and_what_nobody_knows_in_a_line() {
        let planted = CodeThen::Known(CodeHash::of(b"another byte"));
        let found = then(
            "h200",
            &[
                ("raywarp-h8", RayKind::Ao, Some(&planted)),
                ("al09-if-if", RayKind::Ao, None),
                ("al09-if-if", RayKind::Primary, None),
                ("ykl17", RayKind::Ao, None),
            ],
        );
        let states: Vec<&str> = found.iter().map(|kernel| kernel.state.name()).collect();
        assert_eq!(states, ["changed", "unknown", "unknown", "unknown"]);
        let lines = warnings(&found);
        assert_eq!(lines.len(), 2, "{lines:?}");
        for text in ["\"raywarp-h8\" (any)", &CodeHash::of(b"another byte").to_string()] {
            assert!(lines[0].contains(text), "{lines:?}");
        }
        assert!(lines[1].contains("\"al09-if-if\", \"ykl17\"") && lines[1].contains(NO_HASHES), "{lines:?}");
        let json = json(&found);
        assert_eq!(json[0]["today"], code_hash(&Variant::RAYWARP_H8, Query::Any, 90).unwrap().to_string());
        assert_eq!((&json[1]["then"], &json[1]["why"]), (&Value::Null, &NO_HASHES.into()));
    }

    #[test]
    fn a_cell_is_a_hash_or_the_drivers() {
        let hash = CodeHash::of(b"");
        assert_eq!(code_cell(&hash.to_string()), Some(CodeThen::Known(hash)));
        assert!(matches!(code_cell("driver"), Some(CodeThen::Unknown(_))));
        assert_eq!(code_cell("1a2b"), None);
    }
}
