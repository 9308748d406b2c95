//! What is said of pictures that come out dark, of those that only look as if they would, and of empty ones.

use std::process::Command;

/// A folder of its own for one test, removed at the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Renders `scene` small and gives back what is said on standard error.
    #[track_caller]
    fn says(&self, scene: &str, options: &str) -> String {
        std::fs::write(self.0.path().join("a.pbrt"), scene).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
        let line = format!("render a.pbrt --size 32x24 --spp 4 -o a.png {options}");
        let output = command.current_dir(&self.0).args(line.split_whitespace()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{options}: {message}");
        message
    }
}

/// The directives that `rest` of a world follows; the camera is at (0, 0, 4) and looks at `target`.
fn world(target: &str, rest: &str) -> String {
    format!("LookAt 0 0 4  {target}  0 1 0\nCamera \"perspective\" \"float fov\" 40\nWorldBegin\n{rest}")
}

/// A wide floor, seen from above.
const FLOOR: &str = "AttributeBegin\nMaterial \"matte\"\n\
    Shape \"trianglemesh\" \"integer indices\" [0 1 2] \"point P\" [-90 -90 0 190 -90 0 -90 190 0]\nAttributeEnd\n";
const BULB: &str = "LightSource \"point\" \"rgb I\" [30 30 30] \"point from\" [0 0 1.5]\n";

/// A ball of a medium of the given absorption around the bulb.
fn fog(sigma: f32) -> String {
    format!(
        "AttributeBegin\nTranslate 0 0 1.5\nMakeNamedMedium \"fog\" \"rgb sigma_a\" [{sigma} {sigma} {sigma}] \"rgb sigma_s\" [0 0 0]\n\
         MediumInterface \"fog\" \"\"\nMaterial \"interface\"\nShape \"sphere\" \"float radius\" 0.8\nAttributeEnd\n"
    )
}

#[test]
fn light_behind_more_glass_than_usual_is_looked_for_as_deep_as_the_picture_is() {
    let folder = Folder::new();
    let spheres: String =
        (0..10).map(|i| format!("Shape \"sphere\" \"float radius\" {}\n", 5.0 + 0.2 * i as f32)).collect();
    let night = "LightSource \"infinite\" \"rgb L\" [1 1 1]\nMaterial \"glass\" \"float eta\" 1.1\n";
    let scene = world("0 0 0", &format!("{night}{spheres}"));
    let says = folder.says(&scene, "--max-depth 64");
    assert!(!says.contains("will be black"), "{says}");
    // With fewer bounces none comes through.
    assert!(folder.says(&scene, "--max-depth 5").contains("will be black"));
}

#[test]
fn what_is_seen_to_glow_is_light() {
    let folder = Folder::new();
    let panel = |side: f32| {
        format!(
            "AttributeBegin\nAreaLightSource \"diffuse\" \"rgb L\" [10 10 10] \"bool twosided\" true\nMaterial \"matte\" \"rgb Kd\" [0 0 0]\n\
             Shape \"trianglemesh\" \"integer indices\" [0 1 2 0 2 3] \"point P\" [-{side} -{side} 0 {side} -{side} 0 {side} {side} 0 -{side} {side} 0]\nAttributeEnd\n"
        )
    };
    let wall = world("0 0 0", &panel(9.0));
    for options in ["", "--light none"] {
        let says = folder.says(&wall, options);
        assert!(!says.contains("light") && !says.contains("black"), "{options}: {says}");
    }
    // A panel of a tenth of the picture over a black floor lights nothing, and is itself seen.
    let black = FLOOR.replace("\"matte\"", "\"matte\" \"rgb Kd\" [0 0 0]").replace("Shape", "Translate 0 0 -1 Shape");
    for options in ["", "--light none"] {
        let says = folder.says(&world("0 0 0", &format!("{}{black}", panel(0.5))), options);
        assert!(!says.contains("studio is added") && !says.contains("will be black"), "{options}: {says}");
    }
    // One that is too small to be seen is none.
    assert!(folder.says(&world("0 0 0", &format!("{}{black}", panel(0.02))), "").contains("a studio is added"));
}

#[test]
fn an_environment_alone_is_a_picture() {
    let folder = Folder::new();
    let camera = world("0 0 0", "");
    let map = "LightSource \"infinite\" \"rgb L\" [0.5 0.5 0.5]\n";
    for (scene, options) in [(map, ""), ("", "--light sky"), (BULB, "--light white")] {
        let says = folder.says(&format!("{camera}{scene}"), options);
        assert!(!says.contains("black") && !says.contains("pixel shows"), "{scene}{options}: {says}");
    }
    // Without light from around there is nothing to see, and in no case anything to hit.
    let run = |words: &str, scene: &str| {
        std::fs::write(folder.0.path().join("b.pbrt"), format!("{camera}{scene}")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
        let output = command.current_dir(&folder.0).args(words.split_whitespace()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(run("info b.pbrt", map).0, Some(0));
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 6), }";
    let rays = [&b"\x93NUMPY\x01\x00\x76\x00"[..], format!("{header:<117}\n").as_bytes(), &[0; 24]].concat();
    std::fs::write(folder.0.path().join("rays.npy"), rays).unwrap();
    for (words, scene) in [
        ("render b.pbrt -o b.png", ""),
        ("render b.pbrt -o b.png --light none", BULB),
        ("info b.pbrt", BULB),
        ("trace b.pbrt rays.npy -o hits.npy", map),
    ] {
        let (status, says) = run(words, scene);
        assert!(status == Some(3) && says.contains("it has no triangles"), "{words}: {status:?} {says}");
    }
}

#[test]
fn a_medium_that_takes_the_light_away_is_named() {
    let folder = Folder::new();
    let named = "a medium absorbs nearly all light on its way to what is seen from here";
    let inside = world("0 0 0", &format!("{FLOOR}{}{BULB}", fog(40.0)));
    // Around the bulb, around the whole world, and before light that comes from infinity.
    let everywhere = |light: &str| {
        let medium = "MakeNamedMedium \"fog\" \"rgb sigma_a\" [40 40 40] \"rgb sigma_s\" [0 0 0]\nMediumInterface \"\" \"fog\"\n";
        format!("{medium}{}", world("0 0 0", &format!("{FLOOR}{light}")))
    };
    let night = "LightSource \"infinite\" \"rgb L\" [1 1 1]\n";
    for scene in [&inside, &everywhere(BULB), &everywhere(night)] {
        let says = folder.says(scene, "--light none");
        assert!(says.contains(named) && says.contains("without that medium"), "{scene}: {says}");
    }
    let says = folder.says(&inside, "");
    assert!(says.contains(named) && says.contains("a studio is added"), "{says}");
    // What a thin fog leaves is seen, and a weak bulb in it is weak.
    assert!(!folder.says(&world("0 0 0", &format!("{FLOOR}{}{BULB}", fog(0.01))), "").contains("light"));
    let weak = BULB.replace("30", "0.001");
    let says = folder.says(&world("0 0 0", &format!("{FLOOR}{}{weak}", fog(0.01))), "");
    assert!(says.contains("own light shows hardly anything from here"), "{says}");
}

#[test]
fn a_camera_that_looks_past_the_scene_gets_one_line() {
    let folder = Folder::new();
    let past = world("0 0 9", &format!("{FLOOR}{BULB}"));
    for options in ["", "--light none"] {
        let says = folder.says(&past, options);
        let lines: Vec<&str> = says.lines().filter(|line| line.contains("scene")).collect();
        assert_eq!(lines.len(), 1, "{options}: {says}");
        assert!(lines[0].contains("nothing of the scene is in view: the picture will be black"), "{options}: {says}");
        assert!(lines[0].contains("--eye") && lines[0].contains("--target") && lines[0].contains("--up"), "{says}");
    }
    let unlit = world("0 0 9", FLOOR);
    assert!(folder.says(&unlit, "--light none").contains("nothing of the scene is in view"));
    // What is behind the scene shows, or nothing is meant to.
    let night = world("0 0 9", &format!("{FLOOR}LightSource \"infinite\"\n"));
    for (scene, options) in [(&past, "--transparent --light none"), (&past, "--light sky"), (&night, ""), (&unlit, "")]
    {
        let says = folder.says(scene, options);
        assert!(!says.contains("is in view"), "{options}: {says}");
    }
}

#[test]
fn whether_a_lamp_is_closed_is_asked_on_the_side_that_shines() {
    let folder = Folder::new();
    // Beside the view, a lamp in the mouth of a funnel: its light goes up into the open, or down and ends there.
    let lamp = |corners: &str, normal: i32, twosided: bool| {
        let funnel = "\"point P\" [-0.32 -0.32 0.01 0.64 -0.32 0.01 -0.32 0.64 0.01 0 0 -0.3]";
        let points = "\"point P\" [-0.3 -0.3 0 0.6 -0.3 0 -0.3 0.6 0]";
        let n = format!("0 0 {normal}");
        let normals = if normal == 0 { String::new() } else { format!("\"normal N\" [{n} {n} {n}]") };
        let rest = format!(
            "AttributeBegin\nTranslate 20 0 1.5\nMaterial \"matte\"\n\
             Shape \"trianglemesh\" {funnel} \"integer indices\" [0 1 3 1 2 3 2 0 3]\n\
             AreaLightSource \"diffuse\" \"rgb L\" [10 10 10] \"bool twosided\" {twosided}\n\
             Shape \"trianglemesh\" {points} \"integer indices\" [{corners}] {normals}\nAttributeEnd\n"
        );
        folder.says(&world("0 0 0", &format!("{FLOOR}{rest}")), "--light none")
    };
    let (closed, open) = ("lit from inside a closed lamp", "no light of the scene reaches");
    let (up, down) = ("0 1 2", "0 2 1");
    for (corners, normal, twosided, cause) in [
        (up, 0, false, open),
        (down, 0, false, closed),
        (up, -1, false, closed),
        (down, 1, false, open),
        (up, 0, true, open),
        (down, 0, true, open),
    ] {
        let says = lamp(corners, normal, twosided);
        assert!(says.contains(cause), "{corners}, normals {normal}, two-sided {twosided}: {says}");
    }
}

#[test]
fn only_what_was_not_yet_taken_is_suggested() {
    let folder = Folder::new();
    let black = world("0 0 0", &FLOOR.replace("\"matte\"", "\"matte\" \"rgb Kd\" [0 0 0]"));
    for options in ["", "--light studio", "--light white", "--light studio --exposure auto"] {
        let says = folder.says(&black, options);
        let line = says.lines().find(|line| line.contains("black")).unwrap_or_else(|| panic!("{options}: {says}"));
        assert!(line.contains("--integrator ao") && !line.contains("--light"), "{options}: {line}");
    }
    assert!(folder.says(&black, "--light none").contains("try --light studio"));
    // In a closed room light from around is of no use.
    let shell = "Shape \"sphere\" \"float radius\" 9\n";
    let says = folder.says(&world("0 0 0", &format!("{FLOOR}{shell}")), "--light white");
    assert!(says.contains("without --light, lamps in the room are added"), "{says}");
    let says = folder.says(&world("0 0 0", &format!("{FLOOR}{shell}")), "");
    assert!(says.contains("lamps in the room are added") && !says.contains("sky"), "{says}");
    // Of none, of one whose light ends in a box, and of one that is too weak to be seen.
    let boxed = format!("{FLOOR}{shell}{BULB}Translate 0 0 1.5\nShape \"sphere\" \"float radius\" 0.1\n");
    let weak = format!("{FLOOR}{shell}{}", BULB.replace("30", "0.04"));
    for (rest, options, advice) in [
        (format!("{FLOOR}{shell}"), "--light none", "try leaving --light out, which adds lamps in the room"),
        (boxed, "--light none", "without --light, lamps in the room are added"),
        (weak.clone(), "", "try --exposure auto"),
        (weak, "--light none", "try --exposure auto"),
    ] {
        let says = folder.says(&world("0 0 0", &rest), options);
        let line = says.lines().find(|line| line.contains("black")).unwrap_or_else(|| panic!("{rest}: {says}"));
        assert!(line.contains(advice) && !line.contains("--light studio"), "{rest} {options}: {line}");
    }
    let glare = world("0 0 0", &format!("{FLOOR}{}", BULB.replace("30", "900000")));
    let tries = |options: &str| {
        let says = folder.says(&glare, options);
        let line = says.lines().find(|line| line.contains("blown out")).map(str::to_string);
        line.map(|line| (line.contains("--exposure auto"), line.contains("--tone agx"), line.contains("try ,")))
    };
    assert_eq!(tries(""), Some((true, true, false)));
    assert_eq!(tries("--tone agx"), Some((true, false, false)));
}

#[test]
fn a_picture_without_the_scene_blames_what_it_can() {
    let folder = Folder::new();
    let clear = "WorldBegin\nShape \"sphere\" \"float alpha\" 0\n";
    let past = world("0 0 9", FLOOR);
    for (scene, options, why) in [
        (clear, "", "its triangles are clear, or small"),
        (clear, "--up 0,0,1", "its triangles are clear, or small"),
        (clear, "--eye 0,0,9", "try without --eye, or --up"),
        (clear, "--target 0,0,9", "try without --target, or --up"),
        (clear, "--eye 0,0,9 --target 1,1,1", "try without --eye and --target, or --up"),
        (&past, "", "it is far away or elsewhere; --up 0,1,0 frames it"),
        (&past, "--camera 1", "try without --camera, or --up"),
    ] {
        let says = folder.says(scene, &format!("--light white {options}"));
        let line = says.lines().find(|line| line.contains("no pixel shows the scene"));
        assert!(line.is_some_and(|line| line.contains(why)), "{options}: {says}");
    }
    // A crop is blamed where the rest of the picture shows the scene.
    let middle = world("0 0 0", "Shape \"sphere\" \"float radius\" 0.3\n");
    let cropped = format!("Film \"image\" \"float cropwindow\" [0 0.1 0 0.1]\n{middle}");
    for (scene, options, is_crop) in
        [(&middle, "--crop 0,0,2x2", true), (&cropped, "", true), (&past, "--crop 0,0,2x2", false)]
    {
        let says = folder.says(scene, &format!("--light white {options}"));
        let line = says.lines().find(|line| line.contains(" the scene: it is ")).unwrap_or_else(|| panic!("{says}"));
        assert_eq!(line.contains("no pixel of the crop shows"), is_crop, "{options}: {line}");
        assert_eq!(line.contains("; --crop 0,0,"), is_crop, "{options}: {line}");
    }
    let says = folder.says(clear, "--light none");
    assert!(says.contains("in view: the picture will be black or nearly so; its triangles are clear"), "{says}");
    assert!(!says.contains("--eye X,Y,Z and"), "{says}");
}

#[test]
fn a_file_of_nothing_is_not_framed_by_its_triangles() {
    let folder = Folder::new();
    std::fs::write(folder.0.path().join("empty.gltf"), r#"{"asset": {"version": "2.0"}}"#).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
    let words = "render empty.gltf --light sky --size 16x12 --spp 1 -o a.png";
    let output = command.current_dir(&folder.0).args(words.split_whitespace()).output().unwrap();
    let says = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && says.contains("neither a camera nor a triangle"), "{says}");
    assert!(!says.contains("framed"), "{says}");
}
