"""Scenes of materials whose formula is our own: Mitsuba renders them with it (`plugins`)."""

import shapes
from catalogue import GOLD, cornell_walls, lamp
from description import Blinn, Camera, CarPaint, Coated, Conductor, Dielectric, Object, Principled, Scene

CAMERA = Camera((0.1, 1.0, 4.2), (0, 0.9, 0), 32)
LAMP = ((-0.5, -0.5), (0.5, 0.5), 1.99, (6, 6, 5.5))


def three(name: str, what: str, ball, small, block, lift=0.0, **more) -> Scene:
    """A ball, a smaller one and a block in the coloured box; the block stands `lift` above the floor."""
    objects = cornell_walls() + [
        Object("ball", shapes.icosphere((-0.45, 0.45, -0.25), 0.45, 2), ball, file="layers-ball.ply"),
        Object("small", shapes.icosphere((0.1, 0.28, 0.5), 0.28, 2), small, file="layers-small.ply"),
        Object("block", shapes.turn_y(shapes.box((0.3, lift, -0.3), (0.75, 1.1, 0.15)), 25, (0.5, 0, 0)), block),
        lamp("lamp", *LAMP),
    ]
    if more.get("format") == "gltf":
        objects = [Object(o.name, o.mesh, o.material, o.radiance) for o in objects]
    return Scene(name, what, CAMERA, tuple(objects), every_bounce=True, **more)


def coated() -> Scene:
    return three(
        "coated",
        "Lambert bases under GGX coats: alpha 0.1, 0.5, and a coat so weak that it fades out.",
        Coated((0.5, 0.1, 0.08), (0.04, 0.04, 0.04), 0.1),
        Coated((0.1, 0.3, 0.6), (0.01, 0.01, 0.01), 0.2),
        Coated((0.6, 0.5, 0.2), (0.3, 0.2, 0.1), 0.5),
    )


def gltf() -> Scene:
    return three(
        "gltf",
        "glTF materials: rough metal under a clear coat, half metal, and a dielectric of index 1.8 under half a coat.",
        Principled((0.9, 0.6, 0.3), 1.0, 0.6, coat=1.0, coat_roughness=0.3),
        Principled((0.3, 0.6, 0.4), 0.5, 0.4, specular=0.7),
        Principled((0.7, 0.15, 0.1), 0.0, 0.7, ior=1.8, coat=0.5, coat_roughness=0.2),
        format="gltf",
    )


def blinn() -> Scene:
    return three(
        "blinn",
        "Blinn facets of exponent 200, 20 and 2 over Lambert bases.",
        Blinn((0.3, 0.1, 0.08), (0.3, 0.25, 0.2), 200),
        Blinn((0.1, 0.3, 0.5), (0.04, 0.04, 0.04), 20),
        Blinn((0.2, 0.2, 0.2), (0.7, 0.6, 0.3), 2),
    )


def paint() -> Scene:
    return three(
        "paint",
        "Car paint: many rough flakes, few, and flakes only; flakes too small to see.",
        CarPaint((0.4, 0.02, 0.02), (0.6, 0.1, 0.05), 0.4, 0.3, 1.5, 0.05),
        CarPaint((0.05, 0.1, 0.5), (0.5, 0.6, 0.8), 0.15, 0.2, 1.7, 0.1),
        CarPaint((0.2, 0.2, 0.2), (0.8, 0.75, 0.6), 1.0, 0.6, 1.3, 0.3),
    )


def facets() -> Scene:
    return three(
        "facets",
        "Rough metal and rough glass that keep the light of further bounces between their facets.",
        Conductor(**GOLD, alpha=(0.6, 0.6)),
        Conductor((0.05, 0.05, 0.05), (4.0, 4.0, 4.0), alpha=(1.0, 1.0)),
        Dielectric(1.5, 0.5),
        # Glass on the floor itself would be two surfaces in one place, of which either may be hit first.
        lift=0.05,
    )


SCENES = {make.__name__: make for make in (coated, gltf, blinn, paint, facets)}
