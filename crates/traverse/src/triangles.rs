//! Triangle records and the test that reads them.

use crate::ray::LaneRay;
use raywarp_family::TriangleTest;
use raywarp_geom::triangle::moeller_trumbore;
use raywarp_geom::{FlatTriangles, PrimitiveId};
use raywarp_layout::{TriangleFormat, TriangleRecords, WoopTriangle};

/// The triangle records of a kernel, in the form that its triangle test reads.
pub(crate) struct Triangles {
    test: TriangleTest,
    records: TriangleRecords,
    pub ids: Vec<PrimitiveId>,
}

impl Triangles {
    /// Makes the records of the triangles in `slots`, in the form that the triangle test `test` reads.
    pub fn new(test: TriangleTest, slots: &[u32], triangles: &FlatTriangles) -> Self {
        // Their records are in the tree.
        let slots = if test == TriangleTest::Pair { &[] } else { slots };
        Self {
            test,
            records: TriangleRecords::new(slots, triangles, TriangleFormat::of(test)),
            ids: triangles.ids.clone(),
        }
    }

    /// Returns the size of all triangle records in bytes.
    pub fn bytes(&self) -> usize {
        self.records.bytes()
    }

    /// Returns the hit of the ray's line with the triangle of `record` as `t u v`; a hit outside the ray's interval up
    /// to `limit` may be missing.
    #[inline]
    pub fn test(&self, record: u32, ray: &LaneRay, limit: f32) -> Option<[f32; 3]> {
        match self.test {
            TriangleTest::Woop => self.woop(record).test_within(&ray.given, ray.t_low(), limit),
            TriangleTest::MoellerTrumbore => moeller_trumbore(&ray.given, &self.corners(record)),
            TriangleTest::Watertight => ray.watertight.as_ref()?.test(&self.corners(record)),
            TriangleTest::Pair => None,
        }
    }

    /// Returns the corners of the triangle of `record`, where records hold them.
    pub fn corners(&self, record: u32) -> [[f32; 3]; 3] {
        self.records.vertices()[record as usize].vertices()
    }

    fn woop(&self, record: u32) -> &WoopTriangle {
        &self.records.woop()[record as usize]
    }

    /// Returns whether the test needs the second and the third row of a Woop record: if `t` is in range, and if `u` is.
    pub fn rows_needed(&self, record: u32, ray: &LaneRay, limit: f32) -> [bool; 2] {
        let woop = self.woop(record);
        let t = woop.t(&ray.given);
        // A ray in the triangle's plane has an infinite `t`, which no limit admits.
        let in_range = ray.t_low() <= t && t <= limit.min(f32::MAX);
        [in_range, in_range && (0.0..=1.0).contains(&woop.weight_u(&ray.given, t))]
    }
}
