//! Pictures of numbers as SVG, drawn by plotters; no fonts are read, so that a picture is the same on every machine.

mod bars;
mod columns;
mod log_ticks;
mod points;
mod text_width;

pub use bars::{Bar, Bars};
pub use columns::Columns;
pub use points::{ChartLine, Points};
pub(super) use text_width::text_width;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A picture of numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    /// Bars that lie.
    Bars(Bars),
    /// A histogram of several series.
    Columns(Columns),
    /// Lines through points.
    Points(Points),
}

impl Chart {
    /// Returns an SVG document of so many pixels across; none where there is nothing to show, or a number that cannot
    /// be shown.
    pub fn svg(&self, width: u32) -> Option<String> {
        match self {
            Self::Bars(bars) => bars.svg(width),
            Self::Columns(columns) => columns.svg(width),
            Self::Points(points) => points.svg(width),
        }
    }
}

impl From<Bars> for Chart {
    fn from(bars: Bars) -> Self {
        Self::Bars(bars)
    }
}

impl From<Columns> for Chart {
    fn from(columns: Columns) -> Self {
        Self::Columns(columns)
    }
}

impl From<Points> for Chart {
    fn from(points: Points) -> Self {
        Self::Points(points)
    }
}

/// Colours that charts draw lines, letters and grids with: a page's style names them, to change them on dark paper.
pub(super) const INK: (u8, u8, u8) = (0x20, 0x22, 0x26);
pub(super) const FAINT: (u8, u8, u8) = (0xD4, 0xD6, 0xDA);

/// Told apart on light and on dark paper, by people who see no red or no green as well.
const SERIES: [RGBColor; 6] = [
    RGBColor(0x3B, 0x7D, 0xD8),
    RGBColor(0xE0, 0x8A, 0x1E),
    RGBColor(0x2A, 0x9D, 0x8F),
    RGBColor(0xB0, 0x55, 0x9B),
    RGBColor(0x80, 0x86, 0x90),
    RGBColor(0xA8, 0x6A, 0x3D),
];

/// Number of series that each have a colour of their own.
pub const COLOURS: usize = SERIES.len();

/// Pixels across of a picture on a screen, and on a narrow one: letters are of one size in both.
pub const WIDE: u32 = 860;
/// Width of a picture for phones, in pixels.
pub const NARROW: u32 = 440;
const LEGEND_LINE: i32 = 24;
/// Size of letters as plotters takes it, whose SVG has letters of a 1.24th: 14.5 pixels.
const FONT: u32 = 18;

type Drawn<T> = Result<T, DrawingAreaErrorKind<std::io::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn series_colour(number: usize) -> RGBColor {
    SERIES[number % SERIES.len()]
}

fn ink() -> RGBColor {
    RGBColor(INK.0, INK.1, INK.2)
}

fn faint() -> RGBColor {
    RGBColor(FAINT.0, FAINT.1, FAINT.2)
}

/// Returns the style of text that is anchored at its left, middle or right, half-way up.
fn text_style(anchor: HPos) -> TextStyle<'static> {
    ("sans-serif", FONT).into_font().color(&ink()).pos(Pos::new(anchor, VPos::Center))
}

/// Runs `draw` on an empty picture of so many pixels.
fn picture(width: u32, height: u32, draw: impl FnOnce(&Area<'_>) -> Drawn<()>) -> Option<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
        draw(&area).ok()?;
        area.present().ok()?;
    }
    Some(svg)
}

/// Returns a picture of `width` pixels across as a file of its own: what it shows stands in its title, and above it in
/// as many lines as it needs.
pub(super) fn captioned(svg: &str, caption: &str, width: u32, escape: impl Fn(&str) -> String) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in caption.split(' ') {
        match lines.last_mut() {
            Some(line) if 8 + text_width(line) + text_width(word) < width as i32 => *line += &format!(" {word}"),
            _ => lines.push(word.to_string()),
        }
    }
    let shown = |(number, line): (usize, &String)| {
        let y = 18 + number as i32 * LEGEND_LINE;
        let (red, green, blue) = INK;
        format!(
            "<text x=\"4\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"14.5\" \
             fill=\"#{red:02X}{green:02X}{blue:02X}\">{}</text>\n",
            escape(line)
        )
    };
    let above = lines.len() as i32 * LEGEND_LINE + 4;
    let text: String = lines.iter().enumerate().map(shown).collect();
    let own = svg.split("height=\"").nth(1).and_then(|rest| rest.split('"').next()).and_then(|own| own.parse().ok());
    let height = above + own.unwrap_or(0);
    format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<title>{}</title>\n{text}{}</svg>\n",
        escape(caption),
        svg.replacen("<svg ", &format!("<svg y=\"{above}\" "), 1)
    )
}

/// Returns where each name of a legend starts, left to right and then below, and the height of all; of names that are
/// empty there is no legend.
fn legend_places(series: &[String], width: u32) -> (Vec<(i32, i32)>, u32) {
    let (mut x, mut y) = (4, 0);
    let mut places = Vec::new();
    for name in series {
        let across = 36 + text_width(name);
        if x > 4 && x + across - 18 > width as i32 {
            (x, y) = (4, y + LEGEND_LINE);
        }
        places.push((x, y));
        x += if name.is_empty() { 0 } else { across };
    }
    let is_there = series.iter().any(|name| !name.is_empty());
    (places, if is_there { (y + LEGEND_LINE + 2) as u32 } else { 4 })
}

/// Draws the names of the series with their colours, side by side from the left; nothing for one without a name.
fn legend(area: &Area<'_>, series: &[String]) -> Drawn<()> {
    let (places, _) = legend_places(series, area.dim_in_pixel().0);
    for (number, (name, (x, y))) in series.iter().zip(places).enumerate().filter(|(_, (name, _))| !name.is_empty()) {
        let colour = series_colour(number);
        area.draw(&Rectangle::new([(x, y + 6), (x + 12, y + 18)], colour.filled()))?;
        area.draw(&Text::new(name.clone(), (x + 18, y + 12), text_style(HPos::Left)))?;
    }
    Ok(())
}

/// Writes a number on an axis: short, and without digits that say nothing.
fn axis_number(value: f64) -> String {
    if value != 0.0 && value.abs() < 1.0 {
        format!("{value:.2}").trim_end_matches('0').to_string()
    } else if value.fract() == 0.0 || value.abs() >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_drawn_gives_no_picture() {
        let bars = |values: &[Option<f64>]| Bars {
            axis: "Mrays/s".into(),
            series: vec!["a".into()],
            groups: values
                .iter()
                .map(|value| ("x".into(), vec![value.map(|value| Bar { value, label: String::new() })]))
                .collect(),
            least_most: 0.0,
        };
        for nothing in [&[][..], &[None], &[Some(f64::NAN)], &[Some(f64::INFINITY)], &[Some(0.0)]] {
            assert_eq!(bars(nothing).svg(WIDE), None, "{nothing:?}");
        }
        assert!(bars(&[Some(1.0), None, Some(f64::NAN)]).svg(WIDE).is_some());
        let points = |at| Points { lines: vec![ChartLine { name: "a".into(), points: vec![at] }], ..Points::default() };
        assert_eq!(points((f64::NAN, 1.0, "x".into())).svg(WIDE), None);
        assert!(points((2.0, 1.0, "x".into())).svg(WIDE).is_some());
        assert!(Points { logarithmic: true, ..points((2.0, 1.0, "x".into())) }.svg(WIDE).is_some());
        assert_eq!(Points { logarithmic: true, ..points((0.0, 1.0, "x".into())) }.svg(WIDE), None);
        let columns = |values| Columns { series: vec![("a".into(), values)], ..Columns::default() };
        assert_eq!(columns(vec![]).svg(WIDE), None);
        assert_eq!(columns(vec![0.0, f64::NAN]).svg(WIDE), None);
        assert!(columns(vec![1.0, 2.0]).svg(WIDE).is_some());
    }

    #[test]
    fn entries_of_a_legend_do_not_touch() {
        let names = ["MMMM, WWWW, clay", "conference, clay, simulated"].map(String::from);
        let places = legend_places(&names, 2000).0;
        // A browser's letters of the first are 155.5 pixels wide, behind a square and a gap of 18.
        assert!(f64::from(places[1].0) >= f64::from(places[0].0) + 18.0 + 155.5 + 12.0, "{places:?}");
    }

    #[test]
    fn a_legend_that_is_too_long_for_the_picture_goes_on_below() {
        let names = ["twice the warps", "", "half the latency of memory", "lanes"].map(String::from);
        let (wide, narrow) = (legend_places(&names, WIDE), legend_places(&names, 250));
        assert!(wide.0.iter().all(|&(_, y)| y == 0) && wide.1 == 26, "{wide:?}");
        assert!(narrow.0[2].1 == LEGEND_LINE && narrow.1 > 40, "{narrow:?}");
        assert_eq!(legend_places(&names[1..2], WIDE).1, 4);
    }

    #[test]
    fn a_loss_is_a_bar_to_the_left_of_nothing() {
        let group = |name: &str, value: f64| (name.to_string(), vec![Some(Bar { value, label: String::new() })]);
        let groups = vec![group("a", -10.0), group("b", 30.0)];
        let svg = Bars { axis: String::new(), series: vec![String::new()], groups, least_most: 0.0 }.svg(WIDE).unwrap();
        let number = |line: &str, key: &str| -> f64 {
            line.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let rects: Vec<[f64; 2]> = svg
            .lines()
            .filter(|line| line.starts_with("<rect"))
            .map(|line| [number(line, "x"), number(line, "width")])
            .collect();
        let [loss, gain] = rects[..] else { panic!("{svg}") };
        assert!((loss[0] + loss[1] - gain[0]).abs() < 1.5 && (gain[1] / loss[1] - 3.0).abs() < 0.02, "{rects:?}");
    }

    #[test]
    fn a_bar_is_as_long_as_its_value_and_text_is_escaped() {
        let bar = |value: f64, label: &str| Some(Bar { value, label: label.into() });
        let bars = Bars {
            axis: "%".into(),
            series: vec!["a & b".into(), String::new()],
            groups: vec![
                ("<x>".into(), vec![bar(50.0, "half"), None]),
                ("y".into(), vec![bar(100.0, ""), bar(25.0, "")]),
            ],
            least_most: 0.0,
        };
        let svg = bars.svg(WIDE).unwrap();
        assert!(svg.contains("a &amp; b") && svg.contains("&lt;x&gt;") && svg.contains("half"), "{svg}");
        let widths: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<rect") && !line.contains("width=\"12\""))
            .map(|line| line.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(widths.len(), 3, "{svg}");
        assert!(
            (widths[0] / widths[1] - 0.5).abs() < 0.01 && (widths[2] / widths[1] - 0.25).abs() < 0.01,
            "{widths:?}"
        );
    }
}
