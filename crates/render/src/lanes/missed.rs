//! Paths that leave the scene: the light of an environment that [`crate::vertex`] adds, a path a lane.

use super::environment::Sky;
use super::vec3::Vec3s;
use super::width::AtWidth;
use crate::options::DirectLight;
use crate::path::{QueuedPath, Wave};
use crate::vertex::{SPECULAR, Transport};
use glam::Vec3;
use raywarp_geom::Ray;
use raywarp_lanes::{Mask, Vector, Words};

/// Task that ends the paths of a wave whose rays hit nothing.
pub(super) struct Leave<'a> {
    pub sky: Sky<'a>,
    pub transport: &'a Transport,
    pub wave: &'a mut Wave,
}

impl AtWidth for Leave<'_> {
    #[inline(always)]
    fn at_width<V: Vector<N>, const N: usize>(self, set: V::Set) {
        let Self { sky, transport, wave } = self;
        if transport.transparent && wave.bounce == 0 {
            return;
        }
        for entries in wave.queues.missed.chunks(N) {
            let mask = V::Mask::first(set, entries.len());
            let entry = V::Words::load_part(set, entries);
            let ray: [V::Words; 8] = entry.gather_records(bytemuck::cast_slice::<Ray, _>(&wave.rays), mask);
            let path: [V::Words; 12] = entry.gather_records(bytemuck::cast_slice::<QueuedPath, _>(&wave.paths), mask);
            let [slot, _, _, flags, x, y, z, previous_pdf, ..] = path;
            let (radiance, pdf) = sky.eval(Vec3s::<V>::of_words(&ray[4..7]), mask);
            let found = Vec3s::<V>::of_words(&[x, y, z]) * radiance;
            let found = found * weight(transport, flags, V::from_bits(previous_pdf), pdf);
            let (slot, found) = (slot.store(), [found.x.store(), found.y.store(), found.z.store()]);
            for lane in 0..entries.len() {
                wave.radiance[slot[lane] as usize] += Vec3::new(found[0][lane], found[1][lane], found[2][lane]);
            }
        }
    }
}

/// Returns the weight of emission found by scattering in multiple importance sampling with connections, of density
/// `pdf`.
#[inline(always)]
fn weight<V: Vector<N>, const N: usize>(transport: &Transport, flags: V::Words, previous_pdf: V, pdf: V) -> V {
    let set = pdf.set();
    let one = V::splat(set, 1.0);
    let by_scattering = match transport.direct {
        DirectLight::Both => {
            let ratio = pdf / previous_pdf;
            let heuristic = one / (one + ratio * ratio);
            V::select(previous_pdf.eq(V::splat(set, f32::INFINITY)), one, heuristic)
        }
        DirectLight::Lights => V::splat(set, 0.0),
        DirectLight::Scattering => one,
    };
    let specular = V::Words::splat(set, SPECULAR.into());
    V::select((flags & specular).eq(specular), one, by_scattering)
}
