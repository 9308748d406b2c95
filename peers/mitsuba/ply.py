"""Reads the triangles of a binary little-endian PLY, gzipped or not."""

import gzip
from pathlib import Path

import numpy as np

from description import Mesh

TYPES = {"char": "i1", "uchar": "u1", "short": "<i2", "ushort": "<u2", "int": "<i4", "uint": "<u4", "float": "<f4", "double": "<f8"}
TYPES |= {"int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4", "uint32": "<u4", "float32": "<f4", "float64": "<f8"}


def columns(vertices: np.ndarray, names: str) -> np.ndarray | None:
    """The properties of these one-letter or two-letter names side by side; None unless all are there."""
    parts = names.split()
    if not all(name in vertices.dtype.names for name in parts):
        return None
    return np.stack([vertices[name] for name in parts], axis=1).astype(np.float32)


def read(path: Path) -> Mesh:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    head, _, body = data.partition(b"end_header\n")
    vertex, face, element, counts = [], [], None, {}
    for line in head.decode("ascii", "replace").splitlines():
        words = line.split()
        if words[:1] == ["format"] and words[1] != "binary_little_endian":
            raise ValueError(f"{path}: only binary little-endian PLY is read here")
        if words[:1] == ["element"]:
            element = words[1]
            counts[element] = int(words[2])
        elif words[:1] == ["property"]:
            fields = {"vertex": vertex, "face": face}[element]
            if words[1] == "list":
                # All faces are triangles; checked below.
                fields += [("count", TYPES[words[2]]), ("corners", TYPES[words[3]], 3)]
            else:
                fields.append((words[2], TYPES[words[1]]))
    vertices = np.frombuffer(body, np.dtype(vertex), counts["vertex"])
    faces = np.frombuffer(body, np.dtype(face), counts["face"], vertices.nbytes)
    if not (faces["count"] == 3).all():
        raise ValueError(f"{path}: a face is not a triangle")
    return Mesh(columns(vertices, "x y z"), faces["corners"].astype(np.int32), columns(vertices, "nx ny nz"), columns(vertices, "u v"))
