//! `raywarp variants`: the traversal family.

use crate::common::{Common, Tables};
use crate::device::{self, DeviceChoice};
use crate::exit::{CliError, Status};
use crate::flags;
use crate::heading;
use clap::Args;
use raywarp::cuda::Device;
use raywarp::cuda::auto::{BatchKind, Choice, Pick, Promise};
use raywarp_lab::report::wrapped;
use raywarp_lab::variants::Variants;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Lists the papers' kernels, and those that are nobody's paper.
///
/// Of each there are the name, the variant, paper and section, its tree, its stack and what it needs. With --device
/// cuda also which kernels a GPU takes by itself.
#[derive(Debug, Args)]
pub struct VariantsArgs {
    /// List also what else can be combined.
    ///
    /// One option is changed at a time; how many variants there are in all stands below.
    #[arg(long, help_heading = heading::KERNELS)]
    legal: bool,
    /// A GPU whose own choice is listed too: cuda (the first GPU) or cuda:N.
    ///
    /// Its kernels are timed where no earlier run has timed them. With cpu and auto no GPU is looked for.
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device::parser(), hide_possible_values = true, help_heading = heading::MACHINE)]
    pub device: DeviceChoice,
    #[command(flatten)]
    pub tables: Tables,
}

/// Runs the command `variants`.
pub fn run(args: &VariantsArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let variants = if args.legal { Variants::legal() } else { Variants::papers() };
    let chosen = common.gpu()?.map(|device| chosen(&device, common)).transpose()?;
    match (common.json, chosen) {
        (true, None) => writeln!(out, "{:#}", variants.json())?,
        (true, Some(chosen)) => {
            let auto: Map<String, Value> =
                chosen.iter().map(|(promise, choice)| (promise.name().to_string(), choice_json(choice))).collect();
            writeln!(out, "{:#}", json!({ "variants": variants.json(), "auto": auto }))?;
        }
        (false, chosen) => {
            write!(out, "{}", common.written(&flags::in_report(&variants.document())))?;
            // In Markdown the lines would be rows of the table.
            if common.markdown && chosen.is_some() {
                writeln!(out)?;
            }
            for (promise, choice) in chosen.iter().flatten() {
                for kind in BatchKind::ALL {
                    let Pick { variant, mega_rays } = choice.of(kind);
                    let line =
                        format!("auto, {}, {} rays: {mega_rays:.0} Mrays/s, {variant}", promise.name(), kind.name());
                    writeln!(out, "{}", wrapped(&line))?;
                }
            }
        }
    }
    Ok(Status::Done)
}

/// Returns the kernels that would be chosen for a GPU: to give the bits of the CPU, and to be fast.
fn chosen(device: &Device, common: &Common) -> Result<Vec<(Promise, Choice)>, CliError> {
    [Promise::Bits, Promise::Fast].into_iter().map(|promise| Ok((promise, common.choose(device, promise)?))).collect()
}

fn choice_json(choice: &Choice) -> Value {
    let pick = |kind: BatchKind| {
        let Pick { variant, mega_rays } = choice.of(kind);
        (kind.name().to_string(), json!({ "variant": variant.to_string(), "mega_rays_per_s": mega_rays }))
    };
    Value::Object(BatchKind::ALL.into_iter().map(pick).collect())
}
