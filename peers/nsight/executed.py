#!/usr/bin/env python3
"""How often warps issued each instruction of each kernel on this GPU: what every block of `raywarp simulate`'s costs is held to.

Runs `raywarp bench` under Nsight Compute (ncu), one view of each scene, one ray of each kind a pixel; see README.md. Prints CSV; its last
column has runs of instructions that were issued as often: where a run starts, in bytes from the kernel's first instruction, and how
often, as in `0:4096 48:8192`.
"""

import argparse
import csv
import io
import itertools
import subprocess
import sys

from counters import FIXED, SWEEP, fail, launches, start

COLUMNS = {
    "warp_instructions": "smsp__inst_executed.sum",
    "ns": "gpu__time_duration.sum",
    "cycles": "sm__cycles_active.avg",
}
# Of single instructions.
EACH = "inst_executed"
GROUPS = [
    (
        "al09-while-while,al09-if-if,al09-spec-while-while,al09-persistent-while-while,al09-persistent-spec-while-while,al09-packet,"
        "al09-queue,al09-wide4,al09-wide8,alk12-fermi,alk12-kepler,g14-wide4-merge,g14,l9-mbvh-nearest,watertight",
        [*SWEEP, "8"],
    ),
    ("ykl17,ykl17-direct", [*SWEEP, "3"]),
    ("raywarp-h8,raywarp-h8-direct", [*SWEEP, "1", "--reinsertion", "10"]),
]
# So few rays that a simulator follows all of them.
SIZE = "320x240"
# Bytes of an instruction, Volta and newer.
WORD = 16


def pages(text, name=EACH):
    """Of each launch in ncu's source page, the numbers of a column, in the order of the instructions' addresses."""
    found = []
    column = None
    for line in csv.reader(io.StringIO(text)):
        if line[:1] == ["Kernel Name"]:
            found.append([])
        elif line[:1] == ["Address"]:
            column = line.index(name)
        elif line and found and column is not None and len(line) > column:
            found[-1].append(int(line[column]))
    return found


def runs(counts):
    """`0:4096 48:8192`."""
    place, text = 0, []
    for count, run in itertools.groupby(counts):
        text.append(f"{place * WORD}:{count}")
        place += len(list(run))
    return " ".join(text)


def counted(arguments, scene, number, kernels, tree):
    """Rows of the table of one run of bench on the first view of `scene`."""
    report = arguments.folder / f"executed.{scene}.{number}"
    measured = arguments.folder / f"bench.{scene}.{number}.csv"
    command = ["ncu", "--clock-control", "none", "--metrics", ",".join([EACH, *COLUMNS.values()]), "-f", "-o", str(report)]
    command += [arguments.raywarp, "bench", scene, "--device", "cuda", "--workload", "raywarp", "--views", "1"]
    command += ["--rays-per-pixel", "1", "--runs", "1", "--warmup", "0", "--check", "256", "-q"]
    command += ["--size", SIZE, "--variant", kernels, *tree, "--csv", str(measured)]
    page = ["ncu", "--import", f"{report}.ncu-rep", "--csv", "--print-units", "base", "--page"]
    texts = []
    for step in (command, [*page, "raw"], [*page, "source"]):
        print("$", " ".join(step), file=sys.stderr)
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"ncu cannot read the counters here:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        texts.append(done.stdout)
    rows = list(launches(texts[1], measured.read_text().splitlines(), COLUMNS))
    each = pages(texts[2])
    # Some versions print each page twice, and of each cell the first launch counts.
    copies = len(each) // (2 * len(rows))
    if copies == 0 or len(each) != 2 * copies * len(rows):
        fail(f"{len(each)} pages of {2 * len(rows)} launches")
    for row, counts in zip(rows, each[:: 2 * copies]):
        # Of some versions a number has six places.
        yield [*row[: len(FIXED)], *(f"{float(number):.0f}" for number in row[len(FIXED) :]), runs(counts)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="+", help="names in RAYWARP_SCENES")
    arguments = start(parser)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([*FIXED, *COLUMNS, "executed"])
    for scene in arguments.scenes:
        for number, (kernels, tree) in enumerate(GROUPS):
            out.writerows(counted(arguments, scene, number, kernels, tree))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
