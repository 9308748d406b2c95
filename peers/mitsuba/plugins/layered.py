"""A diffuse base or a metal under GGX facets, with an optional clear coat: our `coated` and glTF's model."""

import drjit as dr
import mitsuba as mi

from plugins.facets import Coat, Facets, ggx, mean_over_hemisphere, returned, schlick
from plugins.opaque import Opaque, color


class Principled(Opaque):
    """Properties: base, f0 (colours); texture (in place of the base, of what is no metal); f90, metallic, alpha, coat, coat_alpha; attenuates (False: a planted mistake)."""

    def __init__(self, props):
        super().__init__(props)
        self.base, self.f0 = color(props, "base"), color(props, "f0")
        self.texture = props["texture"] if "texture" in props else None
        self.attenuates = props.get("attenuates", True)
        self.f90, self.metallic, self.alpha = props["f90"], props["metallic"], props["alpha"]
        self.facets_of_base = Facets(self.alpha)
        self.alphas = (self.alpha,)
        self.coat = None
        if props["coat"] > 0:
            self.coat = Coat(props["coat"], 0.04, props["coat_alpha"], self.alpha)
            self.alphas = (self.alpha, props["coat_alpha"])
        mean = self.facets_of_base.mean
        f = self.base + (1 - self.base) / 21
        white = min(1 - mean[2], 1)
        self.bounces = self.metallic * f * f * white / (1 - f * (1 - white))
        if not self.attenuates:
            self.left_mean = 1, 1
        elif self.coat is None:
            self.left_mean = 1 - returned(self.f0, self.f90, mean), mean[2]
        else:
            dielectric = mi.Color3f(mean_over_hemisphere(lambda cos: self.left(cos)[0]))
            self.left_mean = dielectric, self.coat.left_of_metal_mean(self.facets_of_base)

    def look_up(self, si, active):
        if self.texture is not None:
            self.base = self.texture.eval(si, active)

    def left(self, cos):
        """What the facets and the coat leave of the light from there: for a Lambert base, and of a white metal."""
        if not self.attenuates:
            return mi.Color3f(1), mi.Float(1)
        at = self.facets_of_base(cos)
        e = returned(self.f0, self.f90, at)
        if self.coat is None:
            return 1 - e, at[2]
        return self.coat.left_of_dielectric(cos, at, e), self.coat.left_of_metal(cos, at[2])

    def value(self, wo, wi):
        h = dr.normalize(wo + wi)
        m = self.metallic
        f0, f90 = self.f0 + (self.base - self.f0) * m, self.f90 + (1 - self.f90) * m
        value = schlick(f0, f90, dr.dot(wo, h)) * ggx(self.alpha, wo, wi, h)
        if self.coat is not None:
            value = value * self.coat.transmitted(wo, wi) + self.coat.value(wo, wi, h)
        (dielectric_o, metal_o), (dielectric_i, metal_i) = self.left(wo.z), self.left(wi.z)
        lambert = (1 - m) * self.base * dielectric_o * dielectric_i / dr.maximum(self.left_mean[0], 1e-6)
        further = self.bounces * metal_o * metal_i / self.left_mean[1]
        return value + (lambert + further) * wi.z * dr.inv_pi
