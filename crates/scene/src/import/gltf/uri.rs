//! Targets of URIs: bytes inside one, or a file.

use crate::GltfFault;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::borrow::Cow;

/// Base64 decoder that accepts missing padding, since some writers leave it away.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Resolved target of a URI.
#[derive(Debug, PartialEq, Eq)]
pub enum UriTarget {
    /// Bytes that a `data:` URI contains.
    Bytes(Vec<u8>),
    /// Path of a file, relative to the document's folder.
    File(String),
}

/// Resolves a URI of a document to bytes or a file path. A relative one starts in the document's folder; `..` and
/// absolute paths are ordinary paths.
///
/// # Errors
/// A broken `data:` URI, or one that lies on a network.
pub fn resolve(uri: &str) -> Result<UriTarget, GltfFault> {
    let scheme = uri.split(':').next().filter(|s| s.len() < uri.len()).map(str::to_ascii_lowercase);
    if scheme.as_deref() == Some("data") {
        let (header, payload) = uri[5..].split_once(',').ok_or(GltfFault::DataUriWithoutComma)?;
        if !header.to_ascii_lowercase().ends_with(";base64") {
            return Ok(UriTarget::Bytes(percent_decode(payload)));
        }
        return BASE64
            .decode(plain_base64(payload))
            .map(UriTarget::Bytes)
            .map_err(|error| GltfFault::NotBase64 { error: error.to_string() });
    }
    let rest = match (uri.split_once("://"), scheme.as_deref()) {
        (Some((_, rest)), Some("file")) => rest,
        (Some(_), Some(scheme)) => {
            return Err(GltfFault::NetworkUri { scheme: scheme.into() });
        }
        _ => uri,
    };
    let decoded = percent_decode(rest);
    let decoded = String::from_utf8(decoded).map_err(|_| GltfFault::UriNotUtf8)?;
    if decoded.is_empty() || decoded.contains('\0') {
        return Err(GltfFault::UriWithoutFile);
    }
    Ok(UriTarget::File(decoded))
}

/// Normalises base64 text: removes line breaks, and undoes percent escapes and the base64url alphabet.
fn plain_base64(payload: &str) -> Cow<'_, [u8]> {
    let is_odd = |byte: &u8| matches!(byte, b'-' | b'_' | b'%') || byte.is_ascii_whitespace();
    if !payload.as_bytes().iter().any(is_odd) {
        return Cow::Borrowed(payload.as_bytes());
    }
    let letter = |byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => byte,
    };
    percent_decode(payload).into_iter().filter(|byte| !byte.is_ascii_whitespace()).map(letter).collect()
}

/// Decodes each `%XX`; a stray `%` is kept, as some writers do not escape file names.
fn percent_decode(text: &str) -> Vec<u8> {
    let hex = |b: Option<&u8>| b.and_then(|&b| (b as char).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        match (bytes[i], hex(bytes.get(i + 1)), hex(bytes.get(i + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                i += 3;
            }
            (byte, ..) => {
                out.push(byte);
                i += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    fn file(uri: &str) -> PathBuf {
        match resolve(uri) {
            Ok(UriTarget::File(path)) => Path::new("dir").join(path),
            other => panic!("{uri}: {other:?}"),
        }
    }

    #[test]
    fn a_relative_uri_starts_in_the_folder_of_the_document_and_is_percent_decoded() {
        assert_eq!(file("my%20tex%C3%A4.png"), Path::new("dir/my texä.png"));
        assert_eq!(file("../../up.bin"), Path::new("dir/../../up.bin"));
        assert_eq!(file("/abs/x.bin"), Path::new("/abs/x.bin"));
        assert_eq!(file("file:///abs/x.bin"), Path::new("/abs/x.bin"));
        assert_eq!(file("100%.png"), Path::new("dir/100%.png"));
        assert_eq!(file("a:b.png"), Path::new("dir/a:b.png"));
    }

    #[test]
    fn data_uris_give_their_bytes_padded_or_not() {
        let bytes = |uri: &str| resolve(uri);
        assert_eq!(bytes("data:application/octet-stream;base64,AAEC/w=="), Ok(UriTarget::Bytes(vec![0, 1, 2, 255])));
        assert_eq!(bytes("DATA:;base64,AAEC/w"), Ok(UriTarget::Bytes(vec![0, 1, 2, 255])));
        for payload in ["-__-", "+//+", "-/\r\n\t _+", "%2B/%2F-"] {
            let bytes = bytes(&format!("data:;base64,{payload}"));
            assert_eq!(bytes, Ok(UriTarget::Bytes(vec![0xfb, 0xff, 0xfe])), "{payload}");
        }
        assert_eq!(bytes("data:,a%20b"), Ok(UriTarget::Bytes(b"a b".to_vec())));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let fault = |uri| resolve(uri).unwrap_err();
        assert!(matches!(fault("data:;base64,!!"), GltfFault::NotBase64 { .. }));
        assert_eq!(fault("data:;base64"), GltfFault::DataUriWithoutComma);
        assert_eq!(fault("https://example.org/a.bin"), GltfFault::NetworkUri { scheme: "https".into() });
        assert_eq!(fault("%FF"), GltfFault::UriNotUtf8);
        assert_eq!(fault(""), GltfFault::UriWithoutFile);
    }
}
