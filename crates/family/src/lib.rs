//! What a traversal variant is: its parts, its text form, its needs, and the rows of the papers.
//! No code here traces a ray.
#![forbid(unsafe_code)]
