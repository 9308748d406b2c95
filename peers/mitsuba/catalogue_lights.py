"""Scenes about what light meets on its way: fall-off, round lamps, holes, absorbing matter."""

import numpy as np

import shapes
from catalogue import BLACK, GREY, RED, cornell_walls, lamp
from description import Camera, Constant, Dielectric, Diffuse, Image, Medium, Object, Scene, Sphere, Spot

CAMERA = Camera((0.1, 1.0, 4.2), (0, 0.9, 0), 32)


def spots(name: str, what: str, **format) -> Scene:
    objects = cornell_walls() + [
        Object("block", shapes.turn_y(shapes.box((-0.5, 0, -0.3), (0.0, 0.7, 0.3)), 20, (-0.25, 0, 0)), GREY),
    ]
    lights = (
        Spot((-0.8, 1.8, 0.8), (0.0, 0.3, -0.2), (5, 6, 8), 30, inner_angle=5),
        Spot((0.7, 1.7, 0.3), (0.5, 0.0, 0.0), (6, 4, 2), 45, inner_angle=35),
    )
    return Scene(name, what, CAMERA, tuple(objects), lights, **format)


def spots3() -> Scene:
    return spots("spots3", "Spot lights with pbrt version 3's fall-off: the fourth power.", version=3)


def spots4() -> Scene:
    return spots("spots4", "Spot lights with pbrt version 4's fall-off: a smooth step.", version=4)


def spots_gltf() -> Scene:
    return spots("spots_gltf", "Spot lights with glTF's fall-off: the square.", format="gltf")


def bulbs() -> Scene:
    objects = cornell_walls() + [
        Object("large", Sphere((-0.4, 1.3, -0.4), 0.35), BLACK, (2.0, 1.8, 1.2)),
        Object("small", Sphere((0.5, 0.25, 0.4), 0.04), BLACK, (60, 40, 80)),
        # Through the floor: half of it is hidden from the room.
        Object("dome", Sphere((-0.35, 0.0, 0.45), 0.15), BLACK, (1, 4, 2)),
        Object("block", shapes.turn_y(shapes.box((0.2, 0, -0.6), (0.7, 0.9, -0.1)), 25, (0.45, 0, -0.35)), GREY),
    ]
    return Scene("bulbs", "Three round lamps, large, small and half buried.", CAMERA, tuple(objects))


def leaf_image(size=16) -> np.ndarray:
    """Grey: holes, half holes and cover, nothing symmetric."""
    rng = np.random.default_rng(11)
    texels = rng.choice(np.array([0, 60, 128, 255], np.uint8), (size, size))
    texels[:5, :5] = 255
    return np.repeat(texels[..., None], 3, axis=2)


def opacity() -> Scene:
    leaf = Image("opacity-leaf", leaf_image(), (1.0, 1.0), (0.0, 0.0))
    pane = lambda z: shapes.quad((0.05, 0.1, z), (0.85, 0.1, z - 0.2), (0.85, 1.2, z - 0.2), (0.05, 1.2, z))
    objects = cornell_walls() + [
        Object("canopy", shapes.quad((-0.9, 1.4, 0.6), (0.5, 1.3, 0.6), (0.5, 1.4, -0.7), (-0.9, 1.5, -0.7), uvs=True), Diffuse((0.2, 0.6, 0.2)), opacity=leaf),
        Object("ball", shapes.icosphere((-0.45, 0.45, -0.1), 0.4, 2), RED, file="opacity-ball.ply", opacity=0.4),
        Object("pane", pane(0.5), Diffuse((0.3, 0.4, 0.8)), opacity=0.5),
        Object("second", pane(0.2), Diffuse((0.8, 0.7, 0.3)), opacity=0.7),
        lamp("lamp", (-0.5, -0.5), (0.5, 0.5), 1.99, (7, 7, 7)),
    ]
    return Scene("opacity", "Surfaces that are there in part: a texture with holes, a ball, two panes.", CAMERA, tuple(objects), version=4)


OUTER = Medium("green", (0.9, 0.15, 0.6))
INNER = Medium("amber", (0.2, 1.0, 4.0))


def tinted() -> Scene:
    objects = cornell_walls() + [
        Object("ball", shapes.icosphere((-0.45, 0.5, 0.0), 0.42, 2), Dielectric(1.5), file="tinted-ball.ply", inside=OUTER),
        Object("slab", shapes.turn_y(shapes.box((0.2, 0.05, -0.1), (0.8, 1.1, 0.2)), 20, (0.5, 0, 0)), Dielectric(1.3), inside=INNER),
        lamp("lamp", (-0.8, -0.8), (0.8, 0.8), 1.99, (4, 4, 4)),
    ]
    return Scene("tinted", "Two solids of glass that absorb, one beside the other.", CAMERA, tuple(objects), (Constant((0.2, 0.2, 0.2)),))


def nested() -> Scene:
    """Within the glass lie a ball of other glass, a diffuse block, and a lamp that lights it."""
    inside = dict(outside=OUTER)
    objects = cornell_walls() + [
        Object("case", shapes.turn_y(shapes.box((-0.7, 0.05, -0.4), (0.7, 1.35, 0.5)), 15, (0, 0, 0)), Dielectric(1.3), inside=OUTER),
        Object("ball", shapes.icosphere((-0.25, 0.5, 0.1), 0.3, 2), Dielectric(1.2), file="nested-ball.ply", inside=INNER, **inside),
        Object("block", shapes.turn_y(shapes.box((0.15, 0.1, -0.15), (0.5, 0.5, 0.2)), 30, (0.3, 0, 0)), Diffuse((0.7, 0.7, 0.7))),
        lamp("inner-lamp", (0.0, -0.1), (0.4, 0.2), 1.2, (6, 6, 6)),
        lamp("lamp", (-0.8, -0.8), (0.8, 0.8), 1.99, (4, 4, 4)),
    ]
    return Scene("nested", "Absorbing glass within absorbing glass, and a lamp and a block in it.", CAMERA, tuple(objects), (Constant((0.2, 0.2, 0.2)),))


SCENES = {make.__name__: make for make in (spots3, spots4, spots_gltf, bulbs, opacity, tinted, nested)}
