//! A folder to simulate in, a check of well-formedness, and a browser.

use crate::common_folder::{Folder, text};
use crate::common_scene::scattered;
use raywarp_testing::{Reason, skip};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// A folder with `scattered.obj`.
pub fn folder() -> Folder {
    Folder::with_files([("scattered.obj", scattered())])
}

/// `raywarp simulate` of a few rays in such a folder.
pub fn simulate(folder: &Folder, options: &str) -> Output {
    folder.run(&format!("simulate scattered.obj -q --size 64x48 {options}"))
}

/// Names of the elements of a document in their order, if it is well-formed XML but for a first line of HTML.
pub fn elements(text: &str) -> Result<Vec<String>, String> {
    let mut rest = text.strip_prefix("<!DOCTYPE html>").unwrap_or(text);
    let (mut open, mut names): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    while let Some(start) = rest.find('<') {
        character_data(&rest[..start], open.is_empty())?;
        rest = &rest[start + 1..];
        let mut quoted = false;
        let is_end = |(_, c): &(usize, char)| {
            quoted ^= *c == '"';
            *c == '>' && !quoted
        };
        let (end, _) = rest.char_indices().find(is_end).ok_or("a tag without an end")?;
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop().ok_or_else(|| format!("</{name}> closes nothing"))?;
            if last != name {
                return Err(format!("</{name}> closes <{last}>"));
            }
            continue;
        }
        if open.is_empty() && !names.is_empty() {
            return Err(format!("<{tag}> beside the root"));
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(|c: char| c.is_whitespace()).unwrap_or((tag, ""));
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(format!("<{tag}> has no name"));
        }
        let mut parts = attributes.split('"');
        while let (Some(key), value) = (parts.next(), parts.next()) {
            match value {
                Some(value) if key.trim().ends_with('=') => character_data(value, false)?,
                None if key.trim().is_empty() => {}
                _ => return Err(format!("<{tag}>: {key}")),
            }
        }
        names.push(name.to_string());
        if !empty {
            open.push(name.to_string());
        }
    }
    character_data(rest, true)?;
    if let Some(name) = open.last() {
        return Err(format!("<{name}> stays open"));
    }
    if names.is_empty() { Err("no element".into()) } else { Ok(names) }
}

/// Text between tags, or a value: references are known ones; outside of the root only space.
fn character_data(text: &str, outside: bool) -> Result<(), String> {
    if outside && !text.trim().is_empty() {
        return Err(format!("text outside of the root: {text:.40}"));
    }
    for after in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
        if !known.iter().any(|name| after.starts_with(name)) {
            return Err(format!("&{after:.10} is no reference"));
        }
    }
    Ok(())
}

/// A browser without a window.
pub struct Browser(&'static str);

/// One that is installed and starts.
#[track_caller]
pub fn browser() -> Option<Browser> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let runs = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let found = names.into_iter().find(runs).map(Browser);
    if found.is_none() {
        skip(Reason::Browser, "no chromium or chrome is installed");
    }
    found
}

/// Writes down what a person would see, with all folds open: how many tables and pictures, how wide the page is, what is wider than its place, what
/// is hidden to the right in a box that scrolls, letters that are too small, text that leaves its picture, and labels of a picture that
/// lie over each other. Boxes may touch: they have some air above and below the letters.
const LOOK: &str = "
document.querySelectorAll('details').forEach(e => e.open = true);
const width = document.documentElement.clientWidth;
const name = e => e.tagName + ': ' + e.textContent.trim().slice(0, 40);
const all = [...document.body.querySelectorAll('*')];
const seen = e => e.getBoundingClientRect().width > 0;
const over = e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0;
const wide = all.filter(e => !e.parentElement.closest('.wide'))
  .filter(e => e.getBoundingClientRect().right > width + 0.5 || (over(e) && getComputedStyle(e).overflowX != 'auto'));
const scrolled = all.filter(e => over(e) && getComputedStyle(e).overflowX == 'auto');
const size = e => parseFloat(getComputedStyle(e).fontSize) * (e.closest('svg') ? e.closest('svg').getBoundingClientRect().width / e.closest('svg').viewBox.baseVal.width : 1);
const small = all.filter(e => seen(e) && [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim()) && size(e) < 13.99);
const outside = [...document.querySelectorAll('svg text')].filter(seen).filter(t => {
  const box = t.getBoundingClientRect(), page = t.closest('svg').getBoundingClientRect();
  return box.left < page.left - 1 || box.right > page.right + 1 || box.top < page.top - 1 || box.bottom > page.bottom + 1;
});
const overlaps = [...document.querySelectorAll('svg')].flatMap(svg => {
  const labels = [...svg.querySelectorAll('text')].filter(seen);
  const shared = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  const lies_over = (a, b) => shared(a.getBoundingClientRect(), b.getBoundingClientRect()) > 1;
  return labels.flatMap((a, i) => labels.slice(i + 1).filter(b => lies_over(a, b)).map(b => name(a) + ' / ' + name(b)));
});
const count = selector => [...document.querySelectorAll(selector)].filter(seen).length;
document.body.setAttribute('data-seen', encodeURIComponent(JSON.stringify({
  title: document.title, width: width, page: document.documentElement.scrollWidth, table: count('table'), svg: count('svg'),
  wide: wide.map(name), scrolled: scrolled.map(name), small: small.map(name), outside: outside.map(name), overlaps })));
";

impl Browser {
    fn run(&self, options: &[&str], page: &Path) -> Output {
        let profile = page.with_extension("profile");
        let mut command = Command::new(self.0);
        // A container's root has no sandbox; the pages are our own.
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]);
        // Of what it does beside that, nothing is wanted here.
        command.args([
            "--disable-quic",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ]);
        command.arg(format!("--user-data-dir={}", profile.display())).args(options);
        let output = command.arg(format!("file://{}", page.display())).output().unwrap();
        let _ = std::fs::remove_dir_all(profile);
        output
    }

    /// What it writes to its console.
    pub fn complaints(&self, page: &Path) -> Vec<String> {
        let output = self.run(&["--enable-logging=stderr", "--v=0", "--dump-dom"], page);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(!output.stdout.is_empty());
        let said = text(&output.stderr);
        said.lines().filter(|line| line.contains("CONSOLE")).map(str::to_string).collect()
    }

    /// What is seen of pages that are so many pixels wide, each in a frame of one page: a browser takes seconds to start.
    pub fn look(&self, folder: &Folder, pages: &[(String, u32)]) -> Vec<Value> {
        let mut frames = String::new();
        for (html, width) in pages {
            let allowed = html.replace("default-src 'none'; style-src 'unsafe-inline'", "");
            let page = allowed.replacen("</body>", &format!("<script>{LOOK}</script></body>"), 1);
            let page = page.replace('&', "&amp;").replace('"', "&quot;");
            frames += &format!("<iframe style='width:{width}px;height:900px;border:0' srcdoc=\"{page}\"></iframe>\n");
        }
        folder
            .file("look.html", format!("<!DOCTYPE html><html><body>{frames}<script>{COLLECT}</script></body></html>"));
        let output = self.run(&["--window-size=1600,900", "--hide-scrollbars", "--dump-dom"], &folder.at("look.html"));
        let dom = text(&output.stdout);
        let seen = dom.split("data-all=\"").nth(1).and_then(|rest| rest.split('"').next());
        let seen = seen.unwrap_or_else(|| panic!("{dom:.200} {}", text(&output.stderr)));
        let seen: Vec<Value> =
            seen.split_whitespace().map(|of_page| serde_json::from_str(&decoded(of_page)).unwrap()).collect();
        assert_eq!(seen.len(), pages.len());
        seen
    }
}

/// Writes down on a page of frames what was seen in each.
const COLLECT: &str = "
addEventListener('load', () => document.body.setAttribute('data-all',
  [...document.querySelectorAll('iframe')].map(frame => frame.contentDocument.body.dataset.seen).join(' ')));
";

/// Undoes `encodeURIComponent`.
fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        rest = after;
        if let (b'%', [high, low, after @ ..]) = (first, after) {
            let hex = |c: u8| (c as char).to_digit(16).unwrap() as u8;
            bytes.push(16 * hex(*high) + hex(*low));
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).unwrap()
}
