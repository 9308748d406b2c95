//! Closed meshes whose triangles all turn alike.

use std::collections::HashMap;

type P = [f32; 3];

/// Turns triangles of a closed mesh so that neighbours run along their edge in opposite directions.
pub fn oriented(triangles: &[[P; 3]]) -> Vec<[P; 3]> {
    let bits = |p: P| p.map(|x| (x + 0.0).to_bits());
    let edges = |corners: &[P; 3]| [0, 1, 2].map(|i| (bits(corners[i]), bits(corners[(i + 1) % 3])));
    let mut of_edge: HashMap<_, Vec<usize>> = HashMap::new();
    for (i, corners) in triangles.iter().enumerate() {
        for (from, to) in edges(corners) {
            of_edge.entry((from.min(to), from.max(to))).or_default().push(i);
        }
    }
    let (mut out, mut seen) = (triangles.to_vec(), vec![false; triangles.len()]);
    let mut waiting = Vec::new();
    for start in 0..triangles.len() {
        if !std::mem::replace(&mut seen[start], true) {
            waiting.push(start);
        }
        while let Some(i) = waiting.pop() {
            for (from, to) in edges(&out[i]) {
                for &other in &of_edge[&(from.min(to), from.max(to))] {
                    if !std::mem::replace(&mut seen[other], true) {
                        if edges(&out[other]).contains(&(from, to)) {
                            out[other].swap(0, 1);
                        }
                        waiting.push(other);
                    }
                }
            }
        }
    }
    out
}
