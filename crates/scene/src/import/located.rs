//! Files by the names that other systems gave them: `\` between folders, and letters of another case.

use std::path::{Component, Path, PathBuf};

/// The file that `path` means: it itself where it exists, else the one whose name differs only in case, or by `\` in place
/// of `/`. Of several the first in the order of names. `path` where there is none.
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

/// The entry of a folder that is called `name` but for its case.
fn in_any_case(folder: &Path, name: &str) -> Option<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let wanted = name.to_lowercase();
    let names = std::fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.to_lowercase() == wanted).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_case_and_backslashes_name_the_same_file() {
        let folder = std::env::temp_dir().join(format!("raywarp located {}", std::process::id()));
        let inner = folder.join("Maps");
        std::fs::create_dir_all(&inner).unwrap();
        for name in ["Wood.PNG", "b.png", "B.png"] {
            std::fs::write(inner.join(name), "").unwrap();
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
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
