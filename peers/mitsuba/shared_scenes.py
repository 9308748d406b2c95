"""The shared scenes that are pbrt files, for Mitsuba."""

from pathlib import Path

import mitsuba as mi
import numpy as np

import pbrt_materials
import read_pbrt
import write_mitsuba
import write_pbrt
from description import Environment, Mesh

FILES = {
    "kitchen": "kitchen/scene.pbrt",
    "bathroom2": "bathroom2/scene.pbrt",
    "coffee": "coffee/scene.pbrt",
    "bmw_m6": "bmw_m6/bmw-m6.pbrt",
}

# Bounces after which Mitsuba's roulette ends paths, so that they are as long in the mean as ours (`path_lengths.py`).
ROULETTE = {"kitchen": 8, "bathroom2": 10, "coffee": 9, "bmw_m6": 3}


def joined(meshes: list[Mesh]) -> Mesh:
    """One mesh; those given have all normals or none, and all texture coordinates or none."""
    starts = np.cumsum([0] + [len(mesh.positions) for mesh in meshes[:-1]])
    triangles = np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, starts)])

    def together(name):
        parts = [getattr(mesh, name) for mesh in meshes]
        return None if parts[0] is None else np.concatenate(parts)

    return Mesh(together("positions"), triangles.astype(np.int32), together("normals"), together("uvs"))


def groups(shapes: list[read_pbrt.Shape]) -> list[list[read_pbrt.Shape]]:
    """Shapes that can be one: the same material and radiance, the same kinds of corners."""
    found = {}
    for shape in shapes:
        key = str(shape.material), shape.radiance, shape.mesh.normals is None, shape.mesh.uvs is None
        # Each lamp is sampled by itself, as on our side.
        found.setdefault(key if shape.radiance is None else id(shape), []).append(shape)
    return list(found.values())


def sensor(scene: read_pbrt.PbrtScene, size: tuple[int, int]) -> dict:
    # pbrt's camera has x to the right, Mitsuba's to the left.
    to_world = np.linalg.inv(scene.camera_from_world) @ np.diag([-1.0, 1, 1, 1])
    return {
        "type": "perspective", "fov": scene.fov, "fov_axis": "smaller", "near_clip": 1e-3, "far_clip": 1e6,
        "to_world": mi.ScalarTransform4f(to_world),
        "film": {"type": "hdrfilm", "width": size[0], "height": size[1], "rfilter": {"type": "box"}, "pixel_format": "rgb", "component_format": "float32"},
        "sampler": {"type": "independent"},
    }  # fmt: skip


def environment(path: Path) -> dict:
    texels = np.array(mi.Bitmap(str(path)).convert(mi.Bitmap.PixelFormat.RGB, mi.Struct.Type.Float32, False))
    return write_mitsuba.environment(Environment(path.stem, texels))


def lets_light_pass(scene: read_pbrt.PbrtScene) -> bool:
    return any(pbrt_materials.opacity(shape.material) < 1 for shape in scene.shapes)


def dictionary(scene: read_pbrt.PbrtScene, size: tuple[int, int], folder: Path, roulette: int, masks: bool = True, our_coats: bool = False) -> dict:
    """For `mitsuba.load_dict`; meshes become PLY files in `folder`.

    `roulette` is the bounce after which paths are ended by chance. Without `masks` what lets light pass is opaque.
    """
    through = masks and lets_light_pass(scene)
    result = {
        "type": "scene",
        # Ours and pbrt's count of bounces is one less. Light on its way to a lamp passes masks with `volpath` only.
        "integrator": {"type": "volpath" if through else "path", "max_depth": scene.bounces + 1, "rr_depth": roulette},
        "sensor": sensor(scene, size),
    }
    for i, path in enumerate(scene.environments):
        result[f"environment{i}"] = environment(path)
    for i, group in enumerate(groups(scene.shapes)):
        first = group[0]
        mesh = joined([shape.mesh for shape in group])
        path = folder / f"mesh{i}.ply"
        write_pbrt.write_ply(path, mesh)
        material = first.material if masks else {k: v for k, v in first.material.items() if k != "opacity"}
        shape = {"type": "ply", "filename": str(path), "face_normals": mesh.normals is None, "bsdf": pbrt_materials.bsdf(material, our_coats)}
        if first.radiance is not None:
            shape["emitter"] = {"type": "area", "radiance": write_mitsuba.rgb(first.radiance)}
        result[f"mesh{i}"] = shape
    return result
