//! What rays of a simulation are called, and whose they are: of a workload's kind, or the caller's own.

use raywarp_geom::Ray;
use raywarp_traverse::Query;
use raywarp_workload::rays::RayKind;
use std::sync::Arc;

/// Rays that have rows of their own in a simulation's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TracedRays {
    /// Rays of a kind, as a workload makes them.
    Kind(RayKind),
    /// Rays that the caller gave, of a file for instance.
    Own {
        /// Name of the rays in reports.
        name: &'static str,
        /// `true` if they ask for any hit, `false` if for the closest one.
        any: bool,
    },
}

/// Rays that the caller gives, in place of a workload's.
#[derive(Debug, Clone)]
pub struct OwnRays {
    /// Name of the rays in reports.
    pub name: &'static str,
    /// `true` if they ask for any hit, `false` if for the closest one.
    pub any: bool,
    /// Rays of one launch, relative to the scene's origin.
    pub rays: Arc<[Ray]>,
}

impl OwnRays {
    /// Returns what the rays are called.
    pub fn traced(&self) -> TracedRays {
        TracedRays::Own { name: self.name, any: self.any }
    }
}

impl TracedRays {
    /// Returns the name of the rays in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kind(kind) => kind.name(),
            Self::Own { name, .. } => name,
        }
    }

    /// Returns the kind of a workload's rays; `None` for the caller's own.
    pub fn kind(self) -> Option<RayKind> {
        match self {
            Self::Kind(kind) => Some(kind),
            Self::Own { .. } => None,
        }
    }

    /// Returns the query of the rays: closest hit or any hit.
    pub fn query(self) -> Query {
        let any = match self {
            Self::Kind(kind) => kind.is_any(),
            Self::Own { any, .. } => any,
        };
        if any { Query::Any } else { Query::Closest }
    }

    /// Returns the name of the rays, with the query where the name does not say it.
    pub(crate) fn name_with_query(self) -> String {
        match (self, self.query()) {
            (Self::Kind(kind), _) => kind.name().to_string(),
            (Self::Own { name, .. }, Query::Closest) => format!("{name} (closest-hit)"),
            (Self::Own { name, .. }, Query::Any) => format!("{name} (any-hit)"),
        }
    }
}

impl From<RayKind> for TracedRays {
    fn from(kind: RayKind) -> Self {
        Self::Kind(kind)
    }
}

impl PartialEq<TracedRays> for RayKind {
    fn eq(&self, rays: &TracedRays) -> bool {
        rays == self
    }
}

impl PartialEq<RayKind> for TracedRays {
    fn eq(&self, kind: &RayKind) -> bool {
        self.kind() == Some(*kind)
    }
}
