"""Writes scenes/*.pbrt and *.gltf with their meshes and images; --check compares them with what is there."""

import argparse
import filecmp
import sys
import tempfile
from pathlib import Path

import write_scene
from every_scene import SCENES

FOLDER = Path(__file__).parent / "scenes"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file differs")
    args = parser.parse_args()
    if not args.check:
        FOLDER.mkdir(exist_ok=True)
        for make in SCENES.values():
            print(write_scene.write(make(), FOLDER))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for make in SCENES.values():
            write_scene.write(make(), Path(folder))
        names = sorted({p.name for p in FOLDER.iterdir()} | {p.name for p in Path(folder).iterdir()})
        _, different, missing = filecmp.cmpfiles(folder, FOLDER, names, shallow=False)
    for name in different + missing:
        print(f"scenes/{name} is not what make_scenes.py writes", file=sys.stderr)
    return 1 if different or missing else 0


if __name__ == "__main__":
    sys.exit(main())
