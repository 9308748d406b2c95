//! The pictures of portable code are those of the processor's vector code, byte for byte.

use std::path::Path;
use std::process::Command;

#[test]
fn portable_code_makes_the_same_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let pictures = |isa: Option<&str>| {
        let folder = folder.path().join(isa.unwrap_or("own"));
        let mut program = Command::new(env!("CARGO_BIN_EXE_xtask-pictures"));
        program.arg(&folder).env_remove("RAYWARP_ISA").envs(isa.map(|isa| ("RAYWARP_ISA", isa)));
        assert!(program.status().unwrap().success());
        files(&folder)
    };
    let own = pictures(None);
    assert_eq!(own.len(), 5);
    assert!(own == pictures(Some("portable")));
}

/// The files of a folder by name, with their bytes.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let read =
        |entry: std::fs::DirEntry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap());
    let mut files: Vec<_> = entries.map(read).collect();
    files.sort();
    files
}
