//! The scene, the animation and the looks of a file that are shown, as its user or the file chooses them.

use super::accessor::Elements;
use super::data::Data;
use super::fault::malformed;
use super::json::{AnimationJson, DocumentJson, Int, Primitive, SceneRoots};
use super::options::Choices;
use crate::import::Context;
use crate::{GltfFault, GltfWarning, ImportError, SceneOfFile};
use std::path::Path;

/// Finds the index of the entry in `names` that `wanted` names, either by name or by number from 0.
pub fn find(path: &Path, kind: &'static str, names: &[&str], wanted: &str) -> Result<usize, ImportError> {
    let by_number = || wanted.parse().ok().filter(|&number: &usize| number < names.len());
    if let Some(index) = names.iter().position(|name| *name == wanted).or_else(by_number) {
        return Ok(index);
    }
    let names = names.iter().map(ToString::to_string).collect();
    Err(malformed(path, format!("{kind}s"), GltfFault::NoChoice { kind, wanted: wanted.into(), names }))
}

/// Names the first scene of the file that has triangles, for an error about one that has none.
pub fn scene_with_triangles(document: &DocumentJson) -> Option<SceneOfFile> {
    let is_shown = |primitive: &Primitive| {
        (4..=6).contains(&primitive.mode.map_or(4, |mode| mode.0)) && primitive.attributes.contains_key("POSITION")
    };
    let meshes: Vec<bool> = document.meshes.iter().map(|mesh| mesh.primitives.iter().any(is_shown)).collect();
    // What was seen below one scene has nothing to show below another either.
    let mut is_seen = vec![false; document.nodes.len()];
    let mut has_triangles = |scene: &SceneRoots| {
        let mut todo = scene.nodes.clone();
        while let Some(index) = todo.pop() {
            let Some(node) = document.nodes.get(index.index()) else { continue };
            let is_hidden = node.extensions.visibility.as_ref().is_some_and(|v| v.visible == Some(false));
            if is_hidden || std::mem::replace(&mut is_seen[index.index()], true) {
                continue;
            }
            if node.mesh.is_some_and(|mesh| meshes.get(mesh.index()) == Some(&true)) {
                return true;
            }
            todo.extend(&node.children);
        }
        false
    };
    let index = document.scenes.iter().position(&mut has_triangles)?;
    Some(SceneOfFile { index, name: document.scenes[index].name.clone() })
}

/// Returns the names of the file's material variants.
pub fn variants(document: &DocumentJson) -> Vec<&str> {
    let all = document.extensions.variants.as_ref().map_or(&[][..], |variants| &variants.variants);
    all.iter().map(|variant| variant.name.as_str()).collect()
}

/// Lists the scenes, animations and material variants that the file offers.
pub fn list(data: &Data) -> Choices {
    let document = data.document;
    Choices {
        scenes: document.scenes.iter().map(|scene| scene.name.clone()).collect(),
        shown_scene: None,
        animations: document.animations.iter().map(|a| (a.name.clone(), end(data, a))).collect(),
        material_variants: variants(document).into_iter().map(String::from).collect(),
    }
}

/// Returns the time in seconds at which an animation's last channel ends; 0 if it cannot be read.
fn end(data: &Data, animation: &AnimationJson) -> f64 {
    let last = |input: Int| -> Option<f64> {
        let times = Elements::open(data, input, "").ok()?;
        let last = u32::try_from(times.count.checked_sub(1)?).ok()?;
        let [time] = times.floats(data, Some(&[last]), &[1], [0.0; 1]).ok()?[0];
        Some(f64::from(time)).filter(|time| time.is_finite())
    };
    animation.samplers.iter().filter_map(|sampler| last(sampler.input?)).fold(0.0, f64::max)
}

/// Returns the index of the animation and the time to show, if the options ask for one; warns about the choice.
pub fn animation(data: &Data, context: &mut Context) -> Result<Option<(usize, f64)>, ImportError> {
    let animations = &data.document.animations;
    let options = context.gltf().clone();
    let mut say = |warning: GltfWarning| context.warn(data.path, crate::Place::Item("animations".into()), warning);
    let names: Vec<&str> = animations.iter().map(|animation| animation.name.as_str()).collect();
    let index = match (&options.animation, options.at) {
        (Some(wanted), _) => find(data.path, "animation", &names, wanted)?,
        (None, None) => {
            if !animations.is_empty() {
                say(GltfWarning::AnimationsNotPlayed { animations: animations.len() });
            }
            return Ok(None);
        }
        (None, Some(_)) if animations.is_empty() => {
            say(GltfWarning::NoAnimation);
            return Ok(None);
        }
        (None, Some(_)) => 0,
    };
    let at = options.at.unwrap_or(0.0);
    if !at.is_finite() {
        return Err(malformed(data.path, "animations", GltfFault::Time { at }));
    }
    let end = end(data, &animations[index]);
    say(GltfWarning::AnimationShown {
        animation: index,
        name: names[index].into(),
        at,
        first_of: Some(animations.len()).filter(|&n| options.animation.is_none() && n > 1),
        end: Some(end).filter(|&end| at > end),
    });
    Ok(Some((index, at)))
}
