//! Radiance HDR (RGBE): eight bits a channel with one exponent a pixel, some 1 % of relative precision.

/// Smallest value that is written: the format's exponents reach from 2^-127 to 2^127.
const SMALLEST: f32 = 1e-38;
const LARGEST: f32 = 1e38;

/// Number of pixels of a row that is packed, channel by channel.
const PACKED_WIDTHS: std::ops::RangeInclusive<usize> = 8..=32_768;
/// Number of bytes of a run, and of bytes that are no run.
const LONGEST_RUN: usize = 127;
const LONGEST_REST: usize = 128;

/// Encodes a Radiance HDR file to bytes; `radiance` is row by row from the top. Negative and NaN values become 0.
pub(super) fn encode(size: [u32; 2], radiance: &[[f32; 3]]) -> Vec<u8> {
    let [width, height] = size;
    // The second line is the one that earlier pictures have.
    let mut file =
        format!("#?RADIANCE\n# Rust HDR encoder\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n").into_bytes();
    if !PACKED_WIDTHS.contains(&(width as usize)) {
        radiance.iter().for_each(|&c| file.extend(nearest_rgbe(c)));
        return file;
    }
    for row in radiance.chunks(width as usize) {
        let row: Vec<[u8; 4]> = row.iter().map(|&c| nearest_rgbe(c)).collect();
        file.extend([2, 2, (width / 256) as u8, (width % 256) as u8]);
        for channel in 0..4 {
            pack(&row.iter().map(|texel| texel[channel]).collect::<Vec<u8>>(), &mut file);
        }
    }
    file
}

/// Appends bytes as runs of equal ones, of three or more, and what is between them.
fn pack(data: &[u8], file: &mut Vec<u8>) {
    let rest = |bytes: &[u8], file: &mut Vec<u8>| {
        if !bytes.is_empty() {
            file.push(bytes.len() as u8);
            file.extend(bytes);
        }
    };
    let (mut begin, mut at) = (0, 0);
    while let Some(&value) = data.get(at) {
        let run = data[at..].iter().take(LONGEST_RUN).take_while(|&&byte| byte == value).count();
        at += run;
        if run > 2 {
            rest(&data[begin..at - run], file);
            file.extend([128 + run as u8, value]);
            begin = at;
        } else if at - begin >= LONGEST_REST {
            rest(&data[begin..begin + LONGEST_REST], file);
            begin += LONGEST_REST;
        }
    }
    rest(&data[begin..], file);
}

/// Returns the nearest colour that the Radiance format can hold: truncated ones would make every picture darker by half
/// a step.
fn nearest_rgbe(c: [f32; 3]) -> [u8; 4] {
    // A NaN fails the comparison.
    let c = c.map(|c| if c > 0.0 { c.min(LARGEST) } else { 0.0 });
    let peak = c[0].max(c[1]).max(c[2]);
    if peak < SMALLEST {
        return [0; 4];
    }
    // 2^exponent is the power of two next above the peak.
    let exponent = ((peak.to_bits() >> 23) as i32) - 126;
    let round = |exponent: i32| {
        // In f64: the reciprocal step leaves the range of f32 at the dark end.
        let step = f64::from(exponent - 8).exp2();
        c.map(|c| (f64::from(c) / step).round())
    };
    let rounded = round(exponent);
    // A peak just below the power of two may round up to it, and then has the next exponent.
    let carried = rounded.iter().any(|&c| c >= 256.0);
    let (rounded, exponent) = if carried { (round(exponent + 1), exponent + 1) } else { (rounded, exponent) };
    let [r, g, b] = rounded.map(|c| c as u8);
    [r, g, b, (exponent + 128) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_within_half_a_step_of_the_peak() {
        let mut colours = vec![[0.0; 3], [1.0; 3], [0.999_999, 0.5, 0.001], [1e-37, 1e-38, 0.0], [1e37, 1.0, 0.0]];
        colours.extend((0..500).map(|i| {
            let x = (i as f32 * 0.37).sin().abs();
            [x * (i as f32 / 20.0 - 10.0).exp2(), x * x, (i as f32 * 0.11).cos().abs()]
        }));
        let file = encode([colours.len() as u32, 1], &colours);
        let read = image::load_from_memory_with_format(&file, image::ImageFormat::Hdr).unwrap().into_rgb32f();
        assert_eq!(read.dimensions(), (colours.len() as u32, 1));
        for (want, got) in colours.iter().zip(read.pixels()) {
            let peak = want[0].max(want[1]).max(want[2]);
            for k in 0..3 {
                // A step is at most 1/128 of the peak.
                assert!((got.0[k] - want[k]).abs() <= peak / 256.0 * 1.0001, "{want:?} {got:?}");
            }
        }
    }

    #[test]
    fn files_are_those_of_another_encoder_for_colours_that_the_format_holds() {
        let mut random = raywarp_testing::Random::new(3);
        for width in [1, 7, 8, 9, 200, 1000] {
            // Rows with runs of all lengths, and what is between them.
            let mut colours = Vec::new();
            while colours.len() < 3 * width {
                let colour = [(); 3].map(|()| random.unit() * (random.below(200) as f32 / 2.0 - 50.0).exp2());
                colours.extend(std::iter::repeat_n(colour, 1 + random.below(300) / (1 + random.below(100))));
            }
            colours.truncate(3 * width);
            let file = encode([width as u32, 3], &colours);
            let read = image::load_from_memory_with_format(&file, image::ImageFormat::Hdr).unwrap().into_rgb32f();
            let held: Vec<image::Rgb<f32>> = read.pixels().copied().collect();
            let mut other = Vec::new();
            image::codecs::hdr::HdrEncoder::new(&mut other).encode(&held, width, 3).unwrap();
            assert!(file == other, "{width}");
        }
    }

    #[test]
    fn a_flat_picture_is_not_darkened() {
        let colours: Vec<[f32; 3]> = (0..4096).map(|i| [0.5 + i as f32 / 8192.0; 3]).collect();
        let file = encode([64, 64], &colours);
        let read = image::load_from_memory_with_format(&file, image::ImageFormat::Hdr).unwrap().into_rgb32f();
        let sum = |it: &mut dyn Iterator<Item = f32>| it.map(f64::from).sum::<f64>();
        let ratio = sum(&mut read.pixels().map(|p| p.0[0])) / sum(&mut colours.iter().map(|c| c[0]));
        assert!((ratio - 1.0).abs() < 1e-4, "{ratio}");
    }

    #[test]
    fn numbers_out_of_range_do_not_wrap() {
        let odd = [f32::NAN, -1.0, 1e-45, f32::MAX, f32::INFINITY, f32::MIN_POSITIVE];
        let colours: Vec<[f32; 3]> = odd.iter().map(|&x| [x; 3]).collect();
        let file = encode([odd.len() as u32, 1], &colours);
        let read = image::load_from_memory_with_format(&file, image::ImageFormat::Hdr).unwrap().into_rgb32f();
        let got: Vec<f32> = read.pixels().map(|p| p.0[0]).collect();
        assert_eq!(got[..3], [0.0; 3]);
        assert!(got[3] > 9e37 && got[4] > 9e37 && got[5] < 1e-37, "{got:?}");
    }
}
