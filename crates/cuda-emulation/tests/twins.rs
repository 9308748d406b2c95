//! Each function of the path tracer's kernels answers as its twin in Rust, bit for bit, a million times.

use rayon::prelude::*;
use raywarp_cuda_emulation::twins::{Numbers, Reader, Twin, Writer, answer, everything, twin_names, twins};
use raywarp_render_cuda::HostScene;

/// Cases of each function.
const CASES: usize = 1_000_000;
/// Cases that are made at once.
const BATCH: usize = 20_000;

#[test]
fn functions_give_the_bits_of_their_twins() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    let scene = everything();
    let host = HostScene::new(&scene);
    let twins = twins();
    let only = std::env::var("RAYWARP_TWIN").ok();
    let wanted = |twin: &&Twin| only.as_ref().is_none_or(|only| twin.name.contains(only.as_str()));
    let faults: Vec<String> = (twins.par_iter().filter(wanted))
        .flat_map(|twin| (0..CASES / BATCH).into_par_iter().map(move |batch| (twin, batch)))
        .filter_map(|(twin, batch)| fault(twin, batch as u64, &scene, &host))
        .collect();
    assert!(faults.is_empty(), "{} batches differ:\n{}", faults.len(), faults[..faults.len().min(12)].join("\n"));
}

#[test]
fn every_twin_has_its_other_half() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    let mut compiled = twin_names();
    let mut known: Vec<String> = twins().iter().map(|twin| twin.name.to_string()).collect();
    compiled.sort();
    known.sort();
    assert_eq!(compiled, known);
}

/// What differs first in a batch of cases.
fn fault(twin: &Twin, batch: u64, scene: &raywarp_render::ShadingScene, host: &HostScene<'_>) -> Option<String> {
    let mut numbers = Numbers::new(batch + 1);
    let (mut cases, mut want) = (Writer::default(), Writer::default());
    let (mut case_words, mut answer_words) = (0, 0);
    for _ in 0..BATCH {
        let (case, answer) = (cases.words.len(), want.words.len());
        (twin.make)(&mut numbers, scene, &mut cases);
        (twin.run)(scene, &mut Reader::new(&cases.words[case..]), &mut want);
        (case_words, answer_words) = (cases.words.len() - case, want.words.len() - answer);
    }
    let got = match answer(twin.name, host, &cases.words, case_words, answer_words) {
        Ok(got) => got,
        Err(error) => return Some(error),
    };
    let differ = |i: &usize| {
        got[i * answer_words..(i + 1) * answer_words] != want.words[i * answer_words..(i + 1) * answer_words]
    };
    let first = (0..BATCH).find(differ)?;
    let count = (0..BATCH).filter(differ).count();
    let text = |words: &[u32], length: usize| {
        let words = &words[first * length..(first + 1) * length];
        words.iter().map(|&w| format!("{w:#x} ({:e})", f32::from_bits(w))).collect::<Vec<_>>().join(" ")
    };
    Some(format!(
        "{}: {count} of {BATCH} cases, case {first} of batch {batch}: of {}\n  Rust {}\n  CUDA {}",
        twin.name,
        text(&cases.words, case_words),
        text(&want.words, answer_words),
        text(&got, answer_words)
    ))
}
