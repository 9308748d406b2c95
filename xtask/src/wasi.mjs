// Runs a WebAssembly program of the target wasm32-wasip1 with its arguments, for `cargo xtask wasm`:
// node --no-warnings --no-turbo-fast-api-calls wasi.mjs PROGRAM.wasm [ARGUMENT]...
// It sees the environment and no files.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const args = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args, env: process.env });
const { instance } = await WebAssembly.instantiate(readFileSync(args[0]), wasi.getImportObject());
process.exitCode = wasi.start(instance);
