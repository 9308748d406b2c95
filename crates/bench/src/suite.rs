//! Suites: the papers' tables and side experiments by name.

use crate::{RayColumn, RayOrder, Subject, Target};
use raywarp_workload::rays::{RayKind, Workload};

/// A named benchmark suite: settings that hold where the user leaves them unset.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// Name of the suite on the command line.
    pub name: &'static str,
    /// Description of the suite in one line.
    pub about: &'static str,
    /// Workload that defines how the rays are made.
    pub workload: Workload,
    /// Kinds of rays that are measured.
    pub kinds: &'static [RayKind],
    /// Orders of rays: each kind is measured in each order.
    pub orders: &'static [RayOrder],
    /// Names of the scenes, if the suite is about certain ones.
    pub scenes: &'static [&'static str],
    /// Numbers of the viewpoints; all viewpoints if empty.
    pub views: &'static [usize],
    /// `true` if the rays of all viewpoints are traced in one launch.
    pub one_launch: bool,
    kernels: Kernels,
}

#[derive(Debug, Clone, Copy)]
enum Kernels {
    /// Kernels given by the names of papers' rows or as variants.
    These(&'static [&'static str]),
    /// All compiled variants that the target can run.
    Compiled,
}

const ALL_KINDS: &[RayKind] = &RayKind::ALL;

/// Kernels of AL09's Table 1.
const TABLE1: &[&str] = &[
    "al09-packet",
    "al09-while-while",
    "al09-if-if",
    "al09-spec-if-if",
    "al09-persistent-packet",
    "al09-persistent-while-while",
    "al09-persistent-spec-while-while",
];

/// Kernels that suffer in different ways from incoherent rays, for comparing ray orders.
const ORDERS: &[&str] = &[
    "al09-while-while",
    "al09-persistent-while-while",
    "al09-persistent-spec-while-while",
    "alk12-fermi",
    "alk12-kepler",
    "alk12-kepler-float",
    "direct/speculative-while-while/bvh2?planes=plain",
    "replace/speculative-while-while/bvh2?batch=exact&leaves=nested&planes=plain",
    "g14",
    "ykl17",
    "replace/if-while/cwbvh8?batch=exact&planes=plain&refill=80",
];

/// Kernels of ALK12's Table 2, with each of its design choices undone or varied.
const ALK12: &[&str] = &[
    "alk12-fermi",
    "alk12-kepler",
    // Min and max instructions.
    "direct/speculative-while-while/bvh2?fetch=needed&leaves=nested",
    "alk12-kepler-float",
    // The postpone buffer.
    "alk12-kepler-postpone-0",
    "alk12-kepler-postpone-2",
    // Fetching records row by row, or at once.
    "direct/speculative-while-while/bvh2?box=integer&leaves=nested",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&fetch=needed&leaves=nested",
    // When idle lanes get new rays; 60 % above.
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&refill=20",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&refill=40",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&refill=80",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&refill=100",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&refill=lost",
];

/// Kernels of G14's Table 2: ALK12's, from which it starts, then 4-ary, unrolled and unsorted, alone, in pairs and
/// together.
const GUTHE: &[&str] = &[
    "alk12-kepler",
    "g14-wide4",
    "g14-unroll",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&occlusion=unsorted",
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&occlusion=unsorted&unroll=2",
    "replace/speculative-while-while/wide4?batch=exact&box=integer&leaves=nested&unroll=2",
    "g14-wide4-unsorted",
    "g14",
    "g14-wide4-merge",
];

/// All benchmark suites, in the order in which they are listed.
pub static ALL: [Suite; 7] = [
    Suite {
        name: "table1",
        about: "Table 1 of AL09: its kernels on its rays",
        workload: Workload::Al09,
        kinds: ALL_KINDS,
        orders: &[RayOrder::Workload],
        scenes: &[],
        views: &[],
        one_launch: false,
        kernels: Kernels::These(TABLE1),
    },
    Suite {
        name: "shuffled",
        about: "AL09 6: diffuse rays in order and shuffled",
        workload: Workload::Raywarp,
        kinds: &[RayKind::Diffuse],
        orders: &[RayOrder::Workload, RayOrder::Shuffled],
        scenes: &[],
        views: &[],
        one_launch: false,
        kernels: Kernels::These(ORDERS),
    },
    Suite {
        name: "sorted",
        about: "AO and diffuse rays in order and sorted by a Morton key, with the sort's own time",
        workload: Workload::Raywarp,
        kinds: &[RayKind::Ao, RayKind::Diffuse],
        orders: &[RayOrder::Workload, RayOrder::Morton],
        scenes: &[],
        views: &[],
        one_launch: false,
        kernels: Kernels::These(ORDERS),
    },
    Suite {
        name: "alk12",
        about: "ALK12's Table 2 and each of its choices: fetch path, min and max, postpone buffer, refill",
        workload: Workload::Al09,
        kinds: ALL_KINDS,
        orders: &[RayOrder::Workload],
        scenes: &[],
        views: &[],
        one_launch: false,
        kernels: Kernels::These(ALK12),
    },
    Suite {
        name: "guthe",
        about: "G14's Table 2: 4-ary, unrolled, unsorted, alone and together",
        workload: Workload::G14,
        kinds: ALL_KINDS,
        orders: &[RayOrder::Workload],
        scenes: &[],
        views: &[],
        one_launch: false,
        kernels: Kernels::These(GUTHE),
    },
    Suite {
        name: "all-views",
        about: "primary rays of all viewpoints in one launch",
        workload: Workload::Raywarp,
        kinds: &[RayKind::Primary],
        orders: &[RayOrder::Workload],
        scenes: &[],
        views: &[],
        one_launch: true,
        kernels: Kernels::Compiled,
    },
    Suite {
        name: "bar",
        about: "first viewpoint of six scenes, beside what other tracers reach on an H200",
        workload: Workload::Raywarp,
        kinds: ALL_KINDS,
        orders: &[RayOrder::Workload],
        scenes: &crate::bar::SCENES,
        views: &[1],
        one_launch: false,
        kernels: Kernels::Compiled,
    },
];

/// Returns the benchmark suite called `name`; `None` if there is none.
pub fn named(name: &str) -> Option<&'static Suite> {
    ALL.iter().find(|suite| suite.name == name)
}

impl Suite {
    /// Returns the kernels of the suite that run on `target`.
    pub fn subjects(&self, target: &Target) -> Vec<Subject> {
        match self.kernels {
            Kernels::These(names) => names.iter().filter_map(|name| name.parse().ok()).collect(),
            Kernels::Compiled => target.compiled(),
        }
    }

    /// Returns the columns of the suite: each kind of rays in each order.
    pub fn columns(&self) -> Vec<RayColumn> {
        columns(self.kinds, self.orders)
    }
}

/// Returns a column for each kind of rays in each order.
pub fn columns(kinds: &[RayKind], orders: &[RayOrder]) -> Vec<RayColumn> {
    kinds.iter().flat_map(|&kind| orders.iter().map(move |&order| RayColumn::of(kind, order))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_of_a_suite_exists_and_stands_in_it_once() {
        for suite in &ALL {
            let subjects = suite.subjects(&Target::Cpu);
            if let Kernels::These(names) = suite.kernels {
                assert_eq!(subjects.len(), names.len(), "{}", suite.name);
            }
            for (i, subject) in subjects.iter().enumerate() {
                assert!(!subjects[..i].contains(subject), "{}: {subject} twice", suite.name);
            }
        }
    }

    #[test]
    fn suites_have_names_of_their_own() {
        for suite in &ALL {
            assert!(std::ptr::eq(named(suite.name).unwrap(), suite));
        }
        assert!(named("fairy").is_none());
    }

    #[test]
    fn the_bar_is_for_six_first_viewpoints() {
        let bar = named("bar").unwrap();
        assert_eq!((bar.scenes.len(), bar.views), (6, &[1][..]));
        assert_eq!(bar.columns().len(), 3);
        assert_eq!(named("sorted").unwrap().columns().len(), 4);
    }

    #[test]
    fn guthes_improvements_stand_alone_and_together() {
        use raywarp_family::Occlusion;
        let seen: std::collections::BTreeSet<[bool; 3]> = named("guthe")
            .unwrap()
            .subjects(&Target::Cpu)
            .iter()
            .map(|subject| {
                let Subject::Kernel(v) = subject else { panic!("{subject}") };
                [v.tree().pulls_up_four(), v.unroll() > 1, v.occlusion() == Occlusion::Unsorted]
            })
            .collect();
        assert_eq!(seen.len(), 8);
    }
}
