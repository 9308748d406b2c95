//! Files as NumPy writes them, and damaged ones.

use super::layout::Scalar;
use super::*;

/// Returns the header that numpy.save(FILE, numpy.zeros((3, 8), '<f4')) writes (NumPy 2.4).
fn numpy_rays_header() -> Vec<u8> {
    let mut header = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3, 8), }".to_vec();
    header.extend([b' '; 58]);
    header.push(b'\n');
    header
}

fn some_rays() -> Vec<Ray> {
    (0..3)
        .map(|i| {
            let x = i as f32;
            Ray::new([x, 0.5, -x], [1.0, x - 7.0, f32::MIN_POSITIVE]).with_interval(x * 0.25, f32::INFINITY)
        })
        .collect()
}

/// Returns a `.npy` file of the given version and header text with the data of `rays`.
fn file(version: [u8; 2], text: &str, rays: &[Ray]) -> Vec<u8> {
    let mut file = [&MAGIC[..], &version].concat();
    match version[0] {
        1 => file.extend((text.len() as u16).to_le_bytes()),
        _ => file.extend((text.len() as u32).to_le_bytes()),
    }
    file.extend(text.as_bytes());
    file.extend(&write_rays(rays)[128..]);
    file
}

#[track_caller]
fn check_refused(bytes: &[u8], offset: u64, what: NpyFault) {
    let error = read_rays("a.npy", bytes).unwrap_err();
    // However long what is quoted of the file is.
    let message = error.to_string();
    assert!(message.lines().count() == 1 && message.len() < 300, "{message}");
    match error {
        NpyError::Malformed { name, offset: at, fault } => {
            assert_eq!((&*name, at, fault), ("a.npy", offset, what));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn headers_are_those_that_numpy_writes() {
    assert_eq!(numpy_rays_header().len(), 128);
    assert_eq!(write_rays(&some_rays())[..128], numpy_rays_header());
    let hits = write_hits(&[Hit::default(); 2], &[0, 1], &[]);
    let text = "{'descr': [('t', '<f4'), ('u', '<f4'), ('v', '<f4'), ('primitive', '<u4'), ('instance', '<u4')], \
                'fortran_order': False, 'shape': (2,), }";
    let mut expected = [&b"\x93NUMPY\x01\x00\xb6\x00"[..], text.as_bytes()].concat();
    expected.resize(191, b' ');
    expected.push(b'\n');
    assert_eq!(hits[..192], expected);
    assert_eq!(hits.len(), 192 + 2 * 20);
    let flags = write_flags(&[true, false, true]);
    assert!(flags.starts_with(b"\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }"));
    assert_eq!(flags[128..], [1, 0, 1]);
}

#[test]
fn a_hit_is_five_little_endian_words() {
    let hit = Hit { t: 1.5, u: 0.25, v: -0.0, primitive: 0x0102_0304 };
    let bytes = write_hits(&[hit], &[7], &[]);
    let words = [0x3fc0_0000u32, 0x3e80_0000, 0x8000_0000, 0x0102_0304, 7].map(u32::to_le_bytes);
    assert_eq!(bytes[bytes.len() - 20..], *words.as_flattened());
}

#[test]
fn rays_come_back_bit_for_bit() {
    let mut rays = some_rays();
    rays[1].direction[2] = f32::from_bits(0x7fc0_1234);
    rays[2].origin[0] = -0.0;
    let read = read_rays("a.npy", &write_rays(&rays)[..]).unwrap();
    let bits = |ray: &Ray| [ray.origin.map(f32::to_bits), ray.direction.map(f32::to_bits)];
    assert_eq!(read.rays.iter().map(bits).collect::<Vec<_>>(), rays.iter().map(bits).collect::<Vec<_>>());
    assert_eq!(read.byte_of_t_min(2), 128 + 64 + 12);
    assert_eq!(read_rays("a.npy", &write_rays(&[])[..]).unwrap().rays, []);
}

#[test]
fn more_rays_than_a_chunk_arrive_through_a_pipe_that_gives_little_at_a_time() {
    struct Trickle<'a>(&'a [u8]);
    impl Read for Trickle<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = out.len().min(self.0.len()).min(1777);
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }
    for count in [CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 3] {
        let rays: Vec<Ray> = (0..count).map(|i| Ray::new([i as f32, 0.0, 0.0], [0.0, 1.0, 0.0])).collect();
        assert_eq!(read_rays("-", Trickle(&write_rays(&rays))).unwrap().rays, rays);
    }
}

#[test]
fn all_versions_and_other_ways_to_write_the_same_are_read() {
    let rays = some_rays();
    for text in [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 8), }\n",
        "{\"shape\": (3L, 8L), \"fortran_order\": False, \"descr\": \"<f4\"}",
        "  {'shape':[3,8],'descr':('<f4'),'fortran_order':False}   \n",
    ] {
        for version in [[1, 0], [2, 0], [3, 0]] {
            assert_eq!(read_rays("a.npy", &file(version, text, &rays)[..]).unwrap().rays, rays, "{text}");
        }
    }
}

/// Returns a `.npy` file of an array of six or eight columns, put together by hand.
fn array(descr: &str, columns: usize, by_column: bool, rays: &[[f64; 8]]) -> Vec<u8> {
    let order = if by_column { "True" } else { "False" };
    let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({}, {columns}), }}\n", rays.len());
    let kept: &[usize] = if columns == 8 { &[0, 1, 2, 3, 4, 5, 6, 7] } else { &[0, 1, 2, 4, 5, 6] };
    let mut file = file([1, 0], &text, &[]);
    let mut put = |value: f64| match descr {
        "<f4" => file.extend((value as f32).to_le_bytes()),
        ">f4" => file.extend((value as f32).to_be_bytes()),
        "<f8" => file.extend(value.to_le_bytes()),
        _ => file.extend(value.to_be_bytes()),
    };
    if by_column {
        kept.iter().for_each(|&column| rays.iter().for_each(|ray| put(ray[column])));
    } else {
        rays.iter().for_each(|ray| kept.iter().for_each(|&column| put(ray[column])));
    }
    file
}

#[test]
fn every_type_shape_and_order_of_rays_is_read_and_said() {
    // More than a chunk, so that columns are read in parts too.
    let value = |i: usize, k: usize| (i * 8 + k) as f64 * 0.1 - 7.0;
    let table: Vec<[f64; 8]> = (0..CHUNK + 3).map(|i| std::array::from_fn(|k| value(i, k))).collect();
    let count = table.len();
    for (descr, scalar, big_endian) in [
        ("<f4", Scalar::F32, false),
        (">f4", Scalar::F32, true),
        ("<f8", Scalar::F64, false),
        (">f8", Scalar::F64, true),
    ] {
        for (columns, by_column) in [(8, false), (8, true), (6, false), (6, true)] {
            let bytes = array(descr, columns, by_column, &table);
            let read = read_rays("a.npy", &bytes[..]).unwrap();
            for (i, ray) in read.rays.iter().enumerate() {
                let [ox, oy, oz, t_min, dx, dy, dz, t_max] = table[i].map(|value| value as f32);
                let mut want = Ray::new([ox, oy, oz], [dx, dy, dz]);
                if columns == 8 {
                    want = want.with_interval(t_min, t_max);
                }
                assert_eq!(*ray, want, "{descr} {columns} {by_column}, ray {i}");
            }
            let layout = RayLayout { count: count as u64, columns, scalar, big_endian, by_column };
            assert_eq!(read.layout, layout);
            assert_eq!(layout.is_native(), layout.to_string() == format!("float32 ({count}, 8)"), "{layout}");
            if columns == 8 {
                let at = read.byte_of_t_min(5) as usize;
                let mut numbers = Vec::new();
                read.layout.append(&bytes[at..at + read.layout.value_bytes()], &mut numbers);
                assert_eq!(numbers, [value(5, 3) as f32]);
            }
            let size = read.layout.ray_bytes();
            let short = NpyFault::TooShort { rays: count as u64, bytes: size };
            check_refused(&bytes[..bytes.len() - 1], bytes.len() as u64 - 1, short);
        }
    }
}

#[test]
fn an_array_of_one_side_is_one_ray_and_what_is_beyond_float32_is_invalid() {
    let text = "{'descr': '<f4', 'fortran_order': True, 'shape': (8,), }";
    assert_eq!(read_rays("a.npy", &file([1, 0], text, &some_rays()[1..2])[..]).unwrap().rays, some_rays()[1..2]);
    let rays = [
        [0.0, 0.0, 0.0, 0.0, 1e39, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 0.0, 1e-60, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 0.0, 1e38, 0.0, 0.0, 1e300],
    ];
    let read = read_rays("a.npy", &array("<f8", 8, false, &rays)[..]).unwrap().rays;
    assert_eq!(read.iter().map(Ray::is_valid).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(read[2].t_max, f32::INFINITY);
}

#[test]
fn columns_stand_behind_the_hits() {
    use crate::trace::Field;
    let columns = [Field::Position, Field::Normal]
        .map(|field| VectorColumn { field, values: Vectors::Single(vec![[1.0, 2.0, 3.0], [f32::NAN, 0.0, -0.5]]) });
    let bytes = write_hits(&[Hit::default(); 2], &[0, 1], &columns);
    let text = "('instance', '<u4'), ('position', '<f4', (3,)), ('normal', '<f4', (3,))], 'fortran_order'";
    assert!(String::from_utf8_lossy(&bytes).contains(text));
    assert_eq!(bytes.len() % ALIGNMENT, 2 * (20 + 24) % ALIGNMENT);
    let last = [f32::NAN, 0.0, -0.5].map(f32::to_le_bytes);
    assert_eq!(bytes[bytes.len() - 12..], *last.as_flattened());
}

#[test]
fn arrays_that_are_not_rays_are_refused_with_what_to_do() {
    let header = |descr: &str, order: &str, shape: &str| {
        let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
        file([1, 0], &text, &some_rays())
    };
    let (descr_at, order_at, shape_at) = (20, 44, 60);
    for descr in ["'<f2'", "'<c8'", "'|O'", "'<i4'", "''"] {
        check_refused(&header(descr, "False", "(3, 8)"), descr_at, NpyFault::Type(descr.into()));
    }
    check_refused(&header("[('o', '<f4', (3,))]", "False", "(3,)"), descr_at, NpyFault::Record);
    check_refused(&header("'<f4'", "'no' ", "(3, 8)"), order_at, NpyFault::Order("'no'".into()));
    for (descr, shape, columns) in [("'<f4'", "(2, 2, 8)", 8), ("'<f8'", "(2, 2, 6)", 6)] {
        check_refused(&header(descr, "False", shape), shape_at, NpyFault::Sides { shape: shape.into(), columns });
    }
    for shape in ["(3, 7)", "(8, 3)", "(3,)", "()", "(3, True)"] {
        check_refused(&header("'<f4'", "False", shape), shape_at, NpyFault::Shape(shape.into()));
    }
    check_refused(&header("'<f4'", "False", "24"), shape_at, NpyFault::NoTuple("24".into()));
    check_refused(&header("'<f4'", "False", "(4294967296, 8)"), shape_at, NpyFault::TooManyRays(1 << 32));
    check_refused(&header("'<f4'", "False", "(99999999999999999999, 8)"), shape_at + 1, NpyFault::LargeNumber);
}

#[test]
fn damaged_headers_are_refused_where_they_are_damaged() {
    let rays = some_rays();
    check_refused(b"", 0, NpyFault::NoNpyFile);
    check_refused(b"\x93NUMP", 0, NpyFault::NoNpyFile);
    check_refused(b"PK\x03\x04 a zip of arrays", 0, NpyFault::NoNpyFile);
    check_refused(b"\x93NUMPY\x01", 7, NpyFault::CutBeforeHeader);
    check_refused(b"\x93NUMPY\x01\x00v", 9, NpyFault::CutBeforeHeader);
    check_refused(b"\x93NUMPY\x04\x00\x10\x00\x00\x00", 6, NpyFault::Version([4, 0]));
    check_refused(b"\x93NUMPY\x01\x01\x10\x00", 6, NpyFault::Version([1, 1]));
    check_refused(b"\x93NUMPY\x02\x00\xff\xff\xff\xff", 8, NpyFault::LongHeader(u32::MAX));
    check_refused(b"\x93NUMPY\x03\x00\x00\x01\x00\x00{", 13, NpyFault::CutHeader(256));
    for (text, at, what) in [
        ("", 0, NpyFault::Expected('{')),
        ("[1]", 0, NpyFault::Expected('{')),
        ("{'descr' '<f4'}", 9, NpyFault::Expected(':')),
        ("{'descr': '<f4' 'shape': (3, 8)}", 16, NpyFault::Expected('}')),
        ("{'descr': '<f4}", 10, NpyFault::OpenText),
        ("{'descr': None}", 10, NpyFault::ExpectedValue),
        ("{'descr': '<f4', 'descr': '<f4'}", 17, NpyFault::TwoEntries("'descr'".into())),
        ("{'descr': '<f4', 7: '<f4'}", 17, NpyFault::UnknownEntry("7".into())),
        ("{'descr': '<f4', 'colour': 'red'}", 17, NpyFault::UnknownEntry("'colour'".into())),
        ("{'descr': '<f4', 'fortran_order': False}", 40, NpyFault::MissingEntry("shape")),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 8)}", 51, NpyFault::ExpectedValue),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 8)} x", 58, NpyFault::AfterHeader),
    ] {
        check_refused(&file([1, 0], text, &rays), 10 + at, what);
    }
    let nested = format!("{{'descr': {}", "[".repeat(60_000));
    check_refused(&file([1, 0], &nested, &rays), 10 + 26, NpyFault::Nested);
    // Of a long text the beginning is quoted, without what would move a terminal's cursor.
    let long = format!("{{'descr': '{}', 'fortran_order': False, 'shape': (3, 8)}}", "\u{1}\n".repeat(9000));
    let quoted = format!("'{}'", "\u{1}\n".repeat(20).escape_debug());
    check_refused(&file([1, 0], &long, &rays), 20, NpyFault::Type(quoted));
}

#[test]
fn data_that_does_not_fit_the_shape_is_refused() {
    let bytes = write_rays(&some_rays());
    for length in 128..bytes.len() {
        check_refused(&bytes[..length], length as u64, NpyFault::TooShort { rays: 3, bytes: 32 });
    }
    let longer = [&bytes[..], b"x"].concat();
    check_refused(&longer, bytes.len() as u64, NpyFault::TooLong { rays: 3 });
    // A pipe that promises 128 GB ends at once, and so does the reading.
    let lie = file([1, 0], "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967295, 8)}", &some_rays());
    check_refused(&lie, lie.len() as u64, NpyFault::TooShort { rays: u64::from(u32::MAX), bytes: 32 });
}

#[test]
fn any_byte_may_be_wrong() {
    let good = write_rays(&some_rays());
    let (mut refused, mut read) = (0, 0);
    for at in 0..128 {
        for byte in 0..=255 {
            let mut bytes = good.clone();
            bytes[at] = byte;
            match read_rays("a.npy", &bytes[..]) {
                Ok(_) => read += 1,
                Err(NpyError::Malformed { offset, .. }) => {
                    refused += 1;
                    assert!(offset <= good.len() as u64);
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
    // White space for white space, and the byte itself.
    assert!((128..1000).contains(&read) && refused > 30_000, "{read} {refused}");
}

#[test]
fn what_the_system_says_is_passed_on() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let error = read_rays("a.npy", write_rays(&some_rays())[..140].chain(Broken)).unwrap_err();
    let NpyError::Read { name, offset: 140, source } = error else { panic!("{error:?}") };
    assert_eq!((&*name, source.kind()), ("a.npy", io::ErrorKind::ConnectionReset));
}

#[test]
fn float64_rays_lose_nothing_when_an_origin_is_subtracted_in_any_order_and_portion() {
    let origin = [512_345.0, 5_412_345.0, -3.0];
    let near: Vec<Ray> = (0..10).map(|i| Ray::new([i as f32 * 0.01, 0.25, 1.0 + i as f32], [0.0, 1.0, -1.0])).collect();
    let rows = write_rays_of_scene(&near, origin);
    // The same, column by column.
    let header = rows.len() - 64 * near.len();
    let text = String::from_utf8_lossy(&rows[10..header]).replace("False", "True ");
    let mut columns = rows[..10].to_vec();
    columns.extend(text.bytes());
    for column in 0..8 {
        (0..near.len()).for_each(|ray| columns.extend(&rows[header + 64 * ray + 8 * column..][..8]));
    }
    let is_near = |ray: &Ray, want: &Ray| {
        let off = (0..3).map(|i| (ray.origin[i] - want.origin[i]).abs()).fold(0.0, f32::max);
        off < 1e-6 && ray.direction == want.direction && ray.t_max == want.t_max
    };
    for (file, first) in [(&rows, 4), (&columns, 4), (&rows, 10), (&columns, 10)] {
        let mut reader = RayReader::new("a.npy", &file[..]).unwrap();
        let mut rays = reader.next(first).unwrap();
        reader.relative_to(origin, &mut rays);
        while rays.len() < near.len() {
            let more = reader.next(3).unwrap();
            assert!(!more.is_empty());
            rays.extend(more);
        }
        assert!(rays.iter().zip(&near).all(|(ray, want)| is_near(ray, want)), "{first}: {rays:?}");
        let whole = read_rays("a.npy", &file[..]).unwrap().relative_to(origin);
        assert_eq!(whole, rays);
    }
}
