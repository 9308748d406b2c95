"""Paths per second of Mitsuba in the shared scenes that are pbrt files (see README.md).

A rate is a slope: samples of a long run less those of one of a quarter, by the difference of their times. So what a
run costs at its start is not in it; loading, building and compiling happen before.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import drjit as dr
import mitsuba as mi
import numpy as np

import peer
import read_pbrt
import shared_scenes

# Bounces after which Mitsuba ends paths by chance; never with so many.
NO_ROULETTE = 1_000_000


def roulette(text: str, name: str) -> int:
    return {"equal": shared_scenes.ROULETTE[name], "off": NO_ROULETTE}.get(text) or int(text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", nargs="*", help=f"of {', '.join(shared_scenes.FILES)}; all when none is given")
    parser.add_argument("--shared", type=Path, default=os.environ.get("RAYWARP_SCENES"), help="folder of shared scenes (or RAYWARP_SCENES)")
    parser.add_argument("--variant", default="llvm_ad_rgb", help="Mitsuba's variant: cuda_ad_rgb on a GPU")
    parser.add_argument("--threads", type=int, default=0, help="worker threads of llvm_ad_rgb; 0 takes all processors")
    parser.add_argument("--divide", type=int, default=1, help="divide the file's columns and rows by this")
    parser.add_argument("--roulette", nargs="+", default=["equal", "5"], help="bounces after which paths may end by chance, a rate for each: a number, off, or equal, with which paths are as long as ours")
    parser.add_argument("--opaque", action="store_true", help="also without materials that let light pass, which takes Mitsuba's plain path tracer")
    parser.add_argument("--coats", choices=["mitsuba", "raywarp"], default="mitsuba", help="whose formula plastic has: Mitsuba's own, or ours by a plugin")
    parser.add_argument("--seconds", type=float, default=8, help="length of the long run")
    parser.add_argument("--runs", type=int, default=3, help="pairs of runs")
    parser.add_argument("--lanes", type=int, default=1 << 28, help="most paths of a run, which bounds the memory")
    parser.add_argument("--pictures", type=Path, help="keep each picture as EXR and PNG in this folder")
    parser.add_argument("--out", type=Path, help="write all times here, as JSON")
    return parser.parse_args()


def timed(loaded, seed: int, samples: int):
    """Seconds, the picture, and whether a kernel had to be compiled."""
    dr.sync_thread()
    dr.kernel_history()  # forgets what was recorded before
    start = time.perf_counter()
    picture = mi.render(loaded, seed=seed, spp=samples)
    dr.eval(picture)
    dr.sync_thread()
    seconds = time.perf_counter() - start
    compiled = any(not entry.get("cache_hit", True) for entry in dr.kernel_history())
    return seconds, np.array(picture)[..., :3], compiled


def samples_of_long_run(pilot_rate: float, pixels: int, seconds: float, lanes: int) -> int:
    """A power of two, at least 4: Mitsuba needs no other kernel for those."""
    samples = 4
    while 2 * samples * pixels <= min(lanes, pilot_rate * seconds * 1.4):
        samples *= 2
    return samples


def save(folder: Path, name: str, picture: np.ndarray) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    mi.Bitmap(np.ascontiguousarray(picture, np.float32)).write(str(folder / f"{name}.exr"))
    shown = np.ascontiguousarray(picture * 0.25 / np.median(picture), np.float32)
    mi.Bitmap(shown).convert(mi.Bitmap.PixelFormat.RGB, mi.Struct.Type.UInt8, True).write(str(folder / f"{name}.png"))


def measure(loaded, args, pixels: int) -> dict:
    start = time.perf_counter()
    timed(loaded, 1, 1)
    first = time.perf_counter() - start
    # The second run says how long the long one may be.
    timed(loaded, 2, 4)
    pilot, _, _ = timed(loaded, 3, 4)
    long = samples_of_long_run(4 * pixels / pilot, pixels, args.seconds, args.lanes)
    short = long // 4
    for samples in (short, long):
        timed(loaded, 4, samples)
    times, slopes, compiled = [], [], False
    for run in range(args.runs):
        pair = []
        for samples in (short, long):
            seconds, picture, new = timed(loaded, 10 + run, samples)
            pair.append(seconds)
            compiled |= new
        times.append(pair)
        slopes.append((long - short) * pixels / (pair[1] - pair[0]))
    return {
        "samples": [short, long], "seconds": times, "first_run_seconds": first,
        "paths_per_s": statistics.median(slopes), "least": min(slopes), "most": max(slopes),
        "paths_per_s_of_long_runs": long * pixels / statistics.median(pair[1] for pair in times),
        "compiled_in_timed_part": compiled, "mean_radiance": [float(c) for c in picture.mean(axis=(0, 1))],
        "picture": picture,
    }  # fmt: skip


def main() -> int:
    args = arguments()
    if args.shared is None:
        print("--shared FOLDER or RAYWARP_SCENES must name the shared scenes", file=sys.stderr)
        return 2
    unknown = [name for name in args.scene if name not in shared_scenes.FILES]
    if unknown:
        print(f"no scene {unknown[0]!r}; known are {', '.join(shared_scenes.FILES)}", file=sys.stderr)
        return 2
    peer.start(args.variant, args.threads)
    dr.set_flag(dr.JitFlag.KernelHistory, True)
    record = {"mitsuba": mi.__version__, "drjit": dr.__version__, "variant": args.variant, "command": " ".join(["python", *sys.argv]), "scenes": {}}
    print(f"{'scene':10} {'integrator':10} {'roulette':>8} {'bounces':>7} {'size':>9} {'samples':>9} {'Mpaths/s by slope (least to most)':>36} {'by long runs':>12} {'first run':>10}   mean radiance")
    for name in args.scene or shared_scenes.FILES:
        scene = read_pbrt.read(Path(args.shared) / shared_scenes.FILES[name])
        size = tuple(side // args.divide for side in scene.size)
        pixels = size[0] * size[1]
        rows = record["scenes"][name] = []
        masks = [True, False] if args.opaque and shared_scenes.lets_light_pass(scene) else [True]
        for with_masks in masks:
            for text in args.roulette:
                with tempfile.TemporaryDirectory() as folder:
                    described = shared_scenes.dictionary(scene, size, Path(folder), roulette(text, name), with_masks, args.coats == "raywarp")
                    loaded = mi.load_dict(described)
                row = measure(loaded, args, pixels)
                picture = row.pop("picture")
                row |= {"integrator": described["integrator"]["type"], "masks": with_masks, "coats": args.coats, "roulette": text, "size": size, "bounces": scene.bounces}
                rows.append(row)
                print(
                    f"{name:10} {row['integrator']:10} {text:>8} {scene.bounces:7} {size[0]:4}x{size[1]:<4} {'/'.join(map(str, row['samples'])):>9}"
                    f" {row['paths_per_s'] / 1e6:16.2f} ({row['least'] / 1e6:.2f} to {row['most'] / 1e6:.2f})"
                    f" {row['paths_per_s_of_long_runs'] / 1e6:12.2f} {row['first_run_seconds']:8.1f} s   {', '.join(f'{c:.4f}' for c in row['mean_radiance'])}"
                    f"{'   a kernel was compiled in the timed part' if row['compiled_in_timed_part'] else ''}",
                    flush=True,
                )
                if args.pictures:
                    save(args.pictures, f"{name}-{row['integrator']}-{text}-{args.coats}", picture)
                if args.out:
                    args.out.parent.mkdir(parents=True, exist_ok=True)
                    args.out.write_text(json.dumps(record, indent=2) + "\n")
                del loaded
    return 0


if __name__ == "__main__":
    sys.exit(main())
