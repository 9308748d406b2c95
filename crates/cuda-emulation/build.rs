//! Compiles the kernels as C++ for this machine. Without a C++ compiler, or on a system whose fibres are not
//! written, nothing is compiled and the tests say that they are skipped.

use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

// The same list as the GPU's; the crate itself would bring the driver's bindings along.
#[allow(dead_code)]
#[path = "../experiments/src/sources.rs"]
mod experiment_sources;
#[allow(dead_code)]
#[path = "../cuda/src/names.rs"]
mod names;
#[allow(dead_code)]
#[path = "../render-cuda/src/sources.rs"]
mod path_sources;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(emulated)");
    println!("cargo::rerun-if-changed=machine");
    println!("cargo::rerun-if-changed=queries");
    println!("cargo::rerun-if-changed={EXAMPLE}");
    println!("cargo::rerun-if-changed=driver");
    println!("cargo::rerun-if-changed=twins");
    println!("cargo::rerun-if-changed=../render-cuda/kernels");
    println!("cargo::rerun-if-changed=../cuda/kernels");
    println!("cargo::rerun-if-changed=../cuda/src/names.rs");
    println!("cargo::rerun-if-changed=../render-cuda/src/sources.rs");
    println!("cargo::rerun-if-changed=../experiments/kernels");
    println!("cargo::rerun-if-changed=../experiments/src/sources.rs");
    if let Some(why) = missing() {
        println!("cargo::rustc-env=RAYWARP_NOT_EMULATED={why}");
        println!("cargo::rustc-env=RAYWARP_PRETENDED_DRIVER=");
        return;
    }
    println!("cargo::rustc-env=RAYWARP_NOT_EMULATED=");
    println!("cargo::rustc-cfg=emulated");
    if is_linted() {
        println!("cargo::rustc-env=RAYWARP_PRETENDED_DRIVER=");
        return;
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    write(&out.join("blocks.h"), &blocks());
    let mut sources: Vec<PathBuf> = ["fibre", "shared", "machine", "meeting", "events", "misuse"]
        .map(|name| format!("machine/{name}.cpp").into())
        .into();
    let mut table = String::new();
    for (name, variants) in names::sources() {
        // In parts, so that no compiler runs for long.
        for (part, variants) in variants.chunks(VARIANTS_PER_FILE).enumerate() {
            let source = out.join(format!("{name}_{part}.cpp"));
            write(&source, &names::source_text(variants));
            sources.push(source);
            for (variant, query) in variants.iter().flat_map(|v| raywarp_family::Query::ALL.map(|query| (v, query))) {
                let _ = writeln!(table, "KERNEL(Launch, {})", names::kernel_name(variant, query));
            }
        }
    }
    for (name, text) in names::other_sources() {
        let source = out.join(format!("{name}.cpp"));
        write(&source, &text);
        sources.push(source);
    }
    let _ = writeln!(table, "KERNEL(check::Aimed, {})", names::AIMED_KERNEL);
    for kernels in [path_sources::KERNEL_TABLE, experiment_sources::KERNEL_TABLE] {
        for (name, text) in kernels.texts(names::BLOCK_THREADS) {
            let source = out.join(format!("render_{name}.cpp"));
            write(&source, &text);
            sources.push(source);
        }
        for name in kernels.kernel_names() {
            let _ = writeln!(table, "KERNEL(render::{}, {name})", kernels.parameters);
        }
    }
    let queries = Path::new("queries/queries.inc");
    let queries = std::fs::read_to_string(queries).unwrap_or_else(|error| panic!("{}: {error}", queries.display()));
    for name in queries.lines().filter_map(|line| line.split_once('(')?.1.split(',').next()) {
        let _ = writeln!(table, "KERNEL(Launch, {name})");
    }
    for (parameter, name) in OWN {
        let _ = writeln!(table, "KERNEL(own::{parameter}, {name})");
    }
    write(&out.join("kernels.inc"), &table);
    sources.push("queries/queries.cpp".into());
    sources.push("queries/own.cpp".into());
    sources.push("machine/table.cpp".into());
    sources.extend(twins(&out));
    let objects = compile_all(&sources, &out);
    println!("cargo::rustc-env=RAYWARP_PRETENDED_DRIVER={}", driver(&objects, &out).display());
    let mut archive = build(&out);
    archive.objects(objects);
    archive.compile("raywarp_emulated_kernels");
}

/// Returns `true` if clippy asks: what it reads is linked with nothing, so that no kernel need be compiled. Cargo
/// builds this script anew for clippy, and would compile all kernels twice.
fn is_linted() -> bool {
    let wrapper = std::env::var_os("RUSTC_WORKSPACE_WRAPPER").map(PathBuf::from);
    wrapper.is_some_and(|wrapper| wrapper.file_stem().is_some_and(|name| name == "clippy-driver"))
}

/// Returns the sources of twins, and their table.
fn twins(out: &Path) -> Vec<PathBuf> {
    let folder = Path::new("twins");
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut sources: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "cpp"));
    sources.sort();
    let mut table = String::new();
    for source in &sources {
        let text = std::fs::read_to_string(source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        for name in text.lines().filter_map(|line| line.strip_prefix("TWIN(")?.split(')').next()) {
            let _ = writeln!(table, "TWIN_OF({name})");
        }
    }
    write(&out.join("twins.inc"), &table);
    sources
}

/// Returns the folder of a library that pretends to be the CUDA driver, on Linux; else none.
fn driver(objects: &[PathBuf], out: &Path) -> PathBuf {
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system != "linux") {
        return PathBuf::new();
    }
    let compiled =
        build(out).include("machine").cargo_metadata(false).file("driver/driver.cpp").compile_intermediates();
    let folder = out.join("driver");
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    // The first name under which the driver is looked for; who has loaded it under this name is found first.
    let mut link = build(out).get_compiler().to_command();
    link.args(["-shared", "-Wl,-soname,libcuda.so", "-Wl,-z,defs", "-o"]).arg(folder.join("libcuda.so"));
    let linked = link.args(compiled).args(objects).arg("-lstdc++").status();
    assert!(linked.is_ok_and(|status| status.success()), "the pretended driver cannot be linked");
    folder
}

/// The kernels of queries/own.cpp: what each is given, and its name.
const OWN: [(&str, &str); 2] = [("Rays", "own_rays"), ("Picture", "own_picture")];

/// A kernel of an example, which queries/own.cpp includes.
const EXAMPLE: &str = "../../examples/device-rays/src/occlusion.cu";

/// Variants that are compiled together.
const VARIANTS_PER_FILE: usize = 4;

/// Returns the reason why there is no emulation here, or `None` if there is one.
fn missing() -> Option<&'static str> {
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if !["linux", "macos"].contains(&system.as_str()) {
        return Some("lanes are fibres only on Linux and macOS");
    }
    let compiler = cc::Build::new().cpp(true).try_get_compiler();
    let runs = |tool: cc::Tool| tool.to_command().arg("--version").output().is_ok_and(|output| output.status.success());
    if compiler.is_ok_and(runs) { None } else { Some("there is no C++ compiler") }
}

fn build(out: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build.cpp(true).std("c++20").warnings(false).debug(false).opt_level(1);
    build.define("RAYWARP_EMULATED", None).include(out).include("../cuda/kernels");
    build.include("../render-cuda/kernels").include("../experiments/kernels");
    // Products and sums are fused where they say so; nothing is assumed of NaN or the order of sums.
    for flag in ["-ffp-contract=off", "-fno-exceptions", "-fno-rtti", "-Wno-unknown-pragmas"] {
        build.flag_if_supported(flag);
    }
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        // Every such processor since 2008 counts bits.
        build.flag_if_supported("-mpopcnt");
    }
    build
}

/// Compiles each source on its own, as many at once as cargo says.
fn compile_all(sources: &[PathBuf], out: &Path) -> Vec<PathBuf> {
    let jobs: usize = std::env::var("NUM_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let texts = |folders: &[&str]| folders.iter().map(|folder| text_below(Path::new(folder))).collect::<String>();
    let family = texts(&["../cuda/kernels", "machine", "queries", EXAMPLE]) + &text_below(&out.join("blocks.h"));
    let all = family.clone() + &texts(&["../render-cuda/kernels", "../experiments/kernels", "twins"]);
    let worker = || {
        let mut objects = Vec::new();
        while let Some(source) = sources.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            objects.extend(compiled(source, out, if is_render(source) { &all } else { &family }));
        }
        objects
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.clamp(1, 16)).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a compiler's thread panicked")).collect()
    })
}

/// Returns the object of a source, compiled unless that was done already: of the same text, with the same headers.
fn compiled(source: &Path, out: &Path, headers: &str) -> Vec<PathBuf> {
    let mut hasher = std::hash::DefaultHasher::new();
    (text_below(source), headers, format!("{:?}", build(out).get_compiler())).hash(&mut hasher);
    if text_below(source).contains(".inc\"") {
        // Lists that are made here.
        ["kernels.inc", "twins.inc"].map(|list| text_below(&out.join(list))).hash(&mut hasher);
    }
    let key = hasher.finish().to_string();
    let note = out.join(format!("{}.key", source.file_stem().unwrap_or_default().to_string_lossy()));
    if let Some((known, object)) = std::fs::read_to_string(&note).ok().as_deref().and_then(|note| note.split_once('\n'))
        && known == key
        && Path::new(object).exists()
    {
        return vec![object.into()];
    }
    let objects = build(out).opt_level(level(source)).cargo_metadata(false).file(source).compile_intermediates();
    if let [object] = &objects[..] {
        write(&note, &format!("{key}\n{}", object.display()));
    }
    objects
}

/// Returns the text of a file, or of all files below a folder.
fn text_below(path: &Path) -> String {
    let Ok(entries) = std::fs::read_dir(path) else { return std::fs::read_to_string(path).unwrap_or_default() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| text_below(path)).collect()
}

/// Returns `true` if the source includes the headers of the path tracer.
fn is_render(source: &Path) -> bool {
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    source.starts_with("twins") || name.starts_with("render_")
}

/// Kernels are many, and compiled quickly rather than well.
fn level(source: &Path) -> u32 {
    if source.starts_with("machine") {
        3
    } else if source.starts_with("twins") {
        2
    } else {
        1
    }
}

/// Returns the family's blocks and spaces as C++.
fn blocks() -> String {
    let mut text = String::new();
    let blocks: Vec<String> = raywarp_family::Block::ALL.iter().map(|block| format!("{block:?}")).collect();
    let spaces: Vec<String> = raywarp_family::Space::ALL.iter().map(|space| format!("{space:?}")).collect();
    for (name, values) in [("Block", blocks), ("Space", spaces)] {
        let _ = writeln!(text, "enum class {name} : u32 {{ {} }};", values.join(", "));
    }
    text
}

/// Writes a file unless it is there already, so that nothing is compiled for nothing.
fn write(path: &Path, text: &str) {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
