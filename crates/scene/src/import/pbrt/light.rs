//! `LightSource` directives, read as lights.
//!
//! Version 4 takes lights by their luminance: spectra are divided by it, so that a light shines with its
//! `scale`, and `power` and `illuminance` scale it further as its `lights.cpp` does. Version 3 takes spectra as they
//! are.

use super::area_light::luminance;
use super::params::Params;
use super::state::{Importer, Version};
use crate::import::context::Encoding;
use crate::{Image, ImportError, Light, PbrtFault, PbrtWarning, Pixels, SpotFalloff};
use glam::{DAffine3, DMat3, DVec3};
use std::f32::consts::{PI, TAU};

impl Importer<'_> {
    pub fn light_source(&mut self, kind: &str, params: Params) -> Result<(), ImportError> {
        let params = params.with_defaults(&self.graphics.defaults.light.clone());
        let motion = self.graphics.ctm;
        self.note_motion(&motion, &params.path, params.line);
        let ctm = motion.start;
        let scale = self.light_scale(&params)?;
        let light = match kind {
            "infinite" | "exinfinite" => self.infinite(&params, scale)?,
            "distant" => {
                let radiance = self.scaled(&params, "L", scale)?;
                let (from, to) = (
                    params.point("from", &self.context.center)?.unwrap_or([0.0; 3]),
                    params.point("to", &self.context.center)?.unwrap_or([0.0, 0.0, 1.0]),
                );
                let direction = unit(&params, ctm.transform_vector3(DVec3::from(to) - DVec3::from(from)))?;
                let factor = self.positive(&params, "illuminance")?.unwrap_or(1.0);
                Light::Directional { direction, irradiance: times(radiance, factor) }
            }
            "point" => self.point_light(&params, scale)?,
            "spot" => {
                let from = params.point("from", &self.context.center)?.unwrap_or([0.0; 3]);
                let to = params.point("to", &self.context.center)?.unwrap_or([0.0, 0.0, 1.0]);
                let cone = params.float_or("coneangle", 30.0)?;
                let delta = params.float_or("conedeltaangle", 5.0)?;
                if !(cone > 0.0 && cone <= 180.0 && delta >= 0.0) {
                    return Err(params.error(PbrtFault::Cone));
                }
                let falloff = if self.version == Some(Version::V4) { SpotFalloff::Pbrt4 } else { SpotFalloff::Pbrt3 };
                let (cos_inner, cos_outer) = ((cone - delta).max(0.0).to_radians().cos(), cone.to_radians().cos());
                // As if the edge shone with half of the light.
                let solid_angle = TAU * ((1.0 - cos_inner) + (cos_inner - cos_outer) / 2.0);
                let factor = self.positive(&params, "power")?.map_or(1.0, |power| power / solid_angle);
                Light::Spot {
                    position: self.light_position(&params)?,
                    direction: unit(&params, ctm.transform_vector3(DVec3::from(to) - DVec3::from(from)))?,
                    intensity: times(self.scaled(&params, "I", scale)?, factor),
                    cos_inner,
                    cos_outer,
                    falloff,
                }
            }
            "goniometric" | "projection" => {
                params.cover(&["mapname", "filename", "fov"]);
                self.warn(&params, PbrtWarning::LightPicture { kind: kind.into() });
                self.point_light(&params, scale)?
            }
            _ => {
                self.warn(&params, PbrtWarning::Light { kind: kind.into() });
                return Ok(());
            }
        };
        self.finish_light(&params, &format!("{kind} lights"));
        self.scene.lights.push(light);
        Ok(())
    }

    fn light_position(&self, params: &Params) -> Result<[f32; 3], ImportError> {
        let from = params.point("from", &self.context.center)?.unwrap_or([0.0; 3]);
        let position = self.context.center.point(self.graphics.ctm.start.transform_point3(from.into()));
        if position.iter().all(|x| x.is_finite()) { Ok(position) } else { Err(params.error(PbrtFault::LightOverflow)) }
    }

    /// Reads a light's parameter `scale`: a number in version 4, a spectrum in version 3.
    pub fn light_scale(&mut self, params: &Params) -> Result<[f32; 3], ImportError> {
        if let Some(scale) = params.float_if_plain("scale")? {
            return Ok([scale; 3]);
        }
        Ok(self.color(params, "scale")?.unwrap_or([1.0; 3]))
    }

    fn scaled(&mut self, params: &Params, name: &str, scale: [f32; 3]) -> Result<[f32; 3], ImportError> {
        let color = self.emission_color(params, name)?.unwrap_or([1.0; 3]);
        let product: [f32; 3] = std::array::from_fn(|i| color[i] * scale[i]);
        self.say_negative(params, product);
        Ok(product.map(|c| c.clamp(0.0, f32::MAX)))
    }

    /// Warns if a light's colour has a negative channel.
    pub fn say_negative(&mut self, params: &Params, color: [f32; 3]) {
        if color.iter().any(|&c| c < 0.0) {
            self.warn(params, PbrtWarning::NegativeLight { color });
        }
    }

    /// Makes a point light; version 4's `power` sets its total power.
    fn point_light(&mut self, params: &Params, scale: [f32; 3]) -> Result<Light, ImportError> {
        let factor = self.positive(params, "power")?.map_or(1.0, |power| power / (2.0 * TAU));
        let intensity = times(self.scaled(params, "I", scale)?, factor);
        Ok(Light::Point { position: self.light_position(params)?, intensity })
    }

    /// Warns about parameters of a light that were not used.
    pub fn finish_light(&mut self, params: &Params, what: &str) {
        params.ignore_known("Light");
        self.warn_unused(params, what);
    }

    fn infinite(&mut self, params: &Params, scale: [f32; 3]) -> Result<Light, ImportError> {
        let radiance = self.scaled(params, "L", scale)?;
        let illuminance = self.positive(params, "illuminance")?;
        // Of a light that shines alike from everywhere.
        let uniform = times(radiance, illuminance.map_or(1.0, |illuminance| illuminance / PI));
        if params.find("portal").is_some() {
            self.warn(params, PbrtWarning::Portals);
        }
        let octahedral = params.has("filename") && !params.has("mapname");
        let name = match params.text("mapname")? {
            Some(name) => Some(name),
            None => params.text("filename")?,
        };
        let Some(name) = name else { return Ok(Light::uniform_environment(uniform)) };
        if octahedral && params.has("L") {
            self.warn(params, PbrtWarning::RadianceBesideFile);
        }
        let path = self.resolve(name, params.line);
        let Some(mut map) = self.image(&path, Encoding::Srgb)? else {
            return Ok(Light::uniform_environment(uniform));
        };
        let mut radiance = radiance;
        if octahedral {
            let image = &self.scene.images[map.index()];
            if image.width == image.height {
                if let Some(illuminance) = illuminance {
                    let own = illuminance_of(image);
                    radiance = times(radiance, if own > 0.0 { illuminance / own } else { 0.0 });
                }
                let resampled = latitude_longitude(image);
                map = self.scene.add_image(resampled);
            } else {
                self.warn(params, PbrtWarning::WideEnvironment { has_illuminance: illuminance.is_some() });
            }
        }
        let world_to_map = self.world_to_map(params)?;
        Ok(Light::Environment { map: Some(map), radiance, world_to_map })
    }

    /// Returns the rotation from world space to the frame of [`Light::Environment`]'s map.
    ///
    /// pbrt's light space has z up: `u = phi / 2pi` from +x towards +y, `v = theta / pi` from +z. Our
    /// map has `u = 1/2 + atan2(x, -z) / 2pi` and `v = acos(y) / pi`, so that `(-y, z, x)` of the light
    /// is our `(x, y, z)`; that mirrors, since pbrt's maps are seen from inside the other way round.
    pub fn world_to_map(&mut self, params: &Params) -> Result<[[f32; 3]; 3], ImportError> {
        let Some(rotation) = orthonormal(self.graphics.ctm.start) else {
            return Err(params.error(PbrtFault::FlatLight));
        };
        let m = self.graphics.ctm.start.matrix3;
        let scale = m.x_axis.length();
        if (m - rotation * scale).to_cols_array().iter().any(|x| x.abs() > 1e-3 * scale) {
            self.warn(params, PbrtWarning::StretchedEnvironment);
        }
        let axes = [-rotation.y_axis, rotation.z_axis, rotation.x_axis];
        Ok(axes.map(|axis| axis.as_vec3().into()))
    }
}

/// Multiplies each channel by `factor`, clamped to finite and not negative values.
fn times(color: [f32; 3], factor: f32) -> [f32; 3] {
    color.map(|c| (c * factor).clamp(0.0, f32::MAX))
}

/// Returns the rotation, perhaps with a mirroring, nearest to a map's linear part (Gram and Schmidt).
fn orthonormal(map: DAffine3) -> Option<DMat3> {
    let m = map.matrix3;
    let x = m.x_axis.try_normalize()?;
    let y = (m.y_axis - x * m.y_axis.dot(x)).try_normalize()?;
    let z = x.cross(y);
    let side = m.z_axis.dot(z);
    (side != 0.0 && side.is_finite()).then(|| DMat3::from_cols(x, y, z * side.signum()))
}

fn unit(params: &Params, direction: DVec3) -> Result<[f32; 3], ImportError> {
    match direction.try_normalize() {
        Some(direction) => Ok(direction.as_vec3().into()),
        None => Err(params.error(PbrtFault::LightDirection)),
    }
}

/// Resamples version 4's equal-area octahedral map to latitude and longitude with z up, of the same height.
///
/// Source: Clarberg 2008, "Fast Equal-Area Mapping of the (Hemi)Sphere using SIMD", section 2.
fn latitude_longitude(square: &Image) -> Image {
    let (width, height) = (square.width.saturating_mul(2).min(1 << 15), square.height.min(1 << 14));
    let mut pixels = Vec::with_capacity(width as usize * height as usize);
    for row in 0..height {
        let (sin, cos) = ((f64::from(row) + 0.5) / f64::from(height) * std::f64::consts::PI).sin_cos();
        for column in 0..width {
            let phi = (f64::from(column) + 0.5) / f64::from(width) * std::f64::consts::TAU;
            let [u, v] = octahedral(DVec3::new(sin * phi.cos(), sin * phi.sin(), cos));
            pixels.push(bilinear(square, u, v));
        }
    }
    Image { name: square.name.clone(), width, height, pixels: Pixels::Float(pixels).into() }
}

/// Returns the illuminance from the side of +z that version 4 computes for a square environment map. It gives each
/// texel half of the solid angle that it has, so that the light becomes twice as bright as asked for; as pbrt renders
/// it.
fn illuminance_of(square: &Image) -> f32 {
    let n = f64::from(square.width);
    let mut sum = 0.0;
    for y in 0..square.height {
        for x in 0..square.width {
            let (u, v) = ((f64::from(x) + 0.5) / n * 2.0 - 1.0, (f64::from(y) + 0.5) / n * 2.0 - 1.0);
            let outward = u.abs() + v.abs();
            // The height of an equal-area map: 1 in the centre, 0 on the inner square.
            let cos = if outward < 1.0 { 1.0 - outward * outward } else { 0.0 };
            sum += f64::from(luminance(square.texel(x, y))) * cos;
        }
    }
    (sum * f64::from(TAU) / (n * n)) as f32
}

/// Maps a unit direction to version 4's equal-area octahedral square; +z is its centre, -z its corners.
fn octahedral(d: DVec3) -> [f64; 2] {
    let a = d.abs();
    let radius = (1.0 - a.z).max(0.0).sqrt();
    let (large, small) = (a.x.max(a.y), a.x.min(a.y));
    let mut angle = if large > 0.0 { (small / large).atan() * std::f64::consts::FRAC_2_PI } else { 0.0 };
    if a.x < a.y {
        angle = 1.0 - angle;
    }
    let (mut u, mut v) = (radius - angle * radius, angle * radius);
    if d.z < 0.0 {
        (u, v) = (1.0 - v, 1.0 - u);
    }
    [u.copysign(d.x), v.copysign(d.y)].map(|c| (c + 1.0) / 2.0)
}

/// Samples an octahedral image bilinearly; beyond a border it continues at the mirrored place of that border. That is
/// how an octahedron's square is folded.
fn bilinear(image: &Image, u: f64, v: f64) -> [f32; 4] {
    let n = i64::from(image.width);
    let (x, y) = (u * n as f64 - 0.5, v * n as f64 - 0.5);
    let (x0, y0) = (x.floor(), y.floor());
    let fold = |x: i64, y: i64| {
        let (mut x, mut y) = (x, y);
        if x < 0 || x >= n {
            (x, y) = (x.clamp(0, n - 1), n - 1 - y);
        }
        if y < 0 || y >= n {
            (x, y) = (n - 1 - x, y.clamp(0, n - 1));
        }
        image.texel(x.clamp(0, n - 1) as u32, y.clamp(0, n - 1) as u32)
    };
    let (fx, fy) = ((x - x0) as f32, (y - y0) as f32);
    let (x0, y0) = (x0 as i64, y0 as i64);
    let corners = [fold(x0, y0), fold(x0 + 1, y0), fold(x0, y0 + 1), fold(x0 + 1, y0 + 1)];
    std::array::from_fn(|i| {
        let top = corners[0][i] + (corners[1][i] - corners[0][i]) * fx;
        let bottom = corners[2][i] + (corners[3][i] - corners[2][i]) * fx;
        top + (bottom - top) * fy
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_octahedral_square_has_equal_areas_and_the_right_corners() {
        let near = |d: [f64; 3], want: [f64; 2]| {
            let found = octahedral(DVec3::from(d));
            assert!((found[0] - want[0]).abs() + (found[1] - want[1]).abs() < 1e-9, "{d:?}: {found:?}");
        };
        near([0.0, 0.0, 1.0], [0.5, 0.5]);
        near([1.0, 0.0, 0.0], [1.0, 0.5]);
        near([0.0, -1.0, 0.0], [0.5, 0.0]);
        near([0.0, 0.0, -1.0], [1.0, 1.0]);
        // A cap of a tenth of the sphere, and a wedge of a quarter of that, get that share of the square.
        let n = 400;
        let (mut cap, mut wedge) = (0, 0);
        for i in 0..n {
            for j in 0..2 * n {
                let z = 1.0 - 2.0 * (f64::from(i) + 0.5) / f64::from(n);
                let phi = std::f64::consts::PI * (f64::from(j) + 0.5) / f64::from(n);
                let s = (1.0 - z * z).sqrt();
                let [u, v] = octahedral(DVec3::new(s * phi.cos(), s * phi.sin(), z));
                cap += i32::from((u - 0.5).abs() + (v - 0.5).abs() < 0.2);
                wedge += i32::from(u > 0.9 && v > 0.9);
            }
        }
        let all = f64::from(2 * n * n);
        assert!((f64::from(cap) / all - 0.08).abs() < 2e-3, "{cap}");
        assert!((f64::from(wedge) / all - 0.01).abs() < 1e-3, "{wedge}");
    }

    #[test]
    fn resampling_keeps_directions() {
        // Red where x > 0, green where y > 0, blue where z > 0, as the square has them.
        let n = 64;
        let mut pixels = Vec::new();
        for y in 0..n {
            for x in 0..n {
                let (u, v) = ((f64::from(x) + 0.5) / 32.0 - 1.0, (f64::from(y) + 0.5) / 32.0 - 1.0);
                let one = |b: bool| f32::from(u8::from(b));
                pixels.push([one(u > 0.0), one(v > 0.0), one(u.abs() + v.abs() < 1.0), 1.0]);
            }
        }
        let square = Image { name: "m".into(), width: n, height: n, pixels: Pixels::Float(pixels).into() };
        let map = latitude_longitude(&square);
        assert_eq!((map.width, map.height), (128, 64));
        // u = phi / 2pi from +x to +y, v = theta / pi from +z.
        for (x, y, want) in
            [(10, 16, [1, 1, 1]), (50, 16, [0, 1, 1]), (70, 50, [0, 0, 0]), (120, 16, [1, 0, 1]), (20, 50, [1, 1, 0])]
        {
            assert_eq!(map.texel(x, y), [want[0] as f32, want[1] as f32, want[2] as f32, 1.0], "{x} {y}");
        }
    }
}
