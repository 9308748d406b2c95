"""Materials of pbrt files as the nearest of Mitsuba's own BSDFs, or with our coats.

Which parameters a material has and what they are when missing is as docs/reference/formats-pbrt.md says.
"""

import math
from pathlib import Path

import numpy as np

from description import Coated
from write_mitsuba import plugin, rgb

# Rec. 709 from XYZ, and the colour matching functions by the fit of Wyman, Sloan and Shirley 2013, section 2.2,
# as crates/scene/src/import/pbrt/spectrum.rs has them.
XYZ_TO_RGB = np.array([[3.2406255, -1.5372080, -0.4986286], [-0.9689307, 1.8757561, 0.0415175], [0.0557101, -0.2040211, 1.0569959]])
LOBES = (
    ((1.056, 599.8, 37.9, 31.0), (0.362, 442.0, 16.0, 26.7), (-0.065, 501.1, 20.4, 26.2)),
    ((0.821, 568.8, 46.9, 40.5), (0.286, 530.9, 16.3, 31.1)),
    ((1.217, 437.0, 11.8, 36.0), (0.681, 459.0, 26.0, 13.8)),
)


def of_spectrum(path: Path) -> tuple[float, ...]:
    """RGB of an .spd file of wavelengths and values; a constant is grey."""
    wavelengths, values = np.loadtxt(path, comments="#").T
    nm = 380 + (np.arange(400) + 0.5)
    matching = [sum(a * np.exp(-0.5 * ((nm - mean) / np.where(nm < mean, below, above)) ** 2) for a, mean, below, above in lobes) for lobes in LOBES]
    xyz = np.array(matching) @ np.stack([np.interp(nm, wavelengths, values), np.ones(400)], axis=1)
    of_values, of_ones = (XYZ_TO_RGB @ xyz).T
    return tuple(np.maximum(of_values / of_ones, 0))


def color(material: dict, name: str, default: float) -> tuple[float, ...] | Path:
    found = material.get(name, (default,) * 3)
    return of_spectrum(found) if isinstance(found, Path) and found.suffix == ".spd" else found


def spectrum(value) -> dict:
    """A colour, or an sRGB image whose lowest row has v = 0 (Mitsuba's has v = 1)."""
    if isinstance(value, Path):
        import mitsuba as mi

        return {"type": "bitmap", "filename": str(value), "to_uv": mi.ScalarTransform3f(np.array([[1.0, 0, 0], [0, -1, 1], [0, 0, 1]]))}
    return rgb(value)


def alpha(material: dict, default: float) -> float:
    """One for both directions; pbrt 3's remapping unless the file turns it off. 0 is perfectly smooth."""
    both = material.get("roughness", default)
    u, v = material.get("uroughness", both), material.get("vroughness", both)
    if u == v == 0 or not material.get("remaproughness", True):
        return math.sqrt(u * v)

    def remapped(r: float) -> float:
        x = math.log(max(r, 1e-3))
        return 1.62142 + x * (0.819955 + x * (0.1734 + x * (0.0171201 + x * 0.000640711)))

    return math.sqrt(remapped(u) * remapped(v))


def coat(diffuse, at_normal, alpha: float, ours: bool) -> dict:
    """A Lambert base under facets that reflect `at_normal` where light comes straight: plastic of the index with that."""
    most = max(at_normal)
    if most == 0:
        return {"type": "diffuse", "reflectance": spectrum(diffuse)}
    if ours:
        texture = isinstance(diffuse, Path)
        described = plugin(Coated((1.0,) * 3 if texture else tuple(diffuse), tuple(at_normal), alpha))
        return described | ({"texture": spectrum(diffuse)} if texture else {})
    root = math.sqrt(most)
    inner = {"int_ior": (1 + root) / (1 - root), "ext_ior": 1.0, "diffuse_reflectance": spectrum(diffuse), "specular_reflectance": rgb(c / most for c in at_normal)}
    return {"type": "plastic", **inner} if alpha == 0 else {"type": "roughplastic", "distribution": "ggx", "alpha": alpha, **inner}


def glass(material: dict) -> dict:
    inner = {
        "int_ior": material.get("eta", material.get("index", 1.5)), "ext_ior": 1.0,
        "specular_reflectance": rgb(color(material, "Kr", 1.0)), "specular_transmittance": rgb(color(material, "Kt", 1.0)),
    }  # fmt: skip
    rough = alpha(material, 0.0)
    return {"type": "dielectric", **inner} if rough == 0 else {"type": "roughdielectric", "distribution": "ggx", "alpha": rough, **inner}


def one_side(material: dict, ours: bool) -> dict:
    kind = material["type"]
    if kind == "matte":
        return {"type": "diffuse", "reflectance": spectrum(color(material, "Kd", 0.5))}
    if kind == "mirror":
        return {"type": "conductor", "material": "none", "specular_reflectance": rgb(color(material, "Kr", 0.9))}
    if kind == "metal":
        return {"type": "roughconductor", "distribution": "ggx", "alpha": alpha(material, 0.01), "eta": rgb(color(material, "eta", 0)), "k": rgb(color(material, "k", 0))}
    if kind == "substrate":
        return coat(color(material, "Kd", 0.5), color(material, "Ks", 0.5), alpha(material, 0.1), ours)
    if kind in ("plastic", "uber"):
        # pbrt's facets have the reflectance of an index, 1.5, times Ks.
        if any(max(color(material, name, 0.0)) > 0 for name in ("Kr", "Kt")):
            raise ValueError("an uber material that reflects or transmits is not supported")
        return coat(color(material, "Kd", 0.25), [0.04 * c for c in color(material, "Ks", 0.25)], alpha(material, 0.1), ours)
    if kind == "fourier":
        # Tables of measured leather; raywarp has this grey in their place.
        return coat((0.5,) * 3, (0.04,) * 3, 0.3, ours)
    if kind == "mix":
        (weight,) = set(color(material, "amount", 0.5))
        return {"type": "blendbsdf", "weight": weight, "a": one_side(material["namedmaterial2"], ours), "b": one_side(material["namedmaterial1"], ours)}
    raise ValueError(f"material {kind} is not known here")


def opacity(material: dict) -> float:
    return sum(color(material, "opacity", 1.0)) / 3


def bsdf(material: dict, ours: bool = False) -> dict:
    """With `ours` coats have our formula, by a plugin."""
    result = glass(material) if material["type"] == "glass" else {"type": "twosided", "inner": one_side(material, ours)}
    return result if opacity(material) == 1 else {"type": "mask", "opacity": opacity(material), "inner": result}
