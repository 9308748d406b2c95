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
class Coated:
    """A Lambert base under GGX facets; `specular` is the facets' reflectance at normal incidence."""

    diffuse: tuple[float, float, float]
    specular: tuple[float, float, float]
    alpha: float
    attenuates: bool = True  # False is a planted mistake: the base gets all light


@dataclass(frozen=True)
class Principled:
    """glTF's metallic-roughness model with KHR_materials_ior, _specular and _clearcoat; alpha is roughness squared."""

    base: tuple[float, float, float]
    metallic: float
    roughness: float
    ior: float = 1.5
    specular: float = 1.0
    coat: float = 0.0
    coat_roughness: float = 0.0


@dataclass(frozen=True)
class Blinn:
    """A Lambert base under Blinn facets with V-shaped cavities."""

    diffuse: tuple[float, float, float]
    specular: tuple[float, float, float]
    exponent: float


@dataclass(frozen=True)
class CarPaint:
    """A Lambert base beside flakes too small to see, under a clear coat."""

    base: tuple[float, float, float]
    flake_color: tuple[float, float, float]
    flake_amount: float
    flake_alpha: float
    coat_ior: float
    coat_alpha: float


@dataclass(frozen=True)
class Mirror:
    """A perfect mirror without Fresnel."""

    reflectance: tuple[float, float, float]


Material = Diffuse | Conductor | Dielectric | Mirror | Coated | Principled | Blinn | CarPaint


@dataclass(frozen=True)
class Sphere:
    """A whole sphere; Raywarp makes triangles of it, Mitsuba does not."""

    centre: tuple[float, float, float]
    radius: float


@dataclass(frozen=True)
class Medium:
    """What absorbs and does not scatter."""

    name: str
    absorption: tuple[float, float, float]  # per unit of length


@dataclass(frozen=True)
class Object:
    """A mesh of one material; with `radiance` it emits on its counter-clockwise side."""

    name: str
    mesh: Mesh | Sphere
    material: Material
    radiance: tuple[float, float, float] | None = None
    file: str | None = None  # a PLY beside the .pbrt file, or an absolute path to one that exists; inline when None
    opacity: float | Image | None = None  # share of light that finds the surface there; an image is grey and linear
    inside: Medium | None = None
    outside: Medium | None = None
    casts_shadow_in_full: bool = False  # True is a planted mistake: shadow rays don't see the holes


@dataclass(frozen=True)
class Point:
    position: tuple[float, float, float]
    intensity: tuple[float, float, float]


@dataclass(frozen=True)
class Spot:
    """A cone; half its angle in degrees. Full within `inner_angle`, then falling off; a hard edge without one.

    How it falls off is what the file's format says: pbrt version 3, pbrt version 4, or glTF.
    """

    position: tuple[float, float, float]
    target: tuple[float, float, float]
    intensity: tuple[float, float, float]
    half_angle: float
    inner_angle: float | None = None


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
    format: str = "pbrt"  # or "gltf"
    # Rough surfaces keep the light of further bounces between facets, as ours do unless --single-scatter is given.
    every_bounce: bool = False
