//! File formats of pictures, and the choice of one by a file's name.

use super::OutputError;
use raywarp_system::files::{FileError, can_write_file};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Format of a picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG: tone-mapped sRGB of eight bits per channel.
    Png,
    /// OpenEXR: linear `f32`, with layers.
    Exr,
    /// Radiance HDR: linear, eight bits per channel with a common exponent.
    Hdr,
}

impl PictureFormat {
    /// Returns the format for the extension of `path`, in upper or lower case.
    ///
    /// # Errors
    /// [`OutputError::UnknownFormat`], naming the known ones.
    pub fn of(path: &Path) -> Result<Self, OutputError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("png") => Ok(Self::Png),
            Some("exr") => Ok(Self::Exr),
            Some("hdr") => Ok(Self::Hdr),
            Some(other) => Err(OutputError::UnknownFormat {
                path: path.into(),
                found: format!("'.{other}' is no format that is written here"),
            }),
            None => Err(OutputError::UnknownFormat {
                path: path.into(),
                found: "the name has no extension to choose the format by".into(),
            }),
        }
    }

    /// Returns the bytes with which every file of this format begins.
    fn magic(self) -> &'static [u8] {
        match self {
            Self::Png => b"\x89PNG\r\n\x1a\n",
            Self::Exr => b"\x76\x2f\x31\x01",
            Self::Hdr => b"#?",
        }
    }

    /// Returns the format's name in words, with its article.
    fn described(self) -> &'static str {
        match self {
            Self::Png => "a PNG picture",
            Self::Exr => "an OpenEXR picture",
            Self::Hdr => "a Radiance picture",
        }
    }
}

/// Checks that a picture can be written to `path`: a known extension, and no file yet, an empty one, or a picture of
/// that format. For before a long render, so that it does not fail at its end and destroys nothing; leaves nothing
/// behind.
///
/// # Errors
/// [`OutputError`], the one that writing would give; [`OutputError::NotAPicture`], which writing does not look for.
pub fn can_write(path: &Path) -> Result<PictureFormat, OutputError> {
    let format = PictureFormat::of(path)?;
    can_write_file(path)?;
    // Opening a pipe would wait for somebody at its other end.
    if path.is_file() {
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut head));
        read.map_err(|error| FileError::from_io(path, error))?;
        if !head.is_empty() && !head.starts_with(format.magic()) {
            return Err(OutputError::NotAPicture { path: path.into(), kind: format.described() });
        }
    }
    Ok(format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_testing::Folder;

    #[test]
    fn the_extension_chooses_and_an_unknown_one_names_the_known() {
        for (name, format) in
            [("a.png", PictureFormat::Png), ("b/c.EXR", PictureFormat::Exr), ("x.y.Hdr", PictureFormat::Hdr)]
        {
            assert_eq!(PictureFormat::of(Path::new(name)).unwrap(), format);
        }
        for name in ["a.jpg", "a", "", "png", ".png", "a.png.", "dir.png/a"] {
            let error = PictureFormat::of(Path::new(name)).unwrap_err();
            assert!(matches!(&error, OutputError::UnknownFormat { path, .. } if path == Path::new(name)), "{error:?}");
        }
    }

    #[test]
    fn a_check_leaves_no_trace() {
        let folder = Folder::new();
        assert_eq!(can_write(&folder.at("a.exr")).unwrap(), PictureFormat::Exr);
        assert!(matches!(can_write(&folder.at("a.bmp")), Err(OutputError::UnknownFormat { .. })));
        assert!(matches!(can_write(&folder.at("no/a.png")), Err(OutputError::File(FileError::MissingFolder { .. }))));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_is_not_such_a_picture_is_refused_by_its_content() {
        let folder = Folder::new();
        let at = |name: &str| folder.at(name);
        let options = crate::output::PictureOptions::default();
        for name in ["a.png", "a.exr", "a.hdr"] {
            crate::output::write_pixels(&at(name), [1, 1], &[[1.0; 3]], &options).unwrap();
            assert!(can_write(&at(name)).is_ok(), "{name} is one of ours");
            std::fs::write(at(name), "").unwrap();
            assert!(can_write(&at(name)).is_ok(), "{name} is empty");
            for text in ["thesis", "#", "\u{89}PNG"] {
                std::fs::write(at(name), text).unwrap();
                let error = can_write(&at(name)).unwrap_err();
                assert!(matches!(&error, OutputError::NotAPicture { path, .. } if *path == at(name)), "{error:?}");
            }
        }
    }
}
