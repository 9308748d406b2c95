//! Simulated GPUs as data: a file a machine, and a source for each number.
//!
//! [`Machine::find`] takes the name of one that is built in ([`Machine::builtin`]: the files of `machines/`) or the
//! path of a user's own file; [`Machine::set`] changes any number by its key (`l2.bytes`). [`keys`] says what numbers
//! there are. How many warps a launch keeps resident on a machine is in [`occupancy`](Machine::occupancy).

mod fault;
pub mod keys;
mod occupancy;
mod parse;
mod table;

pub use fault::MachineFault;
pub use keys::MachineKey;
pub use occupancy::{LaunchResources, Occupancy, OccupancyError, OccupancyLimit};
pub use table::{number_table, source_list};

use fault::hint;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Names and texts of the built-in machine files, by age of the machine; copies of `machines/`, made by `cargo xtask
/// copies`.
const FILES: [(&str, &str); 9] = [
    ("gtx285", include_str!("../../machines/gtx285.toml")),
    ("gtx480", include_str!("../../machines/gtx480.toml")),
    ("gtx680", include_str!("../../machines/gtx680.toml")),
    ("gtxtitan", include_str!("../../machines/gtxtitan.toml")),
    ("a100", include_str!("../../machines/a100.toml")),
    ("h100", include_str!("../../machines/h100.toml")),
    ("h200", include_str!("../../machines/h200.toml")),
    ("rtx4090", include_str!("../../machines/rtx4090.toml")),
    ("rtx5090", include_str!("../../machines/rtx5090.toml")),
];

/// Largest size in bytes of a machine file; the built-in ones have less than a tenth of it.
const MAX_BYTES: u64 = 1 << 20;

/// Degree to which the source of a machine's number was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// The source was read, or the number is a measurement of ours.
    Read,
    /// The user has set the number ([`Machine::set`]).
    Set,
    /// The source was not read, but a text that quotes or copies it, which is named.
    Quoted(String),
    /// The source could not be had: the number is known, and the document said to have it.
    Unread,
}

/// A machine's number, with where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// Value of the number, in its key's unit.
    pub value: f64,
    /// Name of the document or run that has the number; "set by the user" after [`Machine::set`].
    pub source: String,
    /// Degree to which the source was checked.
    pub checked: Checked,
    /// Note on how the number was read or derived from the source, where that needs saying.
    pub note: Option<String>,
    /// `true` if the number is not in the source but was derived from it, as the note says.
    pub estimate: bool,
}

/// A GPU described by numbers, from a machine file.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    name: String,
    capability: (u32, u32),
    numbers: BTreeMap<&'static str, Given>,
}

/// Error that a machine cannot be loaded, or that a number of it is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// The name is neither that of a built-in machine nor that of a file.
    #[error("no machine \"{name}\"; there are {known}, or give the path of a .toml file")]
    Unknown {
        /// Name that was asked for.
        name: String,
        /// Names of the built-in machines.
        known: String,
    },
    /// The machine file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// Path of the machine file.
        path: PathBuf,
        /// Error of reading the machine file.
        source: std::io::Error,
    },
    /// The file is not a valid machine file.
    #[error("{file}: line {line}: {}", fault.to_string().replace('\n', " "))]
    Malformed {
        /// Name of the file, or of a built-in machine.
        file: String,
        /// Line number in the file, counted from 1.
        line: usize,
        /// What is wrong there.
        fault: MachineFault,
    },
    /// No machine has a number of this name.
    #[error("no number \"{key}\" in a machine{}", hint(near))]
    Key {
        /// Name of the number that was asked for.
        key: String,
        /// Names of similar numbers, best first.
        near: Vec<&'static str>,
    },
    /// The value is not allowed for its number.
    #[error(transparent)]
    Value(#[from] MachineFault),
}

/// Reads the text of a file of at most `most` bytes, as a device file may never end.
///
/// # Errors
/// What reading it says; that it is longer; that it is no UTF-8.
pub fn read_text(path: &Path, most: u64) -> std::io::Result<String> {
    use std::io::{Error, Read};
    let mut text = String::new();
    std::fs::File::open(path)?.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(Error::other(format!("it has more than {most} bytes")));
    }
    Ok(text)
}

impl Machine {
    /// Returns the short names of the built-in machines, oldest first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FILES.iter().map(|&(name, _)| name)
    }

    /// Returns all built-in machines, oldest first.
    ///
    /// # Panics
    /// If a built-in file is malformed: a bug, and the tests read them all.
    pub fn builtin() -> Vec<Self> {
        Self::read_once().to_vec()
    }

    fn read_once() -> &'static [Self] {
        static MACHINES: OnceLock<Vec<Machine>> = OnceLock::new();
        let read = |(name, text): &(&str, &str)| {
            Self::parse(&format!("{name}.toml"), text).expect("built-in files are read by tests")
        };
        MACHINES.get_or_init(|| FILES.iter().map(read).collect())
    }

    /// Returns the machine with a short name ("h200"), a full name ("GeForce GTX 285") or the path of its file.
    ///
    /// Case, spaces and dashes of a name don't matter; what ends in `.toml` or has a `/` is a path.
    ///
    /// # Errors
    /// [`MachineError`] when there is none, or the file is malformed.
    pub fn find(name_or_path: &str) -> Result<Self, MachineError> {
        if name_or_path.ends_with(".toml") || name_or_path.contains(['/', '\\']) {
            return Self::load(Path::new(name_or_path));
        }
        let plain = |name: &str| -> String {
            name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_ascii_lowercase()
        };
        let asked = plain(name_or_path);
        for (short, text) in FILES {
            let machine = Self::parse(&format!("{short}.toml"), text)?;
            if short == asked || plain(machine.name()) == asked {
                return Ok(machine);
            }
        }
        let known = FILES.map(|(name, _)| name).join(", ");
        Err(MachineError::Unknown { name: name_or_path.into(), known })
    }

    /// Reads a machine file.
    ///
    /// # Errors
    /// [`MachineError::Read`] and [`MachineError::Malformed`].
    pub fn load(path: &Path) -> Result<Self, MachineError> {
        let read_error = |source| MachineError::Read { path: path.to_path_buf(), source };
        let text = read_text(path, MAX_BYTES).map_err(read_error)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Returns the vendor's name for the machine.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the machine's major and minor compute capability.
    pub fn capability(&self) -> (u32, u32) {
        self.capability
    }

    /// Returns a number that the machine need not have; `None` where no source has it.
    pub fn get(&self, key: &MachineKey) -> Option<f64> {
        self.given(key).map(|given| given.value)
    }

    /// Returns a number of the machine with its source.
    pub fn given(&self, key: &MachineKey) -> Option<&Given> {
        self.numbers.get(key.path)
    }

    /// Returns a number that every machine has ([`MachineKey::required`]).
    ///
    /// # Panics
    /// If the key is not a required one.
    pub fn need(&self, key: &MachineKey) -> f64 {
        assert!(key.required, "{} is not in every machine", key.path);
        self.numbers[key.path].value
    }

    /// Returns a number that every machine has, as [`Machine::need`], for a count.
    ///
    /// # Panics
    /// If the key is not a required one.
    pub fn count(&self, key: &MachineKey) -> u32 {
        debug_assert!(key.whole && key.most <= f64::from(u32::MAX), "{} is no count of 32 bits", key.path);
        // The range of a count was checked when it was read or set.
        self.need(key) as u32
    }

    /// Returns all numbers that the machine has, in the order of [`keys::ALL`].
    pub fn numbers(&self) -> impl Iterator<Item = (&'static MachineKey, &Given)> {
        keys::ALL.iter().filter_map(|key| Some((*key, self.given(key)?)))
    }

    /// Returns the numbers that differ from the built-in machine of that name: set by the user, in the user's file, or
    /// missing. None where no machine of that name and compute capability is built in.
    pub fn altered(&self) -> Option<Vec<&'static MachineKey>> {
        let is_it = |machine: &Self| machine.name == self.name && machine.capability == self.capability;
        let builtin = Self::read_once().iter().find(|machine| is_it(machine))?;
        Some(keys::ALL.iter().copied().filter(|key| self.get(key) != builtin.get(key)).collect())
    }

    /// Returns `true` if `fma` has a heavy half, which multiplies integers: since compute capability 7.0.
    pub fn has_fmaheavy(&self) -> bool {
        self.capability >= parse::HALVES
    }

    /// Returns the largest number of warp instructions that the whole machine issues in a second.
    pub fn issue_per_s(&self) -> f64 {
        let per_clock = self.need(keys::SM_SCHEDULERS) * self.need(keys::ISSUE_PER_SCHEDULER);
        self.need(keys::SM_COUNT) * per_clock * self.clock_hz()
    }

    /// Returns the machine's clock rate in Hz.
    pub fn clock_hz(&self) -> f64 {
        self.need(keys::CLOCK_MHZ) * 1e6
    }

    /// Sets a number of the machine, such as `l2.bytes` to `1e8`, or to `2x` for twice its value.
    ///
    /// # Errors
    /// [`MachineError::Key`] for a key that no machine has, with keys like it; [`MachineError::Value`] for what is no
    /// number, is out of range, is a multiple of a number that this machine lacks, or contradicts another number of it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), MachineError> {
        let known = keys::find(key).ok_or_else(|| MachineError::Key { key: key.into(), near: keys::near(key) })?;
        let number = |text: &str| {
            let parsed = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            parsed.ok_or_else(|| MachineFault::NotParsed { key: key.into(), text: value.into() })
        };
        let now = match value.trim().strip_suffix('x') {
            Some(factor) => {
                let before = self.get(known).ok_or_else(|| MachineFault::NothingToMultiply {
                    key: key.into(),
                    text: value.into(),
                    machine: self.name.clone(),
                })?;
                before * number(factor)?
            }
            None => number(value)?,
        };
        if let Some(fault) = known.fault(now) {
            return Err(fault.into());
        }
        let note = self.get(known).map(|before| format!("was {before}"));
        let given =
            Given { value: now, source: "set by the user".into(), checked: Checked::Set, note, estimate: false };
        let before = self.numbers.insert(known.path, given);
        if let Some((_, fault)) =
            parse::contradiction(&self.numbers).or_else(|| parse::foreign(self.capability, &self.numbers))
        {
            match before {
                Some(before) => self.numbers.insert(known.path, before),
                None => self.numbers.remove(known.path),
            };
            return Err(fault.into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
