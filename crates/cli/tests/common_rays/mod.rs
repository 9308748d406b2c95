//! Files of rays as NumPy writes them.

/// Rays `ox oy oz t_min dx dy dz t_max` as float32: a header of 128 bytes, and 32 bytes a ray.
pub fn npy(rays: &[[f32; 8]]) -> Vec<u8> {
    let values = rays.as_flattened().iter().flat_map(|value| value.to_le_bytes());
    array("<f4", [rays.len(), 8], values)
}

/// Rays `ox oy oz dx dy dz` as float64.
pub fn npy_f64(rays: &[[f64; 6]]) -> Vec<u8> {
    let values = rays.as_flattened().iter().flat_map(|value| value.to_le_bytes());
    array("<f8", [rays.len(), 6], values)
}

/// An array of the type `descr`, in version 1.0 of the format.
pub fn array(descr: &str, [rows, columns]: [usize; 2], values: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(format!("{header:<117}\n").bytes());
    file.extend(values);
    file
}
