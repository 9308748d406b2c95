//! KHR_draco_mesh_compression: a primitive's triangles and attributes out of one compressed block.
//!
//! Source: the extension's specification; `draco-core` decodes.

use super::accessor::Component;
use super::data::Data;
use super::fault::Read;
use super::json::Draco;
use std::collections::BTreeMap;

/// Primitive decoded from Draco-compressed data.
pub struct Decoded {
    /// Number of decoded vertices.
    pub vertices: usize,
    /// Vertex indices of the triangles as decoded, not yet checked.
    pub triangles: Vec<[u32; 3]>,
    /// Decoded attributes, by the name that the primitive has for them.
    pub attributes: BTreeMap<String, Attribute>,
}

/// Values of one decoded attribute, vertex after vertex.
pub struct Attribute {
    pub component: Component,
    pub components: usize,
    pub bytes: Vec<u8>,
}

/// Decodes the Draco data of the primitive `item`.
#[cfg(feature = "draco")]
pub fn decode(data: &Data, draco: &Draco, item: &str) -> Read<Decoded> {
    use crate::GltfFault;
    use crate::findings::gltf::DRACO;
    use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder, PointIndex};

    let item = format!("{item}.extensions.{DRACO}");
    let view = draco.buffer_view.ok_or_else(|| data.malformed(&item, GltfFault::NamesNo { what: "bufferView" }))?;
    let bytes = data.view(view, &item)?.1;
    let limits = DecodeLimits::default().with_max_decoded_bytes(data.left());
    // The decoder is other people's code. A panic in it is a broken block, not a crash.
    let decoded = std::panic::catch_unwind(|| {
        let mut mesh = Mesh::new();
        let mut buffer = DecoderBuffer::new(bytes).with_limits(limits);
        MeshDecoder::new().decode(&mut buffer, &mut mesh).map(|()| mesh).map_err(|error| error.to_string())
    });
    let decoded = decoded.unwrap_or_else(|_| Err("the decoder gave up on it".into()));
    let mesh = decoded.map_err(|error| data.malformed(&item, GltfFault::Draco { error }))?;

    let vertices = mesh.num_points();
    data.charge(&item, mesh.num_faces() as u64 * 12)?;
    let triangles = mesh.faces().iter().map(|face| face.map(|PointIndex(vertex)| vertex)).collect();
    let mut attributes = BTreeMap::new();
    for (name, id) in &draco.attributes {
        let id = u32::try_from(id.0).ok();
        let attribute = id.and_then(|id| mesh.attribute_by_unique_id(id)).ok_or_else(|| {
            let id = draco.attributes[name].0;
            data.malformed(&item, GltfFault::DracoAttribute { id, attribute: name.clone() })
        })?;
        let kind = attribute.data_type();
        let component = component_of(kind).ok_or_else(|| {
            let fault = GltfFault::DracoType { attribute: name.clone(), kind: format!("{kind:?}") };
            data.malformed(&item, fault)
        })?;
        let components = usize::from(attribute.num_components());
        let size = component.size() * components;
        data.charge(&item, (vertices * size) as u64)?;
        let (source, stride) = (attribute.buffer().data(), usize::try_from(attribute.byte_stride()).unwrap_or(0));
        let mut values = Vec::with_capacity(vertices * size);
        for vertex in 0..vertices as u32 {
            let start = attribute.mapped_index(PointIndex(vertex)).0 as usize * stride;
            let value = source
                .get(start..start + size)
                .ok_or_else(|| data.malformed(&item, GltfFault::DracoVertex { vertex, attribute: name.clone() }))?;
            values.extend_from_slice(value);
        }
        attributes.insert(name.clone(), Attribute { component, components, bytes: values });
    }
    Ok(Decoded { vertices, triangles, attributes })
}

#[cfg(feature = "draco")]
fn component_of(kind: draco_core::DataType) -> Option<Component> {
    use draco_core::DataType;
    Some(match kind {
        DataType::Int8 => Component::I8,
        DataType::Uint8 => Component::U8,
        DataType::Int16 => Component::I16,
        DataType::Uint16 => Component::U16,
        DataType::Uint32 => Component::U32,
        DataType::Float32 => Component::F32,
        _ => return None,
    })
}

/// Returns an error for Draco data, in a build without the decoder.
#[cfg(not(feature = "draco"))]
pub fn decode(data: &Data, _draco: &Draco, item: &str) -> Read<Decoded> {
    Err(refused(data.path, item).into())
}

/// Makes the error for geometry that exists only as Draco data, which this build cannot decode.
#[cfg(not(feature = "draco"))]
pub fn refused(path: &std::path::Path, item: &str) -> crate::ImportError {
    super::fault::unsupported(path, item, crate::GltfFault::WithoutDraco)
}
