#!/usr/bin/env python3
"""Keeps of what `raywarp simulate --machine --json` prints what the tests of recorded and published rates read.

    raywarp simulate ... --json -q | bench/bounds/strip.py > bench/bounds/MACHINE/TREE/FILE.json
"""

import json
import sys

ROW = ["machine", "name", "variant", "kind", "rays", "launch_rays", "warp_instructions_per_ray", "instructions_assumed_percent",
       "expected_mrays_per_s", "no_code"]


def main():
    document = json.load(sys.stdin)
    kept = {key: document[key] for key in ["scene", "workload", "views", "size", "machines"]}
    lines = []
    for row in document["rows"]:
        one = {key: row[key] for key in ROW if row.get(key) is not None}
        one["bounds"] = [{**{key: bound[key] for key in (["limit", "class", "why"] if bound["limit"] == "latency" else ["limit", "class"])}, "mrays_per_s": round(bound["mrays_per_s"], 3)}
                         for bound in row["bounds"]]
        lines.append(json.dumps(one))
    head = json.dumps(kept)[:-1]
    print(head + ', "rows": [\n' + ",\n".join(lines) + "\n]}")


if __name__ == "__main__":
    main()
