//! Modes of meshopt for indices. Mode 1: triangle lists, coded by the edges and vertices used last. Mode 2: any
//! indices.

use super::Stream;
use crate::MeshoptFault;

/// Queue of the last 16 entries pushed.
struct Fifo<T> {
    entries: [T; 16],
    next: usize,
}

impl<T: Copy> Fifo<T> {
    fn new(unwritten: T) -> Self {
        Self { entries: [unwritten; 16], next: 0 }
    }

    fn push(&mut self, entry: T) {
        self.entries[self.next % 16] = entry;
        self.next += 1;
    }

    /// Returns the entry that was pushed `age` pushes before the last one.
    fn get(&self, age: usize) -> Result<T, MeshoptFault> {
        let at = self.next.checked_sub(age + 1).filter(|_| age < 16);
        at.map(|at| self.entries[at % 16]).ok_or(MeshoptFault::BeforeFirst)
    }
}

struct Decoder<'a> {
    data: Stream<'a>,
    /// Lowest vertex index not used yet.
    next: u32,
    /// Vertex index that was last encoded explicitly.
    last: u32,
    edges: Fifo<[u32; 2]>,
    vertices: Fifo<u32>,
}

impl Decoder<'_> {
    fn fresh(&mut self) -> u32 {
        let index = self.next;
        self.next = self.next.wrapping_add(1);
        index
    }

    fn explicit(&mut self) -> Result<u32, MeshoptFault> {
        let v = self.data.varint()?;
        self.last = self.last.wrapping_add(if v & 1 == 1 { !(v >> 1) } else { v >> 1 });
        Ok(self.last)
    }

    /// Decodes a vertex index from a four-bit code; the second value is `true` if it goes into the queue.
    fn vertex(&mut self, code: u8) -> Result<(u32, bool), MeshoptFault> {
        Ok(match code {
            0 => (self.fresh(), true),
            15 => (self.explicit()?, true),
            _ => (self.vertices.get(usize::from(code) - 1)?, false),
        })
    }

    /// Decodes a triangle that shares an edge with a recent one.
    fn on_edge(&mut self, code: u8, version: u8) -> Result<[u32; 3], MeshoptFault> {
        let [a, b] = self.edges.get(usize::from(code >> 4))?;
        let (c, push) = match code & 15 {
            0 => (self.fresh(), true),
            near @ (13 | 14) if version >= 1 => {
                self.last = if near == 13 { self.last.wrapping_sub(1) } else { self.last.wrapping_add(1) };
                (self.last, true)
            }
            15 => (self.explicit()?, true),
            recent => (self.vertices.get(usize::from(recent))?, false),
        };
        if push {
            self.vertices.push(c);
        }
        Ok([a, b, c])
    }

    /// Decodes a triangle that shares no recent edge; its first vertex is always new to the queue.
    fn apart(&mut self, first: u8, others: u8) -> Result<[u32; 3], MeshoptFault> {
        let (a, _) = self.vertex(first)?;
        let (b, push_b) = self.vertex(others >> 4)?;
        let (c, push_c) = self.vertex(others & 15)?;
        self.vertices.push(a);
        for (vertex, push) in [(b, push_b), (c, push_c)] {
            if push {
                self.vertices.push(vertex);
            }
        }
        self.edges.push([b, a]);
        Ok([a, b, c])
    }
}

/// Decodes `count` vertex indices of a triangle list in meshopt compression.
pub fn triangles(source: &[u8], count: usize) -> Result<Vec<u32>, MeshoptFault> {
    if !count.is_multiple_of(3) {
        return Err(MeshoptFault::NoTriangles { count });
    }
    let (&header, rest) = source.split_first().ok_or(MeshoptFault::Empty)?;
    let version = match header {
        0xe0 | 0xe1 => header & 15,
        header => return Err(MeshoptFault::TriangleHeader { header }),
    };
    let body = rest.len().checked_sub(16).ok_or(MeshoptFault::NoTail)?;
    let (body, table) = rest.split_at(body);
    let (codes, data) = body.split_at_checked(count / 3).ok_or(MeshoptFault::Cut)?;
    let mut decoder =
        Decoder { data: Stream(data), next: 0, last: 0, edges: Fifo::new([0; 2]), vertices: Fifo::new(0) };
    let mut out = Vec::with_capacity(count);
    for &code in codes {
        let [a, b, c] = match code {
            0..=0xef => decoder.on_edge(code, version)?,
            0xf0..=0xfd => decoder.apart(0, table[usize::from(code & 15)])?,
            _ => {
                let others = decoder.data.byte()?;
                if others == 0 {
                    decoder.next = 0;
                }
                decoder.apart(if code == 0xfe { 0 } else { 15 }, others)?
            }
        };
        decoder.edges.push([c, b]);
        decoder.edges.push([a, c]);
        out.extend([a, b, c]);
    }
    decoder.data.finish()?;
    Ok(out)
}

/// Decodes `count` vertex indices of any topology in meshopt compression.
pub fn sequence(source: &[u8], count: usize) -> Result<Vec<u32>, MeshoptFault> {
    let (&header, rest) = source.split_first().ok_or(MeshoptFault::Empty)?;
    if !matches!(header, 0xd0 | 0xd1) {
        return Err(MeshoptFault::IndexHeader { header });
    }
    let body = rest.len().checked_sub(4).ok_or(MeshoptFault::NoTail)?;
    let mut stream = Stream(&rest[..body]);
    let mut last = [0_u32; 2];
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let v = stream.varint()?;
        let baseline = &mut last[(v & 1) as usize];
        *baseline = baseline.wrapping_add(if v & 2 == 2 { !(v >> 2) } else { v >> 2 });
        out.push(*baseline);
    }
    stream.finish()?;
    Ok(out)
}
