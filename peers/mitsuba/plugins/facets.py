"""GGX facets with Schlick's Fresnel term, and a coat of them."""

import drjit as dr
import mitsuba as mi
import numpy as np

import plugins.tables as tables


def schlick(f0, f90, cos):
    return f0 + (f90 - f0) * dr.clip(1 - cos, 0, 1) ** 5


def ggx(alpha: float, wo, wi, h):
    """`D G / (4 cos wo)`, with Smith's separable masking and shadowing."""
    a2 = alpha * alpha
    d = 1 / (dr.pi * a2 * dr.square((dr.square(h.x) + dr.square(h.y)) / a2 + dr.square(h.z)))

    def g1(w):
        tan2 = (dr.square(w.x) + dr.square(w.y)) / dr.square(w.z)
        return 2 / (1 + dr.sqrt(1 + a2 * tan2))

    return d * g1(wo) * g1(wi) / (4 * wo.z)


class Facets:
    """What facets of one alpha return, at each cosine and in the mean: (scale, bias, lost)."""

    def __init__(self, alpha: float):
        self.albedo, self.loss = tables.Albedo("GGX", alpha), tables.white_loss(alpha)
        scale, bias = self.albedo.mean
        share = (1 - self.loss.mean) / (scale + bias)
        self.mean = (scale * share, bias * share, self.loss.mean)

    def __call__(self, cos):
        scale, bias = self.albedo(cos)
        lost = self.loss(cos)
        share = (1 - lost) / (scale + bias)
        return scale * share, bias * share, lost


def returned(f0, f90, at):
    """Albedo of facets with that Fresnel term."""
    return dr.clip(f0 * at[0] + f90 * at[1], 0, 1)


def mean_over_hemisphere(f) -> np.ndarray:
    """Of a function of the cosine, by Gauss's rule with four points."""
    values = f(mi.Float(tables.MEAN_COS.astype(np.float32)))
    return np.array(values, dtype=np.float64) @ tables.MEAN_WEIGHT


class Coat:
    """A clear coat: GGX over `strength` of the area, with `f0` and `alpha`, above a base of `base_alpha`."""

    def __init__(self, strength: float, f0: float, alpha: float, base_alpha: float):
        self.strength, self.f0, self.alpha = strength, f0, alpha
        self.facets, self.loss = Facets(alpha), tables.coat_loss(base_alpha, alpha)
        self.let_in_mean = 1 - strength * float(min(max(f0 * self.facets.mean[0] + self.facets.mean[1], 0), 1))

    def let_in(self, cos):
        return 1 - self.strength * returned(self.f0, 1, self.facets(cos))

    def transmitted(self, wo, wi):
        return dr.minimum(self.let_in(wo.z), self.let_in(wi.z))

    def too_much(self, cos):
        return self.strength * (1 - self.f0) / (1 - tables.COAT_F0) * self.loss(cos)

    def left_of_metal(self, cos, lost):
        return lost * self.let_in(cos) + self.too_much(cos)

    def left_of_metal_mean(self, facets: Facets) -> float:
        # The mean loss is known without the coat: four points would miss the horizon.
        lost_let_in = mean_over_hemisphere(lambda cos: facets(cos)[2] * self.let_in(cos))
        lost = mean_over_hemisphere(lambda cos: facets(cos)[2])
        too_much = mean_over_hemisphere(self.too_much)
        return float(facets.mean[2] * lost_let_in / lost + too_much)

    def left_of_dielectric(self, cos, at, e):
        share = dr.minimum(e / dr.maximum(1 - at[2], 1e-6), 1)
        return (1 - e) * self.let_in(cos) + share * self.too_much(cos)

    def value(self, wo, wi, h):
        return self.strength * schlick(self.f0, 1, dr.dot(wo, h)) * ggx(self.alpha, wo, wi, h)
