//! Table 1 of AL09: SIMD efficiencies (%) of traversal and intersection, on scenes of 2009.

/// A cell: traversal and intersection efficiency in per cent.
pub type Cell = [u32; 2];

/// A row of the table for one scene: name of our row, and the cells of primary, AO and diffuse rays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Name of the kernel in the family's rows.
    pub name: &'static str,
    /// Primary, AO, diffuse.
    pub cells: [Cell; 3],
}

const fn row(name: &'static str, cells: [Cell; 3]) -> Row {
    Row { name, cells }
}

/// Conference, 282 K triangles (ours is another version: 331 K).
pub const CONFERENCE: [Row; 5] = [
    row("al09-while-while", [[78, 63], [57, 39], [42, 35]]),
    row("al09-if-if", [[81, 56], [65, 31], [54, 26]]),
    row("al09-spec-if-if", [[86, 60], [71, 35], [61, 29]]),
    row("al09-persistent-while-while", [[78, 63], [57, 39], [42, 35]]),
    row("al09-persistent-spec-while-while", [[86, 61], [69, 37], [57, 34]]),
];

/// Sibenik, 80 K triangles (ours is the repaired version of 75 K), the papers' viewpoints.
pub const SIBENIK: [Row; 5] = [
    row("al09-while-while", [[82, 67], [57, 43], [40, 43]]),
    row("al09-if-if", [[82, 59], [63, 35], [54, 30]]),
    row("al09-spec-if-if", [[87, 63], [71, 40], [64, 36]]),
    row("al09-persistent-while-while", [[82, 67], [57, 43], [40, 43]]),
    row("al09-persistent-spec-while-while", [[90, 64], [70, 41], [57, 40]]),
];

/// What AL09 found for a kernel on a scene that we have in some version: `sibenik` or `conference`.
pub fn cells(scene: &str, name: &str) -> Option<[Cell; 3]> {
    let rows = match scene {
        "sibenik" => &SIBENIK,
        "conference" => &CONFERENCE,
        _ => return None,
    };
    rows.iter().find(|row| row.name == name).map(|row| row.cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_one_of_the_familys() {
        for row in SIBENIK.iter().chain(&CONFERENCE) {
            assert!(raywarp_family::papers().iter().any(|paper| paper.name == row.name), "{}", row.name);
        }
    }

    #[test]
    fn a_persistent_supply_leaves_efficiency_as_it_is() {
        for scene in ["sibenik", "conference"] {
            assert_eq!(cells(scene, "al09-while-while"), cells(scene, "al09-persistent-while-while"));
        }
        assert_eq!(cells("fairy", "al09-if-if"), None);
    }
}
