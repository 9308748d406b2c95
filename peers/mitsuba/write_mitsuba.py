"""A scene as a Mitsuba 3 dictionary. Set a variant before importing this module's functions' results.

Where the two renderers' conventions differ, the difference is undone here, once, with its reason.
"""

import math
from pathlib import Path

import mitsuba as mi
import numpy as np

import write_pbrt
from description import Blinn, CarPaint, Coated, Conductor, Constant, Dielectric, Diffuse, Environment, Image, Medium, Mirror, Point, Principled, Scene, Sphere, Spot


def rgb(values) -> dict:
    return {"type": "rgb", "value": [float(v) for v in values]}


def texture(image: Image) -> dict:
    """pbrt's t = scale v + offset counts upwards from the lowest row, Mitsuba's v downwards from row 0."""
    (su, sv), (du, dv) = image.scale, image.offset
    to_uv = mi.ScalarTransform3f(np.array([[su, 0, du], [0, -sv, 1 - dv], [0, 0, 1]]))
    bitmap = mi.Bitmap(np.ascontiguousarray(image.texels))
    # "variant": 32-bit floats; the default rounds texels to 16 bits.
    return {"type": "bitmap", "bitmap": bitmap, "to_uv": to_uv, "filter_type": "bilinear", "wrap_mode": "repeat", "format": "variant"}


def words(values) -> str:
    """Numbers for one of our plugins, which read constants and no textures."""
    return " ".join(repr(float(v)) for v in values)


def plugin(material) -> dict:
    """What Mitsuba has no formula of its own for, or another one than ours: see `plugins`."""
    if isinstance(material, Coated):
        # Below 2 % at normal incidence the facets fade out.
        f90 = min(50 * max(material.specular), 1.0)
        colours = {"base": words(material.diffuse), "f0": words(material.specular)}
        return {"type": "raywarp_principled", **colours, "f90": f90, "metallic": 0.0, "alpha": material.alpha, "coat": 0.0, "attenuates": material.attenuates}
    if isinstance(material, Principled):
        f0 = ((material.ior - 1) / (material.ior + 1)) ** 2 * material.specular
        return {
            "type": "raywarp_principled", "base": words(material.base), "f0": words([f0] * 3), "f90": material.specular,
            "metallic": material.metallic, "alpha": material.roughness**2, "coat": material.coat,
            **({"coat_alpha": material.coat_roughness**2} if material.coat > 0 else {}),
        }  # fmt: skip
    if isinstance(material, Blinn):
        return {"type": "raywarp_blinn", "diffuse": words(material.diffuse), "specular": words(material.specular), "exponent": material.exponent}
    if isinstance(material, CarPaint):
        return {
            "type": "raywarp_car_paint", "base": words(material.base), "flake_color": words(material.flake_color),
            "flake_amount": material.flake_amount, "flake_alpha": material.flake_alpha,
            "coat_ior": material.coat_ior, "coat_alpha": material.coat_alpha,
        }  # fmt: skip
    if isinstance(material, Conductor):
        (u, v) = material.alpha
        if u != v:
            raise ValueError("every bounce between facets is there for one alpha only")
        return {"type": "raywarp_conductor", "eta": words(material.eta), "k": words(material.k), "alpha": u}
    if isinstance(material, Dielectric):
        return {"type": "raywarp_dielectric", "ior": material.ior, "alpha": material.alpha}
    raise TypeError(material)


def bsdf(material, every_bounce: bool = False) -> dict:
    if isinstance(material, (Coated, Principled, Blinn, CarPaint)):
        return plugin(material)
    if every_bounce and (isinstance(material, Conductor) or isinstance(material, Dielectric) and material.alpha > 0):
        return plugin(material)
    if isinstance(material, Diffuse):
        colour = material.reflectance
        inner = {"type": "diffuse", "reflectance": texture(colour) if isinstance(colour, Image) else rgb(colour)}
    elif isinstance(material, Conductor):
        (u, v) = material.alpha
        inner = {"type": "roughconductor", "distribution": "ggx", "eta": rgb(material.eta), "k": rgb(material.k), "alpha_u": u, "alpha_v": v}
    elif isinstance(material, Mirror):
        inner = {"type": "conductor", "material": "none", "specular_reflectance": rgb(material.reflectance)}
    elif isinstance(material, Dielectric):
        # The outside is vacuum; Mitsuba's default is air, 1.000277.
        indices = {"int_ior": material.ior, "ext_ior": 1.0}
        if material.alpha == 0:
            return {"type": "dielectric", **indices}
        return {"type": "roughdielectric", "distribution": "ggx", "alpha": material.alpha, **indices}
    else:
        raise TypeError(material)
    return {"type": "twosided", "inner": inner}


def environment_nodes(texels: np.ndarray) -> np.ndarray:
    """The same function of direction in Mitsuba's sampling grid.

    Both interpolate linearly between texels, with centres at (i + 1/2) / width along u. Along v pbrt's
    centres are at (j + 1/2) / height, Mitsuba's at j / (rows - 1). Twice as many rows plus one put a
    node on each centre and each midpoint, so that nothing changes.
    """
    height = len(texels)
    nodes = np.empty((2 * height + 1, *texels.shape[1:]), np.float32)
    nodes[1::2] = texels
    nodes[2:-1:2] = 0.5 * (texels[1:] + texels[:-1])
    nodes[0], nodes[-1] = texels[0], texels[-1]
    return nodes


def environment(light: Environment) -> dict:
    """pbrt: row 0 is +z, u = atan2(y, x) / 2 pi. Mitsuba: row 0 is +y, u = atan2(x, -z) / 2 pi."""
    to_world = mi.ScalarTransform4f()
    for angle, axis in light.rotations:
        to_world = to_world @ mi.ScalarTransform4f().rotate(axis, angle)
    # Mitsuba's (x, y, z) is pbrt's (y, z, -x): the two frames have opposite hands.
    to_world = to_world @ mi.ScalarTransform4f(np.array([[0, 0, -1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]]))
    return {"type": "envmap", "bitmap": mi.Bitmap(environment_nodes(light.texels)), "to_world": to_world}


def spot(light: Spot, ramp: str) -> dict:
    """With a fall-off, which Mitsuba's own spot has by the angle: our plugin."""
    aim = np.subtract(light.target, light.position)
    return {
        "type": "raywarp_spot", "ramp": ramp,
        "position": words(light.position), "direction": words(aim / np.linalg.norm(aim)), "intensity": words(light.intensity),
        "cos_inner": math.cos(math.radians(light.inner_angle)), "cos_outer": math.cos(math.radians(light.half_angle)),
    }  # fmt: skip


def emitter(light, ramp: str) -> dict:
    if isinstance(light, Constant):
        return {"type": "constant", "radiance": rgb(light.radiance)}
    if isinstance(light, Environment):
        return environment(light)
    if isinstance(light, Point):
        return {"type": "point", "position": list(light.position), "intensity": rgb(light.intensity)}
    if isinstance(light, Spot) and light.inner_angle is not None:
        return spot(light, ramp)
    if isinstance(light, Spot):
        up = (0, 1, 0) if abs(light.target[1] - light.position[1]) < 0.9 * math.dist(light.target, light.position) else (1, 0, 0)
        to_world = mi.ScalarTransform4f().look_at(origin=light.position, target=light.target, up=up)
        # beam_width = cutoff_angle is a hard edge.
        return {"type": "spot", "to_world": to_world, "intensity": rgb(light.intensity), "cutoff_angle": light.half_angle, "beam_width": light.half_angle}
    raise TypeError(light)


def sensor(scene: Scene) -> dict:
    camera, (width, height) = scene.camera, scene.size
    result = {
        "type": "thinlens" if camera.lens_radius > 0 else "perspective",
        "fov": camera.fov,
        "fov_axis": "smaller",  # pbrt: the shorter side
        # Mitsuba's rays begin on the near plane: nothing may lie in front of it.
        "near_clip": 1e-3,
        "far_clip": 1e6,
        "to_world": mi.ScalarTransform4f().look_at(origin=camera.eye, target=camera.target, up=camera.up),
        "film": {"type": "hdrfilm", "width": width, "height": height, "rfilter": {"type": "box"}, "pixel_format": "rgb", "component_format": "float32"},
        "sampler": {"type": "independent"},
    }
    if camera.lens_radius > 0:
        result |= {"aperture_radius": camera.lens_radius, "focus_distance": camera.focal_distance}
    return result


def dictionary(scene: Scene, folder: Path) -> dict:
    """The scene for `mitsuba.load_dict`; meshes become PLY files in `folder`."""
    # Only `volpath` knows media, and only there light on its way to a lamp passes a mask, and no pass counts as a bounce.
    volumes = any(o.opacity is not None or o.inside is not None for o in scene.objects)
    result = {
        "type": "scene",
        # A bounce fewer by our count: pbrt's and our max depth 0 is Mitsuba's 1.
        "integrator": {"type": "volpath" if volumes else "path", "max_depth": scene.bounces + 1, "rr_depth": 1000},
        "sensor": sensor(scene),
    }
    ramp = "gltf" if scene.format == "gltf" else f"pbrt{scene.version}"
    for i, light in enumerate(scene.lights):
        result[f"light{i}"] = emitter(light, ramp)
    media = {m: medium(m) for o in scene.objects for m in (o.inside, o.outside) if m is not None}
    for obj in scene.objects:
        result[obj.name] = shape(scene, obj, folder, media)
    return result


def sphere_of_triangles(around: int = 128, rows: int = 64) -> float:
    """Radius of the sphere with the area, and so the power, of the triangles that Raywarp makes of a unit sphere."""
    theta = np.arange(rows + 1) * math.pi / rows
    r, z = np.sin(theta), np.cos(theta)
    # Planar trapezoids between two rings of chords.
    chord = 2 * math.sin(math.pi / around) * r
    apothem = math.cos(math.pi / around) * r
    height = np.hypot(np.diff(z), np.diff(apothem))
    area = around * float((0.5 * (chord[1:] + chord[:-1]) * height).sum())
    return math.sqrt(area / (4 * math.pi))


SPHERE_OF_TRIANGLES = sphere_of_triangles()


def medium(described: Medium):
    """One object for all surfaces that bound it."""
    # Colours there must not be above 1.
    scale = max(described.absorption)
    return mi.load_dict({"type": "homogeneous", "albedo": 0.0, "sigma_t": rgb(a / scale for a in described.absorption), "scale": scale})


def shape(scene: Scene, obj, folder: Path, media: dict) -> dict:
    if isinstance(obj.mesh, Sphere):
        radius = obj.mesh.radius * SPHERE_OF_TRIANGLES
        result = {"type": "sphere", "center": list(obj.mesh.centre), "radius": radius}
    else:
        path = folder / f"{scene.name}-{obj.name}.ply"
        write_pbrt.write_ply(path, obj.mesh)
        result = {"type": "ply", "filename": str(path), "face_normals": obj.mesh.normals is None}
    result["bsdf"] = bsdf(obj.material, scene.every_bounce)
    if obj.opacity is not None:
        opacity = texture(obj.opacity) | {"raw": True} if isinstance(obj.opacity, Image) else obj.opacity
        kind = "planted_mask" if obj.casts_shadow_in_full else "mask"
        result["bsdf"] = {"type": kind, "opacity": opacity, "inner": result["bsdf"]}
    if obj.inside is not None:
        result["interior"] = media[obj.inside]
    if obj.outside is not None:
        result["exterior"] = media[obj.outside]
    if obj.radiance is not None:
        result["emitter"] = {"type": "area", "radiance": rgb(obj.radiance)}
    return result


def render(loaded, seed: int, samples: int, mirrored: bool = False) -> np.ndarray:
    """Linear RGB, rows from the top."""
    picture = np.array(mi.render(loaded, seed=seed, spp=samples))[..., :3]
    # pbrt's LookAt makes a left-handed camera: its picture is Mitsuba's, mirrored.
    return picture[:, ::-1] if mirrored else picture
