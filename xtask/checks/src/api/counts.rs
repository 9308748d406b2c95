//! Counts of a crate's interface: items at its root, items that documentation lists, and names that lead astray.

use super::door::Door;
use super::names::Meaning;
use super::world::World;
use std::collections::{BTreeMap, BTreeSet};
use syn::Item;

/// Counts of a crate's public interface, each with a list of what is counted.
#[derive(Debug, Default)]
pub struct Counts {
    /// Names of items at the crate's root, without modules.
    pub at_root: Vec<String>,
    /// Paths of items as `cargo doc`'s `all.html` lists them: types, traits, functions, constants, macros.
    pub listed: Vec<String>,
    /// Types that more than one public path leads to, with their paths.
    pub double_paths: Vec<String>,
    /// Imports by which a module takes in a whole other crate by a glob.
    pub globs: Vec<String>,
    /// Names that stand for several different types, with their paths.
    pub shared_names: Vec<String>,
}

impl Counts {
    pub(super) fn of(world: &World, door: &Door, name: &str) -> Counts {
        let mut counts = Counts::default();
        let root = world.roots[name];
        for (name, meanings) in world.public_names(root) {
            let is_item = |meaning: &Meaning| !matches!(meaning, Meaning::Module(_));
            let of = meanings.iter().filter(|public| !public.is_hidden && is_item(&public.meaning));
            counts.at_root.extend(of.map(|_| name.clone()));
        }
        counts.listed.extend(door.listed.iter().map(|(path, _)| path.clone()));
        counts.listed.extend(door.foreign.keys().cloned());
        let mut by_name: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (&(module, item), paths) in &door.items {
            let declared = &world.modules[module].items[item];
            let is_type = !matches!(declared.item, Item::Fn(_) | Item::Const(_) | Item::Static(_) | Item::Macro(_));
            if is_type && paths.len() > 1 {
                counts.double_paths.push(paths.iter().cloned().collect::<Vec<_>>().join(" = "));
            }
            if is_type {
                let path = door.main_path((module, item)).expect("an item of the door").to_string();
                by_name.entry(&declared.name).or_default().insert(path);
            }
        }
        let shared = by_name.into_iter().filter(|(_, paths)| paths.len() > 1);
        counts.shared_names = shared.map(|(name, p)| format!("{name}: {}", Vec::from_iter(p).join(", "))).collect();
        for &id in door.modules.keys() {
            let module = &world.modules[id];
            for import in module.imports.iter().filter(|import| import.is_public && import.name.is_none()) {
                for target in world.resolve(id, &import.path) {
                    let is_crate = matches!(&target, Meaning::Module(of) if world.modules[*of].parent.is_none());
                    if is_crate || matches!(target, Meaning::Foreign(_)) {
                        counts.globs.push(format!("{}: pub use {}::*", module.path.join("::"), import.path.join("::")));
                    }
                }
            }
        }
        counts
    }
}
