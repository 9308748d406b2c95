#!/usr/bin/env python3
"""How long warps take that have a scheduler for themselves, and what they wait for: what `raywarp simulate --json` foretells as
`warp_alone_per_ray`.

Runs `raywarp bench` under Nsight Compute (ncu) with as many rays as give every scheduler one warp (on 132 multiprocessors 176x96
pixels: 132 blocks of 4 warps), kernels of one ray a lane, caches as they are. Prints CSV; see README.md.
"""

import argparse
import csv
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
    parser.add_argument("--size", default="176x96", help="pixels of the view; 8x4 is one warp")
    arguments = counters.start(parser)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(counters.FIXED + list(COLUMNS))
    for number, (kernels, tree) in enumerate(GROUPS):
        options = ["--size", arguments.size, "--variant", kernels, *tree]
        kept = f"alone.{arguments.size}.{number}"
        caches = ["--cache-control", "none"]
        out.writerows(counters.profiled(arguments, arguments.scene, kept, COLUMNS, options, caches))


if __name__ == "__main__":
    main()
