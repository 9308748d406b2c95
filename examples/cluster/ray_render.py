#!/usr/bin/env python3
"""A picture by the machines of a Ray cluster: a task a share, done again where it fails, and a merge (docs/guide/cluster.md).

The machines share the folder that this is started in, and have raywarp in the same place.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

try:
    import ray
except ImportError:
    print("ray_render.py: Ray is not installed; pip install ray", file=sys.stderr)
    sys.exit(4)  # as raywarp where the machine lacks something


def run(script, environment, folder, arguments):
    """Runs shares.sh, given as text since it need not lie on every machine; its status and its last line of errors."""
    command = ["sh", "-c", script, "shares.sh", *map(str, arguments)]
    ended = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True)
    lines = ended.stderr.strip().splitlines()
    return ended.returncode, lines[-1] if lines else f"ended with status {ended.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("-o", "--output", required=True, help="picture to write: .png, .exr or .hdr")
    parser.add_argument("--samples", type=int, required=True, help="samples a pixel")
    parser.add_argument("--shares", type=int, required=True, help="parts that they are split into")
    parser.add_argument("--folder", help="where shares are kept [default: OUTPUT.shares]")
    parser.add_argument("--raywarp", default="raywarp", help="the program [default: raywarp on PATH]")
    parser.add_argument("--retries", type=int, default=3, help="more tries of a share [default: 3]")
    parser.add_argument("--cpus", type=int, default=1, help="threads of a share [default: 1]")
    parser.add_argument("--gpus", type=float, default=0, help="GPUs of a share, for --device cuda [default: 0]")
    parser.add_argument("--address", default="local", help="of a Ray cluster, or auto [default: this machine alone]")
    parser.add_argument("scene", help="scene file, or its name in RAYWARP_SCENES")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="all that follows: options of raywarp render")
    args = parser.parse_args()
    if Path(args.output).exists():
        print(f"ray_render.py: {args.output}: is there already; move it away", file=sys.stderr)
        return 5

    script = (Path(__file__).parent / "shares.sh").read_text()
    place = script, {"RAYWARP": args.raywarp}, os.getcwd()
    split = args.folder or f"{args.output}.shares", args.samples, args.shares
    try:
        ray.init(address=args.address, log_to_driver=False, logging_level="ERROR")
    except (OSError, RuntimeError) as error:
        print(f"ray_render.py: {args.address}: {str(error).splitlines()[0]}", file=sys.stderr)
        return 4
    # Ray does a share again whose worker or machine is lost.
    task = ray.remote(run).options(num_cpus=args.cpus, num_gpus=args.gpus, max_retries=args.retries)
    more = [args.scene, *args.options, "--threads", args.cpus]

    def submit(index):
        return task.remote(*place, ["render", *split, index, *more])

    waiting = {submit(index): index for index in range(args.shares)}
    tries_left = [args.retries] * args.shares
    failed = 0
    while waiting:
        [done], _ = ray.wait(list(waiting))
        index = waiting.pop(done)
        try:
            status, said = ray.get(done)
        except ray.exceptions.RayError as error:
            status, said = 1, getattr(error, "cause", None) or str(error).splitlines()[0]
        if status == 0:
            continue
        again = status != 2 and tries_left[index] > 0  # wrong usage stays wrong
        print(f"ray_render.py: share {index}{' is tried again' if again else ''}: {said}", file=sys.stderr)
        if again:
            tries_left[index] -= 1
            waiting[submit(index)] = index
        else:
            failed = failed or status
    if failed:
        print("ray_render.py: nothing was merged; the same command does the missing shares again", file=sys.stderr)
        return failed
    status, said = run(*place, ["merge", *split, "-o", args.output])
    if status != 0:
        print(said, file=sys.stderr)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("ray_render.py: interrupted; the shares that are there stay", file=sys.stderr)
        sys.exit(130)
