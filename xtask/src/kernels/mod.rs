//! Compiles the CUDA kernels that crates embed (`set.rs`), and computes the costs of their machine code.
//!
//! `cargo xtask kernels` writes prebuilt/ of each such crate: images, the resources of each kernel, and the costs of
//! its instructions. `--check` compiles the same and fails where the result differs from what is there;
//! `--crate FOLDER` does either for one crate. `--kepler`, also with `--check`, does the same for Kepler, whose
//! compilers are others (`kepler`); all else leaves what it wrote as it is. `--only NAME` compiles the source of one
//! kernel alone, for trials (`one`). `--verify FOLDER` takes what a profiler counted (docs/internals/costs.md,
//! "Instruction costs") into measured.csv.xz, from which costs tell how often machine code is issued; `--renamed-from
//! FOLDER` keeps what was counted where names in headers changed and their lines did not: the folder has the workspace
//! as it was. `--lines`, also with `--check`, compiles for one architecture, shows that the result is what is embedded,
//! and does the table of source lines alone. `--source FILE.cu FOLDER` compiles a file of one's own, and writes into
//! the folder what `raywarp explain --own` reads. `cargo xtask chains` tells only how long its blocks take, from the
//! images. The compiler comes from pinned wheels of the Python package index, installed once in target/cuda-toolkit, or
//! is the one that RAYWARP_CUDA names (a folder with bin/nvcc of the same version).

mod block_costs;
mod branches;
mod chains;
mod counts;
mod disassembly;
mod kepler;
mod lines;
mod measured;
mod one;
mod own;
pub(crate) mod pack;
mod resources;
mod set;
mod source;
mod toolkit;

use block_costs::CompiledKernel;
use lines::PlacedKernel;
use measured::Measured;
use pack::{Content, pack, unpack};
use raywarp_costs::{COST_COLUMNS, Word, read_costs, words, write_costs};
use raywarp_cuda::elf;
use set::{KernelSet, SETS};
use source::Sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use toolkit::{compiler, output, steady};

/// Architectures that kernels are compiled for to machine code; for the first one also to PTX, for GPUs that come
/// after.
const ARCHITECTURES: &[u32] = &[75, 80, 86, 89, 90, 100, 120];

/// Architecture whose kernels a profiler counts: 90 for compute capability 9.0.
const MEASURED: u32 = 90;

/// Name of the file with the formulas from a profiler's counts.
const MEASURED_FILE: &str = "measured.csv.xz";

/// Name of the file with the source line of each instruction of the kernels for [`MEASURED`].
const LINES_FILE: &str = "lines.sm_90.txt.xz";

/// Name of the file with the resources of each kernel.
const RESOURCES_FILE: &str = "resources.csv";
const TABLE_FILE: &str = "table.rs";

/// Text that the compiler writes into the names of static functions, before a hash of the source's path.
const INTERNAL: &[u8] = b"_INTERNAL_";

/// Largest size in bytes of all prebuilt files of a crate.
const MOST_BYTES: usize = 8 << 20;

/// A job of the compiler: a source for an architecture (0 for PTX).
struct Job {
    source: String,
    text: String,
    architecture: u32,
    /// `true` if the source's kernels are traversal schedules, whose instruction costs are computed.
    has_costs: bool,
}

impl Job {
    fn file(&self) -> String {
        match self.architecture {
            0 => format!("{}.ptx.xz", self.source),
            architecture => format!("{}.sm_{architecture}.cubin.xz", self.source),
        }
    }
}

/// Name of a file below prebuilt/, and its bytes.
type File = (String, Vec<u8>);

/// Computes again the times of lone warps in the tables of costs, from the embedded machine code; no compiler is
/// needed. With `check`, whether the tables say so. Of all architectures, or of one.
pub fn chains(check: bool, only: Option<u32>) -> Result<bool, String> {
    let root = root()?;
    let same = SETS.iter().map(|set| chains_of(set, &set.prebuilt(root)?, check, only));
    Ok(same.collect::<Result<Vec<bool>, String>>()?.into_iter().all(|same| same))
}

fn chains_of(set: &KernelSet, prebuilt: &Path, check: bool, only: Option<u32>) -> Result<bool, String> {
    let Some(schedules) = &set.schedules else { return Ok(true) };
    let mut images: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
    let sources = (schedules.sources)().into_iter();
    let all =
        sources.flat_map(|(source, _)| ARCHITECTURES.iter().map(move |&architecture| (source.clone(), architecture)));
    let kepler = (schedules.kepler)().into_iter().map(|(source, _)| (source, kepler::ARCHITECTURE));
    for (source, architecture) in all.chain(kepler).filter(|known| only.is_none_or(|only| only == known.1)) {
        let job = Job { source, text: String::new(), architecture, has_costs: true };
        images.entry(architecture).or_default().push(unpack(&prebuilt.join(job.file()))?);
    }
    let mut same = true;
    for (architecture, images) in images {
        let path = prebuilt.join(costs_file(architecture));
        let old = String::from_utf8(unpack(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        let code: Vec<Vec<(&str, &[u8])>> = images.iter().map(|image| elf::code(image)).collect::<Result<_, _>>()?;
        let code: BTreeMap<&str, &[u8]> = code.into_iter().flatten().collect();
        let mut kernels: Vec<&str> = old.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
        kernels.dedup();
        let mut table = format!("{COST_COLUMNS}\n");
        for name in kernels {
            let mut costs =
                read_costs(&old, name)?.ok_or_else(|| format!("{}: {name} has no costs", path.display()))?;
            let code = code.get(name).ok_or_else(|| format!("{}: {name} has no code", path.display()))?;
            chains::time(words(code, architecture), architecture, &mut costs)
                .map_err(|error| format!("{name}: {error}"))?;
            table += &write_costs(name, &costs);
        }
        if check && table != old {
            same = false;
            eprintln!("{}: differs from what the machine code says", path.display());
        } else if !check {
            std::fs::write(&path, pack(table.as_bytes(), Content::Text)?)
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(same)
}

/// Result of a compiler job: image, resources, and kernels with costs.
#[derive(Debug, Clone, Default)]
struct Compiled {
    /// Compressed image of the machine code.
    image: Vec<u8>,
    resources: Vec<resources::Resources>,
    kernels: Vec<CompiledKernel>,
    /// Kernels with costs again, with the source lines of their instructions.
    placed: Vec<PlacedKernel>,
}

/// What is done with compiled kernels.
struct Task<'a> {
    /// `true` to compare them with those that are embedded, in place of writing them.
    check: bool,
    /// The only architecture to compile for; `None` for all.
    only: Option<u32>,
    /// Folder with an earlier state of the workspace, whose kernels differ in names alone.
    renamed_from: Option<&'a Path>,
}

/// Runs `cargo xtask kernels`; returns `false` when a check failed.
pub fn run(options: &[String]) -> Result<bool, String> {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    if let ["--kepler"] | ["--kepler", "--check"] = options[..] {
        return run_kepler(root()?, options.len() > 1);
    }
    if let ["--only", name] = options[..]
        && name.parse::<u32>().is_err()
    {
        return one::run(root()?, name);
    }
    if let ["--lines"] | ["--lines", "--check"] = options[..] {
        return lines::run(root()?, options.len() > 1);
    }
    if let ["--source", source, folder] = options[..] {
        let root = root()?;
        return own::run(root, &compiler(root)?, Path::new(source), Path::new(folder)).map(|()| true);
    }
    let (check, only) = match options[..] {
        [] | ["--crate", _] | ["--renamed-from", _] => (false, None),
        ["--check"] | ["--check", "--crate", _] => (true, None),
        // For trials, for one architecture, which is then all that is embedded.
        ["--only", architecture] | ["--only", architecture, "--crate", _] => {
            (false, Some(architecture.parse().map_err(|_| "--only takes 90")?))
        }
        ["--verify", _] => (false, Some(MEASURED)),
        _ => {
            return Err(
                "usage: cargo xtask kernels [[--check | --only ARCHITECTURE] [--crate FOLDER] | --only KERNEL | --renamed-from FOLDER | --verify FOLDER | --kepler [--check] | --lines [--check] | --source FILE.cu FOLDER]"
                    .into(),
            );
        }
    };
    let folder = if let [.., "--crate", folder] = options[..] { Some(folder) } else { None };
    let sets = sets(folder)?;
    let root = root()?;
    let nvcc = compiler(root)?;
    if let ["--verify", folder] = options[..] {
        let verified = SETS.iter().map(|set| {
            if set.schedules.is_none() {
                return Ok(0);
            }
            let compiled = compile_all(root, &nvcc, set, &jobs(set, only))?;
            verify(&set.prebuilt(root)?.join(MEASURED_FILE), &compiled, Path::new(folder))
        });
        return match verified.sum::<Result<usize, String>>()? {
            0 => Err(format!("{folder}: no events.X.csv with counts.X.csv is there")),
            _ => Ok(true),
        };
    }
    let renamed_from = if let ["--renamed-from", folder] = options[..] { Some(Path::new(folder)) } else { None };
    let task = Task { check, only, renamed_from };
    let same = sets.into_iter().map(|set| run_set(root, &nvcc, set, &task));
    Ok(same.collect::<Result<Vec<bool>, String>>()?.into_iter().all(|same| same))
}

/// Returns all sets of kernels, or that of a crate's `folder`.
fn sets(folder: Option<&str>) -> Result<Vec<&'static KernelSet>, String> {
    let sets: Vec<&KernelSet> = SETS.iter().filter(|set| folder.is_none_or(|folder| set.folder == folder)).collect();
    let known = || SETS.iter().map(|set| set.folder).collect::<Vec<_>>().join(", ");
    if sets.is_empty() {
        return Err(format!("--crate takes the folder of a crate that embeds kernels: {}", known()));
    }
    Ok(sets)
}

/// Returns the compiler jobs of a set: for all architectures and as PTX, or for one. Without Kepler.
fn jobs(set: &KernelSet, only: Option<u32>) -> Vec<Job> {
    let wanted =
        |architecture: &u32| only.map_or(!set.left_out.contains(architecture), |only: u32| only == *architecture);
    let schedules = set.schedules.as_ref().map_or_else(Vec::new, |schedules| (schedules.sources)());
    let schedules = schedules.into_iter().map(|source| (source, true));
    schedules
        .chain((set.others)().into_iter().map(|source| (source, false)))
        .flat_map(|((source, text), has_costs)| {
            let is_ptx_alone = set.ptx_alone.contains(&source.as_str());
            let all = std::iter::once(0).chain(ARCHITECTURES.iter().copied()).filter(wanted);
            all.filter(move |&architecture| architecture == 0 || !is_ptx_alone).map(move |architecture| Job {
                source: source.clone(),
                text: text.clone(),
                architecture,
                has_costs,
            })
        })
        .collect()
}

/// Compiles a set of kernels, and writes or checks the results; returns `false` when a check failed.
fn run_set(root: &Path, nvcc: &Path, set: &KernelSet, task: &Task<'_>) -> Result<bool, String> {
    let &Task { check, only, renamed_from } = task;
    let prebuilt = set.prebuilt(root)?;
    let jobs = jobs(set, only);
    let mut sources = Sources::read(&set.header_folders(root))?;
    if let Some(earlier) = renamed_from.filter(|_| set.schedules.is_some()) {
        sources = sources.renamed_from(&set.header_folders(earlier))?;
    }
    let compiled = compile_from(root, nvcc, set, &jobs, &sources)?;
    // Of a trial nothing else is embedded.
    let kepler = if only.is_none() { kepler::jobs(set) } else { vec![] };
    let measured = prebuilt.join(MEASURED_FILE);
    let mut known = known(&measured)?;
    measured::rename_places(&mut known, &sources.renames());
    for (_, own) in jobs.iter().zip(&compiled).filter(|(job, _)| job.architecture == MEASURED) {
        measured::renew_places(&mut known, &own.kernels);
    }
    let mut files: Vec<File> =
        jobs.iter().zip(&compiled).map(|(job, compiled)| (job.file(), compiled.image.clone())).collect();
    if set.schedules.is_some() && only.is_none_or(|only| only == MEASURED) {
        files.push((MEASURED_FILE.to_string(), pack(measured::write(&known).as_bytes(), Content::Text)?));
        files.push(lines::file(set, root, &jobs, &compiled)?);
    }
    let mut needs = needs(&jobs, &compiled);
    if !kepler.is_empty() {
        needs.extend(
            known_needs(&prebuilt)?.into_iter().filter(|(_, architecture)| *architecture == kepler::ARCHITECTURE),
        );
    }
    files.push((RESOURCES_FILE.to_string(), resources::table(needs).into_bytes()));
    files.push((TABLE_FILE.to_string(), table(&jobs, &kepler).into_bytes()));
    let (tables, explained) = tables(set, &jobs, &compiled, &known)?;
    files.extend(tables);
    let total: usize = files.iter().map(|file| file.1.len()).sum();
    if only.is_none() && total > MOST_BYTES {
        return Err(format!("{total} bytes of prebuilt kernels, at most {MOST_BYTES} are allowed"));
    }
    Ok(write_or_check(&prebuilt, &files, check)? && explained)
}

/// Compiles a set's kernels for Kepler, and writes or checks the results, keeping those of other architectures.
fn run_kepler(root: &Path, check: bool) -> Result<bool, String> {
    let tools = kepler::tools(root)?;
    let mut same = true;
    for set in SETS {
        let kepler = kepler::jobs(set);
        if kepler.is_empty() {
            continue;
        }
        let prebuilt = set.prebuilt(root)?;
        let sources = Sources::read(&set.header_folders(root))?;
        let compiled = side_by_side(&kepler, |job| kepler::compile(root, &tools, set, job, &sources))?;
        let known = known(&prebuilt.join(MEASURED_FILE))?;
        let mut files: Vec<File> =
            kepler.iter().zip(&compiled).map(|(job, compiled)| (job.file(), compiled.image.clone())).collect();
        let mut rows = known_needs(&prebuilt)?;
        rows.retain(|(_, architecture)| *architecture != kepler::ARCHITECTURE);
        rows.extend(needs(&kepler, &compiled));
        files.push((RESOURCES_FILE.to_string(), resources::table(rows).into_bytes()));
        files.push((TABLE_FILE.to_string(), table(&jobs(set, None), &kepler).into_bytes()));
        files.extend(tables(set, &kepler, &compiled, &known)?.0);
        same &= write_or_check(&prebuilt, &files, check)?;
    }
    Ok(same)
}

/// Writes files below `prebuilt`, or returns whether they are there already with this content.
fn write_or_check(prebuilt: &Path, files: &[File], check: bool) -> Result<bool, String> {
    let mut same = true;
    for (name, bytes) in files {
        let path = prebuilt.join(name);
        if !check {
            std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        } else if std::fs::read(&path).unwrap_or_default() != *bytes {
            same = false;
            eprintln!("{}: differs from what the sources compile to", path.display());
        }
    }
    let total: usize = files.iter().map(|file| file.1.len()).sum();
    println!("{} files, {} KiB", files.len(), total >> 10);
    Ok(same)
}

/// Returns the resources that the kernels of jobs take of a multiprocessor, by architecture.
fn needs(jobs: &[Job], compiled: &[Compiled]) -> Vec<(resources::Resources, u32)> {
    let own = jobs.iter().zip(compiled).filter(|(job, _)| job.architecture > 0);
    own.flat_map(|(job, compiled)| compiled.resources.iter().map(|needs| (needs.clone(), job.architecture))).collect()
}

/// Reads the resources of kernels from the table that exists; returns none where there is no table.
fn known_needs(prebuilt: &Path) -> Result<Vec<(resources::Resources, u32)>, String> {
    resources::read(&std::fs::read_to_string(prebuilt.join(RESOURCES_FILE)).unwrap_or_default())
}

fn root() -> Result<&'static Path, String> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or_else(|| "the workspace has no folder".to_string())
}

/// Reads the formulas of measured kernels from their file; returns none where there is no file.
fn known(path: &Path) -> Result<BTreeMap<String, Measured>, String> {
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = String::from_utf8(unpack(path)?).map_err(|error| format!("{}: {error}", path.display()))?;
    measured::read(&text)
}

/// Adds a profiler's counts to the table of measured kernels: each `events.X.csv` of a folder with `counts.X.csv`. How
/// many kernels of the set they are of.
fn verify(path: &Path, compiled: &[Compiled], folder: &Path) -> Result<usize, String> {
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let kernels: Vec<CompiledKernel> = compiled.iter().flat_map(|compiled| compiled.kernels.clone()).collect();
    let mut known = known(path)?;
    let mut new = BTreeMap::new();
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for events in entries.flatten().map(|entry| entry.path()) {
        let name = events.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let counts = folder.join(name.replacen("events", "counts", 1));
        if name.starts_with("events.") && counts.exists() {
            let found = measured::measure(&kernels, &read(&events)?, &read(&counts)?);
            new.extend(found.map_err(|error| format!("{}: {error}", events.display()))?);
        }
    }
    if new.is_empty() {
        return Ok(0);
    }
    let count = new.len();
    for (kernel, measured) in &new {
        let verdict = if measured.holds() { "verified" } else { "unverified" };
        println!(
            "{kernel}: {:.3} % of held-out instructions otherwise, {} of {} blocks without a combination: {verdict}",
            100.0 * measured.residual,
            measured.blocks.iter().filter(|block| !block.fits).count(),
            measured.blocks.len()
        );
    }
    known.extend(new);
    known.retain(|kernel, _| kernels.iter().any(|compiled| compiled.name == *kernel));
    std::fs::write(path, pack(measured::write(&known).as_bytes(), Content::Text)?)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(count)
}

/// Returns the tables of costs, and `true` if every branch of measured kernels is explained.
fn tables(
    set: &KernelSet,
    jobs: &[Job],
    compiled: &[Compiled],
    measured: &BTreeMap<String, Measured>,
) -> Result<(Vec<File>, bool), String> {
    let costs = cost_texts(set, jobs, compiled, measured)?;
    let of = |architecture: u32| jobs.iter().zip(compiled).filter(move |(job, _)| job.architecture == architecture);
    let own: BTreeMap<&str, &CompiledKernel> =
        of(MEASURED).flat_map(|(_, compiled)| &compiled.kernels).map(|kernel| (kernel.name.as_str(), kernel)).collect();
    let explained = branches::explained(&own, measured);
    let file =
        |(architecture, table): (u32, String)| Ok((costs_file(architecture), pack(table.as_bytes(), Content::Text)?));
    Ok((costs.into_iter().map(file).collect::<Result<_, String>>()?, explained))
}

/// Returns the tables of costs of compiled kernels as texts, by architecture.
fn cost_texts(
    set: &KernelSet,
    jobs: &[Job],
    compiled: &[Compiled],
    measured: &BTreeMap<String, Measured>,
) -> Result<BTreeMap<u32, String>, String> {
    let mut costs: BTreeMap<u32, String> = BTreeMap::new();
    let references = set.schedules.as_ref().map_or_else(BTreeMap::new, |known| (known.references)(measured));
    for (job, compiled) in jobs.iter().zip(compiled).filter(|(job, _)| job.architecture > 0 && job.has_costs) {
        let table = costs.entry(job.architecture).or_insert_with(|| format!("{COST_COLUMNS}\n"));
        for kernel in &compiled.kernels {
            let mut costs = block_costs::costs(kernel, references.get(&kernel.name).copied());
            if job.architecture == kepler::ARCHITECTURE {
                kepler::settle(kernel, &mut costs);
            }
            chains::time(Word::all(&kernel.code), job.architecture, &mut costs)
                .map_err(|error| format!("{}: {error}", kernel.name))?;
            *table += &write_costs(&kernel.name, &costs);
        }
    }
    Ok(costs)
}

fn costs_file(architecture: u32) -> String {
    format!("costs.sm_{architecture}.csv.xz")
}

/// Compiles jobs on all processors, and returns the results in the order of `jobs`.
fn compile_all(root: &Path, nvcc: &Path, set: &KernelSet, jobs: &[Job]) -> Result<Vec<Compiled>, String> {
    let sources = Sources::read(&set.header_folders(root))?;
    compile_from(root, nvcc, set, jobs, &sources)
}

fn compile_from(
    root: &Path,
    nvcc: &Path,
    set: &KernelSet,
    jobs: &[Job],
    sources: &Sources,
) -> Result<Vec<Compiled>, String> {
    side_by_side(jobs, |job| compile(root, nvcc, set, job, sources))
}

/// Runs all jobs on all processors, and returns their results in the jobs' order.
fn side_by_side(
    jobs: &[Job],
    compile: impl Fn(&Job) -> Result<Compiled, String> + Sync,
) -> Result<Vec<Compiled>, String> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(vec![Ok(Compiled::default()); jobs.len()]);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(job) = jobs.get(at) else { break };
                    let result = compile(job);
                    eprintln!("{}", job.file());
                    if let Ok(mut results) = results.lock() {
                        results[at] = result;
                    }
                }
            });
        }
    });
    results.into_inner().map_err(|_| "a compiler thread panicked".to_string())?.into_iter().collect()
}

fn compile(root: &Path, nvcc: &Path, set: &KernelSet, job: &Job, sources: &Sources) -> Result<Compiled, String> {
    let folder = root.join("target/kernels");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let source = folder.join(format!("{}.{}.cu", job.source, job.architecture));
    let object = folder.join(job.file()).with_extension("");
    std::fs::write(&source, &job.text).map_err(|error| format!("{}: {error}", source.display()))?;
    let target = match job.architecture {
        0 => vec!["-arch=compute_75".to_string(), "-ptx".to_string()],
        architecture => vec![format!("-arch=sm_{architecture}"), "-cubin".to_string()],
    };
    let compile = |object: &Path, more: &[&str]| -> Result<(Vec<u8>, String), String> {
        let mut command = steady(nvcc);
        // From the folder, by names without the path to it, which would be part of line information, and so choose
        // code.
        let name = |path: &Path| path.file_name().unwrap_or_default().to_os_string();
        command.current_dir(&folder).args(["-std=c++20", "-fmad=false"]);
        command
            .args(set.headers.iter().flat_map(|headers| ["-I".to_string(), format!("../../crates/{headers}/kernels")]));
        let report = output(command.args(&target).args(more).arg(name(&source)).arg("-o").arg(name(object)))?;
        let image = std::fs::read(object).map_err(|error| format!("{}: {error}", object.display()))?;
        Ok((image, String::from_utf8_lossy(&report.stderr).into_owned()))
    };
    let reported: &[&str] = if job.has_costs { &[] } else { &["-Xptxas", "-v"] };
    let (image, report) = compile(&object, reported)?;
    if image.windows(INTERNAL.len()).any(|name| name == INTERNAL) {
        let source = source.display();
        return Err(format!("{source}: a static function's name depends on the folder; make it inline"));
    }
    if job.architecture == 0 {
        return Ok(Compiled { image: pack(&image, Content::Text)?, ..Compiled::default() });
    }
    let packed = pack(&image, Content::MachineCode)?;
    if !job.has_costs {
        return Ok(Compiled { image: packed, resources: resources::parse(&report)?, ..Compiled::default() });
    }
    // Lines make images four times as large, so that others are embedded; and those get costs.
    let with_lines = object.with_extension("lines.cubin");
    let (lines, report) = compile(&with_lines, &["-lineinfo", "-Xptxas", "-v"])?;
    let (code, code_with_lines) = (elf::code(&image)?, elf::code(&lines)?);
    let disassemble = |image: &Path| -> Result<Vec<disassembly::Machine>, String> {
        let text = output(Command::new(nvcc.with_file_name("nvdisasm")).args(["-c", "-gi"]).arg(image))?;
        disassembly::parse(&String::from_utf8_lossy(&text.stdout))
    };
    let mut machines = disassemble(&with_lines)?;
    if code_with_lines != code {
        // Seldom the compiler chooses otherwise then, and not on all machines alike.
        eprintln!("{}: other code with line information; its lines are those of the likest", job.file());
        machines =
            disassemble(&object)?.into_iter().zip(&machines).map(|(own, lined)| own.with_places(lined)).collect();
    }
    if !machines.iter().map(|machine| machine.name.as_str()).eq(code.iter().map(|(name, _)| *name)) {
        return Err(format!("{}: nvdisasm shows other kernels than are there", job.file()));
    }
    let divide = |(machine, (_, code)): (&disassembly::Machine, &(&str, &[u8]))| {
        let kernel = block_costs::divide(machine, code, sources)?;
        match code.len() == kernel.instructions() * Word::BYTES {
            true => Ok(kernel),
            false => {
                Err(format!("{}: {} bytes of code, {} instructions", kernel.name, code.len(), kernel.instructions()))
            }
        }
    };
    let kernels = machines.iter().zip(&code).map(divide).collect::<Result<_, _>>()?;
    let placed = lines::placed(&machines, &code, &code_with_lines);
    Ok(Compiled { image: packed, resources: resources::parse(&report)?, kernels, placed })
}

/// Returns the Rust table that the crate includes: the images of each source, with Kepler's after the others.
fn table(jobs: &[Job], kepler: &[Job]) -> String {
    let mut text = String::from(
        "// Written by `cargo xtask kernels`.\n\n/// For each source its images by architecture, 0 for PTX.\n",
    );
    text += "static PREBUILT: &[(&str, &[KernelImage])] = &[\n";
    for own in jobs.chunk_by(|a, b| a.source == b.source) {
        let source = own.first().map_or("", |job| &job.source);
        text += &format!("    (\"{source}\", &[\n");
        for job in own.iter().chain(kepler.iter().filter(|job| job.source == source)) {
            text += &format!("        ({}, include_bytes!(\"../prebuilt/{}\")),\n", job.architecture, job.file());
        }
        text += "    ]),\n";
    }
    text += "];\n\n/// The costs of all kernels by architecture.\npub(crate) static COSTS: &[KernelImage] = &[\n";
    let with_costs = || {
        let jobs = jobs.iter().chain(kepler).filter(|job| job.has_costs && job.architecture > 0);
        jobs.map(|job| job.architecture)
    };
    for architecture in with_costs().collect::<BTreeSet<u32>>() {
        text += &format!("    ({architecture}, include_bytes!(\"../prebuilt/{}\")),\n", costs_file(architecture));
    }
    text += "];\n\n/// The source lines of kernels' instructions by architecture.\n";
    text += "pub(crate) static LINES: &[KernelImage] = &[\n";
    if with_costs().any(|architecture| architecture == MEASURED) {
        text += &format!("    ({MEASURED}, include_bytes!(\"../prebuilt/{LINES_FILE}\")),\n");
    }
    text + "];\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_one_that_embeds_kernels() {
        assert_eq!(sets(None).unwrap().len(), SETS.len());
        assert_eq!(
            sets(Some("render-cuda")).unwrap().iter().map(|set| set.folder).collect::<Vec<_>>(),
            ["render-cuda"]
        );
        // Of no crate nothing would be compared, and all would be well.
        assert!(sets(Some("renders-cuda")).is_err_and(|error| error.contains("cuda, render-cuda")));
    }

    #[test]
    fn prebuilt_folders_have_the_table_and_the_files_that_would_be_written() {
        for set in SETS {
            let jobs = jobs(set, None);
            let kepler = kepler::jobs(set);
            let mut with_costs: Vec<u32> = if set.schedules.is_some() { ARCHITECTURES.to_vec() } else { vec![] };
            with_costs.extend((!kepler.is_empty()).then_some(kepler::ARCHITECTURE));
            let folder = set.prebuilt(root().unwrap()).unwrap();
            let found = std::fs::read_to_string(folder.join("table.rs")).unwrap();
            assert!(found == table(&jobs, &kepler), "{}: other images; cargo xtask kernels", folder.display());
            let mut files: Vec<String> = jobs.iter().chain(&kepler).map(Job::file).collect();
            files.extend(with_costs.iter().copied().map(costs_file));
            let of_schedules = set.schedules.is_some().then_some([MEASURED_FILE, LINES_FILE]);
            files.extend(of_schedules.into_iter().flatten().map(str::to_string));
            files.extend(["resources.csv", "table.rs"].map(str::to_string));
            let there =
                std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
            let mut there: Vec<String> = there.collect();
            files.sort_unstable();
            there.sort_unstable();
            assert_eq!(there, files, "{}", folder.display());
        }
    }
}
