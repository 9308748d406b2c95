//! Settings that a scene file asks of the renderer; each is `None` where the file is silent.

/// Kind of sampler that a file asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplerKind {
    /// Sampler of Owen-scrambled Sobol points.
    Sobol,
    /// Sampler of Halton points with padded replication (Keller 2003; W11).
    PaddedHalton,
    /// Sampler of independent xorshift32 numbers (L9).
    Xor32,
}

/// Pixel reconstruction filter; sizes are radii in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FilterKind {
    /// Box filter, constant within the radius (0.5: the pixel).
    Box {
        /// Radius of the filter in pixels.
        radius: f32,
    },
    /// Triangle filter, which falls linearly to zero at the radius.
    Triangle {
        /// Radius of the filter in pixels.
        radius: f32,
    },
    /// Gaussian filter, minus its value at the radius.
    Gaussian {
        /// Radius of the filter in pixels.
        radius: f32,
        /// Standard deviation of the Gaussian in pixels.
        sigma: f32,
    },
    /// Filter of Mitchell and Netravali with the parameters B and C.
    Mitchell {
        /// Radius of the filter in pixels.
        radius: f32,
        /// Parameter B of the filter, for blur.
        b: f32,
        /// Parameter C of the filter, for ringing.
        c: f32,
    },
}

/// Render settings that a scene file asks for; `None` where it is silent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// Width and height of the picture in pixels.
    pub size: Option<[u32; 2]>,
    /// Number of samples per pixel.
    pub spp: Option<u32>,
    /// Largest number of bounces of a path, 0 being emission only.
    pub max_depth: Option<u32>,
    /// Kind of sampler to render with.
    pub sampler: Option<SamplerKind>,
    /// Pixel filter to render with.
    pub filter: Option<FilterKind>,
    /// Factor on all radiance in the picture (pbrt's film `scale` or `iso`).
    pub exposure: Option<f32>,
    /// Crop window in fractions of the picture (pbrt's film `cropwindow` and the like): left, right, top, bottom.
    pub crop: Option<[f32; 4]>,
    /// File name of the picture (pbrt's film `filename`), as the file has it: folders are those of whoever wrote it.
    pub output: Option<String>,
    /// Likely up direction of a file without a camera, guessed from the program that wrote it. Nothing is turned by it:
    /// a program that frames the scene may mention it.
    pub likely_up: Option<[f32; 3]>,
}

impl Settings {
    /// Returns the crop window in pixels of a picture of `size`: first column and row, then width and height. As in
    /// pbrt, a pixel belongs to the part from the next whole number on.
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
