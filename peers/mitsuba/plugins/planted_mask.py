"""A mistake to be found: a mask through which paths go, but that blocks shadow rays."""

import drjit as dr
import mitsuba as mi


class Mask(mi.BSDF):
    """Properties: opacity (a number), inner."""

    def __init__(self, props):
        super().__init__(props)
        self.opacity = props["opacity"]
        self.inner = next(props[name] for name in props.keys() if isinstance(props[name], mi.BSDF))
        self.m_components = [*(self.inner.flags(i) for i in range(self.inner.component_count()))]
        self.m_components.append(mi.BSDFFlags.Null | mi.BSDFFlags.FrontSide | mi.BSDFFlags.BackSide)
        self.m_flags = self.inner.flags() | self.m_components[-1]

    def sample(self, ctx, si, sample1, sample2, active):
        through = sample1 >= self.opacity
        bs, weight = self.inner.sample(ctx, si, sample1 / self.opacity, sample2, active & ~through)
        bs.wo = dr.select(through, -si.wi, bs.wo)
        bs.eta = dr.select(through, 1, bs.eta)
        bs.pdf = dr.select(through, 1 - self.opacity, self.opacity * bs.pdf)
        bs.sampled_type = dr.select(through, mi.UInt32(+mi.BSDFFlags.Null), bs.sampled_type)
        return bs, dr.select(active, dr.select(through, 1, weight), 0)

    def eval_pdf(self, ctx, si, wi, active):
        value, pdf = self.inner.eval_pdf(ctx, si, wi, active)
        return value * self.opacity, pdf * self.opacity

    def eval(self, ctx, si, wi, active):
        return self.eval_pdf(ctx, si, wi, active)[0]

    def pdf(self, ctx, si, wi, active):
        return self.eval_pdf(ctx, si, wi, active)[1]

    def eval_null_transmission(self, si, active):
        return mi.Color3f(0)

    def to_string(self):
        return "Mask"
