#!/usr/bin/env python3
"""How far measured rates are from those that a model expects, for the intervals of `raywarp simulate`.

    bench/calibrate.py bench/runs/2026-11-25-h200-2/bounds-tuned.csv > crates/study/data/calibration.csv

Reads the table that `raywarp bench --simulate --record` writes. Of each kernel and kind of rays the ratio of the measured rate,
without start and tail of the launch, to the expected one.
"""

import csv
import sys


def main():
    print("machine,variant,kind,scene,ratio")
    for row in csv.DictReader(open(sys.argv[1], encoding="utf-8")):
        if row["view"] == "1" and row["expected_mrays"]:
            busy = 1.0 - float(row["tail_percent"] or 0.0) / 100.0
            ratio = float(row["mrays_median"]) / busy / float(row["expected_mrays"])
            print(f"H200,{row['variant']},{row['kind']},{row['scene']},{ratio:.4f}")


if __name__ == "__main__":
    main()
