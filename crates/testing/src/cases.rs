//! How many cases a test of many tries.

/// Environment variable that, as `quarter`, lets a test try a quarter of its cases.
pub const CASES: &str = "RAYWARP_CASES";

/// Returns how many of `all` cases a test tries: all, or a quarter and at least one where [`CASES`] says so.
///
/// An emulator of another machine takes ten to thirty times as long as the machine itself, and what it is to find, an
/// instruction that does something else there, shows in many cases or in those that are written out.
pub fn cases(all: usize) -> usize {
    share(all, std::env::var(CASES).ok().as_deref())
}

fn share(all: usize, setting: Option<&str>) -> usize {
    if setting == Some("quarter") { all.div_ceil(4) } else { all }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn all_cases_are_tried_unless_a_quarter_is_asked_for() {
        assert_eq!([share(300, None), share(300, Some("")), share(300, Some("quarter"))], [300, 300, 75]);
        assert_eq!([share(1, Some("quarter")), share(0, Some("quarter"))], [1, 0]);
    }
}
