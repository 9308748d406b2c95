//! Signs of determinants of f32 coordinates, without rounding.
//!
//! In f64 where the error bound allows, else as an exact sum of floats that do not overlap (Shewchuk 1997, "Adaptive
//! precision floating-point arithmetic"). Products of three f32, the smallest that there are among them, are far from
//! where f64 ends.

type Point = [f32; 3];
type Row = [f64; 3];

/// Largest number of parts of an exact sum: four determinants of six products, each of two parts.
const PARTS: usize = 48;

/// Returns the sign of `det(a - o, b - o, c - o)`, -1, 0 or 1, exactly: on which side of the plane through `o`, `a` and
/// `b` the point `c` is. Coordinates have to be finite.
pub fn orientation(o: &Point, a: &Point, b: &Point, c: &Point) -> i32 {
    let [x, y, z] = [a, b, c].map(|p| difference(p, o));
    filtered(&x, &y, &z).unwrap_or_else(|| {
        let exactly = [a, b, c].map(|p| exact_difference(p, o));
        if let [Some(x), Some(y), Some(z)] = &exactly {
            let mut sum = Sum::default();
            sum.add_determinant(x, y, z, 1.0);
            return sum.sign();
        }
        // det(a - o, b - o, c - o) = det(a, b, c) - det(o, b, c) - det(a, o, c) - det(a, b, o).
        let mut sum = Sum::default();
        sum.add_determinant(a, b, c, 1.0);
        sum.add_determinant(o, b, c, -1.0);
        sum.add_determinant(a, o, c, -1.0);
        sum.add_determinant(a, b, o, -1.0);
        sum.sign()
    })
}

/// Returns the sign of `det(d, p - o, q - o)`, exactly: on which side of the line through `o` along `d` the edge from
/// `p` to `q` passes. Coordinates have to be finite.
pub fn side([o, d]: [&Point; 2], p: &Point, q: &Point) -> i32 {
    filtered(&d.map(f64::from), &difference(p, o), &difference(q, o)).unwrap_or_else(|| {
        // det(d, p - o, q - o) = det(d, p, q) - det(d, p, o) - det(d, o, q).
        let mut sum = Sum::default();
        sum.add_determinant(d, p, q, 1.0);
        sum.add_determinant(d, p, o, -1.0);
        sum.add_determinant(d, o, q, -1.0);
        sum.sign()
    })
}

/// Returns the sign of `det(a - o, b - o)`, -1, 0 or 1, exactly: on which side of the line through `o` and `a` the
/// point `b` of the same plane is. Coordinates have to be finite.
pub fn orientation_in_plane(o: [f32; 2], a: [f32; 2], b: [f32; 2]) -> i32 {
    let [o, a, b] = [o, a, b].map(|p| p.map(f64::from));
    let [left, right] = [(a[0] - o[0]) * (b[1] - o[1]), (a[1] - o[1]) * (b[0] - o[0])];
    let det = left - right;
    // Two differences, a product and a sum.
    if det.abs() > 8.0 * f64::EPSILON * (left.abs() + right.abs()) {
        return if det > 0.0 { 1 } else { -1 };
    }
    let mut sum = Sum::default();
    for (p, q) in [(a, b), (b, o), (o, a)] {
        sum.add(p[0] * q[1]);
        sum.add(-p[1] * q[0]);
    }
    sum.sign()
}

/// Returns the sign of a determinant of three rows that are each within 2^-53 of themselves, if that is enough.
pub fn filtered(x: &Row, y: &Row, z: &Row) -> Option<i32> {
    let (mut det, mut size) = (0.0, 0.0);
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (left, right) = (y[j] * z[k], y[k] * z[j]);
        det += x[i] * (left - right);
        size += x[i].abs() * (left.abs() + right.abs());
    }
    // Three differences, three products and three sums: fewer than 16 roundings in any term.
    let error = 16.0 * f64::EPSILON * size;
    (det.abs() > error).then_some(if det > 0.0 { 1 } else { -1 })
}

fn difference(a: &Point, b: &Point) -> Row {
    std::array::from_fn(|i| f64::from(a[i]) - f64::from(b[i]))
}

/// Returns the difference of two points if f32 has it.
fn exact_difference(a: &Point, b: &Point) -> Option<Point> {
    let difference = [0, 1, 2].map(|i| a[i] - b[i]);
    // Nothing is lost in f64 (Knuth's sum), nor by f32.
    let is_exact = |i: usize| {
        let (a, b) = (f64::from(a[i]), f64::from(b[i]));
        let d = a - b;
        let c = d - a;
        (a - (d - c)) - (b + c) == 0.0 && d == f64::from(difference[i])
    };
    (0..3).all(is_exact).then_some(difference)
}

/// Exact sum: floats that do not overlap, smallest first.
struct Sum {
    parts: [f64; PARTS],
    count: usize,
}

impl Default for Sum {
    fn default() -> Self {
        Self { parts: [0.0; PARTS], count: 0 }
    }
}

impl Sum {
    /// Adds one float (Shewchuk's grow-expansion).
    fn add(&mut self, mut x: f64) {
        for part in &mut self.parts[..self.count] {
            let sum = x + *part;
            let b = sum - x;
            *part = (x - (sum - b)) + (*part - b);
            x = sum;
        }
        self.parts[self.count] = x;
        self.count += 1;
    }

    /// Adds `factor * det(a, b, c)`; the factor is 1 or -1.
    fn add_determinant(&mut self, a: &Point, b: &Point, c: &Point, factor: f64) {
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            for (b, c, sign) in [(b[j], c[k], factor), (b[k], c[j], -factor)] {
                // Two products that have 48 bits, and by halves of 26 (Dekker 1971) another 50: all exact.
                let pair = sign * f64::from(b) * f64::from(c);
                let far = pair * f64::from((1 << 27) + 1);
                let high = far - (far - pair);
                self.add(f64::from(a[i]) * (pair - high));
                self.add(f64::from(a[i]) * high);
            }
        }
    }

    fn sign(&self) -> i32 {
        let first = self.parts[..self.count].iter().rev().find(|&&x| x != 0.0);
        first.map_or(0, |&x| if x > 0.0 { 1 } else { -1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_testing::Random;

    fn determinant([x, y, z]: [[i128; 3]; 3]) -> i128 {
        let minor = |j: usize, k: usize| y[j] * z[k] - y[k] * z[j];
        x[0] * minor(1, 2) + x[1] * minor(2, 0) + x[2] * minor(0, 1)
    }

    /// Whole numbers of up to 40 bits that f32 has, many of them nearly in a plane.
    fn points(random: &mut Random, round: usize) -> [[i128; 3]; 4] {
        let number = |random: &mut Random| {
            let bits = (random.signed() * (1 << 23) as f32) as i128;
            bits << [0, 3, 9, 16][random.below(4)]
        };
        let mut points = [(); 4].map(|()| [(); 3].map(|()| number(random)));
        if !round.is_multiple_of(4) {
            // Small steps, so that the fourth is in the plane of three others, or beside it by one.
            let [o, a, b] = [0, 1, 2].map(|i| points[i].map(|x| x >> 20 << 1));
            let (s, r) = (random.below(5) as i128 - 2, random.below(5) as i128 - 2);
            points = [o, a, b, std::array::from_fn(|i| o[i] + s * (a[i] - o[i]) + r * (b[i] - o[i]))];
            points[3][random.below(3)] += [0, 0, 1, -1][round % 4];
        }
        points
    }

    #[test]
    fn signs_are_those_of_whole_numbers() {
        let mut random = Random::new(90);
        let mut zeros = 0;
        for round in 0..4000 {
            let [o, a, b, c] = points(&mut random, round);
            let from = |p: [i128; 3], q: [i128; 3]| std::array::from_fn::<_, 3, _>(|i| p[i] - q[i]);
            // Times powers of two, up to where products of f32 are no f32.
            let scale = [1.0, 2f32.powi(80), 2f32.powi(-140)][round % 3];
            let float = |p: [i128; 3]| p.map(|x| x as f32 * scale);
            let [p, q, r, s] = [o, a, b, c].map(float);
            let want = determinant([from(a, o), from(b, o), from(c, o)]).signum() as i32;
            assert_eq!(orientation(&p, &q, &r, &s), want, "{o:?} {a:?} {b:?} {c:?} {scale}");
            assert_eq!(side([&p, &q], &r, &s), determinant([a, from(b, o), from(c, o)]).signum() as i32);
            let [o, a, b] = [o, a, c].map(|[x, y, _]| [x, y, 0]);
            let in_plane = determinant([from(a, o), from(b, o), [0, 0, 1]]).signum() as i32;
            assert_eq!(orientation_in_plane([p[0], p[1]], [q[0], q[1]], [s[0], s[1]]), in_plane);
            zeros += usize::from(want == 0);
        }
        assert!(zeros >= 1000, "{zeros}");
    }

    #[test]
    fn what_f64_cannot_tell_is_told() {
        let (o, x, y) = ([0.0; 3], [1e30, 0.0, 0.0], [0.0, 1e30, 0.0]);
        // From 1e30 on, 1e-30 is lost in a difference.
        for (z, want) in [(0.0, 0), (1e-30, 1), (-1e-30, -1)] {
            let far = [1e30, 1e30, z];
            assert_eq!(orientation(&o, &x, &y, &far), want);
            assert_eq!(orientation(&[1e30, 0.0, z], &x, &y, &o), -want);
            assert_eq!(orientation(&far, &[1e30, 1e30, 0.0], &x, &o), want);
        }
        let corners = [[1e30, 0.0, 1e-30], [1e30, 1.0, 1e30], [-1e30, 1e-30, 3.0], [1.0, 1e30, -1e30]];
        let [a, b, c, d] = &corners;
        let sign = orientation(a, b, c, d);
        assert_eq!((orientation(b, c, a, d), orientation(b, a, c, d), orientation(d, c, b, a)), (sign, -sign, sign));
    }
}
