//! Meshes of a caller in f64, rounded as those of a file are.

use super::{Center, look};
use crate::TriangleMesh;

/// Triangle mesh with positions in f64.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DoubleMesh {
    /// Vertex positions, finite.
    pub positions: Vec<[f64; 3]>,
    /// Three vertex indices per triangle.
    pub indices: Vec<[u32; 3]>,
}

/// Rounds meshes to f32 relative to the origin that an importer would choose; returns that origin and the meshes.
///
/// # Panics
/// If a triangle uses a vertex that is not there.
pub fn recentred(meshes: &[DoubleMesh]) -> ([f64; 3], Vec<TriangleMesh>) {
    let round = |center: &mut Center| -> Vec<TriangleMesh> {
        let mut mesh = |DoubleMesh { positions, indices }: &DoubleMesh| {
            let mut rounder = center.in_world();
            let positions = positions.iter().map(|&position| rounder.round(position)).collect();
            center.note(&rounder);
            TriangleMesh { positions, indices: indices.clone(), ..TriangleMesh::default() }
        };
        meshes.iter().map(&mut mesh).collect()
    };
    let mut here = Center::default();
    let rounded = round(&mut here);
    match look(&rounded, &here).0 {
        Some(mut center) => (center.origin, round(&mut center)),
        None => ([0.0; 3], rounded),
    }
}
