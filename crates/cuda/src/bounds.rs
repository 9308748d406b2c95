//! Kernels with other launch bounds than those they were compiled with: block size and register limit as sweeps.
//!
//! No file holds them: the embedded PTX of one kernel gets other bounds, and the driver compiles it. That is another
//! compiler than the one of the prebuilt machine code, so that a sweep compares figures of its own only; asking for the
//! usual 128 threads gives its base line. A kernel of any [`KernelSet`] can have them that knows the size of its blocks
//! from its launch alone.

use crate::error::{BoundsFault, DriverCall, driver};
use crate::launch::WARP;
use crate::names::BLOCK_THREADS;
use crate::{CudaError, Device, FAMILY, Function, KernelSet, Query, kernel_name, source_name};
use cudarc::nvrtc::Ptx;
use raywarp_family::{Supply, Variant};
use std::fmt;

/// Launch bounds of a kernel: threads per block and registers per thread, each `None` to keep what it was compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LaunchBounds {
    /// Number of threads per block: a multiple of 32, at most 1024.
    pub block_threads: Option<u32>,
    /// Largest number of registers per thread, 16 to 255. More blocks fit a multiprocessor; what does not fit is
    /// spilled.
    pub max_registers: Option<u32>,
}

impl KernelSet {
    /// Loads the kernel `name` of `source` on `device`, compiled by the driver for `bounds` if needed; `None` if the
    /// set has no such kernel. Under other bounds than its own the driver compiles it anew on each call, unless it has
    /// kept the outcome: seconds, some 20 of them for the largest kernels of the path tracer. The caller knows that
    /// neither the kernel nor what launches it is for blocks of one size.
    ///
    /// # Errors
    /// [`CudaError::Bounds`] for bounds that no kernel can have, and as [`KernelSet::function`].
    pub fn bounded_function(
        &self,
        device: &Device,
        source: &str,
        name: &str,
        bounds: &LaunchBounds,
    ) -> Result<Option<Function>, CudaError> {
        if bounds.are_default() {
            return self.function(device, source, name);
        }
        let Some(text) = self.bounded_ptx(source, name, bounds)? else { return Ok(None) };
        let _current = device.choose()?;
        let module = device.context().load_module(Ptx::from_src(text)).map_err(driver(DriverCall::CompilePtx))?;
        let function = module.load_function(name).map_err(driver(DriverCall::LoadKernel))?;
        Ok(Some(Function::new(device, function, bounds.threads(), 0)))
    }

    /// Returns the PTX of the kernel `name` of `source` alone, changed to `bounds`, for the driver to compile; `None`
    /// if the set has no such kernel.
    ///
    /// # Errors
    /// [`CudaError::Bounds`] for bounds that no kernel can have, [`CudaError::DamagedImage`].
    pub fn bounded_ptx(&self, source: &str, name: &str, bounds: &LaunchBounds) -> Result<Option<String>, CudaError> {
        bounds.check(name)?;
        Ok(self.ptx(source)?.and_then(|text| bounds.rewrite(&text, name)))
    }
}

impl LaunchBounds {
    /// The launch bounds that kernels were compiled for ahead of time.
    pub const AS_COMPILED: Self = Self { block_threads: None, max_registers: None };

    /// Returns `true` if both bounds are those compiled ahead of time.
    pub fn are_default(&self) -> bool {
        *self == Self::AS_COMPILED
    }

    /// Returns the number of threads per block.
    pub fn threads(&self) -> u32 {
        self.block_threads.unwrap_or(BLOCK_THREADS)
    }

    /// Loads the kernel of `variant` and `query` on a device under these bounds; `None` where none was compiled.
    pub(crate) fn kernel(
        &self,
        device: &Device,
        variant: &Variant,
        query: Query,
    ) -> Result<Option<Function>, CudaError> {
        self.check_variant(variant)?;
        FAMILY.bounded_function(device, &source_name(variant), &kernel_name(variant, query), self)
    }

    /// Checks that kernels can have these bounds at all; errors name the kernel as `kernel`.
    fn check(&self, kernel: &str) -> Result<(), CudaError> {
        let fault = |why| Err(CudaError::Bounds { kernel: kernel.to_string(), bounds: *self, why });
        let threads = self.threads();
        if threads == 0 || threads > 1024 || !threads.is_multiple_of(WARP) {
            return fault(BoundsFault::Threads);
        }
        if self.max_registers.is_some_and(|registers| !(16..=255).contains(&registers)) {
            return fault(BoundsFault::Registers);
        }
        Ok(())
    }

    /// Checks that the kernels of `variant` can have these bounds.
    fn check_variant(&self, variant: &Variant) -> Result<(), CudaError> {
        self.check(&variant.to_string())?;
        let shares = variant.lanes_per_ray() > 1 || variant.supply() == Supply::Queue;
        if shares && self.threads() > BLOCK_THREADS {
            let why = BoundsFault::SharedMemory;
            return Err(CudaError::Bounds { kernel: variant.to_string(), bounds: *self, why });
        }
        Ok(())
    }

    /// Returns the PTX of the kernel `name` alone, taken from `text`, with directives for these bounds. `None` if it is
    /// not there.
    fn rewrite(&self, text: &str, name: &str) -> Option<String> {
        let start = format!(".visible .entry {name}(");
        let mut kept = String::new();
        let (mut found, mut skipping, mut depth) = (false, false, 0i32);
        for line in text.lines() {
            if line.starts_with(".visible .entry ") {
                skipping = !line.starts_with(&start);
                found |= !skipping;
            }
            if !skipping {
                kept += &self.line(line);
                kept.push('\n');
            }
            // Inline assembly has braces too, also at the margin.
            let braces: i32 = line.chars().map(|c| i32::from(c == '{') - i32::from(c == '}')).sum();
            depth += braces;
            skipping &= !(depth == 0 && line.contains('}'));
        }
        found.then_some(kept)
    }

    /// Returns a line of PTX with its directives for launch bounds replaced by these.
    fn line(&self, line: &str) -> String {
        if line.starts_with(".maxntid ") {
            let registers = self.max_registers.map(|most| format!("\n.maxnreg {most}")).unwrap_or_default();
            return format!(".maxntid {}, 1, 1{registers}", self.threads());
        }
        let blocks = line.strip_prefix(".minnctapersm ").and_then(|blocks| blocks.trim().parse::<u32>().ok());
        match (blocks, self.max_registers) {
            // One of both limits registers.
            (Some(_), Some(_)) => String::new(),
            // As many threads a multiprocessor as before.
            (Some(blocks), None) => format!(".minnctapersm {}", (blocks * BLOCK_THREADS / self.threads()).clamp(1, 32)),
            (None, _) => line.to_string(),
        }
    }
}

impl fmt::Display for LaunchBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.block_threads, self.max_registers) {
            (None, None) => f.write_str("its own bounds"),
            (Some(threads), None) => write!(f, "{threads} threads"),
            (None, Some(registers)) => write!(f, "{registers} registers"),
            (Some(threads), Some(registers)) => write!(f, "{threads} threads, {registers} registers"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled;

    const BOTH: LaunchBounds = LaunchBounds { block_threads: Some(64), max_registers: Some(48) };

    #[test]
    fn every_kernel_stands_alone_under_its_new_bounds() {
        for variant in compiled() {
            // Kernels are compiled apart from this crate; what is missing there says so when it is asked for.
            let Some(text) = FAMILY.ptx(&source_name(&variant)).unwrap() else { continue };
            for query in Query::ALL {
                let name = kernel_name(&variant, query);
                let Some(alone) = BOTH.rewrite(&text, &name) else { continue };
                let count = |start: &str| alone.lines().filter(|line| line.starts_with(start)).count();
                assert_eq!((count(".visible .entry "), count(".version ")), (1, 1), "{name}");
                assert_eq!((count(".maxntid 64, 1, 1"), count(".maxnreg 48"), count(".minnctapersm")), (1, 1, 0));
                let braces = |c: char| alone.chars().filter(|&x| x == c).count();
                assert_eq!(braces('{'), braces('}'), "{name}");
                // What it calls is there.
                for call in alone.lines().filter_map(|line| line.trim().strip_prefix("_Z")) {
                    let function = format!("_Z{}", call.trim_end_matches([',', ' ', ';', '(']));
                    assert!(alone.matches(&function).count() > 1, "{function}");
                }
            }
        }
        let text = FAMILY.ptx("while_while").unwrap().unwrap();
        assert_eq!(BOTH.rewrite(&text, "no_such_kernel__any"), None);
        assert!(BOTH.rewrite(&text, "direct_while_while_bvh2__any").is_some());
    }

    #[test]
    fn larger_blocks_leave_as_many_threads_per_multiprocessor() {
        let bounds = |threads| LaunchBounds { block_threads: Some(threads), max_registers: None };
        let line = |threads| bounds(threads).line(".minnctapersm 12");
        assert_eq!(line(128), ".minnctapersm 12");
        assert_eq!(line(64), ".minnctapersm 24");
        assert_eq!(line(256), ".minnctapersm 6");
        assert_eq!(line(1024), ".minnctapersm 1");
        assert_eq!(bounds(256).line(".maxntid 128, 1, 1"), ".maxntid 256, 1, 1");
        assert_eq!(bounds(256).line("\tadd.s32 %r1, %r2, 128;"), "\tadd.s32 %r1, %r2, 128;");
    }

    #[test]
    fn bounds_that_no_kernel_can_have_are_refused() {
        let check = |name: &str, block_threads, max_registers| {
            LaunchBounds { block_threads, max_registers }.check_variant(&name.parse().unwrap())
        };
        assert!(check("al09-while-while", Some(1024), Some(255)).is_ok());
        for (threads, registers) in
            [(Some(0), None), (Some(48), None), (Some(1056), None), (None, Some(15)), (None, Some(256))]
        {
            let error = check("al09-while-while", threads, registers).unwrap_err();
            assert!(matches!(error, CudaError::Bounds { .. }), "{error}");
        }
        assert!(check("al09-wide4", Some(256), None).is_err() && check("al09-queue", Some(256), None).is_err());
        assert!(check("al09-wide4", Some(64), None).is_ok());
    }
}
