#!/usr/bin/env python3
"""Why warps of each kernel stall on this GPU, cause by cause: what the model of a multiprocessor (`expected`) leaves out.

Runs `raywarp bench` under Nsight Compute (ncu), one view of each scene, one ray of each kind a pixel of a large view, so that start
and end of a launch are little; see README.md. Prints CSV: of each launch, warps that stalled for a cause for each instruction
issued, whose sum over the causes is the warps in flight of a scheduler over the instructions that it issued a clock.
"""

from counters import SWEEP, print_table

CAUSES = [
    "selected", "not_selected", "math_pipe_throttle", "wait", "dispatch_stall", "long_scoreboard", "short_scoreboard",
    "branch_resolving", "no_instruction", "lg_throttle", "mio_throttle", "tex_throttle", "drain", "barrier", "membar", "sleeping", "misc",
]
COLUMNS = {
    "ns": "gpu__time_duration.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "cycles": "sm__cycles_active.avg",
    "issue_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    **{cause: f"smsp__average_warps_issue_stalled_{cause}_per_issue_active.ratio" for cause in CAUSES if cause != "selected"},
}
GROUPS = [
    ("al09-while-while,al09-if-if,al09-persistent-spec-while-while,alk12-fermi,alk12-kepler,g14", [*SWEEP, "8"]),
    ("ykl17,ykl17-direct", [*SWEEP, "3"]),
    ("raywarp-h8,raywarp-h8-direct", [*SWEEP, "1", "--reinsertion", "10"]),
]


if __name__ == "__main__":
    print_table("stalls", __doc__, COLUMNS, GROUPS, ["--size", "3072x2304"])
