"""Raywarp's own formulas as Mitsuba plugins, for what Mitsuba has another formula for.

A plugin says what a surface or a light does; Mitsuba's integrators carry the light. So a comparison with one of them
tests our connections, weights, frames and sampling. That the formulas themselves are right is tested by
`check_formulas.py` and by `crates/render/src/bsdf/tests`.

The values follow `docs/reference/materials.md` and `crates/render/src/bsdf`; the sampling is not ours but a fixed mixture
(`opaque.py`), so that a wrong density of ours cannot cancel.
"""


def register() -> None:
    """Makes the plugins known to `mitsuba.load_dict`; a variant of Dr.Jit's must be set."""
    import mitsuba as mi

    from . import blinn, car_paint, every_bounce, layered, planted_mask, spot

    mi.register_bsdf("raywarp_blinn", blinn.Blinn)
    mi.register_bsdf("raywarp_car_paint", car_paint.CarPaint)
    mi.register_bsdf("raywarp_principled", layered.Principled)
    mi.register_bsdf("raywarp_conductor", every_bounce.Conductor)
    mi.register_bsdf("raywarp_dielectric", every_bounce.Dielectric)
    mi.register_bsdf("planted_mask", planted_mask.Mask)
    mi.register_emitter("raywarp_spot", spot.Spot)
