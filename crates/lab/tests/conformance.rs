//! Every engine on every case, as `raywarp selftest` runs them.

use raywarp::Control;
use raywarp_lab::report::Room;
use raywarp_lab::selftest::{SelfTestRequest, selftest};

/// Legal variants that are tried beside the papers' rows.
const LEGAL_SAMPLE: u64 = 24;

#[test]
fn every_engine_passes_every_case() {
    let report = selftest(&SelfTestRequest::all(LEGAL_SAMPLE), &Control::default()).unwrap();
    println!("{}", report.document(true).text(Room::Any));
    assert!(report.passed(), "{}", report.document(false).text(Room::Any));
    // Rows on five widths and the scalar reference, but for those whose rays need more lanes.
    assert!(report.engines.len() > 6 * 30, "{} engines", report.engines.len());
}
