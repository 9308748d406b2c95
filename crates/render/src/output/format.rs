//! The file formats and how a name chooses one.

use super::{OutputError, atomic};
use std::path::Path;

/// A picture file's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Eight bits of sRGB a channel, tone-mapped.
    Png,
    /// OpenEXR: linear `f32`, layers.
    Exr,
    /// Radiance: linear, eight bits a channel with a common exponent.
    Hdr,
}

impl Format {
    /// The format that the extension of `path` names, in either case.
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
}

/// Whether a picture can be written to `path`: a known extension and a place that takes a file. For before a long
/// render, so that it does not fail at its end; leaves nothing behind.
///
/// # Errors
/// [`OutputError`], the one that writing would give.
pub fn can_write(path: &Path) -> Result<Format, OutputError> {
    let format = Format::of(path)?;
    atomic::can_write_file(path)?;
    Ok(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_chooses_and_an_unknown_one_names_the_known() {
        for (name, format) in [("a.png", Format::Png), ("b/c.EXR", Format::Exr), ("x.y.Hdr", Format::Hdr)] {
            assert_eq!(Format::of(Path::new(name)).unwrap(), format);
        }
        for name in ["a.jpg", "a", "", "png", ".png", "a.png.", "dir.png/a"] {
            let message = Format::of(Path::new(name)).unwrap_err().to_string();
            assert!(message.contains(".png, .exr or .hdr") && message.contains(name), "{message}");
        }
    }

    #[test]
    fn a_check_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(can_write(&folder.path().join("a.exr")).unwrap(), Format::Exr);
        assert!(matches!(can_write(&folder.path().join("a.bmp")), Err(OutputError::UnknownFormat { .. })));
        assert!(matches!(can_write(&folder.path().join("no/a.png")), Err(OutputError::MissingFolder { .. })));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
