"""Tessellations: every surface of the test scenes is made of triangles, so that both renderers see the same."""

import math

import numpy as np

from description import Mesh


def _mesh(positions, triangles, normals=None, uvs=None) -> Mesh:
    def as32(a):
        return None if a is None else np.asarray(a, np.float32)

    return Mesh(as32(positions), np.asarray(triangles, np.int32), as32(normals), as32(uvs))


def quad(a, b, c, d, uvs=False) -> Mesh:
    """A quadrilateral, counter-clockwise seen from its front; uv (0,0), (1,0), (1,1), (0,1)."""
    corners = [[0, 0], [1, 0], [1, 1], [0, 1]] if uvs else None
    return _mesh([a, b, c, d], [[0, 1, 2], [0, 2, 3]], uvs=corners)


def merge(meshes) -> Mesh:
    """All of `meshes` as one; either all or none have normals or uvs."""
    meshes = list(meshes)
    first = np.cumsum([0] + [len(m.positions) for m in meshes])

    def stack(name):
        parts = [getattr(m, name) for m in meshes]
        return None if parts[0] is None else np.concatenate(parts)

    triangles = np.concatenate([m.triangles + n for m, n in zip(meshes, first)])
    return _mesh(stack("positions"), triangles, stack("normals"), stack("uvs"))


def turn_y(mesh: Mesh, degrees: float, centre=(0, 0, 0)) -> Mesh:
    """`mesh` turned about the vertical through `centre`."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    normals = None if mesh.normals is None else mesh.normals @ turn.T
    return _mesh((mesh.positions - np.array(centre)) @ turn.T + np.array(centre), mesh.triangles, normals, mesh.uvs)


def box(low, high, uvs=False) -> Mesh:
    """Six quadrilaterals that face outwards, without shared vertices."""
    corner = [[(low, high)[(i >> axis) & 1][axis] for axis in range(3)] for i in range(8)]
    faces = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    return merge(quad(*(corner[i] for i in face), uvs=uvs) for face in faces)


def room(low, high, without=()) -> dict[str, Mesh]:
    """The inside of a box, a quadrilateral a wall: left, right, floor, ceiling, back (-z), front."""
    names = ["left", "right", "floor", "ceiling", "back", "front"]
    whole = box(low, high)
    walls = {}
    for i, name in enumerate(names):
        if name not in without:
            a, b, c, d = whole.positions[4 * i : 4 * i + 4]
            walls[name] = quad(d, c, b, a)
    return walls


def icosphere(centre, radius, level, smooth=False) -> Mesh:
    """A sphere of 20 * 4^level triangles, with its true normals when `smooth`."""
    g = (1 + math.sqrt(5)) / 2
    points = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g)]
    points += [(0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    points = [np.array(p) / math.sqrt(1 + g * g) for p in points]
    faces = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4)]
    faces += [(11, 10, 2), (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8)]
    faces += [(3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    for _ in range(level):
        middles = {}

        def middle(i, j):
            key = (min(i, j), max(i, j))
            if key not in middles:
                point = points[i] + points[j]
                middles[key] = len(points)
                points.append(point / np.linalg.norm(point))
            return middles[key]

        split = []
        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            split += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        faces = split
    unit = np.array(points)
    return _mesh(np.array(centre) + radius * unit, faces, unit if smooth else None)


def tube(a, b, radius, sides, along=1) -> Mesh:
    """An open prism about the segment a b with uv: u around it, v along it. Faces outwards."""
    a, b = np.array(a, float), np.array(b, float)
    axis = (b - a) / np.linalg.norm(b - a)
    side = np.cross(axis, [0.3, 0.5, 0.8])
    side /= np.linalg.norm(side)
    other = np.cross(axis, side)
    positions, uvs, triangles = [], [], []
    for i in range(sides + 1):
        phi = 2 * math.pi * i / sides
        for j in range(along + 1):
            v = j / along
            positions.append(a + v * (b - a) + radius * (math.cos(phi) * side + math.sin(phi) * other))
            uvs.append((i / sides, v))
    for i in range(sides):
        for j in range(along):
            p = i * (along + 1) + j
            q = p + along + 1
            triangles += [(p, q, q + 1), (p, q + 1, p + 1)]
    return _mesh(positions, triangles, uvs=uvs)


def hills(low, high, cells, height, uvs=True) -> Mesh:
    """A wavy floor of `cells` x `cells` squares over [low, high] in x and z, with uv."""
    positions, coords, triangles = [], [], []
    for i in range(cells + 1):
        for j in range(cells + 1):
            u, v = i / cells, j / cells
            x, z = low[0] + u * (high[0] - low[0]), low[1] + v * (high[1] - low[1])
            positions.append((x, height * math.sin(5 * u + 1) * math.cos(4 * v), z))
            coords.append((u, v))
    for i in range(cells):
        for j in range(cells):
            p = i * (cells + 1) + j
            q = p + cells + 1
            triangles += [(p, p + 1, q + 1), (p, q + 1, q)]
    return _mesh(positions, triangles, uvs=coords if uvs else None)
