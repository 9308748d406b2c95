//! Checks of lights, of the choice between them and of environments.

use super::{Check, InvalidShading, ShadingRule, each, ensure, finite, tag, within};
use crate::flat::{EnvironmentRecord, LightKind, LightRecord, NONE, ShadingScene, Shape, SpotRamp, shape};
use crate::light::environment;
use glam::Vec3;

/// Largest deviation of a light's direction from unit length; single precision gives 2e-7.
const UNIT: f32 = 1e-6;
/// Largest deviation of a rotation's rows from unit length, and from right angles between them. A scene that is loaded
/// may have 1e-3; its rounding is another.
const ROTATION: f32 = 1.5e-3;
/// Largest relative difference between two stored values of one probability.
const PROBABILITY: f32 = 1e-6;
/// Largest relative difference between a light's probability and the sum of its alias cells, which for a million cells
/// has as many rounded terms.
const SHARE: f64 = 1e-4;
/// Rounding error of the part that one alias cell leaves to its other light.
const LEFT: f64 = 1e-7;

fn same_probability(a: f32, b: f32) -> bool {
    (a - b).abs() <= PROBABILITY * a.max(b) + f32::MIN_POSITIVE
}

impl ShadingScene {
    pub(super) fn validate_lights(&self) -> Result<(), InvalidShading> {
        each("lights", &self.lights, |index, light| self.light(index, light))?;
        each("light_choice", &self.light_choice, |_, cell| {
            within(cell.alias, &self.lights, ShadingRule::NoLight)?;
            let shares = [cell.own, cell.probability, cell.alias_probability];
            ensure(shares.iter().all(|share| (0.0..=1.0).contains(share)), ShadingRule::Share)
        })?;
        each("environments", &self.environments, |_, record| self.environment(record))?;
        self.validate_choice()?;
        self.validate_probabilities()
    }

    fn light(&self, index: usize, light: &LightRecord) -> Check {
        let cells = self.light_choice.len();
        ensure(cells == 0 || cells == self.lights.len(), ShadingRule::NoCell)?;
        tag(light.kind, LightKind::ALL, ShadingRule::NoKind)?;
        let numbers = [light.at, light.u, light.v, light.w];
        finite(numbers.as_flattened(), ShadingRule::Number)?;
        ensure(light.value.is_finite() && light.value >= 0.0, ShadingRule::Density)?;
        match light.kind() {
            LightKind::Triangle | LightKind::Parallelogram | LightKind::Disk | LightKind::Sphere => {
                self.surface_light(index, light)
            }
            LightKind::Spot => {
                tag(light.index, SpotRamp::ALL, ShadingRule::NoRamp)?;
                direction(light)
            }
            LightKind::Environment => within(light.index, &self.environments, ShadingRule::NoEnvironment),
            LightKind::Directional => direction(light),
            LightKind::Point => Ok(()),
        }
    }

    fn surface_light(&self, index: usize, light: &LightRecord) -> Check {
        let end = u64::from(light.index) + u64::from(light.kind().triangle_count());
        ensure(end <= self.triangles.len() as u64, ShadingRule::NoTriangles)?;
        let triangles = &self.triangles[light.index as usize..end as usize];
        ensure(triangles.iter().all(|t| t.light == index as u32), ShadingRule::OtherTriangle)?;
        within(light.material, &self.materials, ShadingRule::NoMaterial)?;
        ensure(triangles.iter().all(|t| t.material() == light.material), ShadingRule::OtherMaterial)?;
        let holes = light.kind() == LightKind::Sphere && self.materials[light.material as usize].alpha != NONE;
        ensure(!holes, ShadingRule::Holes)?;
        // Triangles come after lights: a corner that is not finite is theirs to report.
        if !triangles.iter().all(|t| t.corners.as_flattened().iter().all(|x| x.is_finite())) {
            return Ok(());
        }
        let [at, u, v, w] = [light.at, light.u, light.v, light.w].map(Vec3::from);
        ensure(shape(light.kind(), triangles) == Some(Shape { at, u, v, w }), ShadingRule::Place)
    }

    fn environment(&self, record: &EnvironmentRecord) -> Check {
        finite(&record.radiance, ShadingRule::Radiance)?;
        finite(record.rows.as_flattened(), ShadingRule::RotationNotFinite)?;
        let [x, y, z] = record.rows.map(Vec3::from);
        let unit = [x, y, z].into_iter().all(|row| (row.length() - 1.0).abs() <= ROTATION);
        let right = [x.dot(y), y.dot(z), z.dot(x)].into_iter().all(|cos| cos.abs() <= ROTATION);
        ensure(unit && right, ShadingRule::RotationShears)?;
        ensure(record.unused == [0; 3], ShadingRule::Unused)?;
        ensure((0.0..=1.0).contains(&record.choice), ShadingRule::Choice)?;
        if record.image == NONE {
            return Ok(());
        }
        within(record.image, &self.images, ShadingRule::NoImage)?;
        let [width, height] = record.size.map(u128::from);
        let end = u128::from(record.table) + 2 * (height + 1 + height * (width + 1));
        ensure(width > 0 && height > 0 && end <= self.tables.len() as u128, ShadingRule::NoTable)?;
        let tables = environment::tables(self, record);
        ensure(tables.rise(), ShadingRule::TableOrder)?;
        ensure(tables.are_guided(), ShadingRule::TableGuide)
    }

    /// Checks the alias table of lights: cells must name existing lights, and choose each with its stated probability,
    /// or it would be too bright or too dark.
    fn validate_choice(&self) -> Result<(), InvalidShading> {
        let cells = &self.light_choice;
        // In cells: what each light is chosen by, and how many cells that is beside its own.
        let mut shares = vec![(0.0f64, 0u32); cells.len()];
        for (index, cell) in cells.iter().enumerate() {
            shares[index].0 += f64::from(cell.own);
            if cell.own < 1.0 {
                let alias = &mut shares[cell.alias as usize];
                *alias = (alias.0 + 1.0 - f64::from(cell.own), alias.1 + 1);
            }
        }
        each("light_choice", cells, |index, cell| {
            let alias = &cells[cell.alias as usize];
            ensure(cell.alias_probability == alias.probability, ShadingRule::AliasProbability)?;
            let (found, others) = shares[index];
            let share = f64::from(cell.probability) * cells.len() as f64;
            let near = SHARE * share + LEFT * f64::from(others) + f64::from(f32::MIN_POSITIVE) * cells.len() as f64;
            ensure((found - share).abs() <= near, ShadingRule::ChosenOften)
        })
    }

    /// Returns the probability of choosing light `index`; 0 if no light is ever chosen.
    fn probability(&self, index: usize) -> f32 {
        self.light_choice.get(index).map_or(0.0, |cell| cell.probability)
    }

    /// Checks the probabilities stated by lights and environments, from which weights of multiple importance sampling
    /// follow.
    fn validate_probabilities(&self) -> Result<(), InvalidShading> {
        let mut light_of = vec![None; self.environments.len()];
        for (index, light) in self.lights.iter().enumerate() {
            let broken = |rule| Err(InvalidShading { item: format!("lights[{index}]"), rule });
            let probability = match light.kind() {
                LightKind::Triangle | LightKind::Parallelogram | LightKind::Disk | LightKind::Sphere => {
                    self.probability(index)
                }
                LightKind::Point | LightKind::Spot | LightKind::Directional | LightKind::Environment => 0.0,
            };
            if !same_probability(light.value, probability) {
                return broken(ShadingRule::Probability);
            }
            if light.kind() == LightKind::Environment && light_of[light.index as usize].replace(index).is_some() {
                return broken(ShadingRule::SharedEnvironment);
            }
        }
        each("environments", &self.environments, |index, record| {
            let Some(light) = light_of[index] else { return Err(ShadingRule::NotALight) };
            ensure(same_probability(record.choice, self.probability(light)), ShadingRule::Probability)
        })
    }
}

fn direction(light: &LightRecord) -> Check {
    ensure((Vec3::from(light.u).length() - 1.0).abs() <= UNIT, ShadingRule::Direction)
}
