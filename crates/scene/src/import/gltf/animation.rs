//! Poses of nodes, taken from an animation at a time.
//!
//! Source: glTF 2.0 specification, section 3.11 and appendix C; KHR_animation_pointer, where it points at what channels
//! of nodes move, too, and at weights of nodes and meshes, all or one. Everything is f64; times before the first key
//! and behind the last are clamped.

use super::accessor::Elements;
use super::data::Data;
use super::fault::{Read, ReadStop, optional};
use super::json::{AnimationSampler, ChannelJson, Int};
use crate::import::Context;
use crate::{GltfFault, GltfWarning, ImportError, Place};
use glam::{DQuat, DVec4};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Translation, rotation and scale that an animation gives to a node in place of its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodePose {
    pub translation: Option<[f64; 3]>,
    /// Rotation as a unit quaternion.
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    pub weights: PosedWeights,
}

/// Weights of morph targets that an animation gives to a mesh or node in place of its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PosedWeights {
    all: Option<Vec<f64>>,
    /// Single weights, by the index of the morph target, which the mesh has.
    single: BTreeMap<usize, f64>,
}

impl PosedWeights {
    /// Returns the weights `own` with the animated ones replaced.
    pub fn replace(&self, own: Vec<f64>) -> Vec<f64> {
        let mut weights = self.all.clone().unwrap_or(own);
        for (&target, &weight) in &self.single {
            if weights.len() <= target {
                weights.resize(target + 1, 0.0);
            }
            weights[target] = weight;
        }
        weights
    }
}

/// State of an animation at one time: the values that replace the file's own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pose {
    /// Animated transforms of nodes, by node index.
    pub nodes: HashMap<usize, NodePose>,
    /// Animated weights of meshes, by mesh index, for nodes without weights of their own.
    pub meshes: HashMap<usize, PosedWeights>,
}

/// Object whose property an animation channel animates: a node or a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Node(Int),
    Mesh(Int),
}

impl Owner {
    /// Returns the largest number of morph targets of any primitive of the animated mesh.
    fn targets(self, data: &Data) -> Option<usize> {
        let document = data.document;
        let mesh = match self {
            Self::Node(node) => document.nodes.get(node.index())?.mesh?,
            Self::Mesh(mesh) => mesh,
        };
        let mesh = document.meshes.get(mesh.index())?;
        mesh.primitives.iter().map(|primitive| primitive.targets.len()).max()
    }
}

/// Property that an animation channel animates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
    /// Weight of the morph target with this index.
    Weight(usize),
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

/// Evaluates animation `index` at `at` seconds. What cannot be moved is warned about.
pub fn sample(data: &Data, context: &mut Context, index: usize, at: f64) -> Result<Pose, ImportError> {
    let animation = &data.document.animations[index];
    let mut pose = Pose::default();
    let mut moved = HashSet::new();
    for (i, channel) in animation.channels.iter().enumerate() {
        let item = format!("animations[{index}].channels[{i}]");
        let (owner, path) = match target(channel) {
            Ok(Some(target)) => target,
            // Without a node and a pointer, an extension that is not known says what moves.
            Ok(None) => continue,
            Err(warning) => {
                context.warn(data.path, Place::Item(format!("{item}.target")), warning);
                continue;
            }
        };
        match owner {
            Owner::Node(node) => data.entry(&data.document.nodes, "nodes", node, &item).map(|_| ())?,
            Owner::Mesh(mesh) => data.entry(&data.document.meshes, "meshes", mesh, &item).map(|_| ())?,
        }
        let targets = owner.targets(data);
        if let Path::Weight(weight) = path
            && weight >= targets.unwrap_or(0)
        {
            let warning = GltfWarning::UnknownWeight { weight, targets: targets.unwrap_or(0) };
            context.warn(data.path, Place::Item(item), warning);
            continue;
        }
        let sampler = channel.sampler.ok_or_else(|| data.malformed(&item, GltfFault::NamesNo { what: "sampler" }))?;
        let sampler = data.entry(&animation.samplers, "samplers", sampler, &item)?;
        let is_moved = match path {
            // All of them or each alone.
            Path::Weight(_) => moved.contains(&(owner, Path::Weights)),
            Path::Weights => moved.iter().any(|&(other, path)| other == owner && matches!(path, Path::Weight(_))),
            _ => false,
        };
        if is_moved || !moved.insert((owner, path)) {
            context.warn(data.path, Place::Item(item), GltfWarning::MovedTwice);
            continue;
        }
        let Some(values) = optional(values(data, sampler, path, targets, at, &item))? else { continue };
        let node = match owner {
            Owner::Node(node) => pose.nodes.entry(node.index()).or_default(),
            Owner::Mesh(mesh) => {
                set_weights(pose.meshes.entry(mesh.index()).or_default(), path, values);
                continue;
            }
        };
        let three = || Some([values[0], values[1], values[2]]);
        match path {
            Path::Translation => node.translation = three(),
            Path::Scale => node.scale = three(),
            Path::Rotation => node.rotation = Some([values[0], values[1], values[2], values[3]]),
            Path::Weights | Path::Weight(_) => set_weights(&mut node.weights, path, values),
        }
    }
    Ok(pose)
}

fn set_weights(weights: &mut PosedWeights, path: Path, values: Vec<f64>) {
    match path {
        Path::Weight(target) => {
            weights.single.insert(target, values[0]);
        }
        _ => weights.all = Some(values),
    }
}

/// Returns the node or mesh that an animation channel moves, and which property; `None` if the channel has no node and
/// no JSON pointer.
fn target(channel: &ChannelJson) -> Result<Option<(Owner, Path)>, GltfWarning> {
    let target = &channel.target;
    if let Some(pointer) = &target.extensions.pointer {
        let pointer = &pointer.pointer;
        return pointed(pointer).map(Some).ok_or_else(|| GltfWarning::UnmovedPointer { pointer: pointer.clone() });
    }
    let Some(node) = target.node else { return Ok(None) };
    match Path::of(&target.path) {
        Some(path) => Ok(Some((Owner::Node(node), path))),
        None => Err(GltfWarning::UnknownPath { path: target.path.clone() }),
    }
}

/// Parses a JSON pointer of KHR_animation_pointer; `None` if it points to something that is not animated here.
fn pointed(pointer: &str) -> Option<(Owner, Path)> {
    let parts: Vec<&str> = pointer.strip_prefix('/')?.split('/').collect();
    let (kind, number, rest) = (parts.first()?, parts.get(1)?.parse().ok()?, parts.get(2..)?);
    let path = match rest {
        ["weights", weight] => Path::Weight(weight.parse().ok()?),
        [path] => Path::of(path)?,
        _ => return None,
    };
    match *kind {
        "nodes" => Some((Owner::Node(Int(number)), path)),
        "meshes" => matches!(path, Path::Weights | Path::Weight(_)).then_some((Owner::Mesh(Int(number)), path)),
        _ => None,
    }
}

/// Evaluates an animation sampler at time `at`; returns as many values as the property `path` has. `targets` is the
/// number of morph targets, where there is a mesh.
fn values(
    data: &Data,
    sampler: &AnimationSampler,
    path: Path,
    targets: Option<usize>,
    at: f64,
    item: &str,
) -> Read<Vec<f64>> {
    let bad = |fault: GltfFault| -> ReadStop { data.malformed(item, fault).into() };
    let is_cubic = match sampler.interpolation.as_deref() {
        None | Some("LINEAR" | "STEP") => false,
        Some("CUBICSPLINE") => true,
        Some(other) => return Err(bad(GltfFault::Interpolation { name: other.into() })),
    };
    let place = |name: &str| format!("{item}.sampler.{name}");
    let input = sampler.input.ok_or_else(|| bad(GltfFault::SamplerWithout { what: "input" }))?;
    let output = sampler.output.ok_or_else(|| bad(GltfFault::SamplerWithout { what: "output" }))?;
    let times = Elements::open(data, input, &place("input"))?.floats(data, None, &[1], [0.0; 1])?;
    let times: Vec<f64> = times.into_iter().map(|[time]| f64::from(time)).collect();
    if times.is_empty() {
        return Err(bad(GltfFault::SamplerWithout { what: "keys" }));
    }
    if let Some(key) = times.iter().position(|time| !time.is_finite()) {
        return Err(bad(GltfFault::KeyTime { key, time: times[key] }));
    }
    if let Some(key) = times.windows(2).position(|two| two[1] < two[0]) {
        return Err(bad(GltfFault::KeyOrder { key: key + 1, time: times[key + 1], before: times[key] }));
    }

    let keys = Keys { data, output: Elements::open(data, output, &place("output"))?, path, is_cubic };
    let per_key = if is_cubic { 3 } else { 1 };
    let width = match path {
        Path::Weights => targets.unwrap_or(keys.output.count / (times.len() * per_key)),
        _ => 1,
    };
    let needed = times.len().checked_mul(per_key).and_then(|n| n.checked_mul(width));
    if needed.is_none_or(|needed| keys.output.count < needed) {
        return Err(bad(GltfFault::KeyValues { values: keys.output.count, keys: times.len(), width, is_cubic }));
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
    if let Some(&value) = found.iter().find(|value| !value.is_finite()) {
        return Err(bad(GltfFault::PoseNotFinite { at, value }));
    }
    Ok(if path == Path::Rotation { quaternion(&found).to_array().to_vec() } else { found })
}

/// Key frames of an animation sampler.
struct Keys<'a> {
    data: &'a Data<'a>,
    output: Elements<'a>,
    path: Path,
    is_cubic: bool,
}

impl Keys<'_> {
    /// Returns the value of key frame `key`, without its tangents.
    fn value(&self, key: usize, width: usize) -> Read<Vec<f64>> {
        self.part(key, usize::from(self.is_cubic), width)
    }

    /// Returns one part of a key frame of a cubic spline: 0 the incoming tangent, 1 the value, 2 the outgoing tangent.
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
            Path::Weights | Path::Weight(_) => flat(self.output.floats(data, which, &[1], [0.0; 1])?),
        })
    }
}

/// Normalises four numbers to a unit quaternion; quantised ones are not quite of unit length, and zeros give the
/// identity.
fn quaternion(values: &[f64]) -> DQuat {
    let quaternion = DVec4::new(values[0], values[1], values[2], values[3]);
    DQuat::from_vec4(quaternion.try_normalize().unwrap_or(DVec4::W))
}

/// Interpolates rotations at fraction `t` of the shorter way between them.
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
