//! The scripts beside the workspace that have tests of their own.

use std::path::Path;
use std::process::Command;

#[test]
fn scripts_that_read_a_profilers_counters_pass_their_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut tests = Command::new("python3");
    tests.args(["-B", "-m", "unittest", "discover", "-s", "peers/nsight"]).current_dir(root);
    match tests.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            // Older versions end with success where they found no test.
            assert!(output.status.success() && !said.contains("Ran 0 tests"), "{said}");
        }
        Err(error) => {
            raywarp_testing::skip(raywarp_testing::Reason::Python, &format!("python3 cannot be run: {error}"));
        }
    }
}
