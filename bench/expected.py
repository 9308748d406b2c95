#!/usr/bin/env python3
"""Makes the column `expected_mrays` of a recorded comparison anew, after the model of a multiprocessor was changed.

    bench/expected.py bench/runs/2026-11-25-h200-2 tuned h200    (and held), then bench/calibrate.py

Asks `raywarp simulate --measured` (RAYWARP names the program, RAYWARP_SCENES the scenes) what it expects of the kernels in
bench-NAME.csv on a machine, and writes it to bounds-NAME.csv. Where there is none it is made, with the lowest bounds.
"""

import csv
import json
import os
import subprocess
import sys

COPIED = "scene workload kind order view name variant tree max_leaf block_threads max_registers rays mrays_median mrays_max".split()


def simulated(scene, table, machine):
    """Rows of the report by kernel and kind of rays, of the first viewpoint."""
    views = os.path.join(os.environ["RAYWARP_SCENES"], "views.toml")
    command = [os.environ.get("RAYWARP", "raywarp"), "simulate", scene, "--machine", machine, "--measured", table]
    command += ["--view", f"{views}:{scene}:1", "--json", "-q"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["rows"]
    return {(row["variant"], row["kind"]): row for row in rows}


def read(table):
    with open(table, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return reader.fieldnames, list(reader)


def compared(folder, name):
    """The table of the comparison, or a new one from that of the bench: columns and rows."""
    table = os.path.join(folder, f"bounds-{name}.csv")
    if os.path.exists(table):
        return read(table)
    columns = COPIED + ["bound_mrays", "bound", "expected_mrays"]
    rows = [row for row in read(os.path.join(folder, f"bench-{name}.csv"))[1] if row["view"] == "1"]
    return columns, [{column: row.get(column, "") for column in columns} for row in rows]


def main():
    folder, name, machine = sys.argv[1:]
    columns, rows = compared(folder, name)
    for scene in dict.fromkeys(row["scene"] for row in rows):
        found = simulated(scene, os.path.join(folder, f"bench-{name}.csv"), machine)
        for row in rows:
            one = found.get((row["variant"], row["kind"]))
            if row["scene"] != scene or row["view"] != "1" or not one:
                continue
            if one["expected_mrays_per_s"]:
                row["expected_mrays"] = f"{one['expected_mrays_per_s']:.3f}"
            if not row["bound"] and one["lowest"]:
                row["bound_mrays"], row["bound"] = f"{one['lowest']['mrays_per_s']:.3f}", one["lowest"]["limit"]
        print(scene, file=sys.stderr, flush=True)
    with open(os.path.join(folder, f"bounds-{name}.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


main()
