//! Rays and hits in the form that Embree takes.

use crate::api::INVALID;
use crate::{EmbreeDevice, EmbreeError, EmbreeScene};
use raywarp_geom::Ray;

/// Number of rays that one Embree call traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RayWidth {
    /// Width of one ray per call, by `rtcIntersect1` or `rtcOccluded1`.
    One,
    /// Width of eight rays per call, by `rtcIntersect8` or `rtcOccluded8`.
    Eight,
    /// Width of sixteen rays per call, by `rtcIntersect16` or `rtcOccluded16`.
    Sixteen,
}

impl RayWidth {
    /// All widths, the narrowest first.
    pub const ALL: [Self; 3] = [Self::One, Self::Eight, Self::Sixteen];

    /// Returns the number of rays per call.
    pub fn lanes(self) -> usize {
        match self {
            Self::One => 1,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }
}

/// Indices of the fields of `RTCRay` and `RTCHit` in their order, counted in 32-bit words of one lane.
mod row {
    pub const ORIGIN: usize = 0;
    pub const T_NEAR: usize = 3;
    pub const DIRECTION: usize = 4;
    pub const T_FAR: usize = 8;
    pub const MASK: usize = 9;
    /// Number of 32-bit words of a ray, behind which its hit begins.
    pub const RAY: usize = 12;
    pub const GEOMETRY: usize = RAY + 6;
    /// Number of words of a ray with its hit: after the geometry's id come two words, for an instance and its index in
    /// an array of instances.
    pub const RAY_HIT: usize = RAY + 9;
}

/// Packet of `N` rays in Embree's memory layout (`RTCRay`, `RTCRay8`, `RTCRay16`), with or without their hits, aligned
/// as `A` is. A row of words has a lane each; numbers are kept as their bits.
#[repr(C)]
pub(crate) struct Packet<A, const N: usize, const ROWS: usize> {
    align: [A; 0],
    rows: [[u32; N]; ROWS],
}

#[repr(align(16))]
pub(crate) struct Align16;
#[repr(align(32))]
pub(crate) struct Align32;
#[repr(align(64))]
pub(crate) struct Align64;

pub(crate) enum Packets {
    Closest1(Vec<Packet<Align16, 1, { row::RAY_HIT }>>),
    Closest8(Vec<Packet<Align32, 8, { row::RAY_HIT }>>),
    Closest16(Vec<Packet<Align64, 16, { row::RAY_HIT }>>),
    Any1(Vec<Packet<Align16, 1, { row::RAY }>>),
    Any8(Vec<Packet<Align32, 8, { row::RAY }>>),
    Any16(Vec<Packet<Align64, 16, { row::RAY }>>),
}

/// Evaluates `$what` with `$list` bound to the vector of packets, of whichever kind they are.
macro_rules! each {
    ($packets:expr, $list:ident => $what:expr) => {
        match $packets {
            Packets::Closest1($list) => $what,
            Packets::Closest8($list) => $what,
            Packets::Closest16($list) => $what,
            Packets::Any1($list) => $what,
            Packets::Any8($list) => $what,
            Packets::Any16($list) => $what,
        }
    };
}

/// Batch of rays in Embree's layout for [`EmbreeScene::trace`], which writes the hits into it.
pub struct Queries {
    pub(crate) packets: Packets,
    pub(crate) count: usize,
}

impl std::fmt::Debug for Queries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queries").field("count", &self.count).finish_non_exhaustive()
    }
}

impl Queries {
    /// Packs rays for a query of the nearest hit, or of any hit if `any`.
    pub fn new(rays: &[Ray], width: RayWidth, any: bool) -> Self {
        let packets = match (width, any) {
            (RayWidth::One, false) => Packets::Closest1(Vec::new()),
            (RayWidth::Eight, false) => Packets::Closest8(Vec::new()),
            (RayWidth::Sixteen, false) => Packets::Closest16(Vec::new()),
            (RayWidth::One, true) => Packets::Any1(Vec::new()),
            (RayWidth::Eight, true) => Packets::Any8(Vec::new()),
            (RayWidth::Sixteen, true) => Packets::Any16(Vec::new()),
        };
        let mut queries = Self { packets, count: 0 };
        queries.fill(rays);
        queries
    }

    /// Replaces the rays, reusing the memory, and clears the answers.
    pub fn fill(&mut self, rays: &[Ray]) {
        self.count = rays.len();
        each!(&mut self.packets, packets => fill(packets, rays));
    }

    /// Returns an answer for each ray: `t` of the nearest hit, or 0 if any hit was asked for and found; infinity for a
    /// miss.
    pub fn answers(&self) -> Vec<f32> {
        let mut answers = Vec::with_capacity(self.count);
        each!(&self.packets, packets => read(packets, self.count, &mut answers));
        answers
    }
}

fn fill<A, const N: usize, const ROWS: usize>(packets: &mut Vec<Packet<A, N, ROWS>>, rays: &[Ray]) {
    packets.resize_with(rays.len().div_ceil(N), || Packet { align: [], rows: [[0; N]; ROWS] });
    for (packet, rays) in packets.iter_mut().zip(rays.chunks(N)) {
        let rows = &mut packet.rows;
        for (lane, ray) in rays.iter().enumerate() {
            for axis in 0..3 {
                rows[row::ORIGIN + axis][lane] = ray.origin[axis].to_bits();
                rows[row::DIRECTION + axis][lane] = ray.direction[axis].to_bits();
            }
            rows[row::T_NEAR][lane] = ray.t_min.to_bits();
            rows[row::T_FAR][lane] = ray.t_max.to_bits();
            rows[row::MASK][lane] = u32::MAX;
            for row in rows.iter_mut().skip(row::RAY) {
                row[lane] = INVALID;
            }
        }
    }
}

fn read<A, const N: usize, const ROWS: usize>(packets: &[Packet<A, N, ROWS>], count: usize, answers: &mut Vec<f32>) {
    for (place, packet) in packets.iter().enumerate() {
        for lane in 0..N.min(count - place * N) {
            let t = f32::from_bits(packet.rows[row::T_FAR][lane]);
            answers.push(match packet.rows.get(row::GEOMETRY) {
                Some(geometry) if geometry[lane] != INVALID => t,
                // Whoever asks for any hit is told by an end before all beginnings.
                None if t == f32::NEG_INFINITY => 0.0,
                _ => f32::INFINITY,
            });
        }
    }
}

/// Traces one triangle with each kind of query and checks that answers are right and nothing is written behind a hit.
pub(crate) fn check_layout(device: &EmbreeDevice, scene: &EmbreeScene) -> Result<(), EmbreeError> {
    let wrong = |what| EmbreeError::Layout { version: device.version(), what };
    let down = |x: f32| Ray::new([x, 0.25, 2.0], [0.0, 0.0, -1.0]);
    // Every third misses. 21 leave lanes of the last packet without a ray.
    let rays: Vec<Ray> = (0..21).map(|i| down(if i % 3 == 2 { 3.0 } else { 0.25 })).collect();
    // First, so that what is longer than declared has room.
    let api = device.0.api;
    let mut single = guarded::<Align16, 1>(&rays);
    scene.trace_single(&mut single, api.intersect1, false);
    let mut eight = guarded::<Align32, 8>(&rays);
    scene.trace_packets(&mut eight, rays.len(), api.intersect8, false);
    let mut sixteen = guarded::<Align64, 16>(&rays);
    scene.trace_packets(&mut sixteen, rays.len(), api.intersect16, false);
    if !(is_unharmed(&single) && is_unharmed(&eight) && is_unharmed(&sixteen)) {
        return Err(wrong("a hit is longer than nine words".to_string()));
    }
    for (width, any) in RayWidth::ALL.into_iter().flat_map(|width| [(width, false), (width, true)]) {
        let hit = if any { 0.0 } else { 2.0 };
        let want: Vec<f32> = (0..21).map(|i| if i % 3 == 2 { f32::INFINITY } else { hit }).collect();
        let mut queries = Queries::new(&rays, width, any);
        scene.trace(&mut queries, false)?;
        let got = queries.answers();
        // Its reciprocals are approximations with some instruction sets.
        if !got.iter().zip(&want).all(|(got, want)| got == want || (got - want).abs() < 1e-5) {
            return Err(wrong(format!("packets of {}: {got:?}, not {want:?}", width.lanes())));
        }
    }
    Ok(())
}

/// Number of words of a packet while layouts are checked, with guard words behind the hit.
const GUARDED: usize = row::RAY_HIT + 16;
const GUARD: u32 = 0x5afe_5afe;

fn guarded<A, const N: usize>(rays: &[Ray]) -> Vec<Packet<A, N, GUARDED>> {
    let mut packets = Vec::new();
    fill(&mut packets, rays);
    for packet in &mut packets {
        packet.rows[row::RAY_HIT..].fill([GUARD; N]);
    }
    packets
}

fn is_unharmed<A, const N: usize>(packets: &[Packet<A, N, GUARDED>]) -> bool {
    packets.iter().all(|packet| packet.rows[row::RAY_HIT..].iter().flatten().all(|&word| word == GUARD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_sizes_and_alignments_that_embree_documents() {
        fn of<T>() -> (usize, usize) {
            (size_of::<T>(), align_of::<T>())
        }
        assert_eq!(of::<Packet<Align16, 1, { row::RAY }>>(), (48, 16));
        assert_eq!(of::<Packet<Align32, 8, { row::RAY }>>(), (384, 32));
        assert_eq!(of::<Packet<Align64, 16, { row::RAY }>>(), (768, 64));
        // With a hit of nine rows, rounded up to the alignment.
        assert_eq!(of::<Packet<Align16, 1, { row::RAY_HIT }>>(), (48 + 48, 16));
        assert_eq!(of::<Packet<Align32, 8, { row::RAY_HIT }>>(), (384 + 288, 32));
        assert_eq!(of::<Packet<Align64, 16, { row::RAY_HIT }>>(), (768 + 576, 64));
    }

    #[test]
    fn rays_come_back_in_their_order_from_every_width() {
        let rays: Vec<Ray> = (0..37).map(|i| Ray::new([i as f32, 0.0, 0.0], [0.0, 0.0, 1.0])).collect();
        for (width, any) in RayWidth::ALL.into_iter().flat_map(|width| [(width, false), (width, true)]) {
            let mut queries = Queries::new(&rays, width, any);
            assert_eq!(queries.answers(), vec![f32::INFINITY; 37], "nothing is found before anything is traced");
            // What a tracer would write for the last ray.
            each!(&mut queries.packets, packets => {
                let (packet, lane) = (36 / width.lanes(), 36 % width.lanes());
                packets[packet].rows[row::T_FAR][lane] = if any { f32::NEG_INFINITY } else { 5.0 }.to_bits();
                if let Some(geometry) = packets[packet].rows.get_mut(row::GEOMETRY) {
                    geometry[lane] = 0;
                }
            });
            assert_eq!(queries.answers()[36], if any { 0.0 } else { 5.0 });
            queries.fill(&rays[..20]);
            assert_eq!(queries.answers(), vec![f32::INFINITY; 20], "filled anew");
        }
    }
}
