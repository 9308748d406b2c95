//! Rates that were recorded once, as data: `rates/*.toml`, with machine, date and command.

use crate::corpus::{CodeState, RecordedRun};
use raywarp_cuda::Query;
use raywarp_family::Variant;
use raywarp_workload::rays::RayKind;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Rates of other projects' tracers that were recorded on one machine.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedTracers {
    /// Name of the machine.
    pub machine: String,
    /// Version of its driver.
    pub driver: String,
    /// Clock rate while the tracers ran, in MHz.
    pub clock_mhz: u32,
    /// Days on which the rates were measured.
    pub date: String,
    /// Compiler of the tracers' kernels.
    pub compiler: String,
    /// Command that makes the same rays.
    pub command: String,
    /// Statement on how the kernels were timed.
    pub timing: String,
    /// Tracers that were measured.
    pub tracer: Vec<RecordedTracer>,
}

/// Another project's tracer with its rates.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedTracer {
    /// Name of the tracer and its algorithm.
    pub name: String,
    /// Text of our variant that does the same as the tracer; `None` if there is none.
    pub stand_in: Option<String>,
    /// Rates by name of the scene.
    pub mega_rates: BTreeMap<String, KindRates>,
}

/// Millions of rays a second by kind of the rays; `None` where not measured.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindRates {
    /// Rate of primary rays.
    pub primary: Option<f64>,
    /// Rate of ambient occlusion rays.
    pub ao: Option<f64>,
    /// Rate of diffuse rays.
    pub diffuse: Option<f64>,
}

/// Rates of one of our kernels that were recorded in one scene.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedKernel {
    /// Name of the run ([`RecordedRun::built_in`]).
    pub run: String,
    /// Name of the run's file with the rates.
    pub file: String,
    /// Name of the machine's file.
    pub machine: String,
    /// Version of its driver.
    pub driver: String,
    /// Day on which the rates were measured.
    pub date: String,
    /// Command that measured them.
    pub command: String,
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the scene.
    pub scene: String,
    /// Millions of rays a second, of primary, AO and diffuse rays.
    pub mega_rates: [f64; 3],
}

impl RecordedKernel {
    /// Returns whether the machine code that the kernel had for a query is today's.
    pub fn state(&self, query: Query) -> CodeState {
        let unknown = |why: &str| CodeState::Unknown(why.to_string());
        let Ok(variant) = self.kernel.parse::<Variant>() else { return unknown("it is no kernel of ours") };
        let run = RecordedRun::built_in(&self.run);
        run.map_or_else(|| unknown("no run of this name is known"), |run| run.state(&self.file, &variant, query))
    }
}

impl RecordedTracer {
    /// Returns the rate of a kind of rays in a scene, in Mrays/s; `None` where it was not measured.
    pub fn rate(&self, scene: &str, kind: RayKind) -> Option<f64> {
        let rates = self.mega_rates.get(scene)?;
        match kind {
            RayKind::Primary => rates.primary,
            RayKind::Ao => rates.ao,
            RayKind::Diffuse => rates.diffuse,
        }
    }
}

/// Returns the rates of other projects' tracers on an H200.
pub fn tracers_on_h200() -> &'static RecordedTracers {
    static RATES: LazyLock<RecordedTracers> =
        LazyLock::new(|| built_in("tracers-h200.toml", include_str!("../rates/tracers-h200.toml")));
    &RATES
}

/// Returns the rates of ALK12's Kepler kernel on an H200.
pub fn kernel_on_h200() -> &'static RecordedKernel {
    static RATES: LazyLock<RecordedKernel> =
        LazyLock::new(|| built_in("alk12-kepler-h200.toml", include_str!("../rates/alk12-kepler-h200.toml")));
    &RATES
}

/// Parses recorded rates that are built in, and panics if they are faulty, which the tests exclude.
fn built_in<T: DeserializeOwned>(name: &str, text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("rates/{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bar::SCENES;

    #[test]
    fn recorded_rates_are_of_known_scenes_and_say_when_and_how() {
        let tracers = tracers_on_h200();
        assert_eq!(tracers.tracer.len(), 7);
        let scenes = tracers.tracer.iter().flat_map(|tracer| tracer.mega_rates.keys());
        assert!(scenes.clone().count() == 41 && scenes.into_iter().all(|scene| SCENES.contains(&scene.as_str())));
        let unmeasured = &tracers.tracer[4];
        assert_eq!(unmeasured.rate("crytek_sponza", RayKind::Primary), Some(3101.0));
        assert_eq!(unmeasured.rate("crytek_sponza", RayKind::Ao), None);
        assert_eq!(unmeasured.rate("san_miguel", RayKind::Primary), None);
        let kernel = kernel_on_h200();
        for (date, command) in [(&tracers.date, &tracers.command), (&kernel.date, &kernel.command)] {
            assert!(date.starts_with("2026-11-") && command.contains("raywarp bench "), "{date}: {command}");
        }
    }

    /// Compares the rates with the record that they were taken from, where the repository is at hand.
    #[test]
    fn the_kernels_rates_are_those_of_the_record() {
        let kernel = kernel_on_h200();
        let runs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/runs");
        let Ok(text) = std::fs::read_to_string(format!("{runs}/{}/{}", kernel.run, kernel.file)) else { return };
        assert!(text.starts_with(&format!("{}: ", kernel.scene)));
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(&kernel.kernel)).unwrap();
        let rates = line.split_whitespace().skip(1).step_by(2).take(3).map(|cell| cell.parse::<f64>().unwrap());
        assert_eq!(rates.collect::<Vec<_>>(), kernel.mega_rates);
    }

    #[test]
    fn the_kernels_machine_code_then_is_known() {
        for query in Query::ALL {
            assert!(kernel_on_h200().state(query).then().is_some(), "{query:?}");
            let other = RecordedKernel { file: "blocks.txt".into(), ..kernel_on_h200().clone() };
            assert!(matches!(other.state(query), CodeState::Unknown(_)));
        }
    }

    #[test]
    fn a_key_that_nobody_knows_is_refused() {
        let text = include_str!("../rates/alk12-kepler-h200.toml");
        assert!(toml::from_str::<RecordedKernel>(text).is_ok());
        assert!(toml::from_str::<RecordedKernel>(&format!("{text}when = 1\n")).is_err());
        assert!(toml::from_str::<RecordedKernel>(&text.replacen("date = ", "# ", 1)).is_err());
    }
}
