//! Lines through points, on plain or logarithmic axes.

use super::log_ticks::log_ticks;
use super::{FONT, axis_number, faint, ink, legend, legend_places, picture, series_colour, text_style, text_width};
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;
use std::ops::Range;

/// A line of a chart, with its points.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartLine {
    /// The line's name in the legend.
    pub name: String,
    /// Where, and what is written beside it.
    pub points: Vec<(f64, f64, String)>,
}

/// A chart of several lines.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Points {
    /// The name of the axis across.
    pub x_axis: String,
    /// The name of the axis upwards.
    pub y_axis: String,
    /// `true` if both axes are logarithmic.
    pub logarithmic: bool,
    /// A line on which both are equal.
    pub diagonal: bool,
    /// The lines that are drawn.
    pub lines: Vec<ChartLine>,
}

const HEIGHT: u32 = 420;
const MARGIN: u32 = 12;
/// Pixels left of the plot and below it.
const Y_LABELS: u32 = 84;
const X_LABELS: u32 = 52;
/// Pixels between a point and what is written beside it.
const LABEL_GAP: i32 = 9;

impl Points {
    fn all(&self) -> impl Iterator<Item = &(f64, f64, String)> {
        self.lines.iter().flat_map(|line| &line.points)
    }

    fn names(&self) -> Vec<String> {
        self.lines.iter().map(|line| line.name.clone()).collect()
    }

    fn draw<R>(&self, area: &super::Area<'_>, x: R, y: R, corner: [f64; 2]) -> super::Drawn<()>
    where
        R: plotters::coord::ranged1d::AsRangedCoord<Value = f64>,
        R::CoordDescType: ValueFormatter<f64>,
    {
        let names = self.names();
        legend(area, &names)?;
        let (_, lower) = area.split_vertically(legend_places(&names, area.dim_in_pixel().0).1);
        let mut chart = ChartBuilder::on(&lower)
            .margin(MARGIN)
            .x_label_area_size(X_LABELS)
            .y_label_area_size(Y_LABELS)
            .build_cartesian_2d(x, y)?;
        let number = |value: &f64| axis_number(*value);
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(faint())
            .axis_style(ink())
            .label_style(text_style(HPos::Center))
            .x_label_formatter(&number)
            .y_label_formatter(&number)
            .x_desc(&self.x_axis)
            .y_desc(&self.y_axis)
            .draw()?;
        if self.diagonal {
            let [from, to] = corner;
            chart.draw_series([PathElement::new(vec![(from, from), (to, to)], ink())])?;
        }
        for (number, line) in self.lines.iter().enumerate() {
            let colour = series_colour(number);
            let at = || line.points.iter().map(|&(x, y, _)| (x, y));
            chart.draw_series([PathElement::new(at().collect::<Vec<_>>(), colour.stroke_width(2))])?;
            chart.draw_series(at().map(|point| Circle::new(point, 4, colour.filled())))?;
            // Right of its point, or left of it where the plot ends before the text.
            let right = chart.plotting_area().get_pixel_range().0.end;
            let labels: Vec<_> = line.points.iter().filter(|(.., text)| !text.is_empty()).collect();
            let ends =
                labels.iter().map(|(x, y, text)| chart.backend_coord(&(*x, *y)).0 + LABEL_GAP + text_width(text));
            let sides: Vec<bool> = ends.map(|end| end <= right).collect();
            chart.draw_series(labels.iter().zip(sides).map(|((x, y, text), fits)| {
                let (gap, side) = if fits { (LABEL_GAP, HPos::Left) } else { (-LABEL_GAP, HPos::Right) };
                EmptyElement::at((*x, *y)) + Text::new(text.clone(), (gap, 10), text_style(side))
            }))?;
        }
        Ok(())
    }
}

impl Points {
    /// Draws the chart, so many pixels across.
    pub(super) fn svg(&self, width: u32) -> Option<String> {
        let fine = |value: f64| value.is_finite() && (!self.logarithmic || value > 0.0);
        if self.all().next().is_none() || !self.all().all(|&(x, y, _)| fine(x) && fine(y)) {
            return None;
        }
        let ends = |of: fn(&(f64, f64, String)) -> f64| -> Range<f64> {
            let least = self.all().map(of).fold(f64::INFINITY, f64::min);
            let most = self.all().map(of).fold(f64::NEG_INFINITY, f64::max);
            if self.logarithmic { least / 1.4..most * 1.8 } else { 0.0..(most * 1.08).max(1e-9) }
        };
        let (x, y) = (ends(|point| point.0), ends(|point| point.1));
        let corner = [x.start.max(y.start), x.end.min(y.end)];
        picture(width, HEIGHT, |area| {
            if !self.logarithmic {
                return self.draw(area, x, y, corner);
            }
            let lower = HEIGHT.saturating_sub(legend_places(&self.names(), width).1);
            let (across, up) =
                (width.saturating_sub(2 * MARGIN + Y_LABELS), lower.saturating_sub(2 * MARGIN + X_LABELS));
            let across = log_ticks(&x, across, |value| text_width(&axis_number(value)));
            let up = log_ticks(&y, up, |_| FONT as i32);
            self.draw(area, x.log_scale().with_key_points(across), y.log_scale().with_key_points(up), corner)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_the_plot_has_no_room_for_stands_left_of_its_point() {
        let svg = |label: &str| {
            let points = vec![(1.0, 1.0, String::new()), (8.0, 8.0, label.to_string())];
            let lines = vec![ChartLine { name: "a".into(), points }];
            let svg = Points { logarithmic: true, lines, ..Points::default() }.svg(700).unwrap();
            svg.split("<text").find(|text| text.contains(label)).unwrap().to_string()
        };
        assert!(
            svg("H2").contains("text-anchor=\"start\"")
                && svg("H200, a scene of many words").contains("text-anchor=\"end\"")
        );
    }
}
