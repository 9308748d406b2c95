//! The viewpoint of a picture: a camera of the file, a known viewpoint, a place that the user names, or a frame around
//! what there is.

use crate::render::Prepared;
use crate::render::frame_scene::{DEFAULT_VFOV, frame, front, open_side, three_quarter};
use crate::render::framing::frame_bounds;
use crate::render::note::{PictureNote, PictureSetting};
use crate::render::room::{INSIDE_VFOV, look_inside, typed as typed_place};
use crate::scene::{KnownViews, closest_name};
use glam::{DVec3, Vec3};
use raywarp_scene::views::Viewpoint;
use raywarp_scene::{Camera, Description};

/// Camera that a user asks for; `None` leaves a setting to the file, then to a known viewpoint, then to framing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CameraRequest {
    /// Camera to use, relative to the scene's origin, in place of any other.
    pub camera: Option<Camera>,
    /// Camera of the scene file, by its name or its number from 1.
    pub named: Option<String>,
    /// Viewpoint to use in place of any other.
    pub view: Option<Viewpoint>,
    /// Position of the camera in the file's coordinates.
    pub eye: Option<[f64; 3]>,
    /// Point that the camera looks at, in the file's coordinates; by default the scene's middle, if only the eye is
    /// given.
    pub target: Option<[f64; 3]>,
    /// Direction that is upwards in the picture.
    pub up: Option<[f32; 3]>,
    /// Vertical field of view in degrees, for whatever camera is used.
    pub vfov: Option<f32>,
    /// Viewpoints known for the scene, of which the first is used if the file has no camera.
    pub known: Option<KnownViews>,
}

/// Origin of a picture's camera.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CameraSource {
    /// The camera was asked for by these settings.
    Asked(&'static [PictureSetting]),
    /// The scene file has the camera, or a viewpoint is known for it.
    File,
    /// The camera was placed to show all triangles, or the room that they form.
    Framed,
}

/// Error of finding a camera for a picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CameraError {
    /// The file has no camera with that name or number.
    #[error("no camera {name}: {}", known_cameras(.known, .near.as_deref()))]
    Unknown {
        /// Name or number that was asked for.
        name: String,
        /// Names of the cameras that the file has; numbers of those without a name.
        known: Vec<String>,
        /// Name that was likely meant, if the file has several cameras.
        near: Option<String>,
    },
    /// The eye equals the target, or the up vector is no direction.
    #[error("the camera stands where it looks at, or up is no direction: there is nowhere to look")]
    Nowhere,
}

/// Inside of a scene: a room, a closed skin with something in it, or none.
enum Inner {
    /// The scene is a room; holds the camera inside it.
    Room(Camera),
    /// The scene is a closed skin with something in it; holds the request of a view of that.
    Content(Box<CameraRequest>),
    Nothing,
}

/// Returns a camera's name, or its number from 1 if it has none.
pub fn camera_name(index: usize, camera: &Camera) -> String {
    if camera.name.is_empty() { format!("camera {}", index + 1) } else { camera.name.clone() }
}

impl CameraRequest {
    /// Decides on the camera for a picture of `aspect` (width over height). Adds to `notes` what was assumed.
    ///
    /// # Errors
    /// [`CameraError`].
    pub fn settle(
        &self,
        prepared: &Prepared,
        aspect: f64,
        notes: &mut Vec<PictureNote>,
    ) -> Result<Camera, CameraError> {
        let mut camera = self.choose(prepared, aspect, notes)?;
        if let Some(vfov) = self.vfov {
            camera.projection =
                raywarp_scene::Projection::Perspective { fov: vfov, axis: raywarp_scene::FovAxis::Vertical };
        }
        Ok(camera)
    }

    fn choose(&self, prepared: &Prepared, aspect: f64, notes: &mut Vec<PictureNote>) -> Result<Camera, CameraError> {
        let scene = prepared.scene();
        if let Some(camera) = &self.camera {
            return Ok(camera.clone());
        }
        if let Some(view) = &self.view {
            return Ok(view.camera(scene.origin));
        }
        if let Some(name) = &self.named {
            return named(scene, name).cloned();
        }
        if self.eye.is_some() || self.target.is_some() {
            return self.look(prepared, aspect, notes);
        }
        if self.up.is_some() {
            return match self.inside(prepared, aspect, notes)? {
                Inner::Room(camera) => Ok(camera),
                Inner::Content(_) | Inner::Nothing => Ok(self.framed(prepared, aspect)?.0),
            };
        }
        if let Some(camera) = scene.cameras.first() {
            if let (count @ 2.., name) = (scene.cameras.len(), camera_name(0, camera)) {
                notes.push(PictureNote::FirstCamera { count, name });
            }
            return Ok(camera.clone());
        }
        if let Some((known, view)) = self.known_view() {
            let (file, scene_name) = (known.file.clone(), known.scene.clone());
            notes.push(PictureNote::KnownView { file, scene: scene_name, count: known.views.len() });
            return Ok(view.camera(scene.origin));
        }
        notes.extend(scene.settings.likely_up.map(PictureNote::LikelyUp));
        let content = match self.inside(prepared, aspect, notes)? {
            Inner::Room(camera) => return Ok(camera),
            Inner::Content(view) => Some(view),
            Inner::Nothing => None,
        };
        let (camera, open_side) = self.framed(prepared, aspect)?;
        let is_empty = prepared.bounds().is_empty();
        notes.push(if is_empty { PictureNote::NothingToFrame } else { PictureNote::Framed { open_side, content } });
        Ok(camera)
    }

    /// Returns the known viewpoints of the scene, with the first one.
    fn known_view(&self) -> Option<(&KnownViews, &Viewpoint)> {
        let known = self.known.as_ref()?;
        Some((known, known.views.first()?))
    }

    /// Returns where the camera that [`Self::settle`] finds comes from.
    pub(crate) fn source(&self, scene: &Description) -> CameraSource {
        match self {
            Self { camera: Some(_), .. } => CameraSource::File,
            Self { view: Some(_), .. } => CameraSource::Asked(&[PictureSetting::View]),
            Self { named: Some(_), .. } => CameraSource::Asked(&[PictureSetting::Camera]),
            Self { eye: Some(_), target: Some(_), .. } => {
                CameraSource::Asked(&[PictureSetting::Eye, PictureSetting::Target])
            }
            Self { eye: Some(_), .. } => CameraSource::Asked(&[PictureSetting::Eye]),
            Self { target: Some(_), .. } => CameraSource::Asked(&[PictureSetting::Target]),
            Self { up: Some(_), .. } => CameraSource::Framed,
            _ if scene.cameras.is_empty() && self.known_view().is_none() => CameraSource::Framed,
            _ => CameraSource::File,
        }
    }

    /// Returns the file's camera that is asked for, or its default one; `None` if the camera is not the file's.
    pub(crate) fn of_file<'s>(&'s self, scene: &'s Description) -> Option<&'s Camera> {
        if self.camera.is_some() || self.view.is_some() {
            return self.camera.as_ref();
        }
        match &self.named {
            Some(name) => named(scene, name).ok(),
            None if self.eye.is_some() || self.target.is_some() || self.up.is_some() => None,
            None => scene.cameras.first(),
        }
    }

    /// Returns the unit vector upwards; y by default.
    fn upwards(&self) -> Result<DVec3, CameraError> {
        let up: DVec3 = self.up.unwrap_or([0.0, 1.0, 0.0]).map(f64::from).into();
        up.try_normalize().ok_or(CameraError::Nowhere)
    }

    /// Makes a camera from the eye and the target; a missing one is chosen so that the scene is shown.
    fn look(&self, prepared: &Prepared, aspect: f64, notes: &mut Vec<PictureNote>) -> Result<Camera, CameraError> {
        let up = self.upwards()?;
        let vfov = self.vfov.unwrap_or(if self.eye.is_some() { 45.0 } else { DEFAULT_VFOV });
        let near = |position: Option<[f64; 3]>| position.map(|position| prepared.scene().from_file(position));
        let (eye, target) = match (near(self.eye), near(self.target)) {
            (Some(eye), Some(target)) => (eye, target),
            (Some(eye), None) => {
                let center = prepared.bounds().center().map(|x| if x.is_finite() { x } else { 0.0 });
                // Who stands in the middle looks to the front.
                let ahead = front(up).1.as_vec3();
                let target = if eye == center { (glam::Vec3::from(eye) - ahead).to_array() } else { center };
                (eye, target)
            }
            (None, target) => {
                // As far away, and in the same direction, as the whole would be framed.
                let framed = self.framed(prepared, aspect)?.0;
                let target = target.unwrap_or_default();
                let center = prepared.bounds().center();
                let eye = std::array::from_fn(|i| {
                    let along: f32 = (0..3).map(|k| (center[k] - framed.eye[k]) * framed.forward[k]).sum();
                    target[i] - along * framed.forward[i]
                });
                (eye, target)
            }
        };
        let view = (DVec3::from(target.map(f64::from)) - DVec3::from(eye.map(f64::from)))
            .try_normalize()
            .ok_or(CameraError::Nowhere)?;
        let mut top = up;
        if view.cross(up).length() < 1e-4 {
            // Straight down, what is in front lies at the bottom of the picture; straight up, at its top.
            let ahead = front(up).1;
            top = if view.dot(up) < 0.0 { -ahead } else { ahead };
            if self.up.is_some() {
                notes.push(PictureNote::ViewAlongUp { up: top.as_vec3().to_array().map(|x| x + 0.0) });
            }
        }
        Camera::look_at(eye, target, top.as_vec3().to_array(), vfov).ok_or(CameraError::Nowhere)
    }

    /// Finds out whether the scene has an inside, with a camera in it if it is a room.
    fn inside(&self, prepared: &Prepared, aspect: f64, notes: &mut Vec<PictureNote>) -> Result<Inner, CameraError> {
        let up = self.upwards()?;
        let vfov = self.vfov.unwrap_or(INSIDE_VFOV);
        let Some(inside) = look_inside(prepared, up) else { return Ok(Inner::Nothing) };
        let [eye, target] = [inside.eye, inside.target].map(|place| Some(place.map(short)));
        let view = Box::new(Self { eye, target, up: self.up, vfov: Some(vfov), ..Self::default() });
        let Some(camera) = inside.camera(prepared.scene(), up, vfov) else { return Ok(Inner::Nothing) };
        if !inside.is_room {
            return Ok(Inner::Content(view));
        }
        let mut outside = None;
        if inside.has_outside {
            let eye = Vec3::from(self.framed(prepared, aspect)?.0.eye).as_dvec3();
            outside = Some(typed_place(prepared.scene(), eye, prepared.bounds().diagonal().into()).map(short));
        }
        notes.push(PictureNote::FromInside { view, open_above: inside.open_above, outside });
        Ok(Inner::Room(camera))
    }

    /// Returns a camera that shows all triangles, and `true` if it looks into an open side.
    fn framed(&self, prepared: &Prepared, aspect: f64) -> Result<(Camera, bool), CameraError> {
        let up = self.upwards()?;
        let vfov = self.vfov.unwrap_or(DEFAULT_VFOV);
        let bounds = prepared.bounds();
        let open = open_side(prepared.tracer(), bounds, up);
        let towards = open.unwrap_or_else(|| three_quarter(up));
        let framed = frame(prepared.scene(), bounds, towards, up, vfov, aspect);
        Ok((framed.unwrap_or_else(|| frame_bounds(bounds)), open.is_some()))
    }
}

/// Returns a rounded number without spurious digits of f64.
fn short(x: f64) -> f64 {
    format!("{x:.12e}").parse().unwrap_or(x)
}

/// Returns the file's camera with this name, or with this number from 1.
fn named<'s>(scene: &'s Description, name: &str) -> Result<&'s Camera, CameraError> {
    let by_name = scene.cameras.iter().find(|camera| camera.name == name);
    let by_number = || scene.cameras.get(name.parse::<usize>().ok()?.checked_sub(1)?);
    by_name.or_else(by_number).ok_or_else(|| {
        let known: Vec<String> = scene.cameras.iter().enumerate().map(|(i, c)| camera_name(i, c)).collect();
        let near = closest_name(name, known.iter().map(String::as_str)).filter(|_| known.len() > 1);
        CameraError::Unknown { name: name.to_string(), near: near.map(str::to_string), known }
    })
}

/// Describes which cameras there are, and which one was likely meant.
fn known_cameras(names: &[String], near: Option<&str>) -> String {
    // A file may have any number of them.
    const SHOWN: usize = 10;
    let mut known = match names.len() {
        0 => "the scene has no cameras".to_string(),
        1 => format!("the scene has one, {}", names[0]),
        n => format!("the scene has {n}: {}", names[..n.min(SHOWN)].join(", ")),
    };
    if names.len() > SHOWN {
        known += &format!(" and {} more", names.len() - SHOWN);
    }
    if let Some(near) = near {
        known += &format!("; did you mean {near}?");
    }
    known
}
