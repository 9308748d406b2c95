//! Sentences of some findings and faults, as users read them; other tests compare the values.

use crate::{
    FaultKind, Format, GltfFault, GltfWarning, ImportError, MtlFinding, ObjWarning, ParameterFault, PbrtFault, Place,
    PlyWarning, Warning, WarningKind, WrongFile,
};

#[test]
fn findings_and_faults_read_as_sentences() {
    let said = |kind: WarningKind| Warning { path: "a".into(), place: Place::Line(3), kind }.to_string();
    let fault = |kind: FaultKind| {
        let place = Place::Item("nodes[0]".into());
        ImportError::Malformed { path: "a".into(), place, kind }.to_string()
    };
    let first_of = Some(2);
    let shown = GltfWarning::AnimationShown { animation: 0, name: "walk".into(), at: 4.0, first_of, end: Some(3.0) };
    let coats = GltfWarning::BentCoats { name: "car".into(), more: 2 };
    let range = GltfWarning::OutOfRange { name: "emissiveFactor", values: vec![0.0, -2.0, 9.0], most: f32::INFINITY };
    let material = ObjWarning::Material { name: "m".into(), finding: MtlFinding::ZeroUnderMap { factor: "Ns" } };
    let names = vec![String::new(), "walk".into()];
    let choice = GltfFault::NoChoice { kind: "animation", wanted: "run".into(), names };
    let parameter = PbrtFault::Parameter { name: "radius".into(), fault: ParameterFault::TooLarge { number: 1e39 } };
    let empty = WrongFile::Empty { wanted: Format::Stl };
    for (got, want) in [
        (
            said(shown.into()),
            "a:3: shown at 4 s of animation 0, walk, the first of 2 (`GltfOptions::animation` NAME shows another), which \
             ends at 3 s",
        ),
        (
            said(coats.into()),
            "a:3: the coat of material car bends with its base's normal map; without a clearcoatNormalTexture it should \
             be even; 2 more do the same",
        ),
        (said(range.into()), "a:3: emissiveFactor [0.0, -2.0, 9.0] is below 0; clamped"),
        (said(material.into()), "a:3: material m: Ns is 0 under map_Ns; read as 1"),
        (
            said(PlyWarning::UnreadElements { name: "edge".into(), count: 1 }.into()),
            "a:3: 1 element `edge` is not read; lines have no surface",
        ),
        (
            said(WarningKind::Broken { fault: FaultKind::WideText { bits: 16, is_big: true } }),
            "a:3: the text is UTF-16 (big endian), which is not read; save it as UTF-8; rendered without it",
        ),
        (fault(choice.into()), "a: nodes[0]: the file has no animation \"run\"; there are number 0, walk (1)"),
        (
            fault(parameter.into()),
            "a: nodes[0]: parameter \"radius\": 1000000000000000000000000000000000000000 is too large",
        ),
        (
            fault(empty.into()),
            "a: nodes[0]: the file is empty; an STL file is text that begins with `solid`, or binary with a head of 84 \
             bytes",
        ),
    ] {
        assert_eq!(got, want);
    }
}
