"""Renders each scene with raywarp and with Mitsuba and compares the pictures (see README.md).

Exit status: 0 when all agree (with --plant: when each planted difference is found), else 1.
"""

import argparse
import csv
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import mitsuba as mi
import numpy as np

import blocks
import peer
import plants
import raywarp
import rooms
import write_mitsuba
import write_pbrt
from every_scene import SCENES

HERE = Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", nargs="*", help="names of scenes; all when none is given")
    parser.add_argument("--raywarp", help="the raywarp command (target/release/raywarp)")
    raywarp.add_device(parser)
    parser.add_argument("--jobs", type=int, default=1, help="renders of raywarp at a time; more where starting takes longer than rendering")
    parser.add_argument("--runs", type=int, default=16, help="independent renders a side")
    parser.add_argument("--spp", type=int, default=64, help="samples a pixel of each")
    parser.add_argument("--first-seed", type=int, default=0, help="another one repeats the test with other random numbers")
    parser.add_argument("--bounces", type=int, help="instead of each scene's own number (8)")
    parser.add_argument("--threads", type=int, default=0, help="worker threads of either side; 0 takes all processors")
    parser.add_argument("--variant", default="llvm_ad_rgb", help="Mitsuba's variant: llvm_ad_rgb, cuda_ad_rgb or scalar_rgb")
    parser.add_argument("--shared", type=Path, default=os.environ.get("RAYWARP_SCENES"), help="folder of shared scenes: adds interiors")
    parser.add_argument("--csv", type=Path, help="write the table here too")
    parser.add_argument("--pictures", type=Path, help="keep ours, theirs and z of the blocks as PNG and EXR in this folder")
    parser.add_argument("--plant", action="store_true", help="change one thing on Mitsuba's side; each change must be found")
    parser.add_argument("--option", action="append", default=[], help="a further option for raywarp render, such as --option=--sampler=xor32")
    args = parser.parse_args()
    if args.threads == 1:
        parser.error("--threads 1: Mitsuba 3.9 never returns from reading an EXR with one worker thread; take 2")
    return args


def save(folder: Path, name: str, picture: np.ndarray) -> None:
    bitmap = mi.Bitmap(np.ascontiguousarray(picture, np.float32))
    bitmap.write(str(folder / f"{name}.exr"))
    bitmap.convert(mi.Bitmap.PixelFormat.RGB, mi.Struct.Type.UInt8, True).write(str(folder / f"{name}.png"))


class Sides:
    """The two renderers, and what each has rendered already."""

    def __init__(self, args, folder: Path):
        self.args, self.folder = args, folder
        self.program = raywarp.binary(args.raywarp)
        self.kept = {}

    def ours(self, scene, path: Path) -> list[np.ndarray]:
        if scene.name not in self.kept:
            settings = dict(samples=self.args.spp, depth=scene.bounces, size=scene.size, threads=self.args.threads, device=self.args.device)
            # Mitsuba's own rough metal and glass know the first bounce between facets only.
            settings["extra"] = [*([] if scene.every_bounce else ["--single-scatter"]), *self.args.option]

            def render(seed: int) -> np.ndarray:
                picture = self.folder / f"ours{seed}.exr"
                raywarp.render(self.program, path, picture, seed=seed, **settings)
                return raywarp.read(picture)

            with ThreadPoolExecutor(self.args.jobs) as pool:
                pictures = list(pool.map(render, range(self.args.first_seed, self.args.first_seed + self.args.runs)))
            if len(pictures) > 1 and np.array_equal(pictures[0], pictures[1]):
                raise SystemExit(f"{scene.name}: two seeds give the same picture; nothing can be estimated")
            self.kept[scene.name] = pictures
        return self.kept[scene.name]

    def theirs(self, scene) -> list[np.ndarray]:
        loaded = mi.load_dict(write_mitsuba.dictionary(scene, self.folder))
        first = 1000 + self.args.first_seed
        return [write_mitsuba.render(loaded, seed, self.args.spp, scene.camera.mirrored) for seed in range(first, first + self.args.runs)]


def show(title: str, comparisons, seconds, table) -> bool:
    writer = csv.writer(table)
    for channel, c in zip("RGB", comparisons):
        verdict = "agrees" if c.agrees else "DIFFERS"
        print(
            f"{title:28} {channel} {c.ours:10.6f} {c.theirs:10.6f} {c.percent:+7.3f} % {c.z:+6.2f}"
            f" {c.worst_block:+7.2f} (|{c.worst_limit:.2f}|) at {c.worst_at[0]:2},{c.worst_at[1]:2}"
            f" {c.mean_square**0.5:6.3f} ({c.mean_square_limit**0.5:.3f})  {verdict}",
            flush=True,
        )
        writer.writerow([title, channel, c.ours, c.theirs, c.percent, c.z, c.worst_block, c.worst_limit, *c.worst_at, c.beyond, c.mean_square**0.5, c.mean_square_limit**0.5, c.blocks, verdict])
    table.flush()
    print(f"{'':28} ours {seconds[0]:.0f} s, theirs {seconds[1]:.0f} s")
    return all(c.agrees for c in comparisons)


COLUMNS = "scene channel ours theirs percent z worst_block_z worst_limit worst_column worst_row blocks_beyond rms_z rms_limit blocks verdict".split()


def main() -> int:
    args = arguments()
    peer.start(args.variant, args.threads)
    scenes = {name: make() for name, make in SCENES.items()}
    if args.shared is not None:
        scenes |= {name: replace(make(Path(args.shared)), size=(128, 96)) for name, make in rooms.ROOMS.items()}
    if args.bounces is not None:
        scenes = {name: replace(scene, bounces=args.bounces) for name, scene in scenes.items()}
    unknown = [name for name in args.scene if name not in scenes]
    if unknown:
        print(f"no scene {unknown[0]!r}; known are {', '.join(scenes)}", file=sys.stderr)
        return 2
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        table = open(args.csv or Path(folder) / "table.csv", "w", newline="")
        csv.writer(table).writerow(COLUMNS)
        sides = Sides(args, Path(folder))
        print(f"{args.runs} runs of {args.spp} samples a pixel a side, blocks of {blocks.BLOCK} x {blocks.BLOCK} pixels")
        print(f"{'scene':28}   {'ours':>10} {'theirs':>10} {'':>9} {'z':>6} {'worst block z (limit)':>25} {'rms z (limit)':>15}")
        for name, scene in scenes.items():
            if args.scene and name not in args.scene:
                continue
            path = write_pbrt.write(scene, Path(folder)) if name in rooms.ROOMS else HERE / "scenes" / f"{name}.{scene.format}"
            cases = plants.of(scene) if args.plant else [("", scene)]
            for change, changed in cases:
                start = time.monotonic()
                ours = sides.ours(scene, path)
                middle = time.monotonic()
                theirs = sides.theirs(changed)
                end = time.monotonic()
                title = f"{name}: {change}" if change else name
                comparisons = blocks.compare(ours, theirs)
                same = show(title, comparisons, (middle - start, end - middle), table)
                if same == bool(change):
                    failed.append(title)
                if args.pictures:
                    args.pictures.mkdir(parents=True, exist_ok=True)
                    stem = title.replace(": ", "-").replace(" ", "-")
                    save(args.pictures, f"{stem}-ours", np.mean(ours, axis=0))
                    save(args.pictures, f"{stem}-theirs", np.mean(theirs, axis=0))
                    # Red where ours is brighter, blue where theirs is; full at |z| = 5.
                    z = blocks.z_scores(*(np.stack([blocks.block_means(p.mean(axis=2, keepdims=True)) for p in side]) for side in (ours, theirs)))[0][..., 0]
                    z = np.kron(z / 5, np.ones((blocks.BLOCK, blocks.BLOCK)))
                    save(args.pictures, f"{stem}-z", np.stack([np.maximum(z, 0), 0 * z, np.maximum(-z, 0)], axis=2))
        table.close()
    if failed:
        print(("not found: " if args.plant else "do not agree: ") + "; ".join(failed))
        return 1
    print("each planted difference was found" if args.plant else "all agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
