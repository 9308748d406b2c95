//! The columns of the report of active thread compaction.

use super::Counts;
use raywarp_papers::{CompactionBounce, w11};
use raywarp_report::{Column, Sheet, TableColumn, Value, number};
use raywarp_sim::compaction::{Bounce, Work};
use serde_json::json;

/// A line of the table of bounces: one bounce, or the sum of all.
pub(super) struct BounceRow {
    /// Number of the bounce; `None` for the sum of all.
    pub index: Option<usize>,
    /// Path and warp counts of the bounce.
    pub bounce: Bounce,
    /// Sum of the counts of this bounce and those before.
    pub until: Bounce,
    /// Fraction of the paths of bounce 0.
    share: f64,
    /// Numbers that W11 prints for the bounce.
    printed: Option<&'static CompactionBounce>,
}

/// Returns a function that gets a number of W11's for a table column.
fn theirs(of: fn(&CompactionBounce) -> f64) -> impl Fn(&BounceRow) -> Value {
    move |row: &BounceRow| row.printed.map_or(Value::Nothing(""), |printed| Value::said(number(of(printed), 1), ()))
}

impl Counts {
    /// Returns `true` if W11's tables are about warps of this width.
    fn are_printed(&self) -> bool {
        self.width == 32
    }

    /// Returns the lines of all bounces, in order.
    pub(super) fn bounce_rows(&self) -> Vec<BounceRow> {
        let first = self.bounces.first().map_or(0, |bounce| bounce.paths);
        let mut until = Bounce::default();
        let mut row = |(index, bounce): (usize, &Bounce)| {
            until = until.plus(*bounce);
            BounceRow {
                index: Some(index),
                bounce: *bounce,
                until,
                share: bounce.paths as f64 / first as f64,
                printed: w11().table_2.bounce.get(index).filter(|_| self.are_printed()),
            }
        };
        self.bounces.iter().enumerate().map(&mut row).collect()
    }

    /// Returns the line of the sums over all bounces.
    pub(super) fn all_row(&self) -> BounceRow {
        let all = self.total();
        BounceRow { index: None, bounce: all, until: all, share: f64::NAN, printed: None }
    }

    /// Returns the columns of the table of bounces, as averages of this many frames; JSON has sums over all frames.
    pub(super) fn sheet(&self, frames: u64) -> Sheet<'static, BounceRow> {
        let frames = frames.max(1) as f64;
        let per_frame = move |count: u64| Value::Each {
            text: number(count as f64 / frames, 0),
            page: number(count as f64 / frames, 0),
            json: count.into(),
        };
        let mean = if self.are_printed() { number(w11().paths_per_warp.mean, 1) } else { String::new() };
        let per_warp = theirs(CompactionBounce::paths_per_naive_warp);
        let first = w11().table_2.bounce.first().map_or(f64::NAN, |bounce| bounce.kilo_paths);
        Sheet(vec![
            Column::plain(|row: &BounceRow| Value::Words(row.index.map_or("all".into(), |index| index.to_string())))
                .text(TableColumn::right("bounce"))
                .page(0, "bounce"),
            Column::plain(move |row: &BounceRow| per_frame(row.bounce.paths))
                .text(TableColumn::right("paths"))
                .page(1, "paths")
                .key("paths"),
            Column::plain(|row: &BounceRow| match row.index {
                Some(_) => Value::said(format!("{:.1}", 100.0 * row.share), ()),
                None => Value::Nothing(""),
            })
            .text(TableColumn::right("%")),
            Column::plain(move |row: &BounceRow| {
                let share = row.printed.map(|printed| number(100.0 * printed.kilo_paths / first, 1));
                share.map_or(Value::Nothing(""), |share| Value::said(share, ()))
            })
            .text(TableColumn::right("theirs")),
            Column::plain(move |row: &BounceRow| per_frame(row.bounce.naive_warps))
                .text(TableColumn::right("naive"))
                .page(2, "naive warps")
                .key("naive_warps"),
            Column::plain(|row: &BounceRow| Value::Number(row.bounce.naive_paths_per_warp()))
                .digits(1)
                .text(TableColumn::right("per warp"))
                .page(3, "paths a warp"),
            Column::plain(move |row: &BounceRow| match row.index {
                Some(_) => per_warp(row),
                None => Value::said(mean.clone(), ()),
            })
            .text(TableColumn::right("theirs"))
            .page(4, "theirs"),
            Column::plain(move |row: &BounceRow| per_frame(row.bounce.compact_warps))
                .text(TableColumn::right("compact"))
                .page(5, "compacted warps")
                .key("compact_warps"),
            Column::plain(|row: &BounceRow| Value::Number(row.until.saved()))
                .digits(2)
                .text(TableColumn::right("saved"))
                .page(6, "saved"),
            Column::plain(theirs(|printed| printed.saved)).text(TableColumn::right("theirs")).page(7, "theirs"),
            Column::plain(|row: &BounceRow| Value::Count(row.bounce.tiled_warps)).key("tiled_warps"),
        ])
    }

    /// Returns the columns of W11's Table 3: what a warp issues at each bounce, beside how its time grew in W11.
    pub(super) fn work_sheet(&self) -> Sheet<'static, (usize, [Work; 2])> {
        type Row = (usize, [Work; 2]);
        let is_printed = self.are_printed();
        let first = self.work.first().map_or(f64::NAN, |[naive, _]| naive.steps_per_warp());
        let steps = |side: usize| Column::plain(move |row: &Row| Value::Number(row.1[side].steps_per_warp())).digits(1);
        let growth =
            |side: usize| Column::plain(move |row: &Row| Value::Number(row.1[side].steps_per_warp() / first)).digits(2);
        let theirs = |side: usize| {
            Column::plain(move |row: &Row| {
                let table = &w11().table_3.bounce;
                let times =
                    table.get(row.0).filter(|_| is_printed).map(|time| time.pair()[side] / table[0].pair()[side]);
                times.map_or(Value::Nothing(""), Value::Number)
            })
            .digits(2)
            .text(TableColumn::right("theirs"))
        };
        Sheet(vec![
            Column::plain(|row: &Row| Value::Count(row.0 as u64)).text(TableColumn::right("bounce")),
            steps(0).text(TableColumn::right("naive")),
            growth(0).text(TableColumn::right("x")),
            theirs(0),
            steps(1).text(TableColumn::right("compact")),
            growth(1).text(TableColumn::right("x")),
            theirs(1),
            Column::plain(|row: &Row| Value::Number(row.1[1].steps_per_ray()))
                .digits(1)
                .text(TableColumn::right("of a ray")),
        ])
    }
}

/// Returns the columns of the work of warps at a bounce, for one organisation, for programs.
pub(super) fn work_json(work: &Work) -> serde_json::Value {
    json!({
        "rays": work.rays,
        "warps": work.warps,
        "visits": work.visits,
        "tests": work.tests,
        "active": work.active,
    })
}
