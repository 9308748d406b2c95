//! What Guthe says of memory: "the nodes need about 27 % less" (G14 6), on the scenes that are there.
//!
//! `cargo test --release -p raywarp-layout --test tests node_bytes -- --nocapture` prints the table.
//!
//! G14 does not tell the size of a node. Its rules and nodes of 112 bytes (four boxes and four references,
//! without sizes of leaves) give 25 to 27 % on each scene and with leaves of up to 1, 2, 4 or 8, so
//! that is how the claim reads. The nodes here have 128 bytes, the sizes of leaves among them, and
//! save 13 to 17 %. Nodes whose slots are all full would save 42 and 33 %.

use flate2::read::GzDecoder;
use raywarp_bvh::{BuildOptions, Builder, Bvh2, build};
use raywarp_geom::FlatTriangles;
use raywarp_layout::{Collapse, encode_bvh2, encode_wide4};
use std::io::Read;

/// Bytes of the nodes of both trees, and the saving in percent with nodes of 128 and 112 bytes.
struct Saving {
    nodes: [usize; 2],
    at_128: f64,
    at_112: f64,
}

fn saving(bvh: &Bvh2, triangles: &FlatTriangles, collapse: Collapse) -> Saving {
    let two = encode_bvh2(bvh, triangles).unwrap();
    let four = encode_wide4(bvh, triangles, collapse).unwrap();
    let nodes = [two.nodes().len(), four.nodes().len()];
    let percent = |bytes: usize| 100.0 * (1.0 - (nodes[1] * bytes) as f64 / size_of_val(two.nodes()) as f64);
    assert_eq!(size_of_val(four.nodes()), 128 * nodes[1]);
    Saving { nodes, at_128: percent(128), at_112: percent(112) }
}

#[test]
fn a_full_binary_tree_of_even_depth_saves_a_third() {
    // 4^6 equal squares: every node gets four children.
    let square = |i: usize| {
        let (x, y) = ((i % 64) as f32, (i / 64) as f32);
        [[x, y, 0.0], [x + 1.0, y, 0.0], [x, y + 1.0, 0.0]]
    };
    let triangles = FlatTriangles::from_vertices((0..64 * 64).map(square).collect());
    let options = BuildOptions { builder: Builder::SweepSah, max_leaf: 1, ..BuildOptions::default() };
    let bvh = build(&triangles, &options).unwrap();
    for collapse in [Collapse::Guthe, Collapse::Adopt] {
        let Saving { nodes, at_128, at_112 } = saving(&bvh, &triangles, collapse);
        assert_eq!(nodes, [4095, 1365], "{collapse:?}");
        assert!((at_128 - 100.0 / 3.0).abs() < 0.01 && (at_112 - 125.0 / 3.0).abs() < 0.01);
    }
}

#[test]
fn guthes_collapse_saves_what_the_paper_says_with_nodes_of_112_bytes() {
    println!("| scene | collapse | nodes of 2 | nodes of 4 | saved at 128 B | at 112 B |");
    println!("|---|---|---:|---:|---:|---:|");
    for scene in ["sibenik", "conference", "crytek_sponza", "kitchen"] {
        let Some(path) = raywarp_testing::scene_file(&format!("{scene}/{scene}.ply.gz")) else { continue };
        let file = std::fs::read(&path).unwrap();
        let mut ply = Vec::new();
        GzDecoder::new(&file[..]).read_to_end(&mut ply).unwrap();
        let triangles = FlatTriangles::from_vertices(read_ply(&ply));
        let bvh = build(&triangles, &BuildOptions { max_leaf: 8, ..BuildOptions::default() }).unwrap();
        let [guthe, adopt] = [Collapse::Guthe, Collapse::Adopt].map(|collapse| {
            let saving = saving(&bvh, &triangles, collapse);
            let Saving { nodes: [two, four], at_128, at_112 } = saving;
            println!("| {scene} | {collapse:?} | {two} | {four} | {at_128:.1} % | {at_112:.1} % |");
            saving
        });
        assert!((24.0..29.0).contains(&guthe.at_112) && (13.0..18.0).contains(&guthe.at_128), "{scene}");
        // What the rules near the leaves are for.
        assert!(guthe.nodes[1] < adopt.nodes[1] && adopt.at_128 > 0.0, "{scene}");
    }
}

/// Little-endian files of float vertices, `x y z` first, and faces of three int indices alone.
fn read_ply(bytes: &[u8]) -> Vec<[[f32; 3]; 3]> {
    let end = bytes.windows(11).position(|w| w == b"end_header\n").expect("a PLY file");
    let header = std::str::from_utf8(&bytes[..end]).expect("a text header");
    let count = |element: &str| -> usize {
        let line = header.lines().find_map(|line| line.strip_prefix(element)).expect("an element");
        line.trim().parse().expect("a count")
    };
    let (vertices, faces) = (count("element vertex"), count("element face"));
    let vertex_bytes = 4 * header.lines().filter(|line| line.starts_with("property float")).count();
    let (vertex_data, face_data) = bytes[end + 11..].split_at(vertices * vertex_bytes);
    let word = |data: &[u8], at: usize| -> [u8; 4] { data[at..at + 4].try_into().expect("four bytes") };
    let face_bytes = face_data.len() / faces;
    let position = |index: u32| {
        let at = index as usize * vertex_bytes;
        std::array::from_fn(|axis| f32::from_le_bytes(word(vertex_data, at + 4 * axis)))
    };
    let corner = |face: usize, i: usize| position(u32::from_le_bytes(word(face_data, face * face_bytes + 1 + 4 * i)));
    (0..faces).map(|face| std::array::from_fn(|i| corner(face, i))).collect()
}
