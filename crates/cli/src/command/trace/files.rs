//! The files of a trace, checked before anything is read.

use crate::command::trace::args::TraceArgs;
use crate::common::{Common, is_standard_stream};
use crate::exit::CliError;
use crate::replace;
use raywarp::scene::Prefer;
use raywarp::trace::HitFormat;
use std::path::Path;

/// Files of a trace.
pub struct TraceFiles<'a> {
    /// Scene file or name.
    pub scene: &'a Path,
    /// File of rays.
    pub rays: &'a Path,
    /// Format of the hits.
    pub format: HitFormat,
}

impl<'a> TraceFiles<'a> {
    /// Checks that the inputs differ from each other and from the output, and that the output can be written.
    pub fn check(args: &'a TraceArgs, common: &Common) -> Result<Self, CliError> {
        let (scene, rays) = args.inputs()?;
        if is_standard_stream(scene) && is_standard_stream(rays) {
            return Err(CliError::usage("SCENE and RAYS cannot both be standard input; name a file for one of them"));
        }
        if args.is_piped() && common.json {
            return Err(CliError::usage("-o - and --json both want standard output; write the hits to a file"));
        }
        common.files.reads(rays)?;
        common.files.reads(&common.find(scene, Prefer::Geometry)?)?;
        common.files.writes(&args.output)?;
        let Some(format) = HitFormat::of(&args.output) else {
            let name = args.output.display();
            return Err(CliError::usage(format!("-o {name}: hits are written to .npy files and .csv files")));
        };
        if !args.is_piped() {
            let kind = match format {
                HitFormat::Csv => &replace::HITS_CSV,
                HitFormat::Npy => &replace::NPY,
            };
            replace::can_write(&args.output, kind)?;
        }
        Ok(Self { scene, rays, format })
    }
}
