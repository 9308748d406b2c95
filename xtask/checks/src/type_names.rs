//! Names of public types that stand for more than one type in the workspace's crates.

use crate::api::world::World;
use crate::api::{Package, packages};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::Item;

/// Names of one vector type or mask in several instruction sets, each a mirror of the others.
const MIRRORS: [&str; 6] = ["F4", "F8", "M4", "M8", "U4", "U8"];

/// Returns each name that several `pub` structs, enums, traits, unions or type aliases of the crates below
/// `root`/crates have, with their paths, as `Name: first::Name, second::Name`. Types of tests do not count, nor
/// `MIRRORS`.
///
/// # Errors
/// Text that says which file or package could not be read.
pub fn shared(root: &Path) -> Result<Vec<String>, String> {
    let crates = std::fs::canonicalize(root).map_err(|error| format!("{}: {error}", root.display()))?.join("crates");
    let is_of_crates = |package: &Package| package.targets.iter().any(|target| target.src_path.starts_with(&crates));
    let mut paths: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages(root)?.iter().filter(|package| is_of_crates(package)) {
        for module in &World::of_package(package)?.modules {
            for declared in module.items.iter().filter(|declared| declared.is_public && is_type(&declared.item)) {
                let path = format!("{}::{}", module.path.join("::"), declared.name);
                paths.entry(declared.name.clone()).or_default().insert(path);
            }
        }
    }
    let shared = paths.into_iter().filter(|(name, paths)| paths.len() > 1 && !MIRRORS.contains(&&**name));
    Ok(shared.map(|(name, paths)| format!("{name}: {}", Vec::from_iter(paths).join(", "))).collect())
}

fn is_type(item: &Item) -> bool {
    matches!(item, Item::Struct(_) | Item::Enum(_) | Item::Trait(_) | Item::Union(_) | Item::Type(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_of_two_crates_with_one_name_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"3\"\n");
        for (name, text) in [
            ("geom", "pub struct Ray;\npub(crate) struct Row;\nmod inner { pub trait Mask {} }\n"),
            ("scene", "pub enum Ray { A }\npub struct Row;\npub fn mask() {}\n#[cfg(test)]\npub struct Mask;\n"),
        ] {
            let package = format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
            write(&format!("crates/{name}/Cargo.toml"), &package);
            write(&format!("crates/{name}/src/lib.rs"), text);
        }
        assert_eq!(shared(folder.path()).unwrap(), ["Ray: geom::Ray, scene::Ray"]);
    }
}
