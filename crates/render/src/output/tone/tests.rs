use super::*;

#[test]
fn srgb_bytes_survive_a_round_trip_and_known_values_are_exact() {
    let decode = |byte: u8| {
        let c = f64::from(byte) / 255.0;
        (if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }) as f32
    };
    for byte in 0..=255 {
        assert_eq!(encode_srgb(decode(byte)), byte);
    }
    // 0.5 is 187.52 and 0.18 is 117.64 in the exact transfer.
    for (linear, byte) in [(0.0, 0), (0.5, 188), (0.18, 118), (1.0, 255), (-1.0, 0), (7.0, 255), (f32::NAN, 0)] {
        assert_eq!(encode_srgb(linear), byte, "{linear}");
    }
}

#[test]
fn a_byte_changes_exactly_half_way() {
    // The transfer's inverse at byte + 1/2, in f64: a value just below rounds down and one just above rounds up.
    for byte in 0..255_u8 {
        let c = (f64::from(byte) + 0.5) / 255.0;
        let edge = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        assert_eq!(encode_srgb((edge * (1.0 - 2e-6)) as f32), byte, "below {byte} + 1/2");
        assert_eq!(encode_srgb((edge * (1.0 + 2e-6)) as f32), byte + 1, "above {byte} + 1/2");
    }
}

#[test]
fn gray_stays_in_order_and_in_range_under_every_curve() {
    for tone in Tone::ALL {
        let mut last = [0.0_f32; 3];
        for i in 0..4000 {
            let y = (i as f32 / 100.0 - 20.0).exp2();
            let now = tone.apply([y; 3]);
            for k in 0..3 {
                // A few ulps: the curves are smooth but computed in f32.
                assert!((0.0..=1.0).contains(&now[k]) && now[k] >= last[k] - 1e-6, "{tone} at {y}: {last:?} {now:?}");
            }
            last = now;
        }
        assert!(last.iter().all(|&c| c > 0.98), "{tone} ends at {last:?}");
    }
}

#[test]
fn curves_have_their_known_values() {
    let close = |tone: Tone, input: [f32; 3], want: [f32; 3]| {
        let got = tone.apply(input);
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 2e-4), "{tone} of {input:?}: {got:?}, not {want:?}");
    };
    close(Tone::Srgb, [0.2, 0.5, 3.0], [0.2, 0.5, 1.0]);
    close(Tone::Reinhard, [1.0; 3], [0.5; 3]);
    close(Tone::Reinhard, [3.0; 3], [0.75; 3]);
    // Pure red of luminance 1 keeps its hue.
    close(Tone::Reinhard, [1.0 / 0.2126, 0.0, 0.0], [1.0, 0.0, 0.0]);
    close(Tone::Reinhard, [1.0, 0.0, 0.0], [1.0 / 1.2126, 0.0, 0.0]);
    // The rational function at 1 and 0.18 by hand; gray passes both matrices within 1e-4.
    close(Tone::Aces, [1.0; 3], [0.6191; 3]);
    close(Tone::Aces, [0.18; 3], [0.1057; 3]);
    // Middle gray is one half before gamma 2.2.
    close(Tone::Agx, [0.18; 3], [0.5_f32.powf(2.2); 3]);
    close(Tone::Agx, [0.0; 3], [0.0; 3]);
    // Below the compression only the offset of 0.04 goes; a saturated colour has none to lose.
    close(Tone::Neutral, [0.5; 3], [0.46; 3]);
    close(Tone::Neutral, [0.7, 0.2, 0.0], [0.7, 0.2, 0.0]);
    close(Tone::Neutral, [0.04; 3], [0.01; 3]);
    // Peak 0.96: 1 - 0.0576 / (0.96 + 0.24 - 0.76).
    close(Tone::Neutral, [1.0; 3], [0.8691; 3]);
}

#[test]
fn any_input_gives_a_display_value() {
    let odd = [0.0, -0.0, -5.0, 1e-45, 1e30, f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.0];
    for tone in Tone::ALL {
        for &r in &odd {
            for &g in &odd {
                let out = tone.apply([r, g, 0.5]);
                assert!(out.iter().all(|c| (0.0..=1.0).contains(c)), "{tone} of {r} {g}: {out:?}");
            }
        }
    }
}

#[test]
fn exposure_is_stops_or_a_factor() {
    assert_eq!("1".parse::<Exposure>().unwrap().as_factor(), 2.0);
    assert_eq!("-2".parse::<Exposure>().unwrap().as_factor(), 0.25);
    assert_eq!("x3".parse::<Exposure>().unwrap().as_factor(), 3.0);
    assert_eq!("0.5x".parse::<Exposure>().unwrap().as_factor(), 0.5);
    for bad in ["", "x", "x0", "x-1", "nan", "inf", "1e9", "bright"] {
        assert!(bad.parse::<Exposure>().is_err(), "{bad}");
    }
    let look = Look { exposure: Exposure::stops(-1.0).unwrap(), tone: Tone::Srgb };
    assert_eq!(look.to_srgb8([1.0; 3]), [188; 3]);
    assert_eq!("agx".parse::<Tone>(), Ok(Tone::Agx));
    assert!("AgX2".parse::<Tone>().unwrap_err().to_string().contains("reinhard"));
}
