//! What a search for the nearest point finds.

/// Part of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// Inside of the triangle.
    Face,
    /// Edge, without its ends: 0 from the first corner to the second, 1 from the second to the third, 2 from the third
    /// to the first.
    Edge(u8),
    /// Corner: 0, 1 or 2.
    Vertex(u8),
}

/// Nearest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestPoint {
    /// Where it is.
    pub point: [f32; 3],
    /// How far it is.
    pub distance: f32,
    /// Barycentric weight of the triangle's second corner, 0 to 1.
    pub u: f32,
    /// Barycentric weight of the triangle's third corner, 0 to 1.
    pub v: f32,
    /// Instance of the triangle.
    pub instance: u32,
    /// Index of the triangle in its mesh.
    pub primitive: u32,
    /// Where on the triangle the point lies.
    pub feature: Feature,
}
