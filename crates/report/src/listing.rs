//! The lines of a file on a page, with numbers beside them and a colour for how much of something a line has.

use super::page::escape;
use std::fmt::Write;

/// A line of a [`Listing`].
#[derive(Debug, Clone, PartialEq)]
pub struct ListedLine {
    /// Cells to the left of the text, one for each of the listing's heads; empty where nothing is to be said.
    pub cells: Vec<String>,
    /// How strongly the line is coloured, 0 to 1; 0 for a line without colour.
    pub heat: f64,
    /// Text of the line.
    pub text: String,
}

/// The lines of a file, for a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The caption: which file, and what the colour says.
    pub caption: String,
    /// Names of the cells to the left of the text.
    pub heads: Vec<String>,
    /// Lines of the file.
    pub lines: Vec<ListedLine>,
}

impl Listing {
    /// Writes the listing as HTML.
    pub(super) fn write(&self, html: &mut String) {
        if self.lines.is_empty() {
            return;
        }
        let _ = writeln!(
            html,
            "<div class=\"wide\" tabindex=\"0\">\n<table class=\"code\">\n<caption><span>{}</span></caption>\n<thead><tr>",
            escape(&self.caption)
        );
        for head in &self.heads {
            let _ = write!(html, "<th scope=\"col\" class=\"n\">{}</th>", escape(head));
        }
        html.push_str("<th scope=\"col\">source</th></tr></thead>\n<tbody>\n");
        for line in &self.lines {
            match line.heat > 0.0 {
                true => {
                    let _ = write!(
                        html,
                        "<tr class=\"hot\" style=\"background:color-mix(in srgb,#e8590c {:.1}%,transparent)\">",
                        70.0 * line.heat.min(1.0)
                    );
                }
                false => html.push_str("<tr>"),
            }
            for cell in &line.cells {
                let _ = write!(html, "<td class=\"n\">{}</td>", escape(cell));
            }
            let _ = writeln!(html, "<td><code>{}</code></td></tr>", escape(&line.text));
        }
        html.push_str("</tbody>\n</table>\n</div>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::super::{About, Document};
    use super::*;

    #[test]
    fn a_page_shows_lines_as_they_are_and_colours_the_hot_ones() {
        let line = |cell: &str, heat, text: &str| ListedLine { cells: vec![cell.into()], heat, text: text.into() };
        let lines = vec![line("", 0.0, "if (a < b) {"), line("12.5 %", 0.25, "  x &= \"y\";")];
        let mut document = Document::new("listing");
        document.listing(Listing { caption: "a<b>.h".into(), heads: vec!["share".into()], lines });
        document.listing(Listing { caption: "nothing".into(), heads: vec![], lines: vec![] });
        let page = document.page(&About::default());
        for wanted in [
            "<caption><span>a&lt;b&gt;.h</span></caption>",
            "<tr><td class=\"n\"></td><td><code>if (a &lt; b) {</code></td></tr>",
            "<tr class=\"hot\" style=\"background:color-mix(in srgb,#e8590c 17.5%,transparent)\"><td class=\"n\">12.5 %</td><td><code>  x &amp;= &quot;y&quot;;</code>",
        ] {
            assert!(page.html().contains(wanted), "{wanted}: {}", page.html());
        }
        assert!(!page.html().contains("nothing"));
    }
}
