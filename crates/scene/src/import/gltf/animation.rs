//! What an animation makes of nodes at a time.
//!
//! Source: glTF 2.0 specification, section 3.11 and appendix C; KHR_animation_pointer, where it points at what channels of
//! nodes move, too. Everything is f64; times before the first key and behind the last are clamped.

use super::accessor::Elements;
use super::data::Data;
use super::fault::{Fault, Read, optional};
use super::json::{AnimationSampler, Channel, Int};
use crate::import::Context;
use crate::import::counted::counted;
use crate::{Place, SceneError};
use glam::{DQuat, DVec4};
use std::collections::{HashMap, HashSet};

/// What replaces a node's own values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodePose {
    pub translation: Option<[f64; 3]>,
    /// Of unit length.
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    pub weights: Option<Vec<f64>>,
}

/// By the number of the node.
pub type Pose = HashMap<usize, NodePose>;

/// What a channel moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
}

impl Path {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "translation" => Self::Translation,
            "rotation" => Self::Rotation,
            "scale" => Self::Scale,
            "weights" => Self::Weights,
            _ => return None,
        })
    }
}

/// The pose of animation `index` at `at` seconds. What cannot be moved is warned about.
pub fn sample(data: &Data, context: &mut Context, index: usize, at: f64) -> Result<Pose, SceneError> {
    let animation = &data.document.animations[index];
    let mut pose = Pose::new();
    let mut moved = HashSet::new();
    for (i, channel) in animation.channels.iter().enumerate() {
        let item = format!("animations[{index}].channels[{i}]");
        let (node, path) = match target(channel) {
            Ok(Some(target)) => target,
            // Without a node and a pointer, an extension that is not known says what moves.
            Ok(None) => continue,
            Err(message) => {
                context.warn(data.path, Place::Item(format!("{item}.target")), message);
                continue;
            }
        };
        data.entry(&data.document.nodes, "nodes", node, &item)?;
        let sampler = channel.sampler.ok_or_else(|| data.malformed(&item, "names no sampler"))?;
        let sampler = data.entry(&animation.samplers, "samplers", sampler, &item)?;
        if !moved.insert((node, path)) {
            let message = "moves what an earlier channel moves; the earlier one counts";
            context.warn(data.path, Place::Item(item), message);
            continue;
        }
        let Some(values) = optional(values(data, sampler, path, node, at, &item))? else { continue };
        let node = pose.entry(node.index()).or_default();
        let three = || Some([values[0], values[1], values[2]]);
        match path {
            Path::Translation => node.translation = three(),
            Path::Scale => node.scale = three(),
            Path::Rotation => node.rotation = Some([values[0], values[1], values[2], values[3]]),
            Path::Weights => node.weights = Some(values),
        }
    }
    Ok(pose)
}

/// What a channel moves of which node; `None` where it says neither.
fn target(channel: &Channel) -> Result<Option<(Int, Path)>, String> {
    let target = &channel.target;
    if let Some(pointer) = &target.extensions.pointer {
        let pointer = &pointer.pointer;
        let parts = pointer.strip_prefix("/nodes/").and_then(|rest| rest.split_once('/'));
        let found = parts.and_then(|(node, path)| Some((Int(node.parse().ok()?), Path::of(path)?)));
        return found.map(Some).ok_or_else(|| {
            format!("moves {}, which is left as it is: only nodes and their weights are moved", crate::escape(pointer))
        });
    }
    let Some(node) = target.node else { return Ok(None) };
    match Path::of(&target.path) {
        Some(path) => Ok(Some((node, path))),
        None => Err(format!("moves {:?}, which is not known; left as it is", target.path)),
    }
}

/// The values of a sampler at a time, as many as `path` has.
fn values(data: &Data, sampler: &AnimationSampler, path: Path, node: Int, at: f64, item: &str) -> Read<Vec<f64>> {
    let bad = |message: String| -> Fault { data.malformed(item, message).into() };
    let is_cubic = match sampler.interpolation.as_deref() {
        None | Some("LINEAR" | "STEP") => false,
        Some("CUBICSPLINE") => true,
        Some(other) => return Err(bad(format!("unknown interpolation {other:?}"))),
    };
    let place = |name: &str| format!("{item}.sampler.{name}");
    let input = sampler.input.ok_or_else(|| bad("its sampler has no input".into()))?;
    let output = sampler.output.ok_or_else(|| bad("its sampler has no output".into()))?;
    let times = Elements::open(data, input, &place("input"))?.floats(data, None, &[1], [0.0; 1])?;
    let times: Vec<f64> = times.into_iter().map(|[time]| f64::from(time)).collect();
    if times.is_empty() {
        return Err(bad("its sampler has no keys".into()));
    }
    if let Some(key) = times.iter().position(|time| !time.is_finite()) {
        return Err(bad(format!("the time of key {key} is not finite: {}", times[key])));
    }
    if let Some(key) = times.windows(2).position(|two| two[1] < two[0]) {
        return Err(bad(format!("key {} at {} s stands behind one at {} s", key + 1, times[key + 1], times[key])));
    }

    let keys = Keys { data, output: Elements::open(data, output, &place("output"))?, path, is_cubic };
    let per_key = if is_cubic { 3 } else { 1 };
    let width = match path {
        Path::Weights => targets(data, node).unwrap_or(keys.output.count / (times.len() * per_key)),
        _ => 1,
    };
    let needed = times.len().checked_mul(per_key).and_then(|n| n.checked_mul(width));
    if needed.is_none_or(|needed| keys.output.count < needed) {
        let message = format!(
            "{} too few for {} of {width}",
            counted(keys.output.count, "value is", "values are"),
            counted(times.len(), "key", "keys")
        );
        return Err(bad(if is_cubic { message + " with two tangents each" } else { message }));
    }
    let last = times.len() - 1;
    let at = at.clamp(times[0], times[last]);
    // The last key that is not behind the time.
    let key = times.partition_point(|&time| time <= at) - 1;
    let found = if key == last || sampler.interpolation.as_deref() == Some("STEP") {
        keys.value(key, width)?
    } else {
        let span = times[key + 1] - times[key];
        let t = (at - times[key]) / span;
        let (from, to) = (keys.value(key, width)?, keys.value(key + 1, width)?);
        if is_cubic {
            let (leaving, coming) = (keys.part(key, 2, width)?, keys.part(key + 1, 0, width)?);
            let (t2, t3) = (t * t, t * t * t);
            let spline = |i: usize| {
                (2.0 * t3 - 3.0 * t2 + 1.0) * from[i]
                    + span * (t3 - 2.0 * t2 + t) * leaving[i]
                    + (3.0 * t2 - 2.0 * t3) * to[i]
                    + span * (t3 - t2) * coming[i]
            };
            (0..from.len()).map(spline).collect()
        } else if path == Path::Rotation {
            slerp(quaternion(&from), quaternion(&to), t).to_array().to_vec()
        } else {
            from.iter().zip(&to).map(|(from, to)| (1.0 - t) * from + t * to).collect()
        }
    };
    if let Some(odd) = found.iter().find(|value| !value.is_finite()) {
        return Err(bad(format!("a value at {at} s is not finite: {odd}")));
    }
    Ok(if path == Path::Rotation { quaternion(&found).to_array().to_vec() } else { found })
}

/// How many morph targets the mesh of a node has.
fn targets(data: &Data, node: Int) -> Option<usize> {
    let document = data.document;
    let mesh = document.meshes.get(document.nodes.get(node.index())?.mesh?.index())?;
    mesh.primitives.iter().map(|primitive| primitive.targets.len()).max()
}

/// The values of a sampler's keys.
struct Keys<'a> {
    data: &'a Data<'a>,
    output: Elements<'a>,
    path: Path,
    is_cubic: bool,
}

impl Keys<'_> {
    /// The value of a key, without its tangents.
    fn value(&self, key: usize, width: usize) -> Read<Vec<f64>> {
        self.part(key, usize::from(self.is_cubic), width)
    }

    /// Of a key of a spline: 0 the tangent towards it, 1 its value, 2 the tangent away from it.
    fn part(&self, key: usize, part: usize, width: usize) -> Read<Vec<f64>> {
        let block = if self.is_cubic { 3 * key + part } else { key };
        let which: Vec<u32> = (block * width..(block + 1) * width).map(|i| i as u32).collect();
        fn flat<const N: usize>(read: Vec<[f32; N]>) -> Vec<f64> {
            read.into_iter().flatten().map(f64::from).collect()
        }
        let (data, which) = (self.data, Some(&which[..]));
        Ok(match self.path {
            Path::Translation | Path::Scale => flat(self.output.floats(data, which, &[3], [0.0; 3])?),
            Path::Rotation => flat(self.output.floats(data, which, &[4], [0.0; 4])?),
            Path::Weights => flat(self.output.floats(data, which, &[1], [0.0; 1])?),
        })
    }
}

/// Four numbers at unit length; quantised ones are not quite of it, and no turn is of length 0.
fn quaternion(values: &[f64]) -> DQuat {
    let quaternion = DVec4::new(values[0], values[1], values[2], values[3]);
    DQuat::from_vec4(quaternion.try_normalize().unwrap_or(DVec4::W))
}

/// The turn at share `t` of the shorter way from one to the other.
fn slerp(from: DQuat, to: DQuat, t: f64) -> DQuat {
    let to = if from.dot(to) < 0.0 { -to } else { to };
    // Exact for small angles, too, where the arc cosine is not.
    let angle = 2.0 * (to - from).length().atan2((to + from).length());
    let sine = angle.sin();
    if sine < 1e-9 {
        return from.lerp(to, t);
    }
    from * (((1.0 - t) * angle).sin() / sine) + to * ((t * angle).sin() / sine)
}
