#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| raywarp_scene::import::fuzz::off(bytes));
