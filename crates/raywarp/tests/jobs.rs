//! Render jobs: stage by stage they make the pictures of their parts, and their errors name the stage.

use raywarp::device::{DeviceChoice, Plan};
use raywarp::render::output::{SettingDifference, ShareError, read_share};
use raywarp::render::{
    CameraRequest, FileContents, JobError, PathRecorder, Picture, PictureRequest, Prepared, RenderContext, RenderJob,
};
use raywarp::scene::{Camera, Description, FaceMaterials, ImportError, Instance, Light, Material, Mesh, SamplerKind};
use raywarp::{Affine, TriangleMesh};
use raywarp_testing::Folder;
use std::path::Path;

/// Returns a floor under a white sky, and a camera above it.
fn floor() -> Description {
    let mut scene = Description { lights: vec![Light::uniform_environment([1.0; 3])], ..Description::default() };
    let material = scene.add_material(Material::diffuse("grey", [0.5; 3]));
    let triangles = TriangleMesh {
        positions: vec![[-4.0, 0.0, -4.0], [4.0, 0.0, -4.0], [4.0, 0.0, 4.0], [-4.0, 0.0, 4.0]],
        indices: vec![[0, 2, 1], [0, 3, 2]],
        ..TriangleMesh::default()
    };
    let mesh = scene.add_mesh(Mesh { name: "floor".into(), triangles, materials: FaceMaterials::Uniform(material) });
    scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
    scene.cameras.extend(Camera::look_at([0.0, 3.0, 6.0], [0.0; 3], [0.0, 1.0, 0.0], 50.0));
    scene
}

fn request(samples: u32) -> PictureRequest {
    PictureRequest { size: Some([24, 16]), spp: Some(samples), max_depth: Some(3), ..PictureRequest::default() }
}

fn job(samples: u32) -> RenderJob {
    RenderJob::scene(floor(), "the scene").request(request(samples)).device(DeviceChoice::Cpu)
}

#[test]
fn a_job_renders_what_its_stages_do_by_hand() {
    let mut prepared = Prepared::new(floor(), &Plan::default()).unwrap();
    let picture = Picture::settle(&mut prepared, &request(3)).unwrap();
    let want = prepared.render(&picture.camera, &picture.options, RenderContext::default()).unwrap();
    let got = job(3).run().unwrap();
    assert_eq!(got.rendered.film.means(), want.film.means());
    assert_eq!((got.rendered.rays, got.picture.notes), (want.rays, picture.notes));
    assert!(got.times.render > std::time::Duration::ZERO && got.resumed.is_none());
}

#[test]
fn an_observer_of_a_job_sees_its_paths_and_leaves_the_picture_as_it_is() {
    let recorder = PathRecorder::new([24, 16], 0..3);
    let settled = job(3).load().unwrap().prepare().unwrap().settle().unwrap();
    let got = settled.render(Default::default(), Some(&recorder)).unwrap();
    assert_eq!(got.rendered.film.means(), job(3).run().unwrap().rendered.film.means());
    assert!(recorder.into_segments().iter().all(|&segments| segments >= 1));
}

#[test]
fn a_job_goes_on_with_its_own_sums_and_refuses_those_of_another_picture() {
    let folder = Folder::new();
    let file = folder.at("first.exr");
    let sums = FileContents { sums: true, ..FileContents::default() };
    job(2).run().unwrap().write_with(&file, sums).unwrap();
    let whole = job(5).resume(&file).unwrap().run().unwrap();
    assert_eq!((whole.resumed, whole.rendered.samples), (Some(2), [5, 5]));
    assert_eq!(whole.rendered.film.means(), job(5).run().unwrap().rendered.film.means());
    // There is nothing to do, and the film is the one that was there.
    let same = job(1).resume(&file).unwrap().run().unwrap();
    assert_eq!((same.rendered.paths, same.rendered.samples), (0, [2, 2]));
    let other = RenderJob::scene(floor(), "").request(PictureRequest { seed: 7, ..request(5) });
    let other = other.device(DeviceChoice::Cpu).resume(&file).unwrap().run();
    let seeds = SettingDifference { setting: "seeds".into(), values: Some(["0", "7"].map(String::from)) };
    match other.err().unwrap() {
        JobError::OtherPicture { path, differences } => assert_eq!((path, differences), (file, vec![seeds])),
        error => panic!("{error:?}"),
    }
}

#[test]
fn what_does_not_begin_with_the_first_sample_is_no_film_to_go_on_with() {
    let folder = Folder::new();
    let file = folder.at("share.exr");
    let part = PictureRequest { samples: Some(2..4), spp: None, ..request(0) };
    let share = FileContents { share: true, ..FileContents::default() };
    job(0).request(part).run().unwrap().write_with(&file, share).unwrap();
    let refused = job(8).go_on_with(read_share(&file).unwrap());
    assert!(matches!(refused, Err(JobError::EarlierSamples { samples, .. }) if samples == (2..4)));
    let none = job(8).resume(&folder.at("none.exr"));
    assert!(matches!(none, Err(JobError::Share(ShareError::Read { .. }))));
}

#[test]
fn pictures_that_do_not_fit_say_in_what_they_differ() {
    let folder = Folder::new();
    let file = folder.path().join("first.exr");
    let sums = FileContents { sums: true, ..FileContents::default() };
    job(2).run().unwrap().write_with(&file, sums).unwrap();
    let differences = |scene, request| {
        let job = RenderJob::scene(scene, "").request(request).device(DeviceChoice::Cpu);
        match job.resume(&file).unwrap().run() {
            Err(JobError::OtherPicture { differences, .. }) => differences,
            other => panic!("{:?}", other.err()),
        }
    };
    let of = |setting: &str, values: Option<[&str; 2]>| SettingDifference {
        setting: setting.into(),
        values: values.map(|values| values.map(String::from)),
    };
    let sampler = PictureRequest { sampler: Some(SamplerKind::Xor32), seed: 2, ..request(5) };
    let camera = CameraRequest { eye: Some([9.0, 5.0, 9.0]), target: Some([0.0; 3]), ..CameraRequest::default() };
    for (request, want) in [
        (PictureRequest { max_depth: Some(8), ..request(5) }, vec![of("bounces", Some(["3", "8"]))]),
        (PictureRequest { connect_last: true, ..request(5) }, vec![of("last connections", Some(["none", "made"]))]),
        (sampler, vec![of("seeds", Some(["0", "2"])), of("samplers", Some(["sobol", "xor32"]))]),
        (PictureRequest { camera, ..request(5) }, vec![of("cameras", None)]),
        (PictureRequest { features: true, ..request(5) }, vec![of("layers", Some(["none", "albedo,normal,depth"]))]),
    ] {
        assert_eq!(differences(floor(), request), want);
    }
    let mut darker = floor();
    darker.materials[0] = Material::diffuse("grey", [0.25; 3]);
    assert_eq!(differences(darker, request(5)), [of("materials", None)]);
}

#[test]
fn errors_name_the_stage_and_the_scene() {
    let missing = RenderJob::file("nothing.obj").run().err().unwrap();
    let JobError::Load { error } = &missing else { panic!("{missing}") };
    assert!(matches!(&error.error, ImportError::Read { path, .. } if path == Path::new("nothing.obj")), "{missing}");
    let camera = raywarp::render::CameraRequest { named: Some("none".into()), ..Default::default() };
    let settled = job(1).request(PictureRequest { camera, ..request(1) }).run().err().unwrap();
    assert!(matches!(&settled, JobError::Settle { scene, .. } if scene == "the scene"), "{settled}");
    let crop = Some(raywarp::render::film::Crop { origin: [90, 0], size: [4, 4] });
    let rendered = job(1).request(PictureRequest { crop, ..request(1) }).run().err().unwrap();
    assert!(matches!(rendered, JobError::Render { .. }), "{rendered}");
}
