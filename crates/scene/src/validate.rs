//! Rules that every scene keeps that leaves this crate, and their check.

use crate::*;
use std::path::Path;

/// Violation of a rule that every scene must keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// Part of the scene that violates the rule, such as `meshes[3]`.
    pub item: String,
    /// Rule that this part violates, with what was found.
    pub rule: SceneRule,
}

impl Invalid {
    /// Converts the violation to an error about the file at `path`.
    pub fn in_file(self, path: &Path) -> ImportError {
        let kind = FaultKind::Invalid { rule: self.rule };
        ImportError::Malformed { path: path.to_path_buf(), place: Place::Item(self.item), kind }
    }
}

/// Checks that a scene keeps all rules that renderers rely on, such as valid indices and finite numbers. O(size of the
/// scene).
///
/// - Every id is in range; a texture refers only to textures, a mix only to materials before it.
/// - Meshes pass [`raywarp_geom::TriangleMesh::validate`], their other attributes are finite, and a
///   list of materials has one entry a triangle.
/// - Images hold as many texels as they say, at least one, all finite.
/// - The origin, transforms, factors, lights and cameras are finite; light and absorption are not negative; indices of
///   refraction are positive, angles and sizes in the range that their fields say, directions of length 1, rotations of
///   environments perpendicular.
///
/// # Errors
/// The first rule that is broken.
pub fn validate(scene: &Description) -> Result<(), Invalid> {
    let named = |kind: &str, i: usize, name: &str| format!("{kind}[{i}] {name}").trim_end().to_string();
    let check = |item: String, result: Check| result.map_err(|rule| Invalid { item, rule });
    let origin = scene.origin;
    let finite_origin = ensure(origin.iter().all(|x| x.is_finite()), || SceneRule::Origin { origin });
    check("origin".into(), finite_origin)?;
    for (i, image) in scene.images.iter().enumerate() {
        check(named("images", i, &image.name), self::image(image))?;
    }
    for (i, texture) in scene.textures.iter().enumerate() {
        check(format!("textures[{i}]"), self::texture(scene, i, texture))?;
    }
    for (i, medium) in scene.media.iter().enumerate() {
        check(named("media", i, &medium.name), amount("absorption", &medium.absorption.sigma))?;
    }
    for (i, material) in scene.materials.iter().enumerate() {
        check(named("materials", i, &material.name), self::material(scene, i, material))?;
    }
    for (i, mesh) in scene.meshes.iter().enumerate() {
        check(named("meshes", i, &mesh.name), self::mesh(scene, mesh))?;
    }
    for (i, instance) in scene.instances.iter().enumerate() {
        check(format!("instances[{i}]"), self::instance(scene, instance))?;
    }
    for (i, light) in scene.lights.iter().enumerate() {
        check(format!("lights[{i}]"), self::light(scene, light))?;
    }
    for (i, camera) in scene.cameras.iter().enumerate() {
        check(named("cameras", i, &camera.name), self::camera(scene, camera))?;
    }
    check("settings".into(), settings(&scene.settings))
}

type Check = Result<(), SceneRule>;

/// Returns `Err(rule())` unless `holds`.
fn ensure(holds: bool, rule: impl FnOnce() -> SceneRule) -> Check {
    if holds { Ok(()) } else { Err(rule()) }
}

fn in_range(kind: &'static str, index: u32, count: usize) -> Check {
    ensure((index as usize) < count, || SceneRule::NoEntry { kind, index, count })
}

fn finite(what: &'static str, values: &[f32]) -> Check {
    ensure(values.iter().all(|x| x.is_finite()), || SceneRule::NotFinite { what, values: values.into() })
}

/// Checks that all `values` are finite and not negative; `what` names them in the error.
fn amount(what: &'static str, values: &[f32]) -> Check {
    ensure(values.iter().all(|&x| x.is_finite() && x >= 0.0), || SceneRule::Negative { what, values: values.into() })
}

fn positive(what: &'static str, value: f32) -> Check {
    ensure(value.is_finite() && value > 0.0, || SceneRule::NotPositive { what, value })
}

fn unit(what: &'static str, direction: [f32; 3]) -> Check {
    let length = direction.iter().map(|x| x * x).sum::<f32>().sqrt();
    ensure((length - 1.0).abs() < 1e-3, || SceneRule::Length { what, direction })
}

fn perpendicular(what: &'static str, a: [f32; 3], b: [f32; 3]) -> Check {
    let cos = std::iter::zip(a, b).map(|(a, b)| a * b).sum::<f32>();
    ensure(cos.abs() < 1e-3, || SceneRule::NotPerpendicular { what, a, b })
}

fn image(image: &Image) -> Check {
    let texels = u64::from(image.width) * u64::from(image.height);
    ensure(texels > 0 && texels == image.len() as u64, || {
        let Image { width, height, .. } = *image;
        SceneRule::TexelCount { texels: image.len(), width, height }
    })?;
    match &*image.pixels {
        Pixels::Float(texels) => ensure(texels.iter().flatten().all(|c| c.is_finite()), || SceneRule::Texel),
        Pixels::Srgb8(_) | Pixels::Linear8(_) => Ok(()),
    }
}

fn texture(scene: &Description, index: usize, texture: &Texture) -> Check {
    let mapped = |mapping: &UvMapping| {
        ensure(mapping.set < 2, || SceneRule::TextureCoordinates { set: mapping.set })?;
        finite("the mapping", mapping.rows.as_flattened())
    };
    let earlier = |id: TextureId| ensure(id.index() < index, || SceneRule::LaterTexture { id: id.0 });
    match texture {
        Texture::Constant(value) => finite("the value", value),
        Texture::Image { image, mapping, .. } => {
            in_range("image", image.0, scene.images.len())?;
            mapped(mapping)
        }
        Texture::VertexColor => Ok(()),
        Texture::Checkerboard { mapping, even, odd } => {
            mapped(mapping)?;
            earlier(*even)?;
            earlier(*odd)
        }
        Texture::Scale { a, b } => earlier(*a).and_then(|()| earlier(*b)),
        Texture::Mix { a, b, amount } => [a, b, amount].into_iter().try_for_each(|&id| earlier(id)),
    }
}

fn material(scene: &Description, index: usize, material: &Material) -> Check {
    let color = |what: &'static str, input: &ColorInput| {
        amount(what, &input.factor)?;
        input.texture.map_or(Ok(()), |id| in_range("texture", id.0, scene.textures.len()))
    };
    let scalar = |what: &'static str, input: &ScalarInput| {
        finite(what, &[input.factor])?;
        input.texture.map_or(Ok(()), |(id, _)| in_range("texture", id.0, scene.textures.len()))
    };
    for (what, part) in material.surface.parts() {
        match part {
            SurfacePart::Color(input) => color(what, input)?,
            SurfacePart::Number(input) => scalar(what, input)?,
            SurfacePart::Amount(value) => amount(what, &[value])?,
            SurfacePart::Positive(value) => positive(what, value)?,
            SurfacePart::UpTo(value, most) => {
                ensure((0.0..=most).contains(&value), || SceneRule::OutOfRange { what, value, most })?;
            }
            SurfacePart::Absorption(sigma) => amount(what, &sigma)?,
            SurfacePart::Earlier(id) => {
                ensure(id.index() < index, || SceneRule::LaterMaterial { id: id.0 })?;
            }
        }
    }
    if let Some(MediumInterface { inside, outside }) = material.media {
        for id in [inside, outside].into_iter().flatten() {
            in_range("medium", id.0, scene.media.len())?;
        }
    }
    if let Some(emission) = &material.emission {
        color("emission", &emission.radiance)?;
    }
    match &material.normal {
        Some(NormalInput::Map { texture, scale }) => {
            in_range("texture", texture.0, scene.textures.len())?;
            finite("the scale of the normal map", &[*scale])?;
        }
        Some(NormalInput::Bump { height }) => scalar("the height of the bump map", height)?,
        None => {}
    }
    match &material.alpha {
        Alpha::Opaque => Ok(()),
        Alpha::Mask { alpha, cutoff } => scalar("alpha", alpha).and_then(|()| finite("the cutoff", &[*cutoff])),
        Alpha::Blend { alpha } => scalar("alpha", alpha),
    }
}

fn mesh(scene: &Description, mesh: &Mesh) -> Check {
    let triangles = &mesh.triangles;
    triangles.validate()?;
    let all = |what, values: &[f32]| ensure(values.iter().all(|x| x.is_finite()), || SceneRule::Attribute { what });
    all("normals", triangles.normals.as_flattened())?;
    all("tangents", triangles.tangents.as_flattened())?;
    all("texture coordinates", triangles.uvs.as_flattened())?;
    all("second texture coordinates", triangles.uvs1.as_flattened())?;
    all("colours", triangles.colors.as_flattened())?;
    let count = scene.materials.len();
    match &mesh.materials {
        FaceMaterials::Uniform(id) => in_range("material", id.0, count),
        FaceMaterials::PerTriangle(ids) => {
            let (materials, triangles) = (ids.len(), triangles.indices.len());
            ensure(materials == triangles, || SceneRule::MaterialCount { materials, triangles })?;
            ids.iter().max().map_or(Ok(()), |id| in_range("material", id.0, count))
        }
    }
}

fn instance(scene: &Description, instance: &Instance) -> Check {
    in_range("mesh", instance.mesh.0, scene.meshes.len())?;
    ensure(instance.transform.is_finite(), || SceneRule::Transform)?;
    instance.material.map_or(Ok(()), |id| in_range("material", id.0, scene.materials.len()))
}

fn light(scene: &Description, light: &Light) -> Check {
    match light {
        Light::Point { position, intensity } => {
            finite("the position", position)?;
            amount("the intensity", intensity)
        }
        Light::Spot { position, direction, intensity, cos_inner, cos_outer, .. } => {
            finite("the position", position)?;
            unit("the direction", *direction)?;
            amount("the intensity", intensity)?;
            ensure(-1.0 <= *cos_outer && cos_outer <= cos_inner && *cos_inner <= 1.0, || SceneRule::Cones {
                inner: *cos_inner,
                outer: *cos_outer,
            })
        }
        Light::Directional { direction, irradiance } => {
            unit("the direction", *direction)?;
            amount("the irradiance", irradiance)
        }
        Light::Environment { map, radiance, world_to_map } => {
            map.map_or(Ok(()), |id| in_range("image", id.0, scene.images.len()))?;
            amount("the radiance", radiance)?;
            world_to_map.iter().try_for_each(|&row| unit("a row of the rotation", row))?;
            let [x, y, z] = *world_to_map;
            [(x, y), (y, z), (z, x)].into_iter().try_for_each(|(a, b)| perpendicular("the rotation's rows", a, b))
        }
    }
}

fn camera(scene: &Description, camera: &Camera) -> Check {
    camera.medium.map_or(Ok(()), |id| in_range("medium", id.0, scene.media.len()))?;
    finite("the eye", &camera.eye)?;
    unit("right", camera.right)?;
    unit("up", camera.up)?;
    unit("forward", camera.forward)?;
    amount("the radius of the lens", &[camera.lens_radius])?;
    camera.aspect.map_or(Ok(()), |aspect| positive("the picture's width over its height", aspect))?;
    if camera.lens_radius > 0.0 {
        positive("the focal distance", camera.focal_distance)?;
    }
    match camera.projection {
        Projection::Perspective { fov, .. } => ensure(fov > 0.0 && fov < 180.0, || SceneRule::FieldOfView { fov }),
        Projection::Orthographic { half_height } => positive("half the height", half_height),
    }
}

fn settings(settings: &Settings) -> Check {
    if let Some([width, height]) = settings.size {
        ensure(width > 0 && height > 0, || SceneRule::PictureSize { width, height })?;
    }
    ensure(settings.spp != Some(0), || SceneRule::NoSamples)?;
    settings.exposure.map_or(Ok(()), |exposure| amount("the exposure", &[exposure]))?;
    match settings.filter {
        None => Ok(()),
        Some(FilterKind::Box { radius } | FilterKind::Triangle { radius }) => positive("the filter's radius", radius),
        Some(FilterKind::Gaussian { radius, sigma }) => {
            positive("the filter's radius", radius)?;
            positive("the filter's sigma", sigma)
        }
        Some(FilterKind::Mitchell { radius, b, c }) => {
            positive("the filter's radius", radius)?;
            finite("the filter", &[b, c])
        }
    }
}

#[cfg(test)]
mod tests;
