#!/usr/bin/env python3
"""Variance and processor time of two builds of raywarp, side by side.

    bench/compare_builds.py OLD NEW SCENE [OPTION...]     # options of `raywarp render`; --new=OPTION for NEW alone

Runs the two in turns, the first of a pair changing, and prints NEW over OLD: the variance (the median over the pairs'
seeds of the squared standard error of the mean luminance, which needs two samples or more) and the median, least and
most ratio of user time of a sample, which is the time of SPP + 1 samples less that of one, so that loading and building
cancel. Both builds need `render --json --sampler xor32`.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

PAIRS = int(os.environ.get("PAIRS", "9"))
SPP = int(os.environ.get("SPP", "32"))


def run(binary, arguments, spp, seed, output):
    """The variance of one render's mean luminance (None of one sample), and its user time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [binary, "render", *arguments, "--spp", str(spp), "--sampler", "xor32", "--seed", str(seed)]
    command += ["--json", "-q", "-o", output]
    if not any(argument.startswith("--device") for argument in arguments):
        # User time is what is compared, and auto would take a GPU where there is one.
        command += ["--device", "cpu"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    error = json.loads(said)["mean_luminance_standard_error"]
    return None if error is None else error * error, seconds


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    builds, arguments = sys.argv[1:3], sys.argv[3:]
    extra = [argument[len("--new="):] for argument in arguments if argument.startswith("--new=")]
    common = [argument for argument in arguments if not argument.startswith("--new=")]
    options = [common, common + extra]
    variances, ratios = ([], []), []
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "picture.exr")
        for pair in range(PAIRS):
            seconds = [0.0, 0.0]
            for build in (0, 1) if pair % 2 else (1, 0):
                variance, long = run(builds[build], options[build], SPP + 1, pair + 1, output)
                _, short = run(builds[build], options[build], 1, pair + 1, output)
                variances[build].append(variance)
                seconds[build] = long - short
            ratios.append(seconds[1] / seconds[0])
    variance = statistics.median(variances[1]) / statistics.median(variances[0])
    print(f"{common[0]}: variance {variance:.3f}, time {statistics.median(ratios):.3f} "
          f"({min(ratios):.3f} to {max(ratios):.3f}) of {PAIRS} pairs")


if __name__ == "__main__":
    main()
