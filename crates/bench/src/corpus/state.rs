//! A kernel's machine code in a run beside today's.

use super::RecordedRun;
use raywarp_cuda::{CodeHash, FAMILY, KernelSet, Query, kernel_name};
use raywarp_family::Variant;
use std::fmt;

/// What is known of a kernel's machine code in a recorded run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeThen {
    /// Hash of its machine code.
    Known(CodeHash),
    /// Nothing, for this reason.
    Unknown(String),
}

/// A kernel's machine code in a recorded run beside today's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeState {
    /// The machine code is today's.
    Same(CodeHash),
    /// The kernel was compiled anew since, to other machine code.
    Changed {
        /// Hash of the machine code that ran.
        then: CodeHash,
        /// Hash of today's.
        today: CodeHash,
    },
    /// No kernel of this name is compiled today.
    Gone(CodeHash),
    /// It is not known which machine code ran, for this reason.
    Unknown(String),
}

impl CodeThen {
    /// Compares the machine code of a kernel then with the one of today, of the family or of other sets.
    pub fn beside_today(&self, kernel: &str, architecture: u32, sets: &[&KernelSet]) -> CodeState {
        let then = match self {
            Self::Known(then) => *then,
            Self::Unknown(why) => return CodeState::Unknown(why.clone()),
        };
        match sets.iter().find_map(|set| set.code_hash(kernel, architecture)) {
            Some(today) if today == then => CodeState::Same(today),
            Some(today) => CodeState::Changed { then, today },
            None => CodeState::Gone(then),
        }
    }
}

impl CodeState {
    /// Returns `true` if rates and counters of the run are those of today's machine code.
    pub fn is_same(&self) -> bool {
        matches!(self, Self::Same(_))
    }

    /// Returns a word for the state: same, changed, gone or unknown.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Same(_) => "same",
            Self::Changed { .. } => "changed",
            Self::Gone(_) => "gone",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Returns the hash of the machine code that ran; `None` where it is not known.
    pub fn then(&self) -> Option<CodeHash> {
        match self {
            Self::Same(then) | Self::Changed { then, .. } | Self::Gone(then) => Some(*then),
            Self::Unknown(_) => None,
        }
    }
}

impl fmt::Display for CodeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same(_) => f.write_str("its machine code is today's"),
            Self::Changed { then, today } => {
                write!(f, "it has changed since: its machine code then was {then}, today's is {today}")
            }
            Self::Gone(then) => write!(f, "its machine code then was {then}; there is no such kernel today"),
            Self::Unknown(why) => write!(f, "its machine code then is not known: {why}"),
        }
    }
}

impl RecordedRun {
    /// Returns the state of a kernel of the family in one file of the run.
    pub fn state(&self, file: &str, variant: &Variant, query: Query) -> CodeState {
        let kernel = kernel_name(variant, query);
        self.state_of(file, &kernel, &[&FAMILY])
    }

    /// Returns the state of the kernel of this name in one file of the run; today's is looked for in `sets`, for
    /// instance those of the path tracer.
    pub fn state_of(&self, file: &str, kernel: &str, sets: &[&KernelSet]) -> CodeState {
        let Some(architecture) = self.architecture else {
            return CodeState::Unknown("its run names no architecture of a GPU".to_string());
        };
        self.code_in(file, kernel).beside_today(kernel, architecture, sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_cuda::code_hash;

    #[test]
    fn a_bit_of_machine_code_more_is_noticed() {
        let (variant, query) = (Variant::RAYWARP_H8, Query::Closest);
        let name = kernel_name(&variant, query);
        let today = code_hash(&variant, query, 90).unwrap();
        let run = |code: &str| {
            let text = format!(
                "date = \"\"\nmachine = \"\"\narchitecture = 90\n[[files]]\nnames = [\"bench.csv\"]\n\
                 command = \"\"\n[files.code]\n{name} = \"{code}\"\ngone = \"{code}\"\n"
            );
            RecordedRun::parse(&text).unwrap()
        };
        let own = run(&today.to_string());
        assert_eq!(own.state("bench.csv", &variant, query), CodeState::Same(today));
        assert_eq!(own.state_of("bench.csv", "gone", &[&FAMILY]), CodeState::Gone(today));
        assert!(matches!(own.state("other.csv", &variant, query), CodeState::Unknown(_)));
        // The kernel with one bit of its machine code changed.
        let mut code = raywarp_cuda::machine_code(&variant, query, 90).unwrap().to_vec();
        code[4096] ^= 1;
        let then = CodeHash::of(&code);
        let state = run(&then.to_string()).state("bench.csv", &variant, query);
        assert_eq!(state, CodeState::Changed { then, today });
        assert_eq!((state.name(), state.is_same(), state.then()), ("changed", false, Some(then)));
    }

    #[test]
    fn the_machine_code_of_another_architecture_is_another() {
        let (variant, query) = (Variant::RAYWARP_H8, Query::Closest);
        let then = CodeThen::Known(code_hash(&variant, query, 90).unwrap());
        let name = kernel_name(&variant, query);
        let state = |architecture| then.beside_today(&name, architecture, &[&FAMILY]).name();
        assert_eq!((state(90), state(80), state(20)), ("same", "changed", "gone"));
    }
}
