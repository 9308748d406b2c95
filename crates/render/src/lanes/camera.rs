//! The beginning of paths: camera rays of [`crate::stage`]'s first stage, a path a lane.

use super::numbers::Numbers;
use super::vec3::Vec3s;
use super::warp::concentric_disk;
use super::width::AtWidth;
use crate::lens::Lens;
use crate::path::Wave;
use crate::stage::Generate;
use raywarp_geom::Ray;
use raywarp_lanes::{Vector, Words};
use raywarp_sample::Sampler;

/// Task that makes the camera rays of a wave whose pixels (index `y * width + x`) and sample numbers are set.
pub(super) struct Start<'a> {
    pub with: &'a Generate<'a>,
    pub wave: &'a mut Wave,
}

/// Returns `true` if vector code can make camera rays with this sampler, which is Sobol's alone.
pub(super) fn knows(sampler: Sampler) -> bool {
    matches!(sampler, Sampler::Sobol { .. })
}

impl AtWidth for Start<'_> {
    #[inline(always)]
    fn at_width<V: Vector<N>, const N: usize>(self, set: V::Set) {
        let Self { with, wave } = self;
        for first in (0..wave.pixel.len()).step_by(N) {
            let count = N.min(wave.pixel.len() - first);
            let pixel = V::Words::load_part(set, &wave.pixel[first..first + count]);
            let sample = V::Words::load_part(set, &wave.sample[first..first + count]);
            let pixels = pixel.store();
            let mut numbers = Numbers::resume(with.sampler, pixel, sample, V::Words::splat(set, 0));
            let u: [V; 2] = numbers.next_2d(0);
            let u = [u[0].store(), u[1].store()];
            let (mut x, mut y, mut weights) = ([0.0; N], [0.0; N], [0.0; N]);
            // Filters are tables: look-ups a lane.
            for lane in 0..count {
                let ([dx, dy], weight) = with.filter.sample([u[0][lane], u[1][lane]]);
                x[lane] = (pixels[lane] % with.width) as f32 + 0.5 + dx;
                y[lane] = (pixels[lane] / with.width) as f32 + 0.5 + dy;
                weights[lane] = weight;
            }
            let u = numbers.next_2d(2);
            let (origin, direction) = rays::<V, N>(with.lens, V::load(set, &x), V::load(set, &y), u);
            let origin = [origin.x.store(), origin.y.store(), origin.z.store()];
            let direction = [direction.x.store(), direction.y.store(), direction.z.store()];
            for lane in 0..count {
                let at = |v: &[[f32; N]; 3]| [v[0][lane], v[1][lane], v[2][lane]];
                let ray = Ray::new(at(&origin), at(&direction));
                wave.begin(ray, weights[lane], 0, with.media);
            }
        }
    }
}

/// Returns origins and directions of the camera rays through pixel coordinates and lens points `u`, as [`Lens::ray`]
/// does.
#[inline(always)]
fn rays<V: Vector<N>, const N: usize>(lens: &Lens, x: V, y: V, u: [V; 2]) -> (Vec3s<V>, Vec3s<V>) {
    let set = x.set();
    let (one, two) = (V::splat(set, 1.0), V::splat(set, 2.0));
    let [width, height] = lens.size;
    let sx = (two * x / V::splat(set, width) - one) * V::splat(set, lens.half[0]);
    let sy = (one - two * y / V::splat(set, height)) * V::splat(set, lens.half[1]);
    let (right, up) = (Vec3s::splat(set, lens.right), Vec3s::splat(set, lens.up));
    let (eye, forward) = (Vec3s::splat(set, lens.eye), Vec3s::splat(set, lens.forward));
    let across = right * sx + up * sy;
    let (mut origin, mut direction) = if lens.perspective { (eye, forward + across) } else { (eye + across, forward) };
    if lens.radius > 0.0 {
        let focus = origin + direction * V::splat(set, lens.focal_distance);
        let [lx, ly] = concentric_disk(u);
        origin = origin + (right * lx + up * ly) * V::splat(set, lens.radius);
        direction = focus - origin;
    }
    let (unit, has_length) = direction.try_normalize();
    (origin, Vec3s::select(has_length, unit, forward))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::PixelFilter;
    use crate::lanes::Vectors;
    use crate::lanes::width::has_vectors;
    use crate::stage::generate;
    use crate::vertex::MediaStack;
    use raywarp_lanes::Isa;
    use raywarp_scene::{Camera, FilterKind, Projection};

    /// Returns a started wave of a few pixels, by vector code if `vectors` is given.
    fn started(with: &Generate, vectors: Option<&Vectors>) -> (Vec<[u32; 8]>, Vec<[u32; 12]>, Vec<u32>) {
        let mut wave = Wave::default();
        generate(with, vectors, (0..41).map(|i| i * 11), 3..10, &mut wave);
        let rays = wave.rays.iter().map(|&ray| bytemuck::cast(ray)).collect();
        let paths = wave.paths.iter().map(|&path| bytemuck::cast(path)).collect();
        assert_eq!(wave.pixel.len(), 41 * 7);
        (rays, paths, wave.filter_weight.iter().map(|weight| weight.to_bits()).collect())
    }

    #[test]
    fn paths_begin_in_vectors_as_they_do_one_by_one() {
        let camera = Camera::look_at([1.0, 2.0, 5.0], [0.3, 0.1, -0.2], [0.0, 1.0, 0.0], 50.0).unwrap();
        let flat = Camera { projection: Projection::Orthographic { half_height: 2.0 }, ..camera.clone() };
        let open = |camera: &Camera| Camera { lens_radius: 0.2, focal_distance: 4.0, ..camera.clone() };
        let filters = [FilterKind::Box { radius: 0.5 }, FilterKind::Mitchell { radius: 2.0, b: 0.3, c: 0.4 }];
        let samplers = [Sampler::Sobol { seed: 7 }, Sampler::Xor32 { seed: 7 }, Sampler::PaddedHalton { seed: 7 }];
        for camera in [open(&camera), open(&flat), camera, flat] {
            let lens = Lens::new(&camera, [32, 20]);
            for (filter, sampler) in filters.iter().flat_map(|filter| samplers.map(|sampler| (filter, sampler))) {
                let filter = PixelFilter::new(*filter);
                let media = MediaStack::of(3);
                let with = Generate { lens: &lens, filter: &filter, sampler, width: 32, media };
                let expected = started(&with, None);
                for isa in Isa::all().into_iter().filter(|&isa| has_vectors(isa)) {
                    let vectors = Vectors { isa, tables: Default::default() };
                    assert_eq!(started(&with, Some(&vectors)), expected, "{isa}, {sampler:?}, {camera:?}");
                }
            }
        }
    }
}
