"""The shared scenes that are pbrt files, by raywarp and by Mitsuba, region by region (see README.md).

No verdict: Mitsuba's materials are near to ours, not the same. What differs where is printed in per cent.
"""

import argparse
import os
import tempfile
from pathlib import Path

import mitsuba as mi
import numpy as np

import peer
import raywarp
import read_pbrt
import scenes_speed
import shared_scenes

ROWS, COLUMNS = 6, 6


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", nargs="*", help=f"of {', '.join(shared_scenes.FILES)}; all when none is given")
    parser.add_argument("--shared", type=Path, default=os.environ.get("RAYWARP_SCENES"), help="folder of shared scenes (or RAYWARP_SCENES)")
    parser.add_argument("--raywarp", help="the raywarp command (target/release/raywarp)")
    raywarp.add_device(parser)
    parser.add_argument("--variant", default="llvm_ad_rgb", help="Mitsuba's variant")
    parser.add_argument("--coats", choices=["mitsuba", "raywarp"], default="mitsuba", help="whose formula plastic has in Mitsuba: its own, or ours by a plugin")
    parser.add_argument("--divide", type=int, default=4, help="divide the file's columns and rows by this")
    parser.add_argument("--spp", type=int, default=64, help="samples a pixel of either side")
    parser.add_argument("--brightest", type=float, default=20, help="brighter channels of a pixel count as this, against fireflies")
    parser.add_argument("--pictures", type=Path, help="keep ours, theirs and their difference on grey, one beside the other, in this folder")
    return parser.parse_args()


def regions(picture: np.ndarray) -> np.ndarray:
    rows = np.array_split(picture.mean(axis=2), ROWS)
    return np.array([[part.mean() for part in np.array_split(row, COLUMNS, axis=1)] for row in rows])


def main() -> int:
    args = arguments()
    if args.shared is None:
        raise SystemExit("--shared FOLDER or RAYWARP_SCENES must name the shared scenes")
    for name in args.scene:
        if name not in shared_scenes.FILES:
            raise SystemExit(f"no scene {name!r}; known are {', '.join(shared_scenes.FILES)}")
    peer.start(args.variant)
    program = raywarp.binary(args.raywarp)
    for name in args.scene or shared_scenes.FILES:
        path = Path(args.shared) / shared_scenes.FILES[name]
        scene = read_pbrt.read(path)
        size = tuple(side // args.divide for side in scene.size)
        with tempfile.TemporaryDirectory() as folder:
            described = shared_scenes.dictionary(scene, size, Path(folder), scenes_speed.NO_ROULETTE, True, args.coats == "raywarp")
            theirs = np.array(mi.render(mi.load_dict(described), seed=1, spp=args.spp))[..., :3]
            picture = Path(folder) / "ours.exr"
            settings = dict(samples=args.spp, seed=1, depth=scene.bounces, size=size, threads=0, device=args.device)
            raywarp.render(program, path, picture, extra=["--filter", "box"], **settings)
            ours = raywarp.read(picture)
        means = [side.mean(axis=(0, 1)) for side in (ours, theirs)]
        print(f"{name}: {size[0]} x {size[1]}, {args.spp} samples; mean ours {means[0].round(5)}, theirs {means[1].round(5)}, {(100 * (means[0] / means[1] - 1)).round(2)} %")
        ratio = regions(np.minimum(ours, args.brightest)) / regions(np.minimum(theirs, args.brightest))
        for row in 100 * (ratio - 1):
            print("   " + " ".join(f"{percent:+6.1f}" for percent in row), flush=True)
        if args.pictures:
            exposure = 0.25 / np.median(theirs)
            difference = np.clip(0.25 + (ours - theirs) * exposure, 0, 1)
            beside = np.concatenate([ours * exposure, theirs * exposure, difference], axis=1 if size[1] > size[0] else 0)
            args.pictures.mkdir(parents=True, exist_ok=True)
            bitmap = mi.Bitmap(np.ascontiguousarray(np.clip(beside, 0, 1), np.float32))
            bitmap.convert(mi.Bitmap.PixelFormat.RGB, mi.Struct.Type.UInt8, True).write(str(args.pictures / f"{name}-{args.coats}.png"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
