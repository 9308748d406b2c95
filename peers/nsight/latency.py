#!/usr/bin/env python3
"""Tables 1 and 3 of Guthe 2014 on this GPU: instructions a clock, eligible warps, stall reasons, use of cores and memory.

Runs `raywarp bench` under Nsight Compute (ncu), which must be able to read the hardware counters; see README.md.
"""

import argparse
import csv
import io
import pathlib
import shutil
import subprocess
import sys

KINDS = ["primary", "ao", "diffuse"]

# Table, kernel, and the paper's lines: GPU, then for each kind of rays IPC, eligible warps, and per cent of stalls
# that wait for instructions, memory, and results of other instructions.
TABLES = [
    (
        "Table 1: the kernel of ALK12",
        "alk12-kepler",
        [
            ("GTX 480", [(1.41, 3.13, 32, 10, 52), (1.37, 3.60, 28, 17, 49), (1.06, 2.74, 11, 16, 66)]),
            ("GTX 680", [(2.73, 4.17, 8, 42, 43), (2.71, 4.20, 9, 42, 43), (2.34, 3.37, 7, 51, 37)]),
            ("GTX Titan", [(2.85, 5.22, 9, 46, 37), (2.79, 5.15, 10, 46, 37), (2.52, 4.65, 9, 52, 33)]),
        ],
    ),
    (
        "Table 3: the improved kernel",
        "g14",
        [
            ("GTX 480", [(1.52, 3.87, 28, 10, 55), (1.49, 4.41, 25, 16, 51), (1.20, 3.10, 11, 14, 68)]),
            ("GTX 680", [(3.47, 6.38, 10, 33, 44), (3.31, 5.92, 10, 33, 46), (3.05, 5.08, 8, 42, 40)]),
            ("GTX Titan", [(3.57, 7.89, 13, 35, 35), (3.42, 7.45, 13, 35, 36), (3.28, 6.84, 12, 42, 34)]),
        ],
    ),
]

# Stall reasons of Nsight Compute as the paper sorts them; what is in none of them is "other" (a pipe that is busy, a warp
# that was not chosen).
FETCH = ["no_instruction", "branch_resolving"]
MEMORY = ["long_scoreboard", "lg_throttle", "tex_throttle", "mio_throttle", "drain", "membar"]
DEPENDENCY = ["wait", "short_scoreboard"]
STALL = "smsp__average_warps_issue_stalled_"
STALL_END = "_per_issue_active.ratio"

IPC = "sm__inst_executed.avg.per_cycle_active"
ELIGIBLE = "smsp__warps_eligible.avg.per_cycle_active"
LANES = "smsp__thread_inst_executed_per_inst_executed.ratio"
USE = {
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "cores": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "L1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "DRAM": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}
METRICS = [IPC, ELIGIBLE, LANES, *USE.values()]
SECTION = "WarpStateStats"  # has the stalls
SCHEDULERS = 4  # of a multiprocessor, since Maxwell


def profile(arguments):
    """The raw page of ncu as text."""
    ncu = shutil.which("ncu")
    if ncu is None:
        sys.exit("latency.py: there is no ncu (Nsight Compute) on this machine; the paper's lines alone: --paper")
    kernels = ",".join(kernel for _, kernel, _ in TABLES)
    # One launch is timed and one is checked: of the two the first counts.
    bench = [arguments.raywarp, "bench", arguments.scene, "--device", "cuda", "--workload", "g14", "--views", "1"]
    bench += ["--variant", kernels, "--runs", "1", "--warmup", "0", "--check", "1024", "-q"]
    bench += arguments.bench
    command = [ncu, "--clock-control", "none", "--target-processes", "all", "--page", "raw", "--csv"]
    command += ["--section", SECTION, "--metrics", ",".join(METRICS), *bench]
    print("$", " ".join(command), file=sys.stderr)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or '"Kernel Name"' not in done.stdout:
        sys.exit(f"latency.py: ncu cannot read the counters here:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def table_of(text):
    """The table in what ncu and the profiled program print."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        sys.exit("latency.py: no table of ncu's raw page (--page raw --csv)")
    return "".join(line + "\n" for line in lines[first:] if line.startswith('"'))


def launches(text):
    """Dictionaries of the launches, in order."""
    rows = list(csv.reader(io.StringIO(text)))
    head, rows = rows[0], rows[2:]  # the second line has the units
    return [dict(zip(head, row)) for row in rows if len(row) == len(head) and row[0].isdigit()]


def number(cell):
    """A figure as ncu prints it, with commas between thousands."""
    try:
        return float(cell.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def sorted_by_kind(rows):
    """For each kernel and kind of rays the first launch: closest-hit rays are primary, then diffuse."""
    found = {}
    for _, kernel, _ in TABLES:
        stem = "wide4" if kernel == "g14" else "bvh2"
        for query, kinds in (("closest", ["primary", "diffuse"]), ("any", ["ao"])):
            own = [row for row in rows if stem in row["Kernel Name"] and row["Kernel Name"].endswith("__" + query)]
            if not own or len(own) % len(kinds):
                continue
            each = len(own) // len(kinds)
            for place, kind in enumerate(kinds):
                found[kernel, kind] = own[place * each]
    return found


def line(row):
    """IPC, eligible warps of a multiprocessor, shares of stalls, lanes, and what is used."""
    stalls = {
        name[len(STALL) : -len(STALL_END)]: number(cell) or 0.0
        for name, cell in row.items()
        if name.startswith(STALL) and name.endswith(STALL_END)
    }
    stalls.pop("selected", None)
    total = sum(stalls.values())

    def share(reasons):
        return 100 * sum(stalls.get(reason, 0.0) for reason in reasons) / total if total else None

    eligible = number(row.get(ELIGIBLE))
    return {
        "IPC": number(row.get(IPC)),
        "el. w.": eligible and eligible * SCHEDULERS,
        "fetch": share(FETCH),
        "mem.": share(MEMORY),
        "dep.": share(DEPENDENCY),
        "lanes": number(row.get(LANES)),
        **{name: number(row.get(metric)) for name, metric in USE.items()},
        "most": sorted(stalls.items(), key=lambda pair: -pair[1])[:3],
        "total": total,
    }


def table(found, name):
    """Both tables, with this machine where it was measured."""
    for title, kernel, papers in TABLES:
        print(f"{title} ({kernel}), G14; fetch, mem., dep.: per cent of all stalls")
        print(f"{'':12} {'rays':8} {'IPC':>5} {'el. w.':>6} {'fetch':>5} {'mem.':>5} {'dep.':>5}", end="")
        print(f" {'lanes':>6}" + "".join(f" {use:>6}" for use in USE) + "  most of the stalls")
        for gpu, kinds in papers:
            for kind, (ipc, eligible, fetch, memory, dependency) in zip(KINDS, kinds):
                print(f"{gpu:12} {kind:8} {ipc:5.2f} {eligible:6.2f} {fetch:5} {memory:5} {dependency:5}")
        for kind in KINDS:
            row = found.get((kernel, kind))
            if row is None:
                print(f"{name:12} {kind:8} not measured: the counters cannot be read here")
                continue
            here = line(row)

            def cell(key, width, decimals):
                return f"{here[key]:{width}.{decimals}f}" if here[key] is not None else "-".rjust(width)

            most = ", ".join(f"{reason} {100 * part / here['total']:.0f} %" for reason, part in here["most"])
            print(f"{name:12} {kind:8} {cell('IPC', 5, 2)} {cell('el. w.', 6, 2)}", end="")
            print("".join(f" {cell(key, 5, 0)}" for key in ("fetch", "mem.", "dep.")), end="")
            print(f" {cell('lanes', 6, 1)}" + "".join(f" {cell(use, 6, 0)}" for use in USE) + f"  {most}")
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", nargs="?", default="conference", help="as raywarp bench takes it")
    parser.add_argument("--raywarp", default="raywarp", help="the program")
    parser.add_argument("--name", default="this GPU", help="what the tables call this machine")
    parser.add_argument("--raw", type=pathlib.Path, help="keep ncu's table in a file")
    parser.add_argument("--from", dest="source", type=pathlib.Path, help="tables of a kept file, without running anything")
    parser.add_argument("--paper", action="store_true", help="the paper's lines alone")
    parser.epilog = "Options after -- go to raywarp bench."
    own = sys.argv[1:]
    end = own.index("--") if "--" in own else len(own)
    arguments = parser.parse_args(own[:end])
    arguments.bench = own[end + 1 :]
    if arguments.paper:
        return table({}, arguments.name)
    text = table_of(arguments.source.read_text() if arguments.source else profile(arguments))
    if arguments.raw:
        arguments.raw.write_text(text)
    found = sorted_by_kind(launches(text))
    if not found:
        sys.exit("latency.py: none of the kernels was profiled")
    return table(found, arguments.name)


if __name__ == "__main__":
    main()
