#!/usr/bin/env python3
"""What each bounce of W11's whole-frame organisation takes on a GPU, with paths listed between bounces and without, by
Nsight Compute's counters: how much of Table 3 is divergence and how much memory.

    bench/bounce_counters.py RAYWARP OUT.csv SCENE [OPTION ...]     # options of raywarp render beside those below

A frame of 1280 x 768, 8 bounces, one path a pixel, clay of 0.7 where no option says what surfaces are made of. For each bounce: paths and active warps (as the renderer
counts them on the device), and of the kernel that extends them time, warp instructions, lanes of an instruction, warps in
flight of a scheduler, clocks from one instruction of a warp to its next, sectors of a request to L1, hit rates, bytes from
memory. Time of an active warp is

    instructions of a warp x clocks between them / warps in flight x (clocks of the launch / clocks with work),

so that a compacted bounce's time over a naive one's is a product of four quotients, which standard output has.
"""

import csv
import io
import re
import subprocess
import sys

METRICS = {
    "ns": "gpu__time_duration.sum",
    "instructions": "smsp__inst_executed.sum",
    "lane_instructions": "smsp__thread_inst_executed.sum",
    "in_flight": "smsp__warps_active.avg.per_cycle_active",
    "between": "smsp__average_warp_latency_per_inst_issued.ratio",
    "waits_for_memory": "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "active_clocks": "smsp__cycles_active.avg",
    "clocks": "smsp__cycles_elapsed.avg",
    "sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "local_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1_hits": "l1tex__t_sector_hit_rate.pct",
    "l2_hits": "lts__t_sector_hit_rate.pct",
    "memory_bytes": "dram__bytes_read.sum",
}
FRAME = ["--size", "1280x768", "--max-depth", "8", "--spp", "1", "--device", "cuda", "-o", "frame.exr", "--paths-in-flight", "983040"]


def render(binary, scene, options):
    """The command line. Clay, where no option says otherwise."""
    made_of = [] if {"--clay", "--made-of"} & set(options) else ["--clay", "0.7"]
    return [binary, "render", scene, *FRAME, *made_of, *options]


def rounds(binary, scene, options):
    """Paths and warps of each bounce."""
    done = subprocess.run(render(binary, scene, options) + ["-v"], capture_output=True, text=True, check=True)
    line = done.stderr[done.stderr.index("paths (warps) a round:"):].splitlines()[0]
    return [tuple(map(int, pair)) for pair in re.findall(r"(\d+) \((\d+)\)", line)]


def counters(binary, scene, options, kernel):
    """The metrics of each launch of a kernel, in order."""
    profiler = ["ncu", "--csv", "--page", "raw", "--kernel-name", kernel, "--metrics", ",".join(METRICS.values())]
    done = subprocess.run(profiler + render(binary, scene, options) + ["-q"], capture_output=True, text=True)
    start = done.stdout.find('"ID"')
    if start < 0:
        sys.exit(f"no counters: {done.stdout[-500:]} {done.stderr[-500:]}")
    # A line of units follows the heads.
    rows = list(csv.DictReader(io.StringIO(done.stdout[start:])))[1:]
    return [{name: float(row[metric].replace(",", "")) for name, metric in METRICS.items()} for row in rows]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    binary, out, scene, *options = sys.argv[1:]
    found = {}
    for compaction in ("off", "scan"):
        own = [*options, "--organisation", "compact", "--compaction", compaction]
        counted = rounds(binary, scene, own)
        found[compaction] = [(paths, warps, row) for (paths, warps), row in
                             zip(counted, counters(binary, scene, own, "regex:^bounce"))]
    with open(out, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["compaction", "bounce", "paths", "warps", *METRICS])
        for compaction, rows in found.items():
            for bounce, (paths, warps, own) in enumerate(rows):
                table.writerow([compaction, bounce, paths, warps, *(f"{value:.6g}" for value in own.values())])
    print(f"{scene}\nbounce  paths/warp  time  instructions  between  in flight  idle | lanes off, on | sectors/request off, on")
    for bounce, (off, on) in enumerate(zip(found["off"], found["scan"])):
        quotient = {}
        for name, (paths, warps, own) in (("off", off), ("on", on)):
            quotient[name] = (own["ns"] / warps, own["instructions"] / warps, own["between"], own["in_flight"],
                              own["clocks"] / own["active_clocks"])
        each = [b / a for a, b in zip(quotient["off"], quotient["on"])]
        lanes = [row[2]["lane_instructions"] / row[2]["instructions"] for row in (off, on)]
        sectors = [row[2]["sectors"] / row[2]["requests"] for row in (off, on)]
        print(f"{bounce:6}  {off[0] / off[1]:10.1f}  {each[0]:4.2f}  {each[1]:12.2f}  {each[2]:7.2f}  {1 / each[3]:9.2f}  "
              f"{each[4]:4.2f} | {lanes[0]:4.1f}, {lanes[1]:4.1f} | {sectors[0]:4.1f}, {sectors[1]:4.1f}")


if __name__ == "__main__":
    main()
