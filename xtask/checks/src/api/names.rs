//! Resolution of names in a module: its own items, its imports, and names that globs bring.

use super::world::{Import, ItemId, ModuleId, World};
use std::collections::{BTreeMap, BTreeSet};

/// Meaning of a path in Rust code: a module, an item, or something of another crate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    /// A module of the workspace.
    Module(ModuleId),
    /// An item of the workspace, such as a type or function.
    Item(ItemId),
    /// Something of a crate outside of the workspace, with the path as written.
    Foreign(String),
}

/// A public name of a module, with what it stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicName {
    /// Target of the name; a name has several where a type and a function share it.
    pub meaning: Meaning,
    /// `true` if documentation leaves the name out.
    pub is_hidden: bool,
    /// `true` if an import makes the name, `false` if a declaration.
    pub is_imported: bool,
}

type Seen = BTreeSet<(ModuleId, String)>;

impl World {
    /// Returns what `path` names in module `from`: more than one target where a type and a function share a name.
    pub fn resolve(&self, from: ModuleId, path: &[String]) -> Vec<Meaning> {
        self.resolved(from, path, &mut Seen::new())
    }

    fn resolved(&self, from: ModuleId, path: &[String], seen: &mut Seen) -> Vec<Meaning> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let mut found = match first.as_str() {
            "crate" => vec![Meaning::Module(self.roots[&self.modules[from].path[0]])],
            "self" => vec![Meaning::Module(from)],
            "super" => self.modules[from].parent.map(Meaning::Module).into_iter().collect(),
            name => {
                let own = self.named(from, from, name, seen);
                match (own.is_empty(), self.roots.get(name)) {
                    (false, _) => own,
                    (true, Some(&root)) => vec![Meaning::Module(root)],
                    (true, None) => vec![Meaning::Foreign(name.to_string())],
                }
            }
        };
        for name in rest {
            let step = |meaning: Meaning| match meaning {
                Meaning::Module(module) if name == "super" => {
                    self.modules[module].parent.map(Meaning::Module).into_iter().collect()
                }
                Meaning::Module(module) => self.named(from, module, name, seen),
                // A variant of an enum, or something that belongs to a type.
                Meaning::Item(_) => Vec::new(),
                Meaning::Foreign(path) => vec![Meaning::Foreign(format!("{path}::{name}"))],
            };
            found = found.into_iter().flat_map(step).collect();
        }
        found
    }

    /// Returns what `name` stands for in module `id`, for code in module `from`, which does not see private imports of
    /// `id`.
    fn named(&self, from: ModuleId, id: ModuleId, name: &str, seen: &mut Seen) -> Vec<Meaning> {
        let module = &self.modules[id];
        let items = module.items.iter().enumerate().filter(|(_, item)| item.name == name);
        let mut found: Vec<Meaning> = items.map(|(i, _)| Meaning::Item((id, i))).collect();
        let children = module.children.iter().filter(|child| child.name == name);
        found.extend(children.map(|child| Meaning::Module(child.module)));
        // `pub use info::{Info, info}` asks for `info` while it is asked for: the module, not the function.
        if !seen.insert((id, name.to_string())) {
            return found;
        }
        let sees = |import: &&Import| !import.is_private || self.is_within(from, id);
        for import in module.imports.iter().filter(sees).filter(|import| import.name.as_deref() == Some(name)) {
            found.extend(self.resolved(id, &import.path, seen));
        }
        if found.is_empty() {
            for import in module.imports.iter().filter(sees).filter(|import| import.name.is_none()) {
                for target in self.resolved(id, &import.path, seen) {
                    if let Meaning::Module(target) = target {
                        found.extend(self.named(from, target, name, seen));
                    }
                }
            }
        }
        seen.remove(&(id, name.to_string()));
        found.sort();
        found.dedup();
        found
    }

    /// Returns the public names of module `id`.
    pub fn public_names(&self, id: ModuleId) -> BTreeMap<String, BTreeSet<PublicName>> {
        let mut names = BTreeMap::new();
        self.add_public_names(id, false, &mut BTreeSet::new(), &mut names);
        names
    }

    fn add_public_names(
        &self,
        id: ModuleId,
        through_glob: bool,
        open: &mut BTreeSet<ModuleId>,
        names: &mut BTreeMap<String, BTreeSet<PublicName>>,
    ) {
        if !open.insert(id) {
            return;
        }
        let module = &self.modules[id];
        let mut own: Vec<(&str, PublicName)> = Vec::new();
        for (i, item) in module.items.iter().enumerate().filter(|(_, item)| item.is_public) {
            let (is_hidden, is_imported) = (item.is_hidden, through_glob);
            own.push((&item.name, PublicName { meaning: Meaning::Item((id, i)), is_hidden, is_imported }));
        }
        for child in module.children.iter().filter(|child| child.is_public) {
            let (is_hidden, is_imported) = (child.is_hidden, through_glob);
            own.push((&child.name, PublicName { meaning: Meaning::Module(child.module), is_hidden, is_imported }));
        }
        for import in module.imports.iter().filter(|import| import.is_public) {
            let Some(name) = import.name.as_deref().filter(|&name| name != "_") else { continue };
            for meaning in self.resolve(id, &import.path) {
                // A hidden item stays hidden wherever it is imported.
                let hidden_itself = matches!(meaning, Meaning::Item((m, i)) if self.modules[m].items[i].is_hidden);
                // A name may mean a public function and a private module beside it.
                let visible = match meaning {
                    Meaning::Item((m, i)) => self.modules[m].items[i].is_public,
                    Meaning::Module(m) => self.is_public_module(m),
                    Meaning::Foreign(_) => true,
                };
                if visible {
                    let is_hidden = import.is_hidden || hidden_itself;
                    own.push((name, PublicName { meaning, is_hidden, is_imported: true }));
                }
            }
        }
        let declared: BTreeSet<&str> = own.iter().map(|(name, _)| *name).collect();
        let mut globbed = BTreeMap::new();
        for import in module.imports.iter().filter(|import| import.is_public && import.name.is_none()) {
            for target in self.resolve(id, &import.path) {
                if let Meaning::Module(target) = target {
                    self.add_public_names(target, true, open, &mut globbed);
                }
            }
        }
        for (name, meanings) in globbed {
            // What a module declares stands before what a glob brings.
            if !declared.contains(name.as_str()) {
                names.entry(name).or_default().extend(meanings);
            }
        }
        for (name, public) in own {
            names.entry(name.to_string()).or_default().insert(public);
        }
        open.remove(&id);
    }

    /// Returns `true` if module `inner` is `outer` or within it.
    pub fn is_within(&self, mut inner: ModuleId, outer: ModuleId) -> bool {
        while inner != outer {
            let Some(parent) = self.modules[inner].parent else { return false };
            inner = parent;
        }
        true
    }

    fn is_public_module(&self, id: ModuleId) -> bool {
        let Some(parent) = self.modules[id].parent else { return true };
        self.modules[parent].children.iter().any(|child| child.module == id && child.is_public)
    }
}
