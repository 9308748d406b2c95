"""A scene as a .gltf file, its meshes in a data URI. What glTF cannot say is an error."""

import base64
import json
import math
from pathlib import Path

import numpy as np

from description import Diffuse, Object, Principled, Scene, Spot


def frame(eye, target, up) -> list[float]:
    """The matrix, by columns, of a node at `eye` whose -z looks at `target`."""
    back = np.subtract(eye, target) / np.linalg.norm(np.subtract(eye, target))
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    columns = [[*right, 0], [*np.cross(back, right), 0], [*back, 0], [*map(float, eye), 1]]
    return [float(v) for column in columns for v in column]


def material(obj: Object) -> dict:
    m, extensions = obj.material, {}
    if isinstance(m, Diffuse):
        # Without specular reflection glTF's model is Lambert's.
        m = Principled(m.reflectance, 0.0, 1.0, specular=0.0)
    if not isinstance(m, Principled):
        raise TypeError(m)
    pbr = {"baseColorFactor": [*m.base, 1.0], "metallicFactor": m.metallic, "roughnessFactor": m.roughness}
    if m.ior != 1.5:
        extensions["KHR_materials_ior"] = {"ior": m.ior}
    if m.specular != 1.0:
        extensions["KHR_materials_specular"] = {"specularFactor": m.specular}
    if m.coat > 0:
        extensions["KHR_materials_clearcoat"] = {"clearcoatFactor": m.coat, "clearcoatRoughnessFactor": m.coat_roughness}
    result = {"name": obj.name, "pbrMetallicRoughness": pbr}
    if obj.radiance is not None:
        strength = max(obj.radiance)
        result["emissiveFactor"] = [c / strength for c in obj.radiance]
        extensions["KHR_materials_emissive_strength"] = {"emissiveStrength": strength}
    return result | ({"extensions": extensions} if extensions else {})


class Buffer:
    """All arrays one behind another, each with its view and accessor."""

    def __init__(self):
        self.data, self.views, self.accessors = b"", [], []

    def add(self, array: np.ndarray, component: int, kind: str, **more) -> int:
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes})
        self.accessors.append({"bufferView": len(self.views) - 1, "componentType": component, "count": len(array), "type": kind, **more})
        self.data += array.tobytes()
        return len(self.accessors) - 1

    def add_mesh(self, mesh) -> dict:
        positions = mesh.positions.astype("<f4")
        bounds = {"min": positions.min(0).tolist(), "max": positions.max(0).tolist()}
        attributes = {"POSITION": self.add(positions, 5126, "VEC3", **bounds)}
        if mesh.normals is not None:
            attributes["NORMAL"] = self.add(mesh.normals.astype("<f4"), 5126, "VEC3")
        return {"attributes": attributes, "indices": self.add(mesh.triangles.astype("<u4").ravel(), 5125, "SCALAR")}


def light(described: Spot) -> tuple[dict, dict]:
    """The light and its node."""
    strength = max(described.intensity)
    angles = {"innerConeAngle": math.radians(described.inner_angle or 0.0), "outerConeAngle": math.radians(described.half_angle)}
    aim = np.subtract(described.target, described.position)
    up = (0, 1, 0) if abs(aim[1]) < 0.9 * np.linalg.norm(aim) else (1, 0, 0)
    colour = [c / strength for c in described.intensity]
    return (
        {"type": "spot", "color": colour, "intensity": strength, "spot": angles},
        {"matrix": frame(described.position, described.target, up)},
    )


def write(scene: Scene, folder: Path) -> Path:
    buffer, nodes, meshes = Buffer(), [], []
    for i, obj in enumerate(scene.objects):
        meshes.append({"name": obj.name, "primitives": [buffer.add_mesh(obj.mesh) | {"material": i}]})
        nodes.append({"name": obj.name, "mesh": i})
    lights = []
    for described in scene.lights:
        if not isinstance(described, Spot):
            raise TypeError(described)
        punctual, node = light(described)
        nodes.append(node | {"extensions": {"KHR_lights_punctual": {"light": len(lights)}}})
        lights.append(punctual)
    camera, (width, height) = scene.camera, scene.size
    nodes.append({"camera": 0, "matrix": frame(camera.eye, camera.target, camera.up)})
    # The shorter side's angle; a picture higher than wide would need another one.
    assert height <= width and camera.lens_radius == 0 and not camera.mirrored
    perspective = {"yfov": math.radians(camera.fov), "znear": 0.001}
    materials = [material(obj) for obj in scene.objects]
    used = sorted({name for m in materials for name in m.get("extensions", {})} | ({"KHR_lights_punctual"} if lights else set()))
    document = {
        "asset": {"version": "2.0", "generator": "peers/mitsuba/make_scenes.py", "copyright": scene.what},
        "extensionsUsed": used,
        **({"extensions": {"KHR_lights_punctual": {"lights": lights}}} if lights else {}),
        "scene": 0,
        "scenes": [{"nodes": list(range(len(nodes)))}],
        "cameras": [{"type": "perspective", "perspective": perspective}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.data), "uri": "data:application/octet-stream;base64," + base64.b64encode(buffer.data).decode()}],
    }
    path = folder / f"{scene.name}.gltf"
    path.write_text(json.dumps(document, indent=1) + "\n")
    return path
