"""Checks our formulas as the plugins state them, by numeric integrals, and media within media in closed form.

Run it by itself. A failure names what is wrong and what it should have given.
"""

import math
import tempfile
from pathlib import Path

import mitsuba as mi
import numpy as np

import peer
import shapes
import write_mitsuba
from description import Camera, Constant, Dielectric, Medium, Object, Scene

# Nodes over the sphere: Gauss's rule in the cosine of either half, even steps around.
COS_NODES, AROUND = 64, 128


def sphere():
    """Directions and weights of a quadrature over all directions."""
    x, w = np.polynomial.legendre.leggauss(COS_NODES)
    # The cosine as a square, which resolves the horizon.
    t, w = 0.5 * (x + 1), 0.5 * w
    cos, weight = t * t, w * 2 * t
    cos, weight = np.concatenate([cos, -cos]), np.concatenate([weight, weight])
    phi = (np.arange(AROUND) + 0.5) * 2 * math.pi / AROUND
    z, p = np.meshgrid(cos, phi, indexing="ij")
    r = np.sqrt(1 - z * z)
    directions = np.stack([r * np.cos(p), r * np.sin(p), z]).reshape(3, -1)
    return directions, (weight[:, None] * np.full((1, AROUND), 2 * math.pi / AROUND)).ravel()


def vectors(values) -> "mi.Vector3f":
    return mi.Vector3f(*(mi.Float(np.ascontiguousarray(v, np.float32)) for v in values))


def direction(cos: float, phi: float = 0.3):
    sin = math.sqrt(1 - cos * cos)
    return np.array([sin * math.cos(phi), sin * math.sin(phi), cos])


def seen_from(wo, count: int):
    si = mi.SurfaceInteraction3f()
    si.wi = vectors(np.repeat(np.asarray(wo)[:, None], count, axis=1))
    si.time = mi.Float(0)
    return si


def evaluated(bsdf, wo, wi):
    """Values (3, n) and densities (n)."""
    value, pdf = bsdf.eval_pdf(mi.BSDFContext(), seen_from(wo, wi.shape[1]), vectors(wi), mi.Bool(True))
    return np.array(value, np.float64), np.array(pdf, np.float64)


def words(*values) -> str:
    return " ".join(map(str, values))


def principled(base, f0, f90, metallic, alpha, coat=0.0, coat_alpha=0.5):
    more = {"coat_alpha": coat_alpha} if coat > 0 else {}
    return mi.load_dict({"type": "raywarp_principled", "base": words(*[base] * 3), "f0": words(*[f0] * 3), "f90": f90, "metallic": metallic, "alpha": alpha, "coat": coat, **more})


def paint(base, flake, amount, alpha, ior, coat_alpha):
    return mi.load_dict({
        "type": "raywarp_car_paint", "base": words(*[base] * 3), "flake_color": words(*[flake] * 3),
        "flake_amount": amount, "flake_alpha": alpha, "coat_ior": ior, "coat_alpha": coat_alpha,
    })  # fmt: skip


def blinn(diffuse, specular, exponent):
    return mi.load_dict({"type": "raywarp_blinn", "diffuse": words(*[diffuse] * 3), "specular": words(*[specular] * 3), "exponent": exponent})


def metal(eta, k, alpha):
    return mi.load_dict({"type": "raywarp_conductor", "eta": words(*[eta] * 3), "k": words(*[k] * 3), "alpha": alpha})


def glass(ior, alpha):
    return mi.load_dict({"type": "raywarp_dielectric", "ior": ior, "alpha": alpha})


def surfaces():
    """Name, plugin, least and largest albedo: white ones return about all light, black bases what facets alone do."""
    return [
        ("white plastic", principled(1, 0.04, 1, 0, 0.4), 0.998, 1.002),
        ("white metal", principled(1, 0.04, 1, 1, 0.5), 0.998, 1.002),
        ("white plastic under a coat", principled(1, 0.04, 1, 0, 0.4, 1, 0.5), 0.998, 1.002),
        ("white metal under a coat", principled(1, 0.04, 1, 1, 0.7, 1, 0.5), 0.998, 1.002),
        ("Lambert 0.6", principled(0.6, 0, 0, 0, 0.5), 0.5999, 0.6001),
        ("white car paint", paint(1, 1, 0.5, 0.4, 1.5, 0.5), 0.998, 1.002),
        ("white Blinn", blinn(1, 0.3, 20), 0.998, 1.002),
        ("Blinn without facets", blinn(0.6, 0, 20), 0.5999, 0.6001),
        ("white rough metal", metal(0, 1e3, 0.7), 0.998, 1.002),
        ("rough glass", glass(1.5, 0.5), 0.985, 1.002),
    ]


def check_surface(name: str, bsdf, least: float, largest: float) -> list[str]:
    faults = []
    directions, weights = sphere()
    is_glass = name == "rough glass"
    for cos in (0.9, 0.5, 0.2) + ((-0.9, -0.5) if is_glass else (-0.5,)):
        wo = direction(cos)
        value, pdf = evaluated(bsdf, wo, directions)
        # Radiance squeezed by denser matter: energy is without that factor.
        squeezed = np.where(directions[2] * cos < 0, 1.5**2 if cos > 0 else 1.5**-2, 1.0) if is_glass else 1.0
        albedo = float((value[1] * squeezed) @ weights)
        print(f"{name:28} cosine {cos:+.1f}: albedo {albedo:.4f}")
        if not least <= albedo <= largest:
            faults.append(f"{name}: albedo {albedo:.4f} at cosine {cos}, {least} to {largest} expected")
        total = float(pdf @ weights)
        # Some sampled facets send their light to the wrong side.
        if not 0.6 < total < 1.001:
            faults.append(f"{name}: the density integrates to {total:.4f} at cosine {cos}")
        # Sampling must give the same albedo as evaluation.
        n = 200000
        rng = np.random.default_rng(5)
        u = [mi.Float(rng.random(n, np.float32)) for _ in range(3)]
        bs, weight = bsdf.sample(mi.BSDFContext(), seen_from(wo, n), u[0], mi.Point2f(u[1], u[2]), mi.Bool(True))
        w = np.array(weight, np.float64)[1]
        if is_glass:
            w *= np.where(np.array(bs.wo)[2] * cos < 0, 1.5**2 if cos > 0 else 1.5**-2, 1.0)
        error = w.std() / math.sqrt(n)
        if abs(w.mean() - albedo) > 4.5 * error + 1e-3:
            faults.append(f"{name}: sampling gives albedo {w.mean():.4f} +- {error:.4f} at cosine {cos}, the integral {albedo:.4f}")
    # Light takes the same way back.
    a, b = direction(0.8, 0.2), direction(0.4, 2.0)
    there, back = (evaluated(bsdf, o, i[:, None])[0][1, 0] / abs(i[2]) for o, i in ((a, b), (b, a)))
    if abs(there / back - 1) > 1e-4:
        faults.append(f"{name}: {there} one way, {back} the other")
    return faults


def check_spot() -> list[str]:
    """The power of a spot, whose integral over the ramp is 1/3, 1/5 or 1/2 of its cosines."""
    from plugins.spot import share

    faults = []
    for ramp, part in (("gltf", 1 / 3), ("pbrt3", 1 / 5), ("pbrt4", 1 / 2)):
        cos_inner, cos_outer = 0.9, 0.6
        light = mi.load_dict({
            "type": "raywarp_spot", "ramp": ramp, "position": "0 0 0", "direction": "0 0 1", "intensity": "1 1 1",
            "cos_inner": cos_inner, "cos_outer": cos_outer,
        })  # fmt: skip
        directions, weights = sphere()
        it = mi.SurfaceInteraction3f()
        it.p = mi.Point3f(vectors(2 * directions))
        _, value = light.sample_direction(it, mi.Point2f(0.5), mi.Bool(True))
        # Intensity is what arrives at distance 2 times its square.
        power = 4 * float(np.array(value, np.float64)[0] @ weights)
        expected = 2 * math.pi * ((1 - cos_inner) + part * (cos_inner - cos_outer))
        if abs(power / expected - 1) > 2e-3:
            faults.append(f"spot of {ramp}: power {power:.5f}, {expected:.5f} expected")
        if share(ramp, 1.0) != 1.0 or share(ramp, 0.0) != 0.0:
            faults.append(f"spot of {ramp}: not 0 to 1")
    return faults


def check_media() -> list[str]:
    """A box within a box, neither of which bends light: what is left of it is known by the way in each."""
    a, b = Medium("a", (0.5, 0.2, 0.1)), Medium("b", (0.1, 1.0, 0.4))
    objects = (
        Object("outer", shapes.box((-1, -1, -1), (1, 1, 1)), Dielectric(1.0), inside=a),
        Object("inner", shapes.box((-0.5, -0.5, -0.3), (0.5, 0.5, 0.5)), Dielectric(1.0), inside=b, outside=a),
    )
    camera = Camera((0, 0, 9), (0, 0, 0), 0.01)
    scene = Scene("boxes", "", camera, objects, (Constant((1, 1, 1)),), size=(8, 8))
    with tempfile.TemporaryDirectory() as folder:
        loaded = mi.load_dict(write_mitsuba.dictionary(scene, Path(folder)))
        runs = np.array([write_mitsuba.render(loaded, seed, 1024).mean(axis=(0, 1)) for seed in range(8)], np.float64)
    expected = np.exp([-(1.2 * x + 0.8 * y) for x, y in zip(a.absorption, b.absorption)])
    error = runs.std(axis=0, ddof=1) / math.sqrt(len(runs))
    z = (runs.mean(axis=0) - expected) / error
    print(f"media within media: {runs.mean(axis=0).round(4)}, {expected.round(4)} expected")
    return [f"media within media: z {z.round(1)}"] if np.abs(z).max() > 5 else []


def main() -> int:
    peer.start("llvm_ad_rgb")
    faults = check_spot() + check_media()
    for name, bsdf, least, largest in surfaces():
        faults += check_surface(name, bsdf, least, largest)
    for fault in faults:
        print(fault)
    print("check_formulas.py: " + (f"{len(faults)} faults" if faults else "all formulas give what they should"))
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
