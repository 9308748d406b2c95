"""Runs `raywarp render`."""

import json
import os
import resource
import subprocess
from pathlib import Path

import mitsuba as mi
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
told = set()


def binary(given: str | None) -> Path:
    """The command: as given, or the workspace's release build."""
    path = Path(given) if given else Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "raywarp"
    if not path.is_file():
        raise SystemExit(f"{path} is not there; run `cargo build --release` first, or name the command by --raywarp")
    return path


def command(program: Path, scene: Path, picture: Path, samples: int, seed: int, depth: int, size, threads: int, device: str = "cpu", extra=()) -> list[str]:
    return [
        str(program), "render", str(scene), "-o", str(picture), "--spp", str(samples), "--seed", str(seed),
        "--max-depth", str(depth), "--size", f"{size[0]}x{size[1]}", "--threads", str(threads), "--json", "-q",
        "--device", device, *extra,
    ]  # fmt: skip


def add_device(parser) -> None:
    # Not raywarp's own default, auto: which one was compared must not depend on the machine.
    parser.add_argument("--device", default="cpu", help="what raywarp renders with: cpu (the default), cuda, cuda:N, ...")


def render(program: Path, scene: Path, picture: Path, **settings) -> dict:
    """Renders; returns the JSON document and, as `cpu_seconds`, the processor time of the whole command."""
    line = command(program, scene, picture, **settings)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(line)}\nexit status {done.returncode}: {done.stderr.strip()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(done.stdout)
    report["cpu_seconds"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    for message in report.get("warnings", []):
        # Once, not with every seed.
        if message not in told:
            told.add(message)
            print(f"raywarp warns: {message}")
    if report.get("invalid_samples"):
        print(f"raywarp: {report['invalid_samples']} samples were not finite")
    return report


def read(picture: Path) -> np.ndarray:
    """Linear RGB of an EXR, rows from the top."""
    bitmap = mi.Bitmap(str(picture))
    for name, part in bitmap.split():
        if name in ("<root>", "", "color") and part.channel_count() >= 3:
            return np.array(part).astype(np.float32)[..., :3]
    raise SystemExit(f"{picture} has no colour layer")
