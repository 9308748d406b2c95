"""What all opaque plugins share: two-sidedness, and sampling by a fixed mixture."""

import drjit as dr
import mitsuba as mi


class Evaluated(mi.BSDF):
    """A BSDF whose value and density are found together, by `eval_pdf`."""

    def eval(self, ctx, si, wi, active):
        return self.eval_pdf(ctx, si, wi, active)[0]

    def pdf(self, ctx, si, wi, active):
        return self.eval_pdf(ctx, si, wi, active)[1]

    def to_string(self):
        return type(self).__name__


class Opaque(Evaluated):
    """A surface that scatters from below as from above; `value` is `f cos wi` with both directions above.

    Directions come from a cosine lobe and from one GGX lobe for each of `alphas`, all equally likely.
    """

    alphas: tuple[float, ...] = ()

    def __init__(self, props):
        super().__init__(props)
        self.m_components = [mi.BSDFFlags.GlossyReflection | mi.BSDFFlags.FrontSide | mi.BSDFFlags.BackSide]
        self.m_flags = self.m_components[0]

    def look_up(self, si, active):
        """Reads textures, before `value` is asked."""

    def value(self, wo, wi):
        raise NotImplementedError

    def facets(self):
        return [mi.MicrofacetDistribution(mi.MicrofacetType.GGX, alpha, alpha, True) for alpha in self.alphas]

    @staticmethod
    def above(w):
        return mi.Vector3f(w.x, w.y, dr.maximum(dr.abs(w.z), 1e-6))

    def density(self, wo, wi):
        h = dr.normalize(wo + wi)
        sum = wi.z * dr.inv_pi
        for facets in self.facets():
            sum += facets.pdf(wo, h) / (4 * dr.maximum(dr.dot(wo, h), 1e-9))
        return sum / (1 + len(self.alphas))

    def sample(self, ctx, si, sample1, sample2, active):
        self.look_up(si, active)
        wo = self.above(si.wi)
        wi = mi.warp.square_to_cosine_hemisphere(sample2)
        for i, facets in enumerate(self.facets()):
            h, _ = facets.sample(wo, sample2)
            wi = dr.select(sample1 * (1 + len(self.alphas)) < i + 1, wi, mi.reflect(wo, h))
        valid = active & (wi.z > 0)
        wi.z = dr.maximum(wi.z, 1e-9)
        bs = mi.BSDFSample3f()
        bs.pdf = self.density(wo, wi)
        weight = self.value(wo, wi) / bs.pdf
        bs.wo = mi.Vector3f(wi.x, wi.y, dr.mulsign(wi.z, si.wi.z))
        bs.eta = 1.0
        bs.sampled_type = mi.UInt32(+mi.BSDFFlags.GlossyReflection)
        bs.sampled_component = mi.UInt32(0)
        valid &= (bs.pdf > 0) & dr.isfinite(bs.pdf)
        return bs, dr.select(valid, weight, 0)

    def eval_pdf(self, ctx, si, wi, active):
        self.look_up(si, active)
        valid = active & (si.wi.z * wi.z > 0)
        up = [self.above(w) for w in (si.wi, wi)]
        return dr.select(valid, self.value(*up), 0), dr.select(valid, self.density(*up), 0)



def color(props, name: str):
    """An RGB property as a constant, not as a texture."""
    values = props[name]
    return mi.Color3f([float(v) for v in str(values).split()])
