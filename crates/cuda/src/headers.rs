//! The headers with which kernels of others trace: kernels/raywarp.h and what it includes, as one text.

use std::sync::LazyLock;

/// File name of the header that kernels of users include to trace rays.
const PUBLIC: &str = "raywarp.h";

/// Options for NVRTC and nvcc besides the architecture: the C++ standard, and that products and sums are fused only
/// where the header says so (kernels/raywarp.h).
pub const HEADER_OPTIONS: [&str; 2] = ["-std=c++20", "-fmad=false"];

/// Returns the text of kernels/raywarp.h with all that it includes, for users' kernels that trace rays.
///
/// NVRTC takes it as a header in memory under the name `raywarp.h`; written to a file of this name it is for nvcc; and
/// [`with_header`] puts it into a source. NVRTC needs no other headers for it.
pub fn header() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let mut text = "#ifndef RAYWARP_H\n#define RAYWARP_H\n".to_string();
        append(&mut text, PUBLIC, &mut Vec::new());
        text + "#endif\n"
    });
    &TEXT
}

/// Returns `source` with the text of [`header`] in place of each line `#include "raywarp.h"`, for compilers that get
/// one text and no include folders. Messages name the lines that `source` has in a file called `name`.
///
/// # Examples
/// The host's side of a kernel that traces, with cudarc as the program's own way to CUDA:
/// ```no_run
/// # mod raywarp {
/// #     pub use raywarp_geom::FlatTriangles;
/// #     pub mod bvh { pub use raywarp_bvh::{build, presets}; }
/// #     pub use raywarp_cuda as cuda;
/// # }
/// use cudarc::driver::{CudaContext, DeviceRepr, LaunchConfig, PushKernelArg};
/// use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};
/// use raywarp::FlatTriangles;
/// use raywarp::bvh::{build, presets};
/// use raywarp::cuda::{Device, DeviceScene, HEADER_OPTIONS, Stream, TreeRecord, with_header};
///
/// #[repr(transparent)]
/// struct Tree(TreeRecord);
/// // SAFETY: the words of the kernel's `raywarp::Tree`.
/// unsafe impl DeviceRepr for Tree {}
///
/// let kernel = r#"
///     #include "raywarp.h"
///     extern "C" __global__ void depths(raywarp::Tree tree, const raywarp::Ray* rays, float* depths, unsigned count) {
///         const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
///         if (i < count) {
///             depths[i] = raywarp::closest(tree, rays[i]).t;
///         }
///     }"#;
/// let context = CudaContext::new(0)?;
/// let queue = context.new_stream()?;
/// let mut options = HEADER_OPTIONS.map(String::from).to_vec();
/// options.push("-arch=compute_75".to_string());
/// let ptx = compile_ptx_with_opts(with_header("depths.cu", kernel), CompileOptions { options, ..Default::default() })?;
/// let depths = context.load_module(ptx)?.load_function("depths")?;
///
/// // SAFETY: the context lives until this function ends.
/// let device = unsafe { Device::from_context(context.cu_ctx().cast()) }?;
/// // SAFETY: a stream of this context.
/// let stream = unsafe { Stream::from_raw(&device, queue.cu_stream().cast()) };
/// let triangles = FlatTriangles::from_vertices(vec![[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]);
/// let bvh = build(&triangles, &presets::GPU)?;
/// let scene = DeviceScene::for_kernels(&device, &stream, &bvh, &triangles)?;
///
/// let rays = queue.clone_htod(&[0.2f32, 0.2, 1.0, 0.0, 0.0, 0.0, -1.0, f32::INFINITY])?;
/// let mut found = queue.alloc_zeros::<f32>(1)?;
/// let (tree, count) = (Tree(scene.tree(&stream)), 1u32);
/// let mut launch = queue.launch_builder(&depths);
/// launch.arg(&tree).arg(&rays).arg(&mut found).arg(&count);
/// // At most 384 threads a block: such a kernel takes some 130 registers.
/// let config = LaunchConfig { grid_dim: (count.div_ceil(128), 1, 1), block_dim: (128, 1, 1), shared_mem_bytes: 0 };
/// // SAFETY: the kernel takes these, reads one ray of 8 floats, and writes a float.
/// unsafe { launch.launch(config) }?;
/// assert_eq!(queue.clone_dtoh(&found)?, [1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_header(name: &str, source: &str) -> String {
    let mut text = String::with_capacity(header().len() + source.len());
    text += &format!("#line 1 \"{name}\"\n");
    for (i, line) in source.lines().enumerate() {
        if included(line) == Some(PUBLIC) {
            text += header();
            text += &format!("#line {} \"{name}\"\n", i + 2);
        } else {
            text += line;
            text += "\n";
        }
    }
    text
}

/// Returns the file name in quotes of a line that includes one of Raywarp's headers.
fn included(line: &str) -> Option<&str> {
    line.trim().strip_prefix("#include \"")?.strip_suffix('"')
}

/// Returns the index of the header that another one includes, by a path from its own folder or from kernels/.
fn resolved(from: &str, name: &str) -> Option<usize> {
    let mut beside: Vec<&str> = from.split('/').collect();
    beside.pop();
    for part in name.split('/') {
        if part == ".." {
            beside.pop();
        } else {
            beside.push(part);
        }
    }
    let find = |name: &str| FILES.iter().position(|(known, _)| *known == name);
    find(&beside.join("/")).or_else(|| find(name))
}

/// Appends a header to `text` after those that it includes, each only once: `done` has the indices of those appended.
fn append(text: &mut String, name: &str, done: &mut Vec<usize>) {
    let Some(place) = resolved("", name).filter(|place| !done.contains(place)) else { return };
    done.push(place);
    *text += &format!("#line 1 \"raywarp/{name}\"\n");
    for (i, line) in FILES[place].1.lines().enumerate() {
        match included(line).map(|other| (other, resolved(name, other))) {
            // Each stands here once.
            None if line == "#pragma once" => *text += "\n",
            Some((_, Some(other))) => {
                append(text, FILES[other].0, done);
                *text += &format!("#line {} \"raywarp/{name}\"\n", i + 2);
            }
            // What is for emulation is left to it.
            None | Some((_, None)) => {
                *text += line;
                *text += "\n";
            }
        }
    }
}

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../kernels/", $name)))),*]
    };
}

/// Names and texts of the public header and of all that it includes.
const FILES: &[(&str, &str)] = files![
    "group.h" "lane.h" "launch.h" "options.h" "ray.h" "raywarp.h" "schedule_of.h" "stack.h" "walk.h"
    "ops/fetch_ray.h" "ops/pop.h" "ops/postpone.h" "ops/store_hit.h" "ops/test_triangle.h" "ops/together.h"
    "ops/visit_node.h" "ops/vote.h"
    "platform/cuda.h" "platform/halves.h" "platform/platform.h"
    "schedule/if_if.h" "schedule/if_while.h" "schedule/packet.h" "schedule/phased.h" "schedule/rounds.h"
    "schedule/speculative_if_if.h" "schedule/speculative_while_while.h" "schedule/while_while.h"
    "supply/trace.h"
    "tree/bvh2.h" "tree/byte_grid.h" "tree/cwbvh8.h" "tree/entry.h" "tree/h8.h" "tree/h8_ray.h" "tree/order.h" "tree/qbvh4.h"
    "tree/slab_tree.h" "tree/tree.h" "tree/wide4.h" "tree/wide_n.h"
    "triangle/moeller_trumbore.h" "triangle/pair.h" "triangle/rows.h" "triangle/triangle.h" "triangle/tuv.h"
    "triangle/watertight.h" "triangle/woop.h"
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_the_header_once_and_nothing_else_is_wanted() {
        for (name, text) in FILES {
            assert_eq!(header().matches(&format!("#line 1 \"raywarp/{name}\"\n")).count(), 1, "{name}");
            let longest = text.lines().max_by_key(|line| line.len()).unwrap();
            assert!(header().contains(longest), "{name}: {longest}");
        }
        let left: Vec<&str> = header().lines().filter(|line| line.trim().starts_with("#include")).collect();
        // The one for the checks on a CPU, and for nvcc its own.
        assert_eq!(left, ["#include \"emulated.h\"", "#include <cuda_fp16.h>"]);
        assert!(!header().contains("#pragma once"));
    }

    #[test]
    fn a_line_of_the_header_is_told_by_its_file() {
        let text = header();
        for (name, line) in
            [("walk.h", "struct Answer {"), ("raywarp.h", "struct AnyHit {"), ("tree/h8.h", "struct H8 {")]
        {
            let file = FILES[resolved("", name).unwrap()].1;
            let at = file.lines().position(|own| own == line).unwrap() + 1;
            let (mut told, mut place) = (Vec::new(), (0, ""));
            for own in text.lines() {
                if let Some((number, file)) = own.strip_prefix("#line ").and_then(|rest| rest.split_once(' ')) {
                    place = (number.parse().unwrap(), file);
                } else {
                    if own == line {
                        told.push((place.0, place.1.to_string()));
                    }
                    place.0 += 1;
                }
            }
            assert_eq!(told, [(at, format!("\"raywarp/{name}\""))]);
        }
    }

    #[test]
    fn a_source_gets_the_header_where_it_includes_it() {
        let text = with_header("own.cu", "// One.\n#include \"raywarp.h\"\nint three;\n");
        assert!(text.starts_with("#line 1 \"own.cu\"\n// One.\n#ifndef RAYWARP_H\n"));
        assert!(text.ends_with("#endif\n#line 3 \"own.cu\"\nint three;\n"));
    }
}
