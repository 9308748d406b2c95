#!/usr/bin/env python3
"""How far measured rates are from those that a model expects, for the intervals of `raywarp simulate`.

    bench/calibrate.py H200 bench/runs/2026-11-25-h200-2/bounds-tuned.csv ... > crates/study/data/calibration.csv

Reads tables that `raywarp bench --simulate --record` writes, each after the name of its machine. Of each kernel and kind of rays the ratio
of the measured rate to the expected one. The model has no start and no tail of a launch, so that a part of each ratio is theirs.
"""

import csv
import sys


def main():
    print("machine,variant,kind,scene,ratio")
    for machine, table in zip(sys.argv[1::2], sys.argv[2::2]):
        for row in csv.DictReader(open(table, encoding="utf-8")):
            if row["view"] == "1" and row["expected_mrays"]:
                ratio = float(row["mrays_median"]) / float(row["expected_mrays"])
                print(f"{machine},{row['variant']},{row['kind']},{row['scene']},{ratio:.4f}")


if __name__ == "__main__":
    main()
