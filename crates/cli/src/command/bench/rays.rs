//! `raywarp bench --rays FILE`: rays of files in place of a workload's.

use crate::command::bench::args::BenchArgs;
use crate::common::{Common, is_standard_stream};
use crate::exit::CliError;
use crate::options::named_rays::{self, NamedRays};
use raywarp::Ray;
use raywarp::trace::npy::RayFile;
use raywarp_lab::bench::RaySet;
use raywarp_lab::traverse::Query;

/// Checks that the ray files can be read together, and records them as inputs.
pub fn check(args: &BenchArgs, common: &Common) -> Result<(), CliError> {
    if args.rays.is_empty() {
        return Ok(());
    }
    let scenes = args.scenes()?;
    if scenes.len() > 1 {
        return Err(CliError::usage("--rays: the rays of a file are of one scene; name one"));
    }
    if scenes.iter().chain(&args.rays).filter(|path| is_standard_stream(path)).count() > 1 {
        return Err(CliError::usage("standard input can be read only once; name files"));
    }
    named_rays::check(&args.rays, common)
}

/// Reads the rays of all files in the order of the command line, each with its name in tables.
pub fn read_all(args: &BenchArgs, common: &Common) -> Result<Vec<(RaySet, RayFile)>, CliError> {
    let files = named_rays::read_all(&args.rays, args.query, common)?.into_iter();
    let set = |NamedRays { name, query, rays }| (RaySet::File { name, any: query == Query::Any }, rays);
    Ok(files.map(set).collect())
}

/// Returns the rays of files relative to their scene's origin.
pub fn relative_to(files: Vec<RayFile>, origin: [f64; 3]) -> Vec<Vec<Ray>> {
    files.into_iter().map(|file| file.relative_to(origin)).collect()
}
