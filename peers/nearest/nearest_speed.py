"""Nearest points of triangle meshes: Raywarp beside FCPW, one core, in turns."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "peers", "embree"))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("meshes", nargs="*", help="binary little-endian PLY files of triangles, .gz too")
    parser.add_argument("--sphere", type=int, default=1_000_000, help="triangles of the displaced sphere; 0: none")
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each, after one to warm up")
    parser.add_argument("--core", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--batches", action="store_true", help="also Open3D and Warp, in batches")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


ARGUMENTS = arguments()
# Before anything starts threads.
os.sched_setaffinity(0, {ARGUMENTS.core})
os.environ.update(RAYON_NUM_THREADS="1", OMP_NUM_THREADS="1")

import fcpw  # noqa: E402
import numpy as np  # noqa: E402

import mesh as ply  # noqa: E402


def ran():
    """Nanoseconds that the threads of this process have run: what else runs on the core does not count."""
    return time.process_time_ns()


def sphere(count, random):
    """A sphere whose radius waves at many scales."""
    rows = int((count / 4) ** 0.5)
    v, u = np.mgrid[0 : rows + 1, 0 : 2 * rows]
    theta, phi = np.pi * v / rows, np.pi * u / rows
    place = np.stack([np.sin(theta) * np.cos(phi), np.cos(theta), np.sin(theta) * np.sin(phi)], -1)
    radius = np.ones(theta.shape)
    for octave in range(6):
        way, phase = random.normal(size=(4, 3)) * 3.0 * 2.0**octave, random.uniform(0.0, 6.3, 4)
        radius += (np.sin(place @ way.T + phase) * 0.1 / 2.0**octave).mean(-1)
    positions = (place * radius[..., None]).reshape(-1, 3).astype(np.float32)
    a = (v[:-1] * 2 * rows + u[:-1]).ravel()
    b = (v[:-1] * 2 * rows + (u[:-1] + 1) % (2 * rows)).ravel()
    corners = np.concatenate([np.stack([a, b, a + 2 * rows], -1), np.stack([b, b + 2 * rows, a + 2 * rows], -1)])
    return positions, corners.astype(np.uint32)


def load(path):
    """The mesh in a PLY file."""
    mesh = ply.parse(ply.contents(path), path)
    shape = lambda data, kind: np.frombuffer(data, kind).reshape(-1, 3)  # noqa: E731
    return shape(mesh.vertices, np.float32), shape(mesh.indices, np.uint32)


def point_sets(positions, indices, count, random):
    """Points in a box twice the mesh's, and points by the surface: sigma is a hundredth of the diagonal."""
    used = positions[indices.ravel()]
    low, high = used.min(0).astype(float), used.max(0).astype(float)
    yield "far", random.uniform(1.5 * low - 0.5 * high, 1.5 * high - 0.5 * low, (count, 3)).astype(np.float32)
    a, b, c = (positions[indices[:, k]].astype(float) for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    pick = random.choice(len(indices), count, p=area / area.sum())
    u, v = random.uniform(size=(2, count, 1))
    u, v = np.where(u + v > 1.0, 1.0 - u, u), np.where(u + v > 1.0, 1.0 - v, v)
    on = a[pick] + u * (b - a)[pick] + v * (c - a)[pick]
    yield "near", (on + random.normal(size=(count, 3)) * 0.01 * np.linalg.norm(high - low)).astype(np.float32)


class Fcpw:
    """FCPW's vectorised tree; points and answers stay in its arrays."""

    def __init__(self, positions, indices):
        self.scene = fcpw.scene_3D()
        self.scene.set_object_count(1)
        self.scene.set_object_vertices(positions, 0)
        self.scene.set_object_triangles(indices.astype(np.int32), 0)
        self.scene.build(fcpw.aggregate_type.bvh_surface_area, True)

    def set(self, points):
        self.points = np.asfortranarray(points)
        self.radii = np.full(len(points), np.inf, np.float32)
        self.found = fcpw.interaction_3D_list()

    def run(self):
        start = ran()
        self.scene.find_closest_points(self.points, self.radii, self.found)
        return (ran() - start) / len(self.points)

    def distances(self):
        return np.array([found.d for found in self.found], np.float32)


class Ours:
    """The example program, which answers a line with a time."""

    def __init__(self, folder, positions, indices, points):
        names = [os.path.join(folder, name) for name in ("mesh", "points", "answers")]
        with open(names[0], "wb") as file:
            file.write(np.array([len(positions), len(indices)], np.uint32).tobytes())
            file.write(positions.tobytes() + indices.tobytes())
        points.tofile(names[1])
        program = os.path.join(ROOT, "target", "release", "examples", "nearest_speed")
        self.answers = names[2]
        self.child = subprocess.Popen([program, *names], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.child.stdout.readline()

    def run(self, how):
        self.child.stdin.write(how + "\n")
        self.child.stdin.flush()
        return float(self.child.stdout.readline())

    def distances(self):
        return np.fromfile(self.answers, np.float32)

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def batch_peers(positions, indices):
    """Open3D's and Warp's batches, as functions of points that return nanoseconds a point; those that are there."""
    peers = {}
    try:
        import open3d

        scene = open3d.t.geometry.RaycastingScene(nthreads=1)
        scene.add_triangles(open3d.core.Tensor(positions), open3d.core.Tensor(indices))

        def of_open3d(points):
            asked = open3d.core.Tensor(points)
            start = ran()
            scene.compute_closest_points(asked, nthreads=1)
            return (ran() - start) / len(points)

        peers["Open3D"] = of_open3d
    except (ImportError, OSError) as error:
        print(f"no Open3D here: {error}")
    try:
        import nearest_warp

        peers["Warp"] = nearest_warp.peer(positions, indices, ran)
    except ImportError:
        print("no Warp here")
    return peers


def report(name, times, base):
    ordered = sorted(times)
    middle = ordered[len(ordered) // 2]
    print(f"  {name:14} {middle:9.0f} ns ({ordered[0]:.0f} to {ordered[-1]:.0f}), {middle / base:5.2f} of FCPW")


def main():
    random = np.random.default_rng(ARGUMENTS.seed)
    meshes = [(os.path.basename(path), load(path)) for path in ARGUMENTS.meshes]
    if ARGUMENTS.sphere:
        meshes.append(("sphere", sphere(ARGUMENTS.sphere, random)))
    for name, (positions, indices) in meshes:
        theirs = Fcpw(positions, indices)
        peers = batch_peers(positions, indices) if ARGUMENTS.batches else {}
        for kind, points in point_sets(positions, indices, ARGUMENTS.points, random):
            with tempfile.TemporaryDirectory() as folder:
                ours = Ours(folder, positions, indices, points)
                theirs.set(points)
                times = {"FCPW": [], "one by one": [], "batch": []} | {peer: [] for peer in peers}
                for _ in range(ARGUMENTS.runs + 1):
                    times["FCPW"].append(theirs.run())
                    times["one by one"].append(ours.run("single"))
                    times["batch"].append(ours.run("batch"))
                    for peer, run in peers.items():
                        times[peer].append(run(points))
                got, want = ours.distances().astype(float), theirs.distances().astype(float)
                ours.close()
            off = np.abs(got - want).max() / max(want.max(), 1e-300)
            print(f"{name}, {len(indices)} triangles, {len(points)} {kind} points; distances differ by {off:.1e}")
            base = sorted(times["FCPW"][1:])[ARGUMENTS.runs // 2]
            for of, list_of in times.items():
                report(of, list_of[1:], base)


main()
