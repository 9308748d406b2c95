//! Twins of the functions of scattering (bsdf).

mod models;
mod numbers;
mod tables;

use super::{Numbers, Reader, Twin, Writer};
use glam::Vec3;
use models::{Kind, Model};
use numbers::{directions, scattering};
use raywarp_render::flat::ShadingScene;
use raywarp_render::functions::bsdf::{Bsdf, BsdfSample, MaterialKind, Scattering};
use raywarp_render::functions::texture::{Inputs, TexturePoint};

/// Defines the tests of one scattering model against its CUDA twin: sampling, and value with density and albedo.
macro_rules! of_model {
    ($kind:ident, $sample:literal, $eval:literal) => {
        [
            Twin { name: $sample, make: |numbers, _, case| make_sample(Kind::$kind, numbers, case), run: run_sample },
            Twin { name: $eval, make: |numbers, _, case| make_eval(Kind::$kind, numbers, case), run: run_eval },
        ]
    };
}

const BLACK: [Twin; 2] = of_model!(Black, "bsdf_black_sample", "bsdf_black_eval");
const DIFFUSE: [Twin; 2] = of_model!(Diffuse, "bsdf_diffuse_sample", "bsdf_diffuse_eval");
const TRANSMISSION: [Twin; 2] =
    of_model!(DiffuseTransmission, "bsdf_diffuse_transmission_sample", "bsdf_diffuse_transmission_eval");
const MIRROR: [Twin; 2] = of_model!(Mirror, "bsdf_mirror_sample", "bsdf_mirror_eval");
const BLINN: [Twin; 2] = of_model!(Blinn, "bsdf_blinn_sample", "bsdf_blinn_eval");
const CONDUCTOR: [Twin; 2] = of_model!(Conductor, "bsdf_conductor_sample", "bsdf_conductor_eval");
const DIELECTRIC: [Twin; 2] = of_model!(Dielectric, "bsdf_dielectric_sample", "bsdf_dielectric_eval");
const GLAZED: [Twin; 2] = of_model!(Glazed, "bsdf_glazed_sample", "bsdf_glazed_eval");
const PRINCIPLED: [Twin; 2] = of_model!(Principled, "bsdf_principled_sample", "bsdf_principled_eval");
const CAR_PAINT: [Twin; 2] = of_model!(CarPaint, "bsdf_car_paint_sample", "bsdf_car_paint_eval");
const LOOK_UP: Twin = Twin { name: "bsdf_look_up", make: make_look_up, run: run_look_up };
const KINDS: Twin = Twin { name: "bsdf_material_kinds", make: make_kind, run: run_kind };

pub(super) const TWINS: &[Twin] = &[
    BLACK[0],
    BLACK[1],
    DIFFUSE[0],
    DIFFUSE[1],
    TRANSMISSION[0],
    TRANSMISSION[1],
    MIRROR[0],
    MIRROR[1],
    BLINN[0],
    BLINN[1],
    CONDUCTOR[0],
    CONDUCTOR[1],
    DIELECTRIC[0],
    DIELECTRIC[1],
    GLAZED[0],
    GLAZED[1],
    PRINCIPLED[0],
    PRINCIPLED[1],
    CAR_PAINT[0],
    CAR_PAINT[1],
    LOOK_UP,
    KINDS,
    tables::GGX,
    tables::HORIZON,
    tables::FRESNEL,
    tables::ALBEDO,
    tables::WHITE_LOSSES,
    tables::FACETS,
    tables::COAT,
];

fn make_sample(kind: Kind, numbers: &mut Numbers, case: &mut Writer) {
    let model = Model::random(kind, numbers);
    let (wo, _) = directions(numbers);
    model.write(case);
    case.numbers(wo).number(numbers.unit()).numbers(numbers.square());
}

/// Writes the model's sample twice, since the CUDA twin samples once among all models and once as this model alone.
fn run_sample(_: &ShadingScene, case: &mut Reader, answer: &mut Writer) {
    let bsdf = Model::read(case).bsdf();
    let (wo, u_lobe, u) = (case.vec3(), case.number(), case.numbers());
    let sample = bsdf.sample_prepared(&bsdf.prepare(wo), wo, u_lobe, u);
    put_sample(answer, sample);
    put_sample(answer, sample);
}

fn put_sample(answer: &mut Writer, sample: Option<BsdfSample>) {
    let nothing = BsdfSample { wi: Vec3::ZERO, weight: Vec3::ZERO, pdf: 0.0, specular: false, transmitted: false };
    answer.option(sample, nothing, |answer, s| {
        answer.numbers(s.wi).numbers(s.weight).number(s.pdf).flag(s.specular).flag(s.transmitted);
    });
}

fn make_eval(kind: Kind, numbers: &mut Numbers, case: &mut Writer) {
    let model = Model::random(kind, numbers);
    let (wo, wi) = directions(numbers);
    model.write(case);
    case.numbers(wo).numbers(wi);
}

/// Evaluates a model for two directions, twice, since the CUDA twin does it with and without preparation.
fn run_eval(_: &ShadingScene, case: &mut Reader, answer: &mut Writer) {
    let bsdf = Model::read(case).bsdf();
    let (wo, wi) = (case.vec3(), case.vec3());
    let (value, pdf) = bsdf.eval_prepared(&bsdf.prepare(wo), wo, wi);
    for _ in 0..2 {
        answer.numbers(value).number(pdf).numbers(bsdf.albedo(wo)).flag(bsdf.is_specular());
    }
}

fn make_look_up(numbers: &mut Numbers, scene: &ShadingScene, case: &mut Writer) {
    let material = numbers.below(scene.materials.len() as u32);
    let point = [(); 4].map(|()| numbers.between(-1.5, 2.5));
    case.word(material).numbers(point).numbers([(); 4].map(|()| numbers.unit()));
    scattering(numbers, case);
    case.number(numbers.unit());
}

fn run_look_up(scene: &ShadingScene, case: &mut Reader, answer: &mut Writer) {
    let material = &scene.materials[case.word() as usize];
    let at = TexturePoint { uv: [case.vec2(), case.vec2()], color: case.vec4() };
    let scattering = if case.flag() { Scattering::Multiple } else { Scattering::Single };
    let u = case.number();
    let model = Model::of(&Bsdf::look_up(&Inputs { scene, material, at: &at, scattering }, u));
    model.write(answer);
    model.write(answer);
}

fn make_kind(numbers: &mut Numbers, _: &ShadingScene, case: &mut Writer) {
    case.word(numbers.below(MaterialKind::ALL.len() as u32));
}

/// Lists the scattering models that a kind of material can become.
fn run_kind(_: &ShadingScene, case: &mut Reader, answer: &mut Writer) {
    let models: &[Kind] = match MaterialKind::of(case.word()) {
        MaterialKind::Diffuse => &[Kind::Diffuse],
        MaterialKind::DiffuseTransmission => &[Kind::DiffuseTransmission],
        MaterialKind::Blinn => &[Kind::Blinn],
        MaterialKind::Mirror => &[Kind::Mirror],
        MaterialKind::Conductor => &[Kind::Conductor],
        MaterialKind::Dielectric | MaterialKind::Invisible => &[Kind::Dielectric],
        MaterialKind::Coated => &[Kind::Principled],
        MaterialKind::Principled => &[Kind::Principled, Kind::Dielectric, Kind::Glazed],
        MaterialKind::CarPaint => &[Kind::CarPaint],
        MaterialKind::Mix | MaterialKind::Unlit => &[Kind::Black],
    };
    answer.word(models.iter().map(|&kind| 1 << kind as u32).sum());
}
