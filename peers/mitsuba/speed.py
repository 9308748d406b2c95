"""Paths per second of raywarp and of Mitsuba's path tracer at equal settings, in alternating runs (see README.md)."""

import argparse
import csv
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import drjit as dr
import mitsuba as mi
import numpy as np

import peer
import raywarp
import rooms
import write_mitsuba
import write_pbrt


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("room", nargs="*", help=f"of {', '.join(rooms.ROOMS)}; all when none is given")
    parser.add_argument("--shared", type=Path, default=os.environ.get("RAYWARP_SCENES"), help="folder of shared scenes (or RAYWARP_SCENES)")
    parser.add_argument("--raywarp", help="the raywarp command (target/release/raywarp)")
    raywarp.add_device(parser)
    parser.add_argument("--runs", type=int, default=5, help="timed renders a side")
    parser.add_argument("--spp", type=int, default=32, help="samples a pixel of each")
    parser.add_argument("--threads", type=int, default=2, help="worker threads of either side")
    parser.add_argument("--variant", default="llvm_ad_rgb", help="Mitsuba's variant")
    parser.add_argument("--out", type=Path, help="folder for speed.csv and speed.json")
    parser.add_argument("--option", action="append", default=[], help="a further option for raywarp render")
    return parser.parse_args()


def machine() -> dict:
    """What the numbers were taken on."""

    def first_line(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True, cwd=raywarp.ROOT).stdout.strip().splitlines()[0]
        except (OSError, IndexError):
            return None

    cpu = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "cpu": cpu[0] if cpu else platform.processor(),
        "processors": os.cpu_count(),
        "system": platform.platform(),
        "commit": first_line("git", "rev-parse", "HEAD"),
        "rustc": first_line("rustc", "--version"),
        "mitsuba": mi.__version__,
        "drjit": dr.__version__,
        "llvm": os.environ.get("DRJIT_LIBLLVM_PATH"),
        "command": " ".join(["python", *sys.argv]),
    }


def time_theirs(loaded, seed: int, samples: int):
    """Seconds and processor seconds of a render, the picture's mean, and whether a kernel had to be compiled."""
    dr.sync_thread()
    dr.kernel_history()  # forgets what was recorded before
    start, cpu_start = time.perf_counter(), time.process_time()
    picture = mi.render(loaded, seed=seed, spp=samples)
    dr.eval(picture)
    dr.sync_thread()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    compiled = any(not entry.get("cache_hit", True) for entry in dr.kernel_history())
    return seconds, cpu, float(np.array(picture)[..., :3].mean()), compiled


def main() -> int:
    args = arguments()
    if args.shared is None:
        print("--shared FOLDER or RAYWARP_SCENES must name the shared scenes", file=sys.stderr)
        return 2
    peer.start(args.variant, args.threads)
    dr.set_flag(dr.JitFlag.KernelHistory, True)
    program = raywarp.binary(args.raywarp)
    record = {"machine": machine(), "settings": {k: str(v) if isinstance(v, Path) else v for k, v in vars(args).items()}, "rooms": {}}
    rows = []
    print(f"{'room':15} {'triangles':>9} {'ours':>16} {'theirs':>16} {'ours / theirs':>24} {'by processor time':>22}   mean radiance ours, theirs")
    for name, make in rooms.ROOMS.items():
        if args.room and name not in args.room:
            continue
        scene = make(args.shared)
        with tempfile.TemporaryDirectory() as folder:
            path = write_pbrt.write(scene, Path(folder))
            loaded = mi.load_dict(write_mitsuba.dictionary(scene, Path(folder)))
            picture = Path(folder) / "ours.exr"
            settings = dict(samples=args.spp, depth=scene.bounces, size=scene.size, threads=args.threads, device=args.device, extra=args.option)
            # Warm-up: kernels are compiled, files cached.
            time_theirs(loaded, 999, args.spp)
            raywarp.render(program, path, picture, seed=999, **settings)
            # What loading and building cost, to be taken off the processor time.
            base = raywarp.render(program, path, picture, seed=999, **(settings | {"samples": 1}))
            paths = scene.size[0] * scene.size[1] * args.spp
            sides = {"ours": [], "theirs": []}
            means = {"ours": [], "theirs": []}
            cpu = {"ours": [], "theirs": []}
            for run in range(args.runs):
                report = raywarp.render(program, path, picture, seed=run, **settings)
                assert report["samples"] == args.spp and report["size"] == list(scene.size), report
                sides["ours"].append(paths / report["seconds"])
                means["ours"].append(float(raywarp.read(picture).mean()))
                cpu["ours"].append((report["cpu_seconds"] - base["cpu_seconds"]) * args.spp / (args.spp - 1))
                seconds, cpu_seconds, mean, compiled = time_theirs(loaded, run, args.spp)
                cpu["theirs"].append(cpu_seconds)
                if compiled:
                    print(f"{name}, run {run}: Mitsuba compiled a kernel in the timed part")
                sides["theirs"].append(paths / seconds)
                means["theirs"].append(mean)
                rows.append([name, run, report["seconds"], seconds, sides["ours"][-1], sides["theirs"][-1], cpu["ours"][-1], cpu["theirs"][-1], os.getloadavg()[0]])
        ratios = [a / b for a, b in zip(sides["ours"], sides["theirs"])]
        cpu_ratios = [b / a for a, b in zip(cpu["ours"], cpu["theirs"])]
        middle = {side: statistics.median(rates) for side, rates in sides.items()}
        triangles = sum(len(o.mesh.triangles) for o in scene.objects)
        print(
            f"{name:15} {triangles:9} {middle['ours'] / 1e6:9.3f} Mpaths/s {middle['theirs'] / 1e6:7.3f} Mpaths/s"
            f" {statistics.median(ratios):7.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
            f" {statistics.median(cpu_ratios):7.2f} ({min(cpu_ratios):.2f} to {max(cpu_ratios):.2f})"
            f"   {statistics.mean(means['ours']):.5f}, {statistics.mean(means['theirs']):.5f}",
            flush=True,
        )
        record["rooms"][name] = {
            "triangles": triangles,
            "paths_per_run": paths,
            "paths_per_s": sides,
            "ratio": {"median": statistics.median(ratios), "least": min(ratios), "most": max(ratios)},
            "cpu_seconds": cpu,
            "cpu_ratio": {"median": statistics.median(cpu_ratios), "least": min(cpu_ratios), "most": max(cpu_ratios)},
            "mean_radiance": means,
        }
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "speed.json").write_text(json.dumps(record, indent=2) + "\n")
        with open(args.out / "speed.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow("room run ours_seconds theirs_seconds ours_paths_per_s theirs_paths_per_s ours_cpu_seconds theirs_cpu_seconds load".split())
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
