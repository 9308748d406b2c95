#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| raywarp_traverse::fuzz::operations(bytes));
