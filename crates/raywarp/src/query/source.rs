//! Meshes as callers have them: borrowed, in f32 or f64, side by side or within records of their own.

/// Vertex positions that a builder borrows.
///
/// Made from slices of `[f32; 3]` or `[f64; 3]`, or from plain numbers with a stride.
#[derive(Debug, Clone, Copy)]
pub struct Positions<'a>(Numbers<'a>);

#[derive(Debug, Clone, Copy)]
enum Numbers<'a> {
    Single(&'a [f32], usize),
    Double(&'a [f64], usize),
}

impl<'a> Positions<'a> {
    /// Takes the first three of every `stride` numbers as a position: 3 where nothing stands between. A last record may
    /// end after its position.
    ///
    /// # Panics
    /// If the stride is less than 3.
    pub fn strided(numbers: &'a [f32], stride: usize) -> Self {
        assert!(stride >= 3, "a position has three numbers, the stride is {stride}");
        Self(Numbers::Single(numbers, stride))
    }

    /// As [`Positions::strided`], in f64.
    ///
    /// # Panics
    /// If the stride is less than 3.
    pub fn strided_double(numbers: &'a [f64], stride: usize) -> Self {
        assert!(stride >= 3, "a position has three numbers, the stride is {stride}");
        Self(Numbers::Double(numbers, stride))
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        let count = |numbers: usize, stride: usize| if numbers < 3 { 0 } else { (numbers - 3) / stride + 1 };
        match self.0 {
            Numbers::Single(numbers, stride) => count(numbers.len(), stride),
            Numbers::Double(numbers, stride) => count(numbers.len(), stride),
        }
    }

    /// Returns `true` if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if they are in f64.
    pub(super) fn is_double(&self) -> bool {
        matches!(self.0, Numbers::Double(..))
    }

    /// Returns them as they are if they are in f32 and side by side.
    pub(super) fn plain(&self) -> Option<&'a [[f32; 3]]> {
        match self.0 {
            Numbers::Single(numbers, 3) => Some(numbers.as_chunks().0),
            _ => None,
        }
    }

    /// Returns a position in f64, where any f32 is exact.
    #[inline]
    pub(super) fn wide(&self, vertex: usize) -> [f64; 3] {
        match self.0 {
            Numbers::Single(..) => self.narrow(vertex).map(f64::from),
            Numbers::Double(numbers, stride) => {
                let at = &numbers[vertex * stride..][..3];
                [at[0], at[1], at[2]]
            }
        }
    }

    /// Returns a position rounded to f32.
    #[inline]
    pub(super) fn narrow(&self, vertex: usize) -> [f32; 3] {
        match self.0 {
            Numbers::Single(numbers, stride) => {
                let at = &numbers[vertex * stride..][..3];
                [at[0], at[1], at[2]]
            }
            Numbers::Double(..) => self.wide(vertex).map(|x| x as f32),
        }
    }
}

impl<'a> From<&'a [[f32; 3]]> for Positions<'a> {
    fn from(positions: &'a [[f32; 3]]) -> Self {
        Self(Numbers::Single(positions.as_flattened(), 3))
    }
}

impl<'a> From<&'a [[f64; 3]]> for Positions<'a> {
    fn from(positions: &'a [[f64; 3]]) -> Self {
        Self(Numbers::Double(positions.as_flattened(), 3))
    }
}

/// Triangles that a builder borrows: three indices of vertices each.
#[derive(Debug, Clone, Copy)]
pub struct Indices<'a>(Corners<'a>);

#[derive(Debug, Clone, Copy)]
enum Corners<'a> {
    Named(&'a [[u32; 3]]),
    InOrder,
}

impl Indices<'static> {
    /// Every three vertices are a triangle; one or two at the end are none.
    pub const IN_ORDER: Self = Self(Corners::InOrder);
}

impl Indices<'_> {
    /// Returns the number of triangles over `vertices` vertices.
    pub(super) fn len(&self, vertices: usize) -> usize {
        match self.0 {
            Corners::Named(indices) => indices.len(),
            Corners::InOrder => vertices / 3,
        }
    }

    /// Returns them as they are, if they are named.
    pub(super) fn named(&self) -> Option<&[[u32; 3]]> {
        match self.0 {
            Corners::Named(indices) => Some(indices),
            Corners::InOrder => None,
        }
    }

    /// Returns the corners of a triangle.
    #[inline]
    pub(super) fn corners(&self, triangle: usize) -> [u32; 3] {
        match self.0 {
            Corners::Named(indices) => indices[triangle],
            Corners::InOrder => [0, 1, 2].map(|corner| 3 * triangle as u32 + corner),
        }
    }
}

impl<'a> From<&'a [[u32; 3]]> for Indices<'a> {
    fn from(indices: &'a [[u32; 3]]) -> Self {
        Self(Corners::Named(indices))
    }
}

macro_rules! also_from {
    ($target:ident, $element:ty) => {
        impl<'a> From<&'a Vec<$element>> for $target<'a> {
            fn from(elements: &'a Vec<$element>) -> Self {
                elements.as_slice().into()
            }
        }

        impl<'a, const N: usize> From<&'a [$element; N]> for $target<'a> {
            fn from(elements: &'a [$element; N]) -> Self {
                elements.as_slice().into()
            }
        }
    };
}
also_from!(Positions, [f32; 3]);
also_from!(Positions, [f64; 3]);
also_from!(Indices, [u32; 3]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_within_records_are_those_of_a_slice() {
        let plain = [[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
        // A normal after each but the last.
        let records = [1.0, 2.0, 3.0, 9.0, 9.0, 4.0, 5.0, 6.0];
        let double = records.map(f64::from);
        for positions in
            [Positions::from(&plain), Positions::strided(&records, 5), Positions::strided_double(&double, 5)]
        {
            assert_eq!((positions.len(), positions.narrow(1), positions.wide(0)), (2, plain[1], [1.0, 2.0, 3.0]));
        }
        assert!(Positions::strided(&[], 3).is_empty() && Positions::strided(&[1.0, 2.0], 3).is_empty());
    }

    #[test]
    fn triangles_may_come_in_order() {
        assert_eq!((Indices::IN_ORDER.len(8), Indices::IN_ORDER.corners(1)), (2, [3, 4, 5]));
        let named = [[2, 1, 0]];
        assert_eq!((Indices::from(&named).len(8), Indices::from(&named).corners(0)), (1, [2, 1, 0]));
    }
}
