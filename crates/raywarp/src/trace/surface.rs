//! Points and normals of the surfaces that rays hit, in world space.

use super::Answers;
use rayon::prelude::*;
use raywarp_geom::Hit;
use raywarp_scene::Description;
use std::fmt;
use std::str::FromStr;

/// Surface quantity that a further column of a hit file may hold: three numbers per hit, in world space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Point that was hit, computed from the barycentric weights u and v: nearer to the triangle than `origin + t *
    /// direction`.
    Position,
    /// Unit normal of the triangle on its front, from which its corners turn counter-clockwise in the mesh's own space;
    /// a mirrored instance keeps its front. Shading normals of the file have no part in it.
    Normal,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "position",
            Self::Normal => "normal",
        })
    }
}

impl FromStr for Field {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "position" => Ok(Self::Position),
            "normal" => Ok(Self::Normal),
            _ => Err("known are position and normal".to_string()),
        }
    }
}

/// Further column of a hit file: the values of one field for all rays.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorColumn {
    /// Field that the column holds, whose name is the column's in files.
    pub field: Field,
    /// Values of the field, one entry per ray; NaN for a miss.
    pub values: Vectors,
}

/// Vectors of a column, in float32 or float64.
#[derive(Debug, Clone, PartialEq)]
pub enum Vectors {
    /// Vectors of float32.
    Single(Vec<[f32; 3]>),
    /// Vectors of float64, for positions in a scene with an origin.
    Double(Vec<[f64; 3]>),
}

impl Vectors {
    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        match self {
            Self::Single(values) => values.len(),
            Self::Double(values) => values.len(),
        }
    }

    /// Returns the vector at `index`.
    ///
    /// # Panics
    /// If there are not as many vectors.
    pub fn get(&self, index: usize) -> [f64; 3] {
        match self {
            Self::Single(values) => values[index].map(f64::from),
            Self::Double(values) => values[index],
        }
    }

    /// Returns `true` if there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Field {
    /// Returns `true` if hit files hold this field in float64, given whether the scene has an origin.
    pub fn is_double(self, has_origin: bool) -> bool {
        has_origin && self == Self::Position
    }
}

/// Computes the columns of `fields` for all hits, in f64, in parallel; none for any-hit answers. A field that is named
/// twice comes once. Positions are in the file's coordinates.
///
/// # Panics
/// If the answers are not of this scene: ids out of range.
pub fn surface_columns(scene: &Description, answers: &Answers, fields: &[Field]) -> Vec<VectorColumn> {
    let Answers::Closest { hits, instances } = answers else { return Vec::new() };
    let first = |(i, field): &(usize, &Field)| !fields[..*i].contains(field);
    let column = |(_, &field): (usize, &Field)| {
        let pairs = hits.par_iter().zip(instances);
        let value = |(hit, &instance): (&Hit, &u32)| {
            if hit.is_hit() { surface_value(scene, field, hit, instance) } else { [f64::NAN; 3] }
        };
        let values = if field.is_double(scene.origin != [0.0; 3]) {
            let in_file = |p: [f64; 3]| std::array::from_fn(|i| p[i] + scene.origin[i]);
            Vectors::Double(pairs.map(value).map(in_file).collect())
        } else {
            Vectors::Single(pairs.map(value).map(|v| v.map(|x| x as f32)).collect())
        };
        VectorColumn { field, values }
    };
    fields.iter().enumerate().filter(first).map(column).collect()
}

/// Returns a field's value at a hit, in f64, relative to the scene's origin.
fn surface_value(scene: &Description, field: Field, hit: &Hit, instance: u32) -> [f64; 3] {
    let instance = &scene.instances[instance as usize];
    let mesh = &scene.meshes[instance.mesh.index()].triangles;
    // Rounded to f32 as in `flatten`: these are the triangles that rays meet.
    let world = mesh.corners(hit.primitive as usize).map(|point| instance.transform.point(point));
    let [a, b, c] = world.map(|point| point.map(f64::from));
    let minus = |p: [f64; 3]| -> [f64; 3] { std::array::from_fn(|i| p[i] - a[i]) };
    let (ab, ac) = (minus(b), minus(c));
    match field {
        Field::Position => {
            let (u, v) = (f64::from(hit.u), f64::from(hit.v));
            std::array::from_fn(|i| a[i] + u * ab[i] + v * ac[i])
        }
        Field::Normal => {
            let cross: [f64; 3] = std::array::from_fn(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                ab[j] * ac[k] - ab[k] * ac[j]
            });
            let length = cross.iter().map(|x| x * x).sum::<f64>().sqrt();
            let length = if instance.transform.determinant() < 0.0 { -length } else { length };
            cross.map(|x| x / length)
        }
    }
}
