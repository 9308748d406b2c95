//! KHR_lights_punctual. A candela counts as one watt per steradian and a lux as one watt per square
//! metre, as no spectrum is known that would say more, except where `light_units.rs` finds other units.

use super::Builder;
use super::json::{Int, plain};
use crate::{GltfWarning, ImportError, Light, SpotFalloff};
use glam::{DAffine3, DVec3};

impl Builder<'_, '_> {
    /// Adds light `index` to the scene, as attached to the node `node_name` with the world transform `world`. A light
    /// shines along the node's -z axis.
    pub fn add_light(&mut self, index: Int, node_name: &str, world: &DAffine3, item: &str) -> Result<(), ImportError> {
        let lights = self.data.document.extensions.lights.as_ref().map_or(&[][..], |l| &l.lights);
        let light = self.data.entry(lights, "extensions.KHR_lights_punctual.lights", index, item)?;
        let place = format!("extensions.KHR_lights_punctual.lights[{}]", index.0);
        let name = super::camera::name_of(&light.name, node_name);
        let factor = self.lamps.factor(light.kind == "directional");
        let scale = light.intensity.map_or(factor, |i| i.0 * factor) as f32;
        let power = light.color.map_or([1.0; 3], plain).map(|c| (c * scale).clamp(0.0, f32::MAX));
        let color = light.color.map_or([1.0; 3], plain);
        self.say_clamped_to(&place, "color", &color, f32::INFINITY);
        if let Some(intensity) = light.intensity {
            self.say_clamped_to(&place, "intensity", &[intensity.0 as f32], f32::INFINITY);
        }
        let position = self.context.center.point(world.translation);
        let direction = world.transform_vector3(DVec3::NEG_Z).try_normalize().map(|d| d.as_vec3().to_array());
        if light.range.is_some() && light.kind != "directional" {
            self.warn(&place, GltfWarning::LightRange);
        }
        let light = match (light.kind.as_str(), direction) {
            ("point", _) => Light::Point { position, intensity: power },
            ("directional" | "spot", None) => {
                self.warn(item, GltfWarning::FlatLight);
                return Ok(());
            }
            ("directional", Some(direction)) => Light::Directional { direction, irradiance: power },
            ("spot", Some(direction)) => {
                let spot = light.spot.clone().unwrap_or_default();
                let outer = spot.outer_cone_angle.map_or(std::f32::consts::FRAC_PI_4, |a| a.0);
                let outer = outer.clamp(0.0, std::f32::consts::FRAC_PI_2);
                let inner = spot.inner_cone_angle.map_or(0.0, |a| a.0).clamp(0.0, outer);
                let (cos_inner, cos_outer, falloff) = if super::light_units::is_blenders(self.data.document) {
                    (blenders_inner(inner, outer), outer.cos(), SpotFalloff::Pbrt4)
                } else {
                    (inner.cos(), outer.cos(), SpotFalloff::Gltf)
                };
                Light::Spot { position, direction, intensity: power, cos_inner, cos_outer, falloff }
            }
            (other, _) => {
                self.warn(&place, GltfWarning::LightType { kind: other.into() });
                return Ok(());
            }
        };
        self.scene.lights.push(light);
        self.scene.light_names.push(name);
        Ok(())
    }
}

/// Converts the inner angle of a spot light as Blender exports it to the cosine up to which the light has full
/// intensity. The exporter writes an inner angle of `outer` less the share that the spot's blend is; Blender itself
/// blends over that share of the cone's height, as pbrt does by `3x^2 - 2x^3`.
fn blenders_inner(inner: f32, outer: f32) -> f32 {
    let blend = if outer > 0.0 { 1.0 - inner / outer } else { 0.0 };
    outer.cos() + (1.0 - outer.cos()) * blend
}
