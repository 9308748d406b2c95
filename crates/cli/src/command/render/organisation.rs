//! Organisations of paths on GPUs: `--organisation`, and the options that only some of them have.

use crate::device::DeviceChoice;
use crate::exit::CliError;
use crate::heading;
use crate::whole_number::whole;
use clap::{Args, ValueEnum};
use raywarp::render::gpu::EngineOptions;
use raywarp_lab::experiments::{Compaction, ListedAt, MeasuredOrganisation, PathExperiment};
use std::fmt;

/// Options of the organisations of the GPU path tracer.
#[derive(Debug, Clone, Args)]
pub struct OrganisationArgs {
    /// Organisation of a GPU's path tracer, such as megakernel [default: wavefront-sorted].
    ///
    /// Where it is named a GPU renders: the first one with --device auto, and it is an error if there is none.
    /// wavefront-sorted runs a kernel a stage over queues of rays and one for each class of materials, and is the
    /// fastest (docs/internals/path-tracer.md); graph has a GPU repeat its rounds as a CUDA graph; wavefront has one
    /// kernel for all materials. megakernel, or naive, takes whole paths. compact runs a bounce a launch, and lists the
    /// paths that go on between them; tiled-global and tiled-shared do so inside of a block, whose paths are in the
    /// device's memory or in that of the block; with regenerate lanes begin another path; split begins paths, takes
    /// them to their ends and adds them to the film in a kernel each (Wald 2011, and others: docs/papers/w11.md). With
    /// rays the GPU traces, and the CPU shades. The picture has the same bytes with each. ao, normal and depth have a
    /// kernel of their own with any; with --layers normal and depth are rendered as with rays. cost is for the CPU.
    #[arg(long, value_enum, value_name = "NAME", hide_possible_values = true, help_heading = heading::MACHINE)]
    organisation: Option<PathsOn>,
    /// Method that lists paths that go on, of compact and regenerate: scan, atomics, off.
    ///
    /// scan keeps their order, atomics do not. With off lanes whose path has ended are idle (compact) or begin another
    /// at once (regenerate). [default: scan; of regenerate off]
    #[arg(long, value_enum, value_name = "HOW", hide_possible_values = true, help_heading = heading::MACHINE)]
    compaction: Option<CompactionArg>,
    /// Places in a bounce where paths are listed, of compact: start, shadow, end [default: end].
    ///
    /// One or several, comma-separated. start is behind the rays that extend paths (those that have hit something are
    /// shaded), shadow before the rays that connect them to lights (those that have one), end behind all of it (those
    /// that go on). With more than end a bounce is three kernels, for scenes of diffuse surfaces alone, as --clay makes
    /// them.
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',', hide_possible_values = true, help_heading = heading::MACHINE)]
    compaction_at: Vec<CompactionAt>,
    /// Side that reads how many paths go on, of the same two and of wavefronts: device, host.
    ///
    /// A host does so after each bounce, or round of wavefront and wavefront-sorted, launches as many lanes, and stops
    /// when no path is left.
    #[arg(long, value_enum, value_name = "WHO", default_value = "device", hide_possible_values = true, help_heading = heading::MACHINE)]
    counts: CountsArg,
    /// Paths of each of a tile's 64 threads, 1 to 512 (W11's M), of tiled-global and tiled-shared
    #[arg(long = "paths-a-thread", value_name = "M", default_value_t = 8, value_parser = whole::<u32>(1..=512), help_heading = heading::MACHINE)]
    paths_per_thread: u32,
    /// Paths in flight at most [default: by organisation; docs/internals/path-tracer.md].
    ///
    /// Less where a GPU has not the memory for it; of queues at most 131,072 for each multiprocessor.
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1 << 26), help_heading = heading::MACHINE)]
    paths_in_flight: Option<u32>,
}

impl OrganisationArgs {
    /// Returns the options of the GPU path tracer, if GPUs trace whole paths.
    pub fn engine(&self) -> Option<EngineOptions> {
        let of = PathExperiment::of(self.organisation().organisation()?);
        let experiment = PathExperiment {
            compaction: self.compaction.map_or(of.compaction, CompactionArg::compaction),
            listed_at: self.listed_at().unwrap_or(of.listed_at),
            host_counts: self.counts == CountsArg::Host,
            paths_per_lane: self.paths_per_thread,
            paths: self.paths_in_flight.map_or(of.paths, |paths| paths as usize),
            ..of
        };
        Some(experiment.into())
    }

    /// Returns where paths are listed in device memory, if an option says so.
    fn listed_at(&self) -> Option<ListedAt> {
        let [start, shadow, end] =
            [CompactionAt::Start, CompactionAt::Shadow, CompactionAt::End].map(|at| self.compaction_at.contains(&at));
        (!self.compaction_at.is_empty()).then_some(ListedAt { start, shadow, end, in_parts: false })
    }

    /// Returns the organisation that is named or the default.
    fn organisation(&self) -> PathsOn {
        self.organisation.unwrap_or(PathsOn::WavefrontSorted)
    }

    /// Returns `--organisation` as it was given, for an error; `None` if it was not. A megakernel has Wald's name
    /// behind its own, which may be the one that was given.
    pub fn named(&self) -> Option<String> {
        let also = |organisation| if organisation == PathsOn::Megakernel { " (naive)" } else { "" };
        self.organisation.map(|own| format!("--organisation {}{}", own.name(), also(own)))
    }

    /// Refuses options that the organisation does not use, and all of them where the CPU renders on `device`.
    pub fn check(&self, device: &DeviceChoice) -> Result<(), CliError> {
        let unused = self.unused().or_else(|| self.of_gpus().filter(|_| *device == DeviceChoice::Cpu));
        unused.map_or(Ok(()), |unused| Err(CliError::usage(unused)))
    }

    /// Returns the first option that was given, all of which are for GPUs alone.
    fn of_gpus(&self) -> Option<Unused> {
        let others =
            [(self.counts == CountsArg::Host, "--counts host"), (self.paths_in_flight.is_some(), "--paths-in-flight")];
        let other = || others.iter().find(|(is_given, _)| *is_given).map(|(_, option)| (*option).to_string());
        self.named().or_else(other).map(|option| Unused::ByTheCpu { option })
    }

    /// Returns the first option that the organisation does not use.
    fn unused(&self) -> Option<Unused> {
        let organisation = self.organisation();
        let lists = matches!(organisation, PathsOn::Compact | PathsOn::Regenerate);
        let counts = lists || matches!(organisation, PathsOn::Wavefront | PathsOn::WavefrontSorted);
        let tiled = matches!(organisation, PathsOn::TiledGlobal | PathsOn::TiledShared);
        let compact = organisation == PathsOn::Compact;
        if self.compaction == Some(CompactionArg::Off) && !self.compaction_at.is_empty() {
            return Some(Unused::CompactionAt);
        }
        let unknown = [
            (!self.compaction_at.is_empty() && !compact, "--compaction-at", "compact"),
            (self.compaction.is_some() && !lists, "--compaction", "compact and regenerate"),
            (
                self.counts == CountsArg::Host && !counts,
                "--counts host",
                "compact, regenerate, wavefront and wavefront-sorted",
            ),
            (self.paths_per_thread != 8 && !tiled, "--paths-a-thread", "tiled-global and tiled-shared"),
            (self.paths_in_flight.is_some() && organisation == PathsOn::Rays, "--paths-in-flight", "all but rays"),
        ];
        let (_, option, of) = unknown.into_iter().find(|(is_asked, ..)| *is_asked)?;
        Some(Unused::Option { option, of, organisation })
    }
}

/// Option that would change nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Unused {
    /// The option is for other organisations.
    Option { option: &'static str, of: &'static str, organisation: PathsOn },
    /// `--compaction-at` has no meaning with `--compaction off`.
    CompactionAt,
    /// The option is for GPUs, but the CPU is named.
    ByTheCpu { option: String },
}

impl fmt::Display for Unused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option { option, of, organisation } => {
                write!(f, "{option} is for --organisation {of}; leave it out with {}", organisation.name())
            }
            Self::CompactionAt => f.write_str("--compaction off lists no paths; leave out --compaction-at"),
            Self::ByTheCpu { option } => {
                write!(f, "{option} with --device cpu: it is for GPUs, such as --device cuda; leave out one of them")
            }
        }
    }
}

/// Organisations that `--organisation` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)] // As `MeasuredOrganisation` has them.
pub enum PathsOn {
    WavefrontSorted,
    Graph,
    Wavefront,
    /// Wald 2011 calls it naive.
    #[value(alias = "naive")]
    Megakernel,
    Compact,
    TiledGlobal,
    TiledShared,
    Regenerate,
    Split,
    /// The CPU shades.
    Rays,
}

impl PathsOn {
    /// Returns the name of the organisation as `--organisation` takes it.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
    }

    /// Returns the organisation of path tracing on the GPU, if the GPU traces whole paths.
    fn organisation(self) -> Option<MeasuredOrganisation> {
        Some(match self {
            Self::WavefrontSorted => MeasuredOrganisation::WavefrontSorted,
            Self::Graph => MeasuredOrganisation::Graph,
            Self::Wavefront => MeasuredOrganisation::Wavefront,
            Self::Megakernel => MeasuredOrganisation::Megakernel,
            Self::Compact => MeasuredOrganisation::Compact,
            Self::TiledGlobal => MeasuredOrganisation::TiledGlobal,
            Self::TiledShared => MeasuredOrganisation::TiledShared,
            Self::Regenerate => MeasuredOrganisation::Regenerate,
            Self::Split => MeasuredOrganisation::Split,
            Self::Rays => return None,
        })
    }
}

/// Ways to list paths that `--compaction` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompactionArg {
    Scan,
    Atomics,
    Off,
}

impl CompactionArg {
    fn compaction(self) -> Compaction {
        match self {
            Self::Scan => Compaction::Scan,
            Self::Atomics => Compaction::Atomics,
            Self::Off => Compaction::Off,
        }
    }
}

/// Places in a bounce that `--compaction-at` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompactionAt {
    Start,
    Shadow,
    End,
}

/// Readers of counts that `--counts` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CountsArg {
    Device,
    Host,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: OrganisationArgs,
    }

    fn parse(line: &str) -> OrganisationArgs {
        Line::try_parse_from(format!("line {line}").split_whitespace()).unwrap().args
    }

    fn unused(line: &str) -> Option<Unused> {
        parse(&format!("--organisation {line}")).unused()
    }

    #[test]
    fn what_is_for_gpus_is_refused_where_the_cpu_is_named_and_nowhere_else() {
        for (line, option) in [
            ("--organisation compact", "--organisation compact"),
            ("--organisation wavefront-sorted", "--organisation wavefront-sorted"),
            ("--organisation rays", "--organisation rays"),
            ("--organisation naive --counts device", "--organisation megakernel (naive)"),
            ("--counts host", "--counts host"),
            ("--paths-in-flight 100", "--paths-in-flight"),
        ] {
            let args = parse(line);
            assert_eq!(args.of_gpus(), Some(Unused::ByTheCpu { option: option.to_string() }), "{line}");
            assert!(args.check(&DeviceChoice::Cpu).is_err(), "{line}");
            for device in [DeviceChoice::Auto, DeviceChoice::FirstCuda] {
                assert!(args.check(&device).is_ok(), "{line} {device}");
            }
        }
        assert!(parse("").check(&DeviceChoice::Cpu).is_ok());
    }

    #[test]
    fn walds_naive_kernel_is_the_megakernel() {
        assert_eq!(parse("--organisation naive").organisation(), PathsOn::Megakernel);
        assert_eq!(parse("").organisation(), PathsOn::WavefrontSorted);
    }

    #[test]
    fn an_option_is_refused_by_the_organisations_that_do_not_use_it() {
        use PathsOn::*;
        let lists = "compact and regenerate";
        let counts = "compact, regenerate, wavefront and wavefront-sorted";
        for (line, option, of, organisation) in [
            ("megakernel --compaction scan", "--compaction", lists, Megakernel),
            ("tiled-shared --compaction off", "--compaction", lists, TiledShared),
            ("wavefront-sorted --compaction scan", "--compaction", lists, WavefrontSorted),
            ("megakernel --compaction-at start", "--compaction-at", "compact", Megakernel),
            ("compact --paths-a-thread 4", "--paths-a-thread", "tiled-global and tiled-shared", Compact),
            ("split --counts host", "--counts host", counts, Split),
            ("graph --counts host", "--counts host", counts, Graph),
            ("rays --paths-in-flight 100", "--paths-in-flight", "all but rays", Rays),
        ] {
            assert_eq!(unused(line), Some(Unused::Option { option, of, organisation }), "{line}");
        }
        assert_eq!(unused("compact --compaction off --compaction-at end"), Some(Unused::CompactionAt));
        for line in [
            "compact --compaction atomics --compaction-at start,end --counts host",
            "regenerate --compaction off",
            "wavefront --counts host",
            "tiled-global --paths-a-thread 4",
            "split --paths-in-flight 100",
        ] {
            assert_eq!(unused(line), None, "{line}");
        }
    }
}
