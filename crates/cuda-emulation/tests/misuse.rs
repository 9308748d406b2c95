//! What the emulated machine says of kernels that misuse the warp: the line, and what is wrong there.

use raywarp_cuda::Launch;
use raywarp_cuda_emulation::{
    EmulatedKernel, EmulationFault, LaneOrder, LaunchGeometry, Logs, MemoryWindow, Request, run,
};

const SOURCE: &str = include_str!("../machine/misuse.cpp");

fn launch(name: &str, order: LaneOrder) -> Result<(Logs, u32), EmulationFault> {
    let kernel = EmulatedKernel::misuse(name).unwrap_or_else(|| panic!("there is no {name} in machine/misuse.cpp"));
    let (slots, mut counter) = ([7u32; 4], [0u32]);
    let mut windows = [MemoryWindow::read(&slots), MemoryWindow::changed(&mut counter)];
    let launch = Launch { slots: windows[0].address(), counter: windows[1].address(), ..Launch::default() };
    let geometry = LaunchGeometry { blocks: 3, warps_per_block: 2, resident_blocks: 2, shared_bytes: 64 };
    // SAFETY: the kernels of misuse.cpp touch only the two arrays, which live until the call returns.
    let logs = unsafe { run(kernel, &launch, &mut windows, &Request { geometry, order, log: true }) }?;
    Ok((logs, counter[0]))
}

/// `name` must fail under every order, at the line that is marked so, with these names and numbers.
#[track_caller]
fn check(name: &str, mark: &str, words: &[&str]) {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    let marked = |line: &str| line.ends_with(&format!("// line: {mark}"));
    // A mark of its own stands above its line.
    let line = SOURCE.lines().position(marked).map(|at| {
        let own = SOURCE.lines().nth(at).is_some_and(|line| line.trim_start().starts_with("//"));
        at + if own { 2 } else { 1 }
    });
    for order in LaneOrder::FOUR {
        let fault = launch(name, order).expect_err(name).0;
        let place = line.map_or(String::new(), |line| format!("misuse.cpp:{line}"));
        assert!(fault.contains(&place) && words.iter().all(|word| fault.contains(word)), "{name}, {order:?}: {fault}");
    }
}

#[test]
fn sound_kernels_pass_under_every_order() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    for name in ["sound", "sound_block"] {
        for order in LaneOrder::FOUR {
            assert_eq!(launch(name, order).map(|(_, count)| count), Ok(6 * 32), "{name}, {order:?}");
        }
    }
}

#[test]
fn a_caller_outside_its_mask_is_named() {
    check("not_in_mask", "not in its mask", &["any_sync", "lane 31", "0x7fffffff"]);
}

#[test]
fn waiting_for_a_lane_that_has_ended_is_named() {
    check("ended", "has ended", &["ballot_sync", "0xffffffff", "lane 3"]);
}

#[test]
fn lanes_that_wait_for_each_other_at_different_places_are_named() {
    check("other_site", "other site", &["any_sync", "0xffffffff"]);
    check("other_intrinsic", "other intrinsic", &["any_sync", ": sync"]);
    check("other_mask", "other mask", &["0xffffffff", "0xffff0001"]);
}

#[test]
fn lanes_that_all_wait_are_named() {
    check("all_wait", "all wait", &["waits"]);
}

#[test]
fn a_shuffle_from_a_lane_outside_the_mask_is_named() {
    check("from_outside", "from outside", &["lane 20", "0x0000ffff"]);
}

#[test]
fn two_lanes_on_one_element_of_shared_memory_without_a_sync_are_named() {
    check("race", "race", &["writes", "element 0", "`sums`", "sync"]);
    check("read_race", "read race", &["`sums`", "sync"]);
    check("warps_race", "warps race", &["warp 0", "warp 1"]);
}

#[test]
fn warps_of_a_block_that_do_not_keep_in_step_are_named() {
    check("out_of_step", "out of step", &["keep_in_step", "2 times", "block 1"]);
    check("apart", "apart", &["keep_in_step", "0xffffffff"]);
}

#[test]
fn warps_of_a_block_that_do_not_wait_for_each_other_are_named() {
    check("block_ended", "block ended", &["sync_block: warp ", "ended"]);
    check("part_waits", "part waits", &["sync_block", "0xffffffff", "ended"]);
    check("block_sites", "block sites", &["sync_block: warp ", "here", " at "]);
    let words = ["`sums`", "warp 0", "warp 1", "sync"];
    check("block_race", "block race", &words);
    check("late_race", "late race", &words);
}

#[test]
fn more_than_the_launch_gave_a_block_is_named() {
    let gave = "gave 64";
    check("beyond_launch", "beyond launch", &["68 bytes", "from 0", gave]);
    check("behind_launch", "behind launch", &["4 bytes", "from 64", gave]);
    check("block_memory_beyond", "block memory beyond", &["32 bytes", "from 48", gave]);
    check("behind_block_memory", "behind block memory", &["touches", "4 bytes"]);
    check("dynamic_race", "dynamic race", &["writes", "element 3", "`words`", "sync"]);
}

#[test]
fn accesses_outside_arrays_are_named() {
    check("beyond", "beyond", &["writes", "element 8", "`few`"]);
    check("wild_load", "wild load", &["reads", "4 bytes"]);
    check("wild_store", "wild store", &["touches", "4 bytes"]);
}

#[test]
fn a_kernel_that_does_not_end_is_stopped() {
    check("endless", "", &["20000000"]);
}
