//! Trees in files: what is saved comes back, and what is damaged is refused.

use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_geom::FlatTriangles;
use raywarp_layout::{
    Collapse, Cwbvh8, EncodedBvh2, FILE_VERSION, LayoutError, Qbvh4, TreeFileError, Wide4Tree, WideN, encode_bvh2,
    encode_cwbvh8, encode_qbvh4, encode_wide_n, encode_wide4, load, save,
};
use std::io::{self, Read, Write};

/// Some triangles with a tree, every third one not opaque.
fn sample(count: usize) -> (FlatTriangles, Bvh2) {
    let corner = |i: usize| [i as f32, (i * i % 7) as f32, (i * 3 % 5) as f32];
    let mut triangles =
        FlatTriangles::from_vertices((0..count).map(|i| [corner(i), corner(i + 1), corner(i + 2)]).collect());
    triangles.opaque.iter_mut().step_by(3).for_each(|opaque| *opaque = false);
    let bvh = build(&triangles, &BuildOptions { max_leaf: 2, ..BuildOptions::default() }).unwrap();
    (triangles, bvh)
}

/// Loads as the kind of tree that `kind` numbers, and saves again what was loaded and found sound.
fn reload(kind: usize, mut file: &[u8], triangles: &FlatTriangles) -> Result<Vec<u8>, TreeFileError> {
    let mut again = Vec::new();
    macro_rules! reload {
        ($tree:ty) => {{
            let tree: $tree = load(&mut file, triangles)?;
            assert_eq!(tree.validate(), Ok(()), "a broken tree was loaded");
            save(&tree, triangles, &mut again)?;
        }};
    }
    match kind {
        0 => reload!(EncodedBvh2),
        1 => reload!(Wide4Tree),
        2 => reload!(WideN),
        3 => reload!(Cwbvh8),
        _ => reload!(Qbvh4),
    }
    Ok(again)
}

/// The same tree in every kind of file, in the order of [`reload`].
fn files(count: usize) -> (FlatTriangles, [Vec<u8>; 5]) {
    let (triangles, bvh) = sample(count);
    let mut files = [const { Vec::new() }; 5];
    save(&encode_bvh2(&bvh, &triangles).unwrap(), &triangles, &mut files[0]).unwrap();
    save(&encode_wide4(&bvh, &triangles, Collapse::Guthe).unwrap(), &triangles, &mut files[1]).unwrap();
    save(&encode_wide_n(&bvh, &triangles, 8).unwrap(), &triangles, &mut files[2]).unwrap();
    save(&encode_cwbvh8(&bvh, &triangles).unwrap(), &triangles, &mut files[3]).unwrap();
    save(&encode_qbvh4(&bvh, &triangles, Collapse::Guthe).unwrap(), &triangles, &mut files[4]).unwrap();
    (triangles, files)
}

/// The checksum of the format's text, written down a second time.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0x243f_6a88_85a3_08d3, |state: u64, word| {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        let mixed = (state ^ u64::from_le_bytes(padded)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 32)
    })
}

/// Puts right checksums into a damaged file, as someone who wants it read would.
fn sign(file: &mut [u8]) {
    let (header, body) = file.split_at_mut(128);
    let of_header = checksum(&header[..120]);
    header[120..].copy_from_slice(&of_header.to_le_bytes());
    let (body, end) = body.split_at_mut(body.len() - 8);
    end.copy_from_slice(&checksum(body).to_le_bytes());
}

#[test]
fn every_kind_of_tree_comes_back_bit_for_bit() {
    // The largest is read in several pieces.
    for count in [0, 1, 2, 50, 20_000] {
        let (triangles, files) = files(count);
        for (kind, file) in files.iter().enumerate() {
            assert_eq!(&reload(kind, file, &triangles).unwrap(), file, "kind {kind}, {count} triangles");
        }
    }
}

#[test]
fn a_loaded_tree_is_the_saved_one() {
    let (triangles, bvh) = sample(50);
    let tree = encode_bvh2(&bvh, &triangles).unwrap();
    let mut file = Vec::new();
    save(&tree, &triangles, &mut file).unwrap();
    let loaded: EncodedBvh2 = load(&mut &file[..], &triangles).unwrap();
    assert_eq!((loaded.nodes(), loaded.slots(), loaded.records()), (tree.nodes(), tree.slots(), tree.records()));
    assert_eq!((loaded.bounds(), loaded.stack_depth()), (tree.bounds(), tree.stack_depth()));
}

#[test]
fn the_header_is_as_documented() {
    let (triangles, files) = files(50);
    let tree: Cwbvh8 = load(&mut &files[3][..], &triangles).unwrap();
    let file = &files[3];
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let long = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    assert_eq!(&file[..8], b"RAYWTREE");
    assert_eq!([8, 12, 16, 20].map(word), [FILE_VERSION, 4, 8, 80]);
    assert_eq!((long(24), long(40), long(48)), (50, tree.nodes().len() as u64, 50));
    assert_eq!((long(56), f32::from_bits(word(64))), (tree.stack_depth() as u64, tree.bounds().min[0]));
    assert_eq!(file[88..120], [0; 32]);
    assert_eq!(file.len(), 128 + 80 * tree.nodes().len() + 4 * 50 + 8);
    let mut signed = file.clone();
    sign(&mut signed);
    assert_eq!(&signed, file);
}

#[test]
fn every_changed_byte_is_noticed() {
    let (triangles, files) = files(9);
    for (kind, file) in files.iter().enumerate() {
        for at in 0..file.len() {
            for change in [1, 0x80, 0xff] {
                let mut damaged = file.clone();
                damaged[at] ^= change;
                let error = reload(kind, &damaged, &triangles).expect_err("damage went unnoticed");
                let expected = match at {
                    0..8 => matches!(error, TreeFileError::NotATree),
                    8..12 => matches!(error, TreeFileError::OtherVersion { .. }),
                    _ => matches!(error, TreeFileError::Damaged { .. }),
                };
                assert!(expected, "kind {kind}, byte {at}: {error}");
            }
        }
    }
}

#[test]
fn what_is_loaded_in_spite_of_damage_is_sound() {
    let (triangles, files) = files(9);
    for (kind, file) in files.iter().enumerate() {
        let (mut refused, mut loaded) = (0, 0);
        for at in 0..file.len() - 8 {
            for change in [1, 2, 0x10, 0x80, 0xff] {
                let mut damaged = file.clone();
                damaged[at] ^= change;
                sign(&mut damaged);
                // `reload` validates.
                match reload(kind, &damaged, &triangles) {
                    Ok(_) => loaded += 1,
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > loaded, "kind {kind}: {refused} refused, {loaded} loaded");
    }
}

#[test]
fn a_file_cut_anywhere_is_too_short() {
    let (triangles, files) = files(9);
    for (kind, file) in files.iter().enumerate() {
        for end in 0..file.len() {
            let error = reload(kind, &file[..end], &triangles).unwrap_err();
            assert!(
                matches!(error, TreeFileError::Truncated { at } if at == end as u64),
                "kind {kind}, {end}: {error}"
            );
        }
    }
}

#[test]
fn counts_that_lie_take_no_memory() {
    let (triangles, files) = files(9);
    for (kind, file) in files.iter().enumerate() {
        for at in [40, 48] {
            for count in [1 << 40, u64::MAX / 128, u64::MAX] {
                let mut lie = file.clone();
                lie[at..at + 8].copy_from_slice(&count.to_le_bytes());
                sign(&mut lie);
                let error = reload(kind, &lie, &triangles).unwrap_err();
                assert!(matches!(error, TreeFileError::Truncated { .. }), "kind {kind}: {error}");
            }
        }
    }
}

#[test]
fn a_node_without_all_its_children_is_refused() {
    let (triangles, bvh) = sample(50);
    let mut file = Vec::new();
    save(&encode_wide_n(&bvh, &triangles, 16).unwrap(), &triangles, &mut file).unwrap();
    // A child of 32 bytes more, behind the last node's.
    let end = file.len() - 8 - 4 * 50;
    file.splice(end..end, [0; 32]);
    file[40] += 1;
    sign(&mut file);
    let error = reload(2, &file, &triangles).unwrap_err();
    assert!(matches!(error, TreeFileError::Broken(LayoutError::BadRecord { .. })), "{error}");
}

#[test]
fn another_kind_or_width_or_other_triangles_are_named() {
    let (triangles, files) = files(50);
    for (kind, file) in files.iter().enumerate() {
        for other in (0..4).filter(|&other| other != kind) {
            let error = reload(other, file, &triangles).unwrap_err();
            assert!(matches!(error, TreeFileError::OtherKind { .. }), "{kind} as {other}: {error}");
        }
        let mut moved = triangles.clone();
        moved.vertices[7][1][2] += 0.5;
        let mut opaque = triangles.clone();
        opaque.opaque[0] = true;
        for others in [moved, opaque, sample(51).0, FlatTriangles::default()] {
            let error = reload(kind, file, &others).unwrap_err();
            assert!(matches!(error, TreeFileError::OtherTriangles { found: 50 }), "{error}");
        }
        let mut wide = file.clone();
        wide[16] = 5;
        sign(&mut wide);
        let error = reload(kind, &wide, &triangles).unwrap_err();
        assert!(matches!(error, TreeFileError::Broken(LayoutError::BadBranching { found: 5 })), "{error}");
    }
    // A tree is not saved with triangles that it cannot be over.
    let (few, bvh) = sample(9);
    let tree = encode_bvh2(&bvh, &few).unwrap();
    let error = save(&tree, &sample(8).0, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, TreeFileError::OtherTriangles { .. }), "{error}");
}

/// Gives a byte at a time and is interrupted before each.
struct Slow<'a>(&'a [u8], bool);

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.0.read(&mut out[..1])
    }
}

struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn slow_inputs_full_disks_and_what_follows_a_tree_are_minded() {
    let (triangles, files) = files(50);
    let tree: Cwbvh8 = load(&mut Slow(&files[3], false), &triangles).unwrap();
    assert!(
        matches!(save(&tree, &triangles, &mut Full), Err(TreeFileError::Io(e)) if e.kind() == io::ErrorKind::StorageFull)
    );
    // Two trees in one stream.
    let both = [&files[3][..], &files[0][..]].concat();
    let mut stream = &both[..];
    let first: Cwbvh8 = load(&mut stream, &triangles).unwrap();
    let second: EncodedBvh2 = load(&mut stream, &triangles).unwrap();
    assert_eq!((first.nodes(), second.slots().len(), stream.len()), (tree.nodes(), 50, 0));
}
