//! Secondary rays of a view: the points where they start, and their directions.

use super::pixels::{block_order, primary_rays};
use super::{Batches, Order, RayKind, Workload};
use crate::vector::{add_scaled, cross, dot, normalized, sub, wide};
use rayon::prelude::*;
use raywarp_geom::{Control, FlatTriangles, Hit, PrimitiveId, Ray, TraceError, Tracer};
use raywarp_sample::halton::{radical_inverse, rotate};
use raywarp_sample::hash::pcg;
use raywarp_sample::warp::{cosine_hemisphere, onb, sin_cos_turn};
use raywarp_scene::views::View;

/// Point of a surface that a primary ray hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VisiblePoint {
    /// Index of the pixel, `y * width + x`.
    pub pixel: u32,
    /// Position of the hit in world units.
    pub position: [f32; 3],
    /// Unit geometric normal on the side that the camera sees.
    pub normal: [f32; 3],
    /// Unit direction of the primary ray.
    pub direction: [f32; 3],
}

/// Errors of making the rays of a view.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RaysError {
    /// The picture has no pixels, or too many.
    #[error("a picture of {width} x {height} pixels; there must be 1 to {limit} pixels")]
    Size {
        /// Width of the picture in pixels.
        width: u32,
        /// Height of the picture in pixels.
        height: u32,
        /// Largest number of pixels that is allowed.
        limit: u64,
    },
    /// The tracer reports a triangle that is not in the list of triangles.
    #[error("the tracer reports triangle {primitive} of instance {instance}, which is not among those given")]
    UnknownTriangle {
        /// Instance index that the tracer reports.
        instance: u32,
        /// Primitive index that the tracer reports.
        primitive: u32,
    },
    /// Tracing the primary rays failed.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Primary rays of a view with their hits, from which the secondary rays are made.
#[derive(Debug, Clone)]
pub struct ViewRays {
    workload: Workload,
    primary: Vec<Ray>,
    points: Vec<VisiblePoint>,
    diagonal: f32,
    ao_distance: f32,
}

impl ViewRays {
    /// Largest number of pixels of a picture.
    pub const MAX_PIXELS: u64 = 1 << 26;

    /// Makes the primary rays of `view` in a picture of `size` pixels and traces them to find what they hit.
    ///
    /// `tracer` traces exactly `triangles`, whose ids are in order. The order of the primary rays is
    /// that of [`block_order`]; points have it too, without those that hit nothing.
    ///
    /// # Errors
    /// [`RaysError`].
    pub fn new(
        workload: Workload,
        view: &View,
        size: [u32; 2],
        triangles: &FlatTriangles,
        tracer: &dyn Tracer,
        control: &Control<'_>,
    ) -> Result<Self, RaysError> {
        let [width, height] = size;
        if !(1..=Self::MAX_PIXELS).contains(&(u64::from(width) * u64::from(height))) {
            return Err(RaysError::Size { width, height, limit: Self::MAX_PIXELS });
        }
        let pixels = block_order(size);
        let primary = primary_rays(&view.camera, size, &pixels);
        let (mut hits, mut instances) = (vec![Hit::default(); primary.len()], vec![Hit::MISS; primary.len()]);
        tracer.closest(&primary, &[], &mut hits, &mut instances, control)?;
        let point = |i: usize| {
            let (hit, ray) = (&hits[i], &primary[i]);
            hit.is_hit().then(|| surface_point(pixels[i], ray, hit, instances[i], triangles))
        };
        let points = (0..primary.len()).into_par_iter().with_min_len(4096).filter_map(point);
        let points = points.collect::<Result<_, _>>()?;
        let diagonal = triangles.bounds().diagonal();
        let ao_distance = workload.ao_distance(diagonal, view.ao_radius);
        Ok(Self { workload, primary, points, diagonal, ao_distance })
    }

    /// Returns the benchmark that defines the secondary rays.
    pub fn workload(&self) -> Workload {
        self.workload
    }

    /// Returns the primary rays, one for each pixel.
    pub fn primary(&self) -> &[Ray] {
        &self.primary
    }

    /// Returns the points that the primary rays hit.
    pub fn points(&self) -> &[VisiblePoint] {
        &self.points
    }

    /// Returns the rays of one kind as batches that are made on demand. `rays_per_pixel` is S, usually
    /// [`Workload::rays_per_pixel`]; primary rays are one a pixel all the same.
    pub fn batches(&self, kind: RayKind, rays_per_pixel: u32, order: Order) -> Batches<'_> {
        Batches::new(self, kind, rays_per_pixel, order)
    }

    /// Makes the secondary ray of `kind` numbered `sample`, below `rays_per_pixel`, from a surface point.
    pub(super) fn secondary(&self, kind: RayKind, point: &VisiblePoint, sample: u32, rays_per_pixel: u32) -> Ray {
        let key = point.pixel.wrapping_mul(2);
        let [x, y, z] = if self.workload == Workload::Alk12 {
            let number = sample.wrapping_add(1);
            turned_hemisphere(radical_inverse::<2>(number), rotate(radical_inverse::<3>(number), pcg(key)))
        } else {
            let first = if kind == RayKind::Ao { 1 } else { rays_per_pixel.wrapping_add(1) };
            let number = first.wrapping_add(sample);
            cosine_hemisphere([
                rotate(radical_inverse::<2>(number), pcg(key)),
                rotate(radical_inverse::<3>(number), pcg(key.wrapping_add(1))),
            ])
        };
        let (tangent, bitangent) = onb(point.normal);
        let direction: [f32; 3] = std::array::from_fn(|i| x * tangent[i] + y * bitangent[i] + z * point.normal[i]);
        let t_max = self.ao_distance * if kind == RayKind::Ao { 1.0 } else { self.workload.diffuse_length() };
        Ray::new(self.origin(point, direction), direction).with_interval(0.0, t_max)
    }

    fn origin(&self, point: &VisiblePoint, direction: [f32; 3]) -> [f32; 3] {
        let position = wide(point.position);
        let moved = match self.workload {
            Workload::Raywarp => add_scaled(position, 1e-4 * f64::from(self.diagonal), wide(point.normal)),
            // The authors' constants, in their scenes' units.
            Workload::Al09 | Workload::G14 => {
                add_scaled(add_scaled(position, -1e-4, wide(point.direction)), 0.01, wide(direction))
            }
            // 1e-4 where AO rays have 5.
            Workload::Alk12 => add_scaled(position, -2e-5 * f64::from(self.ao_distance), wide(point.direction)),
        };
        moved.map(|x| x as f32)
    }
}

/// Returns a direction of the upper hemisphere with density cos / pi, from the squared radius and the angle (in turns)
/// of a point of the unit disk.
fn turned_hemisphere(squared_radius: f32, turn: f32) -> [f32; 3] {
    let (radius, (sin, cos)) = (squared_radius.sqrt(), sin_cos_turn(turn));
    [radius * cos, radius * sin, (1.0 - squared_radius).max(0.0).sqrt()]
}

fn surface_point(
    pixel: u32,
    ray: &Ray,
    hit: &Hit,
    instance: u32,
    triangles: &FlatTriangles,
) -> Result<VisiblePoint, RaysError> {
    let id = PrimitiveId { instance, primitive: hit.primitive };
    let unknown = RaysError::UnknownTriangle { instance, primitive: hit.primitive };
    let index = triangles.ids.binary_search(&id).map_err(|_| unknown)?;
    let [a, b, c] = triangles.vertices[index].map(wide);
    let direction = wide(ray.direction);
    let back = direction.map(|x| -x);
    // A triangle too small to have a normal even in f64 faces the viewer.
    let normal = normalized(cross(sub(b, a), sub(c, a))).unwrap_or(back);
    let normal = if dot(normal, direction) > 0.0 { normal.map(|x| -x) } else { normal };
    let position = add_scaled(wide(ray.origin), f64::from(hit.t), direction);
    let [position, normal] = [position, normal].map(|v| v.map(|x| x as f32));
    Ok(VisiblePoint { pixel, position, normal, direction: ray.direction })
}
