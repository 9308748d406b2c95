//! What holds for every scene that shading reads.

use super::{
    Input, InputChannel, LightKind, LightRecord, MaterialFlags, MaterialRecord, NONE, Remap, ShadingScene, Shape,
    SpotRamp, TextureKind, TextureOp, Wrapping, shape,
};
use crate::bsdf::MaterialKind;
use crate::texture::STACK;
use glam::Vec3;

/// A rule that a [`ShadingScene`] breaks: the record, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{item}: {message}")]
pub struct InvalidShading {
    /// The record, such as `triangles[3]`.
    pub item: String,
    /// Why.
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

/// Each record of an array.
fn each<T>(name: &str, records: &[T], check: impl Fn(usize, &T) -> Check) -> Result<(), InvalidShading> {
    records.iter().enumerate().try_for_each(|(index, record)| {
        check(index, record).map_err(|message| InvalidShading { item: format!("{name}[{index}]"), message })
    })
}

impl ShadingScene {
    /// Checks what the functions that read a scene rely on. O(size of the scene).
    ///
    /// - Every index is in range or, where that is allowed, [`NONE`]; parts of a mixture come before it.
    /// - Tags and flags are known ones; a material has as many inputs as its kind asks for.
    /// - Programs leave one value on a stack that they never leave; images hold as many texels as they say.
    /// - Placements lie one after the other and name their triangles; lights and triangles name each other, and lights
    ///   are the shapes that their triangles are.
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
        ensure(!looks || material.has(MaterialFlags::LOOKS_AT_ATTRIBUTES), "looks at attributes and does not say so")
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

    fn validate_lights(&self) -> Result<(), InvalidShading> {
        each("lights", &self.lights, |index, light| self.light(index, light))?;
        each("light_choice", &self.light_choice, |_, cell| {
            within(cell.alias, &self.lights, "names a light that is not there")?;
            let shares = [cell.own, cell.probability, cell.alias_probability];
            ensure(shares.iter().all(|share| (0.0..=1.0).contains(share)), "has a share that is not from 0 to 1")
        })?;
        each("environments", &self.environments, |index, _| self.environment(index))
    }

    fn light(&self, index: usize, light: &LightRecord) -> Check {
        let cells = self.light_choice.len();
        ensure(cells == 0 || cells == self.lights.len(), "has no cell in the choice, though others have")?;
        tag(light.kind, LightKind::ALL, "is of a kind that does not exist")?;
        let numbers = [light.at, light.u, light.v, light.w];
        finite(numbers.as_flattened(), "has a number that is not finite")?;
        ensure(light.value.is_finite() && light.value >= 0.0, "has a density that is negative or not finite")?;
        match light.kind() {
            LightKind::Triangle | LightKind::Parallelogram | LightKind::Disk | LightKind::Sphere => {
                self.surface_light(index, light)
            }
            LightKind::Spot => tag(light.index, SpotRamp::ALL, "falls off in a way that does not exist"),
            LightKind::Environment => within(light.index, &self.environments, "names an environment that is not there"),
            LightKind::Point | LightKind::Directional => Ok(()),
        }
    }

    fn surface_light(&self, index: usize, light: &LightRecord) -> Check {
        let end = u64::from(light.index) + u64::from(light.kind().triangle_count());
        ensure(end <= self.triangles.len() as u64, "names triangles that are not there")?;
        let triangles = &self.triangles[light.index as usize..end as usize];
        ensure(triangles.iter().all(|t| t.light == index as u32), "names a triangle that is another light")?;
        within(light.material, &self.materials, "names a material that is not there")?;
        ensure(triangles.iter().all(|t| t.material() == light.material), "has another material than its triangles")?;
        let holes = light.kind() == LightKind::Sphere && self.materials[light.material as usize].alpha != NONE;
        ensure(!holes, "has holes, through which its other side would show")?;
        // Triangles come after lights: a corner that is not finite is theirs to report.
        if !triangles.iter().all(|t| t.corners.as_flattened().iter().all(|x| x.is_finite())) {
            return Ok(());
        }
        let [at, u, v, w] = [light.at, light.u, light.v, light.w].map(Vec3::from);
        ensure(shape(light.kind(), triangles) == Some(Shape { at, u, v, w }), "is not where its triangles are")
    }

    fn environment(&self, index: usize) -> Check {
        let record = &self.environments[index];
        finite(&record.radiance, "has a radiance that is not finite")?;
        finite(record.rows.as_flattened(), "has a rotation that is not finite")?;
        ensure((0.0..=1.0).contains(&record.choice), "is chosen with a probability that is not from 0 to 1")?;
        if record.image == NONE {
            return Ok(());
        }
        within(record.image, &self.images, "names an image that is not there")?;
        let [width, height] = record.size.map(u64::from);
        let end = u64::from(record.table) + height + 1 + height * (width + 1);
        ensure(width > 0 && height > 0 && end <= self.tables.len() as u64, "has a table that is not there")?;
        let tables = &self.tables[record.table as usize..end as usize];
        let (rows, cells) = tables.split_at(height as usize + 1);
        let rises = |cdf: &[f32]| cdf[0] == 0.0 && cdf[cdf.len() - 1] == 1.0 && cdf.is_sorted();
        ensure(rises(rows) && cells.chunks(width as usize + 1).all(rises), "has a table that does not rise from 0 to 1")
    }
}
