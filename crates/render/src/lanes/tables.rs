//! Records that vectors read beside the flat scene: 16 bytes each, gathered whole.

use super::environment::Sky;
use super::specular::kind;
use crate::bsdf::albedo_table::CELLS;
use crate::bsdf::ggx::Ggx;
use crate::bsdf::loss_table::{MEAN_NODES, WHITE_NODES};
use crate::bsdf::{Blinn, Bsdf, BsdfTables, Conductor, Dielectric, PrincipledBsdf, Scattering};
use crate::flat::{Input, LightKind, MaterialFlags, MaterialKind, NONE, ShadingScene, TriangleRecord};
use crate::texture::{Inputs, TexturePoint};
use glam::Vec3;
use raywarp_sample::warp::AliasCell;

/// Shading classes of materials, by the code that shades them, stored as a word of a record.
pub(super) mod class {
    /// Shaded one by one, by scalar code.
    pub const ONE_BY_ONE: u32 = 0;
    /// Lambert surface with constant reflectance.
    pub const DIFFUSE: u32 = 1;
    /// Lambert surface with a texture.
    pub const TEXTURED_DIFFUSE: u32 = 2;
    /// Mixed metal and dielectric, isotropic and without a clear coat, constant everywhere.
    pub const PRINCIPLED: u32 = 3;
    /// Mixed metal and dielectric with textures; whether vector code knows the model shows in each lane.
    pub const TEXTURED_PRINCIPLED: u32 = 4;
    /// Rough isotropic metal with further bounces, constant everywhere.
    pub const METAL: u32 = 5;
    /// Rough metal with textures.
    pub const TEXTURED_METAL: u32 = 6;
    /// Mirror, smooth metal or smooth glass, constant everywhere.
    pub const SPECULAR: u32 = 7;
    /// Mirror or glass with textures.
    pub const TEXTURED_SPECULAR: u32 = 8;
    /// Lambert base under Blinn facets, constant everywhere.
    pub const BLINN: u32 = 9;
    /// Lambert base under Blinn facets, with textures.
    pub const TEXTURED_BLINN: u32 = 10;
    /// Flag of a material that emits light.
    pub const EMITS: u32 = 1 << 8;
    /// Flag of a material whose shading frame follows the tangent.
    pub const ALONG_TANGENT: u32 = 1 << 9;
    /// Flag of a material whose normals a map bends.
    pub const BENT: u32 = 1 << 10;
    /// Mask of all material flags.
    pub const FLAGS: u32 = EMITS | ALONG_TANGENT | BENT;
}

/// Flags of the records in `Tables::lights`.
pub(super) mod flag {
    /// Flag of a flat light that emits the same radiance at all of its points.
    pub const PLANAR: u32 = 1;
    /// Flag of a light that emits on both sides.
    pub const BOTH_SIDES: u32 = 1 << 1;
    /// Flag of the environment light that vector code can evaluate.
    pub const SKY: u32 = 1 << 2;
}

/// Tables and records of a scene for vector code, made once.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Constant reflectance of each material, if it has one, and its shading [`class`].
    pub materials: Vec<[u32; 4]>,
    /// Parameters of each material by its class: [`class::PRINCIPLED`]: base, f0, f90, alpha and metallic;
    /// [`class::METAL`]: eta, k, alpha, zero and the mean of the Fresnel term; [`class::SPECULAR`]: tints of reflection
    /// and transmission and refractive index, or eta, k and zero, and the [`kind`]; [`class::BLINN`]: base, specular
    /// and exponent; else zeros.
    pub parameters: Vec<[u32; 12]>,
    /// Albedo tables of GGX facets and of Blinn facets.
    pub ggx: Albedos,
    pub blinn: Albedos,
    /// Losses of white GGX facets, row by row of alpha: the loss at a node of the cosine and at the next, then both of
    /// the next row.
    pub losses: Vec<[u32; 4]>,
    /// Mean losses of white GGX facets: at a node of alpha and at the next, then zeros.
    pub loss_means: Vec<[u32; 4]>,
    /// Radiance of each light's points (for an environment, its choice probability and zeros), and its [`flag`]s.
    pub lights: Vec<[u32; 4]>,
    /// Alias table for choosing lights: each cell's own part in units of 2^-32, the light that has the rest, and zeros.
    pub cells: Vec<[u32; 4]>,
}

/// Albedo table of one kind of facets, for gathers.
#[derive(Debug, Default)]
pub(super) struct Albedos {
    /// Scale and bias at a node of the cosine and at the next, row by row of alpha.
    pub nodes: Vec<[u32; 4]>,
    /// Mean scale and bias at a node of alpha and at the next.
    pub means: Vec<[u32; 4]>,
}

impl Albedos {
    /// Number of nodes of the albedo table on either axis.
    const SIDE: usize = CELLS + 1;

    /// Takes the albedo table of one kind of facets off the front of the numbers of [`BsdfTables`]; returns the rest
    /// too.
    fn split(numbers: &[f32]) -> (Self, &[f32]) {
        let row = 2 * Self::SIDE;
        let (nodes, rest) = numbers.split_at(row * Self::SIDE);
        let (means, rest) = rest.split_at(row);
        (Self { nodes: nodes.chunks(row).flat_map(neighbours).collect(), means: neighbours(means) }, rest)
    }
}

/// Pairs each number of a row with the next.
fn neighbours(row: &[f32]) -> Vec<[u32; 4]> {
    row.windows(4).step_by(2).map(|pairs| [0, 1, 2, 3].map(|i| pairs[i].to_bits())).collect()
}

impl Tables {
    /// Number of nodes of the albedo tables on either axis.
    pub const ALBEDO_NODES: u32 = Albedos::SIDE as u32;
    /// Number of nodes of the loss table on either axis.
    pub const LOSS_NODES: u32 = WHITE_NODES as u32;

    pub fn new(scene: &ShadingScene, scattering: Scattering) -> Self {
        let BsdfTables { numbers, fractions } = BsdfTables::new();
        let rows = WHITE_NODES;
        let (ggx, rest) = Albedos::split(&numbers);
        let (blinn, rest) = Albedos::split(rest);
        let loss_means = &rest[..MEAN_NODES];
        let loss = |i: usize| f32::from(fractions[i]).to_bits();
        let losses = (0..rows - 1).flat_map(|row| {
            let at = move |node: usize| row * rows + node;
            (0..rows - 1).map(move |node| [at(node), at(node + 1), at(node) + rows, at(node + 1) + rows])
        });
        let (materials, parameters) = (0..scene.materials.len()).map(|i| material(scene, i, scattering)).unzip();
        Self {
            materials,
            parameters,
            ggx,
            blinn,
            losses: losses.map(|corners| corners.map(loss)).collect(),
            loss_means: loss_means.windows(2).map(|pair| [pair[0].to_bits(), pair[1].to_bits(), 0, 0]).collect(),
            lights: (0..scene.lights.len()).map(|i| light(scene, i)).collect(),
            cells: scene.light_choice.iter().enumerate().map(|(i, cell)| self::cell(i as u32, cell)).collect(),
        }
    }
}

fn record(v: Vec3, word: u32) -> [u32; 4] {
    [v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), word]
}

/// Returns the record of a material for vector code, and its parameters.
fn material(scene: &ShadingScene, index: usize, scattering: Scattering) -> ([u32; 4], [u32; 12]) {
    let material = &scene.materials[index];
    let one_by_one = (record(Vec3::ZERO, class::ONE_BY_ONE), [0; 12]);
    // Without maps of attributes the scalar text bends no normal of a diffuse surface, whatever the record says.
    let looks = material.has(MaterialFlags::LOOKS_AT_ATTRIBUTES);
    let is_bent = material.normal != NONE && (looks || material.kind() != MaterialKind::Diffuse);
    // Beyond boundaries of media paths may be in them; glass follows those.
    let bounds_media = material.inside != NONE || material.has(MaterialFlags::INTERFACE);
    let is_boundary = bounds_media && material.kind() != MaterialKind::Dielectric;
    let is_anisotropic = material.has(MaterialFlags::ANISOTROPIC);
    let is_odd = is_anisotropic && material.kind() == MaterialKind::Diffuse;
    if is_boundary || is_odd || material.has(MaterialFlags::CHOOSES) {
        return one_by_one;
    }
    let emits = if material.emission == NONE { 0 } else { class::EMITS };
    let along = if is_anisotropic { class::ALONG_TANGENT } else { 0 };
    let flags = emits | along | if is_bent { class::BENT } else { 0 };
    let first = material.first_input as usize;
    let inputs = &scene.inputs[first..first + material.kind().input_count() as usize];
    let is_textured = looks && inputs.iter().any(Input::is_textured);
    // Of what is the same everywhere.
    let constant = Inputs { scene, material, at: &TexturePoint::default(), scattering };
    match material.kind() {
        MaterialKind::Diffuse if is_textured => (record(Vec3::ZERO, class::TEXTURED_DIFFUSE | flags), [0; 12]),
        MaterialKind::Diffuse => {
            (record(Vec3::from(inputs[0].factor).clamp(Vec3::ZERO, Vec3::ONE), class::DIFFUSE | flags), [0; 12])
        }
        MaterialKind::Coated | MaterialKind::Principled if is_textured => {
            (record(Vec3::ZERO, class::TEXTURED_PRINCIPLED | flags), [0; 12])
        }
        MaterialKind::Coated | MaterialKind::Principled => principled(&Bsdf::look_up(&constant, 0.5))
            .map_or(one_by_one, |found| (record(Vec3::ZERO, class::PRINCIPLED | flags), found)),
        MaterialKind::Blinn if is_textured => (record(Vec3::ZERO, class::TEXTURED_BLINN | flags), [0; 12]),
        MaterialKind::Blinn => blinn(&Bsdf::look_up(&constant, 0.5))
            .map_or(one_by_one, |found| (record(Vec3::ZERO, class::BLINN | flags), found)),
        MaterialKind::Conductor if is_textured => (record(Vec3::ZERO, class::TEXTURED_METAL | flags), [0; 12]),
        MaterialKind::Conductor => {
            let (rough, smooth) = (class::METAL | flags, class::SPECULAR | flags);
            let bsdf = Bsdf::look_up(&constant, 0.5);
            let rough = metal(&bsdf).map(|metal| (record(Vec3::ZERO, rough), metal));
            rough.or_else(|| specular(&bsdf).map(|metal| (record(Vec3::ZERO, smooth), metal))).unwrap_or(one_by_one)
        }
        MaterialKind::Mirror | MaterialKind::Dielectric if is_textured => {
            (record(Vec3::ZERO, class::TEXTURED_SPECULAR | flags), [0; 12])
        }
        MaterialKind::Mirror | MaterialKind::Dielectric => specular(&Bsdf::look_up(&constant, 0.5))
            .map_or(one_by_one, |specular| (record(Vec3::ZERO, class::SPECULAR | flags), specular)),
        MaterialKind::DiffuseTransmission
        | MaterialKind::CarPaint
        | MaterialKind::Mix
        | MaterialKind::Invisible
        | MaterialKind::Unlit => one_by_one,
    }
}

/// Returns the parameters of mixed metal and dielectric; `None` if vector code does not know the model.
pub(super) fn principled(bsdf: &Bsdf) -> Option<[u32; 12]> {
    let Bsdf::Principled(PrincipledBsdf { base, metallic, f0, f90, alpha, coat, .. }) = *bsdf else { return None };
    if coat > 0.0 || alpha.x != alpha.y {
        return None;
    }
    Some([base.x, base.y, base.z, f0.x, f0.y, f0.z, f90, alpha.x, metallic, 0.0, 0.0, 0.0].map(f32::to_bits))
}

/// Returns the parameters of Blinn's model; `None` for other models.
pub(super) fn blinn(bsdf: &Bsdf) -> Option<[u32; 12]> {
    let Bsdf::Blinn(blinn) = *bsdf else { return None };
    let (Blinn { diffuse: d, specular: s, .. }, n) = (blinn, blinn.n());
    Some([d.x, d.y, d.z, s.x, s.y, s.z, n, 0.0, 0.0, 0.0, 0.0, 0.0].map(f32::to_bits))
}

/// Returns the parameters of a metal that is rough and has further bounces; `None` for others.
pub(super) fn metal(bsdf: &Bsdf) -> Option<[u32; 12]> {
    let Bsdf::Conductor(Conductor { eta, k, alpha, fresnel_mean: f }) = *bsdf else { return None };
    if Ggx::is_smooth(alpha) || alpha.x != alpha.y || f == Vec3::ZERO {
        return None;
    }
    Some([eta.x, eta.y, eta.z, k.x, k.y, k.z, alpha.x, 0.0, f.x, f.y, f.z, 0.0].map(f32::to_bits))
}

/// Returns the parameters of a model with only delta lobes; `None` for others.
pub(super) fn specular(bsdf: &Bsdf) -> Option<[u32; 12]> {
    let (a, b, ior, kind) = match *bsdf {
        Bsdf::Mirror { reflectance } => (reflectance, Vec3::ZERO, 0.0, kind::MIRROR),
        Bsdf::Conductor(Conductor { eta, k, alpha, .. }) if Ggx::is_smooth(alpha) => (eta, k, 0.0, kind::METAL),
        // Glass that bends too little to be rough may stand in a medium where it bends more.
        Bsdf::Dielectric(Dielectric { ior, alpha, reflectance, transmittance, thin, .. }) if Ggx::is_smooth(alpha) => {
            (reflectance, transmittance, ior, if thin { kind::SHEET } else { kind::GLASS })
        }
        _ => return None,
    };
    let [a, b] = [a, b].map(|v| v.to_array().map(f32::to_bits));
    Some([a[0], a[1], a[2], b[0], b[1], b[2], ior.to_bits(), kind, 0, 0, 0, 0])
}

fn light(scene: &ShadingScene, index: usize) -> [u32; 4] {
    let (light, one_by_one) = (&scene.lights[index], record(Vec3::ZERO, 0));
    if light.kind() == LightKind::Environment && Sky::of(scene).is_some() {
        let probability = scene.light_choice[index].probability;
        return record(Vec3::new(probability, 0.0, 0.0), flag::SKY);
    }
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
    record(radiance, flag::PLANAR | both)
}

fn cell(index: u32, cell: &AliasCell) -> [u32; 4] {
    if cell.own >= 1.0 {
        return [0, index, 0, 0];
    }
    // A number of 32 bits is below the share just where it is below the share rounded up to such a number. Shares below
    // 1 are at most 1 - 2^-24, and scaling by a power of two is exact.
    let own = (f64::from(cell.own) * 4_294_967_296.0).ceil();
    [own as u32, cell.alias, 0, 0]
}
