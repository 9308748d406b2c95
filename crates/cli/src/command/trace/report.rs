//! The report of `raywarp trace`, as a line and as JSON.

use crate::command::trace::args::TraceArgs;
use crate::common::{Common, is_standard_stream};
use crate::device::DeviceChoice;
use crate::exit::CliError;
use crate::options::tree::builder_name;
use raywarp::KernelName;
use raywarp::cuda::Device;
use raywarp::device::PlannedKernels;
use raywarp::trace::{StreamTotals, TraceScene};
use raywarp_lab::family::Variant;
use raywarp_lab::traverse::Query;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Report that the command `trace` prints at its end.
pub struct TraceReport<'a> {
    pub args: &'a TraceArgs,
    pub query: Query,
    pub scene: &'a Path,
    pub traced: StreamTotals,
    pub prepared: &'a TraceScene,
    pub load: Duration,
    /// Notes about the rays, for people to read.
    pub notes: Vec<String>,
}

impl TraceReport<'_> {
    /// Prints the report; beside hits on standard output, on standard error.
    pub fn print(&self, common: &Common, out: &mut dyn Write) -> Result<(), CliError> {
        common.detail(format!("answered by {}", self.traced.stats.kernels));
        if common.json {
            let mut document = self.json();
            common.describe_scenes(&mut document);
            writeln!(out, "{document:#}")?;
        } else if self.args.is_piped() {
            common.note(self.line());
        } else if !common.quiet {
            writeln!(out, "{}", self.line())?;
        }
        Ok(())
    }

    /// Returns the name of the device that traced.
    fn machine(&self) -> String {
        let plan = self.prepared.plan();
        let ordinals: Vec<usize> = plan.gpus().iter().map(Device::ordinal).collect();
        match &plan.kernels {
            PlannedKernels::Own(factory) => factory.machine(),
            _ if ordinals.is_empty() => raywarp::cpu::Isa::preferred().to_string(),
            _ => DeviceChoice::Cuda(ordinals).to_string(),
        }
    }

    /// Returns the name of the kernel that answered the first rays (not counting fallbacks); without rays, that would
    /// have.
    fn kernel(&self) -> KernelName {
        let first = self.traced.stats.kernels.first();
        first.unwrap_or_else(|| self.prepared.kernel(self.query, 0))
    }

    fn line(&self) -> String {
        let stats = &self.traced.stats;
        let (kernel, machine) = (self.kernel(), self.machine());
        let build = self.prepared.build_options();
        let passes = match build.reinsertion {
            0 => String::new(),
            passes => format!(" and {passes} passes of reinsertion"),
        };
        let tree = format!("{} tree with leaves of at most {}{passes}", builder_name(build.builder), build.max_leaf);
        format!(
            "wrote {}: {} rays, {} hits, {} invalid{}; {:.3} s, {:.3} Mrays/s; {kernel} ({machine}), {tree}",
            if is_standard_stream(&self.args.output) {
                "standard output".into()
            } else {
                self.args.output.display().to_string()
            },
            stats.rays,
            self.traced.hits,
            stats.invalid,
            if stats.by_fallback == 0 {
                String::new()
            } else {
                format!(", {} traced again by a slower kernel", stats.by_fallback)
            },
            self.traced.elapsed.as_secs_f64(),
            self.traced.rays_per_s() / 1e6,
        )
    }

    fn json(&self) -> serde_json::Value {
        let stats = &self.traced.stats;
        let (build, timings) = (self.prepared.build_options(), self.prepared.timings());
        let kernels =
            stats.kernels.iter().map(|(kernel, rays)| serde_json::json!({ "kernel": kernel.as_str(), "rays": rays }));
        // The CPU's own tracer is no variant.
        let variant = Some(self.kernel().as_str()).filter(|name| name.parse::<Variant>().is_ok());
        serde_json::json!({
            "output": self.args.output.display().to_string(),
            "scene": self.scene.display().to_string(),
            "query": if self.args.any { "any" } else { "closest" },
            "rays": stats.rays,
            "hits": self.traced.hits,
            "invalid": stats.invalid,
            "again": stats.by_fallback,
            "seconds": self.traced.elapsed.as_secs_f64(),
            "rays_per_s": self.traced.rays_per_s(),
            "kernels": kernels.collect::<Vec<_>>(),
            "variant": variant,
            "machine": self.machine(),
            "builder": builder_name(build.builder),
            "reinsertion": build.reinsertion,
            "max_leaf": build.max_leaf,
            "levels": if self.prepared.two_levels().is_some() { 2 } else { 1 },
            "triangles": self.prepared.triangle_count(),
            "non_opaque_triangles": self.prepared.non_opaque_count(),
            "notes": self.notes,
            "load_ms": self.load.as_secs_f64() * 1e3,
            "build_ms": (timings.flatten + timings.build + timings.encode).as_secs_f64() * 1e3,
        })
    }
}
