//! What vectors read beside the flat scene: records of 16 bytes, gathered whole.

use crate::flat::{LightKind, LightRecord, MaterialFlags, MaterialKind, NONE, ShadingScene, TriangleRecord};
use glam::Vec3;
use raywarp_sample::warp::AliasCell;

/// How a material is shaded. The word of a record.
pub(super) mod class {
    /// One by one.
    pub const ONE_BY_ONE: u32 = 0;
    /// Lambert, the same everywhere.
    pub const DIFFUSE: u32 = 1;
}

/// Flags of a [`LightTable`].
pub(super) mod flag {
    /// Connections to it have a text in vectors.
    pub const IN_VECTORS: u32 = 1;
    /// Both sides emit.
    pub const BOTH_SIDES: u32 = 1 << 1;
}

/// Made once of a scene.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Of each material: its reflectance where that is constant, and its [`class`].
    pub materials: Vec<[u32; 4]>,
    /// Of each light: the radiance of what its points send out, and [`flag`]s.
    pub lights: Vec<[u32; 4]>,
    /// Of each cell of the choice of lights: in 2^-32 of a cell, how much is its own; what the rest is; zeros.
    pub cells: Vec<[u32; 4]>,
}

impl Tables {
    pub fn new(scene: &ShadingScene) -> Self {
        Self {
            materials: (0..scene.materials.len()).map(|i| material(scene, i)).collect(),
            lights: scene.lights.iter().map(|light| self::light(scene, light)).collect(),
            cells: scene.light_choice.iter().enumerate().map(|(i, cell)| self::cell(i as u32, cell)).collect(),
        }
    }
}

fn record(v: Vec3, word: u32) -> [u32; 4] {
    [v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), word]
}

fn material(scene: &ShadingScene, index: usize) -> [u32; 4] {
    let material = &scene.materials[index];
    let is_plain = material.kind() == MaterialKind::Diffuse
        && material.emission == NONE
        && !material.has(MaterialFlags::LOOKS_AT_ATTRIBUTES | MaterialFlags::CHOOSES);
    if !is_plain {
        return record(Vec3::ZERO, class::ONE_BY_ONE);
    }
    let reflectance = Vec3::from(scene.inputs[material.first_input as usize].factor).clamp(Vec3::ZERO, Vec3::ONE);
    record(reflectance, class::DIFFUSE)
}

fn light(scene: &ShadingScene, light: &LightRecord) -> [u32; 4] {
    let one_by_one = record(Vec3::ZERO, 0);
    if !matches!(light.kind(), LightKind::Triangle | LightKind::Parallelogram) {
        return one_by_one;
    }
    let first = light.index as usize;
    let triangles: &[TriangleRecord] = &scene.triangles[first..first + light.kind().triangle_count() as usize];
    let material = &scene.materials[light.material as usize];
    // A light that varies, or has holes, is looked at where it is met.
    if triangles.iter().any(|triangle| triangle.material() != light.material)
        || material.alpha != NONE
        || material.emission == NONE
        || scene.inputs[material.emission as usize].is_textured()
    {
        return one_by_one;
    }
    let radiance = Vec3::from(scene.inputs[material.emission as usize].factor);
    let both = if material.has(MaterialFlags::EMITS_ON_BOTH_SIDES) { flag::BOTH_SIDES } else { 0 };
    record(radiance, flag::IN_VECTORS | both)
}

fn cell(index: u32, cell: &AliasCell) -> [u32; 4] {
    if cell.own >= 1.0 {
        return [0, index, 0, 0];
    }
    // A number of 32 bits is below the share just where it is below the share rounded up to such a number. Shares below 1
    // are at most 1 - 2^-24, and scaling by a power of two is exact.
    let own = (f64::from(cell.own) * 4_294_967_296.0).ceil();
    [own as u32, cell.alias, 0, 0]
}
