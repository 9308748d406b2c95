//! Files that are written whole or not at all.

pub use raywarp_system::files::{
    FileError, can_write_file, keep_existing_files, remove_temporaries, write_atomic, write_atomic_with,
};
