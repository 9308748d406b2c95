//! A scene that every test can write.

use std::fmt::Write;

/// 600 triangles scattered about the origin as an OBJ file, few of them large, which a Morton curve does not see.
pub fn scattered() -> String {
    let mut seed = 1u32;
    let mut unit = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1u32 << 24)
    };
    let mut text = String::new();
    for i in 0..600 {
        let [x, y, z] = [unit(), unit(), unit()].map(|u| 4.0 * u - 2.0);
        let size = 0.1 + 4.0 * unit().powi(8);
        for _ in 0..3 {
            writeln!(text, "v {:.4} {:.4} {:.4}", x + size * unit(), y + size * unit(), z + size * unit()).unwrap();
        }
        writeln!(text, "f {} {} {}", 3 * i + 1, 3 * i + 2, 3 * i + 3).unwrap();
    }
    text
}
