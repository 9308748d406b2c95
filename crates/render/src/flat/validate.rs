//! Checks of the rules that hold for every scene that shading reads.

mod lights;

use super::{
    Input, InputChannel, MaterialFlags, MaterialRecord, NONE, Remap, ShadingScene, TextureKind, TextureOp, Wrapping,
};
use crate::bsdf::MaterialKind;
use crate::texture::STACK;

/// Rule that a [`ShadingScene`] breaks, with the record that breaks it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{item}: {message}")]
pub struct InvalidShading {
    /// Record that breaks the rule, such as `triangles[3]`.
    pub item: String,
    /// Description of the broken rule.
    pub message: &'static str,
}

type Check = Result<(), &'static str>;

fn ensure(holds: bool, message: &'static str) -> Check {
    if holds { Ok(()) } else { Err(message) }
}

fn within<T>(index: u32, records: &[T], message: &'static str) -> Check {
    ensure((index as usize) < records.len(), message)
}

fn within_or_none<T>(index: u32, records: &[T], message: &'static str) -> Check {
    if index == NONE { Ok(()) } else { within(index, records, message) }
}

fn tag<T>(tag: u32, all: &[T], message: &'static str) -> Check {
    within(tag, all, message)
}

fn finite(numbers: &[f32], message: &'static str) -> Check {
    ensure(numbers.iter().all(|x| x.is_finite()), message)
}

/// Checks each record of an array; `name` is the array's for errors.
fn each<T>(name: &str, records: &[T], check: impl Fn(usize, &T) -> Check) -> Result<(), InvalidShading> {
    records.iter().enumerate().try_for_each(|(index, record)| {
        check(index, record).map_err(|message| InvalidShading { item: format!("{name}[{index}]"), message })
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
            ensure(
                texels > 0 && texels == image.texel_count() as u64,
                "has another number of texels than its size says",
            )
        })?;
        self.validate_lights()?;
        each("placements", &self.placements, |index, _| self.placement(index))?;
        each("triangles", &self.triangles, |index, _| self.triangle(index))?;
        each("attributes", &self.attributes, |_, record| {
            within_or_none(record.colors(), &self.colors, "names colours that are not there")?;
            finite(record.uv0.as_flattened(), "has texture coordinates that are not finite")?;
            finite(record.uv1.as_flattened(), "has texture coordinates that are not finite")
        })?;
        each("colors", &self.colors, |_, record| {
            finite(record.corners.as_flattened(), "has a number that is not finite")
        })
    }

    fn validate_surfaces(&self) -> Result<(), InvalidShading> {
        each("inputs", &self.inputs, |_, input| self.input(input))?;
        each("media", &self.media, |_, medium| {
            let holds = medium.absorption.iter().all(|&x| x.is_finite() && x >= 0.0);
            ensure(holds, "absorbs an amount that is negative or not finite")?;
            ensure(
                medium.ior.is_finite() && medium.ior >= 0.0,
                "has an index of refraction that is negative or not finite",
            )
        })?;
        let few = ensure(self.media.len() <= Self::MOST_MEDIA, "are more than a path can tell apart");
        few.map_err(|m| InvalidShading { item: "media".into(), message: m })?;
        each("materials", &self.materials, |index, material| self.material(index, material))?;
        let opaque = self.materials.iter().all(|m| m.alpha == NONE);
        let message = "says another thing than the materials";
        ensure(self.all_opaque == opaque, message).map_err(|m| InvalidShading { item: "all_opaque".into(), message: m })
    }

    fn input(&self, input: &Input) -> Check {
        finite(&input.factor, "has a factor that is not finite")?;
        if !input.is_textured() {
            return Ok(());
        }
        within(input.texture(), &self.programs, "names a texture that is not there")?;
        tag(input.channel_tag(), InputChannel::ALL, "names a channel that does not exist")
    }

    fn material(&self, index: usize, material: &MaterialRecord) -> Check {
        tag(material.kind, MaterialKind::ALL, "is of a kind that does not exist")?;
        tag(material.remap, Remap::ALL, "remaps roughness in a way that does not exist")?;
        ensure(material.flags & !MaterialFlags::ALL == 0, "has a flag that does not exist")?;
        let end = u64::from(material.first_input) + u64::from(material.kind().input_count());
        ensure(end <= self.inputs.len() as u64, "has inputs that are not there")?;
        for input in [material.emission, material.normal, material.alpha] {
            within_or_none(input, &self.inputs, "names an input that is not there")?;
        }
        within_or_none(material.inside, &self.media, "names a medium that is not there")?;
        within_or_none(material.outside, &self.media, "names a medium that is not there")?;
        let stated = material.outside == NONE || material.has(MaterialFlags::INTERFACE);
        ensure(stated, "has a medium outside and is no interface")?;
        let is_map = material.normal != NONE && !material.has(MaterialFlags::BUMP);
        let map = || self.inputs[material.normal as usize].is_textured();
        ensure(!is_map || map(), "has a normal map without a texture")?;
        finite(&[material.cutoff], "has a cutoff that is not finite")?;
        ensure(material.unused == [0; 4], "has unused fields that are not zero")?;
        let is_mixture = material.kind() == MaterialKind::Mix;
        let holds = |part: u32| if is_mixture { (part as usize) < index } else { part == NONE };
        ensure(material.parts.into_iter().all(holds), "has parts that do not come before it, or should have none")?;
        let inputs = &self.inputs[material.first_input as usize..end as usize];
        let looks = material.normal != NONE
            || material.has(MaterialFlags::ANISOTROPIC)
            || inputs.iter().any(Input::is_textured)
            || [material.emission, material.alpha]
                .into_iter()
                .any(|i| i != NONE && self.inputs[i as usize].is_textured())
            || (is_mixture
                && material.parts.iter().any(|&p| self.materials[p as usize].has(MaterialFlags::LOOKS_AT_ATTRIBUTES)));
        ensure(!looks || material.has(MaterialFlags::LOOKS_AT_ATTRIBUTES), "looks at attributes and does not say so")?;
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
        ensure(!chooses || says, "chooses between parts and does not say so")?;
        ensure(chooses || !says, "says that it chooses and has no parts")?;
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
        ensure(is_hole && !material.has(MaterialFlags::MASK), "bounds media without a surface and is no hole all over")
    }

    fn texture_op(&self, op: &TextureOp) -> Check {
        tag(op.kind, TextureKind::ALL, "is of a kind that does not exist")?;
        finite(&op.value, "has a value that is not finite")?;
        finite(op.rows.as_flattened(), "has a mapping that is not finite")?;
        ensure(op.uv_set < 2, "names texture coordinates that do not exist")?;
        if TextureKind::of(op.kind) != TextureKind::Image {
            return Ok(());
        }
        within(op.image, &self.images, "names an image that is not there")?;
        tag(op.lookup, super::ImageLookup::ALL, "is looked up in a way that does not exist")?;
        op.wrap.into_iter().try_for_each(|wrap| tag(wrap, Wrapping::ALL, "wraps in a way that does not exist"))
    }

    fn program(&self, first: u32, end: u32) -> Check {
        ensure(first < end && end as usize <= self.texture_ops.len(), "has steps that are not there")?;
        let mut held = 0usize;
        for op in &self.texture_ops[first as usize..end as usize] {
            let takes = match TextureKind::of(op.kind) {
                TextureKind::Constant | TextureKind::Image | TextureKind::VertexColor => 0,
                TextureKind::Checkerboard | TextureKind::Scale => 2,
                TextureKind::Mix => 3,
            };
            ensure(held >= takes, "takes values that were not pushed")?;
            held = held - takes + 1;
            ensure(held <= STACK, "holds more values than the stack")?;
        }
        ensure(held == 1, "leaves more than one value")
    }

    fn placement(&self, index: usize) -> Check {
        let end =
            |i: usize| u64::from(self.placements[i].first_triangle) + u64::from(self.placements[i].triangle_count);
        let first = u64::from(self.placements[index].first_triangle);
        let before = if index == 0 { 0 } else { end(index - 1) };
        ensure(first == before, "does not begin where the one before it ends")?;
        let last = index + 1 == self.placements.len();
        ensure(!last || end(index) == self.triangles.len() as u64, "does not end with the triangles")
    }

    fn triangle(&self, index: usize) -> Check {
        let triangle = &self.triangles[index];
        finite(triangle.corners.as_flattened(), "has a corner that is not finite")?;
        within(triangle.material(), &self.materials, "names a material that is not there")?;
        within_or_none(triangle.attributes, &self.attributes, "names attributes that are not there")?;
        within(triangle.instance, &self.placements, "names a placement that is not there")?;
        let placement = self.placements[triangle.instance as usize];
        let number = (index as u32).wrapping_sub(placement.first_triangle);
        ensure(number < placement.triangle_count, "names a placement that it is not in")?;
        if triangle.light == NONE {
            return Ok(());
        }
        within(triangle.light, &self.lights, "names a light that is not there")?;
        let light = &self.lights[triangle.light as usize];
        let number = (index as u32).wrapping_sub(light.index);
        ensure(number < light.kind().triangle_count(), "names a light that is another's")
    }
}
