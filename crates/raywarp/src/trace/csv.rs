//! Hit files as text: CSV with one line of names, one line a ray.
//!
//! Numbers are the shortest that read back as the same float32, or float64 where positions are that; `inf` and `NaN`
//! are written so, which pandas, NumPy and Python's `float` read. A miss has -1 for its ids, so that these columns stay
//! integers everywhere.

use crate::trace::{Field, VectorColumn, Vectors};
use raywarp_geom::Hit;
use std::io::Write;

/// Returns a CSV file of closest hits: `t,u,v,primitive,instance`, and three more columns for each field, such as
/// `position_x,position_y,position_z`.
///
/// # Panics
/// If the lengths differ.
pub fn write_hits(hits: &[Hit], instances: &[u32], columns: &[VectorColumn]) -> Vec<u8> {
    let fields: Vec<Field> = columns.iter().map(|column| column.field).collect();
    let mut file = start_hits(&fields);
    append_hits(&mut file, hits, instances, columns);
    file
}

/// Returns the header line of a CSV file of closest hits with columns of `fields`, which [`append_hits`] continues.
pub fn start_hits(fields: &[Field]) -> Vec<u8> {
    let mut file = b"t,u,v,primitive,instance".to_vec();
    for (field, axis) in fields.iter().flat_map(|field| ["x", "y", "z"].map(|axis| (field, axis))) {
        put(&mut file, format_args!(",{field}_{axis}"));
    }
    file.push(b'\n');
    file
}

/// Appends closest hits to a CSV file that [`start_hits`] began.
///
/// # Panics
/// If the lengths differ.
pub fn append_hits(file: &mut Vec<u8>, hits: &[Hit], instances: &[u32], columns: &[VectorColumn]) {
    let lengths = columns.iter().map(|column| column.values.len()).chain([instances.len()]);
    assert!({ lengths }.all(|length| length == hits.len()), "one entry a hit");
    for (i, (hit, &instance)) in hits.iter().zip(instances).enumerate() {
        let id = |id: u32| if hit.is_hit() { i64::from(id) } else { -1 };
        let (primitive, instance) = (id(hit.primitive), id(instance));
        put(file, format_args!("{:?},{:?},{:?},{primitive},{instance}", hit.t, hit.u, hit.v));
        for column in columns {
            match &column.values {
                Vectors::Single(values) => values[i].iter().for_each(|value| put(file, format_args!(",{value:?}"))),
                Vectors::Double(values) => values[i].iter().for_each(|value| put(file, format_args!(",{value:?}"))),
            }
        }
        file.push(b'\n');
    }
}

/// Returns a CSV file of any-hit answers: the column `blocked`, 1 where the ray hits something, else 0.
pub fn write_flags(flags: &[bool]) -> Vec<u8> {
    let mut file = start_flags();
    append_flags(&mut file, flags);
    file
}

/// Returns the header line of a CSV file of any-hit answers, which [`append_flags`] continues.
pub fn start_flags() -> Vec<u8> {
    b"blocked\n".to_vec()
}

/// Appends any-hit answers to a CSV file that [`start_flags`] began.
pub fn append_flags(file: &mut Vec<u8>, flags: &[bool]) {
    file.extend(flags.iter().flat_map(|&flag| if flag { *b"1\n" } else { *b"0\n" }));
}

fn put(file: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    file.write_fmt(text).expect("memory takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_and_misses_have_ids_of_minus_one() {
        let hits = [
            Hit { t: 1.1, u: 1.0e-7, v: 0.25, primitive: 4_294_967_294 },
            Hit::miss(f32::INFINITY),
            Hit::miss(f32::NAN),
            Hit { t: 16_777_217.0, u: f32::MIN_POSITIVE, v: 1.0 / 3.0, primitive: 0 },
        ];
        let values = vec![[1.0, -0.0, 3.4e38], [f32::NAN; 3], [f32::NAN; 3], [0.1, 0.2, 0.3]];
        let columns = [VectorColumn { field: Field::Position, values: Vectors::Single(values) }];
        let text = String::from_utf8(write_hits(&hits, &[7, Hit::MISS, Hit::MISS, 0], &columns)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..4],
            [
                "t,u,v,primitive,instance,position_x,position_y,position_z",
                "1.1,1e-7,0.25,4294967294,7,1.0,-0.0,3.4e38",
                "inf,0.0,0.0,-1,-1,NaN,NaN,NaN",
                "NaN,0.0,0.0,-1,-1,NaN,NaN,NaN",
            ]
        );
        let read: Vec<f32> = lines[4].split(',').map(|word| word.parse().unwrap()).collect();
        assert_eq!(read, [16_777_216.0, f32::MIN_POSITIVE, 1.0 / 3.0, 0.0, 0.0, 0.1, 0.2, 0.3]);
        assert_eq!(write_hits(&[], &[], &[]), b"t,u,v,primitive,instance\n");
        assert_eq!(write_flags(&[true, false]), b"blocked\n1\n0\n");
    }
}
