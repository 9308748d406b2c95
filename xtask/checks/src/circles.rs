//! Circles between the files of a crate: files that need each other, so that none can be read, moved or compiled alone.
//!
//! The rule. File A imports file B of the same crate if a private `use` of A, outside of tests, brings in something
//! that B defines (or the module B itself). Names are followed through re-exports to the file that defines them. Four
//! things are not counted: `mod` declarations, re-exports (`pub use`, `pub(crate) use`), names in code that no `use`
//! brings in, and imports of a module from the modules inside it: a parent may know its children, and children the
//! things that their parent shares. A circle is a strongly connected component of two or more files.

use crate::api::names::Meaning;
use crate::api::world::{ModuleId, World};
use crate::api::{Package, packages};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The source files of a crate, with their imports from each other.
#[derive(Debug, Default)]
pub struct Crate {
    /// Name of the package.
    pub name: String,
    /// Names of the workspace's packages that it depends on, other than for tests.
    pub depends_on: Vec<String>,
    /// Source files of the crate, as paths from the workspace's root.
    pub files: Vec<String>,
    /// Indices of a file and of one that it imports from, with the imported paths.
    pub imports: BTreeMap<(usize, usize), Vec<String>>,
}

impl Crate {
    /// Returns groups of files that import each other in circles, the largest first.
    pub fn circles(&self) -> Vec<Vec<&str>> {
        let mut circles: Vec<Vec<&str>> = components(self.files.len(), &self.imports.keys().copied().collect())
            .into_iter()
            .filter(|circle| circle.len() > 1)
            .map(|circle| circle.into_iter().map(|file| self.files[file].as_str()).collect())
            .collect();
        circles.iter_mut().for_each(|circle| circle.sort_unstable());
        circles.sort_by_key(|circle| (std::cmp::Reverse(circle.len()), circle[0]));
        circles
    }

    /// Returns the imports between the files of a circle, one line each.
    pub fn imports_within(&self, circle: &[&str]) -> Vec<String> {
        let within = |file: usize| circle.contains(&self.files[file].as_str());
        let inner = self.imports.iter().filter(|&(&(from, to), _)| within(from) && within(to));
        inner
            .map(|(&(from, to), names)| format!("{} -> {}: {}", self.files[from], self.files[to], names.join(", ")))
            .collect()
    }
}

/// Returns the crates of the workspace at `root`, with their files and imports.
///
/// # Errors
/// Text that says which file or package could not be read.
pub fn crates(root: &Path) -> Result<Vec<Crate>, String> {
    let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
    packages(&root)?.iter().map(|package| of_package(&root, package)).collect()
}

fn of_package(root: &Path, package: &Package) -> Result<Crate, String> {
    let world = World::of_package(package)?;
    let ours = package.dependencies.iter().filter(|dependency| dependency.kind.is_none() && dependency.path.is_some());
    let mut of = Crate { name: package.name.clone(), ..Crate::default() };
    of.depends_on = ours.map(|dependency| dependency.name.clone()).collect();
    let mut numbers: BTreeMap<&Path, usize> = BTreeMap::new();
    for module in &world.modules {
        let number = numbers.len();
        numbers.entry(&module.file).or_insert_with(|| {
            let file = module.file.strip_prefix(root).unwrap_or(&module.file);
            of.files.push(file.to_string_lossy().replace('\\', "/"));
            number
        });
    }
    for (id, module) in world.modules.iter().enumerate() {
        let from = numbers[&*module.file];
        for import in module.imports.iter().filter(|import| import.is_private) {
            for target in targets(&world, id, &import.path) {
                let to = numbers[&*world.modules[target].file];
                if to != from && !world.is_within(target, id) {
                    of.imports.entry((from, to)).or_default().push(import.path.join("::"));
                }
            }
        }
    }
    Ok(of)
}

/// Returns the modules that define what `path` names in module `from`.
fn targets(world: &World, from: ModuleId, path: &[String]) -> Vec<ModuleId> {
    let module = |meaning: Meaning| match meaning {
        Meaning::Module(module) | Meaning::Item((module, _)) => Some(module),
        Meaning::Foreign(_) => None,
    };
    world.resolve(from, path).into_iter().filter_map(module).collect()
}

/// Returns the strongly connected components of a graph, by Tarjan's algorithm.
fn components(count: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<Vec<usize>> {
    struct Walk<'a> {
        edges: &'a BTreeSet<(usize, usize)>,
        number: Vec<Option<usize>>,
        low: Vec<usize>,
        open: Vec<usize>,
        next: usize,
        found: Vec<Vec<usize>>,
    }
    impl Walk<'_> {
        fn visit(&mut self, at: usize) {
            self.number[at] = Some(self.next);
            self.low[at] = self.next;
            self.next += 1;
            self.open.push(at);
            let targets: Vec<usize> = self.edges.range((at, 0)..=(at, usize::MAX)).map(|edge| edge.1).collect();
            for to in targets {
                match self.number[to] {
                    None => {
                        self.visit(to);
                        self.low[at] = self.low[at].min(self.low[to]);
                    }
                    Some(number) if self.open.contains(&to) => self.low[at] = self.low[at].min(number),
                    Some(_) => {}
                }
            }
            if self.number[at] == Some(self.low[at]) {
                let from = self.open.iter().rposition(|&open| open == at).expect("it is open");
                self.found.push(self.open.split_off(from));
            }
        }
    }
    let mut walk =
        Walk { edges, number: vec![None; count], low: vec![0; count], open: Vec::new(), next: 0, found: Vec::new() };
    for at in 0..count {
        if walk.number[at].is_none() {
            walk.visit(at);
        }
    }
    walk.found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_the_circles_of_a_graph() {
        let edges = BTreeSet::from([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0)]);
        let mut found = components(6, &edges);
        found.iter_mut().for_each(|component| component.sort_unstable());
        found.sort();
        assert_eq!(found, [vec![0, 1, 2], vec![3, 4], vec![5]]);
    }

    /// Returns the circles of a crate made of the files in a test folder.
    fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("src")).unwrap();
        let manifest = "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
        std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join("src").join(name), text).unwrap();
        }
        let crates = crates(folder.path()).unwrap();
        let circles = crates[0].circles();
        circles.iter().map(|circle| circle.iter().map(ToString::to_string).collect()).collect()
    }

    #[test]
    fn a_parent_that_gathers_its_children_is_in_no_circle() {
        let root = "mod a;\nmod b;\npub use a::A;\npub struct Shared;\n";
        let files =
            [("lib.rs", root), ("a.rs", "use crate::Shared;\npub struct A(Shared);\n"), ("b.rs", "use crate::A;\n")];
        assert!(circles_of(&files).is_empty());
    }

    #[test]
    fn a_circle_of_imports_is_found_outside_of_tests() {
        let root = "mod a;\nmod b;\npub use b::B;\n";
        let a = "use crate::B;\npub fn f(_: B) {}\n";
        let tested = "pub struct B;\n#[cfg(test)]\nmod tests { use crate::a::f; }\n";
        assert!(circles_of(&[("lib.rs", root), ("a.rs", a), ("b.rs", tested)]).is_empty());
        let b = "use super::a::f;\npub struct B;\nimpl B { fn g(self) { f(self) } }\n";
        assert_eq!(circles_of(&[("lib.rs", root), ("a.rs", a), ("b.rs", b)]), [["src/a.rs", "src/b.rs"]]);
    }
}
