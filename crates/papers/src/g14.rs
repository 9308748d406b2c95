//! Numbers that Guthe 2014 prints, by table.

use serde::Deserialize;

/// Numbers that G14 prints.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct G14 {
    /// The paper's key.
    pub key: String,
    /// Authors, title, where and when.
    pub reference: String,
    /// Table 2: rates of three GPUs.
    pub table_2: Table2,
    /// Section 5: single improvements.
    pub improvements: Improvements,
}

/// G14's Table 2, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table2 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// The GPUs, in the order of the rates.
    pub machines: [String; 3],
    /// A scene in each row.
    pub scene: Vec<ImprovedScene>,
}

/// A scene of Table 2.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImprovedScene {
    /// The scene's name.
    pub name: String,
    /// Numbers of primary rays.
    pub primary: Improvement,
    /// Numbers of ambient occlusion rays.
    pub ao: Improvement,
    /// Numbers of diffuse rays.
    pub diffuse: Improvement,
}

/// Mrays/s of two kernels, by GPU.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Improvement {
    /// The kernel of ALK12.
    pub alk12: [f64; 3],
    /// The improved kernel's rates.
    pub improved: [f64; 3],
}

/// G14's section 5, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Improvements {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// The section's statement, in words.
    pub said: String,
}

impl ImprovedScene {
    /// Returns the Mrays/s of primary, AO and diffuse rays.
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
