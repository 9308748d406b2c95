"""A Lambert base beside metallic flakes too small to see, under a clear coat."""

import drjit as dr

from plugins.facets import Coat, Facets, ggx, schlick
from plugins.opaque import Opaque, color


class CarPaint(Opaque):
    """Properties: base, flake_color (colours); flake_amount, flake_alpha, coat_ior, coat_alpha."""

    def __init__(self, props):
        super().__init__(props)
        self.base, self.flake_color = color(props, "base"), color(props, "flake_color")
        self.amount, self.alpha, ior = props["flake_amount"], props["flake_alpha"], props["coat_ior"]
        self.coat = Coat(1.0, ((ior - 1) / (ior + 1)) ** 2, props["coat_alpha"], self.alpha)
        self.alphas = (self.alpha, props["coat_alpha"])
        self.flakes = Facets(self.alpha)
        lost = self.flakes.mean[2]
        f = self.flake_color + (1 - self.flake_color) / 21
        self.bounces = self.amount * f * f * (1 - lost) / (1 - f * lost) / self.coat.left_of_metal_mean(self.flakes)

    def value(self, wo, wi):
        h = dr.normalize(wo + wi)
        left = lambda cos: self.coat.left_of_metal(cos, self.flakes(cos)[2])
        let_in = self.coat.let_in(wo.z) * self.coat.let_in(wi.z) / self.coat.let_in_mean
        spread = (1 - self.amount) * self.base * let_in + self.bounces * left(wo.z) * left(wi.z)
        flakes = self.amount * schlick(self.flake_color, 1, dr.dot(wo, h)) * ggx(self.alpha, wo, wi, h)
        return spread * wi.z * dr.inv_pi + flakes * self.coat.transmitted(wo, wi) + self.coat.value(wo, wi, h)
