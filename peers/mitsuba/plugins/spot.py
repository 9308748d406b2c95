"""A spot light with the fall-off of glTF, pbrt 3 or pbrt 4: a function of the cosine, Mitsuba's is one of the angle."""

import drjit as dr
import mitsuba as mi

from plugins.opaque import color


def share(ramp: str, x):
    """Of the axial intensity, for x from 0 at the outer to 1 at the inner cone, in proportion to the cosine."""
    if ramp == "gltf":
        return x * x
    if ramp == "pbrt3":
        return x * x * x * x
    assert ramp == "pbrt4", ramp
    return x * x * (3 - 2 * x)


class Spot(mi.Emitter):
    """Properties: position, direction, intensity (three numbers each); cos_inner, cos_outer; ramp."""

    def __init__(self, props):
        super().__init__(props)
        self.position, self.direction = (mi.Point3f(*color(props, name)) for name in ("position", "direction"))
        self.intensity = color(props, "intensity")
        self.cos_inner, self.cos_outer, self.ramp = props["cos_inner"], props["cos_outer"], props["ramp"]
        self.m_flags = +mi.EmitterFlags.DeltaPosition

    def sample_direction(self, it, sample, active):
        ds = mi.DirectionSample3f()
        ds.p, ds.n, ds.uv, ds.time = self.position, mi.Normal3f(0), mi.Point2f(0), it.time
        ds.d = ds.p - it.p
        ds.dist = dr.norm(ds.d)
        ds.d /= ds.dist
        ds.pdf, ds.delta, ds.emitter = 1.0, True, mi.EmitterPtr(self)
        x = (dr.dot(-ds.d, self.direction) - self.cos_outer) / (self.cos_inner - self.cos_outer)
        value = self.intensity * share(self.ramp, dr.clip(x, 0, 1)) / dr.square(ds.dist)
        return ds, dr.select(active, value, 0)

    def pdf_direction(self, it, ds, active):
        return mi.Float(0)

    def eval_direction(self, it, ds, active):
        return mi.Color3f(0)

    def eval(self, si, active):
        return mi.Color3f(0)

    def bbox(self):
        return mi.BoundingBox3f(mi.ScalarPoint3f(0), mi.ScalarPoint3f(0))

    def to_string(self):
        return "Spot"
