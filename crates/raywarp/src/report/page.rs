//! What a report says, and the HTML file that says it: no scripts, nothing that is loaded, readable in light and dark and on a
//! narrow screen.

use super::chart::Chart;
use std::fmt::Write;

/// A table: all text is plain and escaped when it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// What it shows, and in what unit.
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
    /// What it shows, in what unit and from whom.
    pub caption: String,
    /// The picture: a whole SVG document.
    pub svg: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Heading(String),
    Text(String),
    Command(String),
    List(Vec<String>),
    Grid(Grid),
    Figure(Figure),
}

/// A report: read from top to bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    title: String,
    parts: Vec<Part>,
}

/// Colours that charts draw with, and what they are on a light and on a dark page: the only link between the two.
pub(super) const INK: (u8, u8, u8) = (0x20, 0x22, 0x26);
pub(super) const FAINT: (u8, u8, u8) = (0xD4, 0xD6, 0xDA);

const STYLE: &str = "
:root{color-scheme:light dark;--ink:#202226;--soft:#5a5f68;--faint:#d4d6da;--paper:#fff;--stripe:#f5f6f8}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8ec;--soft:#a2a8b3;--faint:#3c4048;--paper:#15171b;--stripe:#1d2026}}
body{margin:0 auto;max-width:62rem;padding:1rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid var(--faint)}
pre{white-space:pre-wrap;background:var(--stripe);padding:.6rem .8rem;border-radius:4px}
figure{margin:1.2rem 0}figcaption{color:var(--soft);font-size:.9rem}
.wide{overflow-x:auto;max-width:100%;margin:.9rem 0 .3rem}.wide:focus-visible{outline:2px solid var(--soft)}
table{border-collapse:collapse;font-size:.85rem;overflow-wrap:normal}
caption{text-align:left;color:var(--soft);font-size:.9rem;padding-bottom:.3rem;max-width:min(60rem,calc(100vw - 3rem))}
th,td{padding:.15rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--faint)}
thead th{color:var(--soft);font-weight:600}tbody th{font-weight:400;white-space:nowrap}tbody tr:nth-child(even){background:var(--stripe)}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}.s{white-space:nowrap}
svg{display:block}svg text{font-family:system-ui,sans-serif}
svg [fill=\"#202226\"]{fill:var(--ink)}svg [stroke=\"#202226\"]{stroke:var(--ink)}
svg [fill=\"#D4D6DA\"]{fill:var(--faint)}svg [stroke=\"#D4D6DA\"]{stroke:var(--faint)}
li{margin:.3rem 0}@media print{.wide{overflow:visible}}
";

/// Cells of so many bytes stay on one line.
const UNBROKEN: usize = 32;

/// Text as HTML and XML show it.
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
    /// One with nothing on it.
    pub(super) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), parts: Vec::new() }
    }

    pub(super) fn heading(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Heading(text.into()));
    }

    pub(super) fn text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    pub(super) fn command(&mut self, line: &str) {
        self.parts.push(Part::Command(line.into()));
    }

    /// Nothing where there is none.
    pub(super) fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.parts.push(Part::List(items));
        }
    }

    /// Nothing where there are no rows.
    pub(super) fn grid(&mut self, grid: Grid) {
        if !grid.rows.is_empty() {
            self.parts.push(Part::Grid(grid));
        }
    }

    /// Nothing where the chart has nothing to show.
    pub(super) fn chart(&mut self, name: &str, caption: impl Into<String>, chart: &impl Chart) {
        if let Some(svg) = chart.svg() {
            let number = self.figures().count() + 1;
            let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            let name = format!("{number:02}-{}", clean.to_ascii_lowercase());
            self.parts.push(Part::Figure(Figure { name, caption: caption.into(), svg }));
        }
    }

    /// What it is called.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Its pictures, in their order; names are unlike one another.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.parts.iter().filter_map(|part| match part {
            Part::Figure(figure) => Some(figure),
            _ => None,
        })
    }

    /// Its tables, in their order.
    pub fn grids(&self) -> impl Iterator<Item = &Grid> {
        self.parts.iter().filter_map(|part| match part {
            Part::Grid(grid) => Some(grid),
            _ => None,
        })
    }

    /// The file: HTML that is well-formed XML too, but for its first line.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
             <meta name=\"generator\" content=\"raywarp {}\"/>\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
            env!("CARGO_PKG_VERSION")
        );
        for part in &self.parts {
            part.write(&mut html);
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
            Self::Command(line) => writeln!(html, "<pre><code>{}</code></pre>", escape(line)),
            Self::List(items) => {
                let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
                writeln!(html, "<ul>\n{items}</ul>")
            }
            Self::Figure(figure) => {
                let caption = escape(&figure.caption);
                let role = format!("<svg role=\"img\" aria-label=\"{caption}\" ");
                let svg = figure.svg.replacen("<svg ", &role, 1);
                // What scrolls must be reachable by keys.
                writeln!(
                    html,
                    "<figure>\n<div class=\"wide\" tabindex=\"0\">\n{svg}</div>\n<figcaption>{caption}</figcaption>\n</figure>"
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
            "<div class=\"wide\" tabindex=\"0\">\n<table>\n<caption>{}</caption>\n<thead><tr>",
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

    /// Whether a column holds numbers: digits, signs and what follows them, and nothing else.
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
    fn colours_of_charts_are_those_that_the_page_changes() {
        for (r, g, b) in [INK, FAINT] {
            let colour = format!("[fill=\"#{r:02X}{g:02X}{b:02X}\"]");
            assert!(STYLE.contains(&colour), "{colour}");
        }
    }
}
