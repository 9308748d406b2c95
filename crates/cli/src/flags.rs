//! Flags of the command in the messages and reports of the library, which name its own options: `LoadOptions::format`
//! and the like, between backticks.

use raywarp_lab::report::Document;

/// Names of options in the library's messages, with the command-line flags that set them. Notes on pictures
/// ([`crate::note_words`]) and errors of some kinds ([`crate::exit`]) need none: their values say what they name.
const FLAGS: [(&str, &str); 19] = [
    ("`BoundsRequest::machines`", "--machine"),
    ("`CameraRequest::eye`", "--eye"),
    ("`CameraRequest::target`", "--target"),
    ("`CostChange`", "--set"),
    ("`Document::json`", "--json"),
    ("`EfficiencyRequest::widths`", "--width"),
    ("`ExperimentRequest::experiment`", "--experiment"),
    ("`GltfOptions::animation`", "--animation"),
    ("`GltfOptions::at`", "--at"),
    ("`GltfOptions::scene`", "--gltf-scene"),
    ("`LoadOptions::allow_missing`", "--allow-missing"),
    ("`LoadOptions::format`", "--format"),
    ("`LoadOptions::light_units`", "--light-units"),
    ("`Machine::set`", "--set"),
    ("`PictureRequest::seed`", "--seed"),
    ("`Room::Any`", "--wide"),
    ("`Variant::from_str`", "--variant"),
    ("`make_clay`", "--clay"),
    ("`record::files`", "raywarp bench --record"),
];

/// Replaces the library's option names in a message by the command's flags.
pub fn named(message: &str) -> String {
    let replace = |text: String, (option, flag): &(&str, &str)| text.replace(option, flag);
    if message.contains('`') { FLAGS.iter().fold(message.to_string(), replace) } else { message.to_string() }
}

/// Replaces the library's option names in a report by the command's flags.
pub fn in_report(document: &Document) -> Document {
    document.reworded(&named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp::render::PictureSetting;
    use std::path::{Path, PathBuf};

    /// Options in errors whose flags go by the error's variant.
    const BY_VARIANT: [&str; 2] = ["`FileContents::share`", "`SceneLookup::folder`"];

    /// Crates of the product and of the lab that compose messages.
    const CRATES: [&str; 13] = [
        "raywarp", "scene", "render", "system", "lab", "study", "report", "bench", "sim", "family", "traverse",
        "workload", "papers",
    ];

    /// Returns the sources of a crate.
    fn sources(of: &str) -> Vec<PathBuf> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders = vec![crates.join(of).join("src")];
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

    /// Words of lines whose flags are another program's: of cargo, the driver's tools, style sheets.
    const OF_OTHERS: [&str; 5] = ["cargo ", "nvidia-smi", "csv,noheader", "var(--", "--ink"];

    /// Returns `true` if a line names a flag of the command: in a string, or in a comment.
    fn names_a_flag(line: &str) -> bool {
        let is_comment = line.trim_start().starts_with("//");
        let flag = line.match_indices("--").find(|(at, _)| {
            let before = &line[..*at];
            (is_comment || before.contains('"'))
                && !before.ends_with(|c: char| c == '-' || c.is_alphanumeric())
                && line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
        });
        flag.is_some() && !OF_OTHERS.iter().any(|other| line.contains(other))
    }

    /// Returns the library's options that a line of code names: what stands between backticks, in a string.
    fn options(line: &str) -> Vec<&str> {
        let is_path =
            |part: &&str| part.contains("::") && part.chars().all(|c| c.is_alphanumeric() || c == ':' || c == '_');
        line.split('`').skip(1).step_by(2).filter(is_path).collect()
    }

    #[test]
    fn the_library_names_options_of_its_own_each_of_which_has_a_flag() {
        let settings = PictureSetting::ALL.map(PictureSetting::name);
        let known = || FLAGS.iter().map(|(known, _)| *known).chain(BY_VARIANT).chain(settings);
        let mut used = vec![false; FLAGS.len()];
        let mut faults = Vec::new();
        for path in CRATES.into_iter().flat_map(sources) {
            let text = std::fs::read_to_string(&path).unwrap();
            for (number, line) in text.lines().enumerate() {
                let place = format!("{}:{}: {line}", path.display(), number + 1);
                if names_a_flag(line) {
                    faults.push(format!("a flag of the command: {place}"));
                }
                if line.trim_start().starts_with("//") || line.contains("/**") {
                    continue;
                }
                for (option, used) in FLAGS.iter().zip(&mut used) {
                    *used |= line.contains(option.0);
                }
                let unknown = |option: &&str| !known().any(|known| known.trim_matches('`') == *option);
                faults
                    .extend(options(line).iter().filter(|option| unknown(option)).map(|_| format!("no flag: {place}")));
            }
        }
        let unused = FLAGS.iter().zip(used).filter(|(_, used)| !used);
        faults.extend(unused.map(|(flag, _)| format!("no message names {}", flag.0)));
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn planted_flags_are_found_in_messages_and_comments() {
        for planted in [
            r#"    #[error("line {line}: {what}; see --record")]"#,
            "//! Bounds of a rate: `raywarp simulate --machine`.",
            r#"        options: format!("--width {width}"),"#,
        ] {
            assert!(names_a_flag(planted), "{planted}");
        }
        for other in [
            "    /// Made by cargo xtask tables --check.",
            r#"    ("nvidia-smi").args([&format!("--query-gpu={query}")])"#,
            "    let less = count --width;",
            "// a rule ---below",
        ] {
            assert!(!names_a_flag(other), "{other}");
        }
        assert_eq!(options("\"see `Room::Any` and `odd` or `make_clay`\""), ["Room::Any"]);
    }

    #[test]
    fn options_become_flags_and_the_rest_stays() {
        let message = "`CameraRequest::eye` X,Y,Z looks from elsewhere, `odd` too";
        assert_eq!(named(message), "--eye X,Y,Z looks from elsewhere, `odd` too");
        assert_eq!(named("made of `make_clay`"), "made of --clay");
    }
}
