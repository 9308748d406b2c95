"""The tables of `crates/render/src/bsdf`, read from the Rust sources, as functions of the cosine.

All facets here are isotropic, so that a table at one alpha is a function of one number.
"""

import re
from functools import cache
from pathlib import Path

import drjit as dr
import mitsuba as mi
import numpy as np

BSDF = Path(__file__).resolve().parents[3] / "crates" / "render" / "src" / "bsdf"

ALBEDO_CELLS = 32
WHITE_NODES = 25
GLASS_NODES = 16
MEAN_NODES = 48
LEAST_ROOT = 0.17782794
COAT_NODES = (6, 16, 16)  # coat's alpha, base's alpha, cosine
COAT_F0 = 0.04
INDEX_AXIS = (0.14, 0.95)

# Gauss's rule with four points for means over the hemisphere, 2 f cos dcos.
MEAN_COS = np.array([0.13975986, 0.41640957, 0.723157, 0.9428958])
MEAN_WEIGHT = np.array([0.062361942, 0.2596951, 0.40692914, 0.27101383])


@cache
def numbers(file: str, name: str) -> np.ndarray:
    """All numbers of the static `name`, flat."""
    text = (BSDF / file).read_text()
    # From the `=` behind the type to the end of the initialiser.
    body = re.search(rf"static {name}: .*?= (.*?);\n", text, re.DOTALL).group(1)
    return np.array([float(n) for n in re.findall(r"\d[\d_]*\.?\d*(?:e-?\d+)?", body.replace("_", ""))])


def node(x: float, nodes: int) -> tuple[int, float]:
    """Node below a place from 0 to 1 on an axis, and how far beyond it."""
    s = min(max(x, 0.0), 1.0) * (nodes - 1)
    i = min(int(s), nodes - 2)
    return i, s - i


def between(values: np.ndarray, x: float):
    """Linear interpolation along the first axis."""
    i, t = node(x, len(values))
    return (1 - t) * values[i] + t * values[i + 1]


class Curve:
    """Values at evenly spaced places from 0 to 1, linear between them."""

    def __init__(self, values):
        self.cells = len(values) - 1
        self.values = mi.Float(np.asarray(values, np.float32))

    def __call__(self, x):
        s = dr.clip(x, 0, 1) * self.cells
        i = dr.minimum(mi.UInt32(s), self.cells - 1)
        low, high = dr.gather(mi.Float, self.values, i), dr.gather(mi.Float, self.values, i + 1)
        return dr.fma(s - mi.Float(i), high - low, low)


class Albedo:
    """(scale, bias) of facets with Schlick's term, at one alpha: `E = f0 scale + f90 bias`."""

    def __init__(self, table: str, alpha: float):
        side = ALBEDO_CELLS + 1
        flat = numbers("albedo_data.rs", table)
        nodes, means = flat[: 2 * side * side].reshape(side, side, 2), flat[2 * side * side :].reshape(side, 2)
        row = between(nodes, alpha**0.5)
        self.scale, self.bias = Curve(row[:, 0]), Curve(row[:, 1])
        self.mean = tuple(map(float, between(means, alpha**0.5)))

    def __call__(self, cos):
        root = dr.sqrt(cos)
        return self.scale(root), self.bias(root)


class Loss:
    """What the first bounce between facets of one alpha loses; `mean` over the hemisphere."""

    def __init__(self, alpha: float, row: np.ndarray, mean: float):
        self.alpha, self.curve, self.mean = alpha, Curve(row * 1e-4), float(alpha * alpha * mean)

    def __call__(self, cos):
        return self.curve(cos * (1 + self.alpha) / (cos + self.alpha))


def mean_place(alpha: float) -> float:
    return (alpha**0.25 - LEAST_ROOT) / (1 - LEAST_ROOT)


def white_loss(alpha: float) -> Loss:
    rows = numbers("loss_data.rs", "WHITE").reshape(WHITE_NODES, WHITE_NODES)
    return Loss(alpha, between(rows, alpha**0.5), between(numbers("loss_data.rs", "WHITE_MEANS"), mean_place(alpha)))


def glass_loss(alpha: float, n: float, from_dense: bool) -> Loss:
    """`n` is the index of the denser side over the thinner."""
    side = int(from_dense)
    place = ((1 - 1 / n) ** 0.5 - INDEX_AXIS[0]) / (INDEX_AXIS[1] - INDEX_AXIS[0])
    rows = between(numbers("loss_data.rs", "GLASS").reshape(2, *[GLASS_NODES] * 3)[side], place)
    means = between(numbers("loss_data.rs", "GLASS_MEANS").reshape(2, GLASS_NODES, MEAN_NODES)[side], place)
    return Loss(alpha, between(rows, alpha**0.5), between(means, mean_place(alpha)))


def coat_loss(base_alpha: float, coat_alpha: float) -> Curve:
    """What scaling white facets by a coat takes too much of, over the cosine."""
    rows = between(numbers("loss_data.rs", "COAT").reshape(COAT_NODES), coat_alpha**0.5)
    return Curve(between(rows, base_alpha**0.5) * 1e-4)
