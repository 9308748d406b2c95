//! Pictures: what is asked for, a scene made ready, the path tracer, its film and its files.
//!
//! A [`RenderJob`] goes from a scene's file to a picture's. Its stages are there one by one, too: [`Prepared`] holds a
//! loaded scene and its tree, [`Picture::settle`] decides what nobody asked for, and [`Prepared::render`] makes a
//! [`Rendered`], which [`output`] writes.

mod added_light;
mod darkness;
mod frame_scene;
mod framing;
mod free_space;
mod job;
mod lamps;
mod lighting;
mod lost_pixels;
mod note;
mod own_light;
mod path_rays;
mod picture;
mod picture_name;
mod prepared;
mod room;
mod viewpoint;
mod visible_light;

pub use added_light::Added;
pub use darkness::Darkness;
pub use framing::frame_bounds;
pub use job::{
    FileContents, JobError, LoadedJob, PictureWriter, PreparedJob, RenderJob, RenderedJob, SettledJob, StageTimes,
};
pub use lighting::{BuiltInLight, LightRequest, LightSource};
pub use lost_pixels::lost_pixels;
pub use note::{Advice, PictureNote, PictureSetting};
pub use path_rays::{BounceRays, PathRays, PathRaysError, is_bounce_file, query_of_name};
pub use picture::{Picture, PictureError, PictureRequest, Shown, Source, exposure_of, fingerprint};
pub use picture_name::{PictureName, picture_name};
pub use prepared::Prepared;
pub use raywarp_render::{
    Between, DirectLight, FrameSettings, Integrator, LensRecord, PassWatch, PathEngine, PathObserver, PathRecorder,
    Progress, ROULETTE_BELOW, RenderContext, RenderError, RenderOptionError, RenderOptions, Rendered, Scattering,
    ShadingBytes, ShadingScene, StopReason, Watch,
};
pub use viewpoint::{CameraError, CameraRequest, CameraSource, camera_name};

/// Films: sums of a picture's samples.
pub mod film {
    pub use raywarp_render::film::{
        Crop, FeatureSums, Film, FilmError, PictureMean, PixelSums, SampleResult, Tile, Window, luminance,
    };
}

/// Writing and reading of pictures and shares.
pub mod output {
    pub use raywarp_render::output::{
        Content, Exposure, ExposureChoice, LayerChannel, Layers, Look, Lost, Merged, Metadata, OutputError,
        PictureFile, PictureFormat, PictureOptions, ReadError, ReadNote, Rgb8, SettingDifference, Share, ShareDamage,
        ShareError, ShareInfo, SheetCell, Shows, Tone, ToneError, auto_exposure, can_write, can_write_share,
        contact_sheet, differences, encode_srgb, heat_colour, heat_map, merge, read_picture, read_share, write_film,
        write_film_and_sums, write_picture, write_pixels, write_rgb8, write_share,
    };
}

/// Comparison of two pictures: how much they differ, and where.
pub mod compare {
    pub use raywarp_render::compare::{
        BLOCK, CompareError, Comparison, Difference, Farthest, LayerDifference, NoiseTest, RELATIVE_EPSILON,
        STANDARD_ERRORS, compare,
    };
}

/// GPU path tracer (NVIDIA), which traces whole paths.
#[cfg(feature = "cuda")]
pub mod gpu {
    pub use raywarp_render_cuda::{
        BindingResource, CountedRange, CudaRenderer, CudaRenderers, DeviceMemory, EngineOptions, GraphCounts,
        Organisation, PathCounts, RenderCudaError, Roofline, RooflineEstimate, Stage, StageSeconds, TextureFilter,
    };
}
