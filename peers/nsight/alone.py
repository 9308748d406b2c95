#!/usr/bin/env python3
"""How long warps take that have a scheduler for themselves, and what they wait for: what `raywarp simulate --json` foretells as
`warp_alone_per_ray`.

Runs `raywarp bench` under Nsight Compute (ncu) with as many rays as give every scheduler one warp (on 132 multiprocessors 176x96
pixels: 132 blocks of 4 warps), kernels of one ray a lane, caches as they are. Prints CSV; see README.md.
"""

import argparse
import csv
import pathlib
import shutil
import subprocess
import sys

import counters

STALLS = (
    "selected wait branch_resolving dispatch_stall no_instruction imc_miss short_scoreboard long_scoreboard math_pipe_throttle "
    "mio_throttle lg_throttle not_selected sleeping membar drain barrier misc"
).split()
COLUMNS = {
    "warps": "smsp__warps_launched.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "scheduler_cycles": "smsp__cycles_active.sum",
    "longest": "smsp__cycles_active.max",
    "l1_hit_percent": "l1tex__t_sector_hit_rate.pct",
    **{stall: f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio" for stall in STALLS},
}
# Those that counters have verified, each with its tree there.
GROUPS = [
    ("al09-while-while,al09-if-if,al09-spec-while-while,alk12-fermi", [*counters.SWEEP, "8"]),
    ("ykl17-direct", [*counters.SWEEP, "3"]),
    ("raywarp-h8-direct", [*counters.SWEEP, "1", "--reinsertion", "10"]),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scene", help="a name in RAYWARP_SCENES")
    parser.add_argument("--raywarp", default="target/release/raywarp", help="the program")
    parser.add_argument("--size", default="176x96", help="pixels of the view; 8x4 is one warp")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where the profiler's own tables are kept")
    arguments = parser.parse_args()
    if shutil.which("ncu") is None:
        sys.exit("alone.py: there is no ncu (Nsight Compute) on this machine")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    counters.COLUMNS = COLUMNS
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(counters.FIXED + list(COLUMNS))
    for number, (kernels, tree) in enumerate(GROUPS):
        measured = arguments.folder / f"bench.{arguments.size}.{number}.csv"
        command = ["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw"]
        command += ["--metrics", ",".join(COLUMNS.values())]
        command += [arguments.raywarp, "bench", arguments.scene, "--device", "cuda", "--workload", "raywarp"]
        command += ["--views", "1", "--size", arguments.size, "--rays-per-pixel", "1", "--runs", "1", "--warmup", "0"]
        command += ["--check", "256", "-q", "--variant", kernels, *tree, "--csv", str(measured)]
        print("$", " ".join(command), file=sys.stderr)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        (arguments.folder / f"alone.{arguments.size}.{number}.csv").write_text(done.stdout)
        if done.returncode != 0 or '"Kernel Name"' not in done.stdout:
            sys.exit(f"alone.py: ncu cannot read the counters here:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        out.writerows(counters.launches(done.stdout, measured.read_text().splitlines()))


if __name__ == "__main__":
    main()
