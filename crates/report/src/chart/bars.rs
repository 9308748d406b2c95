//! Bars that lie, with long names at their left and a note at their ends.

use super::{FONT, WIDE, axis_number, faint, legend, legend_places, picture, series_colour, text_style, text_width};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

/// A bar of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its length, to the left of 0 if negative; what is not finite is left out.
    pub value: f64,
    /// The text at its end.
    pub label: String,
}

/// Bars by group, one a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The unit of the axis.
    pub axis: String,
    /// Names of the series; a single one needs none.
    pub series: Vec<String>,
    /// The groups: a name and its bars each.
    pub groups: Vec<(String, Vec<Option<Bar>>)>,
    /// The axis goes at least so far: 100 for shares.
    pub least_most: f64,
}

const BAR: i32 = 17;
/// A name above its bars.
const NAME: i32 = 22;
const GAP: i32 = 7;
const AXIS: i32 = 50;

impl Bars {
    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|(_, bars)| bars.iter().flatten()).filter(|bar| bar.value.is_finite())
    }
}

impl Bars {
    /// Draws the chart, so many pixels across.
    pub(super) fn svg(&self, width: u32) -> Option<String> {
        let most = self.bars().map(|bar| bar.value).fold(self.least_most, f64::max);
        let least = self.bars().map(|bar| bar.value).fold(0.0, f64::min);
        if most - least <= 0.0 || self.bars().next().is_none() {
            return None;
        }
        let across = width as i32;
        // Where there is no room at their left, names stand above their bars.
        let (above, left, share) = if width < WIDE {
            (NAME, 12, 5)
        } else {
            let names = self.groups.iter().map(|(name, _)| text_width(name)).max().unwrap_or(0);
            (0, names.clamp(40, across / 2) + 12, 4)
        };
        let right =
            self.bars().map(|bar| text_width(&bar.label)).max().unwrap_or(0).clamp(20, across * share / 10) + 10;
        let rows: i32 = self.groups.iter().map(|(_, bars)| above + GAP + BAR * bars.len().max(1) as i32).sum();
        let top = legend_places(&self.series, width).1 as i32;
        let scale = f64::from((across - left - right).max(1)) / (most - least);
        let at = |value: f64| left + ((value - least) * scale).round() as i32;
        picture(width, (top + rows + AXIS) as u32, |area| {
            legend(area, &self.series)?;
            for tick in ticks(least, most, if above > 0 { 3.0 } else { 6.0 }) {
                let line = vec![(at(tick), top), (at(tick), top + rows)];
                area.draw(&PathElement::new(line, faint()))?;
                area.draw(&Text::new(axis_number(tick), (at(tick), top + rows + 12), text_style(HPos::Center)))?;
            }
            // In the middle of the bars, if it has room there.
            let half = text_width(&self.axis) / 2 + 4;
            let middle = ((left + across - right) / 2).min(across - half).max(half);
            area.draw(&Text::new(
                self.axis.clone(),
                (middle, top + rows + 12 + FONT as i32 + 3),
                text_style(HPos::Center),
            ))?;
            let mut y = top;
            for (name, bars) in &self.groups {
                let height = BAR * bars.len().max(1) as i32;
                let (place, anchor) = match above {
                    0 => ((left - 6, y + (GAP + height) / 2), HPos::Right),
                    _ => ((left, y + GAP / 2 + above / 2), HPos::Left),
                };
                area.draw(&Text::new(name.clone(), place, text_style(anchor)))?;
                y += above + GAP / 2;
                for (number, bar) in bars.iter().enumerate() {
                    if let Some(bar) = bar.as_ref().filter(|bar| bar.value.is_finite()) {
                        let corners = [(at(bar.value.min(0.0)), y + 1), (at(bar.value.max(0.0)), y + BAR - 1)];
                        area.draw(&Rectangle::new(corners, series_colour(number).filled()))?;
                        let beside = (at(bar.value.max(0.0)) + 5, y + BAR / 2);
                        area.draw(&Text::new(bar.label.clone(), beside, text_style(HPos::Left)))?;
                    }
                    y += BAR;
                }
                y += GAP - GAP / 2 + height - BAR * bars.len() as i32;
            }
            Ok(())
        })
    }
}

/// Returns about `count` round numbers from `least` to `most`, 0 among them.
fn ticks(least: f64, most: f64, count: f64) -> impl Iterator<Item = f64> {
    let range = most - least;
    let magnitude = 10f64.powf((range / count).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * magnitude);
    let step = steps.into_iter().find(|step| range / step <= count + 0.5).unwrap_or(magnitude * 10.0);
    let first = (least / step).ceil() as i32;
    (first..).map(move |i| f64::from(i) * step).take_while(move |tick| *tick <= most + 1e-4 * range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 100.0, 6.0).collect::<Vec<_>>(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(0.0, 6100.0, 6.0).collect::<Vec<_>>(), [0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0, 6000.0]);
        assert_eq!(ticks(-22.0, 33.0, 6.0).collect::<Vec<_>>(), [-20.0, -10.0, 0.0, 10.0, 20.0, 30.0]);
        assert!((2..=8).contains(&ticks(0.0, 1e-9, 6.0).count()) && (2..=8).contains(&ticks(0.0, 7.3e12, 6.0).count()));
    }
}
