//! Files made by hand, each in text and both byte orders, and a table of broken ones.

use super::header::{Format, Scalar};
use super::*;
use crate::import::context::told;
use crate::{FaceMaterials, FaultKind, LoadOptions, MaterialId, Surface, Texture};
use raywarp_testing::Folder;

const FAST: Read = Read { fast: true, quads: false };

/// Returns the scene of a PLY mesh that names no textures.
fn scene_of(mesh: PlyMesh) -> Description {
    let path = Path::new("dir/quad.ply");
    to_scene(path, mesh, &mut Context::new(path, &LoadOptions::default())).unwrap()
}

/// Parses a PLY file; returns the mesh and the warnings.
fn parsed(bytes: &[u8], fast: bool) -> Result<(PlyMesh, Warnings), Fault> {
    let mut warnings = Vec::new();
    let mesh = parse(bytes, Read { fast, quads: false }, &mut Rounder::default(), &mut warnings)?;
    Ok((mesh, warnings))
}

/// Sample PLY file with a bit of everything, and the mesh that it should become.
struct Sample {
    header: &'static str,
    /// Values of the body with their number types.
    values: Vec<(Scalar, f64)>,
}

impl Sample {
    fn bytes(&self, format: Format) -> Vec<u8> {
        let name = match format {
            Format::Ascii => "ascii",
            Format::Little => "binary_little_endian",
            Format::Big => "binary_big_endian",
        };
        let mut out = format!("ply\nformat {name} 1.0\n{}end_header\n", self.header).into_bytes();
        for &(kind, value) in &self.values {
            match format {
                Format::Ascii => out.extend(format!("{value}\n").bytes()),
                _ => {
                    let mut bytes = match kind {
                        Scalar::I8 => (value as i8).to_le_bytes().to_vec(),
                        Scalar::U8 => (value as u8).to_le_bytes().to_vec(),
                        Scalar::I16 => (value as i16).to_le_bytes().to_vec(),
                        Scalar::U16 => (value as u16).to_le_bytes().to_vec(),
                        Scalar::I32 => (value as i32).to_le_bytes().to_vec(),
                        Scalar::U32 => (value as u32).to_le_bytes().to_vec(),
                        Scalar::F32 => (value as f32).to_le_bytes().to_vec(),
                        Scalar::F64 => value.to_le_bytes().to_vec(),
                    };
                    if format == Format::Big {
                        bytes.reverse();
                    }
                    out.extend(bytes);
                }
            }
        }
        out
    }

    /// Reads the sample as text and as binary of both byte orders, with and without shortcuts; all must agree.
    #[track_caller]
    fn read(&self) -> PlyMesh {
        self.read_and_warn().0
    }

    #[track_caller]
    fn read_and_warn(&self) -> (PlyMesh, Warnings) {
        let (first, warned) = parsed(&self.bytes(Format::Ascii), true).unwrap();
        first.triangles.validate().unwrap();
        for format in [Format::Ascii, Format::Little, Format::Big] {
            for fast in [false, true] {
                let (mesh, warnings) =
                    parsed(&self.bytes(format), fast).unwrap_or_else(|f| panic!("{format:?} {fast}: {f:?}"));
                assert_eq!(mesh.triangles, first.triangles, "{format:?} {fast}");
                assert_eq!(mesh.face_materials, first.face_materials, "{format:?} {fast}");
                assert_eq!(warnings, warned, "{format:?} {fast}");
            }
        }
        (first, warned)
    }
}

fn all(kind: Scalar, values: &[f64]) -> Vec<(Scalar, f64)> {
    values.iter().map(|&v| (kind, v)).collect()
}

const XYZ: &str = "property float x\nproperty float y\nproperty float z\n";
const FACES: &str = "property list uchar int vertex_indices\n";

/// Returns a sample of four vertices and the given faces.
fn quad(face_header: &str, faces: Vec<(Scalar, f64)>) -> Sample {
    let header = format!("element vertex 4\n{XYZ}{face_header}").leak();
    let mut values = all(Scalar::F32, &[0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.]);
    values.extend(faces);
    Sample { header, values }
}

#[test]
fn polygons_become_triangles_and_faces_too_small_are_left_out() {
    let mut faces = Vec::new();
    for face in [&[4., 0., 1., 2., 3.][..], &[3., 2., 1., 0.], &[2., 0., 1.], &[0.]] {
        faces.push((Scalar::U8, face[0]));
        faces.extend(all(Scalar::I32, &face[1..]));
    }
    let (mesh, warnings) = quad(&format!("element face 4\n{FACES}"), faces).read_and_warn();
    assert_eq!(mesh.triangles.indices, [[0, 1, 2], [0, 2, 3], [2, 1, 0]]);
    assert_eq!(warnings, [(Place::File, PlyWarning::SmallFaces { count: 2 }.into())]);
    assert_eq!(mesh.face_materials, None);
}

#[test]
fn polygons_that_are_not_convex_are_cut_wherever_their_vertices_stand() {
    let vertices = all(Scalar::F32, &[0., 2., 0., 1., 1., 0., 0., 0., 0., 2., 1., 0.]);
    let mut face = vec![(Scalar::U8, 4.0)];
    face.extend(all(Scalar::I32, &[0., 1., 2., 3.]));
    let [vertex, faces] = [format!("element vertex 4\n{XYZ}"), format!("element face 1\n{FACES}")];
    let behind = Sample { header: format!("{vertex}{faces}").leak(), values: [&vertices[..], &face].concat() };
    let before = Sample { header: format!("{faces}{vertex}").leak(), values: [&face[..], &vertices].concat() };
    for sample in [behind, before] {
        assert_eq!(sample.read().triangles.indices, [[3, 0, 1], [1, 2, 3]]);
    }
    // One that crosses itself.
    let vertices = all(Scalar::F32, &[0., 0., 0., 3., 0., 0., 1., 2., 0., 2., 2., 0.]);
    let sample = Sample { header: format!("{vertex}{faces}").leak(), values: [&vertices[..], &face].concat() };
    let text = sample.bytes(Format::Ascii);
    let (mesh, warnings) = parsed(&text, true).unwrap();
    assert_eq!(mesh.triangles.indices.len(), 2);
    assert_eq!(warnings[0].1, WarningKind::CrossingPolygons { count: 1 });
}

#[test]
fn materials_follow_their_faces_through_the_fan() {
    let mut faces = Vec::new();
    for (material, face) in [(1., &[3., 0., 1., 2.][..]), (0., &[4., 0., 1., 2., 3.]), (1., &[3., 0., 2., 3.])] {
        faces.push((Scalar::U8, face[0]));
        faces.extend(all(Scalar::I32, &face[1..]));
        faces.push((Scalar::I16, material));
    }
    let header = format!(
        "comment material 0 Red  brick\ncomment material 1 Glass\nelement face 3\n{FACES}property short material\n"
    );
    let mesh = quad(&header, faces).read();
    assert_eq!(mesh.face_materials, Some(vec![1, 0, 0, 1]));
    assert_eq!(mesh.material_names, ["Red  brick", "Glass"]);
    let scene = scene_of(mesh);
    assert_eq!(scene.materials.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["Red  brick", "Glass"]);
    assert_eq!(crate::validate(&scene), Ok(()));
}

#[test]
fn faces_have_colours_of_their_own() {
    let mut faces = Vec::new();
    for (face, color) in [(&[3., 0., 1., 2.][..], [255., 0., 0.]), (&[4., 0., 1., 2., 3.], [0., 255., 51.])] {
        faces.push((Scalar::U8, face[0]));
        faces.extend(all(Scalar::I32, &face[1..]));
        faces.extend(all(Scalar::U8, &color));
    }
    let colors = "property uchar red\nproperty uchar green\nproperty uchar blue\n";
    let (mesh, warnings) = quad(&format!("element face 2\n{FACES}{colors}"), faces).read_and_warn();
    assert_eq!(warnings, []);
    let TriangleMesh { positions, indices, colors, .. } = &mesh.triangles;
    // Three corners of the one, four of the other.
    assert_eq!((positions.len(), colors.len(), indices.as_slice()), (7, 7, &[[0, 1, 2], [3, 4, 5], [3, 5, 6]][..]));
    assert_eq!((positions[5], positions[2]), ([1.0, 1.0, 0.0], [1.0, 1.0, 0.0]));
    assert_eq!((colors[2], colors[3][..2].to_vec(), colors[6][3]), ([1.0, 0.0, 0.0, 1.0], vec![0.0, 1.0], 1.0));
    assert!((colors[3][2] - 0.0331).abs() < 1e-4, "{:?}", colors[3]);
    let scene = scene_of(mesh);
    assert_eq!(crate::validate(&scene), Ok(()));
    assert_eq!(scene.textures, [Texture::VertexColor]);
}

#[test]
fn textures_lie_on_faces_by_their_own_coordinates() {
    let folder = Folder::with_prefix("raywarp ply ");
    std::fs::create_dir_all(folder.at("my maps")).unwrap();
    let image = ::image::RgbaImage::from_raw(2, 1, vec![255, 0, 0, 255, 0, 255, 0, 255]).unwrap();
    image.save(folder.at("my maps/one.png")).unwrap();
    image.save(folder.at("two.png")).unwrap();
    let head = |comments: &str, properties: &str| {
        format!(
            "ply\nformat ascii 1.0\n{comments}element vertex 4\n{XYZ}element face 2\n{FACES}{properties}end_header\n\
             0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
        )
    };
    let path = folder.at("a.ply");
    let load = |text: String| {
        std::fs::write(&path, text).unwrap();
        crate::load(&path, &LoadOptions::default())
    };
    let one = head("comment TextureFile my maps\\one.png\n", "property list uchar float texcoord\n");
    let faces = "3 0 1 2 6 0 0 1 0 1 .25\n3 0 2 3 6 0 0 1 .25 0 1\n";
    let loaded = load(format!("{one}{faces}")).unwrap();
    assert_eq!((loaded.warnings.len(), loaded.files.len()), (0, 2));
    let mesh = &loaded.scene.meshes[0];
    assert!(matches!(mesh.materials, FaceMaterials::Uniform(MaterialId(0))));
    // The two faces share two corners, whose coordinates agree.
    assert_eq!((mesh.triangles.positions.len(), mesh.triangles.uvs[2]), (4, [1.0, 0.75]));
    let Surface::Diffuse { reflectance } = loaded.scene.materials[0].surface else { panic!() };
    assert!(matches!(loaded.scene.textures[reflectance.texture.unwrap().index()], Texture::Image { .. }));

    let quoted = load(format!("{one}{faces}").replace("my maps\\one.png", "\"my maps/one.png\"")).unwrap();
    assert_eq!((quoted.warnings.len(), quoted.files.len()), (0, 2));

    let two = head(
        "comment TextureFile my maps/one.png\ncomment TextureFile two.png\n",
        "property list uchar float texcoord\nproperty int texnumber\n",
    );
    let loaded = load(format!("{two}3 0 1 2 6 0 0 1 0 1 1 1\n3 0 2 3 0 -1\n")).unwrap();
    let FaceMaterials::PerTriangle(materials) = &loaded.scene.meshes[0].materials else { panic!() };
    let textured = materials.iter().map(|id| match loaded.scene.materials[id.index()].surface {
        Surface::Diffuse { reflectance } => reflectance.texture.map(crate::TextureId::index),
        _ => panic!(),
    });
    assert_eq!(textured.collect::<Vec<_>>(), [Some(1), None]);

    let far = load(format!("{two}3 0 1 2 6 0 0 1 0 1 1 2\n3 0 2 3 6 0 0 1 0 1 1 9\n")).unwrap();
    assert_eq!(far.warnings.len(), 1);
    assert_eq!(far.warnings[0].kind, PlyWarning::NoTexture { triangles: 2, textures: 2 }.into());

    let odd = load(format!("{one}3 0 1 2 4 0 0 1 0\n3 0 2 3 6 0 0 1 nan 0 1\n")).unwrap();
    let said: Vec<WarningKind> = odd.warnings.into_iter().map(|warning| warning.kind).collect();
    let want = [PlyWarning::FacesNotFinite { count: 1 }, PlyWarning::FaceCoordinates { count: 1 }];
    assert_eq!(said, want.map(WarningKind::from));
    let bare = load(head("comment TextureFile two.png\n", "") + "3 0 1 2\n3 0 2 3\n").unwrap();
    assert_eq!(bare.warnings[0].kind, PlyWarning::NoCoordinates { name: "two.png".into() }.into());
    let lost = load(format!("{one}{faces}").replace("one.png", "lost.png")).unwrap_err();
    assert!(matches!(lost.error, ImportError::Missing { .. }), "{lost}");
}

#[test]
fn colours_in_one_number_or_in_lists_are_said() {
    let said = |vertex: &str, face: &str, faces: &str| {
        let vertices = if vertex.is_empty() { "0 0 0\n1 0 0\n0 1 0\n" } else { "0 0 0 9\n1 0 0 9\n0 1 0 9\n" };
        let text = format!(
            "ply\nformat ascii 1.0\nelement vertex 3\n{XYZ}{vertex}element face 1\n{FACES}{face}end_header\n{vertices}{faces}"
        );
        let (mesh, warnings) = parsed(text.as_bytes(), true).unwrap();
        assert!(mesh.triangles.colors.is_empty());
        warnings
    };
    let packed = |line, of, in_lists, property: &str| {
        let property = property.into();
        [(Place::Line(line), WarningKind::from(PlyWarning::PackedColors { of, in_lists, property }))]
    };
    let plain = "3 0 1 2\n";
    assert_eq!(said("property uint rgba\n", "", plain), packed(3, "vertices", false, "rgba"));
    assert_eq!(said("property int rgba\n", "", plain), packed(3, "vertices", false, "rgba"));
    assert_eq!(said("", "property int RGB\n", "3 0 1 2 9\n"), packed(7, "faces", false, "RGB"));
    let corners = packed(7, "corners of faces", true, "color");
    assert_eq!(said("", "property list uchar float color\n", "3 0 1 2 3 1 0 0\n"), corners);
    assert_eq!(said("property float quality\n", "", plain), []);
}

#[test]
fn every_attribute_is_read_whatever_its_type_and_v_is_turned() {
    use Scalar::{F32, F64, I16, U8};
    let header = "element vertex 3\nproperty double x\nproperty short y\nproperty float z\n\
        property float nx\nproperty float ny\nproperty double nz\nproperty float s\nproperty float t\n\
        property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\nproperty double quality\n\
        element face 1\nproperty list uchar int vertex_indices\n";
    let mut values = Vec::new();
    for i in 0..3 {
        let i = f64::from(i);
        values.extend([(F64, 0.5 + i), (I16, -i), (F32, 2.0), (F32, 0.0), (F32, 0.0), (F64, 1.0)]);
        values.extend([(F32, 0.25), (F32, 0.25 * i), (U8, 255.0), (U8, 0.0), (U8, 188.0), (U8, 51.0), (F64, 9.0)]);
    }
    values.push((U8, 3.0));
    values.extend(all(Scalar::I32, &[0., 1., 2.]));
    let mesh = Sample { header, values }.read().triangles;
    assert_eq!(mesh.positions[2], [2.5, -2.0, 2.0]);
    assert_eq!(mesh.normals[1], [0.0, 0.0, 1.0]);
    assert_eq!(mesh.uvs, [[0.25, 1.0], [0.25, 0.75], [0.25, 0.5]]);
    let [r, g, b, a] = mesh.colors[0];
    assert!(r == 1.0 && g == 0.0 && (b - 0.5029).abs() < 1e-4 && a == 0.2, "{:?}", mesh.colors[0]);
}

#[test]
fn colours_of_wide_integers_are_those_of_bytes() {
    let text = |kind: &str, more: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty {kind} red\n\
             property {kind} green\nproperty {kind} blue\nelement face 1\nproperty list uchar int vertex_indices\n{more}end_header\n\
             0 0 0 255 0 51\n1 0 0 0 0 0\n0 1 0 0 0 0\n3 0 1 2"
        )
    };
    let (bytes, _) = parsed(text("uchar", "").as_bytes(), true).unwrap();
    let (wide, said) = parsed(text("int", "").as_bytes(), true).unwrap();
    assert_eq!(wide.triangles.colors, bytes.triangles.colors);
    let range = |of, kind| {
        let range = PlyWarning::ColorRange { of, kind, most: 255.0, white: 255.0 };
        [(Place::File, WarningKind::from(range))]
    };
    assert_eq!(said, range("vertices", "int"));
    // Of faces, too.
    let of_face = |kind: &str| {
        let more = ["red", "green", "blue"].map(|name| format!("property {kind} {name}\n")).concat();
        parsed((text("uchar", &more) + " 0 204 255").as_bytes(), true).unwrap()
    };
    let ((bytes, _), (wide, said)) = (of_face("uchar"), of_face("ushort"));
    assert_eq!(wide.triangles.colors, bytes.triangles.colors);
    assert_eq!(said, range("faces", "ushort"));
}

#[test]
fn lists_and_elements_that_are_not_known_are_stepped_over() {
    use Scalar::{F32, I8, I16, U16, U32};
    let header = "element odd 2\nproperty list short float a\nproperty char b\nelement nothing 4000000000\n\
        element vertex 3\nproperty list uint short junk\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list ushort uint vertex_index\nproperty list char float texcoord\n";
    let mut values = vec![(I16, 2.0), (F32, 1.5), (F32, 2.5), (I8, 7.0), (I16, 0.0), (I8, 8.0)];
    for i in 0..3 {
        values.extend([(U32, 1.0), (I16, -3.0), (F32, f64::from(i)), (F32, 0.0), (F32, f64::from(i * i))]);
    }
    values.extend([(U16, 3.0), (U32, 0.0), (U32, 2.0), (U32, 1.0), (I8, 1.0), (F32, 0.5)]);
    let mesh = Sample { header, values }.read().triangles;
    assert_eq!(mesh.positions[2], [2.0, 0.0, 4.0]);
    assert_eq!(mesh.indices, [[0, 2, 1]]);
}

#[test]
fn strips_alternate_and_restart() {
    let strip = [7.0, 0., 1., 3., 2., -1., 1., 2.];
    let mut values = vec![(Scalar::I32, strip[0])];
    values.extend(all(Scalar::I32, &strip[1..]));
    let mesh = quad("element tristrips 1\nproperty list int int vertex_indices\n", values).read();
    assert_eq!(mesh.triangles.indices, [[0, 1, 3], [3, 1, 2]]);
}

#[test]
fn line_ends_of_every_kind_are_read() {
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2";
    for end in ["\n", "\r\n", "\r"] {
        let (mesh, _) = parsed(text.replace('\n', end).as_bytes(), true).unwrap();
        assert_eq!(mesh.triangles.indices, [[0, 1, 2]], "{end:?}");
    }
}

#[test]
fn a_text_has_a_record_per_line_and_what_the_header_does_not_announce_is_said() {
    let head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element face 2\nproperty list uchar int vertex_indices\nend_header\n";
    let check = |body: &str, want: &[(u64, PlyWarning)]| {
        for end in ["\n", "\r\n", "\r"] {
            let text = format!("\u{feff}{head}{body}").replace("ply\n", "ply \n").replace('\n', end);
            let (mesh, warnings) = parsed(text.as_bytes(), true).unwrap();
            assert_eq!(mesh.triangles.indices, [[0, 1, 2], [0, 2, 3]], "{body}");
            assert_eq!(mesh.triangles.positions[3], [0.0, 1.0, 0.0], "{body}");
            let want = want.iter().map(|(line, warning)| (Place::Line(*line), warning.clone().into()));
            assert_eq!(warnings, want.collect::<Vec<_>>(), "{body}");
        }
    };
    let faces = "3 0 1 2\n3 0 2 3";
    let plain = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
    check(&format!("{plain}{faces}"), &[]);
    let surplus = |count| PlyWarning::LongLines { count };
    check(&format!("{}{faces}\n\n", plain.replace('\n', " 0 0 1\n")), &[(10, surplus(4))]);
    check(&format!("{}{faces}", plain.replace('\n', " .5\n\n")), &[(10, surplus(4))]);
    check(&format!("{plain}3 0 1 2 9 9\n3 0 2 3 9 nan\n"), &[(14, surplus(2))]);
    check(&format!("{plain}{faces}\n \n3 0 1 2\nmore\n"), &[(17, PlyWarning::LinesBehind { count: 2 })]);
    // All numbers of the body in one line, or a number a line.
    check(&format!("{plain}{faces}").replace('\n', "  "), &[]);
    check(&format!("{plain}{faces}").replace(' ', "\n"), &[]);
    let error = parse(
        format!("{head}0 0 0\n1 0\n1 1 0\n0 1 0\n{faces}").as_bytes(),
        FAST,
        &mut Rounder::default(),
        &mut Vec::new(),
    );
    let Fault { place, kind } = error.unwrap_err();
    assert_eq!((place, kind), (Place::Line(11), PlyFault::ShortLine.into()));
    // What explains an error is said with it.
    let mut warnings = Vec::new();
    let text = format!("{head}{}3 0 1 2\n3 0 2 9\n", plain.replace('\n', " 7\n"));
    parse(text.as_bytes(), FAST, &mut Rounder::default(), &mut warnings).unwrap_err();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn of_a_text_that_is_not_read_to_its_end_no_line_is_called_surplus() {
    let head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    let face = "element face 1\nproperty list uchar int vertex_indices\n";
    let body = "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    let whole = format!("{head}{face}{body}");
    for broken in [
        format!("{head}{}", body.replace("3 0 1 2\n", "")),
        whole.replace("\n0 0 0\n", "\n0,0 0 0\n"),
        whole.replace("uchar int", "uchar float"),
        whole.replace("float z", "float w"),
    ] {
        let mut warnings = Vec::new();
        parse(broken.as_bytes(), FAST, &mut Rounder::default(), &mut warnings).unwrap_err();
        assert_eq!(warnings, [], "{broken}");
    }
    // One that is read to its end has some, whatever is wrong with its elements.
    let mut warnings = Vec::new();
    let broken = whole.replace("1 0 0", "nan 0 0") + "3 0 1 2\n";
    parse(broken.as_bytes(), FAST, &mut Rounder::default(), &mut warnings).unwrap_err();
    assert_eq!(warnings, [(Place::Line(14), PlyWarning::LinesBehind { count: 1 }.into())]);
}

#[test]
fn a_file_without_triangles_is_refused_whatever_light_is_added() {
    use crate::{WithoutTriangles, load_from};
    let head = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n";
    let with = |faces: &str, face: &str| {
        format!("{head}element face {faces}\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n{face}")
    };
    let small = WarningKind::from(PlyWarning::SmallFaces { count: 1 });
    for without_triangles in [WithoutTriangles::Refused, WithoutTriangles::Taken] {
        for (text, want) in [(with("0", ""), &[][..]), (with("1", "2 0 1\n"), std::slice::from_ref(&small))] {
            let options = LoadOptions { without_triangles, ..LoadOptions::default() };
            let error = load_from(text.as_bytes(), Path::new("a.ply"), &options).unwrap_err();
            let said: Vec<WarningKind> = error.warnings.into_iter().map(|warning| warning.kind).collect();
            assert_eq!(said, want);
            let ImportError::Malformed { place: Place::File, kind, .. } = error.error else {
                panic!("{}", error.error)
            };
            assert_eq!(kind, PlyFault::NoTriangles { vertices: 2 }.into());
        }
    }
}

#[test]
fn vertices_that_are_not_finite_are_left_out_where_no_face_uses_them() {
    let mut faces = vec![(Scalar::U8, 3.0)];
    faces.extend(all(Scalar::I32, &[0., 1., 3.]));
    let mut sample = quad(&format!("element face 1\n{FACES}"), faces);
    sample.values[2 * 3 + 1].1 = f64::NAN;
    let (mesh, warnings) = sample.read_and_warn();
    assert_eq!(mesh.triangles.indices, [[0, 1, 2]]);
    assert_eq!(mesh.triangles.positions[2], [0.0, 1.0, 0.0]);
    assert_eq!(warnings, [(Place::File, WarningKind::StrayVertices { count: 1 })]);
}

#[test]
fn broken_files_are_refused_with_their_place() {
    let head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    let face = "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let with = |body: &str| format!("{head}{face}{body}");
    let good = "0 0 0\n1 0 0\n0 1 0\n";
    let word = |word: &str| word.to_string();
    let vertex = |vertex| PlyFault::Vertex { vertex, vertices: 3 };
    let elements = |name, left| PlyFault::Elements { count: 4_000_000_000, name: word(name), left };
    let infinite = PlyFault::NotFinite { vertex: 1, position: [1.0, f32::INFINITY, 0.0] };
    let table = [
        (String::new(), Place::Line(1), PlyFault::FirstLine),
        ("plywood\n".into(), Place::Line(1), PlyFault::FirstLine),
        ("ply\nformat ascii 1.0\n".into(), Place::Line(3), PlyFault::CutHeader),
        ("ply\nend_header\n".into(), Place::Line(2), PlyFault::NoFormat),
        (
            "ply\nformat ascii 2.0\nend_header\n".into(),
            Place::Line(2),
            PlyFault::HeaderLine { line: word("format ascii 2.0") },
        ),
        ("ply\nformat EBCDIC 1.0\n".into(), Place::Line(2), PlyFault::Format { name: word("EBCDIC") }),
        ("ply\nproperty float x\n".into(), Place::Line(2), PlyFault::PropertyBeforeElements),
        ("ply\nelement vertex -3\n".into(), Place::Line(2), PlyFault::ElementCount { word: word("-3") }),
        (
            "ply\nelement vertex 1\nproperty quad x\n".into(),
            Place::Line(3),
            PlyFault::PropertyType { name: word("quad") },
        ),
        ("ply\nelement f 1\nproperty list float int x\n".into(), Place::Line(3), PlyFault::ListLengthType),
        (
            "ply\ncomment material 70000 x\nend_header\n".into(),
            Place::Line(2),
            PlyFault::MaterialIndex { index: 70_000 },
        ),
        ("ply\nformat ascii 1.0\nend_header\n".into(), Place::File, PlyFault::NoVertices),
        (format!("{head}end_header\n{good}"), Place::File, PlyFault::NoFaces),
        (with(good).replace("float z", "float w"), Place::Line(3), PlyFault::NoPositions),
        (with(good).replace("vertex 3", "vertex 4000000000"), Place::Line(3), elements("vertex", 18)),
        (with(good).replace("vertex 3", "vertex 5000000000"), Place::File, PlyFault::Vertices { count: 5_000_000_000 }),
        (with(good).replace("face 1", "face 4000000000"), Place::Line(7), elements("face", 1)),
        (with("0 0 0\n1 1e39 0\n0 1 0\n3 0 1 2\n"), Place::Line(11), infinite),
        (with("0 0 0\n1 zero 0\n0 1 0\n3 0 1 2\n"), Place::Line(11), PlyFault::Number { word: word("zero") }),
        (with(&format!("{good}3 0 1 3\n")), Place::Line(13), vertex(3.0)),
        (with(&format!("{good}3 0 1 -1\n")), Place::Line(13), vertex(-1.0)),
        (with(&format!("{good}3 0 1 1.5\n")), Place::Line(13), vertex(1.5)),
        (with(&format!("{good}-3 0 1 2\n")), Place::Line(13), PlyFault::ListLength { length: -3.0 }),
        (with(&format!("{good}999999999 0 1 2\n")), Place::Line(13), PlyFault::CutList { length: 999_999_999.0 }),
        (with(&format!("{good}3 0 1")), Place::Line(13), PlyFault::CutList { length: 3.0 }),
        (with("0 0 0\n1 0 0\n0 1       "), Place::Line(12), PlyFault::CutData),
        (
            with(&format!("{good}3 0 1 2")).replace("int vertex_i", "float vertex_i"),
            Place::Line(7),
            PlyFault::IndexType,
        ),
        (with(&format!("{good}3 0 1 2")).replace("vertex_indices", "corners"), Place::Line(7), PlyFault::NoIndices),
    ];
    let fault = |text: &str| {
        let error = read_mesh(Path::new("a.ply"), text.as_bytes(), &mut Rounder::default(), &mut Vec::new(), false)
            .expect_err(text);
        let (_, place, kind) = told(error).unwrap();
        (place, kind)
    };
    for (text, place, want) in table {
        assert_eq!(fault(&text), (place, want.into()), "{text}");
    }
    assert_eq!(fault("p\0l\0y\0\n\0"), (Place::Line(1), FaultKind::WideText { bits: 16, is_big: false }));
    let (place, odd) = fault(&with("0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n"));
    let FaultKind::Ply(PlyFault::NotFinite { vertex: 1, position: [1.0, y, 0.0] }) = odd else { panic!("{odd}") };
    assert!(place == Place::Line(11) && y.is_nan());
}

#[test]
fn broken_binary_files_name_the_byte() {
    let faces = |values: &[f64]| {
        let mut out = vec![(Scalar::U8, 3.0)];
        out.extend(all(Scalar::I32, values));
        out
    };
    let header = format!("element face 1\n{FACES}");
    for (file, vertex) in [
        (quad(&header, faces(&[0., 1., 4.])).bytes(Format::Big), 4.0),
        (quad(&header, faces(&[0., -1., 2.])).bytes(Format::Little), -1.0),
    ] {
        let error = parsed(&file, true).unwrap_err();
        assert_eq!(error.kind, PlyFault::Vertex { vertex, vertices: 4 }.into());
        let Place::Offset(at) = error.place else { panic!("{error:?}") };
        assert!((file.len() as u64 - 12..file.len() as u64).contains(&at), "{error:?}");
    }
    let mut nan = quad(&header, faces(&[0., 1., 2.])).bytes(Format::Little);
    let body = nan.len() - 13 - 48;
    nan[body + 12..body + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    let error = parsed(&nan, true).unwrap_err();
    assert_eq!(error.place, Place::Offset(body as u64 + 12));
    let whole = quad(&header, faces(&[0., 1., 2.])).bytes(Format::Little);
    for length in 0..whole.len() {
        let (fast, slow) = (parsed(&whole[..length], true), parsed(&whole[..length], false));
        assert!(fast.is_err() && slow.is_err(), "{length} bytes");
    }
}

#[test]
fn a_file_with_one_byte_changed_is_read_or_refused_alike_with_and_without_shortcuts() {
    let mut faces = Vec::new();
    for face in [[0., 1., 2.], [0., 2., 3.]] {
        faces.push((Scalar::U8, 3.0));
        faces.extend(all(Scalar::I32, &face));
        faces.push((Scalar::U8, 0.0));
    }
    let header = format!("element face 2\n{FACES}property uchar material\n");
    for format in [Format::Ascii, Format::Little, Format::Big] {
        let bytes = quad(&header, faces.clone()).bytes(format);
        for at in 0..bytes.len() {
            for flip in [0xff, 0x80, 0x10, 0x01] {
                let mut broken = bytes.clone();
                broken[at] ^= flip;
                match (parsed(&broken, true), parsed(&broken, false)) {
                    (Ok((fast, _)), Ok((slow, _))) => {
                        assert_eq!(fast.triangles, slow.triangles);
                        fast.triangles.validate().unwrap();
                        assert_eq!(crate::validate(&scene_of(fast)), Ok(()));
                    }
                    (Err(_), Err(_)) => {}
                    other => panic!("byte {at}: {other:?}"),
                }
            }
        }
    }
}

const HEADER: &str = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    element face 1\nproperty list uchar int vertex_indices\n";

fn triangle(header: &'static str, more: &[(Scalar, f64)]) -> Sample {
    let mut values: Vec<_> = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].map(|x| (Scalar::F32, x)).to_vec();
    values.extend([(Scalar::U8, 3.0), (Scalar::I32, 0.0), (Scalar::I32, 1.0), (Scalar::I32, 2.0)]);
    values.extend(more);
    Sample { header, values }
}

#[test]
fn bytes_behind_binary_data_are_said_but_a_line_end_is_none() {
    for format in [Format::Little, Format::Big] {
        let whole = triangle(HEADER, &[]).bytes(format);
        let read = |more: &[u8]| parsed(&[&whole[..], more].concat(), true).unwrap().1;
        let behind = PlyWarning::BytesBehind { count: 5 };
        assert_eq!(read(b"\0more"), [(Place::Offset(whole.len() as u64), behind.into())]);
        assert_eq!((read(b""), read(b"\r\n")), (vec![], vec![]));
        // Cut off, it has no bytes that are too many.
        let mut warnings = Vec::new();
        let cut = parse(&whole[..whole.len() - 1], FAST, &mut Rounder::default(), &mut warnings);
        assert!(cut.is_err() && warnings.is_empty(), "{warnings:?}");
    }
}

#[test]
fn elements_that_are_not_read_are_said() {
    let edges = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\n\
        element edge 1\nproperty int vertex1\nproperty int vertex2\nelement user 0\nproperty int a\n";
    let (_, warnings) = triangle(edges, &[(Scalar::I32, 0.0), (Scalar::I32, 1.0)]).read_and_warn();
    let edges = PlyWarning::UnreadElements { name: "edge".into(), count: 1 };
    assert_eq!(warnings, [(Place::Line(9), edges.into())]);
}

#[test]
fn colours_that_are_partly_transparent_are_said_and_so_is_what_blender_calls_up() {
    let load = |alpha: &str| {
        let text = format!(
            "ply\nformat ascii 1.0\ncomment Created in Blender version 4.1.0\nelement vertex 3\nproperty float x\n\
             property float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n\
             property uchar alpha\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
             0 0 0 9 9 9 {alpha}\n1 0 0 9 9 9 255\n0 1 0 9 9 9 {alpha}\n3 0 1 2\n"
        );
        let loaded = crate::load_from(text.as_bytes(), Path::new("a.ply"), &LoadOptions::default()).unwrap();
        assert_eq!(loaded.scene.settings.likely_up, Some([0.0, 0.0, 1.0]));
        loaded.warnings.into_iter().map(|warning| (warning.place, warning.kind)).collect::<Vec<_>>()
    };
    let clear = PlyWarning::ClearColors { count: 2 };
    assert_eq!((load("255"), load("20")), (vec![], vec![(Place::File, clear.into())]));
}
