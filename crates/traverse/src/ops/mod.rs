//! The micro-operations: what a schedule issues on a warp under a mask. A file each, named as in
//! cost tables and CUDA sources.

mod enter_instance;
mod fetch_ray;
mod leave_instance;
mod pop;
mod postpone;
mod setup_ray;
mod store_hit;
mod test_triangle;
mod together;
mod visit_node;
mod vote;

pub(crate) use fetch_ray::LOCAL_POOL;
pub(crate) use test_triangle::Tested;
pub(crate) use visit_node::Visited;
