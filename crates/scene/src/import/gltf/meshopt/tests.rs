//! Streams made by the original encoder (meshoptimizer 0.2.30 for Python, seeded data of our own) and
//! what its decoder makes of them.

use super::decode;
use crate::MeshoptFault;
use crate::import::gltf::json::{Int, Meshopt};

#[derive(serde::Deserialize)]
struct Case {
    note: String,
    mode: String,
    filter: String,
    stride: u64,
    count: u64,
    stream: String,
    want: String,
}

impl Case {
    fn header(&self) -> Meshopt {
        Meshopt {
            byte_stride: Int(self.stride),
            count: Int(self.count),
            mode: self.mode.clone(),
            filter: Some(self.filter.clone()),
            ..Default::default()
        }
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// Returns the test cases, from the file that RAYWARP_MESHOPT_CASES names if it is set.
fn cases() -> Vec<Case> {
    let file = std::env::var_os("RAYWARP_MESHOPT_CASES").map(|path| std::fs::read_to_string(path).unwrap());
    let text = file.unwrap_or_else(|| include_str!("../../../../tests/data/meshopt_cases.json").into());
    serde_json::from_str(&text).unwrap()
}

/// Returns `true` if the results of a filter differ by no more than the specification allows, in units of their last
/// place.
fn close(case: &Case, got: &[u8], want: &[u8]) -> bool {
    let ulp = |a: i32, b: i32| (a - b).abs() <= 1;
    match (case.filter.as_str(), case.stride) {
        ("OCTAHEDRAL", 4) => got.iter().zip(want).all(|(&a, &b)| ulp(i32::from(a as i8), i32::from(b as i8))),
        ("OCTAHEDRAL" | "QUATERNION", _) => got.chunks_exact(2).zip(want.chunks_exact(2)).all(|(a, b)| {
            let half = |x: &[u8]| i32::from(i16::from_le_bytes([x[0], x[1]]));
            ulp(half(a), half(b))
        }),
        _ => got == want,
    }
}

#[test]
fn streams_of_the_original_encoder_decode_to_what_its_decoder_gives() {
    for case in cases() {
        let want = bytes(&case.want);
        let got = decode(&case.header(), &bytes(&case.stream)).unwrap_or_else(|e| panic!("{}: {e}", case.note));
        assert_eq!(got.len(), want.len(), "{}", case.note);
        assert!(close(&case, &got, &want), "{}:\n got {got:02x?}\nwant {want:02x?}", case.note);
    }
}

#[test]
fn the_colour_filter_follows_the_specification() {
    // K = 8: (r, g, b) = (y + co - cg, y + cg, y - co - cg), alpha 0x7f under its marker bit 0x80.
    let mut colors = [100, 20, 10, 0xff, 100, 236, 246, 0x80];
    super::filter::color(&mut colors, 4);
    assert_eq!(colors, [110, 110, 70, 255, 90, 90, 130, 0]);
    // K = 4 has 15 for one.
    let mut coarse = [15, 0, 0, 0b1111];
    super::filter::color(&mut coarse, 4);
    assert_eq!(coarse, [255; 4]);
}

#[test]
fn cut_streams_are_errors_and_changed_ones_never_panic() {
    for case in cases() {
        let stream = bytes(&case.stream);
        for end in 0..stream.len().min(600) {
            assert!(decode(&case.header(), &stream[..end]).is_err(), "{} cut to {end}", case.note);
        }
        for i in 0..stream.len().min(600) {
            for flip in [1, 0x80, 0xff] {
                let mut changed = stream.clone();
                changed[i] ^= flip;
                let _ = decode(&case.header(), &changed);
            }
        }
    }
}

#[test]
fn headers_that_break_the_rules_are_refused() {
    let header = |mode: &str, filter: &str, stride, count| Meshopt {
        byte_stride: Int(stride),
        count: Int(count),
        mode: mode.into(),
        filter: Some(filter.into()),
        ..Default::default()
    };
    let stride = |stride, mode: &str, filter: &str| {
        let (mode, filter) = (mode.into(), filter.into());
        MeshoptFault::Stride { stride, mode, filter }
    };
    let short = |elements| MeshoptFault::Short { bytes: 65, elements };
    let exponential = ("EXPONENTIAL".into(), "INDICES".into());
    for (header, want) in [
        (header("ATTRIBUTES", "NONE", 6, 1), stride(6, "ATTRIBUTES", "NONE")),
        (header("ATTRIBUTES", "NONE", 260, 1), stride(260, "ATTRIBUTES", "NONE")),
        (header("ATTRIBUTES", "QUATERNION", 4, 1), stride(4, "ATTRIBUTES", "QUATERNION")),
        (header("ATTRIBUTES", "NONE", 4, 1 << 50), short(1 << 50)),
        (header("TRIANGLES", "NONE", 1, 3), stride(1, "TRIANGLES", "NONE")),
        (header("TRIANGLES", "NONE", 2, 4), MeshoptFault::NoTriangles { count: 4 }),
        (
            header("INDICES", "EXPONENTIAL", 4, 4),
            MeshoptFault::FilterOfMode { filter: exponential.0, mode: exponential.1 },
        ),
        (header("INDICES", "NONE", 4, u64::MAX), short(u64::MAX)),
        (header("SOMETHING", "NONE", 4, 4), MeshoptFault::Mode { name: "SOMETHING".into() }),
        (header("ATTRIBUTES", "BLUR", 4, 0), MeshoptFault::Filter { name: "BLUR".into() }),
    ] {
        let source = [&[0xa0], &[0; 64][..]].concat();
        assert_eq!(decode(&header, &source), Err(want));
    }
}
