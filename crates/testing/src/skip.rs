//! Notes that a test does not run here, and the reason.

use crate::notes::{self, Note};
use std::panic::Location;

/// Kinds of requirements whose absence lets a test be skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Requirement of an NVIDIA GPU, or of NVIDIA's compiler.
    Gpu,
    /// Requirement of the folder of large scenes ([`scenes`](crate::scenes)).
    Scenes,
    /// Requirement of Intel's library Embree.
    Embree,
    /// Requirement of a Vulkan driver that traces rays.
    Vulkan,
    /// Requirement of a browser, Chromium or Chrome.
    Browser,
    /// Requirement of an emulator, a linker and libraries for 64-bit ARM.
    Arm,
    /// Requirement of Node.js and a standard library for WebAssembly.
    Node,
    /// Requirement of Python with the packages that the test names.
    Python,
    /// Requirement of a C++ compiler, with which the emulated CUDA kernels are built.
    Compiler,
    /// Requirement of something that this operating system or user lacks: a shell, a device file, a permission.
    System,
}

impl Reason {
    /// All kinds of requirements, in the order in which reports list them.
    pub const ALL: [Self; 10] = [
        Self::Gpu,
        Self::Scenes,
        Self::Embree,
        Self::Vulkan,
        Self::Browser,
        Self::Arm,
        Self::Node,
        Self::Python,
        Self::Compiler,
        Self::System,
    ];

    /// Returns the keyword of the requirement in options and in the file of skipped tests, such as `gpu`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Scenes => "scenes",
            Self::Embree => "embree",
            Self::Vulkan => "vulkan",
            Self::Browser => "browser",
            Self::Arm => "arm",
            Self::Node => "node",
            Self::Python => "python",
            Self::Compiler => "compiler",
            Self::System => "system",
        }
    }

    /// Returns the words with which reports say that the requirement is missing, such as `no GPU`.
    pub const fn missing(self) -> &'static str {
        match self {
            Self::Gpu => "no GPU",
            Self::Scenes => "no scenes",
            Self::Embree => "no Embree",
            Self::Vulkan => "no Vulkan",
            Self::Browser => "no browser",
            Self::Arm => "no ARM emulator",
            Self::Node => "no Node.js",
            Self::Python => "no Python",
            Self::Compiler => "no C++ compiler",
            Self::System => "not on this system",
        }
    }

    /// Returns the requirement whose keyword is `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

/// Records that the test on this thread, or a part of it, is skipped for `reason`, for the report of `cargo tests`.
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
