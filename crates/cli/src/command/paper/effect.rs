//! What an answer of `raywarp paper` is made of, and so which options say anything about it: others are refused.

use crate::common::{Common, Scenes};
use crate::device::DeviceChoice;
use crate::exit::CliError;
use raywarp_lab::paper::{Exhibit, Making, is_measured};

/// Work that an answer takes. Each kind of work heeds the options of those above it as well as its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// What is stored is printed.
    Nothing,
    /// Numbers that are stored are chosen by their scenes.
    Records,
    /// Scenes are loaded and trees built.
    Trees,
    /// Rays are traced in them.
    Rays,
    /// Rates are measured on a GPU.
    Rates,
}

/// Answer of the command, which says what work is done.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answer<'a> {
    /// A list of papers, or of what is in one.
    List,
    /// A statement of this name.
    Statement(&'a str),
    /// A table or figure.
    Exhibit {
        exhibit: &'a Exhibit,
        /// `true` if its stored numbers alone are asked for.
        recorded: bool,
    },
}

impl Answer<'_> {
    /// Refuses options that the user typed and that say nothing about this answer.
    pub fn check(self, common: &Common) -> Result<(), CliError> {
        let work = self.work();
        let mut without: Vec<&str> = Vec::new();
        for (options, least) in [
            (&["--only"][..], Work::Records),
            (&Scenes::OPTIONS, Work::Trees),
            (&["--threads"], Work::Trees),
            (&["--sample", "--intervals"], Work::Rays),
        ] {
            if work < least {
                without.extend(options);
            }
        }
        // That nothing measures is true where nothing could; a GPU is named in vain.
        if work < Work::Rates && !matches!(common.device, DeviceChoice::Auto | DeviceChoice::Cpu) {
            without.push("--device");
        }
        common.refuse(&without, &self.why())
    }

    fn work(self) -> Work {
        match self {
            Self::List | Self::Statement(_) => Work::Nothing,
            Self::Exhibit { recorded: true, .. } => Work::Records,
            Self::Exhibit { exhibit, .. } => match exhibit.making {
                Making::Gpu => Work::Records,
                Making::Nodes => Work::Trees,
                Making::Kernels(_) | Making::Experiment(..) if is_measured(exhibit) => Work::Rates,
                Making::Kernels(_) | Making::Experiment(..) => Work::Rays,
            },
        }
    }

    /// Returns why nothing more than its work is done for the answer.
    fn why(self) -> String {
        match (self, self.work()) {
            (Self::List, _) => "a list is printed as it is stored".to_string(),
            (Self::Statement(name), _) => format!("{name} is a statement, which is judged by what is stored"),
            (Self::Exhibit { recorded: true, .. }, _) => "with --recorded nothing is made".to_string(),
            (Self::Exhibit { exhibit, .. }, Work::Trees) => format!("{} counts nodes of trees alone", exhibit.name),
            (Self::Exhibit { exhibit, .. }, Work::Rays) => format!("{} is simulated, and not measured", exhibit.name),
            (Self::Exhibit { exhibit, .. }, _) => format!("{} has recorded numbers alone", exhibit.name),
        }
    }
}
