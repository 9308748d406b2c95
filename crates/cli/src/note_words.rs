//! Words for people about a picture: its notes, with the command's flags.

use raywarp::render::{PictureNote, PictureSetting};

/// Returns a note as a sentence that names flags.
pub fn of(note: &PictureNote) -> String {
    note.worded(&flag)
}

/// Returns the flag of a setting.
fn flag(setting: PictureSetting) -> &'static str {
    match setting {
        PictureSetting::Camera => "--camera",
        PictureSetting::Eye => "--eye",
        PictureSetting::Target => "--target",
        PictureSetting::Up => "--up",
        PictureSetting::Vfov => "--vfov",
        PictureSetting::View => "--view",
        PictureSetting::Light => "--light",
        PictureSetting::LightRotate => "--light-rotate",
        PictureSetting::LightStrength => "--light-strength",
        PictureSetting::Crop => "--crop",
        PictureSetting::Shown => "--integrator",
        PictureSetting::Exposure => "--exposure",
        PictureSetting::Tone => "--tone",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_setting_is_a_flag_of_render() {
        let command = crate::Cli::command();
        let render = command.find_subcommand("render").unwrap();
        let known: Vec<String> =
            render.get_arguments().filter_map(|a| a.get_long()).map(|f| format!("--{f}")).collect();
        for setting in PictureSetting::ALL {
            assert!(known.iter().any(|known| known == flag(setting)), "{setting:?}: {}", flag(setting));
        }
    }
}
