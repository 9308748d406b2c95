"""Binary PLY files of triangles, plain or gzipped."""

import array
import gzip
import struct
import sys

SIZES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "float": 4, "double": 8}


class Mesh:
    """Bytes of float32 positions (x y z) and of uint32 indices (three a triangle)."""

    def __init__(self, vertices, indices):
        self.vertices, self.indices = vertices, indices
        self.triangle_count = len(indices) // 12


def contents(path):
    """The bytes of a file, unpacked."""
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
        return file.read()


def parse(data, name):
    """The mesh in a little-endian PLY file: vertices with `float x y z` first, faces that begin with
    `list uchar int` of three indices."""
    end = data.find(b"end_header\n")
    header = data[:end].decode("ascii", "replace").split("\n")
    if end < 0 or "format binary_little_endian 1.0" not in header or sys.byteorder != "little":
        sys.exit(f"{name}: not a binary little-endian PLY file")
    counts, sizes, element = {}, {"vertex": 0, "face": 0}, None
    for words in (line.split() for line in header):
        if words[:1] == ["element"]:
            element, counts[words[1]] = words[1], int(words[2])
        elif words[:2] == ["property", "list"]:
            sizes[element] += 13
        elif words[:1] == ["property"]:
            sizes[element] += SIZES[words[1]]
    start = end + len(b"end_header\n")
    faces = start + counts["vertex"] * sizes["vertex"]
    stop = faces + counts["face"] * sizes["face"]
    if len(data) < stop:
        sys.exit(f"{name}: the file is too short")
    unpack = struct.Struct(f"<3f{sizes['vertex'] - 12}x").iter_unpack
    vertices = array.array("f", (x for vertex in unpack(data[start:faces]) for x in vertex))
    unpack = struct.Struct(f"<B3I{sizes['face'] - 13}x").iter_unpack
    indices = array.array("I")
    for count, a, b, c in unpack(data[faces:stop]):
        if count != 3:
            sys.exit(f"{name}: a face of {count} vertices; only triangles are read")
        indices.extend((a, b, c))
    return Mesh(vertices.tobytes(), indices.tobytes())
