//! A scene that every test can write.

use raywarp_testing::Random;
use std::fmt::Write;

/// 600 triangles scattered about the origin as an OBJ file, few of them large, which a Morton curve does not see.
pub fn scattered() -> String {
    let mut random = Random::new(1);
    let mut unit = || random.unit_f64();
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
