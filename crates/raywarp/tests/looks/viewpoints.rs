//! Viewpoints that nobody asked for, and what notes say of them.

use super::notes::lit;
use raywarp::device::Plan;
use raywarp::render::{
    BuiltInLight, CameraError, CameraRequest, Darkness, Picture, PictureError, PictureNote, PictureRequest, Prepared,
};
use raywarp::scene::{Camera, Description, KnownViews, Light, LoadOptions, SceneLookup, WithoutTriangles, load_from};
use std::path::Path;

/// A triangle with a lamp, in the format that `name` ends with.
fn scene(name: &str, text: &str) -> Description {
    let mut scene = load_from(text.as_bytes(), Path::new(name), &LoadOptions::default()).unwrap().scene;
    scene.lights.push(Light::Point { position: [0.5, 0.5, 3.0], intensity: [9.0; 3] });
    scene
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

fn settle(scene: Description, camera: CameraRequest) -> Result<Picture, PictureError> {
    let mut prepared = Prepared::new(scene, &Plan::default()).unwrap();
    let request = PictureRequest { size: Some([32, 24]), camera, ..PictureRequest::default() };
    Picture::settle(&mut prepared, &request)
}

fn notes(scene: Description, camera: CameraRequest) -> Vec<PictureNote> {
    settle(scene, camera).unwrap().notes
}

const FRAMED: PictureNote = PictureNote::Framed { open_side: false, content: None };

fn named(name: &str) -> CameraRequest {
    CameraRequest { named: Some(name.into()), ..CameraRequest::default() }
}

/// The triangle seen by three cameras, one without a name, at these distances.
fn with_cameras() -> Description {
    let camera = |name: &str, z: f32| {
        let camera = Camera::look_at([0.3, 0.3, z], [0.3, 0.3, 0.0], [0.0, 1.0, 0.0], 45.0).unwrap();
        Camera { name: name.into(), ..camera }
    };
    let cameras = vec![camera("Main", 3.0), camera("Wide", 9.0), camera("", 5.0)];
    Description { cameras, ..scene("a.obj", TRIANGLE) }
}

#[test]
fn cameras_are_chosen_by_name_or_number() {
    let first = PictureNote::FirstCamera { count: 3, name: "Main".into() };
    assert_eq!(notes(with_cameras(), CameraRequest::default()), [first]);
    for (name, z) in [("Main", 3.0), ("1", 3.0), ("2", 9.0), ("3", 5.0)] {
        let picture = settle(with_cameras(), named(name)).unwrap();
        assert_eq!((picture.camera.eye[2], picture.notes), (z, vec![]), "{name}");
    }
    let unknown = |scene, name| match settle(scene, named(name)) {
        Err(PictureError::Camera(error)) => error,
        other => panic!("{other:?}"),
    };
    let known = ["Main", "Wide", "camera 3"].map(String::from).to_vec();
    let of = |name: &str, near: Option<&str>, known: &[String]| CameraError::Unknown {
        name: name.into(),
        known: known.to_vec(),
        near: near.map(String::from),
    };
    assert_eq!(unknown(with_cameras(), "Mian"), of("Mian", Some("Main"), &known));
    assert_eq!(unknown(with_cameras(), "4"), of("4", None, &known));
    assert_eq!(unknown(scene("a.obj", TRIANGLE), "1"), of("1", None, &[]));
}

#[test]
fn a_view_along_what_is_upwards_says_what_is() {
    let camera = CameraRequest {
        eye: Some([0.0, 0.0, 5.0]),
        target: Some([0.0; 3]),
        up: Some([0.0, 0.0, 1.0]),
        ..CameraRequest::default()
    };
    let picture = settle(scene("a.obj", TRIANGLE), camera).unwrap();
    assert_eq!(picture.notes, [PictureNote::ViewAlongUp { up: picture.camera.up }]);
}

#[test]
fn known_viewpoints_serve_files_without_a_camera() {
    let folder = raywarp_testing::Folder::new();
    let view = |x: u32| format!("[[room]]\neye = [{x}, 0.5, 5]\ntarget = [0, 0, 0]\nup = [0, 1, 0]\nvfov = 60\n");
    std::fs::write(folder.path().join("views.toml"), view(1) + &view(2)).unwrap();
    let path = folder.path().join("room/room.obj");
    std::fs::create_dir(folder.path().join("room")).unwrap();
    std::fs::write(&path, TRIANGLE).unwrap();
    let known = || KnownViews::of(&path, &SceneLookup::default()).unwrap();
    let camera = || CameraRequest { known: known(), ..CameraRequest::default() };
    let note = PictureNote::KnownView { file: known().unwrap().file, scene: "room".into(), count: 2 };
    assert_eq!(notes(scene("a.obj", TRIANGLE), camera()), [note]);
    // The file's own camera comes first, and one that is asked for.
    assert_eq!(settle(with_cameras(), camera()).unwrap().camera.eye[2], 3.0);
    let elsewhere = CameraRequest { eye: Some([0.0, 0.0, 9.0]), ..camera() };
    assert_eq!(notes(scene("a.obj", TRIANGLE), elsewhere), []);
    assert_eq!(notes(scene("a.obj", TRIANGLE), CameraRequest::default()), [FRAMED]);
}

#[test]
fn what_the_writer_of_a_file_calls_up_is_recommended_where_nobody_says_it() {
    let head = "ply\nformat ascii 1.0\ncomment Created in Blender version 4.1.0\nelement vertex 3\nproperty float x\n\
        property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let ply = format!("{head}0 0 0\n2 0 0\n0 2 0\n3 0 1 2\n");
    let other = ply.replace("Blender", "a program");
    let said = |text: &str, camera| notes(scene("a.ply", text), camera);
    assert_eq!(said(&ply, CameraRequest::default()), [PictureNote::LikelyUp([0.0, 0.0, 1.0]), FRAMED]);
    assert_eq!(said(&other, CameraRequest::default()), [FRAMED]);
    let up = |up| CameraRequest { up: Some(up), ..CameraRequest::default() };
    let eye = CameraRequest { eye: Some([0.0, 0.0, 9.0]), ..CameraRequest::default() };
    for camera in [up([0.0, 0.0, 1.0]), up([0.0, 1.0, 0.0]), eye] {
        assert_eq!(said(&ply, camera), []);
    }
}

#[test]
fn a_file_of_nothing_is_not_framed_by_its_triangles() {
    let options = LoadOptions { without_triangles: WithoutTriangles::Taken, ..LoadOptions::default() };
    let text = br#"{"asset": {"version": "2.0"}}"#;
    let loaded = load_from(&text[..], Path::new("empty.gltf"), &options).unwrap();
    let mut prepared = Prepared::new(loaded.scene, &Plan::default()).unwrap();
    let picture = Picture::settle(&mut prepared, &lit(BuiltInLight::Sky)).unwrap();
    assert_eq!(picture.notes, [PictureNote::NothingToFrame]);
}

#[test]
fn a_scene_without_light_gets_a_studio() {
    let dark = Description { lights: Vec::new(), ..scene("a.obj", TRIANGLE) };
    let studio = PictureNote::StudioAdded { darkness: Darkness::NoLight };
    assert_eq!(notes(dark, CameraRequest::default()), [FRAMED, studio]);
}
