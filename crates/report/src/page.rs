//! The writer of pages: an HTML file with no scripts and nothing that is loaded, readable in light and dark and on a
//! narrow screen, and its charts as pictures.

mod grid;
mod style;

use super::chart::{Chart, NARROW, WIDE, captioned};
use super::document::{Block, Document, Group};
use grid::Grid;
use std::fmt::Write;
use style::STYLE;

/// Facts of the run that the caller knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The command line, so that it can be run again.
    pub command: String,
    /// The scene's file.
    pub scene_file: String,
}

/// A picture with what it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// A file name without an ending: lower case, digits and dashes.
    pub name: String,
    /// The subject of the picture, its unit and its source.
    pub caption: String,
    /// The picture with what it shows: a whole SVG document.
    pub svg: String,
    /// The picture for a narrow screen, with letters of the same size.
    pub narrow: String,
}

/// A report as a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    html: String,
    figures: Vec<Figure>,
}

impl Page {
    /// Returns the file: HTML that is well-formed XML too, but for its first line.
    pub fn html(&self) -> &str {
        &self.html
    }

    /// Returns the page's pictures, in their order; names are unlike one another.
    pub fn figures(&self) -> &[Figure] {
        &self.figures
    }
}

impl Document {
    /// Returns the report as a page.
    pub fn page(&self, about: &About) -> Page {
        let mut writer = Writer { html: String::new(), figures: Vec::new(), about };
        writer.blocks(&self.blocks);
        let Writer { html: body, figures, .. } = writer;
        let title = escape(&self.title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
             <meta name=\"generator\" content=\"raywarp {}\"/>\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
            env!("CARGO_PKG_VERSION")
        );
        html += &body;
        if let Some(sources) = raywarp_family::sources_of(&body) {
            let _ = writeln!(html, "<footer><p class=\"note\">Papers: {}.</p></footer>", escape(&sources));
        }
        html.push_str("</body>\n</html>\n");
        Page { html, figures }
    }
}

/// The body of a page that grows, and its pictures.
struct Writer<'a> {
    html: String,
    figures: Vec<Figure>,
    about: &'a About,
}

impl Writer<'_> {
    fn blocks(&mut self, blocks: &[Block]) {
        blocks.iter().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(text) => self.line(&format!("<h2>{}</h2>", escape(text))),
            Block::Prose(text) => self.line(&format!("<p>{}</p>", escape(text))),
            Block::Note(text) => self.line(&format!("<p class=\"note\">{}</p>", escape(text))),
            Block::List(items) if !items.is_empty() => {
                let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
                self.line(&format!("<ul>\n{items}</ul>"));
            }
            Block::Table(table) => {
                if let Some(grid) = Grid::of(table) {
                    grid.write(&mut self.html);
                }
            }
            Block::Listing(listing) => listing.write(&mut self.html),
            Block::Chart(name, caption, chart) => self.chart(name, caption, chart),
            Block::Run(facts) => self.run(facts),
            Block::Group(Group::Fold(summary), inner) => {
                let start = self.html.len();
                self.line(&format!("<details>\n<summary>{}</summary>", escape(summary)));
                let opened = self.html.len();
                self.blocks(inner);
                match self.html.len() > opened {
                    true => self.line("</details>"),
                    false => self.html.truncate(start),
                }
            }
            Block::Group(Group::Last | Group::Item(_) | Group::Member(_), inner) => self.blocks(inner),
            Block::Group(Group::Programs, _)
            | Block::List(_)
            | Block::Line(_)
            | Block::Paragraph(_)
            | Block::Whole(_)
            | Block::Gap
            | Block::Fact(..)
            | Block::WholeFact(..)
            | Block::Data(..) => {}
        }
    }

    fn line(&mut self, line: &str) {
        self.html += line;
        self.html.push('\n');
    }

    fn chart(&mut self, name: &str, caption: &str, chart: &Chart) {
        let (Some(broad), Some(narrow)) = (chart.svg(WIDE), chart.svg(NARROW)) else { return };
        let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let name = format!("{:02}-{}", self.figures.len() + 1, clean.to_ascii_lowercase());
        let shown = escape(caption);
        let picture = |class: &str, svg: &str| {
            let role = format!("<svg class=\"{class}\" role=\"img\" aria-label=\"{shown}\" ");
            svg.replacen("<svg ", &role, 1)
        };
        // What scrolls must be reachable by keys. The page shows one of the two.
        self.line(&format!(
            "<figure>\n<figcaption>{shown}</figcaption>\n<div class=\"wide\" tabindex=\"0\">\n{}{}</div>\n</figure>",
            picture("broad", &broad),
            picture("narrow", &narrow)
        ));
        let svg = captioned(&broad, caption, WIDE, escape);
        self.figures.push(Figure { name, caption: caption.into(), svg, narrow });
    }

    /// Writes the last section, for the reader who was not there.
    fn run(&mut self, facts: &[(String, String)]) {
        self.line("<h2>What was run</h2>");
        self.line(&format!("<pre><code>{}</code></pre>", escape(&self.about.command)));
        let version = format!("raywarp {}", env!("CARGO_PKG_VERSION"));
        let own = [("scene file", self.about.scene_file.as_str()), ("program", version.as_str())];
        let facts = facts.iter().map(|(what, which)| (what.as_str(), which.as_str()));
        Grid::of_run(facts.chain(own)).write(&mut self.html);
    }
}

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

#[cfg(test)]
mod tests {
    use super::super::chart::{FAINT, INK};
    use super::super::sheet::{Column, Sheet};
    use super::super::table::ReportTable;
    use super::*;

    /// Returns a table of words on a page, below their heads.
    fn grid<const N: usize>(caption: &str, head: [&'static str; N], rows: &[[&'static str; N]]) -> ReportTable {
        let column = |i: usize| Column::words(move |row: &[&'static str; N]| row[i]).page(i, head[i]);
        Sheet((0..N).map(column).collect()).table(rows).on_page(caption)
    }

    #[test]
    fn text_of_others_is_not_markup() {
        let mut document = Document::new("a <b> & \"c\"");
        document.table(grid("<i>", ["<th>"], &[["</table>"]]));
        document.list(vec!["<script>".into()]);
        document.run([("what", "<u>".to_string())]);
        let about = About { command: "x 'a<b>'\u{1}".into(), scene_file: "<u>".into() };
        let page = document.page(&about);
        let html = page.html();
        for wanted in [
            "<title>a &lt;b&gt; &amp; &quot;c&quot;</title>",
            "'a&lt;b&gt;'\u{FFFD}",
            "&lt;/table&gt;",
            "&lt;script&gt;",
        ] {
            assert!(html.contains(wanted), "{wanted}: {html}");
        }
        assert!(!html.contains("<script>") && !html.contains("<b>") && !html.contains("<u>"));
    }

    #[test]
    fn a_page_loads_nothing() {
        let page = Document::new("empty").page(&About::default());
        let html = page.html();
        assert!(html.contains("default-src 'none'"));
        assert!(
            !html.contains("<script") && !html.contains("src=") && !html.contains("href=") && !html.contains("url(")
        );
    }

    #[test]
    fn a_column_without_anything_in_it_is_left_out_and_so_is_a_table_without_rows() {
        let mut document = Document::new("columns");
        document.table(grid("two", ["kernel", "none", "some", "no"], &[["a", "", "1", "-"], ["b", "-", "", ""]]));
        document.table(grid("no rows", ["kernel"], &[]));
        let page = document.page(&About::default());
        let html = page.html();
        let wanted = "<th scope=\"col\">kernel</th><th scope=\"col\" class=\"n\">some</th></tr>";
        assert!(html.contains(wanted) && html.contains("<td class=\"n\"></td></tr>"), "{html}");
        assert!(!html.contains("no rows"), "{html}");
    }

    #[test]
    fn what_is_folded_counts_and_an_empty_fold_is_nothing() {
        let mut document = Document::new("folds");
        document.fold("nothing", |document| document.list(Vec::new()));
        document.fold("something", |document| document.prose("of AL09"));
        let page = document.page(&About::default());
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
