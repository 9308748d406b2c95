//! Per-sample code calls no function that a platform's math library rounds as it likes: equal input
//! gives equal bits on every machine, and kernels can repeat the code word for word.

use std::path::{Path, PathBuf};

/// Methods of `f32` and `f64` whose last bits depend on the platform, and `mul_add`, which other
/// machines replace by two roundings.
const INEXACT: [&str; 30] = [
    "exp",
    "exp2",
    "exp_m1",
    "ln",
    "ln_1p",
    "log",
    "log2",
    "log10",
    "powf",
    "powi",
    "sin",
    "cos",
    "sin_cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "cbrt",
    "hypot",
    "gamma",
    "ln_gamma",
    "mul_add",
    "algebraic_add",
];

/// Methods of glam that call them.
const INEXACT_VECTORS: [&str; 12] = [
    "from_rotation_x",
    "from_rotation_y",
    "from_rotation_z",
    "from_axis_angle",
    "from_scaled_axis",
    "from_euler",
    "from_angle",
    "angle_between",
    "angle_to",
    "slerp",
    "rotate_towards",
    "to_angle",
];

/// Folders and files of this crate that are no per-sample code: pictures as they are written and compared, and what computes
/// the tables of models before the program is built.
const NOT_PER_SAMPLE: [&str; 4] = ["output", "compare", "compare.rs", "tabulate"];

/// The Rust files under `folder` but `except`, without files of tests alone.
fn sources(folder: &Path, except: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if except.contains(&name) || ["tests", "tests.rs"].contains(&name) {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path, except));
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
    found
}

/// `source` with its comments and its items under `#[cfg(test)]` blank, lines kept. Such an item ends
/// with its first `;` or `}` at its own depth. Strings are taken for code, which so far hurts nothing.
fn without_tests(source: &str) -> String {
    let (mut text, mut skipped) = (String::new(), None);
    for line in source.lines() {
        let code = line.split("//").next().unwrap();
        if skipped.is_none() && code.trim_start().starts_with("#[cfg(test)]") {
            skipped = Some(0);
        }
        let Some(depth) = &mut skipped else {
            text.push_str(code);
            text.push('\n');
            continue;
        };
        text.push('\n');
        let mut ends = false;
        for c in code.chars() {
            *depth += i32::from("{([".contains(c)) - i32::from("})]".contains(c));
            ends |= *depth == 0 && ";}".contains(c);
        }
        if ends {
            skipped = None;
        }
    }
    text
}

/// Line and name of each call of `source` outside of tests.
fn calls(source: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (i, line) in without_tests(source).lines().enumerate() {
        for (at, _) in line.match_indices(['.', ':']) {
            let word = |text: &str| text.chars().take_while(|&c| c.is_alphanumeric() || c == '_').count();
            let (name, after) = line[at + 1..].split_at(word(&line[at + 1..]));
            let path = line[..=at].ends_with("f32::") || line[..=at].ends_with("f64::");
            let method = line[..=at].ends_with('.') && after.starts_with('(');
            let vector = INEXACT_VECTORS.iter().find(|&&n| n == name && after.starts_with('('));
            let number = INEXACT.iter().find(|&&n| n == name && (path || method));
            found.extend(vector.or(number).map(|&name| (i + 1, name)));
        }
    }
    found
}

#[test]
fn per_sample_code_calls_no_function_of_the_math_library() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let render = sources(&root.join("src"), &NOT_PER_SAMPLE);
    // Its statistics serve tests.
    let sample = sources(&root.join("../sample/src"), &["statistics.rs"]);
    assert!(render.len() > 25 && sample.len() > 10, "{} and {} files", render.len(), sample.len());
    let mut found = Vec::new();
    for path in render.iter().chain(&sample) {
        let source = std::fs::read_to_string(path).unwrap();
        found.extend(calls(&source).iter().map(|(line, name)| format!("{}:{line}: {name}", path.display())));
    }
    assert!(found.is_empty(), "use raywarp_sample::elementary instead:\n{}", found.join("\n"));
}

#[test]
fn planted_calls_are_found_outside_of_tests_only() {
    let source = "\
fn f(x: f32) -> f32 { x.exp() + elementary::exp(x) }
// x.sin()
#[cfg(test)]
fn helper(x: f32) -> f32 {
    x.cos()
}
#[cfg(test)]
use a::{b, c};
fn g(x: f32, v: [f32; 3]) -> [f32; 3] { x.exp_of_this(x.tan_of()); v.map(f32::ln) }
fn h(x: f32) -> f32 { a(x)
    .powi(2).mul_add(x, x.exponent) }
fn i(x: f32) -> Quat { Quat::from_rotation_y(x) }
#[cfg(test)]
mod tests {
    fn t() { 1f32.tan(); { 2f32.tan() } }
}
fn j(x: f64) -> f64 { f64::atan2(x, x) }
";
    let want = [(1, "exp"), (9, "ln"), (11, "powi"), (11, "mul_add"), (12, "from_rotation_y"), (17, "atan2")];
    assert_eq!(calls(source), want);
}
