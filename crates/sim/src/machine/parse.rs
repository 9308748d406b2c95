//! Reads a machine file: TOML whose every number is `{ value = .., source = ".." }`.
//!
//! A source is the text that names a document, or a table that says more of it: `{ document = "..", quoted_in = ".." }`
//! for one that was read in another text, `{ document = "..", read = false }` for one that was not read at all.
//!
//! Walked by hand over the parser's spanned tables, since derived errors have no line for a number out of range and
//! none for a source that is not listed.

use super::{Checked, Given, Machine, MachineError, MachineFault, MachineKey, keys};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// First compute capability whose `fma` has a heavy half.
pub(super) const HALVES: (u32, u32) = (7, 0);

/// A fault of a machine file: its position in the text, and what is wrong.
type Fault = (Range<usize>, MachineFault);

/// A document in `[sources]` of a machine file, with how far it was checked.
struct Source {
    span: Range<usize>,
    document: String,
    checked: Checked,
}

impl Machine {
    /// Parses the text of a machine file; `file` is its name for messages.
    ///
    /// # Errors
    /// [`MachineError::Malformed`], naming file, line and key: not TOML, an unknown key, a number that is missing, has
    /// no source or is out of range, or two numbers that contradict each other.
    pub fn parse(file: &str, text: &str) -> Result<Self, MachineError> {
        read(text).map_err(|(span, fault)| {
            let line = 1 + text.bytes().take(span.start).filter(|&byte| byte == b'\n').count();
            MachineError::Malformed { file: file.into(), line, fault }
        })
    }
}

fn read(text: &str) -> Result<Machine, Fault> {
    let root = DeTable::parse(text).map_err(|error| {
        (error.span().unwrap_or(0..0), MachineFault::Toml { message: error.message().trim_end().into() })
    })?;
    let root = root.into_inner();
    let (mut name, mut capability) = (None, None);
    let mut sources = BTreeMap::new();
    if let Some((_, value)) = root.iter().find(|(key, _)| key.get_ref() == "sources") {
        for (id, text) in table("sources", value)? {
            sources.insert(id.get_ref().to_string(), source(id, text)?);
        }
    }
    let mut numbers: BTreeMap<&'static str, Given> = BTreeMap::new();
    let mut spans: BTreeMap<&'static str, Range<usize>> = BTreeMap::new();
    let mut used: Vec<String> = Vec::new();
    for (key, value) in &root {
        match key.get_ref().as_ref() {
            "name" => name = Some(string("name", value)?),
            "compute_capability" => capability = Some(parse_capability(value)?),
            "sources" => {}
            group => {
                if !keys::ALL.iter().any(|key| key.path.split('.').next() == Some(group)) {
                    return Err((key.span(), unknown(group)));
                }
                for (field, value) in table(group, value)? {
                    let path = format!("{group}.{}", field.get_ref());
                    let known = keys::find(&path).ok_or_else(|| (field.span(), unknown(&path)))?;
                    numbers.insert(known.path, number(known, value, &sources, &mut used)?);
                    spans.insert(known.path, value.span());
                }
            }
        }
    }
    let end = text.trim_end().len()..text.len();
    // All that is missing at once: whoever writes a file does not want to be told key by key.
    let heads = [(name.is_none(), "name"), (capability.is_none(), "compute_capability")];
    let heads = heads.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, name)| name);
    let is_missing = |key: &&&MachineKey| key.required && !numbers.contains_key(key.path);
    let what: Vec<&'static str> = heads.chain(keys::ALL.iter().filter(is_missing).map(|key| key.path)).collect();
    let (Some(name), Some(capability), true) = (name, capability, what.is_empty()) else {
        return Err((end, MachineFault::Missing { what }));
    };
    if let Some((path, fault)) = contradiction(&numbers).or_else(|| foreign(capability, &numbers)) {
        return Err((spans[path].clone(), fault));
    }
    if let Some((id, source)) = sources.iter().find(|(id, _)| !used.contains(id)) {
        // Whoever took a section away is told of it, not of its source alone.
        let sections = keys::sections().filter(|(section, _)| !root.iter().any(|(key, _)| key.get_ref() == section));
        return Err((
            source.span.clone(),
            MachineFault::UnusedSource { name: id.clone(), sections: sections.collect() },
        ));
    }
    Ok(Machine { name, capability, numbers })
}

fn unknown(path: &str) -> MachineFault {
    MachineFault::UnknownKey { key: path.into(), near: keys::near(path) }
}

fn table<'t, 'i>(name: &str, value: &'t Spanned<DeValue<'i>>) -> Result<&'t DeTable<'i>, Fault> {
    value
        .get_ref()
        .as_table()
        .ok_or_else(|| (value.span(), MachineFault::NoTable { name: name.into(), found: kind(value) }))
}

fn string(name: &str, value: &Spanned<DeValue>) -> Result<String, Fault> {
    let text = value.get_ref().as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(Into::into).ok_or_else(|| (value.span(), MachineFault::NoText { name: name.into(), found: kind(value) }))
}

fn kind(value: &Spanned<DeValue>) -> &'static str {
    match value.get_ref() {
        DeValue::String(text) if text.trim().is_empty() => "an empty text",
        DeValue::String(_) => "a text",
        DeValue::Integer(number) if number.radix() != 10 => "one that is not decimal",
        DeValue::Float(number) if number.as_str().parse().is_ok_and(f64::is_nan) => "nan",
        DeValue::Float(number) if number.as_str().parse().is_ok_and(f64::is_infinite) => "an infinite one",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// Parses a source of a machine file: a document's name, or `{ document, quoted_in, read }`.
fn source(id: &Spanned<Cow<str>>, value: &Spanned<DeValue>) -> Result<Source, Fault> {
    let (name, span) = (id.get_ref(), id.span());
    let Some(fields) = value.get_ref().as_table() else {
        return Ok(Source { span, document: string(name, value)?, checked: Checked::Read });
    };
    let (mut document, mut quoted, mut read) = (None, None, true);
    for (field, value) in fields {
        match field.get_ref().as_ref() {
            "document" => document = Some(string(&format!("{name}'s document"), value)?),
            "quoted_in" => quoted = Some(string(&format!("{name}'s quoted_in"), value)?),
            "read" => {
                let truth = value.get_ref().as_bool();
                read = truth.ok_or_else(|| (value.span(), MachineFault::NoTruth { name: format!("{name}'s read") }))?;
            }
            other => {
                let fault = MachineFault::UnknownOfSource { field: other.into(), name: name.to_string() };
                return Err((field.span(), fault));
            }
        }
    }
    let document = document.ok_or_else(|| (value.span(), MachineFault::NoDocument { name: name.to_string() }))?;
    let checked = match (quoted, read) {
        (Some(_), false) => {
            return Err((value.span(), MachineFault::QuotedAndUnread { name: name.to_string() }));
        }
        (Some(text), true) => Checked::Quoted(text),
        (None, true) => Checked::Read,
        (None, false) => Checked::Unread,
    };
    Ok(Source { span, document, checked })
}

/// Parses a compute capability: "9.0" as (9, 0).
fn parse_capability(value: &Spanned<DeValue>) -> Result<(u32, u32), Fault> {
    let parsed = value.get_ref().as_str().and_then(|text| {
        let (major, minor) = text.split_once('.')?;
        Some((major.parse().ok().filter(|&major| major > 0)?, minor.parse().ok()?))
    });
    parsed.ok_or_else(|| (value.span(), MachineFault::Capability))
}

/// Parses a number of a machine file: a plain one, or `{ value, source, note, estimate }`.
fn number(
    key: &MachineKey,
    value: &Spanned<DeValue>,
    sources: &BTreeMap<String, Source>,
    used: &mut Vec<String>,
) -> Result<Given, Fault> {
    let path = key.path;
    let at = value.span();
    let Some(fields) = value.get_ref().as_table() else {
        return Err((at, MachineFault::NoFields { path }));
    };
    let (mut found, mut source, mut note, mut estimate) = (None, None, None, false);
    for (field, value) in fields {
        match field.get_ref().as_ref() {
            "value" => found = Some((value.span(), plain_number(path, value)?)),
            "source" => source = Some((value.span(), string(&format!("{path}'s source"), value)?)),
            "note" => note = Some(string(&format!("{path}'s note"), value)?),
            "estimate" => {
                let truth = value.get_ref().as_bool();
                estimate = truth
                    .ok_or_else(|| (value.span(), MachineFault::NoTruth { name: format!("{path}'s estimate") }))?;
            }
            other => {
                return Err((field.span(), MachineFault::UnknownOfNumber { field: other.into(), path }));
            }
        }
    }
    let (span, found) = found.ok_or_else(|| (at.clone(), MachineFault::NoValue { path }))?;
    if let Some(fault) = key.fault(found) {
        return Err((span, fault));
    }
    let (span, id) = source.ok_or_else(|| (at.clone(), MachineFault::NoSource { path }))?;
    let Some(listed) = sources.get(&id) else {
        return Err((span, MachineFault::UnlistedSource { path, name: id }));
    };
    if estimate && note.is_none() {
        return Err((at, MachineFault::EstimateWithoutNote { path }));
    }
    used.push(id);
    Ok(Given { value: found, source: listed.document.clone(), checked: listed.checked.clone(), note, estimate })
}

fn plain_number(path: &'static str, value: &Spanned<DeValue>) -> Result<f64, Fault> {
    let parsed = match value.get_ref() {
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
        DeValue::Float(float) => float.as_str().parse::<f64>().ok().filter(|number| number.is_finite()),
        _ => None,
    };
    parsed.ok_or_else(|| (value.span(), MachineFault::NoNumber { path, found: kind(value) }))
}

/// Finds a pipeline of integer products that GPUs of a compute capability do not have ([`HALVES`]).
pub(super) fn foreign(
    capability: (u32, u32),
    numbers: &BTreeMap<&'static str, Given>,
) -> Option<(&'static str, MachineFault)> {
    let [mut path, mut instead] = [keys::PIPE_IMUL.path, keys::PIPE_FMAHEAVY.path];
    if capability < HALVES {
        (path, instead) = (instead, path);
    }
    let (major, minor) = capability;
    numbers.contains_key(path).then_some((path, MachineFault::Foreign { path, major, minor, instead }))
}

/// Finds two numbers of a machine that contradict each other, and returns the key to blame and why.
pub(super) fn contradiction(numbers: &BTreeMap<&'static str, Given>) -> Option<(&'static str, MachineFault)> {
    // The first is at most the second.
    let ordered = [
        (keys::CLOCK_BASE_MHZ, keys::CLOCK_BOOST_MHZ),
        (keys::CLOCK_BOOST_MHZ, keys::CLOCK_MAX_MHZ),
        (keys::ISSUE_SINGLE, keys::ISSUE_PER_SCHEDULER),
        (keys::L1_SECTOR_BYTES, keys::L1_LINE_BYTES),
        (keys::L2_SECTOR_BYTES, keys::L2_LINE_BYTES),
        (keys::REGISTERS_PER_BLOCK, keys::REGISTERS_PER_SM),
        (keys::REGISTERS_PER_THREAD, keys::REGISTERS_PER_BLOCK),
        (keys::SHARED_PER_BLOCK, keys::SHARED_PER_SM),
        (keys::LATENCY_L1, keys::LATENCY_L2),
        (keys::LATENCY_L2, keys::LATENCY_DRAM),
    ];
    for (less, more) in ordered {
        if let (Some(a), Some(b)) = (numbers.get(less.path), numbers.get(more.path))
            && a.value > b.value
        {
            let (path, limit) = (less.path, more.path);
            return Some((path, MachineFault::Above { path, value: a.value, limit, most: b.value }));
        }
    }
    // The first is made of whole ones of the second, or of as many equal parts.
    let divided = [
        (keys::L1_LINE_BYTES, keys::L1_SECTOR_BYTES),
        (keys::L2_LINE_BYTES, keys::L2_SECTOR_BYTES),
        (keys::REGISTERS_PER_SM, keys::REGISTERS_PARTITIONS),
        (keys::REGISTERS_COARSE_UNIT, keys::REGISTERS_UNIT),
    ];
    for (whole, part) in divided {
        if let (Some(all), Some(one)) = (numbers.get(whole.path), numbers.get(part.path))
            && all.value % one.value != 0.0
        {
            let (path, whole) = (part.path, whole.path);
            return Some((path, MachineFault::NoDivisor { path, value: one.value, whole, of: all.value }));
        }
    }
    None
}
