"""The library's figures beside its peers', in one run: a Markdown page with the weakest cell of each. See README.md."""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
from itertools import chain

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ["sibenik", "conference", "crytek_sponza", "bathroom2", "kitchen", "hairball_synthetic"]
KINDS = ["primary", "ao", "diffuse"]
PARTS = ["rays", "hits", "build", "nearest", "edits", "levels"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", help="scene files, or names in RAYWARP_SCENES (six of them)")
    parser.add_argument("--mesh", action="append", help="PLY file to build and to ask for nearest points; without any, neither")
    parser.add_argument("--only", choices=PARTS, action="append", help="what to measure (all)")
    parser.add_argument("--bin", help="folder with raywarp and, below it, examples; else cargo makes them")
    parser.add_argument("--isa", action="append", help="instruction set of rays (avx2 and avx512, where there are both)")
    parser.add_argument("--sizes", default="1,8,16,24,48,0", help="rays a call; 0 is all of a view's (1,8,16,24,48,0)")
    parser.add_argument("--runs", default="5", help="timed runs of each (5)")
    parser.add_argument("--size", default="320x240", help="pixels of a view (320x240)")
    parser.add_argument("--threads", default="2", help="of builds (2)")
    parser.add_argument("--core", help="core that everything on one thread is kept on")
    return parser.parse_args()


class Programs:
    """The programs that measure."""

    def __init__(self, given, core):
        self.folder = pathlib.Path(given or os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / ("" if given else "release")
        self.kept = ["taskset", "-c", core] if core else []
        if given is None:
            build = ["cargo", "build", "--release", "-p"]
            examples = ["--example=scene_build", "--example=nearest_speed", "--example=moving", "--example=forest"]
            subprocess.run(build + ["raywarp-cli"], cwd=ROOT, check=True)
            subprocess.run(build + ["raywarp"] + examples, cwd=ROOT, check=True)
            subprocess.run(build + ["raywarp-cpu", "--example=refit", "--example=layers"], cwd=ROOT, check=True)

    def raywarp(self, *words, **environment):
        """What the command prints as JSON."""
        command = self.kept + [self.folder / "raywarp", *words, "--json", "--quiet"]
        found = subprocess.run(command, env=dict(os.environ, **environment), capture_output=True, text=True)
        if not found.stdout:
            sys.exit(found.stderr)
        return json.loads(found.stdout)

    def example(self, name, *words):
        """An example's command."""
        return self.kept + [self.folder / "examples" / name, *words]


def name(scene):
    return pathlib.Path(scene).name.split(".")[0]


def table(head, rows):
    """Prints a table, each cell as soon as there is one."""
    print("| " + " | ".join(head) + " |\n|---" + "|---:" * (len(head) - 1) + "|")
    for row in rows:
        for cell in row:
            print(f"| {cell} ", end="", flush=True)
        print("|")
    print()


def weakest(cells, least=True):
    """Says which of some (value, words) is the weakest."""
    value, words = (min if least else max)(cells)
    print(f"Weakest: {value:.2f}, {words}.\n")


def rays(programs, options, scenes, isa):
    """Rates over the best of Embree's robust modes, by processor time, and what a ray of few costs over one of many."""
    sizes = [int(size) for size in options.sizes.split(",")]
    label = {size: str(size) if size else "a view" for size in sizes}
    ratios, rates = {}, {}
    print(f"### Rays, {isa}: rate over the best of Embree's robust modes\n")
    print("`raywarp bench SCENE --peers embree --threads 1 --rays-per-call N`, by processor time, " + " / ".join(KINDS))
    print("rays; one ray a call beside Embree's single rays.\n")

    def measured(scene, size):
        words = ["bench", scene, "--peers", "embree", "--threads", "1", "--kind", ",".join(KINDS)]
        words += ["--size", options.size, "--runs", options.runs]
        words += ["--rays-per-call", str(size)] if size else []
        for row in programs.raywarp(*words, RAYWARP_ISA=isa)["scenes"][0]["rows"]:
            key = (size, scene, row["kind"])
            ratios[key], rates[key] = row["processor_ratio"]["median"], row["raywarp_mrays"]["median"]
        return " / ".join(f"{ratios[size, scene, kind]:.2f}" for kind in KINDS)

    head = ["scene, rays a call:"] + [label[size] for size in sizes]
    table(head, (chain([name(scene)], (measured(scene, size) for size in sizes)) for scene in scenes))
    for size in sizes:
        cells = [(ratios[size, scene, kind], f"{label[size]} a call, {name(scene)}, {kind}") for scene in scenes for kind in KINDS]
        weakest(cells)
    if 0 in sizes:
        print(f"### Few rays, {isa}: time of a ray over that of one of a view\n")
        few = [size for size in sizes if size]
        cost = lambda size: lambda scene, kind: rates[0, scene, kind] / rates[size, scene, kind]
        cell = lambda scene, size: " / ".join(f"{cost(size)(scene, kind):.2f}" for kind in KINDS)
        head = ["scene, rays a call:"] + [label[size] for size in few]
        table(head, ([name(scene)] + [cell(scene, size) for size in few] for scene in scenes))
        for size in few:
            cells = [(cost(size)(scene, kind), f"{size} a call, {name(scene)}, {kind}") for scene in scenes for kind in KINDS]
            weakest(cells, least=False)


def printed(title, *commands):
    """Prints what commands print, each line as it comes."""
    print(f"### {title}\n\n```text", flush=True)
    for command in commands:
        subprocess.run(command, check=True)
    print("```\n")


def script(path, *words):
    return [sys.executable, "-u", ROOT / path, *words]


def main():
    # Into files and pipes, too, what is measured is seen at once: the whole takes half an hour.
    sys.stdout.reconfigure(line_buffering=True)
    options = arguments()
    wanted, scenes = options.only or PARTS, options.scenes or SCENES
    programs = Programs(options.bin, options.core)
    machine = programs.raywarp("bench", scenes[0], "--runs", "1", "--size", "16x12", "--kind", "primary")["machine"]
    print("# The library beside its peers\n")
    print(f"{machine['cpu']}, {datetime.date.today()}, Raywarp {machine['raywarp']}. `{' '.join(sys.argv)}`\n")
    if "rays" in wanted:
        for isa in options.isa or (["avx2", "avx512"] if machine["isa"] == "avx512" else [machine["isa"]]):
            rays(programs, options, scenes, isa)
    if "hits" in wanted:
        printed("Every hit of a ray", programs.example("layers"))
    if "build" in wanted and options.mesh:
        program = str(programs.folder / "examples" / "scene_build")
        words = [*options.mesh, "--program", program, "--threads", options.threads, "--runs", options.runs]
        printed("Building, memory, cancelling and loading", script("peers/embree/scene_build.py", *words))
    if "nearest" in wanted and options.mesh:
        words = ["--runs", options.runs] + (["--core", options.core] if options.core else [])
        printed("Nearest points", script("peers/nearest/nearest_speed.py", *options.mesh, *words))
    if "edits" in wanted:
        printed("Edits", programs.example("moving"), programs.example("refit"))
    if "levels" in wanted:
        printed("A forest in two levels", programs.example("forest", "100000", "two"))


if __name__ == "__main__":
    main()
