"""A scene as a file of its format."""

from pathlib import Path

import write_gltf
import write_pbrt
from description import Scene


def write(scene: Scene, folder: Path) -> Path:
    return (write_gltf if scene.format == "gltf" else write_pbrt).write(scene, folder)
