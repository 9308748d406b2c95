//! Neighbourhoods in a mesh under subdivision: edges, creases, rings and fans, with the weights
//! and normals that depend on them. [`super::loop_subdivision`] has the sources.

use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Edge of a mesh with the vertices opposite to it.
pub(super) struct Edge {
    pub ends: [u32; 2],
    /// Opposite vertices in the edge's two triangles; `None` for a crease, which has not exactly two.
    pub opposite: Option<[u32; 2]>,
}

/// Topology of a mesh: its edges, and the neighbours of each vertex.
pub(super) struct Topology {
    pub edges: Vec<Edge>,
    /// Index in `edges` of each triangle's three edges: edge k runs from corner k to the next.
    pub of_triangle: Vec<[u32; 3]>,
    /// Neighbours of all vertices along edges; those of vertex v are `neighbours[start[v]..start[v + 1]]`.
    neighbours: Vec<u32>,
    start: Vec<u32>,
    /// Crease edges at each vertex, given by their other ends: none for inner vertices, two on a smooth crease.
    creases: Vec<Crease>,
}

#[derive(Clone, Copy, PartialEq)]
enum Crease {
    None,
    One(u32),
    Two([u32; 2]),
    More,
}

impl Topology {
    pub fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        // Sorted by ends, so that the triangles of an edge are adjacent: (low, high, triangle, corner).
        let mut halves: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(triangles.len() * 3);
        for (t, triangle) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                halves.push((a.min(b), a.max(b), t as u32, k as u8));
            }
        }
        halves.sort_unstable();
        let mut edges = Vec::with_capacity(halves.len() / 2);
        let mut of_triangle = vec![[0; 3]; triangles.len()];
        let corner = |half: &(u32, u32, u32, u8), i: u8| triangles[half.2 as usize][(half.3 + i) as usize % 3];
        for group in halves.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for half in group {
                of_triangle[half.2 as usize][half.3 as usize] = edges.len() as u32;
            }
            let opposite = match group {
                [a, b] if corner(a, 0) != corner(b, 0) => Some([corner(a, 2), corner(b, 2)]),
                _ => None,
            };
            edges.push(Edge { ends: [group[0].0, group[0].1], opposite });
        }
        let mut start = vec![0u32; vertices + 1];
        let mut creases = vec![Crease::None; vertices];
        for edge in edges.iter().filter(|edge| edge.ends[0] != edge.ends[1]) {
            for (end, other) in [(0, 1), (1, 0)] {
                let vertex = edge.ends[end] as usize;
                start[vertex + 1] += 1;
                if edge.opposite.is_none() {
                    creases[vertex] = match creases[vertex] {
                        Crease::None => Crease::One(edge.ends[other]),
                        Crease::One(first) => Crease::Two([first, edge.ends[other]]),
                        _ => Crease::More,
                    };
                }
            }
        }
        for v in 0..vertices {
            start[v + 1] += start[v];
        }
        let mut fill = start.clone();
        let mut neighbours = vec![0; start[vertices] as usize];
        for edge in edges.iter().filter(|edge| edge.ends[0] != edge.ends[1]) {
            for (end, other) in [(0, 1), (1, 0)] {
                let slot = &mut fill[edge.ends[end] as usize];
                neighbours[*slot as usize] = edge.ends[other];
                *slot += 1;
            }
        }
        Self { edges, of_triangle, neighbours, start, creases }
    }

    fn ring(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.start[vertex] as usize..self.start[vertex + 1] as usize]
    }

    /// Returns the weighted sum of a vertex, by `1 - n weight`, and its n neighbours, by `weight`; on a crease of the
    /// two along it.
    pub fn weigh(&self, points: &[DVec3], vertex: usize, crease: f64, inside: impl Fn(f64) -> f64) -> DVec3 {
        let ring = match &self.creases[vertex] {
            Crease::None => self.ring(vertex),
            Crease::Two(pair) => pair.as_slice(),
            _ => return points[vertex],
        };
        if ring.is_empty() {
            return points[vertex];
        }
        let n = ring.len() as f64;
        let weight = if self.creases[vertex] == Crease::None { inside(n) } else { crease };
        let sum: DVec3 = ring.iter().map(|&i| points[i as usize]).sum();
        points[vertex] * (1.0 - n * weight) + sum * weight
    }

    pub fn limit(&self, points: &[DVec3], vertex: usize) -> DVec3 {
        self.weigh(points, vertex, 1.0 / 5.0, |n| 1.0 / (n + 3.0 / (8.0 * beta(n))))
    }

    /// Computes unnormalised vertex normals of the limit surface from its tangents. Where the triangles around a vertex
    /// form no fan, it is the sum of their own normals.
    pub fn normals(&self, points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
        // Triangles around each vertex: for a corner v of (v, a, b) the pair a, b.
        let mut first = vec![0u32; points.len() + 1];
        for &corner in triangles.iter().flatten() {
            first[corner as usize + 1] += 1;
        }
        for v in 0..points.len() {
            first[v + 1] += first[v];
        }
        let mut fill = first.clone();
        let mut pairs = vec![[0u32; 2]; triangles.len() * 3];
        for triangle in triangles {
            for k in 0..3 {
                let slot = &mut fill[triangle[k] as usize];
                pairs[*slot as usize] = [triangle[(k + 1) % 3], triangle[(k + 2) % 3]];
                *slot += 1;
            }
        }
        (0..points.len())
            .map(|v| {
                let around = &mut pairs[first[v] as usize..first[v + 1] as usize];
                match sort_fan(around) {
                    Some(true) => interior_normal(points, around),
                    Some(false) => boundary_normal(points, v, around),
                    None => {
                        let p = points[v];
                        around.iter().map(|&[a, b]| (points[b as usize] - p).cross(points[a as usize] - p)).sum()
                    }
                }
            })
            .collect()
    }
}

/// Returns Loop's weight of each neighbour of an inner vertex with `n` neighbours.
pub(super) fn beta(n: f64) -> f64 {
    if n == 3.0 { 3.0 / 16.0 } else { 3.0 / (8.0 * n) }
}

/// Sorts the vertex pairs around a vertex so that each ends where the next begins: a fan. It is `Some(true)` when they
/// close, `Some(false)` for an open fan, `None` when they are neither.
fn sort_fan(pairs: &mut [[u32; 2]]) -> Option<bool> {
    if pairs.is_empty() {
        return None;
    }
    // Sorted, so that a fan of a million triangles takes no million squared.
    pairs.sort_unstable();
    if pairs.windows(2).any(|two| two[0][0] == two[1][0]) {
        return None;
    }
    let after = |end: u32| pairs.binary_search_by_key(&end, |pair| pair[0]).ok();
    let mut is_next = vec![false; pairs.len()];
    for pair in pairs.iter() {
        if let Some(next) = after(pair[1]) {
            is_next[next] = true;
        }
    }
    // An open fan begins where nothing ends.
    let open = is_next.iter().position(|&next| !next);
    let mut chain = Vec::with_capacity(pairs.len());
    let mut at = open.unwrap_or(0);
    for _ in 0..pairs.len() {
        chain.push(pairs[at]);
        match after(pairs[at][1]) {
            Some(next) => at = next,
            None => break,
        }
    }
    let closed = chain[chain.len() - 1][1] == chain[0][0];
    // Two fans that meet in the vertex leave a chain too short, or one that runs round twice.
    let first_again = chain.iter().skip(1).any(|pair| pair[0] == chain[0][0]);
    if chain.len() < pairs.len() || first_again || closed != open.is_none() {
        return None;
    }
    pairs.copy_from_slice(&chain);
    Some(closed)
}

fn interior_normal(points: &[DVec3], fan: &[[u32; 2]]) -> DVec3 {
    let (mut s, mut t) = (DVec3::ZERO, DVec3::ZERO);
    for (j, pair) in fan.iter().enumerate() {
        let angle = TAU * j as f64 / fan.len() as f64;
        s += points[pair[0] as usize] * angle.cos();
        t += points[pair[0] as usize] * angle.sin();
    }
    // Clockwise, as pbrt walks.
    t.cross(s)
}

fn boundary_normal(points: &[DVec3], vertex: usize, fan: &[[u32; 2]]) -> DVec3 {
    let ring: Vec<DVec3> =
        fan.iter().map(|pair| pair[0]).chain([fan[fan.len() - 1][1]]).map(|i| points[i as usize]).collect();
    let n = ring.len();
    let p = points[vertex];
    let along = ring[n - 1] - ring[0];
    let across = match n {
        2 => ring[0] + ring[1] - p * 2.0,
        3 => ring[1] - p,
        4 => -ring[0] + ring[1] * 2.0 + ring[2] * 2.0 - ring[3] - p * 2.0,
        _ => {
            let theta = PI / (n - 1) as f64;
            let mut sum = (ring[0] + ring[n - 1]) * theta.sin();
            for (k, point) in ring.iter().enumerate().take(n - 1).skip(1) {
                sum += *point * ((2.0 * theta.cos() - 2.0) * (k as f64 * theta).sin());
            }
            -sum
        }
    };
    along.cross(across)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fans_are_sorted_whole_or_not_at_all() {
        let check = |pairs: &[[u32; 2]], want: Option<bool>| {
            let mut sorted = pairs.to_vec();
            assert_eq!(sort_fan(&mut sorted), want, "{pairs:?}");
            if want.is_some() {
                assert!(sorted.windows(2).all(|two| two[0][1] == two[1][0]), "{sorted:?}");
            }
        };
        check(&[[3, 1], [1, 2], [2, 3]], Some(true));
        check(&[[2, 9], [7, 1], [1, 2]], Some(false));
        check(&[[1, 2]], Some(false));
        // Two loops, a loop and a fan, two fans, two triangles the same way round, nothing.
        check(&[[1, 2], [2, 1], [3, 4], [4, 3]], None);
        check(&[[1, 2], [2, 1], [3, 4]], None);
        check(&[[1, 2], [3, 4]], None);
        check(&[[1, 2], [1, 3]], None);
        check(&[[1, 2], [3, 2]], None);
        check(&[], None);
        // A big fan in a bad order.
        let n = 100_000;
        let mut fan: Vec<[u32; 2]> = (0..n).map(|i| [i, (i + 1) % n]).collect();
        fan.reverse();
        check(&fan, Some(true));
    }
}
