//! Scenes of an exhibit that `--only` names: by themselves, or by a label of the table, which may have a comma.

use crate::exit::CliError;
use raywarp_lab::paper::{Exhibit, Record, scenes_alone, scenes_together, stored};

/// What `--only` names.
#[derive(Debug, Clone, PartialEq)]
pub struct OnlyScenes {
    /// Scenes to make: all of the exhibit if none is named.
    pub scenes: Vec<&'static str>,
    /// Names as they were given, each of a scene with all its forms or of one of these; empty if none is named.
    names: Vec<String>,
}

impl OnlyScenes {
    /// Reads the values of the option, which were split at commas; a name that the exhibit does not have is refused.
    pub fn of(exhibit: &Exhibit, values: &[String]) -> Result<Self, CliError> {
        let known = scenes_alone(exhibit);
        let labels: Vec<String> = stored(exhibit).into_iter().map(|record| record.scene).collect();
        let mut names = Vec::new();
        let mut rest = values;
        while let [first, behind @ ..] = rest {
            // A comma may be the label's own: "dragon, clay".
            let label = behind.first().map(|next| format!("{}, {}", first.trim(), next.trim()));
            match label.filter(|label| labels.contains(label)) {
                Some(label) => {
                    names.push(label);
                    rest = &behind[1..];
                }
                None => {
                    names.push(first.trim().to_string());
                    rest = behind;
                }
            }
        }
        let scene = |name: &String| name.split(", ").next().unwrap_or_default().to_string();
        match names.iter().find(|name| !known.contains(&scene(name).as_str())) {
            Some(_) if known.is_empty() => Err(CliError::usage(format!(
                "--only: numbers of {} are of several scenes together ({}); leave it out",
                exhibit.name,
                scenes_together(exhibit).join(", ")
            ))),
            Some(other) => Err(CliError::usage(format!(
                "--only: \"{other}\" is not in {}; it has {}",
                exhibit.name,
                known.join(", ")
            ))),
            None => {
                let is_named = |own: &&str| names.is_empty() || names.iter().any(|name| scene(name) == **own);
                let scenes = known.into_iter().filter(is_named).collect();
                Ok(Self { scenes, names })
            }
        }
    }

    /// Returns `true` if a number is of what is named; those of scenes that the paper alone has are of all.
    pub fn has(&self, record: &Record) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| record.is_of_scene(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_lab::paper::{Paper, find};

    #[test]
    fn a_label_with_a_comma_is_one_form_of_its_scene() {
        let table1 = find(Paper::W11, "table1").unwrap();
        let of = |text: &str| {
            let values: Vec<String> = text.split(',').map(ToString::to_string).collect();
            OnlyScenes::of(table1, &values)
        };
        let scenes = |only: &OnlyScenes| {
            let mut scenes: Vec<String> = Vec::new();
            for record in stored(table1).into_iter().filter(|record| only.has(record) && !record.is_theirs_alone()) {
                if !scenes.contains(&record.scene) {
                    scenes.push(record.scene);
                }
            }
            scenes
        };
        let clay = of("bmw_m6, clay").unwrap();
        assert_eq!((&clay.scenes[..], &scenes(&clay)[..]), (&["bmw_m6"][..], &["bmw_m6, clay".to_string()][..]));
        let all = of("bmw_m6").unwrap();
        assert!(all.scenes == ["bmw_m6"] && scenes(&all).len() == 3, "{:?}", scenes(&all));
        let two = of("dragon, clay,coffee").unwrap();
        assert!(two.scenes == ["dragon", "coffee"] && scenes(&two).len() == 2, "{:?}", scenes(&two));
        for wrong in ["dragon, glass", "clay", "kitchen"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
