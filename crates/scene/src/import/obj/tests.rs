//! Small files and what they mean, and a table of broken ones. Nothing here touches the disk but the
//! last test, which writes images into a folder of its own.

mod programs;

use super::*;
use crate::StandIns;
use crate::import::context::told;
use crate::import::fuzz;
use raywarp_testing::Folder;

fn library(mtl: &str) -> Library {
    let (entries, warnings) = mtl::parse(mtl.as_bytes()).unwrap();
    assert_eq!(warnings, []);
    let entries = entries.into_iter().map(|entry| (entry.name.clone(), (PathBuf::from("a.mtl"), entry))).collect();
    Library { entries, lacks_any: false }
}

/// Loads an OBJ file with the given material library; returns the scene and the warnings.
#[track_caller]
fn load(obj: &str, mtl: &str) -> (Description, Vec<Warning>) {
    let path = Path::new("a.obj");
    let mut context = Context::new(path, &LoadOptions::default());
    let parsed = parse(path, obj.as_bytes(), &mut context).unwrap();
    let scene = build(path, parsed, &library(mtl), &mut context).unwrap();
    assert_eq!(validate(&scene), Ok(()));
    (scene, context.finish().unwrap())
}

/// Returns a warning about a line of the OBJ file.
fn warning(line: u64, kind: impl Into<WarningKind>) -> Warning {
    Warning { path: "a.obj".into(), place: Place::Line(line), kind: kind.into() }
}

/// Loads an OBJ file without materials and returns its only mesh.
#[track_caller]
fn mesh(obj: &str) -> TriangleMesh {
    let (mut scene, warnings) = load(obj, "");
    assert_eq!((scene.meshes.len(), warnings), (1, vec![]));
    scene.meshes.remove(0).triangles
}

/// Loads a material entry with these lines; returns the material and the warnings.
fn material(lines: &str) -> (Material, Vec<Warning>) {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n";
    let (mut scene, warnings) = load(obj, &format!("newmtl m\n{lines}"));
    (scene.materials.remove(0), warnings)
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

#[test]
fn corners_of_every_form_share_vertices_where_all_of_them_agree() {
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0.25\nvn 0 0 1\nvn 0 0 -1\n";
    let got = mesh(&format!("{text}f 1/1/1 2/2/1 3/1/1\nf 1/1/1 3/1/1 4//2\nf 2/2/1 3/1 4"));
    assert_eq!(got.indices, [[0, 1, 2], [0, 2, 3], [1, 4, 5]]);
    assert_eq!(got.positions[4], [1.0, 1.0, 0.0]);
    // v is turned; a corner without coordinates has 0, one without a normal has none.
    assert_eq!(got.uvs, [[0.0, 1.0], [1.0, 0.75], [0.0, 1.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]);
    assert_eq!(got.normals[0], [0.0, 0.0, 1.0]);
    assert_eq!(got.normals[3..], [[0.0, 0.0, -1.0], [0.0; 3], [0.0; 3]]);
}

#[test]
fn negative_indices_count_back_from_what_was_read_so_far() {
    let got = mesh(&format!("{TRIANGLE}f -3 -2 -1\nv 0 0 5\nf -1 1 -3"));
    assert_eq!(got.indices, [[0, 1, 2], [3, 0, 1]]);
    assert_eq!(got.positions[3], [0.0, 0.0, 5.0]);
}

#[test]
fn faces_may_come_before_their_vertices_and_hold_many_corners() {
    let got = mesh("f 1 2 3 4 5\nv 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0");
    assert_eq!(got.indices, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    // An arrow, whose fan would leave it, before and behind its vertices, and where there are too many groups.
    let (vertices, arrow) = ("v 0 2 0\nv 1 1 0\nv 0 0 0\nv 2 1 0\n", "f 1 2 3 4\n");
    let want = [[3, 0, 1], [1, 2, 3]];
    assert_eq!(mesh(&format!("{vertices}{arrow}")).indices, want);
    assert_eq!(mesh(&format!("{arrow}{vertices}")).indices, want);
    let groups: String = (0..5000).map(|i| format!("g {i}\n{arrow}")).collect();
    let got = mesh(&format!("{groups}{vertices}"));
    let corners: Vec<_> = (0..2).map(|i| got.corners(i)).collect();
    assert!(got.indices.len() == 10_000 && (0..10_000).all(|i| got.corners(i) == corners[i % 2]));
    assert_eq!(corners[0][0], [2.0, 1.0, 0.0]);
}

#[test]
fn lines_end_in_every_way() {
    let text = "# head\nv 0 0 0 \nv 1 0 0\t\nv 0 1 0\n\nusemtl none\nf 1 \\\n2 3";
    let want = mesh(&text.replace("usemtl none", ""));
    for end in ["\n", "\r\n", "\r"] {
        let (scene, warnings) = load(&format!("\u{feff}{text}").replace('\n', end), "");
        assert_eq!(scene.meshes[0].triangles, want, "{end:?}");
        assert_eq!(warnings, [warning(6, ObjWarning::NoMaterial { name: "none".into() })]);
        let entries = mtl::parse("# head\nnewmtl a b\nKd 1 0 0\n".replace('\n', end).as_bytes()).unwrap().0;
        assert_eq!((entries.len(), entries[0].name.as_str(), entries[0].line), (1, "a b", 2), "{end:?}");
    }
}

#[test]
fn vertices_that_are_not_finite_are_left_out_where_no_face_uses_them() {
    let (scene, warnings) = load("v nan 0 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1.#IND 1e39\nf 2 3 4\n", "");
    assert_eq!(scene.meshes[0].triangles.positions, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(warnings, [warning(1, WarningKind::StrayVertices { count: 2 })]);
}

#[test]
fn vertex_colours_are_decoded_and_multiply_the_material() {
    let (scene, _) = load("v 0 0 0 1 0 0.5\nv 1 0 0 0 1 0\nv 0 1 0 1\nf 1 2 3", "");
    let colors = &scene.meshes[0].triangles.colors;
    assert!(colors[0][0] == 1.0 && (colors[0][2] - 0.2140).abs() < 1e-4, "{colors:?}");
    assert_eq!(colors[2], [1.0; 4]);
    let (bytes, _) = load("v 9 9 9\nv 0 0 0 255 0 128\nv 1 0 0 0 255 0\nv 0 1 0\nf 2 3 4\nf 1 2 3", "");
    let bytes = &bytes.meshes[0].triangles.colors;
    assert!(bytes[0][0] == 1.0 && (bytes[0][2] - 0.2159).abs() < 1e-4, "{bytes:?}");
    assert_eq!([bytes[1], bytes[2], bytes[3]], [[0.0, 1.0, 0.0, 1.0], [1.0; 4], [1.0; 4]]);
    let Surface::Diffuse { reflectance } = scene.materials[0].surface else { panic!() };
    assert_eq!(scene.textures[reflectance.texture.unwrap().index()], Texture::VertexColor);
}

#[test]
fn each_material_becomes_a_mesh_in_the_order_of_first_use() {
    let obj =
        format!("{TRIANGLE}usemtl red wall\nf 1 2 3\nusemtl none\nf 1 3 2\nusemtl unused\nusemtl red wall\nf 2 3 1\n");
    let (scene, warnings) = load(&obj, "newmtl red wall\nKd 1 0 0\n");
    assert_eq!(scene.meshes.iter().map(|m| m.triangles.indices.len()).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(scene.materials[0], Material::diffuse("red wall", [1.0, 0.0, 0.0]));
    assert_eq!(scene.materials[1], Material::diffuse("none", [0.7; 3]));
    assert_eq!(warnings, [warning(6, ObjWarning::NoMaterial { name: "none".into() })]);
}

/// Loads an OBJ file and returns name, material and number of triangles of each mesh.
#[track_caller]
fn listed(obj: &str) -> Vec<(String, String, usize)> {
    let (scene, _) = load(obj, "");
    assert_eq!(scene.meshes.len(), scene.instances.len());
    let material = |mesh: &Mesh| scene.materials[mesh.materials.get(0).index()].name.clone();
    scene.meshes.iter().map(|mesh| (mesh.name.clone(), material(mesh), mesh.triangles.indices.len())).collect()
}

#[track_caller]
fn check_meshes(obj: &str, want: &[(&str, &str, usize)]) {
    let want = want.iter().map(|(name, material, count)| (name.to_string(), material.to_string(), *count));
    assert!(listed(&format!("{TRIANGLE}{obj}")).into_iter().eq(want), "{obj}");
}

#[test]
fn meshes_are_called_as_objects_or_else_groups() {
    let face = "f 1 2 3\n";
    check_meshes(&format!("o my lamp\n{face}o desk\n{face}o my lamp\n{face}"), &[("my lamp", "", 2), ("desk", "", 1)]);
    check_meshes(&format!("g a b\n{face}g\n{face}"), &[("a b", "", 1), ("", "", 1)]);
    // Groups behind the first object are parts of it.
    check_meshes(&format!("g a\n{face}o b\ng c\n{face}g d\n{face}"), &[("a", "", 1), ("b", "", 2)]);
    // An object without faces is no mesh.
    check_meshes(&format!("o a\no b\n{face}o c\n"), &[("b", "", 1)]);
}

#[test]
fn an_object_of_several_materials_is_a_mesh_for_each_in_the_order_of_materials() {
    check_meshes(
        "usemtl red\no car\nf 1 2 3\nusemtl blue\nf 1 2 3\no tree\nusemtl red\nf 1 2 3\nf 1 2 3\nusemtl white\n",
        &[("car (red)", "red", 1), ("tree", "red", 2), ("car (blue)", "blue", 1)],
    );
    check_meshes("usemtl red\nf 1 2 3\nusemtl blue\nf 1 2 3\n", &[("red", "red", 1), ("blue", "blue", 1)]);
    // Faces without a material have no name to tell them apart by.
    check_meshes("o car\nf 1 2 3\nusemtl blue\nf 1 2 3\n", &[("car", "", 1), ("car (blue)", "blue", 1)]);
}

#[test]
fn objects_share_no_vertices_but_what_their_material_is_shaded_by() {
    let (scene, _) = load(
        &format!("{TRIANGLE}vt 1 0\nvn 0 0 1\nusemtl m\no a\nf 1/1/1 2/1/1 3/1/1\no b\nf 1 2 3\nusemtl n\nf 1 2 3\n"),
        "",
    );
    let [a, b, n] = scene.meshes.as_slice() else { panic!("{:?}", scene.meshes) };
    assert_eq!((&a.triangles.indices, &b.triangles.indices), (&vec![[0, 1, 2]], &vec![[0, 1, 2]]));
    // As in a mesh of both: 0 where a corner has no coordinates, and no normal.
    assert_eq!((&b.triangles.uvs, &b.triangles.normals), (&vec![[0.0; 2]; 3], &vec![[0.0; 3]; 3]));
    assert_eq!((n.triangles.uvs.len(), n.triangles.normals.len()), (0, 0));
}

#[test]
fn too_many_objects_leave_a_mesh_a_material() {
    let file = |objects: usize| {
        let mut text = format!("{TRIANGLE}v 1 1 0\n");
        for i in 0..objects {
            text += &format!("g part {i}\nusemtl m{}\nf 1 2 {}\n", i % 2, 3 + i % 2);
        }
        text
    };
    let most = listed(&file(parts::LIMIT));
    assert_eq!((most.len(), most[1].0.as_str()), (parts::LIMIT, "part 2"));
    for objects in [parts::LIMIT + 1, parts::LIMIT + 2, parts::LIMIT + 700] {
        let text = file(objects);
        let (scene, _) = load(&text, "");
        let (plain, _) = load(&text.lines().filter(|l| !l.starts_with('g')).collect::<Vec<_>>().join("\n"), "");
        assert_eq!(scene.meshes.len(), 2);
        for (got, want) in scene.meshes.iter().zip(&plain.meshes) {
            assert_eq!(got.name, want.name);
            let corners =
                |mesh: &Mesh| (0..mesh.triangles.indices.len()).map(|i| mesh.triangles.corners(i)).collect::<Vec<_>>();
            assert_eq!(corners(got), corners(want), "{objects}");
        }
        // A vertex from before is found again: of the parts behind the limit none has more.
        assert_eq!(scene.meshes[0].triangles.positions.len(), 3 * parts::LIMIT / 2);
    }
}

#[test]
fn what_is_left_out_is_said_once() {
    let obj = format!("{TRIANGLE}vn nan 0 0\nvn inf 0 0\nl 1 2\nl 2 3\nsurf 0 1\nfoo\nf 1 2\nf 1 2 3\nend");
    let (_, warnings) = load(&obj, "");
    assert_eq!(
        warnings,
        [
            warning(4, ObjWarning::NotFinite { what: "normal" }),
            warning(6, ObjWarning::LinesOrPoints { keyword: "l".into() }),
            warning(8, ObjWarning::FreeForm { keyword: "surf".into() }),
            warning(9, ObjWarning::UnknownKeyword { keyword: "foo".into() }),
            warning(10, ObjWarning::SmallFace),
            warning(12, ObjWarning::FreeForm { keyword: "end".into() }),
        ]
    );
}

#[test]
fn broken_files_are_refused_with_their_line() {
    let number = |word: &str| ObjFault::Number { word: word.into() };
    let index = |word: &str| ObjFault::Index { word: word.into() };
    let corner = |word: &str| ObjFault::Corner { word: word.into() };
    let no_entry = |what, index, count| ObjFault::NoEntry { what, index, count };
    let table = [
        ("v 1 2", 1, ObjFault::ShortVertex { numbers: 2 }),
        ("v 1 2 3 4 5 6 7 8", 1, ObjFault::LongVertex),
        ("v 1 x 3", 1, number("x")),
        ("\nv 1 nan 3\nf 1 1 1", 2, number("nan")),
        ("v 1 1e39 3\nf 1 1 1", 1, number("1e39")),
        ("v 0 0 0\nf 1 1 2", 2, no_entry("vertex", 2, 1)),
        ("v 0 0 0\nf 1/1 1/1 1/1", 2, no_entry("texture coordinate", 1, 0)),
        ("v 0 0 0\nf 1//1 1//1 1//1", 2, no_entry("normal", 1, 0)),
        ("v 0 0 0\nf 1 1 \\\n 0", 2, ObjFault::IndexZero),
        ("v 0 0 0\nf -1 -1 -2", 2, ObjFault::IndexBefore { index: -2, count: 1 }),
        ("f 1 2 4294967295", 1, ObjFault::LargeIndex { index: 4_294_967_295 }),
        ("f 1 2 99999999999999999999", 1, index("99999999999999999999")),
        ("f 1 2 -9223372036854775808", 1, ObjFault::IndexBefore { index: i64::MIN, count: 0 }),
        ("f 1 2 1/2/3/4", 1, corner("1/2/3/4")),
        ("f 1 2 /1", 1, corner("/1")),
        ("f a b c", 1, index("a")),
    ];
    let fault = |text: &str| {
        let mut context = Context::new(Path::new("a.obj"), &LoadOptions::default());
        let error = parse(Path::new("a.obj"), text.as_bytes(), &mut context).map(|_| ()).expect_err(text);
        let (_, place, kind) = told(error).unwrap();
        (place, kind)
    };
    for (text, line, want) in table {
        assert_eq!(fault(text), (Place::Line(line), want.into()), "{text}");
    }
    for text in ["", TRIANGLE] {
        assert_eq!(fault(text), (Place::File, ObjFault::NoFaces.into()), "{text}");
    }
    assert_eq!(fault("v\0 \x000\0"), (Place::Line(1), FaultKind::WideText { bits: 16, is_big: false }));
}

#[test]
fn any_change_of_a_byte_is_read_or_refused() {
    let text = b"mtllib a.mtl\nv 0 0 0 1 1 1\nv 1 0 0\nv 1 1 0\nv .2 .1 0\nvt 1 0\nvn 0 0 1\nusemtl m\nf 1/1/1 2//1 \\\n-2/1 4\n\
        newmtl m\nKd 1 1 1\nKs .5 .5 .5\nNs 10\nd 0.5\nillum 2\n";
    for at in 0..text.len() {
        fuzz::obj(&text[..at]);
        for byte in [0, b' ', b'-', b'9', b'/', b'\\', b'\n', b'#', 0xff] {
            let mut broken = text.to_vec();
            broken[at] = byte;
            fuzz::obj(&broken);
        }
    }
}

#[test]
fn illumination_models_become_surfaces() {
    let constant = ColorInput::constant;
    let surface = |lines: &str| {
        let (material, warnings) = material(lines);
        assert_eq!(warnings, [], "{lines}");
        assert_eq!(material.alpha, Alpha::Opaque, "{lines}");
        material.surface
    };
    let diffuse = Surface::Diffuse { reflectance: constant([0.5; 3]) };
    assert_eq!(surface("Kd 0.5"), diffuse);
    assert_eq!(surface("illum 2\nKd 0.5\nKs 0 0 0\nNs 10\nd 1\nTr 0"), diffuse);
    assert_eq!(surface("illum 1\nKd 0.5\nKs 0.4"), diffuse);
    let blinn = |n| Surface::Blinn {
        diffuse: constant([0.5; 3]),
        specular: constant([0.25; 3]),
        exponent: ScalarInput::constant(n),
    };
    assert_eq!(surface("Kd 0.5\nKs 0.25\nNs 40"), blinn(40.0));
    assert_eq!(surface("illum 5\nKd 0.5\nKs 0.25\nNs 1e9"), blinn(1e6));
    assert_eq!(surface("illum 5\nKd 0.01\nKs 0.95\nNs 1000"), Surface::Mirror { reflectance: constant([0.95; 3]) });
    let Surface::Principled(metal) = surface("illum 3\nKd 0\nKs 0.9\nNs 198") else { panic!() };
    assert_eq!((metal.base_color, metal.metallic), (constant([0.9; 3]), ScalarInput::constant(1.0)));
    assert!((metal.roughness.x.factor - 0.1).abs() < 1e-6 && metal.roughness.remap == RoughnessRemap::None);
    let Surface::Dielectric { ior, transmittance, thin, .. } = surface("illum 7\nNi 2.5\nTf 0.25\nKs 0.3") else {
        panic!()
    };
    assert_eq!((ior, transmittance, thin), (2.5, constant([0.5; 3]), false));
    let Surface::Dielectric { transmittance, thin, .. } = surface("illum 9\nTf 0.25\nd 1") else { panic!() };
    assert_eq!((transmittance, thin), (constant([0.25; 3]), true));
    let Surface::Principled(metal) = surface("Kd 0.5\nPr 0.3\nPm 1\nPc 0.5") else { panic!() };
    assert_eq!((metal.roughness.x.factor, metal.roughness.remap), (0.3, RoughnessRemap::Square));
    assert_eq!((metal.metallic.factor, metal.clearcoat.factor), (1.0, 0.5));
}

#[test]
fn no_entry_makes_light_and_emission_shines_to_the_front() {
    let (bright, warnings) = material("Kd 0.8\nKs 0.8\nNs 5");
    let Surface::Blinn { diffuse, specular, .. } = bright.surface else { panic!() };
    assert_eq!((diffuse.factor, specular.factor), ([0.5; 3], [0.5; 3]));
    assert_eq!((&*warnings[0].path, &warnings[0].place), (Path::new("a.mtl"), &Place::Line(1)));
    let WarningKind::Obj(ObjWarning::Material { name, finding }) = &warnings[0].kind else { panic!("{warnings:?}") };
    assert_eq!((name.as_str(), finding), ("m", &MtlFinding::MakesLight { sum: 1.6 }));
    let (lamp, _) = material("Kd 0\nKe 17 12 4");
    let radiance = ColorInput::constant([17.0, 12.0, 4.0]);
    assert_eq!(lamp.emission, Some(Emission { radiance, two_sided: false }));
    assert_eq!(material("Ke 0 0 0").0.emission, None);
}

#[test]
fn dissolve_becomes_alpha() {
    let half = Alpha::Blend { alpha: ScalarInput::constant(0.5) };
    assert_eq!(material("d 0.5").0.alpha, half);
    assert_eq!(material("Tr 0.5").0.alpha, half);
    assert_eq!(material("d 0.5\nTr 1").0.alpha, half);
    assert_eq!(material("d 1\nTr 1").0.alpha, Alpha::Opaque);
    let (opaque, warnings) = material("Tr 1");
    assert_eq!((opaque.alpha, warnings.len()), (Alpha::Opaque, 1));
}

#[test]
fn images_become_textures_masks_and_bumps() {
    let folder = Folder::with_prefix("raywarp obj ");
    let images = folder.at("my images");
    std::fs::create_dir_all(&images).unwrap();
    let save = |name: &str, texels: &[[u8; 4]]| {
        let image = ::image::RgbaImage::from_raw(texels.len() as u32, 1, texels.concat()).unwrap();
        image.save(images.join(name)).unwrap();
    };
    save("color.png", &[[255, 0, 0, 255], [0, 255, 0, 255]]);
    save("leaf.png", &[[9, 9, 9, 255], [9, 9, 9, 0]]);
    save("fog.png", &[[255, 255, 255, 255], [100, 100, 100, 255]]);
    save("bump.png", &[[0, 0, 0, 255], [200, 200, 200, 255], [9, 9, 9, 255], [7, 7, 7, 255]]);
    save("normal.png", &[[128, 128, 255, 255]]);
    let obj = "mtllib my library.mtl\nv 0 0 0\nv 2 0 0\nv 0 2 0\nvt 0 0\nvt 1 0\nvt 0 1\n\
        usemtl a\nf 1/1 2/2 3/3\nusemtl b\nf 1/1 2/2 3/3\nusemtl c\nf 1/1 2/2 3/3\n";
    let mtl = "newmtl a\nKd 0 0 0\nmap_Kd -s 2 4 -o 0.5 0.25 -clamp on my images\\color.png\nbump -bm 3 my images/bump.png\n\
        newmtl b\nmap_Kd my images/leaf.png\nmap_Bump my images/normal.png\n\
        newmtl c\nmap_Kd my images/color.png\nmap_d my images/fog.png\nKs 0.1\nmap_Ks lost.png\n";
    std::fs::write(folder.at("scene.obj"), obj).unwrap();
    std::fs::write(folder.at("my library.mtl"), mtl).unwrap();
    let path = folder.at("scene.obj");

    let error = crate::load(&path, &LoadOptions::default()).unwrap_err();
    let ImportError::Missing { files, .. } = &error.error else { panic!("{error}") };
    assert_eq!(files, &[folder.at("lost.png")]);
    let Loaded { scene, warnings, stand_ins, .. } =
        crate::load(&path, &LoadOptions { allow_missing: true, ..LoadOptions::default() }).unwrap();
    assert_eq!(scene.images.len(), 5); // each file once
    let lost = StandIns { textures: 1, triangles: 1, of: 3, ..StandIns::default() };
    assert_eq!(stand_ins, Some(lost)); // the lost file
    assert_eq!(warnings.len(), 4, "{warnings:?}"); // black Kd, a normal map as bump, Kd + Ks, the lost file

    let [a, b, c] = scene.materials.as_slice() else { panic!() };
    let Surface::Diffuse { reflectance } = a.surface else { panic!() };
    assert_eq!(reflectance.factor, [1.0; 3]);
    let Texture::Image { mapping, wrap, .. } = scene.textures[reflectance.texture.unwrap().index()] else { panic!() };
    assert_eq!((mapping.rows, wrap), ([[2.0, 0.0, 0.5], [0.0, 4.0, -3.25]], [Wrap::Clamp; 2]));
    // The mesh spans two units a unit of uv, over four texels in a row: a texel is sqrt(2 * 2 / 4).
    let Some(NormalInput::Bump { height }) = a.normal else { panic!() };
    assert!((height.factor - 3.0).abs() < 1e-6, "{height:?}");
    let Alpha::Mask { alpha, cutoff } = b.alpha else { panic!("{:?}", b.alpha) };
    assert_eq!((alpha.texture.unwrap().1, cutoff), (Channel::A, 0.5));
    assert!(matches!(b.normal, Some(NormalInput::Map { scale: 1.0, .. })));
    let Alpha::Blend { alpha } = c.alpha else { panic!("{:?}", c.alpha) };
    assert_eq!(alpha.texture.unwrap().1, Channel::Mean);
    let Surface::Blinn { specular, .. } = c.surface else { panic!() };
    assert_eq!(specular.texture, None);
}

#[test]
fn what_changes_a_picture_and_is_not_read_is_said_once() {
    let check = |obj: &str, want: &[(u64, ObjWarning)]| {
        let want = want.iter().map(|(line, kind)| warning(*line, kind.clone()));
        assert_eq!(load(obj, "").1, want.collect::<Vec<_>>(), "{obj}");
    };
    check(&format!("{TRIANGLE}s 1\nf 1 2 3\nf 2 1 3"), &[(5, ObjWarning::FlatSmoothFace)]);
    check(&format!("{TRIANGLE}s off\nf 1 2 3\ns 1\nvn 0 0 1\nf 1//1 2//1 3//1\ns 0\nf 1 2 3"), &[]);
    let bright = [(2, ObjWarning::BrightColor)];
    check("v 0 0 0 0 0 1\nv 1 0 0 255.5 0 0\nv 0 1 0 0 255 0\nf 1 2 3", &bright);
    check("v 0 0 0 0 0 0.5\nv 1 0 0 255 0 0\nv 0 1 0 0 255 0\nf 1 2 3", &bright);
    check("v 0 0 0 0 0 1\nv 1 0 0 2 0 0\nv 0 1 0 0 1 0\nf 1 2 3", &bright);
    check("v 0 0 0 0 0 1\nv 1 0 0 255 0 0\nv 0 1 0 0 9 0\nf 1 2 3", &[(2, ObjWarning::ByteColors { most: 255.0 })]);
    check("v 0 0 0 0 0 1 0.5\nv 1 0 0 1 0 0 0.5\nv 0 1 0 0 1 0 1\nf 1 2 3", &[(1, ObjWarning::SeventhNumber)]);
    check(
        "# ZBrush\n#MRGB ffff0000\nv 0 0 0\nv 1 0 0\nv 0 1 0\n#MRGB ffff0000\nf 1 2 3",
        &[(2, ObjWarning::PaintedComments)],
    );
}

#[test]
fn an_object_without_a_material_of_its_own_keeps_the_one_before_it() {
    // In OBJ the material is a state: it holds until the next `usemtl`, whatever `o` and `g` lines come between.
    let obj = format!("{TRIANGLE}o a\nusemtl m\nf 1 2 3\no b\nf 3 2 1");
    let (scene, warnings) = load(&obj, "newmtl m\nKd 1 0 0");
    assert_eq!((scene.meshes.len(), scene.materials.len(), warnings), (2, 1, vec![]));
}
