//! Flags of the command in the messages of the library, which name its own options: `LoadOptions::format` and the like,
//! between backticks.

/// Names of options in the library's messages, with the command-line flags that set them.
const FLAGS: [(&str, &str); 23] = [
    ("`CameraRequest::eye`", "--eye"),
    ("`CameraRequest::named`", "--camera"),
    ("`CameraRequest::target`", "--target"),
    ("`CameraRequest::up`", "--up"),
    ("`CameraRequest::vfov`", "--vfov"),
    ("`CameraRequest::view`", "--view"),
    ("`FileContents::share`", "'raywarp render --samples A..B -o FILE.exr'"),
    ("`FileContents::tone`", "--tone"),
    ("`GltfOptions::animation`", "--animation"),
    ("`GltfOptions::at`", "--at"),
    ("`GltfOptions::scene`", "--gltf-scene"),
    ("`LightRequest::rotate`", "--light-rotate"),
    ("`LightRequest::source`", "--light"),
    ("`LightRequest::strength`", "--light-strength"),
    ("`LoadOptions::allow_missing`", "--allow-missing"),
    ("`LoadOptions::format`", "--format"),
    ("`LoadOptions::light_units`", "--light-units"),
    ("`PictureRequest::crop`", "--crop"),
    ("`PictureRequest::exposure`", "--exposure"),
    ("`PictureRequest::seed`", "--seed"),
    ("`PictureRequest::shown`", "--integrator"),
    ("`SceneLookup::folder`", "--scenes DIR or RAYWARP_SCENES"),
    ("`keep_existing_files`", "--no-clobber"),
];

/// Replaces the library's option names in a message by the command's flags.
pub fn named(message: &str) -> String {
    let replace = |text: String, (option, flag): &(&str, &str)| text.replace(option, flag);
    if message.contains('`') { FLAGS.iter().fold(message.to_string(), replace) } else { message.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    /// Returns the sources of those product crates that compose messages.
    fn sources() -> Vec<PathBuf> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders: Vec<PathBuf> =
            ["raywarp", "scene", "render", "system"].map(|name| crates.join(name).join("src")).to_vec();
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    files.push(path);
                }
            }
        }
        files
    }

    /// Returns the lines of code in a source, without comments.
    fn code(path: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        let is_code = |line: &&str| !line.trim_start().starts_with("//") && !line.contains("/**");
        text.lines().filter(is_code).map(str::to_string).collect()
    }

    #[test]
    fn the_library_names_options_of_its_own_each_of_which_has_a_flag() {
        let mut used = vec![false; FLAGS.len()];
        for path in sources() {
            for line in code(&path) {
                for (option, used) in FLAGS.iter().zip(&mut used) {
                    *used |= line.contains(option.0);
                }
                let is_option = |part: &str| {
                    part.contains("::") && part.chars().all(|c| c.is_alphanumeric() || c == ':' || c == '_')
                };
                // What stands between backticks, in a string.
                let options = line.split('`').skip(1).step_by(2).filter(|part| is_option(part));
                for option in options {
                    let known = FLAGS.iter().any(|(known, _)| known.trim_matches('`') == option);
                    assert!(known, "{}: {option} has no flag: {line}", path.display());
                }
                let flag = line.match_indices("--").find(|(at, _)| {
                    line[..*at].contains('"') && line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
                });
                let is_of_tools = line.contains("cargo test");
                assert!(flag.is_none() || is_of_tools, "{}: a flag of the command: {line}", path.display());
            }
        }
        let unused: Vec<&str> = FLAGS.iter().zip(used).filter(|(_, used)| !used).map(|(flag, _)| flag.0).collect();
        assert!(unused.is_empty(), "no message names {unused:?}");
    }

    #[test]
    fn options_become_flags_and_the_rest_stays() {
        let message = "`CameraRequest::eye` X,Y,Z looks from elsewhere, `odd` too";
        assert_eq!(named(message), "--eye X,Y,Z looks from elsewhere, `odd` too");
        assert_eq!(named("leave out `keep_existing_files`"), "leave out --no-clobber");
    }
}
