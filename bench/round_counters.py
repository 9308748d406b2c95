#!/usr/bin/env python3
"""How coherent the rays of queues are, round by round, by Nsight Compute's counters: L9's "rays are automatically sorted".

    bench/round_counters.py RAYWARP OUT.csv SCENE [OPTION ...]     # options of raywarp render beside those below

A frame of 1280 x 768, 8 bounces, one path a pixel, all of them in flight, so that a round is a bounce; clay of 0.7, unless an
option says what surfaces are made of. The kernels of `--organisation wavefront-sorted` that extend and connect paths (`bounce_counters.py` has the
one of `--organisation compact` for a whole bounce). Of each launch: lanes of an instruction (of 32; of those of the
queues' kernels no lane is idle but at a queue's end, so that what is missing is divergence), sectors of a request to L1, what
L1 and L2 have of them, bytes from memory, and time.
"""

import csv
import sys

from bounce_counters import counters, rounds

KERNELS = ["extend", "connect"]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    binary, out, scene, *options = sys.argv[1:]
    rows = []
    own = [*options, "--organisation", "wavefront-sorted"]
    counted = rounds(binary, scene, own)
    for kernel in KERNELS:
        launches = counters(binary, scene, own, f"regex:^{kernel}")
        # A queue that is empty is launched for, too.
        for bounce, (paths, row) in enumerate(zip((paths for paths, _ in counted), launches)):
            rows.append((kernel, bounce, paths, row))
    with open(out, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["kernel", "bounce", "paths", *rows[0][3]])
        for kernel, bounce, paths, row in rows:
            table.writerow([kernel, bounce, paths, *(f"{value:.6g}" for value in row.values())])
    print(f"{scene}\nkernel   bounce    paths  lanes  sectors/request  L1 %  L2 %  bytes/path  ns/path")
    for kernel, bounce, paths, row in rows:
        print(f"{kernel:7}  {bounce:6}  {paths:7}  {row['lane_instructions'] / row['instructions']:5.1f}  "
              f"{row['sectors'] / row['requests']:15.1f}  {row['l1_hits']:4.0f}  {row['l2_hits']:4.0f}  "
              f"{row['memory_bytes'] / paths:10.0f}  {row['ns'] / paths:7.3f}")


if __name__ == "__main__":
    main()
