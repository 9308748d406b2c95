"""Reads scene files of pbrt version 3, as far as the shared scenes go.

What is not known here is an error: a comparison must not leave something out without saying so.
"""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import ply
from description import Mesh

TOKEN = re.compile(r'#[^\n]*|"([^"]*)"|([\[\]])|([^\s"\[\]#]+)')


@dataclass
class Shape:
    mesh: Mesh  # in world space
    material: dict  # its parameters by name, and its "type"
    radiance: tuple[float, float, float] | None  # of the side from which the triangles are counter-clockwise


@dataclass
class PbrtScene:
    camera_from_world: np.ndarray | None = None  # pbrt's camera: x right, y up, z forward
    fov: float = 90.0
    size: tuple[int, int] = (0, 0)
    bounces: int = 5
    filter: str = "box"
    shapes: list[Shape] = field(default_factory=list)
    environments: list[Path] = field(default_factory=list)
    textures: dict[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Graphics:
    """What AttributeBegin keeps and AttributeEnd brings back."""

    ctm: np.ndarray
    material: dict
    radiance: tuple[float, float, float] | None = None


def tokens(path: Path):
    """Pairs of kind and text: a string, a bracket or a bare word."""
    for match in TOKEN.finditer(path.read_text()):
        for kind, text in zip(("string", "bracket", "word"), match.groups()):
            if text is not None:
                yield kind, text


def directives(path: Path):
    """Each directive with its positional arguments and its parameters by name."""
    name, values = None, []

    def close():
        positional, parameters, key = [], {}, None
        for kind, text in values:
            if kind == "string" and len(text.split()) == 2:
                key = text.split()
                parameters[key[1]] = (key[0], [])
            elif key is None:
                positional.append(text if kind == "string" else float(text))
            else:
                # Truth values stand with quotation marks and without.
                parameters[key[1]][1].append(text == "true" if key[0] == "bool" else text if kind == "string" else float(text))
        return name, positional, parameters

    for kind, text in tokens(path):
        if kind == "word" and text[0].isalpha() and text not in ("true", "false"):
            if name is not None:
                yield close()
            name, values = text, []
        elif kind != "bracket":
            values.append((kind, text))
    if name is not None:
        yield close()


def look_at(numbers) -> np.ndarray:
    """pbrt's matrix, which is left-handed."""
    eye, target, up = np.array(numbers, float).reshape(3, 3)
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(up / np.linalg.norm(up), forward)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[:3, :] = np.stack([right, np.cross(forward, right), forward, eye], axis=1)
    return np.linalg.inv(matrix)


def value(parameters: dict, name: str, default=None):
    """One number, text or truth value."""
    return parameters[name][1][0] if name in parameters else default


def corners(parameters: dict, name: str, columns: int, kind=np.float32):
    return np.array(parameters[name][1], kind).reshape(-1, columns) if name in parameters else None


def placed(mesh: Mesh, matrix: np.ndarray) -> Mesh:
    if np.array_equal(matrix, np.eye(4)):
        return mesh
    if np.linalg.det(matrix[:3, :3]) < 0:
        raise ValueError("a mirrored shape is not supported")
    normals = mesh.normals
    if normals is not None:
        normals = normals @ np.linalg.inv(matrix[:3, :3])
        normals = (normals / np.linalg.norm(normals, axis=1, keepdims=True)).astype(np.float32)
    return replace(mesh, positions=(mesh.positions @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32), normals=normals)


def facing_normals(mesh: Mesh) -> Mesh:
    """Triangles counter-clockwise as seen from where their normals point: pbrt's lamps shine there."""
    if mesh.normals is None:
        return mesh
    a, b, c = (mesh.positions[mesh.triangles[:, i]].astype(float) for i in range(3))
    away = np.einsum("ij,ij->i", np.cross(b - a, c - a), mesh.normals[mesh.triangles[:, 0]]) < 0
    triangles = np.where(away[:, None], mesh.triangles[:, ::-1], mesh.triangles)
    # Flat: the normals of a lamp's corners are the plane's.
    return Mesh(mesh.positions, np.ascontiguousarray(triangles))


class Reader:
    def __init__(self, path: Path):
        self.folder = path.parent
        self.scene = PbrtScene()
        self.now = Graphics(np.eye(4), {"type": "matte"})
        self.kept, self.named = [], {}
        for name, positional, parameters in directives(path):
            on = getattr(self, f"on_{name}", None)
            if on is None:
                raise ValueError(f"{path}: {name} is not known here")
            on(positional, parameters)

    def transform(self, matrix):
        self.now = replace(self.now, ctm=self.now.ctm @ matrix)

    def on_Transform(self, numbers, _):
        self.now = replace(self.now, ctm=np.array(numbers).reshape(4, 4).T)

    def on_LookAt(self, numbers, _):
        self.transform(look_at(numbers))

    def on_Camera(self, kind, parameters):
        assert kind == ["perspective"] and parameters.keys() <= {"fov"}, parameters
        self.scene.camera_from_world, self.scene.fov = self.now.ctm, value(parameters, "fov", 90.0)

    def on_Film(self, _, parameters):
        # `scale` is of the picture as it is shown, and `maxsampleluminance` is read by neither side.
        self.scene.size = int(value(parameters, "xresolution")), int(value(parameters, "yresolution"))

    def on_Sampler(self, *_):
        pass

    def on_PixelFilter(self, kind, _):
        self.scene.filter = kind[0]

    def on_Integrator(self, kind, parameters):
        assert kind == ["path"], kind
        self.scene.bounces = int(value(parameters, "maxdepth", 5))

    def on_WorldBegin(self, *_):
        self.now = replace(self.now, ctm=np.eye(4))

    def on_WorldEnd(self, *_):
        pass

    def on_AttributeBegin(self, *_):
        self.kept.append(self.now)

    def on_AttributeEnd(self, *_):
        self.now = self.kept.pop()

    def on_LightSource(self, kind, parameters):
        assert kind == ["infinite"] and parameters.keys() == {"mapname"} and np.array_equal(self.now.ctm, np.eye(4)), parameters
        self.scene.environments.append(self.folder / value(parameters, "mapname"))

    def on_AreaLightSource(self, _, parameters):
        assert parameters.keys() == {"L"}, parameters
        self.now = replace(self.now, radiance=tuple(parameters["L"][1]))

    def on_Texture(self, positional, parameters):
        name, _, kind = positional
        assert kind == "imagemap" and parameters.keys() <= {"filename", "trilinear"}, parameters
        self.scene.textures[name] = self.folder / value(parameters, "filename")

    def on_Material(self, kind, parameters):
        self.now = replace(self.now, material=self.material(kind[0], parameters))

    def on_MakeNamedMaterial(self, name, parameters):
        self.named[name[0]] = self.material(value(parameters, "type"), {k: v for k, v in parameters.items() if k != "type"})

    def on_NamedMaterial(self, name, _):
        self.now = replace(self.now, material=self.named[name[0]])

    def material(self, kind: str, parameters: dict) -> dict:
        """Numbers and colours as they are, a texture as the path of its image, a named material as itself."""
        result = {"type": kind}
        for name, (what, values) in parameters.items():
            if what == "texture":
                result[name] = self.scene.textures[values[0]]
            elif name.startswith("namedmaterial"):
                result[name] = self.named[values[0]]
            elif what == "spectrum":
                result[name] = self.folder / values[0]
            else:
                result[name] = tuple(values) if what in ("rgb", "color") else values[0]
        return result

    def on_Shape(self, kind, parameters):
        if kind == ["plymesh"]:
            mesh = ply.read(self.folder / value(parameters, "filename"))
        elif kind == ["trianglemesh"]:
            mesh = Mesh(corners(parameters, "P", 3), corners(parameters, "indices", 3, np.int32), corners(parameters, "N", 3), corners(parameters, "uv", 2))
        else:
            raise ValueError(f"shape {kind} is not known here")
        mesh = placed(mesh, self.now.ctm)
        if self.now.radiance is not None:
            mesh = facing_normals(mesh)
        self.scene.shapes.append(Shape(mesh, self.now.material, self.now.radiance))


def read(path: Path) -> PbrtScene:
    return Reader(path).scene
