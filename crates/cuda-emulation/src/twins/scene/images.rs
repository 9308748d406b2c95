//! Images in each of their formats.

use raywarp_sample::hash::{combine, to_unit};
use raywarp_scene::{Description, Image, ImageId, Pixels};

/// Ids of the colour images: sRGB bytes, linear bytes, and floats.
pub(super) const COLORS: [ImageId; 3] = [ImageId(0), ImageId(1), ImageId(2)];
/// Id of the normal map.
pub(super) const NORMALS: ImageId = ImageId(3);
/// Id of an image of a single texel.
pub(super) const DOT: ImageId = ImageId(4);
/// Ids of environment maps: one with a bright spot, a dark row and a negative texel; an all-black one; one of bytes.
pub(super) const SKIES: [ImageId; 3] = [ImageId(5), ImageId(6), ImageId(7)];

/// Adds the test images to the scene, in the order of these constants.
pub(super) fn add(scene: &mut Description) {
    let word = |image: u32, x: u32, y: u32, c: u32| combine(image, x + 16 * y + 256 * c);
    let byte = |image: u32| move |x, y, c| word(image, x, y, c) as u8;
    let bytes = |size: [u32; 2], value: &dyn Fn(u32, u32, u32) -> u8| texels(size, value);
    push(scene, [5, 3], Pixels::Srgb8(bytes([5, 3], &byte(0))));
    push(scene, [4, 4], Pixels::Linear8(bytes([4, 4], &byte(1))));
    push(scene, [3, 2], Pixels::Float(texels([3, 2], &|x, y, c| 1.2 * to_unit(word(2, x, y, c)))));
    let normal = |x, y, c: u32| if c == 2 { 200 } else { 90 + (word(3, x, y, c) % 80) as u8 };
    push(scene, [4, 3], Pixels::Linear8(bytes([4, 3], &normal)));
    push(scene, [1, 1], Pixels::Srgb8(bytes([1, 1], &byte(4))));
    let sky = |x, y, c| match (x, y) {
        (5, 2) => 40.0,
        (2, 1) => -0.5,
        (_, 4) => 0.0,
        _ => to_unit(word(5, x, y, c)),
    };
    push(scene, [8, 6], Pixels::Float(texels([8, 6], &sky)));
    push(scene, [2, 2], Pixels::Float(vec![[0.0; 4]; 4]));
    push(scene, [7, 4], Pixels::Srgb8(bytes([7, 4], &byte(7))));
}

fn push(scene: &mut Description, [width, height]: [u32; 2], pixels: Pixels) {
    scene.add_image(Image { name: String::new(), width, height, pixels: pixels.into() });
}

fn texels<T>([width, height]: [u32; 2], value: &dyn Fn(u32, u32, u32) -> T) -> Vec<[T; 4]> {
    (0..height).flat_map(|y| (0..width).map(move |x| [0, 1, 2, 3].map(|c| value(x, y, c)))).collect()
}
