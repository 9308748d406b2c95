//! What notes say of a small picture of a pbrt scene.

use raywarp::device::Plan;
use raywarp::render::output::{Look, Tone};
use raywarp::render::{
    Advice, BuiltInLight, Darkness, LightRequest, Picture, PictureNote, PictureRequest, Prepared, RenderContext,
    lost_pixels,
};
use raywarp::scene::{LoadOptions, WithoutTriangles, load_from};
use std::path::Path;

/// Renders a pbrt scene small, and returns the notes on it before and after.
#[track_caller]
pub fn notes_with(scene: &str, request: PictureRequest, tone: Tone) -> Vec<PictureNote> {
    // As `render` loads it, which adds light later.
    let options = LoadOptions { without_triangles: WithoutTriangles::Taken, ..LoadOptions::default() };
    let loaded = load_from(scene.as_bytes(), Path::new("a.pbrt"), &options).unwrap();
    let mut prepared = Prepared::new(loaded.scene, &Plan::default()).unwrap();
    let request = PictureRequest { size: Some([32, 24]), spp: Some(4), ..request };
    let picture = Picture::settle(&mut prepared, &request).unwrap();
    let film = prepared.render(&picture.camera, &picture.options, RenderContext::default()).unwrap().film;
    let look = Look { exposure: picture.exposure_of(&film), tone };
    let lost = lost_pixels(&prepared, &picture, &film, &look);
    picture.notes.into_iter().chain(lost).collect()
}

#[track_caller]
pub fn notes(scene: &str, request: PictureRequest) -> Vec<PictureNote> {
    notes_with(scene, request, Tone::Srgb)
}

pub fn lit(light: BuiltInLight) -> PictureRequest {
    PictureRequest { light: LightRequest::built_in(light), ..PictureRequest::default() }
}

/// The requests that leave the light to the program, and that want none.
pub fn by_default_and_without_light() -> [PictureRequest; 2] {
    [PictureRequest::default(), lit(BuiltInLight::None)]
}

/// Why a picture will be dark, if a note says that it will.
pub fn will_be_dark(notes: &[PictureNote]) -> Option<Darkness> {
    notes.iter().find_map(|note| match note {
        PictureNote::WillBeDark { darkness, .. } => Some(*darkness),
        _ => None,
    })
}

/// Why a studio was added, if one was.
pub fn studio(notes: &[PictureNote]) -> Option<Darkness> {
    notes.iter().find_map(|note| match note {
        PictureNote::StudioAdded { darkness } => Some(*darkness),
        _ => None,
    })
}

/// The advice of the first note on a dark picture.
#[track_caller]
pub fn tries(notes: &[PictureNote]) -> &[Advice] {
    let tries = notes.iter().find_map(|note| match note {
        PictureNote::WillBeDark { tries, .. } | PictureNote::Black { tries, .. } => Some(tries),
        _ => None,
    });
    tries.unwrap_or_else(|| panic!("{notes:?}"))
}

/// Whether a note says that light is missing, or was added.
pub fn is_of_light(note: &PictureNote) -> bool {
    matches!(
        note,
        PictureNote::StudioAdded { .. }
            | PictureNote::LampsAdded { .. }
            | PictureNote::WillBeDark { .. }
            | PictureNote::Black { .. }
    )
}

/// The directives that `rest` of a world follows; the camera is at (0, 0, 4) and looks at `target`.
pub fn world(target: &str, rest: &str) -> String {
    format!("LookAt 0 0 4  {target}  0 1 0\nCamera \"perspective\" \"float fov\" 40\nWorldBegin\n{rest}")
}

/// A wide floor, seen from above.
pub const FLOOR: &str = "AttributeBegin\nMaterial \"matte\"\n\
    Shape \"trianglemesh\" \"integer indices\" [0 1 2] \"point P\" [-90 -90 0 190 -90 0 -90 190 0]\nAttributeEnd\n";
pub const BULB: &str = "LightSource \"point\" \"rgb I\" [30 30 30] \"point from\" [0 0 1.5]\n";

pub fn black_floor() -> String {
    FLOOR.replace("\"matte\"", "\"matte\" \"rgb Kd\" [0 0 0]")
}
