"""Starts Mitsuba."""

import glob
import os

import mitsuba as mi


def start(variant: str, threads: int = 0) -> None:
    """Chooses the variant and, for LLVM, the number of worker threads (0: all processors)."""
    # Dr.Jit looks for a file named libLLVM.so only; Debian's packages have other names.
    if variant.startswith("llvm") and "DRJIT_LIBLLVM_PATH" not in os.environ:
        found = sorted(glob.glob("/usr/lib/*/libLLVM.so.*") + glob.glob("/usr/lib/llvm-*/lib/libLLVM*.so*"))
        if found:
            os.environ["DRJIT_LIBLLVM_PATH"] = found[-1]
    mi.set_variant(variant)
    if threads and variant.startswith("llvm"):
        import drjit

        drjit.set_thread_count(threads)
    if variant != "scalar_rgb":
        # They are written for arrays, and so slow without them that nobody would wait.
        import plugins

        plugins.register()
