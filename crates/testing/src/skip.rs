//! Notes that a test does not run here, and the reason.

use crate::notes::{self, Note};
use std::panic::Location;

/// Reasons to skip a test: what it would have needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// An NVIDIA GPU, or NVIDIA's compiler.
    Gpu,
    /// The folder of large scenes ([`scenes`](crate::scenes)).
    Scenes,
    /// The library Embree.
    Embree,
    /// A Vulkan driver that traces rays.
    Vulkan,
    /// Chromium or Chrome.
    Browser,
    /// An emulator, a linker and libraries of 64-bit ARM.
    Arm,
    /// Python with the packages that the test names.
    Python,
    /// A C++ compiler, which the emulated CUDA kernels are built with.
    Compiler,
    /// Means that this operating system or this user lacks: a shell, a device file, a permission.
    System,
}

impl Reason {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 9] = [
        Self::Gpu,
        Self::Scenes,
        Self::Embree,
        Self::Vulkan,
        Self::Browser,
        Self::Arm,
        Self::Python,
        Self::Compiler,
        Self::System,
    ];

    /// Returns the word for options and notes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Scenes => "scenes",
            Self::Embree => "embree",
            Self::Vulkan => "vulkan",
            Self::Browser => "browser",
            Self::Arm => "arm",
            Self::Python => "python",
            Self::Compiler => "compiler",
            Self::System => "system",
        }
    }

    /// Returns the words for what is missing.
    pub const fn missing(self) -> &'static str {
        match self {
            Self::Gpu => "no GPU",
            Self::Scenes => "no scenes",
            Self::Embree => "no Embree",
            Self::Vulkan => "no Vulkan",
            Self::Browser => "no browser",
            Self::Arm => "no ARM emulator",
            Self::Python => "no Python",
            Self::Compiler => "no C++ compiler",
            Self::System => "not on this system",
        }
    }

    /// Returns the reason of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

/// Says that the test of this thread, or a part of it, does not run here, and notes it for `cargo tests`.
///
/// The caller returns or leaves the part out; a test that leaves out a part counts as skipped, since it has not shown
/// what its name says.
///
/// # Panics
/// If the note cannot be written: a skip that nobody counts would pass for a test that ran.
#[track_caller]
pub fn skip(reason: Reason, why: &str) {
    let thread = std::thread::current();
    // Where tests run one after the other they run in the main thread, which has not their names.
    let test = match thread.name() {
        Some(name) if name != "main" => name.to_string(),
        _ => Location::caller().to_string(),
    };
    println!("skipped, {}: {why}", reason.missing());
    let note = Note { reason, binary: notes::this_binary(), test, why: why.to_string() };
    let file = notes::notes_file();
    if let Err(error) = note.append(&file) {
        panic!("{}: a skipped test cannot be noted: {error}", file.display());
    }
}
