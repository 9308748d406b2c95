"""A scene as a .pbrt file, version 3 or 4, with its meshes and images beside it."""

import struct
import zlib
from pathlib import Path

import numpy as np

from description import Blinn, CarPaint, Coated, Conductor, Constant, Dielectric, Diffuse, Environment, Image, Mesh, Mirror, Point, Scene, Sphere, Spot


def numbers(values) -> str:
    """Shortest decimals that give the same 32-bit floats back (or integers)."""
    array = np.asarray(values).ravel()
    if array.dtype.kind == "i":
        return "[" + " ".join(map(str, array)) + "]"
    return "[" + " ".join(np.format_float_positional(np.float32(v), trim="-") for v in array) + "]"


def write_ply(path: Path, mesh: Mesh) -> None:
    """Binary little-endian PLY: x y z, then nx ny nz, then u v, where the mesh has them."""
    columns = ["x", "y", "z"]
    parts = [mesh.positions]
    for names, part in ((["nx", "ny", "nz"], mesh.normals), (["u", "v"], mesh.uvs)):
        if part is not None:
            columns += names
            parts.append(part)
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {len(mesh.positions)}"]
    header += [f"property float {name}" for name in columns]
    header += [f"element face {len(mesh.triangles)}", "property list uchar int vertex_indices", "end_header"]
    faces = np.zeros(len(mesh.triangles), np.dtype([("n", "u1"), ("i", "<i4", 3)]))
    faces["n"], faces["i"] = 3, mesh.triangles
    vertices = np.concatenate(parts, axis=1).astype("<f4")
    path.write_bytes(("\n".join(header) + "\n").encode() + vertices.tobytes() + faces.tobytes())


def write_png(path: Path, texels: np.ndarray) -> None:
    """An 8-bit RGB PNG, the same bytes on every machine."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = texels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(texels, np.uint8))
    # Level 0 stores: no compressor's version can change the bytes.
    body = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows, 0))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b""))


def write_exr(path: Path, texels: np.ndarray) -> None:
    """An uncompressed OpenEXR of 32-bit B, G, R."""
    height, width, _ = texels.shape

    def attribute(name: str, kind: str, value: bytes) -> bytes:
        return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<I", len(value)) + value

    channels = b"".join(name + b"\0" + struct.pack("<IIII", 2, 0, 1, 1) for name in (b"B", b"G", b"R")) + b"\0"
    window = struct.pack("<iiii", 0, 0, width - 1, height - 1)
    header = struct.pack("<II", 20000630, 2)
    header += attribute("channels", "chlist", channels) + attribute("compression", "compression", b"\0")
    header += attribute("dataWindow", "box2i", window) + attribute("displayWindow", "box2i", window)
    header += attribute("lineOrder", "lineOrder", b"\0") + attribute("pixelAspectRatio", "float", struct.pack("<f", 1))
    header += attribute("screenWindowCenter", "v2f", struct.pack("<ff", 0, 0))
    header += attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0"
    first = len(header) + 8 * height
    offsets = b"".join(struct.pack("<Q", first + y * (8 + 12 * width)) for y in range(height))
    rows = b""
    for y in range(height):
        row = texels[y].astype("<f4")
        rows += struct.pack("<iI", y, 12 * width) + b"".join(row[:, c].tobytes() for c in (2, 1, 0))
    path.write_bytes(header + offsets + rows)


def material_lines(material, version: int) -> list[str]:
    if isinstance(material, Diffuse):
        kind, name = ("diffuse", "reflectance") if version == 4 else ("matte", "Kd")
        if isinstance(material.reflectance, Image):
            image = material.reflectance
            encoding = '"string encoding" "sRGB"' if version == 4 else '"bool gamma" "true"'
            return [
                f'Texture "image" "spectrum" "imagemap" "string filename" "{image.name}.png" {encoding}',
                f'  "string wrap" "repeat" "float uscale" {numbers(image.scale[0])} "float vscale" {numbers(image.scale[1])}'
                f' "float udelta" {numbers(image.offset[0])} "float vdelta" {numbers(image.offset[1])}',
                f'Material "{kind}" "texture {name}" "image"',
            ]
        return [f'Material "{kind}" "rgb {name}" {numbers(material.reflectance)}']
    if isinstance(material, Conductor):
        kind = "conductor" if version == 4 else "metal"
        u, v = material.alpha
        return [
            f'Material "{kind}" "rgb eta" {numbers(material.eta)} "rgb k" {numbers(material.k)}',
            f'  "float uroughness" {numbers(u)} "float vroughness" {numbers(v)} "bool remaproughness" "false"',
        ]
    if isinstance(material, Dielectric):
        alpha = numbers(material.alpha)
        kind = '"dielectric"' if version == 4 else '"glass"'
        rough = f' "float uroughness" {alpha} "float vroughness" {alpha} "bool remaproughness" "false"'
        # Version 3's "eta" of glass is a float texture named "eta"; version 4's is a spectrum or a float.
        return [f'Material {kind} "float eta" {numbers(material.ior)}' + (rough if material.alpha else "")]
    if isinstance(material, Mirror):
        return [f'Material "mirror" "rgb Kr" {numbers(material.reflectance)}']
    if isinstance(material, Coated):
        alpha = numbers(material.alpha)
        return [
            f'Material "substrate" "rgb Kd" {numbers(material.diffuse)} "rgb Ks" {numbers(material.specular)}',
            f'  "float uroughness" {alpha} "float vroughness" {alpha} "bool remaproughness" "false"',
        ]
    if isinstance(material, Blinn):
        colours = f'"rgb Kd" {numbers(material.diffuse)} "rgb Ks" {numbers(material.specular)}'
        return [f'Material "blinn" {colours} "float exponent" {numbers(material.exponent)}']
    if isinstance(material, CarPaint):
        return [
            f'Material "carpaint" "rgb base" {numbers(material.base)} "rgb flakecolor" {numbers(material.flake_color)}',
            f'  "float flakeamount" {numbers(material.flake_amount)} "float flakealpha" {numbers(material.flake_alpha)}'
            f' "float coatior" {numbers(material.coat_ior)} "float coatalpha" {numbers(material.coat_alpha)}',
        ]
    raise TypeError(material)


def light_lines(light) -> list[str]:
    if isinstance(light, Constant):
        return [f'LightSource "infinite" "rgb L" {numbers(light.radiance)}']
    if isinstance(light, Environment):
        turns = [f"  Rotate {angle} {axis[0]} {axis[1]} {axis[2]}" for angle, axis in light.rotations]
        return ["AttributeBegin", *turns, f'  LightSource "infinite" "string mapname" "{light.name}.exr"', "AttributeEnd"]
    if isinstance(light, Point):
        return [f'LightSource "point" "rgb I" {numbers(light.intensity)} "point from" {numbers(light.position)}']
    if isinstance(light, Spot):
        delta = 0 if light.inner_angle is None else light.half_angle - light.inner_angle
        return [
            f'LightSource "spot" "rgb I" {numbers(light.intensity)} "point from" {numbers(light.position)}',
            f'  "point to" {numbers(light.target)} "float coneangle" {numbers(light.half_angle)} "float conedeltaangle" {numbers(delta)}',
        ]
    raise TypeError(light)


def opacity_line(image: Image) -> str:
    """Version 4's float texture `opacity` of a grey image of linear texels."""
    return (
        f'Texture "opacity" "float" "imagemap" "string filename" "{image.name}.png" "string encoding" "linear" "string wrap" "repeat"'
        f' "float uscale" {numbers(image.scale[0])} "float vscale" {numbers(image.scale[1])}'
        f' "float udelta" {numbers(image.offset[0])} "float vdelta" {numbers(image.offset[1])}'
    )


def shape_line(obj) -> str:
    if obj.opacity is None:
        return bare_shape_line(obj)
    alpha = '"texture alpha" "opacity"' if isinstance(obj.opacity, Image) else f'"float alpha" {numbers(obj.opacity)}'
    return f"{bare_shape_line(obj)}\n    {alpha}"


def bare_shape_line(obj) -> str:
    if obj.file is not None:
        return f'Shape "plymesh" "string filename" "{obj.file}"'
    mesh = obj.mesh
    if isinstance(mesh, Sphere):
        return f'Translate {" ".join(map(str, mesh.centre))}  Shape "sphere" "float radius" {numbers(mesh.radius)}'
    line = f'Shape "trianglemesh" "integer indices" {numbers(mesh.triangles)}\n    "point P" {numbers(mesh.positions)}'
    if mesh.normals is not None:
        line += f'\n    "normal N" {numbers(mesh.normals)}'
    if mesh.uvs is not None:
        line += f'\n    "float uv" {numbers(mesh.uvs)}'
    return line


def pbrt(scene: Scene, samples: int = 64) -> str:
    """The text of the .pbrt file."""
    camera, (width, height) = scene.camera, scene.size
    eye, target, up = (" ".join(map(str, v)) for v in (camera.eye, camera.target, camera.up))
    lens = ""
    if camera.lens_radius > 0:
        lens = f' "float lensradius" {numbers(camera.lens_radius)} "float focaldistance" {numbers(camera.focal_distance)}'
    radius, film = ("radius", "rgb") if scene.version == 4 else ("width", "image")
    lines = [
        f"# {scene.what}",
        "# Written by peers/mitsuba/make_scenes.py; do not edit.",
        *([] if camera.mirrored else ["Scale -1 1 1"]),
        f"LookAt {eye}  {target}  {up}",
        f'Camera "perspective" "float fov" {numbers(camera.fov)}{lens}',
        f'Film "{film}" "integer xresolution" [{width}] "integer yresolution" [{height}] "string filename" "{scene.name}.exr"',
        f'PixelFilter "box" "float x{radius}" [0.5] "float y{radius}" [0.5]',
        f'Sampler "halton" "integer pixelsamples" [{samples}]',
        f'Integrator "path" "integer maxdepth" [{scene.bounces}]',
        "WorldBegin",
    ]
    for medium in {m: None for o in scene.objects for m in (o.outside, o.inside) if m is not None}:
        lines.append(f'MakeNamedMedium "{medium.name}" "string type" "homogeneous" "rgb sigma_a" {numbers(medium.absorption)} "rgb sigma_s" [0 0 0]')
    for light in scene.lights:
        lines += light_lines(light)
    for obj in scene.objects:
        lines += ["AttributeBegin", f"  # {obj.name}", *("  " + line for line in material_lines(obj.material, scene.version))]
        if obj.radiance is not None:
            lines.append(f'  AreaLightSource "diffuse" "rgb L" {numbers(obj.radiance)}')
        if obj.inside is not None or obj.outside is not None:
            names = ['""' if m is None else f'"{m.name}"' for m in (obj.inside, obj.outside)]
            lines.append(f"  MediumInterface {' '.join(names)}")
        if isinstance(obj.opacity, Image):
            lines.append("  " + opacity_line(obj.opacity))
        lines += ["  " + shape_line(obj), "AttributeEnd"]
    if scene.version == 3:
        lines.append("WorldEnd")
    return "\n".join(lines) + "\n"


def write(scene: Scene, folder: Path) -> Path:
    """Writes the .pbrt file and what it refers to; returns its path."""
    for obj in scene.objects:
        if obj.file is not None and not Path(obj.file).is_absolute():
            write_ply(folder / obj.file, obj.mesh)
        if isinstance(obj.material, Diffuse) and isinstance(obj.material.reflectance, Image):
            write_png(folder / f"{obj.material.reflectance.name}.png", obj.material.reflectance.texels)
        if isinstance(obj.opacity, Image):
            write_png(folder / f"{obj.opacity.name}.png", obj.opacity.texels)
    for light in scene.lights:
        if isinstance(light, Environment):
            write_exr(folder / f"{light.name}.exr", light.texels)
    path = folder / f"{scene.name}.pbrt"
    path.write_text(pbrt(scene))
    return path
