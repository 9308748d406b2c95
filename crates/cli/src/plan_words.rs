//! Words for people about a plan: what traces or renders, by which kernels, and for which reason.

use raywarp::Builder;
use raywarp::cuda::Device;
use raywarp::device::{Amount, GpuTree, Plan, PlanReason, PlannedKernels, ReplacedKernel, TreeEffort, Unusable};
use raywarp_lab::family::{Variant, papers};

/// Describes which device renders and why, for a choice that was left to the program.
pub fn of_render(plan: &Plan) -> String {
    match &plan.reason {
        PlanReason::WorthAGpu { work, left_out } => {
            format!("up to {} are rendered by {}{}", amount(*work), gpus(plan), not(left_out, "; not "))
        }
        reason => format!("the CPU renders: {}", why(reason)),
    }
}

/// Describes which device traces rays and why, for a choice that was left to the program.
pub fn of_trace(plan: &Plan) -> String {
    match &plan.reason {
        PlanReason::WorthAGpu { work, left_out } => {
            let left_out: String = left_out.iter().map(|gpu| format!("; not {}", unusable(gpu))).collect();
            format!("{} are traced by {}{left_out}", amount(*work), gpus(plan))
        }
        PlanReason::NoKernelHolds(_) => "the CPU traces: no kernel of a GPU holds the scene".into(),
        reason => format!("the CPU traces: {}", why(reason)),
    }
}

/// Describes which kernels replace the chosen ones that cannot hold the scene; `None` if none were replaced.
pub fn instead(plan: &Plan) -> Option<String> {
    if let Some(cause) = plan.reason.no_kernel() {
        return Some(format!("the CPU traces: no kernel of a GPU that loses no ray holds the scene: {cause}"));
    }
    match &plan.kernels {
        PlannedKernels::Rays(kernels) => {
            let ReplacedKernel { variant, cause } = kernels.instead_of.as_ref()?;
            Some(format!("{} instead of {variant}: {cause}", row(&kernels.closest)))
        }
        _ => None,
    }
}

/// Describes the tree built for GPU path tracing.
pub fn of_tree(tree: &GpuTree) -> String {
    let how = match (tree.effort, tree.build.builder) {
        (TreeEffort::Quick, _) => "binned splits",
        (TreeEffort::Good, _) => "binned splits and reinsertion",
        (TreeEffort::Most, Builder::Sbvh) => "spatial splits and reinsertion, cheaper to walk than binned splits",
        (TreeEffort::Most, _) => "binned splits and reinsertion, no dearer to walk than spatial splits",
    };
    format!("one triangle a leaf, {how}; {:.2} s", tree.time.as_secs_f64())
}

/// Describes why no GPU is used, without a full stop.
pub fn why(reason: &PlanReason) -> String {
    match reason {
        PlanReason::TooLittle { work: work @ Amount::Rays(_), least } => {
            format!("{}; a GPU is worth its start from {least} on", amount(*work))
        }
        PlanReason::TooLittle { work: work @ Amount::Samples(_), least } => {
            format!("{} in all; a GPU is worth its start from {least} on", amount(*work))
        }
        PlanReason::NoGpuGains { work, threads } => {
            format!("{}; no GPU is worth its start beside {threads} threads", amount(*work))
        }
        PlanReason::NoGpu => "there is no NVIDIA GPU".into(),
        PlanReason::RaysOnly => "a GPU would only trace its rays, which is no faster".into(),
        PlanReason::BuiltWithoutCuda => "this raywarp was built without its feature cuda".into(),
        PlanReason::NoTriangles => "the scene has no triangles to trace".into(),
        PlanReason::NoneUsable(gpus) => not(gpus, ""),
        PlanReason::NoDriver(cause)
        | PlanReason::DriverFails(cause)
        | PlanReason::CpuAlone(cause)
        | PlanReason::NoMemory(cause)
        | PlanReason::Unplaceable(cause)
        | PlanReason::NoKernelHolds(cause)
        | PlanReason::NoWholePaths(cause)
        | PlanReason::NoPathsNorRays { paths: cause, .. }
        | PlanReason::Failed(cause) => cause.to_string(),
        _ => "it was asked for".into(),
    }
}

/// Lists the GPUs by number and name, in the order of their shares.
fn gpus(plan: &Plan) -> String {
    let name = |device: &Device| format!("cuda:{} ({})", device.ordinal(), device.name());
    plan.gpus().iter().map(name).collect::<Vec<_>>().join(", ")
}

fn amount(work: Amount) -> String {
    match work {
        Amount::Rays(rays) => format!("{rays} rays"),
        Amount::Samples(samples) => format!("{samples} samples"),
    }
}

/// Lists the GPUs that cannot be used, with `before` in front if there are any.
fn not(left_out: &[Unusable], before: &str) -> String {
    let all = left_out.iter().map(unusable).collect::<Vec<_>>().join("; ");
    if all.is_empty() { all } else { format!("{before}{all}") }
}

fn unusable(gpu: &Unusable) -> String {
    format!("cuda:{}: {}", gpu.ordinal, gpu.cause)
}

/// Returns the name of a kernel's row in the papers' tables, or else the text of its options.
fn row(variant: &Variant) -> String {
    papers().iter().find(|row| row.variant == *variant).map_or_else(|| variant.to_string(), |row| row.name.to_string())
}
