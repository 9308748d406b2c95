//! Draco's compression: blocks that Google's encoder made (`draco3d` 1.5.7), and what Google's decoder reads in them.

use super::*;

/// Draco data (base64) of two triangles with all attributes, with edgebreaker connectivity; those with sequential
/// connectivity follow.
const EDGEBREAKER: &str = "RFJBQ08CAgEBAAAABAIFAgAAAR//ARH/ARH/ARH/ARH/ARH/AREG/wAAAAAAAQAAAgAAAwAABAAAAQAJAwAAAgEBCQMAAQMBAwkCAAICAQICBAADAQEEAgQABAEBBAkEAAUCAQEBAA8zATABEAMANIIAAAAw4gAQABigAAAACxAAAAAuUQAAAAD/PwAAAAAAAAAAAABAY0S+AACAPw4AAwEACxcBEAcBEAEgAwDkkFUAqg4AVrJwOv8DAAD/AQAACgEBAQADAwEgASADAPCDpgAAAAAA/w8AAAAAAAAAAAAAAACAPwwBAQEACQMBIBMBEAEQAwAUkKhkKxCQBAQEBAAAAAD/AAAAAQEBAAMDATABEAMAJIKoEAAAAAAAAwAAAAEBAQADAwEgASADAPCDkmAAAAAAAP8PAACrqqo+q6qqPgAAAAAAAAAAq6qqPgw=";
const SEQUENTIAL: &str = "RFJBQ08CAgEAAAACBAEAAQMAAwIBBgAJAwAAAQkDAAEDCQIAAgICBAADBAIEAAQECQQABQIDAgEBAgABAQAOMwFAAQAAAAAw4gAAABaxAAgAjDgAAAAGCAAAAAD/PwAAAAMBAAsjARABMAMAUIJVALrP/PRYnK89/wMAAP8BAAAAAQEAAwMBMAEQAwAogqYBAAAAAP8PAAAAAQEACQMBEBMBIAEQAwCgkKgEAAJJtgACSoAgAAAAAAD/AAAAAAEBAAMDARABMAMAUIIokCAAAAAAAAMAAAAAAQEAAwMBEAEwAwBQgpJgkAAAAAAA/w8AAAAAAAAAAAAAQGNEvgAAgD8OCgAAAAAAAAAAAACAPwyrqqo+q6qqPgAAAAAAAAAAq6qqPgw=";

/// Returns a document around a block of Draco data.
fn document(block: &str) -> Value {
    let bytes = base64::engine::general_purpose::STANDARD.decode(block).unwrap();
    let accessor = |component: u32, kind: &str| json!({"componentType": component, "count": 4, "type": kind});
    let mut color = accessor(5121, "VEC4");
    color["normalized"] = json!(true);
    let names = json!({"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "COLOR_0": 3, "JOINTS_0": 4, "WEIGHTS_0": 5});
    json!({"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_draco_mesh_compression"],
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": &names, "indices": 6, "extensions": {
            "KHR_draco_mesh_compression": {"bufferView": 0, "attributes": &names}}}]}],
        "accessors": [accessor(5126, "VEC3"), accessor(5126, "VEC3"), accessor(5126, "VEC2"), color,
            accessor(5121, "VEC4"), accessor(5126, "VEC4"), {"componentType": 5125, "count": 6, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": bytes.len()}],
        "buffers": [{"byteLength": bytes.len(), "uri": data_uri(&bytes)}]})
}

#[cfg(not(feature = "draco"))]
#[test]
fn without_the_decoder_a_file_that_needs_it_is_refused_by_the_name_of_the_extension() {
    for block in [EDGEBREAKER, SEQUENTIAL] {
        assert_eq!(fault(import(&document(block))).1, GltfFault::WithoutDraco);
    }
}

#[cfg(feature = "draco")]
mod built_in {
    use super::*;

    #[track_caller]
    fn near<const N: usize>(got: &[[f32; N]], want: &[[f32; N]]) {
        let is_near = got.as_flattened().iter().zip(want.as_flattened()).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(got.len() == want.len() && is_near, "{got:?}, not {want:?}");
    }

    #[test]
    fn blocks_give_what_the_decoder_of_their_makers_gives() {
        let mesh = clean(&document(EDGEBREAKER)).meshes.remove(0).triangles;
        assert_eq!(mesh.indices, [[0, 1, 2], [1, 3, 2]]);
        near(&mesh.positions, &[[0.0, 1.0, -1e-06], [0.0, 0.0, -1e-06], [1.0, 1.0, 0.125373], [1.0, 0.0, -0.191785]]);
        near(
            &mesh.normals,
            &[
                [-0.485071, 0.485071, 0.727607],
                [-0.533177, 0.266589, 0.802902],
                [-0.266589, 0.533177, 0.802902],
                [-0.300707, 0.300707, 0.905069],
            ],
        );
        near(&mesh.uvs, &[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
        near(
            &mesh.colors,
            &[[0.0, 91.0, 0.0, 255.0], [0.0, 0.0, 0.0, 255.0], [37.0, 91.0, 1.0, 254.0], [37.0, 0.0, 0.0, 254.0]]
                .map(|color: [f32; 4]| color.map(|c| c / 255.0)),
        );
        let mesh = clean(&document(SEQUENTIAL)).meshes.remove(0).triangles;
        assert_eq!(mesh.indices, [[0, 1, 3], [0, 3, 2]]);
        near(&mesh.positions, &[[0.0, 0.0, -1e-06], [1.0, 0.0, -0.191785], [0.0, 1.0, -1e-06], [1.0, 1.0, 0.125373]]);
        near(
            &mesh.normals,
            &[
                [-0.533177, 0.266589, 0.802902],
                [-0.300707, 0.300707, 0.905069],
                [-0.485071, 0.485071, 0.727607],
                [-0.266589, 0.533177, 0.802902],
            ],
        );
    }

    #[test]
    fn joints_and_weights_come_out_of_the_block() {
        let mut posed = document(SEQUENTIAL);
        posed["nodes"] = json!([{"mesh": 0, "skin": 0}, {}, {"translation": [0, 0, 6]}, {}, {}]);
        posed["skins"] = json!([{"joints": [1, 2, 3, 4]}]);
        let still = clean(&document(SEQUENTIAL)).meshes.remove(0).triangles.positions;
        let moved = clean(&posed).meshes.remove(0).triangles.positions;
        let lifted: Vec<f32> = moved.iter().zip(&still).map(|(moved, still)| moved[2] - still[2]).collect();
        near(&[[lifted[0], lifted[1], lifted[2], lifted[3]]], &[[0.0, 4.0, 4.0, 6.0]]);
    }

    #[test]
    fn broken_blocks_are_errors_that_name_the_primitive() {
        let whole = base64::engine::general_purpose::STANDARD.decode(EDGEBREAKER).unwrap();
        for end in 0..whole.len() {
            let mut cut = document(EDGEBREAKER);
            cut["bufferViews"][0]["byteLength"] = json!(end);
            let (item, found) = fault(import(&cut));
            assert_eq!(item, "meshes[0].primitives[0].extensions.KHR_draco_mesh_compression");
            assert!(matches!(found, GltfFault::Draco { .. } | GltfFault::DracoVertex { .. }), "{end}: {found}");
        }
        let names = |name: &str, value: Value| {
            let mut document = document(EDGEBREAKER);
            document["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"][name] = value;
            fault(import(&document)).1
        };
        let attribute = GltfFault::DracoAttribute { id: 9, attribute: "POSITION".into() };
        assert_eq!(names("attributes", json!({"POSITION": 9})), attribute);
        assert_eq!(names("bufferView", json!(3)), no_entry("bufferViews", 3, 1));
    }
}
