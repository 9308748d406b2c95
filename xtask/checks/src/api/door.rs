//! A crate as those see it who use it: every path that leads to an item, and every item of it as lines of text.

use super::cfg;
use super::names::Meaning;
use super::text::{conditions, function_words, parameters, signature, text};
use super::world::{ItemId, ModuleId, World, attributes};
use std::collections::{BTreeMap, BTreeSet};
use syn::{Fields, ImplItem, Item, Meta, TraitItem, Type, Visibility};

/// The public interface of a crate: all items and modules that its users can name.
#[derive(Default)]
pub struct Door {
    /// Items of the workspace in the interface, with the paths that lead to each.
    pub items: BTreeMap<ItemId, BTreeSet<String>>,
    /// Modules of the workspace in the interface, with the paths that lead to each.
    pub modules: BTreeMap<ModuleId, BTreeSet<String>>,
    /// Items of crates outside of the workspace, by their path in the interface.
    pub foreign: BTreeMap<String, String>,
    /// Items by path as documentation lists them, without further imports of the crate's own items.
    pub listed: BTreeSet<(String, ItemId)>,
}

impl Door {
    /// Returns the interface of crate `name`, by following its public names.
    pub fn of(world: &World, name: &str) -> Door {
        let mut door = Door::default();
        let root = world.roots[name];
        door.enter(world, root, name, &mut Vec::new());
        let own: BTreeSet<ItemId> = door.declared(world, root);
        door.listed.retain(|(path, item)| !own.contains(item) || *path == world.path(*item));
        door
    }

    fn enter(&mut self, world: &World, module: ModuleId, path: &str, open: &mut Vec<ModuleId>) {
        if open.contains(&module) {
            return;
        }
        open.push(module);
        self.modules.entry(module).or_default().insert(path.to_string());
        for (name, meanings) in world.public_names(module) {
            let path = format!("{path}::{name}");
            for public in meanings.iter().filter(|public| !public.is_hidden) {
                match &public.meaning {
                    Meaning::Module(module) => self.enter(world, *module, &path, open),
                    Meaning::Foreign(of) => {
                        self.foreign.insert(path.clone(), of.clone());
                    }
                    Meaning::Item(item) => {
                        self.items.entry(*item).or_default().insert(path.clone());
                        self.listed.insert((path.clone(), *item));
                    }
                }
            }
        }
        open.pop();
    }

    /// Returns the items declared in public modules of the interface's own crate, which documentation lists only there.
    fn declared(&self, world: &World, root: ModuleId) -> BTreeSet<ItemId> {
        let of_crate = &world.modules[root].path[0];
        let stands_public = |item: &ItemId| self.items[item].contains(&world.path(*item));
        let own = |item: &&ItemId| world.modules[item.0].path[0] == *of_crate;
        self.items.keys().filter(own).filter(|item| stands_public(item)).copied().collect()
    }

    /// Returns the path by which other lines name an item: the shortest, and of several the first.
    pub fn main_path(&self, item: ItemId) -> Option<&str> {
        self.items.get(&item)?.iter().min_by_key(|path| (path.matches("::").count(), path.len())).map(String::as_str)
    }

    /// Returns the interface as lines of text, one for each item, sorted by path.
    pub fn lines(&self, world: &World) -> Vec<String> {
        let mut lines = Lines { door: self, world, out: Vec::new() };
        lines.write();
        let mut out = lines.out;
        let unmarked = |line: &str| line.trim_start_matches("#[must_use] ").to_string();
        out.sort_by_cached_key(|(path, rank, line)| (path.clone(), *rank, unmarked(line), line.clone()));
        out.dedup();
        out.into_iter().map(|(_, _, line)| line).collect()
    }
}

impl World {
    /// Returns the path at which an item is declared.
    pub fn path(&self, (module, item): ItemId) -> String {
        format!("{}::{}", self.modules[module].path.join("::"), self.modules[module].items[item].name)
    }
}

/// Order of the lines about one item of a crate's interface: its declaration, its other paths, its parts, its
/// functions, its traits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Itself,
    Again,
    Part(usize),
    Associated,
    Implemented,
}

struct Lines<'a> {
    door: &'a Door,
    world: &'a World,
    out: Vec<(String, Rank, String)>,
}

impl Lines<'_> {
    fn write(&mut self) {
        for paths in self.door.modules.values() {
            for path in paths {
                self.out.push((path.clone(), Rank::Itself, format!("mod {path}")));
            }
        }
        for (path, of) in &self.door.foreign {
            self.out.push((path.clone(), Rank::Itself, format!("use {path} = {of}")));
        }
        for (&id, paths) in &self.door.items {
            let main = self.door.main_path(id).expect("an item of the door").to_string();
            for path in paths.iter().filter(|path| **path != main) {
                self.out.push((path.clone(), Rank::Again, format!("use {path} = {main}")));
            }
            self.item(&main, &self.world.modules[id.0].items[id.1].item);
        }
        for (id, module) in self.world.modules.iter().enumerate() {
            for block in &module.impls {
                self.block(id, block);
            }
        }
    }

    fn push(&mut self, path: &str, rank: Rank, line: String) {
        self.out.push((path.to_string(), rank, line));
    }

    fn item(&mut self, path: &str, item: &Item) {
        let attributes = attributes(item);
        let mut marks = String::new();
        for mark in ["non_exhaustive", "must_use", "deprecated"] {
            if attributes.iter().any(|attribute| attribute.path().is_ident(mark)) {
                marks.push_str(&format!("#[{mark}] "));
            }
        }
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
            marks.push_str(&format!("{} ", text(attribute)));
        }
        let line = match item {
            Item::Const(of) => format!("const {path}: {}", text(&of.ty)),
            Item::Static(of) => format!("static {path}: {}", text(&of.ty)),
            Item::Fn(of) => format!("{} {path}{}", function_words(&of.sig), signature(&of.sig)),
            Item::Type(of) => format!("type {path}{} = {}", parameters(&of.generics), text(&of.ty)),
            Item::Enum(of) => format!("enum {path}{}{}", parameters(&of.generics), conditions(&of.generics)),
            Item::Union(of) => format!("union {path}{}{}", parameters(&of.generics), conditions(&of.generics)),
            Item::Struct(of) => {
                let all = of.fields.iter().all(|field| matches!(field.vis, Visibility::Public(_)));
                let tail = match &of.fields {
                    Fields::Named(_) if all => " { }".to_string(),
                    Fields::Named(_) => " { .. }".to_string(),
                    Fields::Unnamed(fields) => {
                        let one = |field: &syn::Field| match field.vis {
                            Visibility::Public(_) => format!("pub {}", text(&field.ty)),
                            _ => "_".to_string(),
                        };
                        format!("({})", fields.unnamed.iter().map(one).collect::<Vec<_>>().join(", "))
                    }
                    Fields::Unit => String::new(),
                };
                format!("struct {path}{}{}{tail}", parameters(&of.generics), conditions(&of.generics))
            }
            Item::Trait(of) => {
                let unsafety = if of.unsafety.is_some() { "unsafe " } else { "" };
                let above: Vec<String> = of.supertraits.iter().map(text).collect();
                let above = if above.is_empty() { String::new() } else { format!(": {}", above.join(" + ")) };
                format!("{unsafety}trait {path}{}{above}{}", parameters(&of.generics), conditions(&of.generics))
            }
            Item::Macro(of) => format!("macro {path}! {{ {} }}", text(&of.mac.tokens).replace('\n', " ")),
            _ => return,
        };
        self.push(path, Rank::Itself, format!("{marks}{line}"));
        self.derives(path, item);
        match item {
            Item::Struct(of) => self.fields(path, &of.fields),
            Item::Enum(of) => {
                for (i, variant) in of.variants.iter().enumerate() {
                    let fields = match &variant.fields {
                        Fields::Named(fields) => {
                            let one = |field: &syn::Field| {
                                let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                                format!("{name}: {}", text(&field.ty))
                            };
                            format!(" {{ {} }}", fields.named.iter().map(one).collect::<Vec<_>>().join(", "))
                        }
                        Fields::Unnamed(fields) => {
                            let types: Vec<String> = fields.unnamed.iter().map(|field| text(&field.ty)).collect();
                            format!("({})", types.join(", "))
                        }
                        Fields::Unit => String::new(),
                    };
                    let number = variant.discriminant.as_ref().map(|(_, n)| format!(" = {}", text(n)));
                    let number = number.unwrap_or_default();
                    let mark = if variant.attrs.iter().any(|a| a.path().is_ident("non_exhaustive")) {
                        "#[non_exhaustive] "
                    } else {
                        ""
                    };
                    self.push(path, Rank::Part(i), format!("{mark}variant {path}::{}{fields}{number}", variant.ident));
                }
            }
            Item::Trait(of) => {
                for (i, item) in of.items.iter().enumerate() {
                    if let Some(line) = trait_item(path, item) {
                        self.push(path, Rank::Part(i), line);
                    }
                }
            }
            _ => {}
        }
    }

    fn fields(&mut self, path: &str, fields: &Fields) {
        let Fields::Named(fields) = fields else { return };
        for (i, field) in fields.named.iter().enumerate() {
            let hidden = cfg::has(&field.attrs, "doc", "hidden");
            if let (Visibility::Public(_), Some(name), false) = (&field.vis, &field.ident, hidden) {
                self.push(path, Rank::Part(i), format!("field {path}::{name}: {}", text(&field.ty)));
            }
        }
    }

    /// Adds the lines of traits that `#[derive]` implements.
    fn derives(&mut self, path: &str, item: &Item) {
        let (generics, fields): (_, Vec<&syn::Field>) = match item {
            Item::Struct(of) => (&of.generics, of.fields.iter().collect()),
            Item::Enum(of) => (&of.generics, of.variants.iter().flat_map(|variant| variant.fields.iter()).collect()),
            Item::Union(of) => (&of.generics, Vec::new()),
            _ => return,
        };
        let parameters = parameters(generics);
        for attribute in attributes(item).iter().filter(|attribute| attribute.path().is_ident("derive")) {
            let Ok(traits) =
                attribute.parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated)
            else {
                continue;
            };
            for name in traits.iter().map(|meta| text(meta.path())) {
                let of_thiserror = name == "thiserror::Error";
                let names = if of_thiserror { vec!["std::error::Error", "std::fmt::Display"] } else { vec![&*name] };
                for name in names {
                    self.push(path, Rank::Implemented, format!("impl{parameters} {name} for {path}"));
                }
                let given = fields.iter().filter(|field| field.attrs.iter().any(|a| a.path().is_ident("from")));
                for field in given.filter(|_| of_thiserror) {
                    let line = format!("impl{parameters} From<{}> for {path}", text(&field.ty));
                    self.push(path, Rank::Implemented, line);
                }
            }
        }
    }

    /// Adds the lines of an `impl` block, if its type or trait is in the interface.
    fn block(&mut self, module: ModuleId, block: &syn::ItemImpl) {
        let of_type = self.door_path(module, named_type(&block.self_ty));
        let head = format!("impl{}", parameters(&block.generics));
        let conditions = conditions(&block.generics);
        let Some((of_trait, _)) = &block.trait_ else {
            let Some(path) = of_type else { return };
            let has_generics = !block.generics.params.is_empty()
                || matches!(&*block.self_ty, Type::Path(of)
                if of.path.segments.iter().any(|segment| !segment.arguments.is_none()));
            let within =
                if has_generics { format!(" in {head} {}{conditions}", text(&block.self_ty)) } else { String::new() };
            for item in &block.items {
                let line = match item {
                    ImplItem::Fn(of) if is_public(&of.vis, &of.attrs) => {
                        let must_use =
                            if of.attrs.iter().any(|a| a.path().is_ident("must_use")) { "#[must_use] " } else { "" };
                        format!("{must_use}{} {path}::{}{}", function_words(&of.sig), of.sig.ident, signature(&of.sig))
                    }
                    ImplItem::Const(of) if is_public(&of.vis, &of.attrs) => {
                        format!("const {path}::{}: {}", of.ident, text(&of.ty))
                    }
                    _ => continue,
                };
                self.push(&path, Rank::Associated, format!("{line}{within}"));
            }
            return;
        };
        let segments: Vec<String> = of_trait.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let meanings = self.world.resolve(module, &segments);
        let trait_path = meanings.iter().find_map(|meaning| match meaning {
            Meaning::Item(item) => self.door.main_path(*item),
            _ => None,
        });
        // A trait of the workspace that nobody can name from outside says nothing there.
        if trait_path.is_none() && meanings.iter().any(|meaning| matches!(meaning, Meaning::Item(_))) {
            return;
        }
        let Some(path) = of_type.or_else(|| trait_path.map(str::to_string)) else { return };
        let associated = block.items.iter().filter_map(|item| match item {
            ImplItem::Type(of) => Some(format!("type {}{} = {}", of.ident, parameters(&of.generics), text(&of.ty))),
            _ => None,
        });
        let associated: Vec<String> = associated.collect();
        let tail = if associated.is_empty() { String::new() } else { format!(" {{ {} }}", associated.join("; ")) };
        let not = if block.modifiers.polarity.is_some() { "!" } else { "" };
        let unsafety = if block.unsafety.is_some() { "unsafe " } else { "" };
        // What the type is called where the block stands may be short, or say nothing of the door: the path does.
        let written = text(&block.self_ty);
        let is_short = !written.contains(['<', '&', ' ']) && of_type_is(&written, &path);
        let (of, note) = if is_short { (path.clone(), String::new()) } else { (written, format!(" ({path})")) };
        let line = format!("{unsafety}{head} {not}{} for {of}{conditions}{tail}{note}", text(of_trait));
        self.push(&path, Rank::Implemented, line);
    }

    /// Returns the interface's path of a type that is named in `module`.
    fn door_path(&self, module: ModuleId, named: Option<&syn::Path>) -> Option<String> {
        let segments: Vec<String> = named?.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.world.resolve(module, &segments).iter().find_map(|meaning| match meaning {
            Meaning::Item(item) => self.door.main_path(*item).map(str::to_string),
            _ => None,
        })
    }
}

/// Returns `true` if `written` is the last name of `path`.
fn of_type_is(written: &str, path: &str) -> bool {
    written.rsplit("::").next() == path.rsplit("::").next()
}

fn is_public(visibility: &Visibility, attributes: &[syn::Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !cfg::has(attributes, "doc", "hidden")
}

/// Returns the path of the type that an `impl` block is for, looking through references but not boxes.
fn named_type(of: &Type) -> Option<&syn::Path> {
    match of {
        Type::Path(of) if of.qself.is_none() => Some(&of.path),
        Type::Reference(of) => named_type(&of.elem),
        Type::Group(of) => named_type(&of.elem),
        Type::Paren(of) => named_type(&of.elem),
        Type::TraitObject(of) => of.bounds.iter().find_map(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => Some(&bound.path),
            _ => None,
        }),
        _ => None,
    }
}

fn trait_item(path: &str, item: &TraitItem) -> Option<String> {
    Some(match item {
        TraitItem::Fn(of) if !cfg::has(&of.attrs, "doc", "hidden") => {
            let given = if of.default.is_some() { " { .. }" } else { "" };
            format!("{} {path}::{}{}{given}", function_words(&of.sig), of.sig.ident, signature(&of.sig))
        }
        TraitItem::Type(of) => {
            let bounds: Vec<String> = of.bounds.iter().map(text).collect();
            let bounds = if bounds.is_empty() { String::new() } else { format!(": {}", bounds.join(" + ")) };
            format!("type {path}::{}{}{bounds}", of.ident, parameters(&of.generics))
        }
        TraitItem::Const(of) => {
            let given = if of.default.is_some() { " = .." } else { "" };
            format!("const {path}::{}: {}{given}", of.ident, text(&of.ty))
        }
        _ => return None,
    })
}
