//! Faults of tables that are read: columns and fields, as values.

use raywarp_family::Variant;

/// Fault of a line of a table that other programs or earlier runs have written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TableFault {
    /// The table lacks a column.
    #[error("there is no column {name}")]
    NoColumn {
        /// Name of the column.
        name: &'static str,
    },
    /// The line has no field for a column.
    #[error("there is no {column}")]
    NoField {
        /// Name of the column.
        column: &'static str,
    },
    /// A field holds another thing than its column is for.
    #[error("{column} is {found:?}{}", allowed.map_or(String::new(), |allowed| format!(", which is not {allowed}")))]
    Field {
        /// Name of the column.
        column: &'static str,
        /// Text of the field, cut where it is long.
        found: String,
        /// What the column is for, where the message says that.
        allowed: Option<&'static str>,
    },
    /// A launch is there a second time.
    #[error("a second launch of {variant} with {kind} rays of {scene}")]
    SecondLaunch {
        /// Kernel of the launch.
        variant: Variant,
        /// Name of the kind of its rays.
        kind: &'static str,
        /// Name of the scene.
        scene: String,
    },
}
