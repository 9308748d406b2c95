"""What a test scene is: plain data that both renderers' files are written from.

Lengths, colours and angles are pbrt's: linear Rec. 709 RGB, degrees, the full angle of the picture's
shorter side as field of view, texture v upwards from the image's lowest row.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Mesh:
    """Triangles. Without `normals` the surface is flat-shaded."""

    positions: np.ndarray  # (n, 3) float32
    triangles: np.ndarray  # (m, 3) int32
    normals: np.ndarray | None = None  # (n, 3) float32, unit
    uvs: np.ndarray | None = None  # (n, 2) float32


@dataclass(frozen=True)
class Image:
    """An 8-bit sRGB image, bilinear and repeated: s = scale u + offset, upwards from the lowest row."""

    name: str
    texels: np.ndarray  # (rows from the top, columns, 3) uint8
    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Diffuse:
    """Lambert on both sides."""

    reflectance: tuple[float, float, float] | Image


@dataclass(frozen=True)
class Conductor:
    """GGX with the conductor's Fresnel term."""

    eta: tuple[float, float, float]
    k: tuple[float, float, float]
    alpha: tuple[float, float]  # along the tangent, across it


@dataclass(frozen=True)
class Dielectric:
    """Glass: smooth when alpha is 0, else GGX."""

    ior: float
    alpha: float = 0.0


@dataclass(frozen=True)
class Mirror:
    """A perfect mirror without Fresnel."""

    reflectance: tuple[float, float, float]


Material = Diffuse | Conductor | Dielectric | Mirror


@dataclass(frozen=True)
class Object:
    """A mesh of one material; with `radiance` it emits on its counter-clockwise side."""

    name: str
    mesh: Mesh
    material: Material
    radiance: tuple[float, float, float] | None = None
    file: str | None = None  # a PLY beside the .pbrt file, or an absolute path to one that exists; inline when None


@dataclass(frozen=True)
class Point:
    position: tuple[float, float, float]
    intensity: tuple[float, float, float]


@dataclass(frozen=True)
class Spot:
    """A cone with a hard edge, since the renderers' fall-offs differ; half its angle in degrees."""

    position: tuple[float, float, float]
    target: tuple[float, float, float]
    intensity: tuple[float, float, float]
    half_angle: float


@dataclass(frozen=True)
class Constant:
    """The same radiance from everywhere."""

    radiance: tuple[float, float, float]


@dataclass(frozen=True)
class Environment:
    """A latitude-longitude map in pbrt version 3's frame (row 0 is +z, u = atan2(y, x) / 2 pi).

    `rotations` are pbrt `Rotate` lines (degrees, axis), the first one outermost.
    """

    name: str
    texels: np.ndarray  # (rows from +z, columns, 3) float32
    rotations: tuple[tuple[float, tuple[float, float, float]], ...] = ()


Light = Point | Spot | Constant | Environment


@dataclass(frozen=True)
class Camera:
    """A thin lens; `mirrored` is what pbrt's left-handed `LookAt` gives without a `Scale -1 1 1`."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    fov: float
    up: tuple[float, float, float] = (0.0, 1.0, 0.0)
    lens_radius: float = 0.0
    focal_distance: float = 1.0
    mirrored: bool = False


@dataclass(frozen=True)
class Scene:
    name: str
    what: str  # one sentence
    camera: Camera
    objects: tuple[Object, ...]
    lights: tuple[Light, ...] = ()
    size: tuple[int, int] = (128, 96)
    bounces: int = 8
    version: int = 3  # of the pbrt syntax
