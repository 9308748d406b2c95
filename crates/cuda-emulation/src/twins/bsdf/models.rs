//! Models of scattering as words.

use super::super::{Numbers, Reader, Writer};
use super::numbers::{alpha, alphas, color, ior, share};
use glam::{Vec2, Vec3};
use raywarp_render::functions::bsdf::{
    Blinn, Bsdf, CarPaintBsdf, Conductor, Dielectric, Glazed, PrincipledBsdf, Scattering,
};

/// Scattering model, in the order of the variants of [`Bsdf`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Black,
    Diffuse,
    DiffuseTransmission,
    Mirror,
    Blinn,
    Conductor,
    Dielectric,
    Glazed,
    Principled,
    CarPaint,
}

const KINDS: [Kind; 10] = [
    Kind::Black,
    Kind::Diffuse,
    Kind::DiffuseTransmission,
    Kind::Mirror,
    Kind::Blinn,
    Kind::Conductor,
    Kind::Dielectric,
    Kind::Glazed,
    Kind::Principled,
    Kind::CarPaint,
];

/// Parameters of a scattering model in the order of its fields, then zeros. Of metal the mean Fresnel term is an
/// answer's alone: a case's follows from the rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Model {
    kind: Kind,
    scattering: Scattering,
    thin: bool,
    fields: [f32; 14],
}

impl Model {
    pub fn read(case: &mut Reader) -> Self {
        let kind = KINDS[case.word() as usize];
        let scattering = if case.flag() { Scattering::Multiple } else { Scattering::Single };
        Self { kind, scattering, thin: case.flag(), fields: case.numbers() }
    }

    pub fn write(&self, words: &mut Writer) {
        words.word(self.kind as u32).flag(self.scattering == Scattering::Multiple).flag(self.thin).numbers(self.fields);
    }

    pub fn random(kind: Kind, numbers: &mut Numbers) -> Self {
        let scattering = if numbers.below(3) == 0 { Scattering::Single } else { Scattering::Multiple };
        let mut model = Self { kind, scattering, thin: numbers.below(3) == 0, fields: [0.0; 14] };
        let mut fields = Fields { at: &mut model.fields, next: 0 };
        match kind {
            Kind::Black => {}
            Kind::Diffuse | Kind::Mirror => fields.color(color(numbers)),
            Kind::DiffuseTransmission => {
                let part = share(numbers);
                fields.color(part * color(numbers));
                fields.color((1.0 - part) * color(numbers));
            }
            Kind::Blinn => {
                fields.color(color(numbers));
                let faint = if numbers.below(3) == 0 { 0.03 } else { 1.0 };
                fields.color(faint * color(numbers));
                fields.number(match numbers.below(6) {
                    0 => 0.0,
                    1 => numbers.any(),
                    2 => 1e6,
                    _ => 10f32.powf(numbers.between(-2.0, 6.0)),
                });
            }
            Kind::Conductor => {
                let reach = if numbers.below(4) == 0 { 0.0 } else { 6.0 };
                fields.color(3.0 * color(numbers));
                fields.color(reach * color(numbers));
                fields.pair(alphas(numbers));
            }
            Kind::Dielectric => {
                fields.number(ior(numbers));
                fields.pair(alphas(numbers));
                fields.color(color(numbers));
                fields.color(color(numbers));
            }
            Kind::Glazed => {
                fields.number(ior(numbers));
                fields.pair(alphas(numbers));
                fields.color(color(numbers));
                let faint = if numbers.coin() { 0.1 } else { 1.0 };
                fields.color(faint * color(numbers));
                fields.number(share(numbers));
                fields.number(share(numbers));
                fields.number(alpha(numbers));
            }
            Kind::Principled => {
                fields.color(color(numbers));
                fields.number(share(numbers));
                let faint = if numbers.coin() { 0.06 } else { 1.0 };
                fields.color(faint * color(numbers));
                fields.number(share(numbers));
                fields.pair(alphas(numbers));
                fields.number(share(numbers));
                fields.number(alpha(numbers));
            }
            Kind::CarPaint => {
                fields.color(color(numbers));
                fields.color(color(numbers));
                fields.number(share(numbers));
                fields.number(alpha(numbers));
                let normal = numbers.direction();
                let tilt = if numbers.coin() { 0.0 } else { share(numbers) };
                fields.color((tilt * normal.with_z(0.0) + Vec3::Z * normal.z.abs().max(0.05)).normalize());
                fields.number(ior(numbers));
                fields.number(alpha(numbers));
            }
        }
        model
    }

    pub fn bsdf(&self) -> Bsdf {
        let Self { thin, scattering, fields: f, .. } = *self;
        let color = |at: usize| Vec3::new(f[at], f[at + 1], f[at + 2]);
        let pair = |at: usize| Vec2::new(f[at], f[at + 1]);
        match self.kind {
            Kind::Black => Bsdf::Black,
            Kind::Diffuse => Bsdf::Diffuse { reflectance: color(0) },
            Kind::DiffuseTransmission => Bsdf::DiffuseTransmission { reflectance: color(0), transmittance: color(3) },
            Kind::Mirror => Bsdf::Mirror { reflectance: color(0) },
            Kind::Blinn => Bsdf::Blinn(Blinn { diffuse: color(0), specular: color(3), exponent: f[6] }),
            Kind::Conductor => Bsdf::Conductor(Conductor::new(color(0), color(3), pair(6), scattering)),
            Kind::Dielectric => Bsdf::Dielectric(Dielectric {
                ior: f[0],
                alpha: pair(1),
                reflectance: color(3),
                transmittance: color(6),
                thin,
                scattering,
            }),
            Kind::Glazed => Bsdf::Glazed(Glazed {
                ior: f[0],
                alpha: pair(1),
                transmittance: color(3),
                thin,
                scattering,
                f0: color(6),
                strength: f[9],
                coat: f[10],
                coat_alpha: f[11],
            }),
            Kind::Principled => Bsdf::Principled(PrincipledBsdf {
                base: color(0),
                metallic: f[3],
                f0: color(4),
                f90: f[7],
                alpha: pair(8),
                coat: f[10],
                coat_alpha: f[11],
                scattering,
            }),
            Kind::CarPaint => Bsdf::CarPaint(CarPaintBsdf {
                base: color(0),
                flake_color: color(3),
                flake_amount: f[6],
                flake_alpha: f[7],
                flake_normal: color(8),
                coat_ior: f[11],
                coat_alpha: f[12],
                scattering,
            }),
        }
    }

    pub fn of(bsdf: &Bsdf) -> Self {
        let mut model = Self { kind: Kind::Black, scattering: Scattering::Single, thin: false, fields: [0.0; 14] };
        let mut fields = Fields { at: &mut model.fields, next: 0 };
        match *bsdf {
            Bsdf::Black => {}
            Bsdf::Diffuse { reflectance } => {
                model.kind = Kind::Diffuse;
                fields.color(reflectance);
            }
            Bsdf::DiffuseTransmission { reflectance, transmittance } => {
                model.kind = Kind::DiffuseTransmission;
                fields.color(reflectance);
                fields.color(transmittance);
            }
            Bsdf::Mirror { reflectance } => {
                model.kind = Kind::Mirror;
                fields.color(reflectance);
            }
            Bsdf::Blinn(Blinn { diffuse, specular, exponent }) => {
                model.kind = Kind::Blinn;
                fields.color(diffuse);
                fields.color(specular);
                fields.number(exponent);
            }
            Bsdf::Conductor(Conductor { eta, k, alpha, fresnel_mean }) => {
                model.kind = Kind::Conductor;
                fields.color(eta);
                fields.color(k);
                fields.pair(alpha);
                fields.color(fresnel_mean);
            }
            Bsdf::Dielectric(Dielectric { ior, alpha, reflectance, transmittance, thin, scattering }) => {
                (model.kind, model.thin, model.scattering) = (Kind::Dielectric, thin, scattering);
                fields.number(ior);
                fields.pair(alpha);
                fields.color(reflectance);
                fields.color(transmittance);
            }
            Bsdf::Glazed(g) => {
                (model.kind, model.thin, model.scattering) = (Kind::Glazed, g.thin, g.scattering);
                fields.number(g.ior);
                fields.pair(g.alpha);
                fields.color(g.transmittance);
                fields.color(g.f0);
                fields.number(g.strength);
                fields.number(g.coat);
                fields.number(g.coat_alpha);
            }
            Bsdf::Principled(p) => {
                (model.kind, model.scattering) = (Kind::Principled, p.scattering);
                fields.color(p.base);
                fields.number(p.metallic);
                fields.color(p.f0);
                fields.number(p.f90);
                fields.pair(p.alpha);
                fields.number(p.coat);
                fields.number(p.coat_alpha);
            }
            Bsdf::CarPaint(p) => {
                (model.kind, model.scattering) = (Kind::CarPaint, p.scattering);
                fields.color(p.base);
                fields.color(p.flake_color);
                fields.number(p.flake_amount);
                fields.number(p.flake_alpha);
                fields.color(p.flake_normal);
                fields.number(p.coat_ior);
                fields.number(p.coat_alpha);
            }
        }
        model
    }
}

/// Writer that fills a model's fields one after another.
struct Fields<'a> {
    at: &'a mut [f32; 14],
    next: usize,
}

impl Fields<'_> {
    fn number(&mut self, number: f32) {
        self.at[self.next] = number;
        self.next += 1;
    }

    fn pair(&mut self, pair: Vec2) {
        pair.to_array().into_iter().for_each(|number| self.number(number));
    }

    fn color(&mut self, color: Vec3) {
        color.to_array().into_iter().for_each(|number| self.number(number));
    }
}
