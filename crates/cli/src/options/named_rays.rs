//! Files of rays in place of a workload's: `bench --rays` and `simulate --rays`.

use crate::common::Common;
use crate::exit::CliError;
use crate::options::ray_input::{input_name, read};
use raywarp::Ray;
use raywarp::render::query_of_name;
use raywarp::trace::npy::RayFile;
use raywarp_lab::traverse::Query;
use std::fmt;
use std::path::{Path, PathBuf};

/// Rays of a file with their name in tables.
pub struct NamedRays {
    /// Name of the rays: of the file without `.npy`, and without folder where no other file has that name.
    pub name: String,
    /// What the rays ask for.
    pub query: Query,
    pub rays: RayFile,
}

/// Checks that no file is named twice, and records all as inputs.
pub fn check(files: &[PathBuf], common: &Common) -> Result<(), CliError> {
    for (number, path) in files.iter().enumerate() {
        if files[..number].contains(path) {
            return Err(CliError::usage(format!("--rays: {} is named twice", path.display())));
        }
        common.files.reads(path)?;
    }
    Ok(())
}

/// Reads the rays of all files in order. Their query is `query`, or else what their names say.
pub fn read_all(files: &[PathBuf], query: Option<Query>, common: &Common) -> Result<Vec<NamedRays>, CliError> {
    let is_shared = |name: &str| files.iter().filter(|path| short_name(path) == name).count() > 1;
    let file = |path: &PathBuf| {
        let rays = read_valid(path, common)?;
        let short = short_name(path);
        let query = query.unwrap_or_else(|| query_of_name(&short));
        let name = if is_shared(&short) { path.with_extension("").display().to_string() } else { short };
        Ok(NamedRays { name, query, rays })
    };
    files.iter().map(file).collect()
}

/// Parses the query that `--query` names.
pub fn parse_query(text: &str) -> Result<Query, String> {
    Query::ALL.into_iter().find(|query| query.name() == text).ok_or_else(|| "known are closest and any".to_string())
}

/// Returns a ray file's name without folder and `.npy`.
fn short_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_suffix(".npy").map(str::to_string).unwrap_or(name)
}

/// Reads rays that every kernel accepts: at least one, all valid, none that starts behind its origin.
fn read_valid(path: &Path, common: &Common) -> Result<RayFile, CliError> {
    let name = input_name(path);
    let reading = common.activity(format!("reading rays from {name}"));
    let file = read(path)?;
    drop(reading);
    if !file.layout.is_native() {
        common.note(format!("{name}: {}", file.layout));
    }
    if file.rays.is_empty() {
        return Err(CliError::input(format!("{name}: holds no rays")));
    }
    match first_fault(&file.rays) {
        Some((number, fault)) => {
            let byte = file.byte_of_t_min(number);
            Err(CliError::input(format!("{name}: byte {byte}: ray {number} {fault}; leave it out")))
        }
        None => Ok(file),
    }
}

/// Reason why a ray of a file is not timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RayFault {
    /// The ray is none.
    Invalid,
    /// It starts behind its origin.
    Behind,
}

impl fmt::Display for RayFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invalid => "has a NaN, an infinite origin or direction, or a direction of 0",
            Self::Behind => "has a negative t_min, which only some kernels take",
        })
    }
}

/// Returns the number of the first ray that some kernel does not take, and why not.
fn first_fault(rays: &[Ray]) -> Option<(usize, RayFault)> {
    let fault = |ray: &Ray| match ray {
        _ if !ray.is_valid() => Some(RayFault::Invalid),
        _ if ray.t_min < 0.0 => Some(RayFault::Behind),
        _ => None,
    };
    rays.iter().enumerate().find_map(|(number, ray)| Some((number, fault(ray)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_ray_that_is_not_timed_is_found_with_its_fault() {
        let good = Ray::new([0.0, 0.0, 3.0], [0.0, 0.0, -1.0]);
        let of = |ray: Ray| first_fault(&[good, ray, Ray { t_min: -1.0, ..good }]);
        assert_eq!(of(good), Some((2, RayFault::Behind)));
        assert_eq!(of(Ray { t_min: -1.0, ..good }), Some((1, RayFault::Behind)));
        assert_eq!(of(Ray::new([0.0; 3], [f32::NAN, 0.0, 1.0])), Some((1, RayFault::Invalid)));
        assert_eq!(of(Ray::new([f32::INFINITY, 0.0, 0.0], [0.0, 0.0, 1.0])), Some((1, RayFault::Invalid)));
        assert_eq!(of(Ray::new([0.0; 3], [0.0; 3])), Some((1, RayFault::Invalid)));
        assert_eq!(first_fault(&[good]), None);
    }
}
