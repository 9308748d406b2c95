//! Tests of what notes of statements say in words, by the tables that have the numbers.

use super::{Paper, Record, find, statements, stored};

/// Words of a statement's note, the table that they are on, and what they say of its numbers.
struct Said {
    paper: Paper,
    statement: &'static str,
    words: &'static str,
    exhibit: &'static str,
    is_so: fn(&Numbers) -> bool,
}

/// The numbers of a table.
struct Numbers(Vec<Record>);

const SCENES: [&str; 2] = ["sibenik", "conference"];
const KINDS: [&str; 3] = ["primary", "ao", "diffuse"];

impl Numbers {
    fn record(&self, key: [&str; 4]) -> &Record {
        self.0.iter().find(|record| record.key() == key).unwrap_or_else(|| panic!("there is no {key:?}"))
    }

    fn ours(&self, scene: &str, subject: &str, rays: &str, quantity: &str) -> f64 {
        self.record([scene, subject, rays, quantity]).ours.unwrap()
    }

    fn theirs(&self, scene: &str, subject: &str, rays: &str, quantity: &str) -> f64 {
        self.record([scene, subject, rays, quantity]).theirs.text().parse().unwrap()
    }
}

/// Returns how many scenes and kinds of rays are so.
fn count(is_so: impl Fn(&str, &str) -> bool) -> usize {
    SCENES.iter().flat_map(|scene| KINDS.map(|rays| (scene, rays))).filter(|(scene, rays)| is_so(scene, rays)).count()
}

/// Returns `true` if the rays that gain are those of which it is said.
fn gain_alone(gain: impl Fn(&str, &str) -> f64, is_said: impl Fn(&str, &str) -> bool) -> bool {
    count(|scene, rays| (gain(scene, rays) > 0.0) == is_said(scene, rays)) == 6
}

/// Returns by how many points a queue's AO and diffuse rays have more than with the paper's settings.
fn of_queues(of: &Numbers, subject: &str, quantity: &str) -> Vec<f64> {
    let more = |(scene, rays)| {
        of.ours(scene, subject, rays, quantity)
            - of.ours(scene, "at most 4 iterations, new rays every 4", rays, quantity)
    };
    SCENES.iter().flat_map(|scene| [(*scene, "ao"), (*scene, "diffuse")]).map(more).collect()
}

/// Returns the scenes that are judged as closed ones.
fn closed_scenes() -> impl Iterator<Item = &'static str> {
    let row = statements(Paper::W11).iter().find(|row| row.name == "closed-scenes").expect("it is a row");
    row.from.iter().flat_map(|selection| &selection.scenes).map(String::as_str)
}

/// Returns `true` for courtyards, which are neither closed nor as open as a scene without walls.
fn is_open_above(scene: &str) -> bool {
    ["san_miguel, clay", "crytek_sponza, clay"].contains(&scene)
}

/// Returns the least and the most of our numbers in these scenes.
fn ends(of: &Numbers, subject: &str, quantity: &str, is_of: impl Fn(&str) -> bool) -> [f64; 2] {
    let is_wanted = |record: &&Record| record.subject == subject && record.quantity == quantity && is_of(&record.scene);
    let ours = of.0.iter().filter(is_wanted).filter_map(|record| record.ours);
    ours.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], ours| [least.min(ours), most.max(ours)])
}

const SAID: &[Said] = &[
    Said {
        paper: Paper::Al09,
        statement: "simulated-rates-packets",
        words: "faster than ours are simulated in four of six cells",
        exhibit: "table1",
        is_so: |of| {
            let is_faster = |scene: &str, rays: &str| {
                of.theirs(scene, "persistent packet", rays, "measured")
                    > of.ours(scene, "persistent packet", rays, "simulated")
            };
            count(is_faster) == 4
        },
    },
    Said {
        paper: Paper::Al09,
        statement: "queue-short-loops",
        words: "it is so: more lanes in traversal, and slower, for AO and diffuse rays",
        exhibit: "queue",
        is_so: |of| {
            ["at most 1 iterations, new rays every 4", "at most 2 iterations, new rays every 4"].iter().all(|short| {
                let [lanes, gains] = ["traversal", "gain"].map(|quantity| of_queues(of, short, quantity));
                lanes.iter().all(|points| *points >= 2.0) && gains.iter().all(|points| *points <= -2.0)
            })
        },
    },
    Said {
        paper: Paper::Al09,
        statement: "queue-every-iteration",
        words: "slower by 2 to 4 points for AO and diffuse rays, but fills warps by less than 2 points more in most cells",
        exhibit: "queue",
        is_so: |of| {
            let [traversal, intersection, gains] = ["traversal", "intersection", "gain"]
                .map(|quantity| of_queues(of, "at most 4 iterations, new rays every 1", quantity));
            let little = traversal.iter().chain(&intersection).filter(|points| (0.0..2.0).contains(*points)).count();
            4 * little >= 3 * (traversal.len() + intersection.len())
                && gains.iter().all(|points| (-4.5..-1.5).contains(points))
        },
    },
    Said {
        paper: Paper::Alk12,
        statement: "fetch-at-once",
        words: "all rays gain where a lane has one; where rays are replaced, primary ones alone do",
        exhibit: "table2",
        is_so: |of| {
            let [one, replaced] = ["fetch at once, one ray a lane", "fetch at once, replacing"];
            gain_alone(|scene, rays| of.ours(scene, one, rays, "gain"), |_, _| true)
                && gain_alone(|scene, rays| of.ours(scene, replaced, rays, "gain"), |_, rays| rays == "primary")
        },
    },
    Said {
        paper: Paper::Alk12,
        statement: "postpone-one-or-two",
        words: "One postponed leaf gains a point or two in conference; nothing gains more",
        exhibit: "table2",
        is_so: |of| {
            let gain = |scene: &str, subject: &str, rays: &str| of.ours(scene, subject, rays, "gain");
            let incoherent = ["ao", "diffuse"];
            let one = incoherent.map(|rays| gain("conference", "postpone one", rays));
            let others = incoherent.map(|rays| {
                gain("sibenik", "postpone one", rays).max(gain("sibenik", "postpone two", rays)).max(gain(
                    "conference",
                    "postpone two",
                    rays,
                ))
            });
            one.iter().all(|gain| (0.5..2.5).contains(gain)) && others.iter().all(|gain| *gain < 0.5)
        },
    },
    Said {
        paper: Paper::G14,
        statement: "gains-on-a-recent-gpu",
        words: "Primary rays gain in both scenes, of the others none",
        exhibit: "table2",
        is_so: |of| {
            gain_alone(|scene, rays| of.ours(scene, "NVIDIA H200", rays, "speedup"), |_, rays| rays == "primary")
        },
    },
    Said {
        paper: Paper::G14,
        statement: "gains-grow-with-complexity",
        words: "AO and diffuse rays lose less in conference than in sibenik, and primary rays gain less",
        exhibit: "table2",
        is_so: |of| {
            let more = |rays: &str| {
                let [sibenik, conference] = SCENES.map(|scene| of.ours(scene, "NVIDIA H200", rays, "speedup"));
                conference - sibenik
            };
            more("ao") > 0.0 && more("diffuse") > 0.0 && more("primary") < 0.0
        },
    },
    Said {
        paper: Paper::G14,
        statement: "titan-gains",
        words: "His rates themselves, all twelve, are below the modelled bounds",
        exhibit: "table2",
        is_so: |of| {
            ["Titan, ALK12's", "Titan, improved"].iter().all(|subject| {
                count(|scene, rays| {
                    of.theirs(scene, subject, rays, "measured") < of.ours(scene, subject, rays, "bound")
                }) == 6
            })
        },
    },
    Said {
        paper: Paper::G14,
        statement: "four-children",
        words: "primary rays gain, diffuse rays lose, AO gains in conference",
        exhibit: "improvements",
        is_so: |of| {
            let gain = |scene: &str, rays: &str| of.ours(scene, "4-ary", rays, "gain");
            SCENES.iter().all(|scene| gain(scene, "primary") >= 2.0 && gain(scene, "diffuse") <= -2.0)
                && gain("conference", "ao") >= 2.0
                && gain("sibenik", "ao").abs() < 2.0
        },
    },
    Said {
        paper: Paper::G14,
        statement: "six-comparisons",
        words: "five are a little faster everywhere",
        exhibit: "improvements",
        is_so: |of| {
            let more = |scene: &str, rays: &str| {
                of.ours(scene, "4-ary, five comparisons", rays, "gain") - of.ours(scene, "4-ary", rays, "gain")
            };
            count(|scene, rays| (0.0..5.0).contains(&more(scene, rays))) == 6
        },
    },
    Said {
        paper: Paper::W11,
        statement: "paths-left-at-bounce-8",
        words: "Open scenes here: 0.2 (dragon, clay) to 6.7 % (hairball, clay, mean of its views)",
        exhibit: "table2",
        is_so: |of| {
            let is_closed = |scene: &str| closed_scenes().any(|closed| closed == scene) || is_open_above(scene);
            let [least, most] = ends(of, "bounce 8", "paths", |scene| !is_closed(scene));
            let [dragon, hairball] = [("dragon, clay", "counted"), ("hairball, clay", "simulated")]
                .map(|(scene, from)| of.ours(scene, "bounce 8", from, "paths"));
            (least, most) == (dragon, hairball) && (0.15..0.25).contains(&least) && (6.65..6.75).contains(&most)
        },
    },
    Said {
        paper: Paper::W11,
        statement: "fewer-warps",
        words: "In closed scenes (those of 4.2.7 below) 1.00 to 1.25, most in bathroom2 with its own materials",
        exhibit: "table2",
        is_so: |of| {
            let [least, most] = ends(of, "all bounces", "saved", |scene| closed_scenes().any(|closed| closed == scene));
            let bathroom = of.ours("bathroom2", "all bounces", "counted", "saved");
            most == bathroom && (0.995..1.005).contains(&least) && (1.245..1.255).contains(&most)
        },
    },
    Said {
        paper: Paper::W11,
        statement: "shared-memory-is-off-limits",
        words: "On an H200 M = 1 to 4 keep all warps that registers allow; M = 8 loses in all",
        exhibit: "figure2",
        is_so: |of| {
            let [one, two, four, eight] =
                ["M 1", "M 2", "M 4", "M 8"].map(|m| of.ours("NVIDIA H200", m, "", "occupancy"));
            let loses = |record: &Record| record.ours.is_some_and(|ours| ours < 0.98);
            let is_of_8 = |record: &&Record| record.subject == "M 8" && record.quantity == "of global";
            one == two && two == four && four > eight && of.0.iter().filter(is_of_8).all(loses)
        },
    },
];

/// Returns why a note's words are not so by the records of its table; `None` if they are.
fn fault(said: &Said, records: Vec<Record>) -> Option<String> {
    let row = statements(said.paper).iter().find(|row| row.name == said.statement)?;
    if !row.note.contains(said.words) {
        return Some(format!("{}: its note does not say: {}", said.statement, said.words));
    }
    (!(said.is_so)(&Numbers(records))).then(|| format!("{}: it is not so: {}", said.statement, said.words))
}

fn records(said: &Said) -> Vec<Record> {
    stored(find(said.paper, said.exhibit).expect("it is a table"))
}

#[test]
fn what_notes_say_is_so_by_their_tables() {
    for said in SAID {
        assert_eq!(fault(said, records(said)), None);
    }
}

#[test]
fn a_note_that_its_table_denies_is_found() {
    for said in SAID {
        // Gains become losses, rates and shares fall to nothing.
        let mut planted = records(said);
        planted.iter_mut().for_each(|record| record.ours = record.ours.map(|ours| -ours));
        assert!(fault(said, planted).is_some(), "{}", said.statement);
    }
}
