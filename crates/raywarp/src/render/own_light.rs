//! The question if a scene has any light of its own: lights, or triangles of a material that glows.

use raywarp_scene::{Description, Emission, Image, Instance, Mesh, Pixels, Texture, TextureId};

/// Returns `true` if the scene has any light, however weak or hidden.
pub(crate) fn has_light(scene: &Description) -> bool {
    let emits = |emission: &Emission| emission.radiance.texture.is_none_or(|texture| !is_black(scene, texture));
    !scene.lights.is_empty() || any_shines(scene, emits)
}

/// Returns `true` if the scene's only light is surfaces whose emission is an image.
pub(crate) fn shines_by_images_alone(scene: &Description) -> bool {
    scene.lights.is_empty() && !any_shines(scene, |emission| emission.radiance.texture.is_none())
}

/// Returns `true` if any triangle emits light by an emission for which `that` holds.
fn any_shines(scene: &Description, that: impl Fn(&Emission) -> bool) -> bool {
    let emits = |emission: &Emission| emission.radiance.factor.iter().any(|&factor| factor > 0.0) && that(emission);
    let emits: Vec<bool> = scene.materials.iter().map(|m| m.emission.as_ref().is_some_and(emits)).collect();
    if !emits.contains(&true) {
        return false;
    }
    // Once a mesh, which may be placed a million times.
    let by_itself =
        |mesh: &Mesh| (0..mesh.triangles.indices.len()).any(|primitive| emits[mesh.materials.get(primitive).index()]);
    let by_itself: Vec<bool> = scene.meshes.iter().map(by_itself).collect();
    let shines = |instance: &Instance| match instance.material {
        None => by_itself[instance.mesh.index()],
        Some(id) => emits[id.index()] && !scene.meshes[instance.mesh.index()].triangles.indices.is_empty(),
    };
    scene.instances.iter().any(shines)
}

/// Returns `true` if a texture is black everywhere; vertex colours and mixtures are assumed not to be.
fn is_black(scene: &Description, texture: TextureId) -> bool {
    match &scene.textures[texture.index()] {
        Texture::Constant([r, g, b, _]) => [*r, *g, *b] == [0.0; 3],
        Texture::Image { image, .. } => is_black_image(&scene.images[image.index()]),
        Texture::Scale { a, b } => is_black(scene, *a) || is_black(scene, *b),
        Texture::Checkerboard { even, odd, .. } => is_black(scene, *even) && is_black(scene, *odd),
        Texture::VertexColor | Texture::Mix { .. } => false,
    }
}

/// Returns `true` if all texels of an image are black; ends at the first that is not.
fn is_black_image(image: &Image) -> bool {
    match &*image.pixels {
        Pixels::Srgb8(texels) | Pixels::Linear8(texels) => texels.iter().all(|[r, g, b, _]| [*r, *g, *b] == [0; 3]),
        Pixels::Float(texels) => texels.iter().all(|[r, g, b, _]| [*r, *g, *b] == [0.0; 3]),
    }
}
