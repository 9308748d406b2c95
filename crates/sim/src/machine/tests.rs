use super::MachineFault::*;
use super::*;

/// Returns the built-in H200's file with one text replaced by another.
fn changed(from: &str, to: &str) -> Result<Machine, MachineError> {
    let text = FILES.iter().find(|(name, _)| *name == "h200").unwrap().1;
    assert!(text.contains(from), "{from} is not in h200.toml");
    Machine::parse("my.toml", &text.replacen(from, to, 1))
}

/// Replaces a text of the built-in H200's file, and compares the fault of the new file.
#[track_caller]
fn refused(from: &str, to: &str, expected: MachineFault) {
    let error = changed(from, to).expect_err(to);
    let message = error.to_string();
    assert!(message.starts_with("my.toml: line ") && message.lines().count() == 1, "{message}");
    let found = if let MachineError::Malformed { fault, .. } = error { Some(fault) } else { None };
    assert_eq!(found, Some(expected), "{message}");
}

#[test]
fn every_built_in_machine_is_read_and_each_number_has_a_source() {
    let machines = Machine::builtin();
    assert_eq!(machines.len(), FILES.len());
    for machine in &machines {
        assert!(machine.numbers().count() >= 25, "{}", machine.name());
        for (key, given) in machine.numbers() {
            assert!(given.source.len() > 10, "{}: {}", machine.name(), key.path);
            assert!(!given.estimate || given.note.is_some(), "{}: {}", machine.name(), key.path);
            if let Checked::Quoted(text) = &given.checked {
                assert!(text.len() > 10, "{}: {}", machine.name(), key.path);
            }
        }
    }
}

#[test]
fn every_machine_file_is_built_in() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines");
    let mut found: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    let mut known: Vec<String> = Machine::names().map(|name| format!("{name}.toml")).collect();
    found.sort();
    known.sort();
    assert_eq!(found, known);
}

/// Compares the peak float rates that vendors print with lanes times multiprocessors times clock.
#[test]
fn peak_float_rates_are_those_that_vendors_print() {
    // 10^12 operations a second, two for a multiply-add, without the GTX 285's second pipe; in NVIDIA's whitepapers and
    // datasheets. Kepler's are at the base clock.
    for (name, tera) in [
        ("gtx285", 0.7085),
        ("gtx480", 1.345),
        ("gtx680", 3.090),
        ("gtxtitan", 4.5),
        ("a100", 19.5),
        ("h100", 67.0),
        ("h200", 67.0),
        ("rtx4090", 82.6),
        ("rtx5090", 104.8),
    ] {
        let machine = Machine::find(name).unwrap();
        let kepler = machine.capability().0 == 3;
        let mhz = machine.get(if kepler { keys::CLOCK_BASE_MHZ } else { keys::CLOCK_MHZ }).unwrap();
        let ours = machine.need(keys::SM_COUNT) * machine.need(keys::PIPE_FMA) * mhz * 2e-6;
        assert!((ours / tera - 1.0).abs() < 0.003, "{name}: {ours}, printed {tera}");
    }
}

#[test]
fn an_h200_issues_at_most_1045_g_warp_instructions_per_second() {
    let rate = Machine::find("h200").unwrap().issue_per_s();
    assert_eq!(rate, 132.0 * 4.0 * 1.98e9);
}

#[test]
fn the_gtx_285_issues_twice_as_much_with_ideal_dual_issue() {
    let machine = Machine::find("gtx285").unwrap();
    let single = machine.get(keys::ISSUE_SINGLE).unwrap();
    assert_eq!(machine.need(keys::ISSUE_PER_SCHEDULER), 2.0 * single);
    // An instruction at a time fills the eight lanes.
    assert_eq!(single * 32.0, machine.need(keys::PIPE_FMA));
    assert_eq!(machine.get(keys::ISSUE_FIGURE3_RATE), Some(1.2));
}

#[test]
fn guthes_dependent_issue_latencies_are_those_of_fermi_and_kepler() {
    for (name, clocks) in [("gtx480", 22.0), ("gtx680", 11.0), ("gtxtitan", 11.0)] {
        assert_eq!(Machine::find(name).unwrap().get(keys::LATENCY_ALU), Some(clocks), "{name}");
    }
}

#[test]
fn a_machine_is_found_by_either_name_in_any_case_and_by_path() {
    for name in ["gtx285", "GTX 285", "GeForce GTX 285", "geforce-gtx-285"] {
        assert_eq!(Machine::find(name).unwrap().name(), "GeForce GTX 285", "{name}");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines/h200.toml");
    assert_eq!(Machine::find(path).unwrap(), Machine::find("H200").unwrap());
}

#[test]
fn an_unknown_machine_is_answered_with_those_there_are() {
    let error = Machine::find("voodoo2").unwrap_err();
    let MachineError::Unknown { name, known } = &error else { panic!("{error}") };
    assert!(name == "voodoo2" && known.contains("gtx285"), "{error}");
    let error = Machine::find("no/such.toml").unwrap_err();
    assert!(matches!(&error, MachineError::Read { path, .. } if path == Path::new("no/such.toml")), "{error}");
}

#[test]
fn what_is_wrong_in_a_file_is_named_with_line_and_key() {
    let path = "sm.count";
    let unknown = |key: &str, near: &[&'static str]| UnknownKey { key: key.into(), near: near.into() };
    refused("[l2]\nbytes", "[l2]\nbites", unknown("l2.bites", &keys::near("l2.bites")));
    assert_eq!(keys::near("l2.bites")[0], "l2.bytes");
    refused("[dram]", "[dramm]", unknown("dramm", &keys::near("dramm")));
    let zero = OutOfRange { path, value: 0.0, least: 1.0, most: 4096.0 };
    refused("count = { value = 132", "count = { value = 0", zero);
    refused("count = { value = 132", "count = { value = 1.5", NotWhole { path, value: 1.5 });
    refused("count = { value = 132", "count = { value = nan", NoNumber { path, found: "nan" });
    refused("count = { value = 132", "count = { value = -inf", NoNumber { path, found: "an infinite one" });
    refused("count = { value = 132", "count = { value = 0x84", NoNumber { path, found: "one that is not decimal" });
    refused("count = { value = 132", "count = { value = \"132\"", NoNumber { path, found: "a text" });
    refused("count = { value = 132, source = \"product\" }", "count = 132", NoFields { path });
    refused("count = { value = 132, source = \"product\" }", "count = { value = 132 }", NoSource { path });
    refused("count = { value = 132, source = \"product\" }", "count = { source = \"product\" }", NoValue { path });
    refused(
        "count = { value = 132, source",
        "count = { vaule = 132, source",
        UnknownOfNumber { field: "vaule".into(), path },
    );
    refused(
        "count = { value = 132, source = \"product\"",
        "count = { value = 132, source = \"x\"",
        UnlistedSource { path, name: "x".into() },
    );
    refused("count = { value = 132, source = \"product\" }\n", "", Missing { what: vec![path] });
    refused("name = \"H200\"\n", "", Missing { what: vec!["name"] });
    refused("compute_capability = \"9.0\"", "compute_capability = 9.0", Capability);
    let line = |from: &str, to: &str| match changed(from, to) {
        Err(MachineError::Malformed { line, .. }) => line,
        other => panic!("{other:?}"),
    };
    assert_eq!(line("count = { value = 132", "count = { value = 0"), 7);
    assert_eq!(line("count = {", "count = ["), 7);
    let name = || "ncu".to_string();
    refused("ncu = '", "ncu = { read = false } #'", NoDocument { name: name() });
    let of = |field: &str| format!("ncu's {field}");
    refused("ncu = '", "ncu = { document = 3 } #'", NoText { name: of("document"), found: "a number" });
    refused("ncu = '", "ncu = { document = 'a', read = 0 } #'", NoTruth { name: of("read") });
    refused(
        "ncu = '",
        "ncu = { document = 'a', quoted_in = '' } #'",
        NoText { name: of("quoted_in"), found: "an empty text" },
    );
    let seen = UnknownOfSource { field: "seen".into(), name: name() };
    refused("ncu = '", "ncu = { document = 'a', seen = true } #'", seen);
    let unread = QuotedAndUnread { name: name() };
    refused("ncu = '", "ncu = { document = 'a', quoted_in = 'b', read = false } #'", unread);
    refused(
        "[sources]\n",
        "[sources]\nspare = 'a document'\n",
        UnusedSource { name: "spare".into(), sections: vec![] },
    );
    let (path, whole) = ("l1.sector_bytes", "l1.line_bytes");
    refused(
        "sector_bytes = { value = 32",
        "sector_bytes = { value = 256",
        Above { path, value: 256.0, limit: whole, most: 128.0 },
    );
    let (least, most) = (4.0, 4096.0);
    refused(
        "sector_bytes = { value = 32",
        "sector_bytes = { value = 33",
        NoPowerOfTwo { path, value: 33.0, least, most },
    );
    let odd = NoPowerOfTwo { path: whole, value: 96.0, least, most };
    refused("line_bytes = { value = 128", "line_bytes = { value = 96", odd);
    let odd = NoPowerOfTwo { path: "sm.warp_width", value: 33.0, least: 1.0, most: 64.0 };
    refused("warp_width = { value = 32", "warp_width = { value = 33", odd);
    // As many equal parts.
    let (path, whole) = ("registers.partitions", "registers.per_sm");
    let thirds = NoDivisor { path, value: 3.0, whole, of: 65_536.0 };
    refused("partitions = { value = 4", "partitions = { value = 3", thirds);
    let (path, instead) = ("pipes.imul", "pipes.fmaheavy");
    refused("fmaheavy = {", "imul = {", Foreign { path, major: 9, minor: 0, instead });
    let latency = "latency.l1_hit";
    let (from, to) = (", estimate = true, note = \"its GH200", ", estimate = true } # \"its GH200");
    assert!(matches!(changed(from, to), Err(MachineError::Malformed { fault: EstimateWithoutNote { .. }, .. })));
    refused(
        "l2_hit = { value = 281",
        "l2_hit = { value = 28",
        Above { path: latency, value: 33.9, limit: "latency.l2_hit", most: 28.0 },
    );
}

#[test]
fn all_that_is_missing_is_named_at_once() {
    let text = FILES.iter().find(|(name, _)| *name == "h200").unwrap().1;
    // Without a section, and without the file's head.
    let required = || keys::ALL.iter().filter(|key| key.required).map(|key| key.path);
    let begin = text.find("[registers]").unwrap();
    let end = begin + text[begin..].find("[shared]").unwrap();
    let without = [&text[..begin], &text[end..]].concat();
    let fault = |text: &str| match Machine::parse("my.toml", text) {
        Err(MachineError::Malformed { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    let registers: Vec<&str> = required().filter(|path| path.starts_with("registers.")).collect();
    assert!(registers.len() > 3, "{registers:?}");
    assert_eq!(fault(&without), Missing { what: registers });
    let all: Vec<&str> = ["name", "compute_capability"].into_iter().chain(required()).collect();
    let message = fault("").to_string();
    assert!(message.ends_with(" are missing") && message.contains("sm.count, sm.schedulers"), "{message}");
    assert_eq!(fault(""), Missing { what: all });
}

#[test]
fn whoever_takes_a_section_away_is_told_of_the_section() {
    let text = FILES.iter().find(|(name, _)| *name == "h200").unwrap().1;
    for section in ["latency", "l1", "l2"] {
        let begin = text.find(&format!("[{section}]")).unwrap();
        let end = begin + 1 + text[begin + 1..].find("\n[").unwrap();
        let keys: Vec<&str> =
            keys::ALL.iter().filter_map(|key| key.path.strip_prefix(section)?.strip_prefix('.')).collect();
        assert!(keys.len() > 4, "{keys:?}");
        let error = Machine::parse("my.toml", &[&text[..begin], &text[end..]].concat()).unwrap_err();
        let MachineError::Malformed { fault: UnusedSource { sections, .. }, .. } = &error else { panic!("{error}") };
        assert_eq!(sections, &[(section, keys.clone())]);
        assert!(error.to_string().ends_with(&format!("the file has no [{section}] ({})", keys.join(", "))), "{error}");
    }
}

/// Checks that the file of the page on machines is one that is accepted as it stands.
#[test]
fn the_file_that_the_documentation_shows_is_a_machine() {
    let page = include_str!("../../../../docs/reference/machines.md");
    let shown = page.split("```toml\n").nth(1).and_then(|text| text.split("```").next()).unwrap();
    let machine = Machine::parse("mine.toml", shown).unwrap();
    // Beside what each file has to have, it shows a number that a file may have, and an estimate.
    assert_eq!(machine.name(), "My GPU");
    assert!(keys::ALL.iter().filter(|key| key.required).all(|key| machine.get(key).is_some()));
    assert!(machine.numbers().any(|(key, given)| !key.required && given.estimate));
    // One that the page says may be left out can be: each number that is not required.
    for (key, _) in machine.numbers().filter(|(key, _)| key.required) {
        let (_, name) = key.path.split_once('.').unwrap();
        let without: String = shown
            .lines()
            .filter(|line| !line.starts_with(&format!("{name} = ")))
            .map(|line| format!("{line}\n"))
            .collect();
        assert!(Machine::parse("mine.toml", &without).is_err(), "{}", key.path);
    }
}

#[test]
fn a_source_says_whether_it_was_read_and_so_does_the_table() {
    for (entry, checked, cell, line) in [
        ("'a text'", Checked::Read, "| 50331648 |", "- a text: `l2.bytes`."),
        ("{ document = 'a text' }", Checked::Read, "| 50331648 |", "- a text: `l2.bytes`."),
        ("{ document = 'a text', read = true }", Checked::Read, "| 50331648 |", "- a text: `l2.bytes`."),
        (
            "{ document = 'a text', quoted_in = 'another' }",
            Checked::Quoted("another".into()),
            "| 50331648 |",
            "- a text [as quoted in another]: `l2.bytes`.",
        ),
        ("{ document = 'a text', read = false }", Checked::Unread, "| 50331648? |", "- a text [not read]: `l2.bytes`."),
    ] {
        let text = FILES.iter().find(|(name, _)| *name == "h200").unwrap().1;
        let from = text.lines().find(|line| line.starts_with("bytes = { value = 62914560")).unwrap();
        let text = text.replace(from, "bytes = { value = 50331648, source = \"mine\" }");
        let machine = Machine::parse("my.toml", &format!("{text}\nmine = {entry}\n")).unwrap();
        assert_eq!(machine.given(keys::L2_BYTES).unwrap().checked, checked, "{entry}");
        assert!(number_table(std::slice::from_ref(&machine)).contains(cell), "{entry}");
        assert!(source_list(std::slice::from_ref(&machine)).lines().any(|shown| shown == line), "{entry}");
    }
}

#[test]
fn a_machine_knows_by_which_numbers_it_is_another() {
    let text = FILES.iter().find(|(name, _)| *name == "h200").unwrap().1;
    let parse = |text: &str| Machine::parse("my.toml", text).unwrap();
    let mut machine = parse(text);
    assert_eq!(machine.altered().map(|keys| keys.len()), Some(0));
    machine.set("l2.bytes", "2x").unwrap();
    machine.set("sm.count", "1x").unwrap();
    let paths: Vec<&str> = machine.altered().unwrap().iter().map(|key| key.path).collect();
    assert_eq!(paths, ["l2.bytes"]);
    // Code of another capability, and a name that nobody knows.
    for (of, other) in [("compute_capability = \"9.0\"", "compute_capability = \"8.9\""), ("\"H200\"", "\"H201\"")] {
        let changed = text.replacen(of, other, 1);
        assert_ne!(changed, text, "{of}");
        assert!(parse(&changed).altered().is_none(), "{of}");
    }
}

/// Checks that a memory bandwidth, which strict bounds use, is not above what the memory's clock and width give, nor
/// below the vendor's rounded number.
#[test]
fn memory_bandwidths_are_those_of_clock_and_width() {
    for (name, mega_transfers, bits, printed) in [
        ("gtx285", 2484.0, 512.0, 159.0),
        ("gtx480", 3696.0, 384.0, 177.4),
        ("gtx680", 6008.0, 256.0, 192.2),
        ("gtxtitan", 6008.0, 384.0, 288.4),
        ("a100", 2430.0, 5120.0, 1555.0),
        ("h100", 5238.0, 5120.0, 3350.0),
        ("h200", 6402.0, 6016.0, 4800.0),
        ("rtx4090", 21_002.0, 384.0, 1008.0),
        ("rtx5090", 28_002.0, 512.0, 1792.0),
    ] {
        let machine = Machine::find(name).unwrap();
        let (ours, bus) = (machine.need(keys::DRAM_GB_PER_S), mega_transfers * bits / 8e3);
        assert!((0.0..0.1).contains(&(ours - bus)), "{name}: {ours}, of the bus {bus}");
        assert!((ours / printed - 1.0).abs() < 0.03, "{name}: {ours}, printed {printed}");
    }
}

#[test]
fn a_file_that_is_no_machine_is_refused_without_a_panic() {
    for text in ["", "name = 3", "sm = 4", "[sm]\ncount = []", "sources = 1", "\u{0}", "[[sm]]", "name = ''"] {
        let message = Machine::parse("my.toml", text).unwrap_err().to_string();
        assert!(message.starts_with("my.toml: line "), "{text:?}: {message}");
    }
}

#[test]
fn any_number_can_be_set_or_scaled_and_its_source_says_so() {
    let mut machine = Machine::find("h200").unwrap();
    machine.set("l2.bytes", "2x").unwrap();
    assert_eq!(machine.get(keys::L2_BYTES), Some(125_829_120.0));
    machine.set("l2.bytes", "1e6").unwrap();
    let given = machine.given(keys::L2_BYTES).unwrap();
    assert_eq!((given.value, &given.checked), (1e6, &Checked::Set));
    assert_eq!(given.note.as_deref(), Some("was 125829120"));
    for key in keys::ALL {
        let mut machine = Machine::find("h200").unwrap();
        if let Some(value) = machine.get(key) {
            machine.set(key.path, &value.to_string()).unwrap();
            assert_eq!(machine.get(key), Some(value), "{}", key.path);
        }
    }
    // What the file leaves out.
    machine.set("l2.bytes_per_clock", "5120").unwrap();
    assert_eq!(machine.get(keys::L2_BYTES_PER_CLOCK), Some(5120.0));
}

#[test]
fn what_cannot_be_set_is_said_and_changes_nothing() {
    let before = Machine::find("h200").unwrap();
    let path = "sm.count";
    let no_number = |text: &str| NotParsed { key: path.into(), text: text.into() };
    let nothing =
        |key: &str, text: &str| NothingToMultiply { key: key.into(), text: text.into(), machine: "H200".into() };
    for (key, value, expected) in [
        (path, "many", no_number("many")),
        (path, "inf", no_number("inf")),
        (path, "x", no_number("x")),
        (path, "0", OutOfRange { path, value: 0.0, least: 1.0, most: 4096.0 }),
        (path, "0.3x", NotWhole { path, value: 132.0 * 0.3 }),
        ("l2.bytes_per_clock", "2x", nothing("l2.bytes_per_clock", "2x")),
        (
            "latency.l1_hit",
            "1000",
            Above {
                path: "latency.l1_hit",
                value: 1000.0,
                limit: "latency.l2_hit",
                most: before.get(keys::LATENCY_L2).unwrap(),
            },
        ),
    ] {
        let mut machine = before.clone();
        let error = machine.set(key, value).unwrap_err();
        assert!(matches!(&error, MachineError::Value(fault) if *fault == expected), "{key} {value}: {error}");
        assert_eq!(machine, before, "{key} {value}");
    }
    for unknown in ["l2.byte", "qqqq"] {
        let mut machine = before.clone();
        let error = machine.set(unknown, "5").unwrap_err();
        let MachineError::Key { key, near } = error else { panic!("{error}") };
        assert_eq!((key.as_str(), near.first()), (unknown, (unknown != "qqqq").then_some(&"l2.bytes")));
        assert_eq!(machine, before, "{unknown}");
    }
    before.clone().set(path, "0.5x").unwrap();
    let mut titan = Machine::find("gtxtitan").unwrap();
    let foreign = Foreign { path: "pipes.fmaheavy", major: 3, minor: 5, instead: "pipes.imul" };
    let error = titan.set("pipes.fmaheavy", "1").unwrap_err();
    assert!(matches!(&error, MachineError::Value(fault) if *fault == foreign), "{error}");
    assert_eq!(titan, Machine::find("gtxtitan").unwrap());
    let mut fermi = Machine::find("gtx480").unwrap();
    let (path, whole) = ("registers.unit", "registers.coarse_unit");
    let coarse = NoDivisor { path, value: 256.0, whole, of: 128.0 };
    let error = fermi.set(path, "256").unwrap_err();
    assert!(matches!(&error, MachineError::Value(fault) if *fault == coarse), "{error}");
    let before = Machine::find("a100").unwrap();
    let mut machine = before.clone();
    assert!(machine.set("latency.l2_hit", "5").is_err(), "below an L1 hit");
    assert_eq!(machine, before);
}

#[test]
fn a_damaged_file_is_refused_or_read_and_never_panics() {
    let text = FILES.iter().find(|(name, _)| *name == "h200").unwrap().1;
    let mut refused = 0;
    for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
        let mut without = text.to_string();
        without.remove(at);
        for damaged in [&text[..at], &text[at..], &without] {
            refused += u32::from(Machine::parse("my.toml", damaged).is_err());
        }
    }
    assert!(refused > 2 * text.len() as u32, "{refused}");
}
