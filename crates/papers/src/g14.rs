//! Numbers that Guthe 2014 prints, by table.

use serde::Deserialize;

/// Tables and figures printed in G14 (Guthe 2014).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct G14 {
    /// Citation key of the paper: `G14`.
    pub key: String,
    /// Bibliographic reference of the paper: author, title, venue and year.
    pub reference: String,
    /// Table 2: rates in Mrays/s on three GPUs.
    pub table_2: G14Table2,
    /// Section 5: effect of each single improvement of the kernel.
    pub improvements: Improvements,
}

/// Table 2 of the paper: rates in Mrays/s on three GPUs of the kernel of ALK12 and of the improved one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct G14Table2 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Names of the GPUs, in the order of the rates.
    pub machines: [String; 3],
    /// Rows of the table, one for each scene.
    pub scene: Vec<ImprovedScene>,
}

/// Row of Table 2: a scene with its rates for each kind of rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImprovedScene {
    /// Name of the scene.
    pub name: String,
    /// Rates for primary rays, of both kernels.
    pub primary: Improvement,
    /// Rates for ambient occlusion rays, of both kernels.
    pub ao: Improvement,
    /// Rates for diffuse rays, of both kernels.
    pub diffuse: Improvement,
}

/// Rates in Mrays/s of two kernels, with an entry for each GPU.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Improvement {
    /// Rates of the kernel of ALK12 in Mrays/s, by GPU.
    pub alk12: [f64; 3],
    /// Rates of the paper's improved kernel in Mrays/s, by GPU.
    pub improved: [f64; 3],
}

/// Section 5 of the paper: effect of each single improvement of the kernel.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Improvements {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Statement of the section, in words.
    pub said: String,
}

impl ImprovedScene {
    /// Returns the rates for primary, AO and diffuse rays, in this order.
    pub fn kinds(&self) -> [Improvement; 3] {
        [self.primary, self.ao, self.diffuse]
    }
}

#[cfg(test)]
mod tests {
    use crate::g14;

    #[test]
    fn the_papers_speedups_follow_from_its_rates() {
        let printed = |scene: usize, kind: usize| -> Vec<String> {
            let rates = g14().table_2.scene[scene].kinds()[kind];
            let gains = rates.alk12.iter().zip(rates.improved).map(|(before, after)| after / before - 1.0);
            gains.map(|gain| format!("{:.1}", 100.0 * gain)).collect()
        };
        // As printed in the paper's last rows, which round their own digits.
        assert_eq!(printed(0, 0), ["1.9", "14.8", "13.7"]);
        assert_eq!(printed(2, 0), ["-6.7", "6.6", "-0.7"]);
        assert_eq!(printed(2, 1), ["2.0", "20.1", "19.0"]);
        assert_eq!(printed(3, 2), ["19.1", "5.1", "11.6"]);
    }
}
