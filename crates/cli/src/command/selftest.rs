//! `raywarp selftest`: conformance of every engine on this machine.

use crate::common::{Common, Tables, Threads};
use crate::device::{self, DeviceChoice};
use crate::exit::{CliError, Status, after_printing};
use crate::heading;
use crate::interrupt;
use crate::options::variant::{VariantChoice, auto_needs_gpu, variant_or_auto};
use crate::progress::Steps;
use crate::whole_number::whole;
use clap::Args;
use raywarp::Control;
use raywarp::cuda::Device;
use raywarp::cuda::auto::{BatchKind, Promise};
use raywarp_lab::family::Variant;
use raywarp_lab::selftest::{SelfTestRequest, selftest};
use raywarp_lab::workload::cases::cases;
use std::io::Write;

/// Tests every engine of this machine against brute force.
///
/// The last line is the verdict; the exit status is 1 where an engine fails. With --device cuda the kernels of a GPU
/// are tested.
#[derive(Debug, Args)]
pub struct SelftestArgs {
    /// Kernels, comma-separated [default: all rows of `raywarp variants`].
    ///
    /// Variants, names of rows, or auto: what a GPU traces with by itself.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = variant_or_auto(), hide_possible_values = true, help_heading = heading::KERNELS)]
    variant: Vec<VariantChoice>,
    /// Legal variants to try beside the papers' rows, drawn by seed; 0 to 10000.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = whole::<u64>(0..=10_000), help_heading = heading::KERNELS)]
    legal: u64,
    /// Lanes of a warp, 1 to 64, comma-separated.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,8,16,32,64", value_parser = whole::<u32>(1..=64), help_heading = heading::KERNELS)]
    width: Vec<u32>,
    /// Rays that a GPU aims at edges and vertices of closed meshes, such as 1e9 [default: 1e7].
    ///
    /// With --device cuda. They start inside of five meshes of sizes 1e-6 to 1e6, up to 1e4 sizes from zero, and none
    /// may be lost; 0 leaves them out.
    #[arg(long, value_name = "RAYS", value_parser = crate::options::values::many, help_heading = heading::KERNELS)]
    aimed: Option<u64>,
    /// Samples a pixel of the pictures that a GPU renders beside the CPU [default: 8].
    ///
    /// With --device cuda. Each organisation of the path tracer renders one of 96x64 pixels, and every pixel has to
    /// have the CPU's bits; 0 leaves them out, and 65536 are the most.
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=65_536), help_heading = heading::KERNELS)]
    spp: Option<u32>,
    /// Device that is tested: cpu, cuda (the first GPU), cuda:N, auto.
    ///
    /// With cpu and auto the tracer of this CPU and the kernels as this CPU runs them, with cuda those of the GPU.
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device::parser(), hide_possible_values = true, help_heading = heading::MACHINE)]
    pub device: DeviceChoice,
    #[command(flatten)]
    pub tables: Tables,
    #[command(flatten)]
    pub threads: Threads,
}

impl SelftestArgs {
    /// Returns the kernels that the user named, without duplicates.
    fn variants(&self, common: &Common, gpu: Option<&Device>) -> Result<Vec<Variant>, CliError> {
        let mut variants = Vec::new();
        for choice in &self.variant {
            match choice {
                VariantChoice::One(variant) => variants.push(*variant),
                VariantChoice::Auto => {
                    let device = gpu.ok_or_else(auto_needs_gpu)?;
                    for promise in [Promise::Bits, Promise::Fast] {
                        let choice = common.choose(device, promise)?;
                        variants.extend(BatchKind::ALL.map(|kind| choice.of(kind).variant));
                    }
                }
            }
        }
        let mut seen = Vec::new();
        variants.retain(|variant| {
            !seen.contains(variant) && {
                seen.push(*variant);
                true
            }
        });
        Ok(variants)
    }
}

/// Runs the command `selftest`.
pub fn run(args: &SelftestArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let gpu = common.gpu()?;
    if args.aimed.is_some() && gpu.is_none() {
        return Err(CliError::usage("--aimed is for the rays of a GPU: it needs --device cuda"));
    }
    if args.spp.is_some() && gpu.is_none() {
        return Err(CliError::usage("--spp is for the pictures of a GPU: it needs --device cuda"));
    }
    let variants = args.variants(common, gpu.as_ref())?;
    let mut request = gpu.map_or_else(|| SelfTestRequest::all(args.legal), SelfTestRequest::gpu);
    if let (Some(gpu), Some(aimed)) = (&mut request.gpu, args.aimed) {
        gpu.aimed = aimed;
    }
    if let (Some(gpu), Some(samples)) = (&mut request.gpu, args.spp) {
        gpu.picture_samples = samples;
    }
    match &mut request.gpu {
        Some(gpu) if !variants.is_empty() => gpu.variants = variants,
        Some(_) => {}
        None => {
            if !variants.is_empty() {
                request.variants = variants;
                request.cpu = false;
            }
            request.widths.clone_from(&args.width);
            crate::options::variant::check_machine(&request.variants, &args.width)?;
        }
    }
    let _doing = interrupt::doing("testing");
    let steps = Steps::new(common.quiet, "testing", "cases", cases().len() as u64);
    let progress = |cases: usize| steps.advance(cases as u64);
    // A verdict is about all cases: an interrupt ends the process.
    let control = Control { cancel: None, progress: Some(&progress) };
    let report = selftest(&request, &control);
    drop(steps);
    let report = report.map_err(|error| CliError::Stop(Status::Failed, error.to_string()))?;
    let printed = common.print(&report.document(common.verbose), out);
    let verdict = if report.passed() { Status::Done } else { Status::Failed };
    after_printing(printed, verdict)
}
