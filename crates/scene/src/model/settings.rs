//! Settings that a scene file asks of the renderer; each is `None` where the file is silent.

/// A sampler by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplerKind {
    /// Owen-scrambled Sobol points.
    Sobol,
    /// Halton points with padded replication (Keller 2003; W11).
    PaddedHalton,
    /// Independent xorshift32 numbers (L9).
    Xor32,
}

/// A pixel filter; sizes are radii in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FilterKind {
    /// Constant within the radius (0.5: the pixel).
    Box {
        /// Radius in pixels.
        radius: f32,
    },
    /// Linear to zero at the radius.
    Triangle {
        /// Radius in pixels.
        radius: f32,
    },
    /// A Gaussian less its value at the radius.
    Gaussian {
        /// Radius in pixels.
        radius: f32,
        /// Standard deviation in pixels.
        sigma: f32,
    },
    /// Mitchell and Netravali.
    Mitchell {
        /// Radius in pixels.
        radius: f32,
        /// Blur parameter B.
        b: f32,
        /// Ringing parameter C.
        c: f32,
    },
}

/// Settings that a file asks for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// Width and height in pixels.
    pub size: Option<[u32; 2]>,
    /// Samples a pixel.
    pub spp: Option<u32>,
    /// Bounces, 0 being emission only.
    pub max_depth: Option<u32>,
    /// Sampler to render with.
    pub sampler: Option<SamplerKind>,
    /// Pixel filter to render with.
    pub filter: Option<FilterKind>,
    /// Factor on all radiance in the output (pbrt's film `scale` or `iso`).
    pub exposure: Option<f32>,
    /// The part of the picture that is rendered (pbrt's film `cropwindow` and the like), in shares of its size: left,
    /// right, top, bottom.
    pub crop: Option<[f32; 4]>,
    /// Name of the picture (pbrt's film `filename`), as the file has it: folders are those of whoever wrote it.
    pub output: Option<String>,
    /// Direction that is upwards in a file without a camera, where the program that wrote it is known by what it puts
    /// there. Nothing is turned by it: a program that frames the scene may mention it.
    pub likely_up: Option<[f32; 3]>,
}

impl Settings {
    /// Returns [`Self::crop`] in the pixels of a picture of `size`: first column and row, columns and rows. As in pbrt,
    /// a pixel belongs to the part from the next whole number on.
    pub fn crop_in(&self, size: [u32; 2]) -> Option<[[u32; 2]; 2]> {
        let [left, right, top, bottom] = self.crop?;
        // Shares are rounded, so that 0.3 of 10 columns may be a little more than 3.
        let pixel = |share: f32, side: u32| {
            (f64::from(share) * f64::from(side) - 1e-2).ceil().clamp(0.0, f64::from(side)) as u32
        };
        let (x, y) = (pixel(left, size[0]).min(size[0] - 1), pixel(top, size[1]).min(size[1] - 1));
        let end = [pixel(right, size[0]), pixel(bottom, size[1])];
        Some([[x, y], [end[0].saturating_sub(x).max(1), end[1].saturating_sub(y).max(1)]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_picture_has_whole_pixels_and_at_least_one() {
        let part = |crop: [f32; 4], size| Settings { crop: Some(crop), ..Settings::default() }.crop_in(size);
        assert_eq!(Settings::default().crop_in([8, 8]), None);
        assert_eq!(part([0.0, 0.5, 0.0, 0.5], [8, 8]), Some([[0, 0], [4, 4]]));
        assert_eq!(part([0.3, 0.7, 0.1, 1.0], [10, 10]), Some([[3, 1], [4, 9]]));
        assert_eq!(part([0.5, 1.0, 0.0, 1.0], [7, 1]), Some([[4, 0], [3, 1]]));
        assert_eq!(part([0.99, 1.0, 0.0, 0.01], [8, 8]), Some([[7, 0], [1, 1]]));
    }
}
