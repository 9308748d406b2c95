//! The settings that notes on a picture name.

/// Setting of a picture that a note names, so that a front end can say its own name for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureSetting {
    /// Camera of the file, by name or number.
    Camera,
    /// Position of the camera.
    Eye,
    /// Point that the camera looks at.
    Target,
    /// Direction that is upwards in the picture.
    Up,
    /// Vertical field of view.
    Vfov,
    /// Viewpoint of a file of viewpoints.
    View,
    /// Light to add to the scene.
    Light,
    /// Rotation of the added light.
    LightRotate,
    /// Strength of the added light.
    LightStrength,
    /// Part of the picture to render.
    Crop,
    /// Quantity that pixels show.
    Shown,
    /// Exposure of a PNG.
    Exposure,
    /// Tone curve of a PNG.
    Tone,
}

impl PictureSetting {
    /// All settings that notes name.
    pub const ALL: [Self; 13] = [
        Self::Camera,
        Self::Eye,
        Self::Target,
        Self::Up,
        Self::Vfov,
        Self::View,
        Self::Light,
        Self::LightRotate,
        Self::LightStrength,
        Self::Crop,
        Self::Shown,
        Self::Exposure,
        Self::Tone,
    ];

    /// Returns the field of this library that holds the setting, between backticks.
    pub fn name(self) -> &'static str {
        match self {
            Self::Camera => "`CameraRequest::named`",
            Self::Eye => "`CameraRequest::eye`",
            Self::Target => "`CameraRequest::target`",
            Self::Up => "`CameraRequest::up`",
            Self::Vfov => "`CameraRequest::vfov`",
            Self::View => "`CameraRequest::view`",
            Self::Light => "`LightRequest::source`",
            Self::LightRotate => "`LightRequest::rotate`",
            Self::LightStrength => "`LightRequest::strength`",
            Self::Crop => "`PictureRequest::crop`",
            Self::Shown => "`PictureRequest::shown`",
            Self::Exposure => "`PictureRequest::exposure`",
            Self::Tone => "`FileContents::tone`",
        }
    }
}
