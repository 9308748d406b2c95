//! Things in a scene, by name.

use raywarp::render::camera_name;
use raywarp::scene::{Choices, Description, Light, Material, Pixels, Projection, Texture, escape};
use raywarp_lab::report::{Column, Document, Sheet};

/// Number of entries of each list of names that the text shows.
const SHOWN: usize = 20;
/// Number of characters of a name that the text shows.
const NAME: usize = 30;

/// Named part of a scene: a camera, a light, a material and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedItem {
    /// Name in the file, or the part's kind and number from 1.
    pub name: String,
    /// Description of the part in a few words.
    pub what: String,
}

/// Named parts of a scene by kind, each list in the file's order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Names {
    /// Scenes of a glTF file, by their numbers from 0 if unnamed; empty if there is only one.
    pub scenes: Vec<NamedItem>,
    /// Animations of a glTF file.
    pub animations: Vec<NamedItem>,
    /// Material variants of a glTF file.
    pub material_variants: Vec<NamedItem>,
    /// Cameras, the default one first.
    pub cameras: Vec<NamedItem>,
    /// Lights other than emissive triangles.
    pub lights: Vec<NamedItem>,
    /// Materials; unnamed ones are called by their number.
    pub materials: Vec<NamedItem>,
    /// Images, then textures that are not images.
    pub textures: Vec<NamedItem>,
    /// Meshes, in the scene's order.
    pub meshes: Vec<NamedItem>,
}

impl Names {
    /// Collects the named parts of `scene`.
    pub fn of(scene: &Description) -> Self {
        let list = |count: usize, item: &dyn Fn(usize) -> NamedItem| (0..count).map(item).collect();
        let mut placements = vec![0usize; scene.meshes.len()];
        scene.instances.iter().for_each(|instance| placements[instance.mesh.index()] += 1);
        let images = (0..scene.images.len()).map(|i| image(scene, i));
        let made = scene.textures.iter().enumerate().filter_map(|(i, texture)| made_texture(i, texture));
        Self {
            scenes: Vec::new(),
            animations: Vec::new(),
            material_variants: Vec::new(),
            cameras: list(scene.cameras.len(), &|i| camera(scene, i)),
            lights: list(scene.lights.len(), &|i| {
                let name = scene.light_names.get(i).map_or("", String::as_str);
                NamedItem { name: or_number(name, "light", i), what: light(scene, &scene.lights[i]) }
            }),
            materials: list(scene.materials.len(), &|i| material(i, &scene.materials[i])),
            textures: images.chain(made).collect(),
            meshes: list(scene.meshes.len(), &|i| {
                let mesh = &scene.meshes[i];
                let triangles = mesh.triangles.indices.len();
                let places =
                    if placements[i] == 1 { String::new() } else { format!(", placed {} times", placements[i]) };
                NamedItem { name: or_number(&mesh.name, "mesh", i), what: format!("{triangles} triangles{places}") }
            }),
        }
    }

    /// Adds the scenes, animations and material variants from which the file lets the user choose.
    pub fn add_choices(&mut self, choices: &Choices) {
        let item = |number: usize, name: &str, what: String| NamedItem {
            name: if name.is_empty() { number.to_string() } else { name.to_string() },
            what,
        };
        let scene = |(i, name): (usize, &String)| {
            let shown = if choices.shown_scene == Some(i) { ", shown" } else { "" };
            item(i, name, format!("--gltf-scene {i}{shown}"))
        };
        // One scene is no choice.
        let several = if choices.scenes.len() > 1 { &choices.scenes[..] } else { &[] };
        self.scenes = several.iter().enumerate().map(scene).collect();
        let animation = |(i, (name, end)): (usize, &(String, f64))| {
            let end = (end * 1e4).round() / 1e4;
            item(i, name, format!("--animation {i}, up to --at {end}"))
        };
        self.animations = choices.animations.iter().enumerate().map(animation).collect();
        let variant = |(i, name): (usize, &String)| item(i, name, format!("--material-variant {i}"));
        self.material_variants = choices.material_variants.iter().enumerate().map(variant).collect();
    }

    fn sections(&self) -> [(&'static str, &[NamedItem]); 8] {
        [
            ("scenes", &self.scenes),
            ("animations", &self.animations),
            ("material variants", &self.material_variants),
            ("cameras", &self.cameras),
            ("lights", &self.lights),
            ("materials", &self.materials),
            ("textures", &self.textures),
            ("meshes", &self.meshes),
        ]
    }

    /// Adds the named parts to a document, as text a section for each non-empty list with at most 20 entries.
    pub fn describe(&self, document: &mut Document) {
        let lists = self.sections();
        let cut = lists.map(|(kind, items)| describe_section(kind, items, document));
        if cut.contains(&true) {
            document.paragraph("names that end in ... are cut; --json has them whole");
        }
        document.member("names", |document| {
            for (kind, items) in lists {
                let sheet = Sheet(vec![
                    Column::words(|item: &NamedItem| item.name.clone()).key("name"),
                    Column::words(|item: &NamedItem| item.what.clone()).key("what"),
                ]);
                document.table(sheet.table(items).key(kind.replace(' ', "_")));
            }
        });
    }
}

/// Adds a list to the text, if it has items; returns `true` if it cuts names.
fn describe_section(kind: &str, items: &[NamedItem], document: &mut Document) -> bool {
    if items.is_empty() {
        return false;
    }
    document.paragraph(kind);
    let shown: Vec<(String, &NamedItem)> = items.iter().take(SHOWN).map(|item| (short(&item.name), item)).collect();
    let width = shown.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (i, (name, item)) in shown.iter().enumerate() {
        document.named_words(format!("{:>4}  {name:<width$}  ", i + 1), &item.what);
    }
    if items.len() > shown.len() {
        document.whole(format!("      and {} more; --json lists all", items.len() - shown.len()));
    }
    shown.iter().any(|(name, item)| *name != escape(&item.name))
}

/// Returns a name on one line, which is cut if it is long: it may hold line breaks, and be of any length.
fn short(name: &str) -> String {
    let name = escape(name);
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.into_owned(),
    }
}

fn or_number(name: &str, kind: &str, index: usize) -> String {
    if name.trim().is_empty() { format!("{kind} {}", index + 1) } else { name.to_string() }
}

/// Formats three numbers briefly.
fn numbers(v: [f32; 3]) -> String {
    v.map(|x| format!("{}", (f64::from(x) * 1e4).round() / 1e4 + 0.0)).join(" ")
}

/// Formats a point in the file's coordinates briefly.
fn place(scene: &Description, point: [f32; 3]) -> String {
    scene.in_file(point).map(|x| format!("{}", (x * 1e4).round() / 1e4 + 0.0)).join(" ")
}

fn camera(scene: &Description, index: usize) -> NamedItem {
    let camera = &scene.cameras[index];
    let lens = match camera.projection {
        Projection::Perspective { fov, .. } => format!("{fov:.1} degrees"),
        Projection::Orthographic { half_height } => format!("parallel, {} high", 2.0 * half_height),
    };
    NamedItem { name: camera_name(index, camera), what: format!("at {}, {lens}", place(scene, camera.eye)) }
}

fn light(scene: &Description, light: &Light) -> String {
    match light {
        Light::Point { position, intensity } => {
            format!("point at {}, intensity {}", place(scene, *position), numbers(*intensity))
        }
        Light::Spot { position, intensity, cos_outer, .. } => {
            let angle = cos_outer.acos().to_degrees();
            format!("spot at {}, intensity {}, {angle:.0} degrees", place(scene, *position), numbers(*intensity))
        }
        Light::Directional { direction, irradiance } => {
            format!("directional towards {}, irradiance {}", numbers(*direction), numbers(*irradiance))
        }
        Light::Environment { map: Some(_), .. } => "environment map".to_string(),
        Light::Environment { radiance, .. } => format!("environment, radiance {}", numbers(*radiance)),
    }
}

fn material(index: usize, material: &Material) -> NamedItem {
    let kind = material.surface.name();
    let emits = if material.emission.is_some() { ", emits light" } else { "" };
    NamedItem { name: or_number(&material.name, "material", index), what: format!("{kind}{emits}") }
}

fn image(scene: &Description, index: usize) -> NamedItem {
    let image = &scene.images[index];
    let texels = match *image.pixels {
        Pixels::Srgb8(_) => "colours, 8 bits",
        Pixels::Linear8(_) => "data, 8 bits",
        Pixels::Float(_) => "floats",
    };
    let what = format!("image {}x{}, {texels}", image.width, image.height);
    NamedItem { name: or_number(&image.name, "image", index), what }
}

/// Returns the list entry of a texture that is not an image; `None` for an image.
fn made_texture(index: usize, texture: &Texture) -> Option<NamedItem> {
    let what = match texture {
        // Constants are colours of materials.
        Texture::Image { .. } | Texture::Constant(_) => return None,
        Texture::VertexColor => "colours of the vertices",
        Texture::Checkerboard { .. } => "checkerboard",
        Texture::Scale { .. } => "product of two",
        Texture::Mix { .. } => "mix of two",
    };
    Some(NamedItem { name: format!("texture {}", index + 1), what: what.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_lab::report::Room;

    fn written(names: &Names) -> (String, serde_json::Value) {
        let mut document = Document::of_facts("names", 0);
        names.describe(&mut document);
        (document.text(Room::TERMINAL), document.json()["names"].take())
    }

    #[test]
    fn lists_name_everything_and_stop_at_twenty() {
        let mut scene = Description::default();
        for i in 0..23 {
            scene.add_material(Material::diffuse(if i == 0 { "red \u{1b}[31m" } else { "" }, [0.5; 3]));
        }
        scene.lights.push(Light::Point { position: [1.0, -0.0, 2.5], intensity: [3.0; 3] });
        let names = Names::of(&scene);
        let (text, json) = written(&names);
        assert!(text.contains("   1  red \\u{1b}[31m  diffuse\n") && text.contains("  20  material 20"), "{text}");
        assert!(text.contains("      and 3 more; --json lists all\n") && !text.contains("material 21"), "{text}");
        assert!(text.contains("light 1  point at 1 0 2.5, intensity 3 3 3"), "{text}");
        assert!(!text.contains("cameras") && !text.contains("are cut"), "{text}");
        assert_eq!(json["materials"].as_array().unwrap().len(), 23);
    }
    #[test]
    fn what_there_is_to_choose_from_stands_first_with_its_option() {
        let mut names = Names::of(&Description::default());
        names.add_choices(&Choices {
            scenes: vec!["indoors".into(), String::new()],
            shown_scene: Some(1),
            animations: vec![("walk".into(), 1.25)],
            material_variants: vec!["night".into()],
        });
        let (text, json) = written(&names);
        for line in ["   1  indoors  --gltf-scene 0\n", "   2  1        --gltf-scene 1, shown\n"] {
            assert!(text.contains(line), "{text}");
        }
        assert!(text.contains("animations\n   1  walk  --animation 0, up to --at 1.25\n"), "{text}");
        assert!(text.contains("material variants\n   1  night  --material-variant 0\n"), "{text}");
        assert_eq!(json["material_variants"][0]["name"], "night");
    }

    #[test]
    fn a_long_name_is_cut_and_that_is_said_once() {
        let mut scene = Description::default();
        scene.add_material(Material::diffuse("x".repeat(31), [0.5; 3]));
        scene.add_material(Material::diffuse("y".repeat(40), [0.5; 3]));
        let names = Names::of(&scene);
        let (text, json) = written(&names);
        assert!(text.contains(&format!("{}...  diffuse", "x".repeat(30))), "{text}");
        assert!(text.ends_with("\n\nnames that end in ... are cut; --json has them whole\n"), "{text}");
        assert_eq!(text.matches("are cut").count(), 1);
        assert_eq!(json["materials"][1]["name"], "y".repeat(40));
    }
}
