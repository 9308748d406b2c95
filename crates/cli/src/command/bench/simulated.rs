//! `raywarp bench --simulate`: what was just measured beside what is possible.

use crate::command::bench::args::BenchArgs;
use crate::command::bench::place::Place;
use crate::command::simulate::measured_bounds;
use crate::common::Common;
use crate::exit::CliError;
use crate::flags;
use raywarp::system;
use raywarp_lab::bench::{BenchRequest, SceneReport, Target};
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::measured::{GpuFacts, MeasuredReport, MeasuredRequest, machine_of, rates_of, set_clock};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name of the file in a recorded run that puts measured rates beside simulated bounds.
pub(super) const FILE: &str = "bounds.csv";

/// Returns the machine to simulate, determined before anything is measured; `None` if nothing is to be simulated.
pub(super) fn machine(args: &BenchArgs, target: &Target, common: &Common) -> Result<Option<Machine>, CliError> {
    if !args.simulate {
        return Ok(None);
    }
    let Target::Cuda(device) = target else {
        return Err(CliError::machine("--simulate knows what GPUs could do: it needs --device cuda"));
    };
    let (major, minor) = device.capability();
    let machine = match &args.machine {
        Some(name) => {
            common.files.reads(Path::new(name))?;
            measured_bounds::machine(name)?
        }
        None => {
            let count = device.multiprocessors().map_err(CliError::machine)?;
            let memory_bytes = device.free_memory().map_err(CliError::machine)? as u64;
            let gpu =
                GpuFacts { name: device.name(), capability: (major, minor), multiprocessors: count, memory_bytes };
            machine_of(&gpu).ok_or_else(|| {
                let names: Vec<&str> = Machine::names().collect();
                CliError::usage(format!(
                    "--simulate: no machine is \"{}\" (compute capability {major}.{minor}, {count} multiprocessors); give --machine with {} \
                     or a file of your own (docs/reference/machines.md)",
                    device.name(),
                    names.join(", ")
                ))
            })?
        }
    };
    let (of_major, of_minor) = machine.capability();
    if (i64::from(of_major), i64::from(of_minor)) != (i64::from(major), i64::from(minor)) {
        common.note(format!(
            "warning: {} has compute capability {of_major}.{of_minor}, {} {major}.{minor}",
            machine.name(),
            device.name()
        ));
    }
    // That of an earlier run would stand beside other rates.
    if let Some(file) = args.record.as_ref().map(|folder| folder.join(FILE)).filter(|file| file.exists()) {
        std::fs::remove_file(&file).map_err(|error| CliError::output(format!("{}: {error}", file.display())))?;
    }
    Ok(Some(machine))
}

/// Simulates each measured scene and prints the tables; results so far are in `simulated` even after an error.
pub(super) fn run(
    (args, request, machine): (&BenchArgs, &BenchRequest, &Machine),
    scenes: &[PathBuf],
    reports: &[SceneReport],
    simulated: &mut Vec<MeasuredReport>,
    common: &Common,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    for (scene, report) in scenes.iter().zip(reports) {
        let rates = rates_of(report);
        if rates.is_empty() {
            continue;
        }
        let Place { loaded, path, name, views } = Place::find(args, common, scene)?;
        let mut machine = machine.clone();
        let clock = set_clock(&mut machine, report.clocks).to_string();
        let request = MeasuredRequest {
            scene: name,
            views: measured_bounds::views_of(&rates, views),
            size: request.size,
            rays_per_pixel: request.rays_per_pixel,
            sample: args.simulate_sample.unwrap_or(measured_bounds::SAMPLE) as usize,
            machine,
            clock,
            rates,
        };
        let beside = measured_bounds::run(&loaded.scene, &path, &request, common)?;
        if !common.json {
            writeln!(out, "\n{}", common.written(&flags::in_report(&beside.document())))?;
            out.flush()?;
        }
        let interrupted = beside.interrupted;
        simulated.push(beside);
        if interrupted {
            break;
        }
    }
    let Some(folder) = &args.record else { return Ok(()) };
    let rows: Vec<String> = simulated.iter().map(|beside| flags::in_report(&beside.document()).csv()).collect();
    let text = MeasuredReport::csv_head() + &rows.concat();
    system::write_atomic(&folder.join(FILE), text.as_bytes()).map_err(CliError::from)
}
