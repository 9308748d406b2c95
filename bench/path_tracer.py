#!/usr/bin/env python3
"""The path tracer on a GPU: its pictures beside the CPU's, its rate, and what its rays a second are of the kernels' alone.

    bench/path_tracer.py RAYWARP OUT SCENE:SPP[:EXPORTED] ...     # as sibenik-diffuse.pbrt:1024:8

For each scene, with `--device cuda` (DEVICE says another): a picture of 4 samples with layers in each organisation must not
differ from the CPU's; RUNS renders (3) of SPP samples are timed; the rays of the first EXPORTED samples (1) are written
by the CPU and traced by `bench --rays` in the trees good and single-split-inner. Standard output gets a line a scene, and
OUT a table of the bench for each. A ratio is rays a second of the renders over those of the better tree, to all files and
to those of 200,000 rays or more; none where no file has so many.
"""

import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

RUNS = int(os.environ.get("RUNS", "3"))
DEVICE = os.environ.get("DEVICE", "cuda")
TREES = ["good", "single-split-inner"]
# Rays from which on a launch keeps an H200 busy.
LONG = 200_000


def raywarp(binary, *arguments):
    """What a command says on standard output; ends the program where it fails."""
    done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def same_pictures(binary, scene, folder):
    """Whether both organisations give the CPU's picture, every pixel and layer the same."""
    few = ["-q", "--spp", 4, "--layers", "variance,albedo,normal"]
    want = os.path.join(folder, "cpu.exr")
    raywarp(binary, "render", scene, *few, "--device", "cpu", "-o", want)
    for organisation in ["wavefront", "megakernel"]:
        found = os.path.join(folder, organisation + ".exr")
        raywarp(binary, "render", scene, *few, "--device", DEVICE, "--organisation", organisation, "-o", found)
        judged = json.loads(raywarp(binary, "diff", "--json", found, want))
        layers = [layer["name"] for layer in judged["layers"] if layer["largest"] != 0 or layer["in_one_only"] != 0]
        if judged["different_pixels"] != 0 or layers:
            return f"differs by {organisation}: {judged['different_pixels']} pixels, layers {layers}"
    return "the CPU's, every pixel"


def rates(binary, scene, samples, folder):
    """Median rates of paths and of rays a second, and how far the runs are apart in per cent."""
    command = ["render", scene, "-q", "--json", "--device", DEVICE, "--spp", samples]
    said = [json.loads(raywarp(binary, *command, "-o", os.path.join(folder, "timed.exr"))) for _ in range(RUNS)]
    paths = [run["paths_per_s"] for run in said]
    spread = 100 * (max(paths) / min(paths) - 1)
    return statistics.median(paths), statistics.median(run["rays_per_s"] for run in said), spread


def alone(binary, scene, exported, folder, out):
    """Rays a second of the kernels alone on the very same rays, of all files and of the long ones."""
    rays = os.path.join(folder, "rays")
    export = ["--organisation", "rays", "--spp", exported, "--export-rays", rays, "--export-samples", exported]
    raywarp(binary, "render", scene, "-q", "--device", "cpu", *export, "-o", os.path.join(folder, "exported.exr"))
    files = ",".join(sorted(os.path.join(rays, name) for name in os.listdir(rays) if name.endswith(".npy")))
    record = os.path.join(folder, "record")
    raywarp(binary, "bench", scene, "--device", DEVICE, "--rays", files, "--trees", ",".join(TREES), "--variant",
            "raywarp-h8", "--check", 1024, "--record", record)
    table = os.path.join(record, "bench.csv")
    with open(table, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    shutil.move(table, out)
    best = {}
    for row in rows:
        if int(row["differ"]) > int(row["explained"]):
            sys.exit(f"{scene}: hits of {row['kind']} differ")
        seconds = float(row["ms_median"]) / 1000
        kind = row["kind"]
        best[kind] = (int(row["rays"]), min(seconds, best.get(kind, (0, seconds))[1]))
    long = {kind: timed for kind, timed in best.items() if timed[0] >= LONG}
    return [sum(n for n, _ in some.values()) / sum(s for _, s in some.values()) if some else None
            for some in (best, long)]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    binary, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    for asked in sys.argv[3:]:
        scene, samples, *exported = asked.split(":") + [""] * (2 - asked.count(":"))
        if not samples.isdigit():
            sys.exit(f"{asked}: not SCENE:SPP or SCENE:SPP:EXPORTED")
        name = os.path.basename(os.path.dirname(os.path.abspath(scene))) + "-" + os.path.basename(scene).split(".")[0]
        with tempfile.TemporaryDirectory() as folder:
            picture = same_pictures(binary, scene, folder)
            paths, rays, spread = rates(binary, scene, int(samples), folder)
            kernels = alone(binary, scene, int(exported[0] or 1), folder, os.path.join(out, name + ".csv"))
        ratios = ", ".join("-" if rate is None else f"{rays / rate:.2f}" for rate in kernels)
        print(f"{scene}: {paths / 1e6:.1f} Mpaths/s ({spread:.1f} %), {rays / 1e9:.2f} Grays/s; over the kernels alone, "
              f"all files and long ones: {ratios}; picture {picture}", flush=True)


if __name__ == "__main__":
    main()
