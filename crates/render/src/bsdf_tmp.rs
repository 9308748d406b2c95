//! Temporary.
use glam::Vec3;
pub struct BsdfSample { pub wi: Vec3, pub weight: Vec3, pub pdf: f32, pub specular: bool, pub transmitted: bool }
#[derive(Clone, Copy)]
pub enum Bsdf { Diffuse { reflectance: Vec3 } }
impl Bsdf {
    pub fn sample(&self, wo: Vec3, _l: f32, u: [f32; 2]) -> Option<BsdfSample> {
        let Self::Diffuse { reflectance } = *self;
        let mut wi = Vec3::from(raywarp_sample::warp::cosine_hemisphere(u));
        let pdf = wi.z / std::f32::consts::PI;
        if wo.z < 0.0 { wi.z = -wi.z; }
        (pdf > 0.0).then_some(BsdfSample { wi, weight: reflectance, pdf, specular: false, transmitted: false })
    }
    pub fn eval(&self, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        let Self::Diffuse { reflectance } = *self;
        if wo.z * wi.z <= 0.0 { return (Vec3::ZERO, 0.0) }
        let p = wi.z.abs() / std::f32::consts::PI;
        (reflectance * p, p)
    }
    pub fn is_specular(&self) -> bool { false }
    pub fn albedo(&self, _wo: Vec3) -> Vec3 { let Self::Diffuse { reflectance } = *self; reflectance }
}
