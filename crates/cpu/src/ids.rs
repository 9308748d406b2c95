//! Ids of a tree's triangles: none are listed where they follow from the order.

use raywarp_geom::PrimitiveId;
use std::sync::Arc;

/// Ids of the triangles of a tree, in the order in which they were given.
#[derive(Debug, Clone)]
pub enum Ids {
    /// Triangles of one instance, whose primitives count up from 0.
    InOrder {
        /// The instance of all of them.
        instance: u32,
        /// Number of triangles.
        count: usize,
    },
    /// The id of each, shared by the trees that are fitted to other corners of the same triangles.
    Listed(Arc<[PrimitiveId]>),
}

impl Ids {
    /// Returns the ids of a list, which is kept where they do not follow from their order. O(n).
    pub fn of(list: &[PrimitiveId]) -> Self {
        let instance = list.first().map_or(0, |id| id.instance);
        let is_in_order =
            |(index, id): (usize, &PrimitiveId)| (id.instance, id.primitive as usize) == (instance, index);
        if list.iter().enumerate().all(is_in_order) {
            return Self::InOrder { instance, count: list.len() };
        }
        Self::Listed(list.into())
    }

    /// Returns the number of triangles.
    pub fn len(&self) -> usize {
        match self {
            Self::InOrder { count, .. } => *count,
            Self::Listed(ids) => ids.len(),
        }
    }

    /// Returns `true` if there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the id of a triangle, whose index is below [`Ids::len`].
    #[inline]
    pub fn get(&self, index: usize) -> PrimitiveId {
        self.lent().get(index as u32)
    }

    /// Returns all ids.
    pub fn iter(&self) -> impl Iterator<Item = PrimitiveId> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Returns the size in bytes of what is listed.
    pub fn bytes(&self) -> usize {
        match self {
            Self::InOrder { .. } => 0,
            Self::Listed(ids) => size_of_val(&ids[..]),
        }
    }

    /// Returns the ids for a query.
    #[inline(always)]
    pub(crate) fn lent(&self) -> LentIds<'_> {
        match self {
            Self::InOrder { instance, .. } => LentIds { listed: &[], instance: *instance },
            Self::Listed(ids) => LentIds { listed: ids, instance: 0 },
        }
    }
}

/// [`Ids`] as queries have them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LentIds<'a> {
    listed: &'a [PrimitiveId],
    /// Instance of what is not listed.
    instance: u32,
}

impl LentIds<'_> {
    /// Ids of a tree that is not known yet.
    pub const NONE: Self = Self { listed: &[], instance: 0 };

    /// Returns the id of a triangle of the tree.
    #[inline(always)]
    pub fn get(self, index: u32) -> PrimitiveId {
        match self.listed.get(index as usize) {
            Some(id) => *id,
            None => PrimitiveId { instance: self.instance, primitive: index },
        }
    }

    /// Returns where the id of a triangle lies, if it lies anywhere; for an index that no triangle has it may point
    /// anywhere.
    #[inline(always)]
    pub fn address(self, index: u32) -> Option<*const PrimitiveId> {
        (!self.listed.is_empty()).then(|| self.listed.as_ptr().wrapping_add(index as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_listed_where_they_do_not_follow_from_the_order() {
        let id = |(instance, primitive)| PrimitiveId { instance, primitive };
        for (list, is_listed) in [
            (vec![], false),
            (vec![(0, 0)], false),
            (vec![(7, 0), (7, 1), (7, 2)], false),
            (vec![(7, 1), (7, 2)], true),
            (vec![(7, 0), (7, 2), (7, 1)], true),
            (vec![(7, 0), (8, 1)], true),
            (vec![(7, 0), (7, 1), (8, 0)], true),
        ] {
            let list: Vec<PrimitiveId> = list.into_iter().map(id).collect();
            let ids = Ids::of(&list);
            assert_eq!(matches!(ids, Ids::Listed(_)), is_listed, "{list:?}");
            assert_eq!((ids.len(), ids.is_empty()), (list.len(), list.is_empty()));
            assert_eq!(ids.bytes(), if is_listed { 8 * list.len() } else { 0 });
            assert!(ids.iter().eq(list.iter().copied()), "{list:?}");
            for (index, id) in list.iter().enumerate() {
                assert_eq!((ids.get(index), ids.lent().get(index as u32)), (*id, *id));
                let address = ids.lent().address(index as u32);
                assert_eq!(address.is_some(), is_listed);
            }
        }
    }
}
