//! Table 1 of AL09: SIMD efficiencies (%) of traversal and intersection, and the rates of its simulator, on scenes of 2009.

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

/// A row of simulated rates on a GTX 285.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Name of the kernel in the family's rows.
    pub name: &'static str,
    /// Primary, AO, diffuse: Mrays/s, the mean of five viewpoints.
    pub simulated: [f64; 3],
}

const fn rates(name: &'static str, simulated: [f64; 3]) -> Rates {
    Rates { name, simulated }
}

/// Conference's rates.
pub const CONFERENCE_RATES: [Rates; 7] = [
    rates("al09-packet", [149.2, 100.7, 36.7]),
    rates("al09-while-while", [166.7, 160.7, 81.4]),
    rates("al09-if-if", [129.3, 131.6, 70.5]),
    rates("al09-spec-if-if", [132.9, 139.2, 76.5]),
    rates("al09-persistent-packet", [149.2, 100.7, 36.7]),
    rates("al09-persistent-while-while", [166.7, 160.7, 81.4]),
    rates("al09-persistent-spec-while-while", [165.7, 169.1, 92.9]),
];

/// Sibenik's rates.
pub const SIBENIK_RATES: [Rates; 7] = [
    rates("al09-packet", [116.1, 93.6, 30.5]),
    rates("al09-while-while", [130.8, 124.4, 58.5]),
    rates("al09-if-if", [97.0, 99.5, 51.7]),
    rates("al09-spec-if-if", [99.6, 107.7, 58.6]),
    rates("al09-persistent-packet", [116.1, 93.6, 30.5]),
    rates("al09-persistent-while-while", [130.8, 124.4, 58.5]),
    rates("al09-persistent-spec-while-while", [128.4, 132.8, 70.0]),
];

/// AL09's simulated rates of a kernel on a scene that we have in some version: `sibenik` or `conference`.
pub fn simulated(scene: &str, name: &str) -> Option<[f64; 3]> {
    let rows = match scene {
        "sibenik" => &SIBENIK_RATES,
        "conference" => &CONFERENCE_RATES,
        _ => return None,
    };
    rows.iter().find(|row| row.name == name).map(|row| row.simulated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_one_of_the_familys() {
        let names = SIBENIK.iter().chain(&CONFERENCE).map(|row| row.name);
        for name in names.chain(SIBENIK_RATES.iter().chain(&CONFERENCE_RATES).map(|row| row.name)) {
            assert!(raywarp_family::papers().iter().any(|paper| paper.name == name), "{name}");
        }
    }

    #[test]
    fn a_persistent_supply_leaves_efficiency_as_it_is() {
        for scene in ["sibenik", "conference"] {
            assert_eq!(cells(scene, "al09-while-while"), cells(scene, "al09-persistent-while-while"));
            assert_eq!(simulated(scene, "al09-while-while"), simulated(scene, "al09-persistent-while-while"));
            assert_eq!(simulated(scene, "al09-packet"), simulated(scene, "al09-persistent-packet"));
        }
        assert_eq!(cells("fairy", "al09-if-if"), None);
    }
}
