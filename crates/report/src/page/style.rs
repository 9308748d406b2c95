//! The style of a page: at 1400 pixels all columns of a table are seen, at 500 a table scrolls in its own box and
//! pictures are the narrow ones. No letters are smaller than 14 pixels.

/// The page's style sheet; colours of charts have their own on a dark page.
pub(super) const STYLE: &str = "
:root{color-scheme:light dark;--ink:#202226;--soft:#5a5f68;--faint:#d4d6da;--paper:#fff;--stripe:#f5f6f8}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8ec;--soft:#a2a8b3;--faint:#3c4048;--paper:#15171b;--stripe:#1d2026}}
body{margin:0 auto;max-width:84rem;padding:1rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2;margin:.4rem 0}h2{font-size:1.25rem;margin:1.8rem 0 .6rem;border-bottom:1px solid var(--faint)}
p,ul,pre,figcaption,summary{max-width:62rem}p,ul{margin:.6rem 0}ul{padding-left:1.4rem}li{margin:.3rem 0}
.note{color:var(--soft);font-size:.9rem}
pre{white-space:pre-wrap;background:var(--stripe);padding:.6rem .8rem;border-radius:4px;font-size:.9rem}
details{margin:1rem 0;border-left:3px solid var(--faint);padding-left:.8rem}summary{cursor:pointer;font-weight:600}
figure{margin:1.2rem 0}figcaption{color:var(--soft);font-size:.9rem}
.wide{overflow-x:auto;max-width:100%;margin:.9rem 0 .3rem}.wide:focus-visible{outline:2px solid var(--soft)}
table{border-collapse:collapse;font-size:.875rem;line-height:1.35;overflow-wrap:normal}
caption{text-align:left;color:var(--soft);font-size:.9rem;padding-bottom:.3rem}caption span{display:block;position:sticky;left:0;max-width:min(62rem,calc(100vw - 4rem))}
th,td{padding:.15rem .3rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--faint)}
thead th{color:var(--soft);font-weight:600;vertical-align:bottom}tbody th{font-weight:400;white-space:nowrap}
tbody tr{background:var(--paper)}tbody tr:nth-child(even){background:var(--stripe)}
.n{text-align:right;font-variant-numeric:tabular-nums}td.n,.s{white-space:nowrap}
table.code{width:100%;font-size:.875rem}table.code td{border:0;padding:0 .4rem;white-space:pre}table.code tr:nth-child(even){background:none}
table.code code{font:inherit;font-family:ui-monospace,monospace}table.code td:last-child{width:100%}
svg{display:block;max-width:100%;height:auto}svg.narrow{display:none}svg text{font-family:system-ui,sans-serif}
svg [fill=\"#202226\"]{fill:var(--ink)}svg [stroke=\"#202226\"]{stroke:var(--ink)}
svg [fill=\"#D4D6DA\"]{fill:var(--faint)}svg [stroke=\"#D4D6DA\"]{stroke:var(--faint)}
@media screen and (max-width:899px){svg.broad{display:none}svg.narrow{display:block;min-width:27rem}
h1{font-size:1.35rem}h2{font-size:1.15rem}
tbody th{position:sticky;left:0;background:inherit;white-space:normal;overflow-wrap:anywhere;min-width:7rem}}
@media print{.wide{overflow:visible}}
";
