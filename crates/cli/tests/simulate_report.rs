//! `raywarp simulate --report`, `--what-if` and `--measured` as a user meets them; the page in a browser, where one is installed.

use crate::common_folder::{document, text};
use crate::common_report::{browser, elements, folder, simulate};
use serde_json::Value;

const BOUNDS: &str =
    "--machine h200 --variant al09-while-while,alk12-kepler,raywarp-h8 --kind primary,diffuse --sample 1536";

const BENCH: &str = "scene,workload,kind,order,view,variant,tree,max_leaf,block_threads,max_registers,rays,target,mrays_median,mrays_max,clock_mhz,clock_most_mhz\n\
    scattered,raywarp,primary,workload,all,direct/while-while/bvh2,good,8,,,3072,NVIDIA H200,123.4,123.5,345,1980\n";

#[test]
fn a_report_of_bounds_is_one_whole_file_that_says_what_was_run_and_what_to_conclude() {
    let folder = folder();
    folder.file("bench.csv", BENCH);
    let output = simulate(&folder, &format!("{BOUNDS} --report out.html --svg . --measured bench.csv"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let html = folder.text("out.html");
    let names = elements(&html).unwrap();
    let count = |name: &str| names.iter().filter(|element| *element == name).count();
    // Bounds, efficiency (2 kinds each), what would pay, two of the generations: each for wide screens and for narrow ones.
    assert_eq!((count("svg"), count("figure"), count("h1"), count("script")), (14, 7, 1, 0));
    // The fastest, what would pay, for each kernel, bounds, measured, generations, the machine, the run.
    assert_eq!((count("table"), count("caption")), (8, 8));
    // The conclusions and the fastest kernels before all pictures and other tables, the kernels in words folded, the run last.
    let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text} is not there"));
    let order = [
        "In short</h2>",
        " rays: ",
        "The 5 fastest kernels",
        "<svg ",
        "All bounds on",
        "in words (3)</summary>",
        "What was run",
    ];
    assert!(order.map(at).is_sorted(), "{:?}", order.map(at));
    assert!(html.contains("Papers: AL09: Aila and Laine 2009; ALK12: "), "keys of papers are explained");
    for wanted in [
        "<title>What bounds scattered on H200</title>",
        "--report out.html",
        "estimates: ",
        "Mrays/s, by ",
        "123.4",
        "at +",
    ] {
        assert!(html.contains(wanted), "{wanted}");
    }
    for unwanted in ["<script", "src=", "href=", "NaN", "inf "] {
        assert!(!html.contains(unwanted), "{unwanted}");
    }
    let pictures: Vec<String> = folder.names().into_iter().filter(|name| name.ends_with(".svg")).collect();
    assert_eq!(pictures.len(), 7, "{pictures:?}");
    for name in pictures {
        assert_eq!(elements(&folder.text(&name)).unwrap()[0], "svg", "{name}");
    }
}

#[test]
fn a_page_says_where_no_code_is_known_and_what_is_no_bound() {
    let folder = folder();
    let options = "--machine gtx480,gtx680,gtx285 --variant al09-while-while --kind primary --sample 1536";
    let output = simulate(&folder, &format!("{options} --report out.html"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let html = folder.text("out.html");
    let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text} is not there"));
    let order = [
        "GTX 480</h2>",
        "no machine code is known",
        "GTX 680</h2>",
        "likened by code for compute capability 3.5",
        "GTX 285</h2>",
        "fitted to AL09",
    ];
    assert!(order.map(at).is_sorted(), "{:?}", order.map(at));
    for no_bound in ["fitted costs", "code of another machine"] {
        let there = html.contains(&format!("by {no_bound}, which is no bound"))
            && html.contains(&format!("rate by {no_bound}"));
        assert!(there, "{no_bound}");
    }
    assert!(!html.contains("has the highest ceiling"), "none of these has a bound by its own code");
    let text = text(&output.stdout);
    // In the kernel's own row, not in the note below alone.
    let is_told = |line: &str| line.starts_with("al09-while-while ") && line.contains("no code");
    assert!(text.lines().any(is_told) && text.contains('~'), "{text}");
}

#[test]
fn a_bound_without_instructions_is_marked_in_text_and_on_the_page() {
    let folder = folder();
    // Of the Titan there is code of one of these kernels.
    let options = "--machine gtxtitan --variant raywarp-h8,al09-while-while --kind primary --sample 1536";
    let output = simulate(&folder, &format!("{options} --report out.html"));
    let said = text(&output.stdout);
    let cell = |kernel: &str, number: usize| {
        let line = said.lines().find(|line| line.starts_with(kernel)).unwrap_or_else(|| panic!("{said}"));
        line.split_whitespace().nth(number).unwrap().to_string()
    };
    assert!(cell("raywarp-h8 ", 2).ends_with('^') && !cell("al09-while-while ", 2).contains('^'), "{said}");
    assert!(said.lines().any(|line| line.starts_with("^: ")), "{said}");
    let page = folder.text("out.html");
    assert!(page.matches("^<").count() > 0, "{page}");
    // What an old GPU has is called by a name of its time.
    assert!([&said, &page].iter().all(|shown| !shown.contains("fmaheavy")) && page.contains("pipes.imul"), "{said}");
}

#[test]
fn a_folder_for_pictures_is_made_when_there_are_some() {
    let folder = folder();
    for line in ["--svg new", "--svg new/", "--svg other/"] {
        let output = simulate(&folder, &format!("--efficiency --variant al09-while-while --sample 384 {line}"));
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        let made = line.trim_start_matches("--svg ").trim_end_matches('/');
        assert!(folder.path().join(made).join("01-efficiency-primary.svg").is_file(), "{line}");
    }
}

#[test]
fn reports_of_efficiency_and_of_experiments_are_well_formed_and_do_not_depend_on_threads() {
    let folder = folder();
    for (name, options) in [
        ("efficiency", "--efficiency --width 8,32 --variant al09-while-while,al09-wide8 --sample 1536"),
        ("distribution", "--experiment distribution --kind primary --sample 3072"),
        ("compaction", "--experiment compaction"),
    ] {
        let run = |threads: u32| {
            let output = simulate(&folder, &format!("{options} --threads {threads} --report {name}.html"));
            assert!(output.status.success(), "{name}: {}", text(&output.stderr));
            folder.text(&format!("{name}.html")).replace(&format!("--threads {threads}"), "")
        };
        let one = run(1);
        assert!(elements(&one).unwrap().iter().any(|element| element == "svg"), "{name}");
        assert!(one.contains("In short") && one.contains("<li>"), "{name}");
        assert!(one == run(2), "{name}");
    }
    let distribution = folder.text("distribution.html");
    assert!(distribution.contains("How long warps of primary rays take"));
}

/// Lowest bounds and expected rates of a document's rows with so many lanes a warp, by kernel and kind of rays.
fn rates(document: &Value, width: u64) -> Vec<(String, String, f64, Option<f64>)> {
    let of = |row: &Value| {
        let bounds = row["bounds"].as_array().unwrap().iter().map(|bound| bound["mrays_per_s"].as_f64().unwrap());
        (
            row["variant"].as_str().unwrap().into(),
            row["kind"].as_str().unwrap().into(),
            bounds.fold(f64::INFINITY, f64::min),
            row["expected_mrays_per_s"].as_f64(),
        )
    };
    document["rows"].as_array().unwrap().iter().filter(|row| row["width"] == width).map(of).collect()
}

/// The rates of a row of what a change would bring.
fn find(rates: &[(String, String, f64, Option<f64>)], row: &Value) -> (f64, Option<f64>) {
    let found = rates.iter().find(|(variant, kind, ..)| row["variant"] == **variant && row["kind"] == **kind).unwrap();
    (found.2, found.3)
}

/// The slow way: the same run with the options that the ranking names.
#[test]
fn what_a_change_would_pay_is_what_it_pays() {
    let folder = folder();
    let run = |options: &str| -> Value {
        let output = simulate(&folder, &format!("{BOUNDS} --json {options}"));
        assert!(output.status.success(), "{options}: {}", text(&output.stderr));
        document(&output)
    };
    let ranked = run("--what-if");
    let before = rates(&ranked, 32);
    let changes = ranked["what_if"].as_array().unwrap();
    assert!(changes.iter().all(|change| change["ranked_by"] == "expected rate"), "{changes:?}");
    // By the expected rate, then those that the model does not have, and last twice the machine.
    let means: Vec<f64> = changes[..changes.len() - 1]
        .iter()
        .map(|change| change["expected_gain"]["percent"].as_f64().unwrap_or(f64::NEG_INFINITY))
        .collect();
    assert!(means.is_sorted_by(|a, b| a >= b), "{means:?}");
    assert_eq!(changes.last().unwrap()["options"], "--set sm.count=2x");
    let of = |options: &str| {
        let found = changes.iter().find(|change| change["options"] == options);
        found.unwrap_or_else(|| panic!("{options} is none of {changes:?}"))
    };
    let width = of("--width 64");
    assert!(width["expected_gain"].is_null() && width["rows"][0]["expected_gain"].is_null(), "{width}");
    let cheaper = of("--set cost.visit_node=0.75x");
    assert!(cheaper["expected_gain"]["percent"].as_f64().unwrap() > 1.0, "{cheaper}");
    let tried: Vec<&Value> =
        ["--set pipes.alu=2x", "--set sm.schedulers=2x", "--set latency.l1_hit=0.5x", "--set latency.l2_hit=0.5x"]
            .into_iter()
            .map(of)
            .chain([cheaper, width])
            .collect();
    let (mut bounds, mut expected) = (0, 0);
    for change in tried {
        let options = change["options"].as_str().unwrap();
        let after = if options == "--width 64" { rates(&ranked, 64) } else { rates(&run(options), 32) };
        // Costs that are set are not verified, which is no part of the gain.
        let unverified = options.contains("cost.").then(|| rates(&run(&options.replace("0.75x", "1x")), 32));
        for row in change["rows"].as_array().unwrap() {
            let paid = 100.0 * (find(&after, row).0 / find(unverified.as_ref().unwrap_or(&before), row).0 - 1.0);
            let gain = row["bound_gain_percent"].as_f64().unwrap();
            assert!((gain - paid).abs() < 1e-6, "{options}, {row}: {paid}");
            bounds += 1;
            // Costs that are set have no code, and warps of another width no rate.
            if let Some(gain) = row["expected_gain"]["percent"]
                .as_f64()
                .filter(|_| options.starts_with("--set ") && unverified.is_none())
            {
                let paid = 100.0 * (find(&after, row).1.unwrap() / find(&before, row).1.unwrap() - 1.0);
                assert!((gain - paid).abs() < 1e-6, "{options}, {row}: expected {paid}");
                let [low, high] =
                    ["low_percent", "high_percent"].map(|end| row["expected_gain"][end].as_f64().unwrap());
                assert!(low < gain && gain < high, "{row}");
                assert_eq!(row["expected_gain"]["decided"], low > 0.0 || high < 0.0, "{row}");
                expected += 1;
            }
        }
    }
    // Rates of primary rays are not told.
    assert_eq!((bounds, expected), (6 * 6, 4 * 3));
}

/// A machine file that somebody wrote: what the ranking has of a number is what a machine with that number has.
#[test]
fn a_machine_file_with_a_number_twice_as_large_has_the_rate_that_was_ranked() {
    let folder = folder();
    let file = include_str!("../../../machines/h200.toml");
    let twice = file.replace("alu = { value = 64,", "alu = { value = 128,");
    assert_ne!(file, twice);
    folder.file("twice.toml", twice);
    folder.file("once.toml", file);
    let run = |options: &str| -> Value {
        let kernel = "--variant al09-while-while --kind ao --sample 1536 --width 32 --json";
        let output = simulate(&folder, &format!("{kernel} {options}"));
        assert!(output.status.success(), "{options}: {}", text(&output.stderr));
        document(&output)
    };
    let once = run("--machine once.toml --what-if");
    let changes = once["what_if"].as_array().unwrap();
    let gain = changes.iter().find(|change| change["options"] == "--set pipes.alu=2x").unwrap();
    let gain = gain["rows"][0]["expected_gain"]["percent"].as_f64().unwrap();
    let [before, after] = [once, run("--machine twice.toml")].map(|document| rates(&document, 32)[0].3.unwrap());
    assert!(gain > 1.0 && (gain - 100.0 * (after / before - 1.0)).abs() < 1e-6, "{gain} {before} {after}");
}

#[test]
fn what_a_kernel_does_not_meet_pays_nothing_and_what_the_model_does_not_have_is_said() {
    let folder = folder();
    // So many multiprocessors that memory sets the lowest bound; latencies of nothing that while-while does.
    let kernel = "--variant al09-while-while --kind diffuse --sample 1536 --width 32 --set sm.count=4096";
    let run = |options: &str| {
        let output = simulate(&folder, &format!("{kernel} {options}"));
        assert!(output.status.success(), "{options}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let json = |options: &str| -> Value { serde_json::from_str(&run(&format!("{options} --json"))).unwrap() };
    let document = json("--machine h200 --what-if");
    let changes = document["what_if"].as_array().unwrap();
    let options: Vec<&str> = changes.iter().map(|change| change["options"].as_str().unwrap()).collect();
    for unmet in ["latency.shared", "latency.lanes", "pipes.half", "cost.prefix_sum"] {
        assert!(options.iter().all(|options| !options.contains(unmet)), "{unmet}: {options:?}");
    }
    let memory = changes.iter().find(|change| change["options"] == "--set dram.gb_per_s=2x").unwrap();
    assert!(memory["expected_gain"].is_null() && memory["bound_gain_percent"].as_f64().unwrap() > 50.0, "{memory}");
    let text = run("--machine h200 --what-if");
    let line = text.lines().find(|line| line.starts_with("twice the memory's bandwidth")).unwrap();
    assert!(line.contains("not in the model"), "{line}");
    assert!(text.contains("undecided: "), "{text}");
    // Nothing was measured on these: by the bound, and said so.
    for machine in ["rtx4090", "gtx285", "gtx680"] {
        let document = json(&format!("--machine {machine} --what-if"));
        let changes = document["what_if"].as_array().unwrap();
        let name = match machine {
            "gtx285" => "fitted rate",
            "gtx680" => "likened rate",
            _ => "lowest bound",
        };
        let by_bound = |change: &Value| change["ranked_by"] == name && change["expected_gain"].is_null();
        assert!(!changes.is_empty() && changes.iter().all(by_bound), "{machine}: {changes:?}");
        let text = run(&format!("--machine {machine} --what-if")).replace('\n', " ");
        assert!(text.contains(" interval") && !text.contains("nine of ten: "), "{machine}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_known_before_the_run_and_leaves_nothing() {
    let folder = folder();
    for (options, status, name) in [
        ("--report none/out.html", 5, "none"),
        ("--report .", 5, "folder"),
        ("--report out.html --svg none/figures", 5, "none"),
        ("--report out.html --svg scattered.obj", 5, "scattered.obj"),
        ("--report out.html --measured none.csv", 3, "none.csv"),
        ("--report out.html --measured scattered.obj", 3, "line 1"),
    ] {
        let output = simulate(&folder, &format!("{BOUNDS} {options}"));
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{options}: {message}");
        assert!(message.contains(name), "{options}: {message}");
        assert!(output.stdout.is_empty(), "{options}");
        assert_eq!(folder.names(), ["scattered.obj"], "{options}");
    }
    for options in ["--efficiency --what-if", "--experiment compaction --report out.html --measured scattered.obj"] {
        let output = simulate(&folder, options);
        assert_eq!(output.status.code(), Some(2), "{options}");
        assert!(text(&output.stderr).contains("--machine"), "{options}");
    }
}

#[test]
fn a_browser_shows_a_report_without_complaint_and_nothing_is_wider_than_the_page() {
    let Some(browser) = browser() else { return };
    let folder = folder();
    folder.file("bench.csv", BENCH);
    let reports = [
        ("bounds", format!("{BOUNDS} --what-if --measured bench.csv")),
        ("all", "--machine h200 --sample 32 --kind diffuse,primary,ao".into()),
        ("distribution", "--experiment distribution --kind primary --sample 3072".into()),
        ("rates", "--experiment rates --sample 512".into()),
        ("compaction", "--experiment compaction".into()),
        ("efficiency", "--efficiency --width 8,32 --sample 1536 --variant al09-while-while,al09-wide8".into()),
    ]
    .map(|(name, options)| {
        let output = simulate(&folder, &format!("{options} --report {name}.html"));
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        (name, folder.text(&format!("{name}.html")))
    });
    // All pages have one style.
    assert_eq!(browser.complaints(&folder.at("bounds.html")), Vec::<String>::new());
    let bad = "<!DOCTYPE html><html><body><img src=\"http://localhost:1/none.png\"/><script>console.error('x')</script></body></html>";
    folder.file("bad.html", bad);
    assert_ne!(browser.complaints(&folder.at("bad.html")), Vec::<String>::new());

    let pages: Vec<(&str, &String, u32)> =
        reports.iter().flat_map(|(name, html)| [500, 1400].map(|width| (*name, html, width))).collect();
    let of_pages: Vec<(String, u32)> = pages.iter().map(|&(_, html, width)| (html.clone(), width)).collect();
    // What is found, where it is planted in the first report, and how wide that is shown.
    let line =
        "<p style=\"white-space:nowrap\">a line that does not break however narrow the page is, and is too long</p>";
    let labels = "<text x=\"300\" y=\"20\">a label</text><text x=\"340\" y=\"20\">the next</text>";
    let plants = [
        ("wide", "<h2>", line, 500),
        ("wide", "<h2>", "<table style=\"width:90rem\"><tr><td>a</td></tr></table>", 1400),
        ("scrolled", "<h2>", "<div class=\"wide\"><div style=\"width:90rem\">a column</div></div>", 1400),
        ("small", "<h2>", "<p style=\"font-size:13px\">small</p>", 1400),
        ("outside", "</svg>", "<text x=\"850\" y=\"20\">outside</text>", 1400),
        ("overlaps", "</svg>", labels, 1400),
    ];
    let planted = plants.map(|(_, before, planted, width)| {
        let html = reports[0].1.replacen(before, &format!("{planted}{before}"), 1);
        (html, width)
    });
    let seen = browser.look(&folder, &[&of_pages[..], &planted].concat());
    let nothing = serde_json::json!([]);
    for (&(name, html, width), seen) in pages.iter().zip(&seen) {
        let names = elements(html).unwrap();
        let written = |element: &str| names.iter().filter(|name| *name == element).count();
        let place = format!("{name} at {width} pixels");
        assert_eq!((&seen["width"], &seen["page"]), (&width.into(), &width.into()), "{place} scrolls sideways");
        // Of each picture one of two is shown.
        assert_eq!((&seen["table"], &seen["svg"]), (&written("table").into(), &(written("svg") / 2).into()), "{place}");
        let title = seen["title"].as_str().unwrap();
        assert!(!title.is_empty() && html.contains(&format!("<h1>{title}</h1>")), "{name}: {title}");
        assert_eq!(seen["wide"], nothing, "{place}");
        assert_eq!(seen["small"], nothing, "{place}: letters of less than 14 pixels");
        assert_eq!(seen["outside"], nothing, "{place}: text outside of its picture");
        assert_eq!(seen["overlaps"], nothing, "{place}: labels over each other");
        assert!(width == 500 || seen["scrolled"] == nothing, "{place}: columns are cut off: {}", seen["scrolled"]);
    }
    for ((what, _, planted, _), seen) in plants.iter().zip(&seen[pages.len()..]) {
        assert_ne!(seen[what], nothing, "{planted}");
    }
}

#[test]
fn the_check_of_well_formedness_finds_what_is_not() {
    assert_eq!(elements("<!DOCTYPE html>\n<a><b x=\"1 > 0\"/>t &amp; &lt;</a>").unwrap(), ["a", "b"]);
    for wrong in [
        "<a><b></a></b>",
        "<a>",
        "</a>",
        "<a x=1></a>",
        "<a>&</a>",
        "<a>&nbsp;</a>",
        "<a></a><",
        "<a></a>t",
        "<a></a><b></b>",
        "<a>1 < 2</a>",
    ] {
        assert!(elements(wrong).is_err(), "{wrong}");
    }
}
