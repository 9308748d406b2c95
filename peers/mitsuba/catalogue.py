"""The test scenes. Each aims at one part of a path tracer; together they cover what both renderers have in common."""

import math

import numpy as np

import shapes
from description import Camera, Conductor, Constant, Dielectric, Diffuse, Environment, Image, Mirror, Object, Point, Scene, Spot

GOLD = dict(eta=(0.143, 0.375, 1.442), k=(3.983, 2.386, 1.603))
SILVER = dict(eta=(0.155, 0.117, 0.138), k=(4.828, 3.122, 2.147))
GREY, RED, GREEN = Diffuse((0.6, 0.6, 0.6)), Diffuse((0.6, 0.1, 0.08)), Diffuse((0.12, 0.5, 0.15))
BLACK = Diffuse((0.0, 0.0, 0.0))


def lamp(name, low, high, y, radiance) -> Object:
    """A rectangle at height y that shines downwards and reflects nothing."""
    (x0, z0), (x1, z1) = low, high
    return Object(name, shapes.quad((x0, y, z0), (x1, y, z0), (x1, y, z1), (x0, y, z1)), BLACK, radiance)


def cornell_walls(without=("front",)) -> list[Object]:
    walls = shapes.room((-1, 0, -1), (1, 2, 1), without)
    colours = {"left": RED, "right": GREEN}
    return [Object(name, mesh, colours.get(name, GREY)) for name, mesh in walls.items()]


def gold() -> Scene:
    objects = cornell_walls() + [
        Object("ball", shapes.icosphere((-0.4, 0.45, -0.2), 0.45, 2), Conductor(**GOLD, alpha=(0.1, 0.1)), file="gold-ball.ply"),
        Object("block", shapes.turn_y(shapes.box((0.2, 0, -0.1), (0.7, 0.9, 0.4)), 25, (0.45, 0, 0.15)), Conductor(**GOLD, alpha=(0.1, 0.1))),
        lamp("lamp", (-0.4, -0.4), (0.4, 0.4), 1.99, (8, 7, 6)),
    ]
    camera = Camera((0.1, 1.0, 4.2), (0, 0.95, 0), 32)
    return Scene("gold", "Rough gold (GGX, alpha 0.1) in a coloured box under an area light.", camera, tuple(objects))


def brushed() -> Scene:
    metal = Conductor(**SILVER, alpha=(0.05, 0.3))
    objects = cornell_walls() + [
        Object("pipe", shapes.tube((-0.9, 0.3, -0.3), (0.5, 0.5, 0.2), 0.28, 24, 2), metal, file="brushed-pipe.ply"),
        Object("block", shapes.turn_y(shapes.box((0.3, 0, -0.3), (0.8, 1.3, 0.2), uvs=True), -30, (0.5, 0, 0)), metal),
        lamp("lamp", (-0.4, -0.4), (0.4, 0.4), 1.99, (8, 8, 8)),
    ]
    camera = Camera((0.1, 1.0, 4.2), (0, 0.9, 0), 32)
    return Scene("brushed", "Anisotropic silver (GGX, alpha 0.05 along u and 0.3 along v), with caustics on the walls.", camera, tuple(objects))


def frosted() -> Scene:
    glass = Dielectric(1.5, 0.2)
    objects = cornell_walls() + [
        Object("ball", shapes.icosphere((-0.45, 0.5, 0.0), 0.42, 2), glass, file="frosted-ball.ply"),
        Object("slab", shapes.turn_y(shapes.box((0.2, 0.05, -0.1), (0.8, 1.1, 0.1)), 20, (0.5, 0, 0)), glass),
        lamp("lamp", (-0.6, -0.6), (0.6, 0.6), 1.99, (5, 5, 5)),
    ]
    camera = Camera((0.0, 1.0, 4.2), (0, 0.9, 0), 32)
    return Scene("frosted", "Rough glass (GGX, alpha 0.2, index 1.5), solid, in a coloured box.", camera, tuple(objects), version=4)


def glass() -> Scene:
    floor = shapes.quad((-3, 0, 3), (3, 0, 3), (3, 0, -3), (-3, 0, -3))
    objects = [
        Object("floor", floor, Diffuse((0.5, 0.45, 0.4))),
        Object("ball", shapes.icosphere((-0.5, 0.62, 0), 0.6, 4, smooth=True), Dielectric(1.5), file="glass-ball.ply"),
        Object("block", shapes.turn_y(shapes.box((0.4, 0.02, -0.3), (0.9, 0.9, 0.2)), 35, (0.65, 0, 0)), Dielectric(1.5)),
        lamp("lamp", (-1, -1.5), (1, 0.5), 2.5, (3, 3, 2.5)),
    ]
    camera = Camera((0.3, 1.6, 4.0), (0, 0.55, 0), 34)
    return Scene("glass", "Smooth glass with shading normals and flat glass on a floor, area light and constant sky.", camera, tuple(objects), (Constant((0.4, 0.5, 0.7)),))


def sky_map(width=64, height=32) -> np.ndarray:
    """A blue gradient over brown ground with a sun of 250 in a disc of 6 degrees, texel values."""
    v, u = np.meshgrid((np.arange(height) + 0.5) / height, (np.arange(width) + 0.5) / width, indexing="ij")
    theta, phi = math.pi * v, 2 * math.pi * u
    d = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1)
    up = d[..., 2:3]
    sky = np.array([0.15, 0.3, 0.7]) * (1 - up) + np.array([0.05, 0.12, 0.5]) * up
    # Different all around, so that a turned or mirrored map shows.
    sky = sky * (1 + 0.5 * np.cos(phi[..., None]) + 0.3 * np.sin(2 * phi[..., None]))
    texels = np.where(up > 0, sky, np.array([0.12, 0.08, 0.05]))
    sun = np.array([math.sin(0.8) * math.cos(2.0), math.sin(0.8) * math.sin(2.0), math.cos(0.8)])
    texels = np.where(d @ sun[:, None] > math.cos(math.radians(6)), np.array([250.0, 230.0, 180.0]), texels)
    return texels.astype(np.float32)


def sun() -> Scene:
    sky = Environment("sun-sky", sky_map(), ((-90, (1, 0, 0)), (40, (0, 0, 1))))
    floor = shapes.quad((-4, 0, 4), (4, 0, 4), (4, 0, -4), (-4, 0, -4))
    objects = [
        Object("floor", floor, Diffuse((0.5, 0.5, 0.5))),
        Object("block", shapes.turn_y(shapes.box((-0.9, 0, -0.3), (-0.3, 1.0, 0.3)), 15, (-0.6, 0, 0)), Diffuse((0.7, 0.3, 0.2))),
        Object("ball", shapes.icosphere((0.5, 0.5, 0.1), 0.5, 2), Diffuse((0.2, 0.5, 0.7)), file="sun-ball.ply"),
        Object("mirror", shapes.quad((0.9, 0, -1.2), (-1.3, 0, -1.6), (-1.3, 1.8, -1.6), (0.9, 1.8, -1.2)), Mirror((0.9, 0.9, 0.9))),
    ]
    camera = Camera((1.2, 1.5, 4.0), (0, 0.6, -0.3), 40)
    return Scene("sun", "Diffuse things and a mirror under an environment map with a bright sun.", camera, tuple(objects), (sky,))


def lamps() -> Scene:
    rng = np.random.default_rng(7)
    # Bright enough that the eighth bounce counts.
    white = Diffuse((0.85, 0.85, 0.85))
    objects = [Object(name, mesh, white) for name, mesh in shapes.room((-1.5, 0, -1.5), (1.5, 2, 1.5), ("front",)).items()]
    objects.append(Object("block", shapes.turn_y(shapes.box((-0.4, 0, -0.4), (0.4, 0.8, 0.4)), 30), white))
    for colour in range(8):
        triangles = []
        for _ in range(25):
            centre = rng.uniform((-1.3, 0.3, -1.3), (1.3, 1.8, 1.2))
            corners = centre + rng.normal(0, 0.045, (3, 3))
            triangles.append(shapes._mesh(corners, [[0, 1, 2]]))
        radiance = tuple(np.round(rng.uniform(0.2, 1, 3) * rng.choice([2, 10, 40]), 3).tolist())
        objects.append(Object(f"lamps{colour}", shapes.merge(triangles), BLACK, radiance))
    camera = Camera((0.1, 1.1, 5.2), (0, 0.95, 0), 32)
    return Scene("lamps", "A room lit by 200 small triangles of eight colours and very different brightness.", camera, tuple(objects))


def cornell() -> Scene:
    objects = cornell_walls() + [
        Object("tall", shapes.turn_y(shapes.box((-0.65, 0, -0.6), (-0.05, 1.2, 0.0)), 18, (-0.35, 0, -0.3)), GREY),
        Object("short", shapes.turn_y(shapes.box((0.05, 0, 0.0), (0.65, 0.6, 0.6)), -17, (0.35, 0, 0.3)), GREY),
        lamp("lamp", (-0.25, -0.25), (0.25, 0.25), 1.99, (17, 12, 4)),
    ]
    camera = Camera((0, 1, 4.4), (0, 1, 0), 30)
    return Scene("cornell", "The classic box: diffuse interreflection.", camera, tuple(objects), version=4)


def mirrors() -> Scene:
    objects = [Object(name, mesh, GREY) for name, mesh in shapes.room((-1.5, 0, -1.5), (1.5, 2, 1.5), ("front",)).items()]
    objects += [
        Object("mirror", shapes.quad((-1.2, 0.2, -1.3), (0.9, 0.2, -1.4), (0.9, 1.7, -1.3), (-1.2, 1.7, -1.2)), Mirror((0.9, 0.85, 0.8))),
        Object("ball", shapes.icosphere((0.5, 0.4, 0.1), 0.4, 2), Mirror((0.8, 0.8, 0.9)), file="mirrors-ball.ply"),
        Object("block", shapes.turn_y(shapes.box((-0.9, 0, -0.2), (-0.4, 0.7, 0.3)), 20, (-0.6, 0, 0)), RED),
    ]
    lights = (
        Point((0.8, 1.6, 0.9), (1.0, 0.9, 0.8)),
        Spot((-1.2, 1.8, 1.2), (0.1, 0.1, -0.2), (6, 7, 9), 17.5),
    )
    camera = Camera((0.2, 1.2, 5.0), (0, 0.9, 0), 32)
    return Scene("mirrors", "Mirrors, a point light and a spot light with a hard edge.", camera, tuple(objects), lights)


def checked_image(size=16) -> np.ndarray:
    rng = np.random.default_rng(3)
    texels = rng.integers(20, 235, (size, size, 3), dtype=np.uint8)
    # Top left red, bottom left blue: a flipped image shows.
    texels[:4, :4] = (230, 30, 20)
    texels[-4:, :4] = (20, 40, 230)
    return texels


def textures() -> Scene:
    image = checked_image()
    wide = Image("textures-image", image, (2.5, 1.5), (0.25, 0.4))
    plain = Image("textures-image", image)
    objects = [
        Object("floor", shapes.hills((-2, -2), (2, 2), 12, 0.12), Diffuse(wide), file="textures-floor.ply"),
        Object("wall", shapes.quad((-2, 0, -1.2), (1.4, 0, -1.6), (1.4, 1.9, -1.6), (-2, 1.9, -1.2), uvs=True), Diffuse(plain)),
        Object("block", shapes.turn_y(shapes.box((-0.6, 0.1, -0.4), (0.2, 0.9, 0.4), uvs=True), 30), Diffuse(Image("textures-image", image, (1.0, -2.0), (0.1, 0.2)))),
        lamp("lamp", (-0.7, -0.2), (0.7, 1.2), 2.6, (6, 6, 6)),
    ]
    camera = Camera((0.8, 1.7, 4.0), (-0.1, 0.6, 0), 36)
    return Scene("textures", "Repeated bilinear sRGB textures with scales and offsets.", camera, tuple(objects), (Constant((0.2, 0.2, 0.2)),))


def lens() -> Scene:
    colours = [(0.7, 0.2, 0.2), (0.2, 0.7, 0.2), (0.2, 0.3, 0.8), (0.7, 0.6, 0.2), (0.6, 0.2, 0.6)]
    objects = [Object("floor", shapes.quad((-4, 0, 4), (4, 0, 4), (4, 0, -8), (-4, 0, -8)), GREY)]
    for i, colour in enumerate(colours):
        x, z = -1.2 + 0.6 * i, 1.6 - 1.3 * i
        objects.append(Object(f"block{i}", shapes.turn_y(shapes.box((x - 0.2, 0, z - 0.2), (x + 0.2, 0.9, z + 0.2)), 20 * i, (x, 0, z)), Diffuse(colour)))
    objects.append(lamp("lamp", (-1.5, -2), (1.5, 1), 3.5, (5, 5, 5)))
    objects.append(lamp("spark", (0.9, -4.6), (1.0, -4.5), 1.6, (60, 50, 40)))
    camera = Camera((0.3, 1.3, 4.5), (0, 0.5, -0.6), 36, lens_radius=0.25, focal_distance=5.0)
    return Scene("lens", "Depth of field: a thin lens of radius 0.25 in focus at 5.", camera, tuple(objects), (Constant((0.1, 0.12, 0.15)),))


def plain() -> Scene:
    """Triangles far larger than their distance from the axes: rounding of hits must not darken them."""
    side = 1000
    floor = shapes.quad((-side, 0, side), (side, 0, side), (side, 0, -side), (-side, 0, -side))
    objects = [
        Object("floor", floor, GREY),
        Object("hill", shapes.quad((-200, -30, -600), (500, 40, -300), (480, 160, -700), (-220, 90, -1000)), RED),
        Object("block", shapes.turn_y(shapes.box((-100, 0, -100), (100, 150, 100)), 30), GREEN),
        lamp("lamp", (-150, -150), (150, 150), 500, (15, 15, 15)),
    ]
    camera = Camera((300, 250, 900), (0, 50, 0), 45)
    return Scene("plain", "A floor 2000 units wide at height 0, under an area light.", camera, tuple(objects), (Point((-600, 300, 200), (2e5, 2e5, 3e5)),))


SCENES = {make.__name__: make for make in (gold, brushed, frosted, glass, sun, lamps, cornell, mirrors, textures, lens, plain)}
