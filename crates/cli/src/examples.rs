//! Examples under the `--help` of each command. A test reads them there and parses each.

/// Example of a command: its purpose, and the command line.
type Example = (&'static str, &'static str);

/// Returns the examples of a command, or of the whole program for `raywarp`.
fn of(command: &str) -> &'static [Example] {
    match command {
        "raywarp" => &[
            ("A picture of the built-in scene, render.png", "raywarp render"),
            ("A picture of a file, and what is in it", "raywarp render scene.gltf -o scene.png"),
            ("", "raywarp info scene.gltf"),
            ("What rays of a NumPy array hit", "raywarp trace scene.gltf rays.npy -o hits.npy"),
            ("How fast kernels are on this machine", "raywarp bench scene.gltf"),
            ("What bounds their rates on a GPU", "raywarp simulate scene.gltf --machine h200"),
        ],
        "render" => &[
            (
                "A picture as large as a screen, with more samples",
                "raywarp render scene.gltf --size 1920x1080 --spp 256",
            ),
            ("Until the noise is 2 %, or for a minute at most", "raywarp render scene.gltf --noise 0.02 --time 60"),
            ("From another side", "raywarp render scene.obj --eye 4,3,9 --target 0,1,0 --vfov 35"),
            (
                "One stop brighter, with a filmic curve",
                "raywarp render scene.gltf -o bright.png --exposure 1 --tone agx",
            ),
            ("Everything that an EXR can hold", "raywarp render scene.gltf -o scene.exr --layers all"),
            ("Without background, and a part of it alone", "raywarp render scene.gltf --transparent -o scene.exr"),
            ("", "raywarp render scene.gltf --crop 400,300,320x200 -o part.png"),
            ("The rays of its paths, for bench --rays", "raywarp render scene.gltf --export-rays rays"),
            ("Half of the samples, for merge", "raywarp render scene.gltf --samples 0..32 -o a.exr"),
        ],
        "info" => &[
            ("What is in a scene and what its tree costs", "raywarp info scene.gltf"),
            ("The same for a script, with the best tree", "raywarp info scene.gltf --preset best --json"),
        ],
        "trace" => &[
            ("The closest hits", "raywarp trace scene.gltf rays.npy -o hits.npy"),
            ("Whether anything is on each ray", "raywarp trace scene.gltf rays.npy -o hits.npy --any"),
            ("Through pipes", "raywarp trace scene.gltf - -o -"),
            ("With a kernel of a paper", "raywarp trace scene.gltf rays.npy -o hits.npy --variant al09-while-while"),
        ],
        "merge" => &[
            ("Shares of render --samples to one picture", "raywarp merge a.exr b.exr -o whole.exr"),
            ("The same as a PNG, one stop brighter", "raywarp merge a.exr b.exr -o whole.png --exposure 1"),
        ],
        "convert" => &[
            ("An EXR as a PNG, with a filmic curve", "raywarp convert scene.exr -o scene.png --tone agx --exposure 1"),
            ("One of its layers", "raywarp convert scene.exr -o albedo.png --layer albedo"),
        ],
        "diff" => &[
            ("How far apart two pictures are", "raywarp diff a.exr b.exr"),
            ("Where they differ, and status 1 above 1 %", "raywarp diff a.exr b.exr -o where.png --within 0.01"),
        ],
        "bench" => &[
            ("The tracer of this CPU", "raywarp bench scene.gltf --device cpu"),
            ("The same beside Embree", "raywarp bench scene.gltf --device cpu --peers embree --threads 1"),
            (
                "Two kernels, as this CPU runs them",
                "raywarp bench scene.gltf --device cpu --variant al09-while-while,ykl17",
            ),
            ("Table 1 of Aila and Laine 2009 on a GPU, kept", "raywarp bench scene.gltf --suite table1 --record run"),
            (
                "The rays of a path tracer's second bounce",
                "raywarp bench scene.gltf --rays rays/bounce-01.npy,rays/shadow-01.npy",
            ),
            ("Beside what bounds it on that GPU", "raywarp bench scene.gltf --device cuda --simulate"),
        ],
        "simulate" => &[
            ("The busy lanes of warps", "raywarp simulate scene.gltf --efficiency"),
            (
                "The bounds of the rates on a GPU, as a page",
                "raywarp simulate scene.gltf --machine h200 --report bounds.html",
            ),
            ("The changes that would raise them most", "raywarp simulate scene.gltf --machine h200 --what-if"),
            ("With twice the cache", "raywarp simulate scene.gltf --machine h200 --set l2.bytes=2x"),
            ("A recorded run beside its bounds", "raywarp simulate scene.gltf --machine h200 --measured run/bench.csv"),
            ("An experiment of a paper", "raywarp simulate scene.gltf --experiment compaction"),
        ],
        "explain" => &[
            ("A kernel's hottest lines on an H200", "raywarp explain raywarp-h8 scene.gltf"),
            ("Its source as a page", "raywarp explain g14 scene.gltf --kind diffuse --report g14.html"),
        ],
        "paper" => &[
            ("What can be made of the papers", "raywarp paper"),
            ("What came of the statements of one", "raywarp paper al09"),
            ("Its Table 1, ours beside theirs, also as a page", "raywarp paper al09 table1 --report table1.html"),
            ("The same from records, at once", "raywarp paper al09 table1 --recorded"),
        ],
        "variants" => &[
            ("The papers' kernels", "raywarp variants"),
            ("Those that this GPU takes by itself", "raywarp variants --device cuda"),
        ],
        "selftest" => &[
            ("Every engine of this machine", "raywarp selftest"),
            ("One kernel in warps of 32 lanes", "raywarp selftest --variant ykl17 --width 32"),
            ("The kernels of a GPU", "raywarp selftest --device cuda"),
            ("The same, and a billion rays aimed at edges", "raywarp selftest --device cuda --aimed 1e9"),
        ],
        "completions" => &[
            (
                "For bash, from the next shell on",
                "raywarp completions bash > ~/.local/share/bash-completion/completions/raywarp",
            ),
            ("For fish", "raywarp completions fish > ~/.config/fish/completions/raywarp.fish"),
        ],
        "man" => &[
            ("A page at once", "raywarp man render | man -l -"),
            ("All pages, for man to find", "raywarp man -o ~/.local/share/man/man1"),
        ],
        _ => &[],
    }
}

/// Returns the examples section of a command's help; empty if it has none.
pub fn section(command: &str) -> String {
    let mut text = String::new();
    for (does, line) in of(command) {
        if !does.is_empty() {
            text += &format!("\n  # {does}");
        }
        text += &format!("\n  {line}");
    }
    if text.is_empty() { text } else { format!("Examples:{text}") }
}
