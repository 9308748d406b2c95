"""As much of Embree 4 as it takes to build a tree, through ctypes."""

import ctypes
import glob
import importlib.util
import os
import time

SCENE_FLAG_NONE, SCENE_FLAG_ROBUST = 0, 4
QUALITY = {"medium": 1, "high": 2}
GEOMETRY_TRIANGLE = 0
BUFFER_INDEX, BUFFER_VERTEX = 0, 1
FORMAT_UINT3, FORMAT_FLOAT3 = 0x5003, 0x9003
PROPERTY_VERSION = 0


def find_library():
    """The library inside an installed `embreex` wheel, or None."""
    spec = importlib.util.find_spec("embreex")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = os.path.join(os.path.dirname(list(spec.submodule_search_locations)[0]), "embreex.libs")
    found = sorted(glob.glob(os.path.join(folder, "libembree4*")))
    return found[0] if found else None


class Embree:
    """A device with its own number of threads."""

    def __init__(self, path, threads):
        # A wheel keeps its thread library beside it under a name that the loader may not look for.
        for tbb in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(path)), "libtbb-*"))):
            ctypes.CDLL(tbb, mode=ctypes.RTLD_GLOBAL)
        self.library = library = ctypes.CDLL(path)
        pointer = ctypes.c_void_p

        def declare(name, result, *arguments):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments

        declare("rtcNewDevice", pointer, ctypes.c_char_p)
        declare("rtcReleaseDevice", None, pointer)
        declare("rtcGetDeviceError", ctypes.c_int, pointer)
        declare("rtcGetDeviceProperty", ctypes.c_ssize_t, pointer, ctypes.c_int)
        declare("rtcNewScene", pointer, pointer)
        declare("rtcReleaseScene", None, pointer)
        declare("rtcSetSceneFlags", None, pointer, ctypes.c_int)
        declare("rtcSetSceneBuildQuality", None, pointer, ctypes.c_int)
        declare("rtcCommitScene", None, pointer)
        declare("rtcNewGeometry", pointer, pointer, ctypes.c_int)
        declare("rtcReleaseGeometry", None, pointer)
        declare("rtcCommitGeometry", None, pointer)
        declare("rtcAttachGeometry", ctypes.c_uint, pointer, pointer)
        declare(
            "rtcSetNewGeometryBuffer",
            pointer, pointer, ctypes.c_int, ctypes.c_uint, ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t,
        )
        self.device = library.rtcNewDevice(f"threads={threads}".encode())
        self.check()
        version = library.rtcGetDeviceProperty(self.device, PROPERTY_VERSION)
        self.version = f"{version // 10000}.{version // 100 % 100}.{version % 100}"

    def check(self):
        error = self.library.rtcGetDeviceError(self.device)
        if error:
            raise RuntimeError(f"Embree reports error {error}")

    def commit_seconds(self, mesh, quality, robust):
        """Seconds, and seconds of all threads, that rtcCommitScene takes on a fresh scene of one mesh."""
        library = self.library
        scene = library.rtcNewScene(self.device)
        library.rtcSetSceneFlags(scene, SCENE_FLAG_ROBUST if robust else SCENE_FLAG_NONE)
        library.rtcSetSceneBuildQuality(scene, QUALITY[quality])
        geometry = library.rtcNewGeometry(self.device, GEOMETRY_TRIANGLE)
        for kind, layout, data in [
            (BUFFER_VERTEX, FORMAT_FLOAT3, mesh.vertices),
            (BUFFER_INDEX, FORMAT_UINT3, mesh.indices),
        ]:
            place = library.rtcSetNewGeometryBuffer(geometry, kind, 0, layout, 12, len(data) // 12)
            self.check()
            ctypes.memmove(place, data, len(data))
        library.rtcCommitGeometry(geometry)
        library.rtcAttachGeometry(scene, geometry)
        library.rtcReleaseGeometry(geometry)
        start, cpu_start = time.perf_counter(), time.process_time()
        library.rtcCommitScene(scene)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
        self.check()
        library.rtcReleaseScene(scene)
        return seconds, cpu
