//! Directives: the loop that reads them and the ones that set up the picture.

mod block;
mod parse;
mod picture;
mod transform;

pub(super) use picture::default_gaussian;
