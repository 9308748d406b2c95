"""Makes knot.ply.gz: a closed tube along a trefoil knot, 5,120 triangles, y up. Python 3, no packages."""

import gzip
import math
import struct

ALONG, AROUND, RADIUS = 128, 20, 0.36


def centre(a):
    return (math.sin(a) + 2 * math.sin(2 * a), math.cos(a) - 2 * math.cos(2 * a), -math.sin(3 * a))


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return tuple(x / length for x in v)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


points, faces = [], []
for i in range(ALONG):
    a = 2 * math.pi * i / ALONG
    here, ahead, behind = centre(a), centre(a + 1e-3), centre(a - 1e-3)
    tangent = unit(tuple(p - q for p, q in zip(ahead, behind)))
    # The knot's curvature never vanishes, so its Frenet frame comes round to where it began.
    bend = tuple(p + q - 2 * h for p, q, h in zip(ahead, behind, here))
    binormal = unit(cross(tangent, bend))
    normal = cross(binormal, tangent)
    for j in range(AROUND):
        b = 2 * math.pi * j / AROUND
        out = tuple(math.cos(b) * n + math.sin(b) * m for n, m in zip(normal, binormal))
        points.append(tuple(h + RADIUS * o for h, o in zip(here, out)) + out)
        k, l = (i + 1) % ALONG, (j + 1) % AROUND
        corners = [i * AROUND + j, k * AROUND + j, k * AROUND + l, i * AROUND + l]
        faces += [(corners[0], corners[2], corners[1]), (corners[0], corners[3], corners[2])]

lowest = min(p[1] for p in points)
header = f"""ply
format binary_little_endian 1.0
comment A trefoil knot, made by knot.py
element vertex {len(points)}
property float x
property float y
property float z
property float nx
property float ny
property float nz
element face {len(faces)}
property list uchar int vertex_indices
end_header
"""
body = b"".join(struct.pack("<6f", p[0], p[1] - lowest, *p[2:]) for p in points)
body += b"".join(struct.pack("<B3i", 3, *f) for f in faces)
with open("knot.ply.gz", "wb") as file:
    file.write(gzip.compress(header.encode() + body, mtime=0))
