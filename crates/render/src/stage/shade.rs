//! Stage 3: emission, a connection to a light, and the next direction of each path.

use crate::bsdf::Bsdf;
use crate::light::Lights;
use crate::options::DirectLight;
use crate::path::{ALL_SPECULAR, FirstHit, SPECULAR, Wave};
use crate::stage::CAMERA_DIMENSIONS;
use crate::world::{Shading, SurfacePoint, World};
use glam::Vec3;
use raywarp_geom::Ray;
use raywarp_sample::Sampler;
use raywarp_scene::Surface;

/// Sampler dimensions of a vertex: material choice 1, light choice 1, point on the light 2, lobe 1,
/// direction 2, Russian roulette 1.
const VERTEX_DIMENSIONS: u32 = 8;

/// Throughput below which Russian roulette begins (W11: 5 %).
const ROULETTE_BELOW: f32 = 0.05;

/// The power heuristic with exponent 2 (Veach 1997, section 9.2) for one sample of each technique.
#[inline]
fn power_heuristic(pdf: f32, other: f32) -> f32 {
    if pdf.is_infinite() {
        return 1.0;
    }
    let ratio = other / pdf;
    1.0 / (1.0 + ratio * ratio)
}

/// Shades the vertices that `extend` found: adds emission, queues shadow rays and the paths that
/// live on. `max_depth` counts bounces. If `transparent`, camera rays that miss bring nothing.
pub(crate) fn shade(
    world: &World,
    lights: &Lights,
    sampler: Sampler,
    direct: DirectLight,
    max_depth: u32,
    transparent: bool,
    wave: &mut Wave,
) {
    wave.next_rays.clear();
    wave.next_slots.clear();
    wave.shadow.clear();
    let bounce = wave.bounce;
    // How much emission found by scattering counts, beside the connection to the same light.
    let found_weight = |specular: bool, scatter_pdf: f32, light_pdf: f32| match direct {
        _ if specular => 1.0,
        DirectLight::Both => power_heuristic(scatter_pdf, light_pdf),
        DirectLight::Lights => 0.0,
        DirectLight::Scattering => 1.0,
    };
    // All surface points first, in a loop so short that the look-ups of many hits wait for memory
    // together.
    wave.points.clear();
    wave.points
        .extend(std::iter::zip(&wave.hits, &wave.instances).map(|(hit, &instance)| {
            if hit.is_hit() { world.surface_point(hit, instance) } else { SurfacePoint::NONE }
        }));
    for i in 0..wave.slots.len() {
        let slot = wave.slots[i] as usize;
        let (ray, hit, instance) = (wave.rays[i], wave.hits[i], wave.instances[i]);
        let direction = Vec3::from(ray.direction);
        let flags = wave.flags[slot];
        let specular = flags & SPECULAR != 0;
        let previous_pdf = wave.previous_pdf[slot];
        let mut throughput = wave.throughput[slot];

        if !hit.is_hit() {
            if transparent && bounce == 0 {
                continue;
            }
            for (radiance, pdf) in lights.environments(direction) {
                wave.radiance[slot] += throughput * radiance * found_weight(specular, previous_pdf, pdf);
            }
            continue;
        }

        let point = wave.points[i];
        let material = &world.scene.materials[point.material.index()];
        let wo = -direction;
        let cos_geometric = point.geometric_normal.dot(wo);
        if cos_geometric < 0.0
            && let Some(sigma) = world.absorption[point.material.index()]
        {
            // The segment that ends at a back side lay inside (Beer-Lambert).
            throughput *= (-sigma * hit.t).exp();
        }
        if let Some(emission) = &material.emission {
            let emitted = world.emitted(emission, point.mesh, point.primitive, point.barycentrics, cos_geometric);
            if emitted != Vec3::ZERO {
                let light_pdf = lights.triangle_pdf(point.material, cos_geometric, hit.t * hit.t);
                wave.radiance[slot] += throughput * emitted * found_weight(specular, previous_pdf, light_pdf);
            }
        }
        if let Surface::Unlit { color } = &material.surface {
            let at = world.texture_point(point.mesh, point.primitive, point.barycentrics);
            let color = world.textures.color(color, &at);
            if flags & ALL_SPECULAR != 0 {
                wave.radiance[slot] += throughput * color;
            }
            if bounce == 0 {
                wave.first_hit[slot] = FirstHit { albedo: color, normal: point.shading_normal, depth: hit.t };
            }
            continue;
        }

        let base = CAMERA_DIMENSIONS + bounce * VERTEX_DIMENSIONS;
        let mut stream = sampler.resume(wave.pixel[slot], wave.sample[slot], base, wave.sampler_state[slot]);
        let choice = if world.has_choice[point.material.index()] {
            stream.next_1d()
        } else {
            stream.skip(1);
            0.5
        };
        let Shading { bsdf, frame, geometric_normal } = world.shading(&point, instance, wo, choice);
        let wo_local = frame.to_local(wo);
        if bounce == 0 {
            wave.first_hit[slot] = FirstHit { albedo: bsdf.albedo(wo_local), normal: frame.normal, depth: hit.t };
        }
        if bounce >= max_depth {
            continue;
        }

        // A connection to a light.
        let connects = direct != DirectLight::Scattering && !bsdf.is_specular();
        if !connects {
            stream.skip(3);
        } else if let Some(light) = lights.sample(world, point.position, stream.next_1d(), stream.next_2d()) {
            let wi_local = frame.to_local(light.wi);
            let (value, scatter_pdf) = bsdf.eval(wo_local, wi_local);
            let side = geometric_normal.dot(light.wi);
            if value != Vec3::ZERO && side * wi_local.z > 0.0 {
                let weight = match direct {
                    DirectLight::Both if light.pdf > 0.0 => power_heuristic(light.pdf, scatter_pdf),
                    _ => 1.0,
                };
                let contribution = throughput * value * light.weight * weight;
                if contribution.is_finite() && contribution != Vec3::ZERO {
                    let origin = point.origin_towards(light.wi);
                    let ray = match light.target {
                        None => Ray::new(origin, light.wi.into()),
                        // The target is already off the light's surface: stop there.
                        Some(target) => Ray::new(origin, (target - Vec3::from(origin)).into()).with_interval(0.0, 1.0),
                    };
                    wave.shadow.push(ray, slot as u32, contribution);
                }
            }
        }

        // The next direction.
        let u_lobe = if let Bsdf::Diffuse { .. } = bsdf {
            stream.skip(1);
            0.5
        } else {
            stream.next_1d()
        };
        let Some(sample) = bsdf.sample(wo_local, u_lobe, stream.next_2d()) else { continue };
        let wi = frame.to_world(sample.wi);
        let side = geometric_normal.dot(wi);
        // A shading normal must not send light through the surface.
        if side * sample.wi.z <= 0.0 {
            continue;
        }
        throughput *= sample.weight;
        let largest = throughput.max_element();
        if !(largest > 0.0 && largest.is_finite()) {
            continue;
        }
        if largest < ROULETTE_BELOW {
            let survival = largest / ROULETTE_BELOW;
            if stream.next_1d() >= survival {
                continue;
            }
            throughput /= survival;
        }
        wave.sampler_state[slot] = stream.state();
        wave.throughput[slot] = throughput;
        wave.previous_pdf[slot] = sample.pdf;
        wave.flags[slot] = if sample.specular { SPECULAR | (flags & ALL_SPECULAR) } else { 0 };
        wave.next_rays.push(Ray::new(point.origin_towards(wi), wi.into()));
        wave.next_slots.push(slot as u32);
    }
}
