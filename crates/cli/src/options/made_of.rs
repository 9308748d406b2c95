//! Options for one material of all surfaces in place of their own: `--clay` and `--made-of`.

use clap::ValueEnum;
use raywarp::scene::MadeOf;

/// Materials that `--made-of` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MadeOfArg {
    /// Reflects 0.9, perfectly.
    Mirror,
    /// Smooth, of index 1.5.
    Glass,
    /// Diffuse; from triangle to triangle 0.06 to 0.94.
    Speckles,
    /// Clay of 0.7 that lets half of all rays through.
    Holes,
}

/// Returns the material for all surfaces from `--clay` and `--made-of`, of which at most one is given.
pub fn made_of(clay: Option<f32>, other: Option<MadeOfArg>) -> Option<MadeOf> {
    let other = other.map(|other| match other {
        MadeOfArg::Mirror => MadeOf::Mirror,
        MadeOfArg::Glass => MadeOf::Glass,
        MadeOfArg::Speckles => MadeOf::Speckles,
        MadeOfArg::Holes => MadeOf::Holes,
    });
    other.or(clay.map(MadeOf::Clay))
}
