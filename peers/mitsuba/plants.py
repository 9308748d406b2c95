"""Differences planted on Mitsuba's side, small ones, to show that the comparison would see a mistake of ours."""

from dataclasses import replace

import numpy as np

from description import Blinn, CarPaint, Coated, Conductor, Dielectric, Diffuse, Environment, Image, Principled, Scene, Spot


def materials(scene: Scene, change) -> Scene:
    """`scene` with `change` applied to each object's material."""
    return replace(scene, objects=tuple(replace(o, material=change(o.material)) for o in scene.objects))


def of_type(kind, change):
    return lambda m: change(m) if isinstance(m, kind) else m


def camera(scene: Scene, **fields) -> Scene:
    return replace(scene, camera=replace(scene.camera, **fields))


def image(material: Diffuse, change) -> Diffuse:
    return replace(material, reflectance=change(material.reflectance)) if isinstance(material.reflectance, Image) else material


def lights(scene: Scene, kind, change) -> Scene:
    return replace(scene, lights=tuple(change(light) if isinstance(light, kind) else light for light in scene.lights))


def thicker(scene: Scene, factor: float) -> Scene:
    """`scene` with all media absorbing by `factor` more."""
    change = lambda m: m and replace(m, absorption=tuple(factor * a for a in m.absorption))
    return replace(scene, objects=tuple(replace(o, inside=change(o.inside), outside=change(o.outside)) for o in scene.objects))


def objects(scene: Scene, name: str, **fields) -> Scene:
    return replace(scene, objects=tuple(replace(o, **fields) if o.name == name else o for o in scene.objects))


def of(scene: Scene) -> list[tuple[str, Scene]]:
    """(what was changed, the changed scene)."""
    s = scene
    if s.name == "gold":
        return [
            ("alpha .1 to .11", materials(s, of_type(Conductor, lambda m: replace(m, alpha=(0.11, 0.11))))),
            ("k of blue 1.60 to 1.65", materials(s, of_type(Conductor, lambda m: replace(m, k=(*m.k[:2], 1.65))))),
        ]
    if s.name == "brushed":
        return [("alphas exchanged", materials(s, of_type(Conductor, lambda m: replace(m, alpha=m.alpha[::-1]))))]
    if s.name == "frosted":
        return [("alpha .2 to .22", materials(s, of_type(Dielectric, lambda m: replace(m, alpha=0.22))))]
    if s.name == "glass":
        return [("index 1.5 to 1.52", materials(s, of_type(Dielectric, lambda m: replace(m, ior=1.52))))]
    if s.name == "sun":
        turned = lambda light: replace(light, rotations=(*light.rotations[:-1], (41, (0, 0, 1))))
        return [("map turned by a degree", lights(s, Environment, turned))]
    if s.name == "lamps":
        last = replace(s.objects[-1], radiance=tuple(0.5 * c for c in s.objects[-1].radiance))
        return [("last colour at half", replace(s, objects=(*s.objects[:-1], last))), ("7 bounces", replace(s, bounces=7))]
    if s.name == "cornell":
        return [
            ("field of view + 0.2 degrees", camera(s, fov=s.camera.fov + 0.2)),
            ("mirrored", camera(s, mirrored=True)),
        ]
    if s.name == "mirrors":
        return [("cone wider by half a degree", lights(s, Spot, lambda light: replace(light, half_angle=light.half_angle + 0.5)))]
    if s.name == "textures":
        half_texel = 0.5 / 16
        return [
            ("upside down", materials(s, of_type(Diffuse, lambda m: image(m, lambda i: replace(i, texels=i.texels[::-1]))))),
            ("half a texel off", materials(s, of_type(Diffuse, lambda m: image(m, lambda i: replace(i, offset=(i.offset[0] + half_texel, i.offset[1])))))),
            ("one sRGB step darker", materials(s, of_type(Diffuse, lambda m: image(m, lambda i: replace(i, texels=(i.texels - 1).astype(np.uint8)))))),
        ]
    if s.name == "lens":
        return [
            ("lens radius .25 to .28", camera(s, lens_radius=0.28)),
            ("focus 5 to 5.3", camera(s, focal_distance=5.3)),
        ]
    if s.name == "plain":
        brighter = tuple(replace(o, radiance=tuple(1.01 * c for c in o.radiance)) if o.radiance else o for o in s.objects)
        return [("lamp brighter by 1 %", replace(s, objects=brighter))]
    if s.name == "coated":
        return [
            ("bases get all light", materials(s, of_type(Coated, lambda m: replace(m, attenuates=False)))),
            ("alpha + 30 %", materials(s, of_type(Coated, lambda m: replace(m, alpha=1.3 * m.alpha)))),
        ]
    if s.name == "gltf":
        return [
            ("half metal .5 to .6", objects(s, "small", material=replace(s.objects[6].material, metallic=0.6))),
            ("no coats", materials(s, of_type(Principled, lambda m: replace(m, coat=0.0)))),
        ]
    if s.name == "blinn":
        return [("exponents + 30 %", materials(s, of_type(Blinn, lambda m: replace(m, exponent=1.3 * m.exponent))))]
    if s.name == "paint":
        return [
            ("15 % more flakes", materials(s, of_type(CarPaint, lambda m: replace(m, flake_amount=min(1.15 * m.flake_amount, 1))))),
            ("index of the coats + .05", materials(s, of_type(CarPaint, lambda m: replace(m, coat_ior=m.coat_ior + 0.05)))),
        ]
    if s.name == "facets":
        return [
            ("first bounces only", replace(s, every_bounce=False)),
            ("gold's alpha .6 to .65", objects(s, "ball", material=replace(s.objects[5].material, alpha=(0.65, 0.65)))),
        ]
    if s.name == "spots3":
        return [("version 4's fall-off", replace(s, version=4))]
    if s.name == "spots4":
        return [("version 3's fall-off", replace(s, version=3))]
    if s.name == "spots_gltf":
        return [("pbrt 4's fall-off", replace(s, format="pbrt", version=4))]
    if s.name == "bulbs":
        return [("large lamp wider by 1 %", objects(s, "large", mesh=replace(s.objects[5].mesh, radius=1.01 * s.objects[5].mesh.radius)))]
    if s.name == "opacity":
        return [
            ("ball .4 to .42", objects(s, "ball", opacity=0.42)),
            ("holes upside down", objects(s, "canopy", opacity=replace(s.objects[5].opacity, texels=s.objects[5].opacity.texels[::-1]))),
            ("panes block shadow rays", objects(objects(s, "pane", casts_shadow_in_full=True), "second", casts_shadow_in_full=True)),
        ]
    if s.name == "tinted":
        return [("5 % more absorption", thicker(s, 1.05)), ("absorbs twice", thicker(s, 2.0))]
    if s.name == "nested":
        return [("absorbs twice", thicker(s, 2.0))]
    if s.name in ("sibenik", "conference", "crytek_sponza"):
        return [("albedo .7 to .69", materials(s, of_type(Diffuse, lambda m: m if m.reflectance == (0, 0, 0) else Diffuse((0.69,) * 3))))]
    return []
