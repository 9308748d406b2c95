//! A model part as data: objects, colours, and what is to be built.
//!
//! Source: 3MF Core Specification 1.3, chapters 3 to 5; Materials and Properties Extension 1.2.1, chapters 2 and 3;
//! Production Extension 1.1.2, chapter 3.

use super::xml::{Element, Fault, Xml, index, local, number};
use crate::each::Each;
use crate::import::origin::{Center, Rounder};
use crate::import::{strays, text};
use crate::model::linear_from_srgb;
use crate::{ThreeMfFault, ThreeMfWarning, WarningKind};
use glam::{DAffine3, DMat3, DVec3};
use raywarp_geom::TriangleMesh;
use std::collections::{BTreeMap, HashMap};

/// Warnings with their line numbers.
type Warnings = Vec<(u64, WarningKind)>;

/// Parsed model of one part of a 3MF package.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub objects: HashMap<u32, Object>,
    /// Ids of the objects in the order of the file.
    pub order: Vec<u32>,
    pub groups: HashMap<u32, Group>,
    /// Build items: the objects to be placed in the scene, in the order of the file.
    pub items: Vec<Reference>,
    /// Line number and kind of each warning.
    pub warnings: Warnings,
}

/// 3MF object: a mesh of triangles, or a composition of other objects.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub name: String,
    pub line: u64,
    /// Vertex positions, relative to the point that `rounder` subtracted.
    pub positions: Vec<[f32; 3]>,
    pub rounder: Rounder,
    pub triangles: Vec<[u32; 3]>,
    /// Property of each triangle; empty when none has one.
    pub properties: Vec<Property>,
    pub components: Vec<Reference>,
}

/// Colour or material that a triangle's corners refer to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Property {
    /// Id of the property group; `None` if the triangle has no property.
    pub group: Option<u32>,
    pub corners: [u32; 3],
}

/// Property group: materials or colours that triangles refer to by index. Colours are linear.
#[derive(Debug)]
pub(super) enum Group {
    /// Base materials, each with name and colour.
    Materials(Vec<BaseMaterial>),
    Colors(Vec<[f32; 3]>),
    /// Group of an unsupported kind.
    Other,
}

/// Reference to an object, with its placement: a build item or a component.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub object: u32,
    /// Name of the package's part that contains the object; `None` for the same part.
    pub part: Option<String>,
    pub transform: DAffine3,
    pub line: u64,
}

impl Model {
    /// Parses the XML of a model part.
    ///
    /// # Errors
    /// The line that breaks the format.
    pub fn parse(text: &str, center: &Center) -> Result<Self, Fault> {
        let mut xml = Xml::new(text);
        let mut model = Self::default();
        xml.root("model")?;
        while let Some(element) = xml.child()? {
            match element.local_name().into_inner() {
                "resources" => model.resources(&mut xml, center)?,
                "build" => {
                    while let Some(item) = xml.child()? {
                        if item.local_name().into_inner() == "item" {
                            model.items.push(reference(&xml, &item)?);
                        }
                        xml.skip(&item)?;
                    }
                }
                _ => xml.skip(&element)?,
            }
        }
        Ok(model)
    }

    fn resources(&mut self, xml: &mut Xml, center: &Center) -> Result<(), Fault> {
        while let Some(element) = xml.child()? {
            let kind = element.local_name().into_inner().to_string();
            let mut id = None;
            xml.attributes(&element, |name, value| {
                if name == "id" {
                    id = Some(index(value)?);
                }
                Ok(())
            })?;
            let group = match kind.as_str() {
                "object" => {
                    let id = id.ok_or_else(|| xml.fault(ThreeMfFault::ObjectWithoutId))?;
                    let object = object(xml, &element, center, &mut self.warnings)?;
                    if self.objects.insert(id, object).is_some() {
                        return Err(xml.fault(ThreeMfFault::ObjectTwice { id }));
                    }
                    self.order.push(id);
                    continue;
                }
                "basematerials" => Group::Materials(materials(xml, &mut self.warnings)?),
                "colorgroup" => Group::Colors(colors(xml, &mut self.warnings)?),
                "texture2dgroup" | "compositematerials" | "multiproperties" => {
                    let warning = ThreeMfWarning::UnreadGroup { kind: kind.clone() };
                    self.warnings.push((xml.line(), warning.into()));
                    xml.skip(&element)?;
                    Group::Other
                }
                _ => {
                    not_read(&mut self.warnings, xml, &kind);
                    xml.skip(&element)?;
                    continue;
                }
            };
            let id = id.ok_or_else(|| xml.fault(ThreeMfFault::GroupWithoutId { kind }))?;
            self.groups.insert(id, group);
        }
        Ok(())
    }
}

/// Names of elements that are ignored silently: they change nothing visible, or another warning covers them.
const QUIET: [&str; 3] = ["metadatagroup", "texture2d", "trianglesets"];

/// Adds a warning, unless it was given for this part.
fn say_once(warnings: &mut Warnings, xml: &Xml, warning: ThreeMfWarning) {
    let warning = warning.into();
    if !warnings.iter().any(|(_, said)| *said == warning) {
        warnings.push((xml.line(), warning));
    }
}

/// Warns that elements of a kind are not supported, once for each kind and part.
fn not_read(warnings: &mut Warnings, xml: &Xml, kind: &str) {
    if !QUIET.contains(&kind) {
        say_once(warnings, xml, ThreeMfWarning::Unread { kind: kind.into() });
    }
}

fn object(xml: &mut Xml, element: &Element, center: &Center, warnings: &mut Warnings) -> Result<Object, Fault> {
    let mut object = Object { line: xml.line(), ..Object::default() };
    let (mut group, mut first) = (None, 0);
    xml.attributes(element, |name, value| {
        match name {
            "name" => object.name = value.to_string(),
            "pid" => group = Some(index(value)?),
            "pindex" => first = index(value)?,
            _ => {}
        }
        Ok(())
    })?;
    let default = Property { group, corners: [first; 3] };
    let mut rounder = center.in_mesh();
    let mut strays = BTreeMap::new();
    while let Some(part) = xml.child()? {
        match part.local_name().into_inner() {
            "mesh" => {
                while let Some(list) = xml.child()? {
                    match list.local_name().into_inner() {
                        "vertices" => vertices(xml, &mut object, &mut rounder, &mut strays)?,
                        "triangles" => triangles(xml, &mut object, default, warnings)?,
                        other => {
                            not_read(warnings, xml, other);
                            xml.skip(&list)?;
                        }
                    }
                }
            }
            "components" => {
                while let Some(component) = xml.child()? {
                    if component.local_name().into_inner() == "component" {
                        object.components.push(reference(xml, &component)?);
                    }
                    xml.skip(&component)?;
                }
            }
            other => {
                not_read(warnings, xml, other);
                xml.skip(&part)?;
            }
        }
    }
    leave_out(&mut object, strays, warnings)?;
    object.rounder = rounder;
    Ok(object)
}

/// Vertices that are not finite, with the error if a triangle uses them.
type Strays = BTreeMap<u32, Fault>;

/// Removes the vertices of `strays` from an object, with a warning.
fn leave_out(object: &mut Object, mut strays: Strays, warnings: &mut Warnings) -> Result<(), Fault> {
    if strays.is_empty() {
        return Ok(());
    }
    let (positions, indices) = (std::mem::take(&mut object.positions), std::mem::take(&mut object.triangles));
    let mut mesh = TriangleMesh { positions, indices, ..TriangleMesh::default() };
    match strays::leave_out(&mut mesh) {
        Ok(count) => warnings.push((object.line, WarningKind::StrayVertices { count })),
        Err(used) => return strays.remove(&used).map_or(Ok(()), Err),
    }
    (object.positions, object.triangles) = (mesh.positions, mesh.indices);
    Ok(())
}

fn vertices(xml: &mut Xml, object: &mut Object, rounder: &mut Rounder, strays: &mut Strays) -> Result<(), Fault> {
    while let Some(vertex) = xml.child()? {
        if vertex.local_name().into_inner() == "vertex" {
            let (mut position, mut odd) = ([None; 3], None);
            xml.attributes(&vertex, |name, value| {
                if let Some(axis) = ["x", "y", "z"].iter().position(|axis| *axis == name) {
                    position[axis] = Some(match number(value) {
                        Err(fault) if strays::is_not_finite(value.trim()) => {
                            odd = Some(fault);
                            f64::NAN
                        }
                        found => found?,
                    });
                }
                Ok(())
            })?;
            let [Some(x), Some(y), Some(z)] = position else { return Err(xml.fault(ThreeMfFault::Vertex)) };
            if object.positions.len() >= u32::MAX as usize {
                return Err(xml.fault(ThreeMfFault::Vertices));
            }
            if let Some(fault) = odd {
                strays.insert(object.positions.len() as u32, xml.fault(fault));
            }
            object.positions.push(rounder.round([x, y, z]));
        }
        xml.skip(&vertex)?;
    }
    rounder.settle(&mut object.positions);
    Ok(())
}

fn triangles(xml: &mut Xml, object: &mut Object, default: Property, warnings: &mut Warnings) -> Result<(), Fault> {
    let mut is_painted = false;
    while let Some(triangle) = xml.child()? {
        if triangle.local_name().into_inner() == "triangle" {
            let mut corners = [None; 3];
            let mut group = None;
            let mut properties = [None; 3];
            xml.attributes(&triangle, |name, value| {
                match name {
                    "v1" => corners[0] = Some(index(value)?),
                    "v2" => corners[1] = Some(index(value)?),
                    "v3" => corners[2] = Some(index(value)?),
                    "pid" => group = Some(index(value)?),
                    "p1" => properties[0] = Some(index(value)?),
                    "p2" => properties[1] = Some(index(value)?),
                    "p3" => properties[2] = Some(index(value)?),
                    _ => is_painted |= matches!(local(name), "mmu_segmentation" | "paint_color"),
                }
                Ok(())
            })?;
            let [Some(a), Some(b), Some(c)] = corners else {
                return Err(xml.fault(ThreeMfFault::Triangle));
            };
            let count = object.positions.len();
            if let Some(vertex) = [a, b, c].into_iter().find(|&corner| corner as usize >= count) {
                return Err(xml.fault(ThreeMfFault::NoVertex { vertex, vertices: count }));
            }
            object.triangles.push([a, b, c]);
            // Without p1 the object's property counts, without p2 and p3 the first is that of all corners.
            let property = match properties {
                [None, ..] => default,
                [Some(p1), p2, p3] => {
                    let corners = [p1, p2.unwrap_or(p1), p3.unwrap_or(p1)];
                    Property { group: group.or(default.group), corners }
                }
            };
            if property.group.is_some() || !object.properties.is_empty() {
                object.properties.resize(object.triangles.len() - 1, Property::default());
                object.properties.push(property);
            }
        }
        xml.skip(&triangle)?;
    }
    if is_painted {
        say_once(warnings, xml, ThreeMfWarning::Painted);
    }
    Ok(())
}

/// Base material: its name and display colour.
type BaseMaterial = (String, Option<[f32; 3]>);

fn materials(xml: &mut Xml, warnings: &mut Warnings) -> Result<Vec<BaseMaterial>, Fault> {
    let (mut materials, mut is_clear) = (Vec::new(), false);
    while let Some(base) = xml.child()? {
        if base.local_name().into_inner() == "base" {
            let (mut title, mut shown) = (String::new(), None);
            xml.attributes(&base, |name, value| {
                match name {
                    "name" => title = value.to_string(),
                    "displaycolor" => shown = Some(color(value, &mut is_clear)?),
                    _ => {}
                }
                Ok(())
            })?;
            materials.push((title, shown));
        }
        xml.skip(&base)?;
    }
    say_clear(xml, is_clear, warnings);
    Ok(materials)
}

fn colors(xml: &mut Xml, warnings: &mut Warnings) -> Result<Vec<[f32; 3]>, Fault> {
    let (mut colors, mut is_clear) = (Vec::new(), false);
    while let Some(element) = xml.child()? {
        if element.local_name().into_inner() == "color" {
            let mut found = None;
            xml.attributes(&element, |name, value| {
                if name == "color" {
                    found = Some(color(value, &mut is_clear)?);
                }
                Ok(())
            })?;
            colors.push(found.ok_or_else(|| xml.fault(ThreeMfFault::ColorWithoutValue))?);
        }
        xml.skip(&element)?;
    }
    say_clear(xml, is_clear, warnings);
    Ok(colors)
}

/// Warns once for a part that partly transparent colours are rendered opaque.
fn say_clear(xml: &Xml, is_clear: bool, warnings: &mut Warnings) {
    if is_clear {
        say_once(warnings, xml, ThreeMfWarning::ClearColors);
    }
}

/// Parses a colour `#RRGGBB` or `#RRGGBBAA` to linear RGB, and notes whether its alpha is not full.
fn color(text: &str, is_clear: &mut bool) -> Result<[f32; 3], ThreeMfFault> {
    let digits = text
        .trim()
        .strip_prefix('#')
        .filter(|digits| matches!(digits.len(), 6 | 8) && digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let value = digits.and_then(|digits| u32::from_str_radix(&digits[..6], 16).ok());
    let value = value.ok_or_else(|| ThreeMfFault::Color { word: text::start(text, 40) })?;
    *is_clear |= digits.is_some_and(|digits| digits.len() == 8 && !digits[6..].eq_ignore_ascii_case("ff"));
    let [_, r, g, b] = value.to_be_bytes();
    Ok([r, g, b].each(|channel| linear_from_srgb(f32::from(channel) / 255.0)))
}

/// Parses an `item` or `component` element to a reference.
fn reference(xml: &Xml, element: &Element) -> Result<Reference, Fault> {
    let (mut object, mut part, mut transform) = (None, None, DAffine3::IDENTITY);
    xml.attributes(element, |name, value| {
        match name {
            "objectid" => object = Some(index(value)?),
            "transform" => transform = matrix(value)?,
            _ if local(name) == "path" => part = Some(value.to_string()),
            _ => {}
        }
        Ok(())
    })?;
    let object = object.ok_or_else(|| xml.fault(ThreeMfFault::NoObjectId))?;
    Ok(Reference { object, part, transform, line: xml.line() })
}

/// Parses a transform of twelve numbers, the rows of a matrix that multiplies row vectors; the last row is the shift.
fn matrix(text: &str) -> Result<DAffine3, ThreeMfFault> {
    let numbers: Vec<f64> = text.split_ascii_whitespace().map(number).collect::<Result<_, _>>()?;
    let &[ax, ay, az, bx, by, bz, cx, cy, cz, tx, ty, tz] = &numbers[..] else {
        return Err(ThreeMfFault::Transform { numbers: numbers.len() });
    };
    let column = DVec3::new;
    let matrix3 = DMat3::from_cols(column(ax, ay, az), column(bx, by, bz), column(cx, cy, cz));
    Ok(DAffine3 { matrix3, translation: column(tx, ty, tz) })
}
