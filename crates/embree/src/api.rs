//! Embree's C interface as its documentation declares it: constants, structures and the functions that are used.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Pointer to an object of Embree: an `RTCDevice`, `RTCScene` or `RTCGeometry`.
pub(crate) type Handle = *mut c_void;

/// Id that stands for no geometry: Embree's `RTC_INVALID_GEOMETRY_ID`.
pub(crate) const INVALID: u32 = u32::MAX;

/// Embree's constant for geometry made of triangles: `RTC_GEOMETRY_TYPE_TRIANGLE`.
pub(crate) const GEOMETRY_TRIANGLE: c_int = 0;
/// Embree's constants for an index buffer and its format: `RTC_BUFFER_TYPE_INDEX` and `RTC_FORMAT_UINT3`.
pub(crate) const INDEX_BUFFER: (c_int, c_int) = (0, 0x5003);
/// Embree's constants for a vertex buffer and its format: `RTC_BUFFER_TYPE_VERTEX` and `RTC_FORMAT_FLOAT3`.
pub(crate) const VERTEX_BUFFER: (c_int, c_int) = (1, 0x9003);

/// Embree's flag of scenes traced without gaps at edges: `RTC_SCENE_FLAG_ROBUST`.
pub(crate) const SCENE_ROBUST: c_int = 1 << 2;
/// Embree's constants for the build quality of a tree: `RTC_BUILD_QUALITY_MEDIUM` and `RTC_BUILD_QUALITY_HIGH`.
pub(crate) const QUALITY_MEDIUM: c_int = 1;
pub(crate) const QUALITY_HIGH: c_int = 2;

/// Device properties whose values are the library's version: `RTC_DEVICE_PROPERTY_VERSION_MAJOR`, `_MINOR` and
/// `_PATCH`.
pub(crate) const VERSION_PARTS: [c_int; 3] = [1, 2, 3];
/// Device properties that tell whether packets have code of their own: `RTC_DEVICE_PROPERTY_NATIVE_RAY8_SUPPORTED` and
/// `..._RAY16_SUPPORTED`.
pub(crate) const NATIVE_RAY8: c_int = 33;
pub(crate) const NATIVE_RAY16: c_int = 34;

/// Embree's query flag of coherent rays, `RTC_RAY_QUERY_FLAG_COHERENT`; without it rays count as incoherent.
pub(crate) const QUERY_COHERENT: c_uint = 1 << 16;
/// Embree's mask of all features: `RTC_FEATURE_FLAG_ALL`.
const ALL_FEATURES: c_uint = u32::MAX;

/// Returns the name of an `RTCError` value of Embree.
pub(crate) fn error_name(code: c_int) -> String {
    let known =
        ["none", "unknown", "invalid argument", "invalid operation", "out of memory", "unsupported CPU", "cancelled"];
    usize::try_from(code)
        .ok()
        .and_then(|code| known.get(code))
        .map_or(format!("error {code}"), |name| (*name).to_string())
}

/// Arguments of an Embree query: `RTCIntersectArguments` and `RTCOccludedArguments`, which have the same layout.
#[repr(C)]
pub(crate) struct Arguments {
    flags: c_uint,
    feature_mask: c_uint,
    context: *mut c_void,
    filter: *mut c_void,
    callback: *mut c_void,
    /// Field that only builds of Embree with a least width of curves read.
    min_width_distance_factor: f32,
}

impl Arguments {
    /// Makes arguments without filters and callbacks, for coherent or incoherent rays.
    pub fn new(coherent: bool) -> Self {
        Self {
            flags: if coherent { QUERY_COHERENT } else { 0 },
            feature_mask: ALL_FEATURES,
            context: std::ptr::null_mut(),
            filter: std::ptr::null_mut(),
            callback: std::ptr::null_mut(),
            min_width_distance_factor: 0.0,
        }
    }
}

/// Embree functions that trace one ray, `rtcIntersect1` and `rtcOccluded1`; they take scene, ray (and hit) and
/// arguments.
pub(crate) type TraceOne = unsafe extern "C" fn(Handle, *mut c_void, *mut Arguments);
/// Embree functions that trace a packet of rays, such as `rtcIntersect8`; they take an `int` for each lane (-1 is
/// active), scene, rays (and hits), arguments.
pub(crate) type TracePacket = unsafe extern "C" fn(*const c_int, Handle, *mut c_void, *mut Arguments);

/// Function pointers of a loaded Embree library.
pub(crate) struct Api {
    pub new_device: unsafe extern "C" fn(*const c_char) -> Handle,
    pub release_device: unsafe extern "C" fn(Handle),
    pub device_error: unsafe extern "C" fn(Handle) -> c_int,
    /// Function for the text of the last error, which Embree has from 4.3 on.
    pub last_message: Option<unsafe extern "C" fn(Handle) -> *const c_char>,
    pub device_property: unsafe extern "C" fn(Handle, c_int) -> isize,
    pub new_scene: unsafe extern "C" fn(Handle) -> Handle,
    pub release_scene: unsafe extern "C" fn(Handle),
    pub set_scene_flags: unsafe extern "C" fn(Handle, c_int),
    pub set_scene_quality: unsafe extern "C" fn(Handle, c_int),
    pub commit_scene: unsafe extern "C" fn(Handle),
    pub new_geometry: unsafe extern "C" fn(Handle, c_int) -> Handle,
    pub release_geometry: unsafe extern "C" fn(Handle),
    pub new_buffer: unsafe extern "C" fn(Handle, c_int, c_uint, c_int, usize, usize) -> *mut c_void,
    pub commit_geometry: unsafe extern "C" fn(Handle),
    pub attach_geometry: unsafe extern "C" fn(Handle, Handle) -> c_uint,
    pub intersect1: TraceOne,
    pub intersect8: TracePacket,
    pub intersect16: TracePacket,
    pub occluded1: TraceOne,
    pub occluded8: TracePacket,
    pub occluded16: TracePacket,
}
