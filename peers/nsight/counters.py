#!/usr/bin/env python3
"""Counters of each kernel on this GPU, as a table: what `raywarp simulate` foretells.

Runs `raywarp bench` under Nsight Compute (ncu), one view of each scene, one ray of each kind a pixel; see README.md. Prints CSV.
"""

import argparse
import csv
import io
import pathlib
import shutil
import subprocess
import sys

# Columns of the table after those that all tables have, each with its metric.
COLUMNS = {
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "ns": "gpu__time_duration.sum",
    "cycles": "sm__cycles_active.avg",
    **{pipe: f"sm__inst_executed_pipe_{pipe}.sum" for pipe in ["alu", "fma", "lsu", "xu", "adu", "cbu", "uniform"]},
    "wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "local_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "l2_sectors": "lts__t_sectors.sum",
    "dram_bytes": "dram__bytes.sum",
    "warps_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
# Columns that all tables have; the last one is the hash of the kernel's machine code, or of what else it ran from.
FIXED = ["scene", "variant", "kind", "tree", "rays", "blocks", "code"]

# Kernels by the tree that they walk, and the tree.
SWEEP = ["--builder", "sweep", "--max-leaf"]
GROUPS = [
    (
        "al09-while-while,al09-if-if,al09-spec-if-if,al09-spec-while-while,al09-packet,al09-persistent-while-while,"
        "al09-persistent-spec-while-while,al09-persistent-packet,al09-replace,al09-replace-every-4,al09-queue,"
        "al09-queue-2,al09-queue-1,al09-wide4,al09-wide8,al09-wide16,al09-wide32,alk12-fermi,alk12-kepler,"
        "alk12-kepler-float,alk12-kepler-postpone-0,alk12-kepler-postpone-2,g14-wide4,g14-wide4-merge,"
        "g14-wide4-unsorted,g14-unroll,g14,l9-mbvh,l9-mbvh-nearest,watertight,"
        "direct/speculative-while-while/bvh2?planes=plain",
        [*SWEEP, "8"],
    ),
    ("ykl17,ykl17-direct,replace/if-while/cwbvh8?batch=exact&planes=plain&refill=80", [*SWEEP, "3"]),
    ("raywarp-h8,raywarp-h8-direct", [*SWEEP, "1", "--reinsertion", "10"]),
    # As the papers print them: without votes.
    (
        "al09-while-while?sync=implicit,al09-spec-while-while?sync=implicit,alk12-kepler?sync=implicit",
        [*SWEEP, "8", "--kind", "primary,diffuse"],
    ),
]


def fail(what):
    """Ends the script that was called."""
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {what}")


def launches(raw, measured, columns):
    """Rows of the table: `raw` is ncu's page as text, `measured` the lines of bench's CSV, `columns` names and metrics.

    Bench launches each cell twice, one timed and one checked, in the order of its lines; of the two the first counts.
    """
    text = raw[raw.index('"ID",') :]
    # The line after the head has the units.
    counted = list(csv.DictReader(io.StringIO(text)))[1:]
    cells = [row for row in csv.DictReader(measured) if row["view"] != "all"]
    if len(counted) != 2 * len(cells):
        fail(f"{len(counted)} launches, but {len(cells)} cells, each of which is launched twice")
    for launch, cell in zip(counted[::2], cells):
        query = "any" if cell["kind"] == "ao" else "closest"
        if not launch["Kernel Name"].split("(")[0].strip().endswith(f"__{query}"):
            fail(f"{launch['Kernel Name']} is not {cell['name']}, {cell['kind']}")
        tree = "{builder}+{reinsertion}/{max_leaf}".format(**cell)
        blocks = launch["Grid Size"].strip("()").split(",")[0]
        fixed = [cell["scene"], cell["variant"], cell["kind"], tree, cell["rays"], blocks, cell["code"]]
        yield fixed + [launch[metric].replace(",", "") for metric in columns.values()]


def start(parser):
    """The arguments, with those that all scripts have; ends where nothing can be profiled."""
    parser.add_argument("--raywarp", default="target/release/raywarp", help="the program")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where the profiler's own tables are kept")
    arguments = parser.parse_args()
    if shutil.which("ncu") is None:
        fail("there is no ncu (Nsight Compute) on this machine")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    return arguments


def profiled(arguments, scene, kept, columns, options, profiler=()):
    """Rows of the table of one run of bench on the first view of `scene`.

    `options` are further ones of bench, `profiler` of ncu. What both print stays in the folder: `kept` is the name of ncu's page
    without its ending, and what follows its first dot is in the name of bench's table.
    """
    measured = arguments.folder / f"bench.{kept.split('.', 1)[1]}.csv"
    command = ["ncu", "--clock-control", "none", *profiler, "--csv", "--page", "raw", "--metrics", ",".join(columns.values())]
    command += [arguments.raywarp, "bench", scene, "--device", "cuda", "--workload", "raywarp", "--views", "1"]
    command += ["--rays-per-pixel", "1", "--runs", "1", "--warmup", "0", "--check", "256", "-q"]
    command += [*options, "--csv", str(measured)]
    print("$", " ".join(command), file=sys.stderr)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (arguments.folder / f"{kept}.csv").write_text(done.stdout)
    if done.returncode != 0 or '"Kernel Name"' not in done.stdout:
        fail(f"ncu cannot read the counters here:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return launches(done.stdout, measured.read_text().splitlines(), columns)


def print_table(what, about, columns, groups, further=()):
    """Prints the table of all scenes that are named: `groups` are kernels and options of their tree, `further` more of bench."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("scenes", nargs="+", help="names in RAYWARP_SCENES")
    arguments = start(parser)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(FIXED + list(columns))
    for scene in arguments.scenes:
        for number, (kernels, tree) in enumerate(groups):
            options = ["--variant", kernels, *tree, *further]
            out.writerows(profiled(arguments, scene, f"{what}.{scene}.{number}", columns, options))
            sys.stdout.flush()


def main():
    print_table("counters", __doc__, COLUMNS, GROUPS)


if __name__ == "__main__":
    main()
