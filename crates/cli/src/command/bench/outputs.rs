//! Outputs of `raywarp bench`, and the checks that they may be written.

use crate::command::bench::BenchArgs;
use crate::command::bench::simulated;
use crate::common::Common;
use crate::exit::CliError;
use crate::replace::{self, Kind};
use raywarp::scene::{Prefer, scene_name};
use raywarp::system::can_write_file;
use raywarp_lab::bench::{corpus, csv};
use raywarp_lab::study::measured::MeasuredReport;
use std::path::{Path, PathBuf};

/// Files of a recorded run ([`raywarp_lab::bench::record`]) other than tables, as output files.
const README: Kind = Kind { name: "of a recorded run", starts: &[b"# raywarp bench"] };
const JSON: Kind = Kind { name: "of a recorded run", starts: &[b"{"] };
const RUN: Kind = Kind { name: "of a recorded run", starts: &[b"date = "] };

/// Checks that the outputs can be written and overwrite neither inputs nor foreign files, and makes their folders.
pub(super) fn check(args: &BenchArgs, common: &Common) -> Result<(), CliError> {
    let table = csv(&[]);
    if let Some(file) = &args.csv {
        common.files.writes(file)?;
        replace::can_write_table(file, &table)?;
    }
    for folder in [&args.record, &args.export_rays].into_iter().flatten() {
        replace::can_name(folder)?;
        std::fs::create_dir_all(folder)
            .map_err(|error| CliError::output(format!("{}: cannot be made ({error})", folder.display())))?;
    }
    let name = |scene: &PathBuf| Ok(scene_name(&common.find(scene, Prefer::Geometry)?));
    let scenes = args.scenes()?.iter().map(name).collect::<Result<Vec<String>, CliError>>()?;
    if args.export_rays.is_some()
        && let Some(name) =
            scenes.iter().enumerate().find(|(i, name)| scenes[..*i].contains(name)).map(|(_, name)| name)
    {
        return Err(CliError::usage(format!(
            "--export-rays: two scenes are called {name}, and so would be the files of their rays; run them one by one"
        )));
    }
    if let Some(folder) = args.export_rays.as_ref().filter(|_| common.no_clobber) {
        // Their names depend on what is in the scenes; one of an earlier run is enough to refuse.
        for file in std::fs::read_dir(folder)?.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.ends_with(".npy") && scenes.iter().any(|scene| name.starts_with(&format!("{scene}-view"))) {
                can_write_file(&file.path())?;
            }
        }
    }
    let Some(folder) = &args.record else { return Ok(()) };
    let check = |name: &str, check: &dyn Fn(&Path) -> Result<(), CliError>| {
        let path = folder.join(name);
        common.files.writes(&path)?;
        check(&path)
    };
    check("bench.csv", &|path| replace::can_write_table(path, &table))?;
    check("bench.json", &|path| replace::can_write(path, &JSON))?;
    check("README.md", &|path| replace::can_write(path, &README))?;
    check(corpus::FILE, &|path| replace::can_write(path, &RUN))?;
    if args.simulate {
        check(simulated::FILE, &|path| replace::can_write_table(path, &MeasuredReport::csv_head()))?;
    }
    Ok(())
}
