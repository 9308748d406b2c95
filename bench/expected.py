#!/usr/bin/env python3
"""Makes the column `expected_mrays` of a recorded comparison anew, after the model of a multiprocessor was changed.

    bench/expected.py bench/runs/2026-11-25-h200-2 tuned    (and held), then bench/calibrate.py

Asks `raywarp simulate --measured` (RAYWARP names the program, RAYWARP_SCENES the scenes) what it expects of the kernels in
bench-NAME.csv, and writes it to bounds-NAME.csv.
"""

import csv
import json
import os
import subprocess
import sys


def expected(scene, table):
    """Rates in Mrays/s by kernel and kind of rays, of the first viewpoint."""
    views = os.path.join(os.environ["RAYWARP_SCENES"], "views.toml")
    command = [os.environ.get("RAYWARP", "raywarp"), "simulate", scene, "--machine", "h200", "--measured", table]
    command += ["--view", f"{views}:{scene}:1", "--json", "-q"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["rows"]
    return {(row["variant"], row["kind"]): row["expected_mrays_per_s"] for row in rows}


def main():
    folder, name = sys.argv[1:]
    table, compared = (os.path.join(folder, f"{file}-{name}.csv") for file in ("bench", "bounds"))
    with open(compared, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        columns, rows = reader.fieldnames, list(reader)
    for scene in dict.fromkeys(row["scene"] for row in rows):
        rates = expected(scene, table)
        for row in rows:
            rate = rates.get((row["variant"], row["kind"]))
            if row["scene"] == scene and row["view"] == "1" and rate:
                row["expected_mrays"] = f"{rate:.3f}"
        print(scene, file=sys.stderr, flush=True)
    with open(compared, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


main()
