//! Conversion of materials to records with their inputs in the order that [`MaterialKind`] says.

use crate::RenderError;
use crate::bsdf::MaterialKind;
use crate::flat::{
    Input, InputChannel, MaterialFlags, MaterialRecord, MediumRecord, NONE, Remap, ShadingScene, TriangleRecord,
};
use raywarp_scene::{
    Absorption, Alpha, Channel, ColorInput, Description, FaceMaterials, Material, MediumId, MediumInterface,
    NormalInput, Roughness, RoughnessRemap, ScalarInput, Surface,
};
use std::collections::HashMap;

/// Adds records of all materials of `scene`.
pub(super) fn add(flat: &mut ShadingScene, scene: &Description) -> Result<(), RenderError> {
    if scene.materials.len() > TriangleRecord::MATERIAL as usize {
        let (found, limit) = (scene.materials.len() as u64, u64::from(TriangleRecord::MATERIAL));
        return Err(RenderError::TooLarge { what: "materials", found, limit });
    }
    let record_of = |absorption: Absorption| MediumRecord { absorption: absorption.sigma, ior: 0.0 };
    flat.media = scene.media.iter().map(|medium| record_of(medium.absorption)).collect();
    let mut bodies = HashMap::new();
    for (material, is_used) in scene.materials.iter().zip(used(scene)) {
        let record = record(flat, is_used.then_some(&mut bodies), material);
        flat.materials.push(record);
    }
    if flat.media.iter().all(|medium| medium.absorption == [0.0; 3] && medium.ior == 0.0) {
        forget_media(flat);
    }
    if flat.media.len() > ShadingScene::MOST_MEDIA {
        let (found, limit) = (flat.media.len() as u64, ShadingScene::MOST_MEDIA as u64);
        return Err(RenderError::TooLarge { what: "media", found, limit });
    }
    Ok(())
}

/// Returns for each material whether any surface uses it: media of unused ones would only take indices away.
fn used(scene: &Description) -> Vec<bool> {
    let mut used = vec![false; scene.materials.len()];
    for instance in &scene.instances {
        match (instance.material, &scene.meshes[instance.mesh.index()].materials) {
            (Some(id), _) | (None, &FaceMaterials::Uniform(id)) => used[id.index()] = true,
            (None, FaceMaterials::PerTriangle(ids)) => ids.iter().for_each(|id| used[id.index()] = true),
        }
    }
    // Parts come before their mixture.
    for (i, material) in scene.materials.iter().enumerate().rev() {
        if let Surface::Mix { first, second, .. } = &material.surface
            && used[i]
        {
            (used[first.index()], used[second.index()]) = (true, true);
        }
    }
    used
}

/// Removes media that neither absorb nor bend light, since following them is of no use.
fn forget_media(flat: &mut ShadingScene) {
    flat.media.clear();
    for material in &mut flat.materials {
        (material.inside, material.outside) = (NONE, NONE);
        material.flags &= !MaterialFlags::INTERFACE;
    }
}

/// Media of bodies, keyed by the bits of absorption and refractive index, so that equal ones are shared.
type Bodies = HashMap<[u32; 4], u32>;

/// Builder of a material's record and inputs.
struct Maker<'f> {
    flat: &'f mut ShadingScene,
    /// Media of bodies found so far; `None` for a material that no surface uses.
    bodies: Option<&'f mut Bodies>,
    record: MaterialRecord,
}

fn record(flat: &mut ShadingScene, bodies: Option<&mut Bodies>, material: &Material) -> MaterialRecord {
    let record = MaterialRecord {
        first_input: flat.inputs.len() as u32,
        emission: NONE,
        normal: NONE,
        alpha: NONE,
        inside: NONE,
        outside: NONE,
        parts: [NONE; 2],
        ..bytemuck::Zeroable::zeroed()
    };
    let mut maker = Maker { flat, bodies, record };
    maker.surface(&material.surface);
    if let Some(emission) = &material.emission {
        maker.record.emission = maker.color(&emission.radiance);
        maker.flag(MaterialFlags::EMITS_ON_BOTH_SIDES, emission.two_sided);
    }
    match &material.normal {
        None => {}
        Some(NormalInput::Map { texture, scale }) => {
            maker.record.normal = maker.input(Input::textured([*scale, 0.0, 0.0], texture.0, InputChannel::Rgb));
            maker.flag(MaterialFlags::LOOKS_AT_ATTRIBUTES, true);
        }
        Some(NormalInput::Bump { height }) => {
            maker.record.normal = maker.scalar(height);
            maker.flag(MaterialFlags::BUMP | MaterialFlags::LOOKS_AT_ATTRIBUTES, true);
        }
    }
    match &material.alpha {
        Alpha::Opaque => {}
        Alpha::Mask { alpha, cutoff } => {
            (maker.record.alpha, maker.record.cutoff) = (maker.scalar(alpha), *cutoff);
            maker.flag(MaterialFlags::MASK, true);
        }
        Alpha::Blend { alpha } => maker.record.alpha = maker.scalar(alpha),
    }
    if let Some(media) = &material.media {
        maker.interface(media);
    }
    maker.record
}

impl Maker<'_> {
    fn flag(&mut self, flag: u32, holds: bool) {
        self.record.flags |= if holds { flag } else { 0 };
    }

    fn input(&mut self, input: Input) -> u32 {
        self.flag(MaterialFlags::LOOKS_AT_ATTRIBUTES, input.is_textured());
        self.flat.inputs.push(input);
        self.flat.inputs.len() as u32 - 1
    }

    fn color(&mut self, input: &ColorInput) -> u32 {
        self.input(match input.texture {
            None => Input::constant(input.factor),
            Some(texture) => Input::textured(input.factor, texture.0, InputChannel::Rgb),
        })
    }

    fn scalar(&mut self, input: &ScalarInput) -> u32 {
        let factor = [input.factor, 0.0, 0.0];
        self.input(match input.texture {
            None => Input::constant(factor),
            Some((texture, channel)) => Input::textured(factor, texture.0, self::channel(channel)),
        })
    }

    fn numbers(&mut self, numbers: [f32; 3]) {
        self.input(Input::constant(numbers));
    }

    /// Adds a roughness as two inputs, along tangent and bitangent.
    fn roughness(&mut self, roughness: &Roughness) {
        self.scalar(&roughness.x);
        self.scalar(&roughness.y);
        self.record.remap = remap(roughness.remap);
        // Along the tangent means: where the texture coordinates say.
        let anisotropic = roughness.x != roughness.y;
        self.flag(MaterialFlags::ANISOTROPIC | MaterialFlags::LOOKS_AT_ATTRIBUTES, anisotropic);
    }

    /// Sets the medium inside a surface, whose transmission bends by the refractive index `ior`.
    fn medium(&mut self, thin: bool, absorption: Option<Absorption>, ior: f32) {
        self.flag(MaterialFlags::THIN, thin);
        if let (false, Some(Absorption { sigma: absorption }), Some(bodies)) = (thin, absorption, &mut self.bodies) {
            let record = MediumRecord { absorption, ior };
            let [r, g, b] = absorption;
            let media = &mut self.flat.media;
            self.record.inside = *bodies.entry([r, g, b, ior].map(f32::to_bits)).or_insert_with(|| {
                media.push(record);
                media.len() as u32 - 1
            });
        }
    }

    /// Sets the media on both sides of a surface, in place of the one inside it.
    fn interface(&mut self, media: &MediumInterface) {
        let index = |id: Option<MediumId>| id.map_or(NONE, |id| id.0);
        (self.record.inside, self.record.outside) = (index(media.inside), index(media.outside));
        self.flag(MaterialFlags::INTERFACE, true);
        if self.record.kind() == MaterialKind::Invisible {
            // A hole all over, where light only changes its medium.
            self.record.alpha = self.scalar(&ScalarInput::constant(0.0));
            self.record.flags &= !MaterialFlags::MASK;
        }
    }

    /// Adds the inputs of a surface in the order of its [`MaterialKind`].
    fn surface(&mut self, surface: &Surface) {
        let kind = match surface {
            Surface::Diffuse { reflectance } => {
                self.color(reflectance);
                MaterialKind::Diffuse
            }
            Surface::DiffuseTransmission { reflectance, transmittance } => {
                self.color(reflectance);
                self.color(transmittance);
                MaterialKind::DiffuseTransmission
            }
            Surface::Blinn { diffuse, specular, exponent } => {
                self.color(diffuse);
                self.color(specular);
                self.scalar(exponent);
                MaterialKind::Blinn
            }
            Surface::Mirror { reflectance } => {
                self.color(reflectance);
                MaterialKind::Mirror
            }
            Surface::Conductor { eta, k, roughness } => {
                self.color(eta);
                self.color(k);
                self.roughness(roughness);
                MaterialKind::Conductor
            }
            Surface::Dielectric { ior, roughness, reflectance, transmittance, thin, absorption } => {
                self.color(reflectance);
                self.color(transmittance);
                self.roughness(roughness);
                self.numbers([*ior, 0.0, 0.0]);
                self.medium(*thin, *absorption, *ior);
                MaterialKind::Dielectric
            }
            Surface::Coated { diffuse, specular, roughness } => {
                self.color(diffuse);
                self.color(specular);
                self.roughness(roughness);
                MaterialKind::Coated
            }
            Surface::Principled(p) => {
                self.color(&p.base_color);
                self.scalar(&p.metallic);
                self.roughness(&p.roughness);
                self.scalar(&p.specular);
                self.color(&p.specular_color);
                let transmission = self.scalar(&p.transmission);
                self.scalar(&p.clearcoat);
                self.scalar(&p.clearcoat_roughness);
                self.numbers([p.ior, 0.0, 0.0]);
                let transmits = self.flat.inputs[transmission as usize].may_be_positive();
                self.medium(p.thin, p.absorption.filter(|_| transmits), p.ior);
                self.flag(MaterialFlags::CHOOSES, transmits);
                MaterialKind::Principled
            }
            Surface::CarPaint(p) => {
                self.color(&p.base);
                self.color(&p.flake_color);
                self.numbers([p.flake_amount, p.flake_size, p.flake_alpha]);
                self.numbers([p.coat_ior, p.coat_alpha, 0.0]);
                self.flag(MaterialFlags::LOOKS_AT_ATTRIBUTES, p.flake_size > 0.0);
                MaterialKind::CarPaint
            }
            Surface::Mix { first, second, amount } => {
                self.scalar(amount);
                self.mixture([first.0, second.0]);
                MaterialKind::Mix
            }
            Surface::Invisible => MaterialKind::Invisible,
            Surface::Unlit { color } => {
                self.color(color);
                MaterialKind::Unlit
            }
        };
        self.record.kind = kind.tag();
    }

    /// Sets the two parts of a mixture, which has the medium that is inside one of them.
    fn mixture(&mut self, parts: [u32; 2]) {
        let [first, second] = parts.map(|part| self.flat.materials[part as usize]);
        self.record.parts = parts;
        self.record.inside = if first.body() == NONE { second.body() } else { first.body() };
        self.record.flags |= (first.flags | second.flags) & MaterialFlags::LOOKS_AT_ATTRIBUTES;
        self.flag(MaterialFlags::CHOOSES, true);
    }
}

fn channel(channel: Channel) -> InputChannel {
    match channel {
        Channel::R => InputChannel::R,
        Channel::G => InputChannel::G,
        Channel::B => InputChannel::B,
        Channel::A => InputChannel::A,
        Channel::Mean => InputChannel::Mean,
    }
}

fn remap(remap: RoughnessRemap) -> u32 {
    match remap {
        RoughnessRemap::None => Remap::None,
        RoughnessRemap::Square => Remap::Square,
        RoughnessRemap::Sqrt => Remap::Sqrt,
        RoughnessRemap::Pbrt3 => Remap::Pbrt3,
    }
    .tag()
}
