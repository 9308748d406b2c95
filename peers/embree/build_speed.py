"""Times tree building: Embree's rtcCommitScene beside Raywarp's builders, in turns. See README.md."""

import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import embree
import mesh

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ["cargo", "build", "--quiet", "--release", "-p", "raywarp-bvh", "--example", "build_times"]
COLUMNS = ["scene", "triangles", "side", "builder", "runs", "median_s", "least_s", "most_s", "median_cpu_s", "sah_cost", "references"]


class Ours:
    """The example `build_times --serve`, which builds when asked."""

    def __init__(self, program, ply, threads):
        environment = dict(os.environ, RAYON_NUM_THREADS=str(threads))
        self.process = subprocess.Popen(
            [program, "--serve", ply], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def cpu_seconds(self):
        """Of all its threads so far; none where the system does not tell."""
        try:
            states = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
            return sum(int(state.read_text().split()[0]) for state in states) / 1e9
        except (OSError, ValueError, IndexError):
            return None

    def build(self, what):
        """Seconds, seconds of all threads, SAH cost and references of one build."""
        before = self.cpu_seconds()
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer:
            sys.exit(f"build_times gave no answer to {what!r}")
        after = self.cpu_seconds()
        cpu = after - before if before and after else None
        return (float(answer[0]), cpu), float(answer[1]), int(answer[2])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(path, device, arguments):
    """Rows of one scene. A round builds once with each builder of each side."""
    data = mesh.contents(path)
    triangles = mesh.parse(data, path)
    times, facts = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        ply = os.path.join(folder, "scene.ply")
        pathlib.Path(ply).write_bytes(data)
        ours = Ours(arguments.program, ply, arguments.threads)
        for run in range(arguments.runs + 1):  # the first warms up
            seconds = {}
            for quality in embree.QUALITY:
                for robust in [False, True] if arguments.both else [True]:
                    name = ("embree", quality + (" robust" if robust else ""))
                    seconds[name] = device.commit_seconds(triangles, quality, robust)
            for what in arguments.ours:
                seconds["raywarp", what], *facts["raywarp", what] = ours.build(what)
            for name, value in seconds.items():
                times.setdefault(name, []).extend([value] if run else [])
        ours.close()
    scene = os.path.basename(path).split(".")[0]
    for (side, builder), values in times.items():
        cost, references = facts.get((side, builder), ("", ""))
        cpu = [cpu for _, cpu in values if cpu is not None]
        values = [seconds for seconds, _ in values]
        yield dict(zip(COLUMNS, [
            scene, triangles.triangle_count, side, builder, len(values),
            f"{statistics.median(values):.4f}", f"{min(values):.4f}", f"{max(values):.4f}",
            f"{statistics.median(cpu):.4f}" if cpu else "",
            f"{cost:.3f}" if cost != "" else "", references,
        ]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="+", metavar="PLY", help="binary PLY files of triangles, .gz too")
    parser.add_argument("--embree", help="path of libembree4; an installed embreex wheel is found by itself")
    parser.add_argument("--program", help="a compiled build_times; else cargo makes one")
    parser.add_argument("--threads", type=int, default=2, help="of both sides (2)")
    parser.add_argument("--runs", type=int, default=7, help="timed builds of each kind, at least 5 (7)")
    parser.add_argument("--ours", action="append", metavar="'BUILDER [PASSES [COST]]'", help="lbvh, ploc, binned, sweep, sbvh")
    parser.add_argument("--both", action="store_true", help="Embree without its robust flag too")
    parser.add_argument("--out", help="CSV file; standard output if not given")
    arguments = parser.parse_args()
    arguments.ours = arguments.ours or ["lbvh", "binned", "sbvh"]
    if arguments.runs < 5:
        parser.error("a median needs at least 5 runs")
    library = arguments.embree or embree.find_library()
    if library is None:
        parser.error("no libembree4 found: pip install embreex, or name it with --embree")
    if arguments.program is None:
        subprocess.run(EXAMPLE, cwd=ROOT, check=True)
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        arguments.program = str(target / "release" / "examples" / "build_times")
    device = embree.Embree(library, arguments.threads)
    print(f"Embree {device.version}, {arguments.threads} threads", file=sys.stderr)
    output = open(arguments.out, "w", newline="") if arguments.out else sys.stdout
    writer = csv.DictWriter(output, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for path in arguments.scenes:
        for row in measure(path, device, arguments):
            writer.writerow(row)
            output.flush()


if __name__ == "__main__":
    main()
