"""Interiors of the shared scenes, all surfaces diffuse 0.7, under a square light.

The folder of shared scenes holds NAME/NAME.ply.gz; each has its source and licence beside it there.
"""

from pathlib import Path

import ply
from catalogue import lamp
from description import Camera, Diffuse, Object, Scene

CLAY = Diffuse((0.7, 0.7, 0.7))


def room(folder: Path, name: str, camera: Camera, light: Object, what: str) -> Scene:
    path = (folder / name / f"{name}.ply.gz").resolve()
    return Scene(name, what, camera, (light, Object(name, ply.read(path), CLAY, file=str(path))), size=(512, 384))


def sibenik(folder: Path) -> Scene:
    """The same as checks/sibenik-diffuse.pbrt, camera hand included."""
    camera = Camera((-19.1633, -10.6144, 1.503), (-9.5964, -11.0639, -1.3731), 73.7398, mirrored=True)
    light = lamp("lamp", (-1, -1), (1, 1), -6, (10, 10, 10))
    return room(folder, "sibenik", camera, light, "Sibenik cathedral, diffuse, a square light of side 2.")


def conference(folder: Path) -> Scene:
    camera = Camera((1610, 356, -322), (0, 150, -200), 60)
    light = lamp("lamp", (200, -300), (400, -100), 520, (20, 20, 20))
    return room(folder, "conference", camera, light, "The conference room, diffuse, a square light of side 200.")


def crytek_sponza(folder: Path) -> Scene:
    camera = Camera((-120, 15, 0), (100, 40, 0), 60)
    light = lamp("lamp", (-10, -10), (10, 10), 60, (20, 20, 20))
    return room(folder, "crytek_sponza", camera, light, "The Crytek Sponza, diffuse, a square light of side 20 in the atrium.")


ROOMS = {make.__name__: make for make in (sibenik, conference, crytek_sponza)}
