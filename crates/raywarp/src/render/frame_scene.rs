//! A camera that frames what a scene shows: its triangles, not only their box.

use glam::DVec3;
use rayon::prelude::*;
use raywarp_geom::{Aabb, Control, Hit, Ray, Tracer};
use raywarp_scene::{Camera, Description, FovAxis, Projection, Surface};

/// Default vertical field of view in degrees: that of a portrait lens.
pub const DEFAULT_VFOV: f32 = 30.0;
/// Fraction of the picture's limiting side that the framed object fills.
const FILL: f64 = 0.88;
/// Default direction of the camera as seen from the object: degrees to the right of its front (`AZIMUTH`), and above
/// it.
const AZIMUTH: f64 = 33.0;
const ELEVATION: f64 = 22.0;

/// Returns the picture's right when the object is seen from its front, and the direction from the object to a viewer in
/// front of it. With y upwards the front is +z (glTF), with z upwards -y (Blender).
pub(crate) fn front(up: DVec3) -> (DVec3, DVec3) {
    let across = if up.x.abs() < 0.9 { DVec3::X } else { DVec3::NEG_Z };
    let right = across.reject_from_normalized(up).normalize();
    (right, right.cross(up))
}

/// Returns the direction from the object to the default camera: from the front, 33 degrees to the right, and above.
pub(crate) fn three_quarter(up: DVec3) -> DVec3 {
    let (right, front) = front(up);
    let (azimuth, elevation) = (AZIMUTH.to_radians(), ELEVATION.to_radians());
    elevation.cos() * (azimuth.sin() * right + azimuth.cos() * front) + elevation.sin() * up
}

/// Makes a camera in direction `towards` of the scene, so that the triangles fill 88 % of the limiting side of a
/// picture of `aspect` (width over height), centred.
///
/// Exact: each vertex says how far back each side of the view pyramid must lie, and the four farthest give the one
/// apex. Along the other side of the picture the camera then moves to where the outermost vertices are equally far
/// from the borders. O(vertices), in parallel. `None` where that is not finite, or without a triangle.
pub(crate) fn frame(
    scene: &Description,
    bounds: &Aabb,
    towards: DVec3,
    up: DVec3,
    vfov: f32,
    aspect: f64,
) -> Option<Camera> {
    let center: DVec3 = bounds.center().map(f64::from).into();
    let radius = 0.5 * f64::from(bounds.diagonal());
    let forward = -towards.try_normalize()?;
    let right = forward.cross(up).try_normalize()?;
    let upward = right.cross(forward);
    // Right, up and depth of a vertex from the middle of the scene.
    let place = |p: [f32; 3]| {
        let p = DVec3::from(p.map(f64::from)) - center;
        DVec3::new(p.dot(right), p.dot(upward), p.dot(forward))
    };
    let half_y = (0.5 * f64::from(vfov).to_radians()).tan();
    let tan = [FILL * half_y * aspect, FILL * half_y];
    // How far a vertex lies beyond the planes of right, left, top and bottom through the middle, and before it.
    let greatest = greatest(scene, |p| {
        let p = place(p);
        [p.x - tan[0] * p.z, -p.x - tan[0] * p.z, p.y - tan[1] * p.z, -p.y - tan[1] * p.z, -p.z].map(|v| (v, p))
    });
    let [a, b, c, d, nearest] = greatest.map(|(value, _)| value);
    let back = [-(a + b) / (2.0 * tan[0]), -(c + d) / (2.0 * tan[1])];
    // The nearest vertex stays in front of the camera, also where all lie on a line of sight.
    let depth = back[0].min(back[1]).min(-nearest - 0.05 * radius);
    let mut across = [0.5 * (a - b), 0.5 * (c - d)];
    for _ in 0..3 {
        let seen = self::greatest(scene, |p| {
            let p = place(p);
            let [x, y] = [(p.x - across[0]) / (p.z - depth), (p.y - across[1]) / (p.z - depth)];
            [x, -x, y, -y].map(|v| (v, p))
        });
        let middle = |low: f64, low_z: f64, high: f64, high_z: f64| {
            let (low_z, high_z) = (low_z - depth, high_z - depth);
            (high * low_z + low * high_z) / (low_z + high_z)
        };
        let [right_most, left_most, top_most, bottom_most] = seen.map(|(_, p)| p);
        across = [
            middle(left_most.x, left_most.z, right_most.x, right_most.z),
            middle(bottom_most.y, bottom_most.z, top_most.y, top_most.z),
        ];
    }
    let eye = center + across[0] * right + across[1] * upward + depth * forward;
    let to_f32 = |v: DVec3| v.as_vec3().to_array();
    // Where f32 cannot tell the eye from the middle, there is no view.
    if !eye.as_vec3().is_finite() || eye.as_vec3() == center.as_vec3() {
        return None;
    }
    Some(Camera {
        name: String::new(),
        eye: to_f32(eye),
        right: to_f32(right),
        up: to_f32(upward),
        forward: to_f32(forward),
        projection: Projection::Perspective { fov: vfov, axis: FovAxis::Vertical },
        lens_radius: 0.0,
        focal_distance: 1.0,
        medium: None,
        aspect: None,
    })
}

/// Finds the largest of each of N values over the corners of all visible triangles, with its corner; the first of equal
/// ones.
fn greatest<const N: usize>(
    scene: &Description,
    values: impl Fn([f32; 3]) -> [(f64, DVec3); N] + Sync,
) -> [(f64, DVec3); N] {
    let none = || [(f64::NEG_INFINITY, DVec3::ZERO); N];
    let greater =
        |a: [(f64, DVec3); N], b: [(f64, DVec3); N]| std::array::from_fn(|i| if b[i].0 > a[i].0 { b[i] } else { a[i] });
    let of_instance = |index: usize| {
        let instance = &scene.instances[index];
        let mesh = &scene.meshes[instance.mesh.index()].triangles;
        let visible = |primitive: &usize| {
            scene.materials[scene.material_of(index, *primitive).index()].surface != Surface::Invisible
        };
        let of_triangle = |primitive: usize| {
            let corners = mesh.corners(primitive).map(|p| values(instance.transform.point(p)));
            corners.into_iter().fold(none(), greater)
        };
        // In chunks, for most meshes are small, and most triangles are not.
        (0..mesh.indices.len())
            .into_par_iter()
            .with_min_len(1 << 12)
            .filter(visible)
            .map(of_triangle)
            .reduce(none, greater)
    };
    (0..scene.instances.len()).into_par_iter().map(of_instance).reduce(none, greater)
}

/// Finds the side that a box of walls leaves open (a stage, a Cornell box), and returns the direction from its middle
/// to a viewer.
///
/// Rays go into each of the box's six faces. A wall stops nine of ten of them at once; the open side lets most of them
/// in, more than half through. `None` unless one side is open, and it is not `up` or down, and the others are walls.
pub(crate) fn open_side(tracer: &dyn Tracer, bounds: &Aabb, up: DVec3) -> Option<DVec3> {
    const GRID: usize = 12;
    let extent: [f32; 3] = std::array::from_fn(|i| bounds.max[i] - bounds.min[i]);
    if extent.iter().any(|&e| !(e > 0.0 && e.is_finite())) {
        return None;
    }
    let mut open = Vec::new();
    for face in 0..6 {
        let (axis, positive) = (face / 2, face % 2 == 1);
        let outwards = if positive { 1.0 } else { -1.0 };
        let margin = 0.01 * extent[axis];
        let rays: Vec<Ray> = (0..GRID * GRID)
            .map(|i| {
                let mut origin = [0.0; 3];
                let mut direction = [0.0; 3];
                direction[axis] = -outwards;
                origin[axis] = if positive { bounds.max[axis] + margin } else { bounds.min[axis] - margin };
                for (k, cell) in [((axis + 1) % 3, i % GRID), ((axis + 2) % 3, i / GRID)] {
                    origin[k] = bounds.min[k] + extent[k] * (cell as f32 + 0.5) / GRID as f32;
                }
                Ray::new(origin, direction)
            })
            .collect();
        let mut hits = vec![Hit::default(); rays.len()];
        tracer.closest(&rays, &[], &mut hits, &mut [], &Control::default()).ok()?;
        // A miss has an infinite t.
        let share = |from: f32, to: f32| {
            let within = |hit: &&Hit| {
                let t = if hit.is_hit() { hit.t / extent[axis] } else { f32::INFINITY };
                (from..=to).contains(&t)
            };
            hits.iter().filter(within).count() as f32 / hits.len() as f32
        };
        let mut towards = DVec3::ZERO;
        towards[axis] = outwards.into();
        if share(0.0, 0.06) >= 0.9 {
            continue;
        }
        if share(0.5, f32::INFINITY) < 0.5 || towards.dot(up).abs() > 0.5 {
            return None;
        }
        open.push(towards);
    }
    // The rays into the side opposite to the open one met its wall.
    if let [side] = open[..] { Some(side) } else { None }
}
