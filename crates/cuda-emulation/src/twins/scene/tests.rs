//! The scene holds what its name says.

use super::everything;
use raywarp_render::flat::{
    ImageLookup, InputChannel, LightKind, MaterialFlags, NONE, Remap, SpotRamp, TextureKind, Wrapping,
};
use raywarp_render::functions::bsdf::MaterialKind;

/// Counts how many there are of each tag, none of which may be missing.
#[track_caller]
fn check(what: &str, count: usize, tags: impl IntoIterator<Item = u32>) {
    let mut found = vec![0; count];
    tags.into_iter().for_each(|tag| found[tag as usize] += 1);
    println!("{what}: {found:?}");
    assert!(!found.contains(&0), "{what}: {found:?}");
}

#[test]
fn everything_is_there() {
    let scene = everything();
    println!("{} triangles, {} materials, {} media", scene.triangles.len(), scene.materials.len(), scene.media.len());
    check("materials", MaterialKind::ALL.len(), scene.materials.iter().map(|m| m.kind));
    check("remaps", Remap::ALL.len(), scene.materials.iter().map(|m| m.remap));
    let flags = |flags: u32| (0..MaterialFlags::ALL.count_ones()).filter(move |i| flags >> i & 1 != 0);
    check("flags", 8, scene.materials.iter().flat_map(|m| flags(m.flags)));
    let channels =
        scene.inputs.iter().filter(|input| input.is_textured()).map(raywarp_render::flat::Input::channel_tag);
    check("channels", InputChannel::ALL.len(), channels);
    check("steps", TextureKind::ALL.len(), scene.texture_ops.iter().map(|op| op.kind));
    let images = || scene.texture_ops.iter().filter(|op| op.kind == TextureKind::Image.tag());
    check("wraps", Wrapping::ALL.len(), images().flat_map(|op| op.wrap));
    check("look-ups", ImageLookup::ALL.len(), images().map(|op| op.lookup));
    check("lights", LightKind::ALL.len(), scene.lights.iter().map(|light| light.kind));
    let spots = scene.lights.iter().filter(|light| light.kind() == LightKind::Spot);
    check("ramps", SpotRamp::ALL.len(), spots.map(|light| light.index));
    let emitters = scene.materials.iter().filter(|m| m.emission != NONE);
    check(
        "emission",
        4,
        emitters.map(|m| {
            let is_textured = scene.inputs[m.emission as usize].is_textured();
            2 * u32::from(is_textured) + u32::from(m.has(MaterialFlags::EMITS_ON_BOTH_SIDES))
        }),
    );
    check("triangles", 4, scene.triangles.iter().map(|t| t.material_and_flags >> 30));
    check("attributes", 2, scene.triangles.iter().map(|t| u32::from(t.attributes == NONE)));
    // None, on the right, on the left.
    check("tangents", 3, scene.attributes.iter().map(|a| (a.colors_and_flags >> 30).saturating_sub(1)));
    check("colours", 2, scene.attributes.iter().map(|a| u32::from(a.colors() == NONE)));
}
