//! Checks of the rules that hold for every scene that shading reads.

mod lights;
mod rule;

pub use rule::ShadingRule;

use super::{
    Input, InputChannel, MaterialFlags, MaterialRecord, NONE, PlacementRecord, Remap, ShadingScene, Shared, SharedMesh,
    SharedPlacement, TextureKind, TextureOp, Wrapping,
};
use crate::bsdf::MaterialKind;
use crate::texture::STACK;

/// Rule that a [`ShadingScene`] breaks, with the record that breaks it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{item}: {rule}")]
pub struct InvalidShading {
    /// Record that breaks the rule, such as `triangles[3]`.
    pub item: String,
    /// Rule that is broken.
    pub rule: ShadingRule,
}

type Check = Result<(), ShadingRule>;

fn ensure(holds: bool, rule: ShadingRule) -> Check {
    if holds { Ok(()) } else { Err(rule) }
}

fn within<T>(index: u32, records: &[T], rule: ShadingRule) -> Check {
    ensure((index as usize) < records.len(), rule)
}

fn within_or_none<T>(index: u32, records: &[T], rule: ShadingRule) -> Check {
    if index == NONE { Ok(()) } else { within(index, records, rule) }
}

fn tag<T>(tag: u32, all: &[T], rule: ShadingRule) -> Check {
    within(tag, all, rule)
}

fn finite(numbers: &[f32], rule: ShadingRule) -> Check {
    ensure(numbers.iter().all(|x| x.is_finite()), rule)
}

/// Checks each record of an array; `name` is the array's for errors.
fn each<T>(name: &str, records: &[T], check: impl Fn(usize, &T) -> Check) -> Result<(), InvalidShading> {
    records.iter().enumerate().try_for_each(|(index, record)| {
        check(index, record).map_err(|rule| InvalidShading { item: format!("{name}[{index}]"), rule })
    })
}

impl ShadingScene {
    /// Checks the rules on which the functions that read a scene rely. O(size of the scene).
    ///
    /// - Every index is in range or, where that is allowed, [`NONE`]; parts of a mixture come before it.
    /// - Tags and flags are known ones; a material has as many inputs as its kind asks for. Unused fields are zeros.
    /// - Materials say that they look at attributes where they do, and that they choose between parts just where they
    ///   do. A boundary of media without a surface is a hole all over.
    /// - Programs leave one value on a stack that they never leave; images hold as many texels as they say.
    /// - Placements lie one after the other and name their triangles; lights and triangles name each other, and lights
    ///   are the shapes that their triangles are.
    /// - Lights are chosen as often as the choice says, and surfaces and environments know that probability. An
    ///   environment belongs to one light.
    /// - Directions have length 1 within 1e-6; rotations of environments are rotations within 1.5e-3, and may mirror.
    /// - Cumulative tables rise from 0 to 1; numbers are finite.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn validate(&self) -> Result<(), InvalidShading> {
        self.validate_surfaces()?;
        each("texture_ops", &self.texture_ops, |_, op| self.texture_op(op))?;
        each("programs", &self.programs, |_, p| self.program(p.first, p.end))?;
        each("images", &self.images, |_, image| {
            let texels = u64::from(image.size[0]) * u64::from(image.size[1]);
            ensure(texels > 0 && texels == image.texel_count() as u64, ShadingRule::TexelCount)
        })?;
        self.validate_lights()?;
        let mut end = 0;
        let mut placement = |index: usize| self.placement(index, &mut end);
        for index in 0..self.placements.len() {
            let found = placement(index);
            found.map_err(|rule| InvalidShading { item: format!("placements[{index}]"), rule })?;
        }
        self.validate_shared()?;
        each("triangles", &self.triangles, |index, _| self.triangle(index))?;
        each("attributes", &self.attributes, |_, record| {
            within_or_none(record.colors(), &self.colors, ShadingRule::NoColors)?;
            finite(record.uv0.as_flattened(), ShadingRule::TextureCoordinates)?;
            finite(record.uv1.as_flattened(), ShadingRule::TextureCoordinates)
        })?;
        each("colors", &self.colors, |_, record| finite(record.corners.as_flattened(), ShadingRule::Number))
    }

    fn validate_surfaces(&self) -> Result<(), InvalidShading> {
        each("inputs", &self.inputs, |_, input| self.input(input))?;
        each("media", &self.media, |_, medium| {
            let holds = medium.absorption.iter().all(|&x| x.is_finite() && x >= 0.0);
            ensure(holds, ShadingRule::Absorption)?;
            ensure(medium.ior.is_finite() && medium.ior >= 0.0, ShadingRule::Refraction)
        })?;
        let few = ensure(self.media.len() <= Self::MOST_MEDIA, ShadingRule::TooManyMedia);
        few.map_err(|rule| InvalidShading { item: "media".into(), rule })?;
        each("materials", &self.materials, |index, material| self.material(index, material))?;
        let opaque = self.materials.iter().all(|m| m.alpha == NONE);
        let stated = ensure(self.all_opaque == opaque, ShadingRule::AllOpaque);
        stated.map_err(|rule| InvalidShading { item: "all_opaque".into(), rule })
    }

    fn input(&self, input: &Input) -> Check {
        finite(&input.factor, ShadingRule::Factor)?;
        if !input.is_textured() {
            return Ok(());
        }
        within(input.texture(), &self.programs, ShadingRule::NoTexture)?;
        tag(input.channel_tag(), InputChannel::ALL, ShadingRule::NoChannel)
    }

    fn material(&self, index: usize, material: &MaterialRecord) -> Check {
        tag(material.kind, MaterialKind::ALL, ShadingRule::NoKind)?;
        tag(material.remap, Remap::ALL, ShadingRule::NoRemap)?;
        ensure(material.flags & !MaterialFlags::ALL == 0, ShadingRule::NoFlag)?;
        let end = u64::from(material.first_input) + u64::from(material.kind().input_count());
        ensure(end <= self.inputs.len() as u64, ShadingRule::NoInputs)?;
        for input in [material.emission, material.normal, material.alpha] {
            within_or_none(input, &self.inputs, ShadingRule::NoInput)?;
        }
        within_or_none(material.inside, &self.media, ShadingRule::NoMedium)?;
        within_or_none(material.outside, &self.media, ShadingRule::NoMedium)?;
        let stated = material.outside == NONE || material.has(MaterialFlags::INTERFACE);
        ensure(stated, ShadingRule::OutsideOfNoInterface)?;
        let is_map = material.normal != NONE && !material.has(MaterialFlags::BUMP);
        let map = || self.inputs[material.normal as usize].is_textured();
        ensure(!is_map || map(), ShadingRule::NormalMap)?;
        finite(&[material.cutoff], ShadingRule::Cutoff)?;
        ensure(material.unused == [0; 4], ShadingRule::Unused)?;
        let is_mixture = material.kind() == MaterialKind::Mix;
        let holds = |part: u32| if is_mixture { (part as usize) < index } else { part == NONE };
        ensure(material.parts.into_iter().all(holds), ShadingRule::Parts)?;
        let inputs = &self.inputs[material.first_input as usize..end as usize];
        let looks = material.normal != NONE
            || material.has(MaterialFlags::ANISOTROPIC)
            || inputs.iter().any(Input::is_textured)
            || [material.emission, material.alpha]
                .into_iter()
                .any(|i| i != NONE && self.inputs[i as usize].is_textured())
            || (is_mixture
                && material.parts.iter().any(|&p| self.materials[p as usize].has(MaterialFlags::LOOKS_AT_ATTRIBUTES)));
        ensure(!looks || material.has(MaterialFlags::LOOKS_AT_ATTRIBUTES), ShadingRule::LooksUnsaid)?;
        let chooses = match material.kind() {
            MaterialKind::Mix => true,
            MaterialKind::Principled => inputs[MaterialKind::TRANSMISSION as usize].may_be_positive(),
            MaterialKind::Diffuse
            | MaterialKind::DiffuseTransmission
            | MaterialKind::Blinn
            | MaterialKind::Mirror
            | MaterialKind::Conductor
            | MaterialKind::Dielectric
            | MaterialKind::Coated
            | MaterialKind::CarPaint
            | MaterialKind::Invisible
            | MaterialKind::Unlit => false,
        };
        let says = material.has(MaterialFlags::CHOOSES);
        ensure(!chooses || says, ShadingRule::ChoosesUnsaid)?;
        ensure(chooses || !says, ShadingRule::ChoosesNothing)?;
        self.boundary(material)
    }

    /// Checks that a material which only bounds media has an opacity of zero everywhere: as a surface it would block
    /// connections and cost paths a bounce.
    fn boundary(&self, material: &MaterialRecord) -> Check {
        if material.kind() != MaterialKind::Invisible || !material.has(MaterialFlags::INTERFACE) {
            return Ok(());
        }
        let is_zero = |input: &Input| !input.is_textured() && input.factor[0] == 0.0;
        let is_hole = material.alpha != NONE && is_zero(&self.inputs[material.alpha as usize]);
        ensure(is_hole && !material.has(MaterialFlags::MASK), ShadingRule::SolidBoundary)
    }

    fn texture_op(&self, op: &TextureOp) -> Check {
        tag(op.kind, TextureKind::ALL, ShadingRule::NoKind)?;
        finite(&op.value, ShadingRule::Value)?;
        finite(op.rows.as_flattened(), ShadingRule::Mapping)?;
        ensure(op.uv_set < 2, ShadingRule::NoTextureCoordinates)?;
        if TextureKind::of(op.kind) != TextureKind::Image {
            return Ok(());
        }
        within(op.image, &self.images, ShadingRule::NoImage)?;
        tag(op.lookup, super::ImageLookup::ALL, ShadingRule::NoLookup)?;
        op.wrap.into_iter().try_for_each(|wrap| tag(wrap, Wrapping::ALL, ShadingRule::NoWrapping))
    }

    fn program(&self, first: u32, end: u32) -> Check {
        ensure(first < end && end as usize <= self.texture_ops.len(), ShadingRule::NoSteps)?;
        let mut held = 0usize;
        for op in &self.texture_ops[first as usize..end as usize] {
            let takes = match TextureKind::of(op.kind) {
                TextureKind::Constant | TextureKind::Image | TextureKind::VertexColor => 0,
                TextureKind::Checkerboard | TextureKind::Scale => 2,
                TextureKind::Mix => 3,
            };
            ensure(held >= takes, ShadingRule::StackUnderflow)?;
            held = held - takes + 1;
            ensure(held <= STACK, ShadingRule::StackOverflow)?;
        }
        ensure(held == 1, ShadingRule::StackRest)
    }

    /// Checks a placement that is to begin where the one before, of those that have records, ended.
    fn placement(&self, index: usize, end: &mut u64) -> Check {
        let PlacementRecord { first_triangle, triangle_count } = self.placements[index];
        let shared = self.is_shared_at(index);
        let first = if shared { 0 } else { *end };
        ensure(u64::from(first_triangle) == first && !(shared && triangle_count > 0), ShadingRule::PlacementBegin)?;
        *end += u64::from(triangle_count);
        let last = index + 1 == self.placements.len();
        ensure(!last || *end == self.triangles.len() as u64, ShadingRule::PlacementEnd)
    }

    fn is_shared_at(&self, index: usize) -> bool {
        self.shared.placements.get(index).is_some_and(|placement| placement.mesh != NONE)
    }

    /// Checks what placements share: meshes, materials and attributes that are there, and numbers that are finite.
    fn validate_shared(&self) -> Result<(), InvalidShading> {
        let Shared { meshes, placements, axes } = &self.shared;
        if self.is_flat() {
            return Ok(());
        }
        let as_many = placements.len() == self.placements.len() && axes.len() == self.materials.len();
        let as_many = ensure(as_many, ShadingRule::Shared);
        as_many.map_err(|rule| InvalidShading { item: "shared".into(), rule })?;
        each("shared.meshes", meshes, |_, SharedMesh { triangles, materials, first_attribute }| {
            ensure(triangles.validate().is_ok(), ShadingRule::Corner)?;
            let count = triangles.indices.len();
            ensure(materials.len() == 1 || materials.len() == count, ShadingRule::NoMaterial)?;
            materials.iter().try_for_each(|&id| within(id, &self.materials, ShadingRule::NoMaterial))?;
            let end = u64::from(*first_attribute) + count as u64;
            let is_there = *first_attribute == NONE || end <= self.attributes.len() as u64;
            ensure(is_there, ShadingRule::NoAttributes)
        })?;
        each("shared.placements", placements, |_, SharedPlacement { transform, mesh, material }| {
            within_or_none(*mesh, meshes, ShadingRule::Shared)?;
            within_or_none(*material, &self.materials, ShadingRule::NoMaterial)?;
            finite(transform.rows.as_flattened(), ShadingRule::Corner)
        })
    }

    fn triangle(&self, index: usize) -> Check {
        let triangle = &self.triangles[index];
        finite(triangle.corners.as_flattened(), ShadingRule::Corner)?;
        within(triangle.material(), &self.materials, ShadingRule::NoMaterial)?;
        within_or_none(triangle.attributes, &self.attributes, ShadingRule::NoAttributes)?;
        within(triangle.instance, &self.placements, ShadingRule::NoPlacement)?;
        let placement = self.placements[triangle.instance as usize];
        let number = (index as u32).wrapping_sub(placement.first_triangle);
        ensure(number < placement.triangle_count, ShadingRule::OtherPlacement)?;
        if triangle.light == NONE {
            return Ok(());
        }
        within(triangle.light, &self.lights, ShadingRule::NoLight)?;
        let light = &self.lights[triangle.light as usize];
        let number = (index as u32).wrapping_sub(light.index);
        ensure(number < light.kind().triangle_count(), ShadingRule::OtherLight)
    }
}
