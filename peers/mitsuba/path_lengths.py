"""How many rays a path takes under three rules of Russian roulette, in the shared scenes that are pbrt files.

Camera rays and those that go on from a surface count, those to lamps do not. A rate of Mitsuba's is comparable with ours
where both trace paths of the same length: `shared_scenes.ROULETTE` has the number of bounces with which they do.
"""

import os
import sys
import tempfile
from pathlib import Path

import drjit as dr
import mitsuba as mi
import numpy as np

import peer
import read_pbrt
import shared_scenes

SAMPLES = 4
# Columns and rows are divided by this.
DIVIDE = 8


@dr.syntax
def lengths(scene, ray, sampler, bounces, after):
    """Rays of each path; `after` is the bounce from which Mitsuba's rule holds, None asks for ours."""
    active, depth, rays = mi.Bool(True), mi.UInt32(0), mi.UInt32(0)
    throughput, eta = mi.Color3f(1), mi.Float(1)
    ray = mi.Ray3f(ray)
    while active:
        si = scene.ray_intersect(ray, active)
        rays += 1
        active &= si.is_valid() & (depth < bounces)
        bs, weight = si.bsdf(ray).sample(mi.BSDFContext(), si, sampler.next_1d(active), sampler.next_2d(active), active)
        throughput *= weight
        eta *= bs.eta
        ray = si.spawn_ray(si.to_world(bs.wo))
        depth += dr.select(mi.has_flag(bs.sampled_type, mi.BSDFFlags.Null), mi.UInt32(0), mi.UInt32(1))
        most = dr.max(throughput)
        if dr.hint(after is None, mode="scalar"):
            survives = dr.minimum(most / 0.05, 1)
        else:
            survives = dr.select(depth >= after, dr.minimum(most * eta * eta, 0.95), mi.Float(1))
        active &= (most > 0) & (sampler.next_1d(active) < survives)
        throughput /= dr.maximum(survives, 1e-9)
    return rays


def main() -> int:
    peer.start("llvm_ad_rgb")
    for name, file in shared_scenes.FILES.items():
        scene = read_pbrt.read(Path(os.environ["RAYWARP_SCENES"]) / file)
        size = tuple(side // DIVIDE for side in scene.size)
        with tempfile.TemporaryDirectory() as folder:
            loaded = mi.load_dict(shared_scenes.dictionary(scene, size, Path(folder), 5))
        count = size[0] * size[1] * SAMPLES
        at = mi.Point2f(np.random.default_rng(3).random((2, count), np.float32))
        means = []
        for after in (None, 5, shared_scenes.ROULETTE[name], 1000):
            sampler = mi.load_dict({"type": "independent"})
            sampler.seed(1, count)
            ray, _ = loaded.sensors()[0].sample_ray(0, 0.5, at, mi.Point2f(0.5))
            means.append(float(dr.mean(mi.Float(lengths(loaded, ray, sampler, scene.bounces, after)))[0]))
        print("{:10} ours {:6.2f}, Mitsuba's after 5 bounces {:6.2f}, after {} {:6.2f}, none {:6.2f}".format(name, *means[:2], shared_scenes.ROULETTE[name], *means[2:]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
