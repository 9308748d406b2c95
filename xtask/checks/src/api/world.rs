//! The modules of the workspace's libraries, read from their files: what each declares, what it imports, and the `impl`
//! blocks in it, with `cfg` decided and items made by `macro_rules!` written out.

use super::cfg;
use super::features::{self, Package};
use super::macros::Macro;
use proc_macro2::TokenStream;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::{Attribute, Item, ItemImpl, ItemMacro, UseTree, Visibility};

/// Index of a module in [`World::modules`].
pub type ModuleId = usize;

/// Index of an item: its module, and its index there.
pub type ItemId = (ModuleId, usize);

/// All modules that the crates of an interface compile.
#[derive(Default)]
pub struct World {
    /// Modules of all crates; each comes before its children.
    pub modules: Vec<Module>,
    /// Index of each crate's root module, by the name that Rust code uses for the crate.
    pub roots: BTreeMap<String, ModuleId>,
    /// Macro invocations in item position that could not be expanded, as `crate::module: name!`.
    pub unknown_macros: Vec<String>,
}

/// A module of a crate, with its items and imports.
pub struct Module {
    /// Path of the module, beginning with the crate's name.
    pub path: Vec<String>,
    /// Source file that has the module.
    pub file: PathBuf,
    /// Index of the module that declares it; `None` for a crate's root.
    pub parent: Option<ModuleId>,
    /// Items that the module declares, other than modules.
    pub items: Vec<Declared>,
    /// Modules that the module declares.
    pub children: Vec<Child>,
    /// Names that the module's `use` declarations import.
    pub imports: Vec<Import>,
    /// `impl` blocks in the module.
    pub impls: Vec<ItemImpl>,
    /// Macros that the module defines.
    macros: BTreeMap<String, Macro>,
}

/// An item with a name, as a module declares it.
pub struct Declared {
    /// Name of the item, without its path.
    pub name: String,
    /// `true` if the item is `pub` (and for a macro, exported).
    pub is_public: bool,
    /// `true` if documentation leaves the item out.
    pub is_hidden: bool,
    /// Parsed syntax of the item.
    pub item: Item,
}

/// A module that another module declares.
pub struct Child {
    /// Name of the module, without its path.
    pub name: String,
    /// `true` if the module is `pub`.
    pub is_public: bool,
    /// `true` if documentation leaves the module out.
    pub is_hidden: bool,
    /// Index of the module in [`World::modules`].
    pub module: ModuleId,
}

/// An import by `use`: of one name, or of all names of a module.
pub struct Import {
    /// `true` if the import is `pub use`.
    pub is_public: bool,
    /// `true` if only this module and those in it see the import.
    pub is_private: bool,
    /// `true` if documentation leaves the import out.
    pub is_hidden: bool,
    /// Imported path, as written.
    pub path: Vec<String>,
    /// Name that the import gives in this module; `None` for a glob.
    pub name: Option<String>,
}

impl World {
    /// Reads the modules of `packages` that `door` uses when it is compiled with `features`.
    ///
    /// # Errors
    /// Text naming a file that cannot be read or is not Rust.
    pub fn read(packages: &[Package], door: &str, features: &[String]) -> Result<World, String> {
        let mut world = World::default();
        for (name, on) in features::active(packages, door, features) {
            let package = packages.iter().find(|package| package.name == name).expect("a package of the workspace");
            for library in package.targets.iter().filter(|target| target.kind.iter().any(|kind| kind == "lib")) {
                world.read_target(&name.replace('-', "_"), &library.src_path, &on)?;
            }
        }
        Ok(world)
    }

    /// Reads the modules of one package, of its library and its programs, with all of its features.
    ///
    /// # Errors
    /// Text naming a file that cannot be read or is not Rust.
    pub fn of_package(package: &Package) -> Result<World, String> {
        let mut world = World::default();
        let all: BTreeSet<String> = package.features.keys().cloned().collect();
        for target in &package.targets {
            let name = package.name.replace('-', "_");
            match target.kind.first().map(String::as_str) {
                Some("lib") => world.read_target(&name, &target.src_path, &all)?,
                Some("bin") => world.read_target(&format!("{name}_program"), &target.src_path, &all)?,
                _ => {}
            }
        }
        Ok(world)
    }

    fn read_target(&mut self, name: &str, file: &Path, features: &BTreeSet<String>) -> Result<(), String> {
        let folder = file.parent().expect("a file is in a folder").to_path_buf();
        let mut reader = Reader { world: self, features, later: Vec::new() };
        let root = reader.file(file, &folder, vec![name.to_string()], None)?;
        reader.finish()?;
        self.roots.insert(name.to_string(), root);
        Ok(())
    }
}

/// Reader of the modules of one crate.
struct Reader<'a> {
    world: &'a mut World,
    features: &'a BTreeSet<String>,
    /// Macro invocations that came before their macro's definition, to expand later: a parent's comes after its
    /// modules.
    later: Vec<(ModuleId, ItemMacro, PathBuf)>,
}

impl Reader<'_> {
    /// Expands the macro invocations that came before their macro's definition.
    fn finish(&mut self) -> Result<(), String> {
        for (id, invocation, folder) in std::mem::take(&mut self.later) {
            let name = name_of(&invocation);
            let root = self.root_of(id);
            let elsewhere = || self.world.modules[root..].iter().find_map(|module| module.macros.get(&name).cloned());
            let rules = self.macro_named(id, &name).or_else(elsewhere);
            match rules.and_then(|rules| rules.expand(&invocation.mac.tokens)) {
                Some(expanded) => self.expanded(id, &name, expanded, &folder)?,
                None => {
                    let path = self.world.modules[id].path.join("::");
                    self.world.unknown_macros.push(format!("{path}: {name}!"));
                }
            }
        }
        Ok(())
    }

    fn expanded(&mut self, id: ModuleId, name: &str, items: TokenStream, folder: &Path) -> Result<(), String> {
        let made: syn::File = syn::parse2(items).map_err(|error| format!("{name}! makes what is not Rust: {error}"))?;
        made.items.into_iter().try_for_each(|item| self.item(id, item, folder))
    }

    /// Reads a module that is a file, with its own modules from `folder`.
    fn file(
        &mut self,
        file: &Path,
        folder: &Path,
        path: Vec<String>,
        parent: Option<ModuleId>,
    ) -> Result<ModuleId, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        self.module(parsed.items, file, folder, path, parent)
    }

    fn module(
        &mut self,
        items: Vec<Item>,
        file: &Path,
        folder: &Path,
        path: Vec<String>,
        parent: Option<ModuleId>,
    ) -> Result<ModuleId, String> {
        let id = self.world.modules.len();
        let (children, imports, impls) = (Vec::new(), Vec::new(), Vec::new());
        let macros = BTreeMap::new();
        let file = file.to_path_buf();
        self.world.modules.push(Module { path, file, parent, items: Vec::new(), children, imports, impls, macros });
        for item in items {
            self.item(id, item, folder)?;
        }
        Ok(id)
    }

    fn item(&mut self, id: ModuleId, item: Item, folder: &Path) -> Result<(), String> {
        let attributes = attributes(&item);
        if !cfg::is_compiled(attributes, self.features) {
            return Ok(());
        }
        let is_hidden = cfg::has(attributes, "doc", "hidden");
        match item {
            Item::Mod(module) => {
                let name = module.ident.to_string();
                let mut path = self.world.modules[id].path.clone();
                path.push(name.clone());
                let is_public = matches!(module.vis, Visibility::Public(_));
                let child = if let Some((_, items)) = module.content {
                    let file = self.world.modules[id].file.clone();
                    self.module(items, &file, &folder.join(&name), path, Some(id))?
                } else {
                    let file = module_file(&module.attrs, folder, &name);
                    self.file(&file, &folder.join(&name), path, Some(id))?
                };
                self.world.modules[id].children.push(Child { name, is_public, is_hidden, module: child });
            }
            Item::Use(import) => {
                let is_public = matches!(import.vis, Visibility::Public(_));
                let is_private = matches!(import.vis, Visibility::Inherited);
                let module = &mut self.world.modules[id];
                imports(&import.tree, &mut Vec::new(), &mut |path, name| {
                    module.imports.push(Import { is_public, is_private, is_hidden, path, name });
                });
            }
            Item::Impl(block) => self.world.modules[id].impls.push(block),
            Item::Macro(invocation) => {
                if let Some(name) = &invocation.ident {
                    let name = name.to_string();
                    let defined = Macro::parse(invocation.mac.tokens.clone());
                    let exported = invocation.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"));
                    self.world.modules[id].macros.insert(name.clone(), defined);
                    if exported {
                        let root = self.root_of(id);
                        let item = Item::Macro(invocation);
                        self.world.modules[root].items.push(Declared { name, is_public: true, is_hidden, item });
                    }
                    return Ok(());
                }
                let name = name_of(&invocation);
                match self.macro_named(id, &name).and_then(|rules| rules.expand(&invocation.mac.tokens)) {
                    Some(expanded) => self.expanded(id, &name, expanded, folder)?,
                    None => self.later.push((id, invocation, folder.to_path_buf())),
                }
            }
            item => {
                if let Some((name, visibility)) = named(&item) {
                    let is_public = matches!(visibility, Visibility::Public(_));
                    self.world.modules[id].items.push(Declared { name, is_public, is_hidden, item });
                }
            }
        }
        Ok(())
    }

    fn root_of(&self, mut id: ModuleId) -> ModuleId {
        while let Some(parent) = self.world.modules[id].parent {
            id = parent;
        }
        id
    }

    /// Returns the macro that `name!` means in a module: its own, or that of the nearest module around it.
    fn macro_named(&self, id: ModuleId, name: &str) -> Option<Macro> {
        let mut around = Some(id);
        while let Some(module) = around {
            if let Some(found) = self.world.modules[module].macros.get(name) {
                return Some(found.clone());
            }
            around = self.world.modules[module].parent;
        }
        None
    }
}

fn name_of(invocation: &ItemMacro) -> String {
    invocation.mac.path.segments.last().expect("a path has segments").ident.to_string()
}

/// Returns the file of `mod name;` in a module whose own modules are in `folder`.
fn module_file(attributes: &[Attribute], folder: &Path, name: &str) -> PathBuf {
    let given = attributes.iter().find(|attribute| attribute.path().is_ident("path")).and_then(|attribute| {
        let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else { return None };
        Some(text.value())
    });
    if let Some(given) = given {
        return folder.parent().unwrap_or(folder).join(given);
    }
    let beside = folder.join(format!("{name}.rs"));
    if beside.exists() { beside } else { folder.join(name).join("mod.rs") }
}

/// Calls `found` with each path of a `use` tree, and the name that it gives.
fn imports(tree: &UseTree, path: &mut Vec<String>, found: &mut impl FnMut(Vec<String>, Option<String>)) {
    let under = |path: &[String], name: String| path.iter().cloned().chain([name]).collect::<Vec<_>>();
    match tree {
        UseTree::Path(step) => {
            path.push(step.ident.to_string());
            imports(&step.tree, path, found);
            path.pop();
        }
        UseTree::Name(name) if name.ident == "self" => found(path.clone(), path.last().cloned()),
        UseTree::Name(name) => found(under(path, name.ident.to_string()), Some(name.ident.to_string())),
        UseTree::Rename(name) if name.ident == "self" => found(path.clone(), Some(name.rename.to_string())),
        UseTree::Rename(name) => found(under(path, name.ident.to_string()), Some(name.rename.to_string())),
        UseTree::Glob(_) => found(path.clone(), None),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imports(tree, path, found)),
    }
}

fn named(item: &Item) -> Option<(String, &Visibility)> {
    let (name, visibility) = match item {
        Item::Const(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.vis),
        Item::Static(item) => (&item.ident, &item.vis),
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        Item::Type(item) => (&item.ident, &item.vis),
        Item::Union(item) => (&item.ident, &item.vis),
        _ => return None,
    };
    Some((name.to_string(), visibility))
}

/// Returns the attributes of an item.
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
