"""Mitsuba's rough metal and rough glass, with our lobe for the light of further bounces between facets."""

import drjit as dr
import mitsuba as mi

import plugins.tables as tables
from plugins.opaque import Evaluated, color

# Roots of Gauss's rule with two points of the squared cosine.
MEAN_COS = (0.45970084, 0.8880738)


class WithFurtherBounces(Evaluated):
    """`first`, a BSDF of Mitsuba's, and the lobe `further`, which half of the samples look for."""

    # Share of the samples of the further lobe that go to the other side.
    through = 0.0

    def __init__(self, props, first):
        super().__init__(props)
        self.first = mi.load_dict(first)
        self.m_flags = self.first.flags()
        self.m_components = [self.first.flags(i) for i in range(self.first.component_count())]

    def further(self, wo, wi):
        """`f |cos wi|` for directions on any side."""
        raise NotImplementedError

    def further_pdf(self, wo, wi):
        return dr.abs(wi.z) * dr.inv_pi * dr.select(wo.z * wi.z > 0, 1 - self.through, self.through)

    def sample(self, ctx, si, sample1, sample2, active):
        is_further = sample1 < 0.5
        rest = dr.select(is_further, 2 * sample1, 2 * sample1 - 1)
        bs, weight = self.first.sample(ctx, si, rest, sample2, active & ~is_further)
        wi = mi.warp.square_to_cosine_hemisphere(sample2)
        wi.z = dr.mulsign(wi.z, dr.select(rest < self.through, -si.wi.z, si.wi.z))
        bs.wo = dr.select(is_further, wi, bs.wo)
        bs.eta = dr.select(is_further, 1, bs.eta)
        bs.sampled_type = dr.select(is_further, mi.UInt32(+mi.BSDFFlags.GlossyReflection), bs.sampled_type)
        found = active & (is_further | (dr.max(weight) > 0))
        value, pdf = self.eval_pdf(ctx, si, bs.wo, found)
        bs.pdf = pdf
        return bs, dr.select(found & (pdf > 0), value / pdf, 0)

    def eval_pdf(self, ctx, si, wi, active):
        value, pdf = self.first.eval_pdf(ctx, si, wi, active)
        value, pdf = value + self.further(si.wi, wi), 0.5 * (pdf + self.further_pdf(si.wi, wi))
        return dr.select(active, value, 0), dr.select(active, pdf, 0)



class Conductor(WithFurtherBounces):
    """Properties: eta, k (colours), alpha."""

    def __init__(self, props):
        eta, k, alpha = color(props, "eta"), color(props, "k"), props["alpha"]
        rgb = lambda c: {"type": "rgb", "value": [float(x[0]) for x in c]}
        metal = {"type": "roughconductor", "distribution": "ggx", "eta": rgb(eta), "k": rgb(k), "alpha": alpha}
        super().__init__(props, {"type": "twosided", "inner": metal})
        self.loss = tables.white_loss(alpha)
        f = mi.Color3f(0)
        for cos in MEAN_COS:
            for c in range(3):
                f[c] += 0.5 * mi.fresnel_conductor(mi.Float(cos), mi.Complex2f(eta[c], k[c]))
        lost = self.loss.mean
        self.reflectance = f * f * (1 - lost) / (1 - f * lost)

    def further(self, wo, wi):
        value = self.reflectance * self.loss(dr.abs(wo.z)) * self.loss(dr.abs(wi.z)) / self.loss.mean
        return dr.select(wo.z * wi.z > 0, value * dr.abs(wi.z) * dr.inv_pi, 0)


class Dielectric(WithFurtherBounces):
    """Properties: ior above 1, alpha."""

    through = 0.5

    def __init__(self, props):
        ior, alpha = props["ior"], props["alpha"]
        super().__init__(props, {"type": "roughdielectric", "distribution": "ggx", "alpha": alpha, "int_ior": ior, "ext_ior": 1.0})
        self.n = ior
        self.thin, self.dense = tables.glass_loss(alpha, ior, False), tables.glass_loss(alpha, ior, True)
        # Mean of the Fresnel term (Kulla and Conty 2017).
        self.passes = 1 - (ior - 1) / (4.08567 + 1.00071 * ior)

    def further(self, wo, wi):
        largest = max(self.thin.mean, self.dense.mean)
        outside, thin, dense = wo.z > 0, self.thin, self.dense
        # Shares that go through, from either side; eta squared is that of radiance squeezed by denser matter.
        from_thin, from_dense = self.passes * dense.mean / largest, self.passes / self.n**2 * thin.mean / largest
        loss = lambda on_thin, w: dr.select(on_thin, thin(dr.abs(w.z)), dense(dr.abs(w.z)))
        here, beyond = dr.select(outside, thin.mean, dense.mean), dr.select(outside, dense.mean, thin.mean)
        share = dr.select(outside, from_thin, from_dense)
        eta2 = dr.select(outside, self.n**2, 1 / self.n**2)
        lost = loss(outside, wo)
        reflected = (1 - share) * lost * loss(outside, wi) / here
        transmitted = share * lost * loss(~outside, wi) / (beyond * eta2)
        return mi.Color3f(dr.select(wo.z * wi.z > 0, reflected, transmitted) * dr.abs(wi.z) * dr.inv_pi)
