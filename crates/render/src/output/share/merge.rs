//! Addition of shares of one render.

use super::{SettingDifference, Share, ShareError, ShareInfo, differences};
use crate::film::Film;
use crate::output::Content;
use std::ops::Range;

/// Result of merging shares.
#[derive(Debug, Clone)]
pub struct Merged {
    /// Sums of all merged shares.
    pub film: Film,
    /// Seed of the sampler.
    pub seed: u64,
    /// Fingerprint of the render, as in [`ShareInfo::fingerprint`].
    pub fingerprint: String,
    /// Meaning of the picture, as in [`ShareInfo::content`].
    pub content: Content,
    /// Sample ranges of the merged shares in order, adjacent ones joined: a single range unless a share is missing in
    /// between.
    pub samples: Vec<Range<u32>>,
}

impl Merged {
    /// Returns the facts that make the result a share itself, to be merged with more; `None` if its samples have a gap.
    pub fn info(&self) -> Option<ShareInfo> {
        let [samples] = self.samples.as_slice() else { return None };
        let (samples, fingerprint) = (samples.clone(), self.fingerprint.clone());
        Some(ShareInfo { samples, seed: self.seed, fingerprint, content: self.content })
    }

    /// Returns the ranges of samples before the last one that no share has.
    pub fn missing(&self) -> Vec<Range<u32>> {
        let starts = std::iter::once(0).chain(self.samples.iter().map(|r| r.end));
        starts.zip(&self.samples).map(|(start, next)| start..next.start).filter(|gap| !gap.is_empty()).collect()
    }
}

/// Merges shares of one render in the order of their samples, whatever the order given, so that the same shares give
/// the same bits. Each pixel's mean is within one unit in the last place of the whole render's.
///
/// A gap between ranges is no error: see [`Merged::missing`].
///
/// # Errors
/// [`ShareError`] if there are none, if sizes, features, fingerprints or seeds differ, or if two hold the same sample.
pub fn merge(mut shares: Vec<Share>) -> Result<Merged, ShareError> {
    let Some(first) = shares.first() else { return Err(ShareError::NoShares) };
    for other in &shares[1..] {
        let size = |s: &Share| s.film.window().to_string();
        let features = |s: &Share| if s.film.has_features() { "albedo,normal,depth" } else { "none" }.to_owned();
        let facts = |s: &Share| [size(s), s.info.seed.to_string(), features(s)];
        let names = ["sizes", "seeds", "layers"];
        let mut found: Vec<SettingDifference> = Vec::new();
        for ((name, a), b) in names.into_iter().zip(facts(first)).zip(facts(other)) {
            if a != b {
                found.push(SettingDifference::new(name, a, b));
            }
        }
        // The fingerprint may know some of these as well.
        for difference in differences(&first.info.fingerprint, &other.info.fingerprint) {
            if !found.contains(&difference) {
                found.push(difference);
            }
        }
        if !found.is_empty() {
            let paths = Box::new([first.path.clone(), other.path.clone()]);
            return Err(ShareError::Different { paths, differences: found });
        }
    }
    shares.sort_by_key(|s| (s.info.samples.start, s.info.samples.end));
    for pair in shares.windows(2) {
        let (a, b) = (&pair[0].info.samples, &pair[1].info.samples);
        if a.end > b.start {
            let paths = Box::new([pair[0].path.clone(), pair[1].path.clone()]);
            return Err(ShareError::Overlap { paths, samples: b.start..a.end.min(b.end) });
        }
    }
    let mut shares = shares.into_iter();
    let Some(Share { info, mut film, .. }) = shares.next() else { return Err(ShareError::NoShares) };
    let mut samples = vec![info.samples];
    for share in shares {
        // Counts cannot overflow: disjoint ranges of u32, and no pixel has more samples than its range.
        for pixel in film.pixels() {
            film.merge_pixel(pixel, share.film.sums(pixel), share.film.feature_sums(pixel));
        }
        film.count_invalid(share.film.invalid_samples());
        match samples.last_mut() {
            Some(last) if last.end == share.info.samples.start => last.end = share.info.samples.end,
            _ => samples.push(share.info.samples),
        }
    }
    Ok(Merged { film, seed: info.seed, fingerprint: info.fingerprint, content: info.content, samples })
}
