//! Notes on a picture, as values: what was assumed, and what may be tried where the picture shows little.
//!
//! A note is displayed as a sentence that names fields of this library. A front end whose users know them by other
//! names, such as flags, has [`PictureNote::worded`] say those.

mod setting;
#[cfg(test)]
mod tests;
mod words;

pub use setting::PictureSetting;

use crate::render::darkness::Darkness;
use crate::render::viewpoint::{CameraRequest, CameraSource};
use raywarp_render::film::Crop;
use std::path::PathBuf;

/// Note for the user on a picture.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PictureNote {
    /// Only a part of the picture is rendered, since the scene's file asks for that.
    CropOfFile {
        /// Part that is rendered.
        crop: Crop,
        /// Columns and rows of the whole picture.
        size: [u32; 2],
    },
    /// A lens is asked for without a focus, so that it is focused on the middle of the scene.
    FocusOnMiddle {
        /// Distance of the plane in focus, in scene units.
        distance: f32,
    },
    /// The file has several cameras, of which the first is used.
    FirstCamera {
        /// Number of the file's cameras.
        count: usize,
        /// Name of the first camera, or its number.
        name: String,
    },
    /// The scene has no camera, but viewpoints are known for it, of which the first is used.
    KnownView {
        /// File of the viewpoints.
        file: PathBuf,
        /// Name of the scene in that file.
        scene: String,
        /// Number of the scene's viewpoints.
        count: usize,
    },
    /// The program that wrote the file has another direction upwards than the picture.
    LikelyUp([f32; 3]),
    /// The view is along the direction that was to be upwards, so that another one is.
    ViewAlongUp {
        /// Direction that is upwards in the picture.
        up: [f32; 3],
    },
    /// The scene has no camera and is a room, which is seen from inside.
    FromInside {
        /// Request of this view: its eye, target, field of view, and what is upwards if that was asked for.
        view: Box<CameraRequest>,
        /// `true` if the sky is visible from inside.
        open_above: bool,
        /// Position that shows the room from outside, if its walls have an outside of their own.
        outside: Option<[f64; 3]>,
    },
    /// The scene has no camera and is seen from outside, framed by its triangles.
    Framed {
        /// `true` if the scene is open on one side, and seen from there.
        open_side: bool,
        /// Request of a view of what is inside, if the scene is a closed skin with something in it.
        content: Option<Box<CameraRequest>>,
    },
    /// The scene has neither a camera nor a triangle.
    NothingToFrame,
    /// The added light is to be rotated, but is the same from all sides.
    RotationWithoutEffect,
    /// Studio light is added, since the scene's own light does not show.
    StudioAdded {
        /// Reason why the scene's own light does not show.
        darkness: Darkness,
    },
    /// Lamps are added in a room, since its own light does not show and light from around hardly gets in.
    LampsAdded {
        /// Reason why the scene's own light does not show.
        darkness: Darkness,
        /// `true` if a rotation of the added light was asked for, which does not turn lamps.
        rotated: bool,
    },
    /// The picture will be black or nearly so.
    WillBeDark {
        /// Reason why no light shows.
        darkness: Darkness,
        /// `true` if surfaces are seen to emit light nevertheless.
        glows: bool,
        /// Advice on what shows more.
        tries: Vec<Advice>,
    },
    /// Hardly a pixel of a crop shows the scene, which is elsewhere in the picture.
    EmptyCrop {
        /// Fraction of the crop's pixels that show the scene.
        shown: f64,
        /// Columns and rows of the whole picture.
        size: [u32; 2],
    },
    /// Hardly a pixel shows the scene.
    EmptyPicture {
        /// Fraction of the pixels that show the scene.
        shown: f64,
        /// Origin of the camera.
        camera: CameraSource,
    },
    /// Many pixels are clipped.
    BlownOut {
        /// Fraction of the pixels that are clipped.
        share: f64,
        /// Advice on what shows more.
        tries: Vec<Advice>,
    },
    /// Many of the pixels that show the scene are black.
    Black {
        /// Fraction of those pixels that are black, or nearly so.
        share: f64,
        /// `true` if the pixels are not black, but nearly.
        nearly: bool,
        /// `true` if light was added around the scene and hardly gets in.
        closed_in: bool,
        /// Advice on what shows more.
        tries: Vec<Advice>,
    },
}

/// Advice to the user on a picture that shows little.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Advice {
    /// Another position of the camera.
    OtherEye,
    /// Another position and target of the camera, or a framed view.
    OtherView,
    /// The scene without the glass around its lights.
    WithoutGlass,
    /// The scene without a medium that absorbs its light.
    WithoutMedium,
    /// Other triangles: those of the scene are clear or small.
    ClearOrSmall,
    /// No request for a light, upon which lamps are added in the room.
    DefaultLamps,
    /// Added studio light.
    Studio,
    /// Ambient occlusion, which shows shapes without light.
    AmbientOcclusion,
    /// An exposure that is found from the picture.
    AutoExposure {
        /// Stops that this exposure has.
        stops: f32,
    },
    /// A tone curve that compresses what is bright.
    AgxTone,
}
