//! Bars that lie, with long names at their left and a note at their ends.

use super::{
    Chart, FONT, LEGEND_HEIGHT, WIDTH, axis_number, faint, legend, picture, series_colour, text_style, text_width,
};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    /// Its length, to the left of 0 if negative; what is not finite is left out.
    pub value: f64,
    /// Beside its end.
    pub label: String,
}

/// Bars by group, one a series.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bars {
    /// The unit.
    pub axis: String,
    /// Names of the series; a single one needs none.
    pub series: Vec<String>,
    /// Name and bars.
    pub groups: Vec<(String, Vec<Option<Bar>>)>,
    /// The axis goes at least so far: 100 for shares.
    pub least_most: f64,
}

const BAR: i32 = 15;
const GAP: i32 = 7;
const AXIS: i32 = 44;

impl Bars {
    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|(_, bars)| bars.iter().flatten()).filter(|bar| bar.value.is_finite())
    }
}

impl Chart for Bars {
    fn svg(&self) -> Option<String> {
        let most = self.bars().map(|bar| bar.value).fold(self.least_most, f64::max);
        let least = self.bars().map(|bar| bar.value).fold(0.0, f64::min);
        if most - least <= 0.0 || self.bars().next().is_none() {
            return None;
        }
        let left =
            self.groups.iter().map(|(name, _)| text_width(name)).max().unwrap_or(0).clamp(40, WIDTH as i32 / 2) + 12;
        let right = self.bars().map(|bar| text_width(&bar.label)).max().unwrap_or(0).clamp(20, WIDTH as i32 / 3) + 10;
        let rows: i32 = self.groups.iter().map(|(_, bars)| GAP + BAR * bars.len().max(1) as i32).sum();
        let top = if self.series.iter().any(|name| !name.is_empty()) { LEGEND_HEIGHT as i32 } else { 4 };
        let scale = f64::from(WIDTH as i32 - left - right) / (most - least);
        let at = |value: f64| left + ((value - least) * scale).round() as i32;
        picture((top + rows + AXIS) as u32, |area| {
            legend(area, &self.series)?;
            for tick in ticks(least, most) {
                let line = vec![(at(tick), top), (at(tick), top + rows)];
                area.draw(&PathElement::new(line, faint()))?;
                area.draw(&Text::new(axis_number(tick), (at(tick), top + rows + 12), text_style(HPos::Center)))?;
            }
            let middle = (left + WIDTH as i32 - right) / 2;
            area.draw(&Text::new(
                self.axis.clone(),
                (middle, top + rows + 12 + FONT as i32 + 3),
                text_style(HPos::Center),
            ))?;
            let mut y = top;
            for (name, bars) in &self.groups {
                let height = BAR * bars.len().max(1) as i32;
                area.draw(&Text::new(name.clone(), (left - 6, y + (GAP + height) / 2), text_style(HPos::Right)))?;
                y += GAP / 2;
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

/// About six round numbers from `least` to `most`, 0 among them.
fn ticks(least: f64, most: f64) -> impl Iterator<Item = f64> {
    let range = most - least;
    let magnitude = 10f64.powf((range / 6.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * magnitude);
    let step = steps.into_iter().find(|step| range / step <= 6.5).unwrap_or(magnitude * 10.0);
    let first = (least / step).ceil() as i32;
    (first..).map(move |i| f64::from(i) * step).take_while(move |tick| *tick <= most + 1e-4 * range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 100.0).collect::<Vec<_>>(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(0.0, 6100.0).collect::<Vec<_>>(), [0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0, 6000.0]);
        assert_eq!(ticks(-22.0, 33.0).collect::<Vec<_>>(), [-20.0, -10.0, 0.0, 10.0, 20.0, 30.0]);
        assert!((2..=8).contains(&ticks(0.0, 1e-9).count()) && (2..=8).contains(&ticks(0.0, 7.3e12).count()));
    }
}
