//! Parameters that nothing reads, because they cannot change a picture but for its noise.
//!
//! What could change one is used, or warned about where it is met. A test feeds every parameter that the
//! documentation of pbrt's versions has, and fails on one that is neither used, warned about nor here.

use super::params::Params;

/// Parameters that are ignored on purpose: directive or material, parameter (`*` for all), and the reason.
pub(super) const IGNORED: &[(&str, &str, &str)] = &[
    ("Accelerator", "*", "a tree changes how long rays take, not what they hit"),
    (
        "Film",
        "diagonal",
        "the size of the film behind a realistic camera's lens, which a pinhole replaces with a warning",
    ),
    ("Film", "savefp16", "the precision of the files that pbrt itself writes"),
    ("Integrator", "lightsamplestrategy", "which lights are asked more often is noise"),
    ("Integrator", "lightsampler", "which lights are asked more often is noise"),
    ("Integrator", "rrthreshold", "where paths end by chance is noise"),
    ("Light", "nsamples", "how often a light is asked is noise"),
    ("Light", "samples", "how often a light is asked is noise"),
    ("Material coated", "nsamples", "how often light between layers is followed is noise"),
    ("Material translucent", "remaproughness", "of the gloss, which is left out with a warning"),
    ("Material translucent", "roughness", "of the gloss, which is left out with a warning"),
    ("Medium", "g", "where light scatters to; that it scatters is left out with a warning"),
    ("Sampler", "dimensions", "which points are drawn is noise; `PictureRequest::seed` draws others"),
    ("Sampler", "randomization", "which points are drawn is noise; `PictureRequest::seed` draws others"),
    ("Sampler", "seed", "which points are drawn is noise; `PictureRequest::seed` draws others"),
    ("Shape", "faceIndices", "the faces of ptex textures, which are replaced with a warning"),
    ("Shape", "scheme", "pbrt knows one scheme of subdivision"),
    ("Texture", "aamode", "how a texture is averaged within a pixel, which the pixel's samples do here"),
    ("Texture", "maxanisotropy", "how a texture is averaged within a pixel, which the pixel's samples do here"),
    ("Texture", "trilinear", "how a texture is averaged within a pixel, which the pixel's samples do here"),
];

impl Params {
    /// Marks those parameters as used that [`IGNORED`] lists for `of`, so that no warning comes.
    pub fn ignore_known(&self, of: &str) {
        for (_, name, _) in IGNORED.iter().filter(|(directive, ..)| *directive == of) {
            self.cover(&[name]);
        }
    }

    /// Marks the parameters `names` as used, since a warning already covers the whole directive.
    pub fn cover(&self, names: &[&str]) {
        for name in names {
            self.find(name);
        }
    }
}
