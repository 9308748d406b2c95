//! Files by the names that other systems gave them: `\` between folders, letters of another case, and whole paths of
//! machines that are not this one.

use std::path::{Component, Path, PathBuf};

/// Finds the existing file that `path` means: itself, else one whose name differs in case, or by `\` in place of `/`.
/// Of several the first in the order of names. `path` where there is none.
pub(crate) fn located(path: &Path) -> PathBuf {
    if path.exists() {
        return path.to_path_buf();
    }
    found(path).unwrap_or_else(|| path.to_path_buf())
}

fn found(path: &Path) -> Option<PathBuf> {
    let text = path.to_str()?.replace('\\', "/");
    let mut found = PathBuf::new();
    for component in Path::new(&text).components() {
        let Component::Normal(name) = component else {
            found.push(component);
            continue;
        };
        let exact = found.join(name);
        found = if exact.symlink_metadata().is_ok() { exact } else { found.join(in_any_case(&found, name.to_str()?)?) };
    }
    Some(found)
}

/// Returns the entry of a folder whose name equals `name` except for case.
fn in_any_case(folder: &Path, name: &str) -> Option<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let wanted = name.to_lowercase();
    let names = std::fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.to_lowercase() == wanted).min()
}

/// Largest number of folders at the end of another machine's path that are searched for here.
const MAX_FOLDERS: usize = 8;

/// Finds the local file for an absolute path of another machine, such as `C:\maps\wood.png`: the longest end of it that
/// is in `folder`. Such paths are also `/home/me/maps/wood.png` or `//server/maps/wood.png`; looked for are
/// `maps/wood.png`, else `wood.png`. `None` where the path leads to a file as it is, or is not a whole path.
pub(crate) fn of_another_machine(folder: &Path, name: &str) -> Option<PathBuf> {
    let name = name.replace('\\', "/");
    let without_root = name.trim_start_matches('/');
    let rest = match without_root.as_bytes() {
        [letter, b':', b'/', ..] if letter.is_ascii_alphabetic() => &without_root[3..],
        _ if name.starts_with('/') => without_root,
        _ => return None,
    };
    if located(&folder.join(&name)).exists() {
        return None;
    }
    let names: Vec<&str> = rest.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    let from = names.iter().rposition(|name| *name == "..").map_or(0, |at| at + 1);
    let ends = (from.max(names.len().saturating_sub(MAX_FOLDERS))..names.len()).map(|at| names[at..].join("/"));
    ends.map(|end| located(&folder.join(end))).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_testing::Folder;

    #[test]
    fn whole_paths_of_other_machines_lead_to_the_longest_end_that_is_here() {
        let here = Folder::new();
        let folder = here.path();
        for name in ["Maps/Wood.png", "wood.png", "oak.png"] {
            here.file(name, "");
        }
        let check = |name: &str, want: Option<&str>| {
            assert_eq!(of_another_machine(folder, name), want.map(|want| folder.join(want)), "{name}");
        };
        for root in ["C:\\", "c:/", "/", "/C:/", "\\\\server\\share\\", "/home/me/a b/", "D:\\x\\..\\"] {
            check(&format!("{root}oak.png"), Some("oak.png"));
            check(&format!("{root}maps\\wood.png"), Some("Maps/Wood.png"));
            check(&format!("{root}lost\\wood.png"), Some("wood.png"));
            check(&format!("{root}lost.png"), None);
            check(&format!("{root}maps"), None);
        }
        // Names in folders of here are what they are.
        for name in ["lost/wood.png", "oak.png", "", "C:", "C:oak.png", "../oak.png"] {
            check(name, None);
        }
        check(folder.join("oak.png").to_str().unwrap(), None);
    }

    #[test]
    fn other_case_and_backslashes_name_the_same_file() {
        let here = Folder::new();
        let folder = here.path();
        for name in ["Maps/Wood.PNG", "Maps/b.png", "Maps/B.png"] {
            here.file(name, "");
        }
        let check = |name: &str, want: &str| assert_eq!(located(&folder.join(name)), folder.join(want), "{name}");
        check("maps/wood.png", "Maps/Wood.PNG");
        check("MAPS\\wood.Png", "Maps/Wood.PNG");
        check("Maps\\\\Wood.PNG", "Maps/Wood.PNG");
        check("maps/../maps/wood.png", "Maps/../Maps/Wood.PNG");
        // What is there by its own name is taken; else the first of several.
        check("Maps/b.png", "Maps/b.png");
        check("maps/b.PNG", "Maps/B.png");
        check("maps/lost.png", "maps/lost.png");
    }
}
