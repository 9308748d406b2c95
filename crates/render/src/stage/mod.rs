//! The stages of the path tracer, with the lecture's names (L9): generate, extend, shade, connect,
//! finalize. Each is a loop over a queue of a [`crate::path::Wave`] that moves data and decides nothing: that is done
//! by functions of one path ([`crate::vertex`]). The two that trace take several waves, whose rays they join to one
//! batch.

mod connect;
mod extend;
mod finalize;
mod generate;
mod shade;
mod surround;
mod touch;

pub(crate) use connect::{SHADOW_SALT, connect};
pub(crate) use extend::extend;
pub(crate) use finalize::finalize;
pub(crate) use generate::{Generate, generate};
pub(crate) use shade::shade;
pub(crate) use surround::media_around;
pub(crate) use touch::touch;
