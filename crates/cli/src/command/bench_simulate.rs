//! `raywarp bench --simulate`: what was just measured beside what is possible.
