//! Files written whole or not at all.
//!
//! [`write_atomic`] writes one, [`write_atomic_with`] one that comes in parts, [`can_write_file`] says beforehand
//! whether it could. What runs that died left behind is removed by the next one that writes into the same folder.

mod atomic;
mod error;
mod temporary;

pub use atomic::{can_write_file, keep_existing_files, write_atomic, write_atomic_with};
pub use error::FileError;
pub use temporary::remove_temporaries;
