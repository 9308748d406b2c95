#!/usr/bin/env python3
"""At which instructions the warps of each kernel stand on this GPU: what `raywarp explain` is held to.

Runs `raywarp bench` under Nsight Compute (ncu), one view of each scene, one ray of each kind a pixel of a large view, so that start
and end of a launch are little; see README.md. Prints CSV; its last column has how often a warp was found at an instruction, by the
instruction's bytes from the kernel's first one, as in `0:131 32:71`. Instructions at which none was found are left out.
"""

import argparse
import csv
import subprocess
import sys

from counters import FIXED, SWEEP, fail, launches, start
from executed import COLUMNS, WORD, pages

# Of single instructions.
EACH = "# Samples"
GROUPS = [
    ("al09-while-while,al09-if-if,alk12-fermi,alk12-kepler,g14", [*SWEEP, "8"]),
    ("ykl17", [*SWEEP, "3"]),
    ("raywarp-h8,raywarp-h8-direct", [*SWEEP, "1", "--reinsertion", "10"]),
]
# Rays that a kernel leaves undecided are traced by this one in launches of their own, which are no cells.
OTHERS = "triangle_watertight"
SIZE = "2048x1536"


def found(samples):
    """`0:131 32:71`."""
    return " ".join(f"{place * WORD}:{count}" for place, count in enumerate(samples) if count > 0)


def without_others(raw, each):
    """`raw`, ncu's page of launches, and `each`, its pages of instructions, without the launches of kernels that are no cells."""
    head, rest = raw[: raw.index('"ID",')], raw[raw.index('"ID",') :].splitlines(keepends=True)
    is_other = [OTHERS in line for line in rest[2:]]
    # Some versions print each page twice.
    copies = len(each) // max(len(is_other), 1)
    if copies == 0 or len(each) != copies * len(is_other):
        fail(f"{len(each)} pages of {len(is_other)} launches")
    kept = [line for line, other in zip(rest[2:], is_other) if not other]
    return head + "".join(rest[:2] + kept), [page for page, other in zip(each[::copies], is_other) if not other]


def sampled(arguments, scene, number, kernels, tree):
    """Rows of the table of one run of bench on the first view of `scene`."""
    report = arguments.folder / f"sampled.{scene}.{number}"
    measured = arguments.folder / f"bench.{scene}.{number}.csv"
    command = ["ncu", "--clock-control", "none", "--section", "SourceCounters", "--metrics", ",".join(COLUMNS.values())]
    command += ["--warp-sampling-interval", "1", "--warp-sampling-buffer-size", str(1 << 29), "-f", "-o", str(report)]
    command += [arguments.raywarp, "bench", scene, "--device", "cuda", "--workload", "raywarp", "--views", "1"]
    command += ["--rays-per-pixel", "1", "--runs", "1", "--warmup", "0", "--check", "256", "-q", "--kind", arguments.kind]
    command += ["--size", SIZE, "--variant", kernels, *tree, "--csv", str(measured)]
    page = ["ncu", "--import", f"{report}.ncu-rep", "--csv", "--print-units", "base", "--page"]
    texts = []
    for step in (command, [*page, "raw"], [*page, "source"]):
        print("$", " ".join(step), file=sys.stderr)
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"ncu cannot look at warps here:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        texts.append(done.stdout)
    yield from rows(texts[1], texts[2], measured.read_text())


def rows(raw, source, measured):
    """Rows of the table, of ncu's pages of launches and of instructions, and of bench's table."""
    raw, each = without_others(raw, pages(source, EACH))
    # Of each cell the first launch counts.
    for row, samples in zip(launches(raw, measured.splitlines(), COLUMNS), each[::2]):
        yield [*row[: len(FIXED)], *(f"{float(number):.0f}" for number in row[len(FIXED) :]), found(samples)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="+", help="names in RAYWARP_SCENES")
    parser.add_argument("--kind", default="primary,ao,diffuse", help="kinds of rays")
    arguments = start(parser)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([*FIXED, *COLUMNS, "sampled"])
    for scene in arguments.scenes:
        for number, (kernels, tree) in enumerate(GROUPS):
            out.writerows(sampled(arguments, scene, number, kernels, tree))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
