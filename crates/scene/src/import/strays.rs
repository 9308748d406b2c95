//! Vertices that are no points: scans write `nan` where nothing was seen, and use such a vertex in no face.

use raywarp_geom::TriangleMesh;

/// Returns `true` if a word is a number that is not finite as f32, such as `nan`; also `-1.#IND` and `nan(ind)` of some
/// C libraries.
pub(crate) fn is_not_finite(word: &str) -> bool {
    let is_odd =
        |text: &str| ["1.#IND", "1.#QNAN", "1.#INF", "1.#SNAN", "NAN(", "-NAN("].iter().any(|odd| text.contains(odd));
    word.parse().map_or_else(|_| is_odd(&word.to_ascii_uppercase()), |number: f32| !number.is_finite())
}

/// Removes the vertices whose positions are not finite from a mesh and returns their number. The error is the index of
/// one that a triangle uses.
///
/// # Errors
/// The first of them that a triangle uses.
pub(crate) fn leave_out(mesh: &mut TriangleMesh) -> Result<usize, u32> {
    let is_stray = |vertex: u32| !mesh.positions[vertex as usize].iter().all(|x| x.is_finite());
    if let Some(used) = mesh.indices.iter().flatten().copied().filter(|&vertex| is_stray(vertex)).min() {
        return Err(used);
    }
    // Of each vertex, its new number.
    let mut kept = 0;
    let renumbered: Vec<Option<u32>> = (0..mesh.positions.len() as u32)
        .map(|vertex| {
            let number = (!is_stray(vertex)).then_some(kept);
            kept += u32::from(number.is_some());
            number
        })
        .collect();
    fn keep<T>(values: &mut Vec<T>, renumbered: &[Option<u32>]) {
        let mut vertices = renumbered.iter();
        values.retain(|_| vertices.next().is_some_and(Option::is_some));
    }
    keep(&mut mesh.positions, &renumbered);
    keep(&mut mesh.normals, &renumbered);
    keep(&mut mesh.tangents, &renumbered);
    keep(&mut mesh.uvs, &renumbered);
    keep(&mut mesh.uvs1, &renumbered);
    keep(&mut mesh.colors, &renumbered);
    for corner in mesh.indices.iter_mut().flatten() {
        *corner = renumbered[*corner as usize].unwrap_or_default();
    }
    Ok(renumbered.len() - kept as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_told_from_what_is_no_number() {
        for word in ["nan", "NaN", "-inf", "infinity", "1e39", "-1.#IND", "1.#QNAN", "-nan(ind)"] {
            assert!(is_not_finite(word), "{word}");
        }
        for word in ["0", "1e38", "zero", "#", "1,0", ""] {
            assert!(!is_not_finite(word), "{word}");
        }
    }

    #[test]
    fn strays_go_and_what_follows_them_is_renumbered() {
        let at = |x: f32| [x, 0.0, 0.0];
        let mut mesh = TriangleMesh {
            positions: vec![at(f32::NAN), at(1.0), at(2.0), at(f32::INFINITY), at(4.0)],
            indices: vec![[1, 2, 4]],
            uvs: vec![[0.0; 2], [1.0; 2], [2.0; 2], [3.0; 2], [4.0; 2]],
            ..TriangleMesh::default()
        };
        let mut used = TriangleMesh { indices: vec![[1, 2, 4], [2, 4, 3], [0, 1, 2]], ..mesh.clone() };
        assert_eq!(leave_out(&mut mesh), Ok(2));
        assert_eq!((mesh.positions, mesh.indices), (vec![at(1.0), at(2.0), at(4.0)], vec![[0, 1, 2]]));
        assert_eq!(mesh.uvs, [[1.0; 2], [2.0; 2], [4.0; 2]]);
        assert_eq!(leave_out(&mut used), Err(0));
    }
}
