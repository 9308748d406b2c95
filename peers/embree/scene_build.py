"""Whole scenes: Raywarp's library beside Embree, builds in turns, memory, cancelling and loading. See README.md."""

import argparse
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

import embree
import mesh

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ["cargo", "build", "--quiet", "--release", "-p", "raywarp", "--example", "scene_build"]


class Ours:
    """The example `scene_build serve`, which builds when asked."""

    def __init__(self, program, preset, path, environment):
        self.process = subprocess.Popen(
            [program, "serve", preset, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def build(self):
        """Seconds, and seconds of all threads, of one build."""
        self.process.stdin.write("build\n")
        self.process.stdin.flush()
        seconds, cpu = self.process.stdout.readline().split()
        return float(seconds), float(cpu)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="+", metavar="PLY", help="binary PLY files of triangles, .gz too")
    parser.add_argument("--embree", help="path of libembree4; an installed embreex wheel is found by itself")
    parser.add_argument("--program", action="append", help="a compiled scene_build, or several; else cargo makes one")
    parser.add_argument("--preset", action="append", help="of ours (blocks)")
    parser.add_argument("--threads", type=int, default=2, help="of both sides (2)")
    parser.add_argument("--runs", type=int, default=9, help="timed builds of each side, after one to warm up (9)")
    parser.add_argument("--only", choices=["build", "peak", "cancel", "load"], action="append", help="what to measure")
    arguments = parser.parse_args()
    if arguments.program is None:
        subprocess.run(EXAMPLE, cwd=ROOT, check=True)
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        arguments.program = [str(target / "release" / "examples" / "scene_build")]
    environment = dict(os.environ, RAYON_NUM_THREADS=str(arguments.threads))
    presets, wanted = arguments.preset or ["blocks"], arguments.only or ["build", "peak", "cancel", "load"]
    library = arguments.embree or embree.find_library()
    if library is None and "build" in wanted:
        parser.error("no libembree4 found: pip install embreex, or name it with --embree")
    device = embree.Embree(library, arguments.threads) if "build" in wanted else None
    for path in arguments.scenes:
        triangles = mesh.parse(mesh.contents(path), path)
        scene = os.path.basename(path).split(".")[0]
        with tempfile.NamedTemporaryFile() as file:
            file.write(struct.pack("<2I", len(triangles.vertices) // 12, triangles.triangle_count))
            file.write(triangles.vertices + triangles.indices)
            file.flush()
            for preset in presets:
                print(f"{scene}, {triangles.triangle_count} triangles, {preset}, {arguments.threads} threads")
                if "build" in wanted:
                    compare(arguments, preset, file.name, environment, device, triangles)
                for what in [what for what in wanted if what != "build"]:
                    for program in arguments.program:
                        found = subprocess.run(
                            [program, what, preset, file.name], env=environment, check=True, capture_output=True, text=True
                        )
                        print(f"  {what}: {found.stdout.strip()}")
                sys.stdout.flush()


def compare(arguments, preset, path, environment, device, triangles):
    """Builds in turns: Embree, then each of our programs."""
    ours = [Ours(program, preset, path, environment) for program in arguments.program]
    times = [[] for _ in range(1 + len(ours))]
    for run in range(arguments.runs + 1):
        found = [device.commit_seconds(triangles, "medium", True)] + [program.build() for program in ours]
        if run > 0:
            for list_of, value in zip(times, found):
                list_of.append(value)
    for program in ours:
        program.close()
    medians = [[statistics.median(kind) for kind in zip(*list_of)] for list_of in times]
    (theirs, theirs_cpu), least = medians[0], min(seconds for seconds, _ in times[0])
    for (seconds, cpu), list_of in zip(medians[1:], times[1:]):
        best = min(seconds for seconds, _ in list_of)
        print(
            f"  build: {seconds:.4f} s, Embree medium robust {theirs:.4f}: {seconds / theirs:.2f} times;"
            f" processor {cpu:.4f} and {theirs_cpu:.4f}: {cpu / theirs_cpu:.2f}; least {best / least:.2f}"
        )


if __name__ == "__main__":
    main()
