//! Pages of reports, and the HTML file of a page: no scripts, nothing that is loaded, readable in light and dark and on
//! a narrow screen.

mod style;

use super::chart::{Chart, NARROW, WIDE};
use std::fmt::Write;
use style::STYLE;
pub(super) use style::{FAINT, INK};

/// A table: all text is plain and escaped when it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The subject of the table, and its unit.
    pub caption: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// Cells by row; the first names its row.
    pub rows: Vec<Vec<String>>,
}

/// A picture with what it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// A file name without an ending: lower case, digits and dashes.
    pub name: String,
    /// The subject of the picture, its unit and its source.
    pub caption: String,
    /// The picture: a whole SVG document.
    pub svg: String,
    /// The picture for a narrow screen, with letters of the same size.
    pub narrow: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Heading(String),
    Text(String),
    Note(String),
    Command(String),
    List(Vec<String>),
    Grid(Grid),
    Figure(Figure),
    /// The start of a fold: the parts up to the next end are shown when the reader opens it.
    FoldStart(String),
    FoldEnd,
}

/// A report: read from top to bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    title: String,
    parts: Vec<Part>,
}

/// Cells of so many bytes stay on one line.
const UNBROKEN: usize = 32;

/// Returns text as HTML and XML show it.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // No document may hold these, not even as references.
            c if c.is_control() && c != '\n' && c != '\t' => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}

impl Page {
    /// Returns a page with nothing on it.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), parts: Vec::new() }
    }

    /// Adds a heading of the second level.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Heading(text.into()));
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    /// Adds a note, smaller and paler: what the reader may skip.
    pub fn note(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Note(text.into()));
    }

    /// Adds a fold with what `write` writes, which is shown when the reader opens it; nothing where that is nothing.
    pub fn fold(&mut self, summary: impl Into<String>, write: impl FnOnce(&mut Self)) {
        let start = self.parts.len();
        self.parts.push(Part::FoldStart(summary.into()));
        write(self);
        if self.parts.len() > start + 1 {
            self.parts.push(Part::FoldEnd);
        } else {
            self.parts.truncate(start);
        }
    }

    /// Adds a command line, as it is typed.
    pub fn command(&mut self, line: &str) {
        self.parts.push(Part::Command(line.into()));
    }

    /// Adds a list; nothing where there are no items.
    pub fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.parts.push(Part::List(items));
        }
    }

    /// Adds a table; nothing where there are no rows, and columns without anything in them are left out.
    pub fn grid(&mut self, grid: Grid) {
        if !grid.rows.is_empty() {
            self.parts.push(Part::Grid(grid.without_empty_columns()));
        }
    }

    /// Adds a chart; nothing where the chart has nothing to show.
    pub fn chart(&mut self, name: &str, caption: impl Into<String>, chart: &impl Chart) {
        if let (Some(svg), Some(narrow)) = (chart.svg(WIDE), chart.svg(NARROW)) {
            let number = self.figures().count() + 1;
            let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            let name = format!("{number:02}-{}", clean.to_ascii_lowercase());
            self.parts.push(Part::Figure(Figure { name, caption: caption.into(), svg, narrow }));
        }
    }

    /// Returns the page's title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the page's pictures, in their order; names are unlike one another.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.parts.iter().filter_map(|part| match part {
            Part::Figure(figure) => Some(figure),
            _ => None,
        })
    }

    /// Returns the page's tables, in their order.
    pub fn grids(&self) -> impl Iterator<Item = &Grid> {
        self.parts.iter().filter_map(|part| match part {
            Part::Grid(grid) => Some(grid),
            _ => None,
        })
    }

    /// Returns the file: HTML that is well-formed XML too, but for its first line.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
             <meta name=\"generator\" content=\"raywarp {}\"/>\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
            env!("CARGO_PKG_VERSION")
        );
        let body = html.len();
        for part in &self.parts {
            part.write(&mut html);
        }
        if let Some(sources) = raywarp_family::sources_of(&html[body..]) {
            let _ = writeln!(html, "<footer><p class=\"note\">Papers: {}.</p></footer>", escape(&sources));
        }
        html.push_str("</body>\n</html>\n");
        html
    }
}

impl Part {
    fn write(&self, html: &mut String) {
        let _ = match self {
            Self::Heading(text) => writeln!(html, "<h2>{}</h2>", escape(text)),
            Self::Text(text) => writeln!(html, "<p>{}</p>", escape(text)),
            Self::Note(text) => writeln!(html, "<p class=\"note\">{}</p>", escape(text)),
            Self::FoldStart(summary) => writeln!(html, "<details>\n<summary>{}</summary>", escape(summary)),
            Self::FoldEnd => writeln!(html, "</details>"),
            Self::Command(line) => writeln!(html, "<pre><code>{}</code></pre>", escape(line)),
            Self::List(items) => {
                let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
                writeln!(html, "<ul>\n{items}</ul>")
            }
            Self::Figure(figure) => {
                let caption = escape(&figure.caption);
                let picture = |class: &str, svg: &str| {
                    let role = format!("<svg class=\"{class}\" role=\"img\" aria-label=\"{caption}\" ");
                    svg.replacen("<svg ", &role, 1)
                };
                // What scrolls must be reachable by keys. The page shows one of the two.
                writeln!(
                    html,
                    "<figure>\n<figcaption>{caption}</figcaption>\n<div class=\"wide\" tabindex=\"0\">\n{}{}</div>\n</figure>",
                    picture("broad", &figure.svg),
                    picture("narrow", &figure.narrow)
                )
            }
            Self::Grid(grid) => {
                grid.write(html);
                Ok(())
            }
        };
    }
}

impl Grid {
    fn without_empty_columns(mut self) -> Self {
        let is_empty = |cell: Option<&String>| cell.is_none_or(|cell| cell.is_empty() || cell == "-");
        let kept: Vec<bool> = (0..self.head.len())
            .map(|column| column == 0 || !self.rows.iter().all(|row| is_empty(row.get(column))))
            .collect();
        for row in self.rows.iter_mut().chain([&mut self.head]) {
            let mut column = 0;
            row.retain(|_| {
                column += 1;
                kept.get(column - 1) != Some(&false)
            });
        }
        self
    }

    fn write(&self, html: &mut String) {
        let numeric: Vec<bool> = (0..self.head.len()).map(|column| self.is_numeric(column)).collect();
        let class = |column: usize| if numeric.get(column) == Some(&true) { " class=\"n\"" } else { "" };
        // A table that scrolls makes columns of words as narrow as their longest word, and lines as tall as that takes.
        let of_cell = |column: usize, cell: &str| match class(column) {
            "" if cell.len() <= UNBROKEN => " class=\"s\"",
            class => class,
        };
        let _ = writeln!(
            html,
            "<div class=\"wide\" tabindex=\"0\">\n<table>\n<caption><span>{}</span></caption>\n<thead><tr>",
            escape(&self.caption)
        );
        for (column, name) in self.head.iter().enumerate() {
            let _ = write!(html, "<th scope=\"col\"{}>{}</th>", class(column), escape(name));
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            html.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                let (tag, scope) = if column == 0 { ("th", " scope=\"row\"") } else { ("td", "") };
                let _ = write!(html, "<{tag}{scope}{}>{}</{tag}>", of_cell(column, cell), escape(cell));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>\n</table>\n</div>\n");
    }

    /// Checks if a column holds numbers: digits, signs and what follows them, and nothing else.
    fn is_numeric(&self, column: usize) -> bool {
        let cells = || self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
        let short =
            |cell: &String| cell.len() < 16 && cell.starts_with(|c: char| c.is_ascii_digit() || "+-~".contains(c));
        cells().next().is_some() && cells().all(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_is_not_markup() {
        let mut page = Page::new("a <b> & \"c\"");
        page.command("x --set 'a<b>'\u{1}");
        page.grid(Grid { caption: "<i>".into(), head: vec!["<th>".into()], rows: vec![vec!["</table>".into()]] });
        page.list(vec!["<script>".into()]);
        let html = page.html();
        for wanted in [
            "<title>a &lt;b&gt; &amp; &quot;c&quot;</title>",
            "'a&lt;b&gt;'\u{FFFD}",
            "&lt;/table&gt;",
            "&lt;script&gt;",
        ] {
            assert!(html.contains(wanted), "{wanted}: {html}");
        }
        assert!(!html.contains("<script>") && !html.contains("<b>"));
    }

    #[test]
    fn columns_of_numbers_end_at_the_right() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let rows = vec![row(["while-while", "12.5", "-"]), row(["8 wide", "", "alu"])];
        let grid = Grid { caption: String::new(), head: row(["kernel", "rate", "limit"]), rows };
        assert_eq!([0, 1, 2].map(|column| grid.is_numeric(column)), [false, true, false]);
    }

    #[test]
    fn short_texts_stay_on_one_line_and_long_ones_break() {
        let long = "a source whose name takes more than one line of a table";
        let rows = vec![vec!["clock.mhz".into(), "1980".into(), "pipe alu at +1 %".into(), long.to_string()]];
        let head = ["number", "value", "then", "source"].map(String::from).to_vec();
        let mut html = String::new();
        Grid { caption: String::new(), head, rows }.write(&mut html);
        for cell in ["<td class=\"n\">1980", "<td class=\"s\">pipe alu at +1 %", &format!("<td>{long}")] {
            assert!(html.contains(cell), "{cell} is not in {html}");
        }
    }

    #[test]
    fn a_page_loads_nothing() {
        let html = Page::new("empty").html();
        assert!(html.contains("default-src 'none'"));
        assert!(
            !html.contains("<script") && !html.contains("src=") && !html.contains("href=") && !html.contains("url(")
        );
    }

    #[test]
    fn a_column_without_anything_in_it_is_left_out() {
        let row = |cells: [&str; 4]| cells.map(String::from).to_vec();
        let rows = vec![row(["a", "", "1", "-"]), row(["b", "-", "", ""])];
        let mut page = Page::new("columns");
        page.grid(Grid { caption: String::new(), head: row(["kernel", "none", "some", "no"]), rows });
        let grid = page.grids().next().unwrap();
        assert_eq!(
            (&grid.head, &grid.rows[1]),
            (&vec!["kernel".into(), "some".into()], &vec!["b".into(), String::new()])
        );
    }

    #[test]
    fn what_is_folded_counts_and_an_empty_fold_is_nothing() {
        let mut page = Page::new("folds");
        page.fold("nothing", |_| {});
        page.fold("something", |page| page.text("of AL09"));
        let html = page.html();
        assert!(html.contains("<details>\n<summary>something</summary>\n<p>of AL09</p>\n</details>"), "{html}");
        assert!(!html.contains("nothing") && html.contains("Papers: AL09: Aila and Laine 2009."), "{html}");
    }

    #[test]
    fn colours_of_charts_are_those_that_the_page_changes() {
        for (r, g, b) in [INK, FAINT] {
            let colour = format!("[fill=\"#{r:02X}{g:02X}{b:02X}\"]");
            assert!(STYLE.contains(&colour), "{colour}");
        }
    }
}
