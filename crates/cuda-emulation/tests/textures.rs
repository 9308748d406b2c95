//! What emulated texture units find in images: what is there, but for weights of 8 bits.

use raywarp_cuda_emulation::EmulatedTexture;
use raywarp_cuda_emulation::twins::{Numbers, answer};
use raywarp_render::ShadingScene;
use raywarp_render::flat::{ImageLookup, ProgramRecord, Texels, TextureImage, TextureKind, TextureOp, Wrapping};
use raywarp_render_cuda::{HostScene, format_of, sampler_of, scene::texels};
use std::sync::Arc;

/// Look-ups of all kinds together.
const LOOK_UPS: usize = 1_000_000;

const SIZES: [[u32; 2]; 5] = [[1, 1], [2, 1], [5, 3], [16, 64], [257, 130]];

/// Images of all formats and [`SIZES`], each with a texture for each way to look it up.
fn scene() -> ShadingScene {
    let mut numbers = Numbers::new(11);
    let (mut images, mut ops) = (Vec::new(), Vec::new());
    for size in SIZES {
        let count = (size[0] * size[1]) as usize;
        let mut bytes = || (0..count).map(|_| numbers.word().to_le_bytes()).collect::<Vec<_>>();
        let (srgb, linear) = (Texels::Srgb8(bytes()), Texels::Linear8(bytes()));
        let float = (0..count).map(|_| [0; 4].map(|_| numbers.between(-2.0, 9.0))).collect();
        for texels in [srgb, linear, Texels::Float(float)] {
            images.push(TextureImage { size, texels: Arc::new(texels) });
        }
    }
    for image in 0..images.len() as u32 {
        for way in 0..32 {
            let rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            let (wrap, lookup) = ([way % 4, way / 4 % 4], way / 16);
            let kind = TextureKind::Image.tag();
            ops.push(TextureOp { kind, image, wrap, lookup, uv_set: 0, rows, value: [0.0; 4] });
        }
    }
    let programs = (0..ops.len() as u32).map(|first| ProgramRecord { first, end: first + 1 }).collect();
    ShadingScene { images, texture_ops: ops, programs, ..ShadingScene::default() }
}

/// Where an image is looked up: some texels away from it, some between two texels, some where there are no numbers.
fn coordinate(numbers: &mut Numbers, size: u32) -> f32 {
    match numbers.below(64) {
        0 => [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1.0][numbers.below(6) as usize],
        1..9 => (numbers.below(8 * size) as f32 * 0.5 - 2.0 * size as f32) / size as f32,
        _ => numbers.between(-2.5, 3.5),
    }
}

/// Four channels of the texel at integers x and y, in as few words as there are: f64, one rule a wrapping.
fn texel(image: &TextureImage, op: &TextureOp, at: [i64; 2]) -> [f64; 4] {
    let mut index = [0; 2];
    for axis in 0..2 {
        let size = i64::from(image.size[axis]);
        let turned = at[axis].rem_euclid(2 * size);
        index[axis] = match Wrapping::of(op.wrap[axis]) {
            Wrapping::Repeat => at[axis].rem_euclid(size),
            Wrapping::Mirror => turned.min(2 * size - 1 - turned),
            Wrapping::Clamp => at[axis].clamp(0, size - 1),
            Wrapping::Black if at[axis] < 0 || at[axis] >= size => return [0.0; 4],
            Wrapping::Black => at[axis],
        };
    }
    let i = (index[1] * i64::from(image.size[0]) + index[0]) as usize;
    match &*image.texels {
        Texels::Srgb8(texels) => {
            let [r, g, b, a] = texels[i];
            let linear = |byte: u8| f64::from(raywarp_render::srgb_table()[byte as usize]);
            [linear(r), linear(g), linear(b), f64::from(a) / 255.0]
        }
        Texels::Linear8(texels) => texels[i].map(|byte| f64::from(byte) / 255.0),
        Texels::Float(texels) => texels[i].map(f64::from),
    }
}

/// What is there, and how far apart the four texels are: by channel.
fn truth(image: &TextureImage, op: &TextureOp, uv: [f32; 2]) -> ([f64; 4], [f64; 4]) {
    let uv = if uv.iter().all(|x| x.is_finite()) { uv } else { [0.0; 2] };
    let position = [0, 1].map(|axis| f64::from(uv[axis]) * f64::from(image.size[axis]));
    if ImageLookup::of(op.lookup) == ImageLookup::Nearest {
        return (texel(image, op, position.map(|p| p.floor() as i64)), [0.0; 4]);
    }
    let low = position.map(|p| (p - 0.5).floor());
    let f = [0, 1].map(|axis| position[axis] - 0.5 - low[axis]);
    let corner = |dx, dy| texel(image, op, [low[0] as i64 + dx, low[1] as i64 + dy]);
    let corners = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
    let weights = [(1.0 - f[0]) * (1.0 - f[1]), f[0] * (1.0 - f[1]), (1.0 - f[0]) * f[1], f[0] * f[1]];
    let of = |channel: usize| corners.map(|corner| corner[channel]);
    let channels = [0, 1, 2, 3];
    let value = channels.map(|c| of(c).iter().zip(weights).map(|(x, weight)| x * weight).sum());
    let spread = channels.map(|c| {
        let of = of(c);
        of.iter().copied().fold(f64::MIN, f64::max) - of.iter().copied().fold(f64::MAX, f64::min)
    });
    (value, spread)
}

/// Whether a point is so near a border between texels that rounding may put it on the other side.
fn is_at_border(image: &TextureImage, uv: [f32; 2]) -> bool {
    (0..2).any(|axis| {
        let position = f64::from(uv[axis]) * f64::from(image.size[axis]);
        (position - position.round()).abs() < 1e-4
    })
}

#[test]
fn texture_units_find_what_is_there_as_nearly_as_weights_of_8_bits_allow() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    let scene = scene();
    let textures: Vec<EmulatedTexture> = (scene.texture_ops.iter())
        .map(|op| {
            let image = &scene.images[op.image as usize];
            EmulatedTexture::new(texels(image), image.size, format_of(image), sampler_of(op))
        })
        .collect();
    let handles: Vec<u64> = textures.iter().map(EmulatedTexture::handle).collect();
    let mut numbers = Numbers::new(3);
    let (mut cases, mut points) = (Vec::new(), Vec::new());
    for _ in 0..LOOK_UPS {
        let program = numbers.below(scene.programs.len() as u32);
        let size = scene.images[scene.texture_ops[program as usize].image as usize].size;
        let uv = size.map(|size| coordinate(&mut numbers, size));
        cases.extend([program, uv[0].to_bits(), uv[1].to_bits(), 0, 0, 0, 0, 0, 0]);
        points.push((program as usize, uv));
    }
    let look_up = |host: &HostScene<'_>| answer("texture_value", host, &cases, 9, 4).unwrap();
    let (exact, units) = (look_up(&HostScene::new(&scene)), look_up(&HostScene::sampled(&scene, &handles)));
    let (mut nearest, mut other, mut largest) = (0, 0, 0.0f64);
    for (i, &(program, uv)) in points.iter().enumerate() {
        let op = &scene.texture_ops[program];
        let image = &scene.images[op.image as usize];
        let of = |answers: &[u32]| [0, 1, 2, 3].map(|channel| f32::from_bits(answers[4 * i + channel]));
        let (exact, units) = (of(&exact), of(&units));
        let place = format!("{:?}, {:?}, {op:?}, {uv:?}: {units:?}, {exact:?}", image.size, format_of(image));
        if ImageLookup::of(op.lookup) == ImageLookup::Nearest {
            nearest += 1;
            // They round the position in their own ways.
            assert!(units == exact || is_at_border(image, uv), "{place}");
            continue;
        }
        let (value, spread) = truth(image, op, uv);
        for channel in 0..4 {
            let error = (f64::from(units[channel]) - value[channel]).abs();
            // Of each weight half a unit of its last place, and of the sum what f32 rounds.
            let bound = 2.0 / 512.0 * spread[channel] + 4e-6;
            assert!(error <= bound, "{place}: {error} from {value:?}, at most {bound}");
            let own = (f64::from(exact[channel]) - value[channel]).abs();
            assert!(own <= 4e-6 + 1e-3 * spread[channel], "{place}: {own} from {value:?}");
            largest = largest.max(error / spread[channel].max(1e-2));
        }
        other += usize::from(units != exact);
    }
    println!("{nearest} nearest, {other} others differ, by up to {largest} of what the texels do");
    assert!(nearest > LOOK_UPS / 3 && other > LOOK_UPS / 4, "{nearest} {other}");
    // The bound is no wider than it has to be.
    assert!(largest > 0.8 * 2.0 / 512.0, "{largest}");
}
