//! Answers of rays, and the files that hold them.

use super::{Field, VectorColumn, Vectors};
use super::{csv, npy};
use raywarp_family::Query;
use raywarp_geom::{BatchStats, Hit};
use std::path::Path;
use std::time::Duration;

/// Format of a hit file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HitFormat {
    /// NumPy's binary `.npy` format, written by the module [`npy`].
    #[default]
    Npy,
    /// Comma-separated text, written by the module [`csv`].
    Csv,
}

impl HitFormat {
    /// Returns the format for a file's extension, in any case: `.csv` is text, `.npy` or none is NumPy's, and others
    /// give `None`.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("csv") => Some(Self::Csv),
            Some(extension) if !extension.eq_ignore_ascii_case("npy") => None,
            _ => Some(Self::Npy),
        }
    }

    /// Returns the beginning of a hit file with `count` rows and columns of `fields`, which [`Answers::append`]
    /// continues; `has_origin` is `true` if the scene has an origin ([`Field::is_double`]).
    pub fn start(self, query: Query, count: usize, fields: &[Field], has_origin: bool) -> Vec<u8> {
        match (query, self) {
            (Query::Closest, Self::Npy) => npy::start_hits(count, fields, has_origin),
            (Query::Closest, Self::Csv) => csv::start_hits(fields),
            (Query::Any, Self::Npy) => npy::start_flags(count),
            (Query::Any, Self::Csv) => csv::start_flags(),
        }
    }
}

/// Answers to a batch of rays, in the order of the rays.
#[derive(Debug, Clone, PartialEq)]
pub enum Answers {
    /// Answers to closest-hit queries ([`Query::Closest`](raywarp_family::Query::Closest)).
    Closest {
        /// Nearest hit of each ray; a miss has [`Hit::MISS`] and the ray's `t_max`.
        hits: Vec<Hit>,
        /// Instance that each ray hit; [`Hit::MISS`] for a miss.
        instances: Vec<u32>,
    },
    /// Answers to any-hit queries ([`Query::Any`](raywarp_family::Query::Any)).
    Any {
        /// For each ray `true` if it hits something.
        blocked: Vec<bool>,
    },
}

impl Answers {
    /// Returns empty answers, for a batch of no rays.
    pub fn none(query: Query) -> Self {
        match query {
            Query::Closest => Self::Closest { hits: Vec::new(), instances: Vec::new() },
            Query::Any => Self::Any { blocked: Vec::new() },
        }
    }

    /// Replaces instance ids by ids of the scene file's parts ([`raywarp_scene::Description::parts`]), and numbers the
    /// triangles of a part's instances consecutively.
    pub fn name_parts(&mut self, parts: &[(u32, u32)]) {
        let Self::Closest { hits, instances } = self else { return };
        if parts.is_empty() {
            return;
        }
        for (hit, instance) in hits.iter_mut().zip(instances).filter(|(hit, _)| hit.is_hit()) {
            let (part, before) = parts[*instance as usize];
            (hit.primitive, *instance) = (hit.primitive + before, part);
        }
    }

    /// Returns the number of rays that hit something.
    pub fn hit_count(&self) -> usize {
        match self {
            Self::Closest { hits, .. } => hits.iter().filter(|hit| hit.is_hit()).count(),
            Self::Any { blocked } => blocked.iter().filter(|&&blocked| blocked).count(),
        }
    }

    /// Returns the answers as a whole hit file. `columns` stand behind the hits
    /// ([`surface_columns`](super::surface_columns) makes them); answers of any-hit rays have none.
    ///
    /// # Panics
    /// If a column has another length than the hits.
    pub fn file(&self, format: HitFormat, columns: &[VectorColumn]) -> Vec<u8> {
        let fields: Vec<Field> = columns.iter().map(|column| column.field).collect();
        let (query, count) = match self {
            Self::Closest { hits, .. } => (Query::Closest, hits.len()),
            Self::Any { blocked } => (Query::Any, blocked.len()),
        };
        let has_origin = columns.iter().any(|column| matches!(column.values, Vectors::Double(_)));
        let mut file = format.start(query, count, &fields, has_origin);
        self.append(&mut file, format, columns);
        file
    }

    /// Appends the answers to a hit file that [`HitFormat::start`] began with the same columns.
    ///
    /// # Panics
    /// If a column has another length than the hits.
    pub fn append(&self, file: &mut Vec<u8>, format: HitFormat, columns: &[VectorColumn]) {
        match (self, format) {
            (Self::Closest { hits, instances }, HitFormat::Npy) => npy::append_hits(file, hits, instances, columns),
            (Self::Closest { hits, instances }, HitFormat::Csv) => csv::append_hits(file, hits, instances, columns),
            (Self::Any { blocked }, HitFormat::Npy) => npy::append_flags(file, blocked),
            (Self::Any { blocked }, HitFormat::Csv) => csv::append_flags(file, blocked),
        }
    }
}

impl Default for Answers {
    fn default() -> Self {
        Self::none(Query::Closest)
    }
}

/// Result of tracing a batch: answers, statistics and time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traced {
    /// Answers of the rays.
    pub answers: Answers,
    /// Statistics of the batch: the number of rays, and of invalid ones.
    pub stats: BatchStats,
    /// Wall time of the tracing alone.
    pub elapsed: Duration,
}

impl Traced {
    /// Returns the number of rays traced per second; 0 for no rays.
    pub fn rays_per_s(&self) -> f64 {
        self.stats.rays as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}
