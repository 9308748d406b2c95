//! Materials as programs write them, and images by the names that programs give them.

use super::*;

/// Temporary folder with images of one texel each, in which MTL entries are loaded.
struct Written(Folder);

impl Written {
    fn new() -> Self {
        let folder = Folder::with_prefix("raywarp obj ");
        std::fs::create_dir_all(folder.at("Maps")).unwrap();
        let save = |name: &str, texel: [u8; 4]| {
            ::image::RgbaImage::from_raw(1, 1, texel.to_vec()).unwrap().save(folder.at("Maps").join(name)).unwrap();
        };
        save("White.png", [255; 4]);
        save("clear.png", [9, 9, 9, 0]);
        save("black.png", [0, 0, 0, 255]);
        std::fs::write(folder.at("Maps/broken.png"), b"\x89PNG\r\n\x1a\n and no more").unwrap();
        Self(folder)
    }

    fn load(
        &self,
        header: &str,
        lines: &str,
        options: &LoadOptions,
    ) -> Result<(Description, Vec<WarningKind>), ImportError> {
        let obj = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n";
        std::fs::write(self.0.at("a.obj"), obj).unwrap();
        std::fs::write(self.0.at("a.mtl"), format!("{header}newmtl m\n{lines}\n")).unwrap();
        let loaded = crate::load(&self.0.at("a.obj"), options).map_err(|error| error.error)?;
        Ok((loaded.scene, loaded.warnings.into_iter().map(|warning| warning.kind).collect()))
    }

    #[track_caller]
    fn material(&self, lines: &str) -> (Material, Vec<WarningKind>) {
        let (mut scene, warnings) = self.load("", lines, &LoadOptions::default()).unwrap();
        (scene.materials.remove(0), warnings)
    }

    #[track_caller]
    fn of_blender(&self, lines: &str) -> (Principled, Alpha, Vec<WarningKind>) {
        let header = "# Blender 5.2.3 LTS MTL File: 'None'\n# www.blender.org\n\n";
        let (mut scene, warnings) = self.load(header, lines, &LoadOptions::default()).unwrap();
        let material = scene.materials.remove(0);
        let Surface::Principled(principled) = material.surface else { panic!("{:?}", material.surface) };
        (*principled, material.alpha, warnings)
    }
}

/// Returns a warning about the material `m`.
fn said(finding: MtlFinding) -> WarningKind {
    ObjWarning::Material { name: "m".into(), finding }.into()
}

#[test]
fn a_map_whose_factor_is_absent_multiplies_one() {
    let files = Written::new();
    let emission = |lines: &str| {
        let (material, warnings) = files.material(lines);
        (material.emission.map(|e| (e.radiance.factor, e.radiance.texture.is_some())), warnings.len())
    };
    assert_eq!(emission("map_Ke Maps/White.png"), (Some(([1.0; 3], true)), 0));
    assert_eq!(emission("Ke 0 0 0\nmap_Ke Maps/White.png"), (Some(([1.0; 3], true)), 1));
    assert_eq!(emission("Ke 2 2 2\nmap_Ke Maps/White.png"), (Some(([2.0; 3], true)), 0));
    assert_eq!(emission("Ke 0 0 0"), (None, 0));
    let (material, warnings) = files.material("Kd 0 0 0\nmap_Ks Maps/White.png\nmap_Ns Maps/White.png\nNs 30");
    let Surface::Blinn { specular, exponent, .. } = material.surface else { panic!("{:?}", material.surface) };
    assert_eq!((specular.factor, specular.texture.is_some()), ([1.0; 3], true));
    assert_eq!((exponent.factor, exponent.texture.is_some(), warnings.len()), (30.0, true, 0));
    // A 0 there is what programs write for nothing, of numbers as of colours.
    for name in ["Pr", "Pm", "Pc", "Pcr"] {
        let lines = format!("Pr 1\n{name} 0\nmap_{name} Maps/White.png");
        let (material, warnings) = files.material(&lines);
        assert_eq!(warnings, [said(MtlFinding::ZeroUnderMap { factor: name })]);
        let Surface::Principled(principled) = material.surface else { panic!("{:?}", material.surface) };
        let Principled { metallic, roughness, clearcoat, clearcoat_roughness, .. } = *principled;
        let found = match name {
            "Pr" => roughness.x,
            "Pm" => metallic,
            "Pc" => clearcoat,
            _ => clearcoat_roughness,
        };
        assert_eq!((found.factor, found.texture.is_some()), (1.0, true), "{name}");
    }
    let (_, warnings) = files.material("Ks 1 1 1\nKd 0 0 0\nNs 0\nmap_Ns Maps/White.png");
    assert_eq!(warnings, [said(MtlFinding::ZeroUnderMap { factor: "Ns" })]);
    let (material, _) = files.material("Ks 0.2\nmap_Ns Maps/White.png");
    assert!(matches!(material.surface, Surface::Blinn { exponent, .. } if exponent.factor == 1.0));
    let principled = |lines: &str| match files.material(lines).0.surface {
        Surface::Principled(principled) => [principled.metallic, principled.roughness.x, principled.clearcoat]
            .map(|input| (input.factor, input.texture.is_some())),
        other => panic!("{lines}: {other:?}"),
    };
    let none = (0.0, false);
    assert_eq!(principled("Pr 0.3\nmap_Pm Maps/White.png"), [(1.0, true), (0.3, false), none]);
    assert_eq!(principled("map_Pm Maps/White.png"), [(1.0, true), (1.0, false), none]);
    assert_eq!(principled("Pr 0.3\nPm 1"), [(1.0, false), (0.3, false), none]);
    assert_eq!(principled("map_Pr Maps/White.png\nmap_Pc Maps/White.png"), [none, (1.0, true), (1.0, true)]);
    assert_eq!(principled("map_Pr Maps/White.png\nPr 0.5\nPc 0.2"), [none, (0.5, true), (0.2, false)]);
}

#[test]
fn a_map_that_is_not_there_leaves_what_its_absence_would() {
    let files = Written::new();
    let lenient = LoadOptions { allow_missing: true, ..LoadOptions::default() };
    let lines = "Kd 0.5\nmap_Ke lost.png\nmap_Ks lost.png\nmap_Ns lost.png";
    let (scene, _) = files.load("", lines, &lenient).unwrap();
    assert_eq!(scene.materials[0], Material::diffuse("m", [0.5; 3]));
}

#[test]
fn models_of_glass_are_glass_where_something_says_so() {
    let files = Written::new();
    let check = |lines: &str, glass: bool| {
        let (material, _) = files.material(lines);
        assert_eq!(matches!(material.surface, Surface::Dielectric { .. }), glass, "{lines}: {material:?}");
        material
    };
    for model in [4, 6, 7, 9] {
        let of = |lines: &str, glass| check(&format!("illum {model}\nKd 0.5\n{lines}"), glass);
        of("Ni 1.5", true);
        of("Ni 1.5\nd 1\nTf 1 1 1", true);
        of("Tf 0.5 0.5 0.5\nNi 1", true);
        // Maya writes so for whatever is opaque.
        assert_eq!(of("Tf 1.00 1.00 1.00\nNi 1.00", false), Material::diffuse("m", [0.5; 3]));
        of("Ks 0.1", false);
        // No index is 0.
        assert_eq!(of("Tf 1.00 1.00 1.00\nNi 0", false), Material::diffuse("m", [0.5; 3]));
        for paint in ["map_Kd Maps/White.png", "map_d Maps/White.png", "Pr 0.5", "Pm 0", "map_Pr Maps/White.png"] {
            of(&format!("Ni 1.5\n{paint}"), false);
        }
        for gaps in ["d 0.5", "Tr 0.5"] {
            let half = Alpha::Blend { alpha: ScalarInput::constant(0.5) };
            assert_eq!(of(&format!("Ni 1.5\n{gaps}"), false).alpha, half);
        }
    }
    check("illum 2\nNi 1.5\nTf 0.5", false);
}

#[test]
fn blender_means_its_principled_material() {
    let files = Written::new();
    let plain = "Ka 1.0 1.0 1.0\nKd 0.8 0.05 0.05\nKs 0.5 0.5 0.5\nKe 0 0 0\nNi 1.45\n";
    let (glossy, alpha, warnings) = files.of_blender(&format!("Ns 250\n{plain}d 0.5\nillum 9"));
    assert_eq!(glossy.base_color, ColorInput::constant([0.8, 0.05, 0.05]));
    assert_eq!((glossy.roughness.x.factor, glossy.metallic.factor, glossy.specular.factor), (0.5, 0.0, 1.0));
    assert_eq!((alpha, warnings.len()), (Alpha::Blend { alpha: ScalarInput::constant(0.5) }, 0));
    // Nobody else writes this model for what is partly there.
    let (material, _) = files.material(&format!("Ns 250\n{plain}d 0.5\nillum 6"));
    let Surface::Principled(metal) = material.surface else { panic!("{:?}", material.surface) };
    assert_eq!((metal.metallic.factor, metal.base_color.factor), (1.0, [0.8, 0.05, 0.05]));
    let (metal, ..) = files.of_blender("Ns 1000\nKa 0.75 0.75 0.75\nKd 0.8\nKs 0.5\nd 1\nillum 3");
    assert_eq!((metal.metallic.factor, metal.roughness.x.factor), (0.75, 0.0));
    // With maps it leaves the factors out; the older exporter wrote both.
    for factors in ["", "Ns 250\nKs 0.5\n"] {
        let maps = "map_Kd Maps/White.png\nmap_Ns Maps/White.png\nmap_refl Maps/White.png\nillum 2";
        let (mapped, _, warnings) = files.of_blender(&format!("{factors}{maps}"));
        let inputs = [mapped.roughness.x, mapped.metallic].map(|input| (input.factor, input.texture.is_some()));
        assert_eq!((inputs, warnings.len()), ([(1.0, true); 2], 0));
    }
    // The extension for PBR; Tf stands there only where there is transmission.
    let pbr = "Kd 0.8 0.8 0.8\nKs 0.5 0.5 0.5\nKe 0 0 0\nNi 1.5\nd 1\nillum 2\nPr 0.1\nPm 0\nPs 0\nPc 0\nPcr 0.03\naniso 0\nanisor 0";
    let (opaque, _, warnings) = files.of_blender(pbr);
    assert_eq!((opaque.transmission.factor, opaque.roughness.x.factor, warnings.len()), (0.0, 0.1, 0));
    let (glass, _, warnings) = files.of_blender(&format!("{pbr}\nTf 1 1 1"));
    assert_eq!((glass.transmission.factor, glass.thin, warnings.len()), (1.0, false, 0));
    let (_, _, warnings) = files.of_blender("Pr 0.1\nPs 0.5\naniso 0.3");
    let left_out = |statement: &str, what| ObjWarning::NotRendered { statement: statement.into(), what };
    let left_out = [left_out("ps", "sheen"), left_out("aniso", "the direction of roughness")];
    assert_eq!(warnings, left_out.map(WarningKind::from));
}

#[test]
fn other_programs_mean_what_they_meant() {
    let files = Written::new();
    let check = |lines: &str, warnings: usize| {
        let (material, said) = files.material(lines);
        assert_eq!(said.len(), warnings, "{lines}: {said:?}");
        material
    };
    let texture = |material: &Material| match &material.surface {
        Surface::Diffuse { reflectance } => (reflectance.factor, reflectance.texture.is_some()),
        other => panic!("{other:?}"),
    };
    // 3ds Max.
    let max = "\tNs 10.0000\n\tNi 1.5000\n\td 1.0000\n\tTr 0.0000\n\tTf 1.0000 1.0000 1.0000 \n\tillum 2\n\tKa 0.5880 0.5880 0.5880\n\
        \tKd 0.5880 0.5880 0.5880\n\tKs 0.0000 0.0000 0.0000\n\tKe 0.0000 0.0000 0.0000\n\tmap_Ka Maps\\White.png\n\tmap_Kd Maps\\White.png";
    let material = check(max, 0);
    assert_eq!((texture(&material), material.alpha), (([0.588; 3], true), Alpha::Opaque));
    // Maya.
    let maya = "illum 4\nKd 0.00 0.00 0.00\nKa 0.00 0.00 0.00\nTf 1.00 1.00 1.00\nmap_Kd Maps/White.png\nNi 1.00";
    assert_eq!(texture(&check(maya, 1)), ([1.0; 3], true));
    // MeshLab, and Rhino.
    let meshlab = "Ka 0.200000 0.200000 0.200000\nKd 1.000000 1.000000 1.000000\nKs 0 0 0\nTr 1.000000\nillum 2\nNs 0.000000\n\
        map_Kd Maps/White.png";
    assert_eq!(check(meshlab, 1).alpha, Alpha::Opaque);
    let rhino = "Ka 0.0000 0.0000 0.0000\nKd 1.0000 1.0000 1.0000\nKs 0.0000 0.0000 0.0000\nTf 0.0000 0.0000 0.0000\nd 1.0000\nNs 0.0000";
    assert_eq!(check(rhino, 0).alpha, Alpha::Opaque);
    // SketchUp, and ZBrush.
    assert_eq!(
        texture(&check("Ka 0 0 0\nKd 1 1 1\nKs 0.33 0.33 0.33\nillum 1\nmap_Kd Maps/White.png", 0)),
        ([1.0; 3], true)
    );
    let zbrush = "Kd 1 1 1\nKs 0 0 0\nillum 2\nmap_Kd Maps/White.png\ndisp Maps/White.png";
    assert_eq!(texture(&check(zbrush, 1)), ([1.0; 3], true));
    // Substance.
    let substance = "Kd 1 1 1\nmap_Kd Maps/White.png\nmap_Pm Maps/black.png\nmap_Pr Maps/White.png\nmap_Ke Maps/black.png\nnorm Maps/White.png";
    let material = check(substance, 0);
    assert!(
        matches!(&material.surface, Surface::Principled(p) if p.metallic.factor == 1.0 && p.roughness.x.factor == 1.0)
    );
    assert!(material.normal.is_some() && material.emission.is_some());
}

#[test]
fn what_vanishes_is_said() {
    let files = Written::new();
    let of = |lines: &str| files.material(lines).1;
    assert_eq!(of("d 0"), [said(MtlFinding::Dissolved)]);
    let empty = |map| said(MtlFinding::DissolvedByMap { map });
    assert_eq!(of("map_Kd Maps/clear.png\nd 1"), [empty("the alpha channel of map_Kd")]);
    assert_eq!(of("map_d Maps/black.png"), [empty("map_d")]);
    assert_eq!(of("map_d Maps/White.png\nd 0.5"), []);
}

#[test]
fn images_are_found_by_the_names_of_other_machines() {
    let files = Written::new();
    for name in ["maps\\white.PNG", "MAPS/White.png", "Maps\\\\White.png", "\"maps\\White.png\""] {
        let (_, warnings) = files.material(&format!("map_Kd {name}"));
        assert_eq!(warnings, [], "{name}");
    }
    std::fs::copy(files.0.at("Maps/White.png"), files.0.at("Wood.png")).unwrap();
    for name in ["C:\\Users\\me\\wood.png", "/home/nobody/wood.png"] {
        let (material, warnings) = files.material(&format!("map_Kd {name}"));
        assert!(matches!(material.surface, Surface::Diffuse { reflectance } if reflectance.texture.is_some()));
        let [WarningKind::OnOtherMachine { found, .. }] = &warnings[..] else { panic!("{warnings:?}") };
        assert!(found.ends_with("Wood.png"), "{warnings:?}");
    }
    let error = files.load("", "map_Kd C:\\lost.png", &LoadOptions::default()).unwrap_err();
    let ImportError::Missing { files: lost, .. } = &error else { panic!("{error}") };
    assert!(lost[0].ends_with("C:/lost.png"), "{error}");
    // The library itself.
    std::fs::write(files.0.at("B.obj"), "mtllib .\\A.MTL\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n").unwrap();
    let loaded = crate::load(&files.0.at("B.obj"), &LoadOptions { allow_missing: true, ..LoadOptions::default() });
    assert_eq!(loaded.unwrap().scene.materials[0].name, "m");
}

#[test]
fn a_broken_image_is_a_line_where_missing_files_are_allowed() {
    let files = Written::new();
    let error = files.load("", "map_Kd Maps/broken.png", &LoadOptions::default()).unwrap_err();
    assert!(matches!(&error, ImportError::Malformed { path, .. } if path.ends_with("broken.png")), "{error}");
    let lenient = LoadOptions { allow_missing: true, ..LoadOptions::default() };
    let (scene, warnings) = files.load("", "map_Kd Maps/broken.png", &lenient).unwrap();
    assert_eq!(scene.materials[0], Material::diffuse("m", [1.0; 3]));
    assert!(matches!(warnings[..], [WarningKind::Broken { .. }]), "{warnings:?}");
}

#[test]
fn faces_without_coordinates_under_a_map_are_said() {
    let files = Written::new();
    files.load("", "map_Kd Maps/White.png", &LoadOptions::default()).unwrap();
    let obj = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n";
    std::fs::write(files.0.at("b.obj"), obj).unwrap();
    let loaded = crate::load(&files.0.at("b.obj"), &LoadOptions::default()).unwrap();
    assert_eq!(loaded.warnings[0].kind, ObjWarning::NoCoordinates { material: "m".into() }.into());
}

#[test]
fn statements_that_a_surface_has_no_use_for_are_said() {
    let written = Written::new();
    let of = |lines: &str| written.material(lines).1;
    let map = "Maps/White.png";
    assert_eq!(of(&format!("map_Ka {map}")), [said(MtlFinding::AmbientMap)]);
    assert_eq!(of(&format!("map_Ka {map}\nmap_Kd {map}")), []);
    assert_eq!(of("illum 2\nTf 0.5 0.2 0.2"), [said(MtlFinding::Filter)]);
    assert_eq!(of("illum 4\nd 0.5\nTf 0.5 0.2 0.2"), [said(MtlFinding::Filter)]);
    for lines in ["illum 2\nTf 1 1 1", "illum 2\nTf 0 0 0", "illum 4\nTf 0.5 0.2 0.2"] {
        assert_eq!(of(lines), [], "{lines}");
    }
    assert_eq!(of("Pc 0.5"), [said(MtlFinding::Coat)]);
    assert_eq!((of("Pc 0"), of("Pc 0.5\nPr 0.2")), (vec![], vec![]));
    assert_eq!(of(&format!("Pr 0.5\nmap_Ks {map}")), [said(MtlFinding::ClassicMap { map: "map_Ks" })]);
    assert_eq!(of(&format!("Pm 0.5\nmap_Ns {map}")), [said(MtlFinding::ClassicMap { map: "map_Ns" })]);
    assert_eq!(of("illum 10"), [ObjWarning::InvisibleShadows.into()]);
}

#[test]
fn faces_without_coordinates_among_others_that_have_them_are_said() {
    let written = Written::new();
    let obj = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\nf 3 2 1\n";
    let said = |mtl: &str| {
        std::fs::write(written.0.at("a.obj"), obj).unwrap();
        std::fs::write(written.0.at("a.mtl"), format!("newmtl m\n{mtl}\n")).unwrap();
        let loaded = crate::load(&written.0.at("a.obj"), &LoadOptions::default()).unwrap();
        loaded.warnings.into_iter().map(|warning| warning.kind).collect::<Vec<_>>()
    };
    let some = ObjWarning::SomeWithoutCoordinates { material: "m".into() };
    assert_eq!((said("map_Kd Maps/White.png"), said("Kd 1 0 0")), (vec![some.into()], vec![]));
}

#[test]
fn a_library_may_be_named_in_quotes_or_not_at_all() {
    let files = Written::new();
    files.load("", "Kd 1 0 0", &LoadOptions::default()).unwrap();
    std::fs::copy(files.0.at("a.mtl"), files.0.at("a b.mtl")).unwrap();
    std::fs::write(files.0.at("c.mtl"), "newmtl c\n").unwrap();
    let lenient = LoadOptions { allow_missing: true, ..LoadOptions::default() };
    let said = |names: &str| {
        let obj = format!("mtllib{names}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n");
        std::fs::write(files.0.at("c.obj"), obj).unwrap();
        let loaded = crate::load(&files.0.at("c.obj"), &lenient).unwrap();
        let said: Vec<WarningKind> = loaded.warnings.into_iter().map(|warning| warning.kind).collect();
        (loaded.scene.materials[0].surface == Material::diffuse("m", [1.0, 0.0, 0.0]).surface, said)
    };
    for names in [" a.mtl", " \"a.mtl\"", " \"a b.mtl\"", " \"a b.mtl\" c.mtl", " c.mtl \"A b.mtl\" ", " c.mtl a.mtl"] {
        assert_eq!(said(names), (true, vec![]), "{names}");
    }
    let grey = WarningKind::from(ObjWarning::NoMaterial { name: "m".into() });
    let unnamed = WarningKind::from(ObjWarning::WithoutFile { statement: "mtllib".into() });
    for names in ["", " ", " \"\""] {
        assert_eq!(said(names), (false, vec![unnamed.clone(), grey.clone()]), "{names}");
    }
    // What may be in a library that is missing is in none for that reason.
    assert_eq!(said(" nope.mtl"), (false, vec![WarningKind::Missing]));
    assert_eq!(said(" c.mtl"), (false, vec![grey]));
}
