//! Functions of raywarp-render-cuda's kernels, called by themselves. Their other half is twins/by_name.cpp.

use raywarp_render_cuda::HostScene;

/// Runs the emulated CUDA function `name` on test cases of `case_words` words each, and returns answers of
/// `answer_words` words each.
///
/// # Errors
/// A line, where there is no such twin or it reads or writes another number of words; or where nothing is emulated.
pub fn answer(
    name: &str,
    scene: &HostScene<'_>,
    cases: &[u32],
    case_words: usize,
    answer_words: usize,
) -> Result<Vec<u32>, String> {
    sys::answer(name, scene, cases, case_words, answer_words)
}

/// Returns the names of all compiled CUDA twins.
pub fn twin_names() -> Vec<String> {
    sys::names()
}

#[cfg(not(emulated))]
mod sys {
    use super::HostScene;

    pub fn answer(_: &str, _: &HostScene<'_>, _: &[u32], _: usize, _: usize) -> Result<Vec<u32>, String> {
        Err(format!("skipped: {}", crate::not_emulated().unwrap_or_default()))
    }

    pub fn names() -> Vec<String> {
        Vec::new()
    }
}

#[cfg(emulated)]
mod sys {
    use super::HostScene;
    use raywarp_render_cuda::SceneRecord;
    use std::ffi::{CStr, CString, c_char};

    unsafe extern "C" {
        fn raywarp_twins_run(
            name: *const c_char,
            scene: &SceneRecord,
            cases: *const u32,
            case_words: u64,
            answers: *mut u32,
            answer_words: u64,
            count: u64,
        ) -> bool;
        fn raywarp_twins_name(index: u64) -> *const c_char;
    }

    /// Number of spare words behind the answers, so that a twin that writes too many is found out without harm.
    const MARGIN: usize = 1 << 10;

    pub fn answer(
        name: &str,
        scene: &HostScene<'_>,
        cases: &[u32],
        case_words: usize,
        answer_words: usize,
    ) -> Result<Vec<u32>, String> {
        let count = cases.len() / case_words.max(1);
        let c_name = CString::new(name).map_err(|error| format!("{name}: {error}"))?;
        let mut answers = vec![0; count * answer_words + MARGIN];
        let record = scene.record();
        // SAFETY: the arrays are as long as the numbers say, and the record's addresses hold while `scene` does.
        let done = unsafe {
            raywarp_twins_run(
                c_name.as_ptr(),
                &record,
                cases.as_ptr(),
                case_words as u64,
                answers.as_mut_ptr(),
                answer_words as u64,
                count as u64,
            )
        };
        answers.truncate(count * answer_words);
        if done {
            Ok(answers)
        } else {
            Err(format!("there is no twin {name} with cases of {case_words} words and answers of {answer_words}"))
        }
    }

    pub fn names() -> Vec<String> {
        // SAFETY: names end in zero and live for ever; a null ends the list.
        let name = |index| unsafe {
            let name = raywarp_twins_name(index);
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        };
        (0..).map_while(name).collect()
    }
}
