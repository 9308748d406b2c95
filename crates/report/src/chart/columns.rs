//! A histogram: columns side by side for each bin.

use super::{axis_number, faint, ink, legend, legend_places, picture, series_colour, text_style};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

/// Columns by bin, one a series.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Columns {
    /// The meaning of a bin.
    pub x_axis: String,
    /// The unit of the columns.
    pub y_axis: String,
    /// The start of each bin.
    pub bins: Vec<String>,
    /// Name and height of each column; what is not finite is left out.
    pub series: Vec<(String, Vec<f64>)>,
}

const HEIGHT: u32 = 300;

/// Pixels left of the columns, and of one label below them with its distance to the next.
const Y_LABELS: u32 = 66;
const X_LABEL: u32 = 46;

impl Columns {
    /// Draws the chart, so many pixels across.
    pub(super) fn svg(&self, width: u32) -> Option<String> {
        let bins = self.series.iter().map(|(_, values)| values.len()).max()?;
        let heights = self.series.iter().flat_map(|(_, values)| values).copied().filter(|value| value.is_finite());
        let most = heights.fold(0.0, f64::max);
        if bins == 0 || most <= 0.0 {
            return None;
        }
        picture(width, HEIGHT, |area| {
            let names: Vec<String> = self.series.iter().map(|(name, _)| name.clone()).collect();
            legend(area, &names)?;
            let (_, lower) = area.split_vertically(legend_places(&names, area.dim_in_pixel().0).1);
            let mut chart = ChartBuilder::on(&lower)
                .margin(8)
                .x_label_area_size(52)
                .y_label_area_size(Y_LABELS)
                .build_cartesian_2d(0f64..bins as f64, 0f64..most * 1.05)?;
            let name = |at: &f64| self.bins.get(at.round() as usize).cloned().unwrap_or_default();
            chart
                .configure_mesh()
                .disable_x_mesh()
                .light_line_style(TRANSPARENT)
                .bold_line_style(faint())
                .axis_style(ink())
                .label_style(text_style(HPos::Center))
                // So many that none lies over the next.
                .x_labels((bins + 1).min((width.saturating_sub(Y_LABELS + 16) / X_LABEL).max(2) as usize))
                .x_label_formatter(&name)
                .y_label_formatter(&|value| axis_number(*value))
                .x_desc(&self.x_axis)
                .y_desc(&self.y_axis)
                .draw()?;
            let column_width = 0.84 / self.series.len() as f64;
            for (number, (_, values)) in self.series.iter().enumerate() {
                let column = |(bin, &value): (usize, &f64)| {
                    let left = bin as f64 + 0.08 + column_width * number as f64;
                    Rectangle::new([(left, 0.0), (left + column_width, value)], series_colour(number).filled())
                };
                chart.draw_series(values.iter().enumerate().filter(|(_, value)| value.is_finite()).map(column))?;
            }
            Ok(())
        })
    }
}
