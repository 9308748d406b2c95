//! The light that a picture adds to its scene: what is asked for, or what a scene without light needs.

use crate::render::Prepared;
use crate::render::darkness::Darkness;
use crate::render::lamps::{Lamp, add_points, remove_balls, set_balls};
use crate::render::lighting::{BuiltInLight, LightRequest, LightSource};
use crate::render::note::{Advice, PictureNote};
use crate::render::picture::{Picture, PictureError};
use crate::render::viewpoint::CameraSource;
use crate::render::visible_light::{Dark, darkness, is_closed_in, is_out_of_view, is_surrounded, lamps_where_dark};
use raywarp_render::Integrator;
use raywarp_render::output::ExposureChoice;
use raywarp_scene::Light;

/// Radiance outside a room that a lamp lights, for what windows show: dark grey.
const OUTSIDE: f32 = 0.05;

/// Light that was added to a scene for a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// No light was added, since none is needed.
    Nothing,
    /// No light was added, as the user asked, although the scene's own does not show.
    LeftOut {
        /// `true` if lamps in a room would be added by default, since light from around hardly gets in.
        lamps: bool,
    },
    /// Surrounding light was added, asked for or not.
    Around {
        /// `true` if rays from most of what is seen hardly leave the scene, so that the added light does not get in.
        closed_in: bool,
    },
    /// Lamps were added inside a room.
    Lamps,
}

const STUDIO: LightSource = LightSource::BuiltIn(BuiltInLight::Studio);

/// Returns the numbers of lights and images, for a later [`remove_after`].
fn lights_and_images(prepared: &Prepared) -> [usize; 2] {
    [prepared.scene().lights.len(), prepared.scene().images.len()]
}

/// Removes the lights and images beyond the given numbers.
fn remove_after(prepared: &mut Prepared, [lights, images]: [usize; 2]) {
    prepared.edit_lights(|scene| {
        scene.lights.truncate(lights);
        scene.images.truncate(images);
    });
}

impl Picture {
    /// Adds the light that the user asks for, or what a picture without light needs.
    pub(crate) fn add_light(&mut self, prepared: &mut Prepared, request: &LightRequest) -> Result<(), PictureError> {
        let was_surrounded = is_surrounded(prepared.scene());
        if let Some(source) = &request.source {
            prepared.add_light(request, source, &self.camera);
        }
        if self.options.integrator != Integrator::Path {
            return Ok(());
        }
        if request.source.as_ref().is_some_and(|source| *source != LightSource::BuiltIn(BuiltInLight::None)) {
            self.added = Added::Around { closed_in: is_closed_in(prepared, &self.camera, &self.options)? };
        }
        if request.source == Some(LightSource::BuiltIn(BuiltInLight::White)) && request.rotate != 0.0 {
            self.notes.push(PictureNote::RotationWithoutEffect);
        }
        let exposure = match self.exposure_choice {
            ExposureChoice::Fixed(exposure) => exposure.as_factor() * self.exposure,
            ExposureChoice::Auto => f32::INFINITY,
        };
        let Some(mut dark) = darkness(prepared, &self.camera, &self.options, exposure)? else { return Ok(()) };
        let is_surrounded = is_surrounded(prepared.scene());
        // A light that is added does not bring the scene into view.
        if request.source.is_some() || is_surrounded || dark.cause == Darkness::OutOfView {
            if dark.cause == Darkness::NoLight
                && !self.options.transparent
                && is_out_of_view(prepared, &self.camera, &self.options)?
            {
                dark.cause = Darkness::OutOfView;
            }
            if dark.cause == Darkness::Unlit && is_surrounded {
                let closed_in = match self.added {
                    Added::Around { closed_in } => closed_in,
                    _ => is_closed_in(prepared, &self.camera, &self.options)?,
                };
                dark.cause = if closed_in { Darkness::Unlit } else { Darkness::Black };
            }
            let lamps = match self.added {
                Added::Around { closed_in } => closed_in && !was_surrounded,
                _ if is_surrounded || dark.cause == Darkness::OutOfView => false,
                _ => {
                    let before = lights_and_images(prepared);
                    let lamps = self.add_studio(prepared, request)?;
                    remove_balls(prepared, lamps.as_deref().unwrap_or_default())?;
                    remove_after(prepared, before);
                    self.added = Added::LeftOut { lamps: lamps.is_some() };
                    lamps.is_some()
                }
            };
            self.say_dark(&dark, is_surrounded, lamps);
            return Ok(());
        }
        // What is seen to glow does reach the picture.
        let is_weak = dark.glows && dark.cause == Darkness::Unlit;
        self.add_what_is_needed(prepared, request, if is_weak { Darkness::Weak } else { dark.cause })
    }

    /// Adds studio light, or returns the lamps that are to replace it where it would light nothing.
    fn add_studio(&self, prepared: &mut Prepared, request: &LightRequest) -> Result<Option<Vec<Lamp>>, PictureError> {
        // However strong it is to be: that is no question of whether it gets in.
        prepared.add_light(&LightRequest { strength: 1.0, ..request.clone() }, &STUDIO, &self.camera);
        lamps_where_dark(prepared, &self.camera, &self.options)
    }

    /// Adds studio light, or lamps in a room where studio light would not get in.
    fn add_what_is_needed(
        &mut self,
        prepared: &mut Prepared,
        request: &LightRequest,
        darkness: Darkness,
    ) -> Result<(), PictureError> {
        let before = lights_and_images(prepared);
        let lamps = self.add_studio(prepared, request)?;
        self.added_light = true;
        let note = match lamps {
            Some(lamps) => {
                self.added = Added::Lamps;
                // The studio would only add noise, through cracks and windows.
                remove_after(prepared, before);
                prepared.edit_lights(|scene| {
                    scene.lights.push(Light::uniform_environment([OUTSIDE * request.strength; 3]));
                });
                let lamps: Vec<Lamp> = lamps.into_iter().map(|lamp| lamp.times(request.strength)).collect();
                add_points(prepared, &lamps);
                set_balls(prepared, &lamps);
                PictureNote::LampsAdded { darkness, rotated: request.rotate != 0.0 }
            }
            None => {
                self.added = Added::Around { closed_in: is_closed_in(prepared, &self.camera, &self.options)? };
                if request.strength != 1.0 {
                    remove_after(prepared, before);
                    prepared.add_light(request, &STUDIO, &self.camera);
                }
                PictureNote::StudioAdded { darkness }
            }
        };
        self.notes.push(note);
        Ok(())
    }

    /// Adds a note why the picture will be black, where no light is to be added; `lamps` is `true` if lamps in a room
    /// would be added by default.
    fn say_dark(&mut self, dark: &Dark, is_surrounded: bool, lamps: bool) {
        let cause = dark.cause;
        let light = match cause {
            // The finished picture tells what exposure makes of a little light, or of what glows and lights nothing.
            Darkness::Weak | Darkness::NoLight => return,
            Darkness::OutOfView => vec![],
            // Light from around that does not get in is not mended by more of it.
            _ if is_surrounded => {
                let lamps = lamps.then_some(Advice::DefaultLamps);
                lamps.into_iter().chain([Advice::AmbientOcclusion]).collect()
            }
            _ if lamps => vec![Advice::DefaultLamps],
            Darkness::Unlit
            | Darkness::BehindGlass
            | Darkness::GlassLamp
            | Darkness::ClosedLamp
            | Darkness::Black
            | Darkness::Absorbed => vec![Advice::Studio],
        };
        let remedy = match self.camera_source {
            // Nothing is elsewhere.
            CameraSource::Framed if cause == Darkness::OutOfView => Some(Advice::ClearOrSmall),
            _ => cause.remedy(),
        };
        let tries = remedy.into_iter().chain(light).collect();
        self.notes.push(PictureNote::WillBeDark { darkness: cause, glows: dark.glows, tries });
        self.darkness = Some(cause);
    }
}
