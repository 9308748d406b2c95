//! Recognition of rays that lie side by side.

use raywarp_geom::Ray;

/// Number of rays in a group: those that a warp of a GPU traces together.
const GROUP: usize = 32;
/// Approximate largest number of groups that are sampled.
const MOST_GROUPS: usize = 4096;
/// Smallest cosine between two ray directions that count as similar: that of 20 degrees.
const ALIKE: f32 = 0.94;

/// Returns `true` if rays are in an order as coherent as a camera's: in four of five groups of 32 consecutive rays,
/// directions differ by less than 20 degrees from the first. Of many rays, some thousands of evenly spread groups are
/// looked at.
pub fn are_coherent(rays: &[Ray]) -> bool {
    let groups = rays.len() / GROUP;
    let alike = |group: usize| {
        let unit = |ray: &Ray| {
            let length = ray.direction.iter().map(|d| d * d).sum::<f32>().sqrt();
            ray.direction.map(|d| d / length)
        };
        let group = &rays[GROUP * group..][..GROUP];
        let first = unit(&group[0]);
        group.iter().all(|ray| unit(ray).iter().zip(first).map(|(a, b)| a * b).sum::<f32>() > ALIKE)
    };
    let looked: Vec<usize> = (0..groups).step_by((groups / MOST_GROUPS).max(1)).collect();
    let count = looked.iter().filter(|&&group| alike(group)).count();
    !looked.is_empty() && 5 * count >= 4 * looked.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(count: usize) -> Vec<Ray> {
        let ray = |i: usize| Ray::new([0.0; 3], [(i % 64) as f32 * 0.01, (i / 64 % 48) as f32 * 0.01, 1.0]);
        (0..count).map(ray).collect()
    }

    fn scattered(count: usize) -> Vec<Ray> {
        let sine = |i: usize, k: f32| (i as f32 * k).sin();
        (0..count).map(|i| Ray::new([0.0; 3], [sine(i, 1.1), sine(i, 2.3), sine(i, 3.7)])).collect()
    }

    #[test]
    fn a_cameras_rays_are_coherent_and_scattered_ones_are_not() {
        for count in [32, 1000, 300_000] {
            assert!(are_coherent(&camera(count)) && !are_coherent(&scattered(count)), "{count}");
        }
    }

    #[test]
    fn it_goes_by_the_most_groups_and_not_by_the_length_of_directions() {
        let mut rays = camera(3200);
        for (i, ray) in rays.iter_mut().enumerate() {
            ray.direction = ray.direction.map(|d| d * (1.0 + i as f32));
        }
        assert!(are_coherent(&rays));
        // A tenth of the groups.
        rays.splice(0..320, scattered(320));
        assert!(are_coherent(&rays));
        rays.splice(0..960, scattered(960));
        assert!(!are_coherent(&rays));
    }

    #[test]
    fn too_few_rays_and_invalid_ones_are_not_coherent() {
        assert!(!are_coherent(&[]) && !are_coherent(&camera(31)));
        assert!(!are_coherent(&[Ray::new([0.0; 3], [0.0; 3]); 64]));
        assert!(!are_coherent(&[Ray::new([0.0; 3], [f32::NAN; 3]); 64]));
    }
}
