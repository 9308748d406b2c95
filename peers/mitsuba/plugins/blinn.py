"""Blinn's facets with V-shaped cavities over a Lambert base."""

import drjit as dr

from plugins.facets import returned, schlick
from plugins.opaque import Opaque, color
from plugins.tables import Albedo


class Blinn(Opaque):
    """Properties: diffuse, specular (colours), exponent."""

    def __init__(self, props):
        super().__init__(props)
        self.diffuse, self.specular, self.exponent = color(props, "diffuse"), color(props, "specular"), props["exponent"]
        alpha = (2 / (self.exponent + 2)) ** 0.5
        self.albedo, self.alphas = Albedo("BLINN", alpha), (alpha,)
        # Below 2 % the facets fade out.
        self.f90 = min(50 * float(dr.max(self.specular)[0]), 1)

    def value(self, wo, wi):
        h = dr.normalize(wo + wi)
        d = (self.exponent + 2) * dr.inv_two_pi * dr.power(h.z, self.exponent)
        cos = dr.maximum(dr.dot(wo, h), 1e-9)
        cavity = dr.minimum(1, 2 * h.z * dr.minimum(wo.z, wi.z) / cos)
        e = lambda at: returned(self.specular, self.f90, at)
        mean = dr.maximum(1 - e(self.albedo.mean), 1e-6)
        base = self.diffuse * (1 - e(self.albedo(wo.z))) * (1 - e(self.albedo(wi.z))) / mean
        return schlick(self.specular, self.f90, cos) * d * cavity / (4 * wo.z) + base * wi.z * dr.inv_pi
