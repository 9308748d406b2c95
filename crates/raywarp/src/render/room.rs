//! The search for a room in a scene, and for a view of it: from inside, at eye height, along its longest free
//! direction.
//!
//! A room is closed if hardly a ray from the free places in it gets out. So is any solid model, whose inside nobody
//! wants to see, whatever is in it. The surfaces at which the rays end tell them apart: from the places of a room they
//! see the fronts of its walls, from inside of a solid the back of its skin. Things that stand before the walls have no
//! say in that.
//!
//! A hollow object has two skins: the inner one shows its front inwards as a room does, the outer one outwards. So has
//! a room with the outside of its walls. See [`Count::is_room_in_a_shell`].

use crate::render::Prepared;
use crate::render::frame_scene::{front, open_side};
use crate::render::free_space::{Met, around, crowd, grid, met, rays};
use glam::{DVec3, Vec3};
use raywarp_geom::{Aabb, Tracer};
use raywarp_scene::{Camera, Description};

/// Factor by which the box of nearly all triangles must be smaller than the scene for it to be searched for a room.
const SMALL: f32 = 8.0;
/// Number of test points along each axis of the scene's box, and of directions from each.
const GRID: usize = 5;
const DIRECTIONS: usize = 64;
/// Largest number of rays from a closed-in point that may leave the scene, through windows.
const LEAVE: usize = 6;
/// Largest number of rays from an eye point that may leave the scene, if it sees the sky from a courtyard.
const LEAVE_EYE: usize = 16;
/// Least free height of an eye point as a fraction of the greatest, so that the eye stands on the floor, not on a
/// cupboard.
const FREE_HEIGHT: f64 = 0.8;
/// Fraction of the test points that must be closed in for a room. The cabin of a car and a hollow figure have fewer.
const CLOSED: f64 = 0.4;
/// Fraction of the walls seen from inside that must show their fronts: a quarter, since many files turn faces
/// arbitrarily. Of the rooms of the benchmark scenes it is 0.5 to 1, of closed skins within each other at most 0.15.
const FRONTS: f64 = 0.25;
/// Fraction of the rays from inside that must hit something standing in the room.
const CONTENT: f64 = 0.03;
/// Least fractions, in a place with little furniture, of closed-in points, of fronts, and of level or upright walls,
/// which must be plain sheets: this excludes jars and hollow figures.
const CLOSED_EMPTY: f64 = 0.7;
const FRONTS_EMPTY: f64 = 0.8;
const UPRIGHT_EMPTY: f64 = 0.7;
/// Least fractions of level and upright walls, and of rays that hit fronts of things, for a place with an outer skin to
/// be a room: a vase is round, an empty box is a box.
const UPRIGHT_SHELL: f64 = 0.5;
/// Least thickness of most walls of a room, as a fraction of its box's diagonal. Those of houses are 0.01 to 0.05; a
/// carton's and a cabinet's are thinner, and what they enclose must be furnished as hardly any is.
const WALL: f64 = 0.01;
const CONTENT_THIN: f64 = 0.25;
/// Fraction of the eye points that see the sky straight up from which on a room counts as open above.
const SKY: f64 = 0.05;
/// Least width of a room relative to its height, and least height relative to its width.
const THINNEST: f64 = 0.25;
const FLATTEST: f64 = 1.0 / 30.0;
/// Height of the eye as a fraction of the height from floor to ceiling: 1.6 of 2.9 metres. At half the height of a hall
/// it would hover: where a place is less wide than [`WIDE`] of its height the share falls with the width, and where a
/// quarter of the places are under ceilings less than [`LOW`] as high (arcades, galleries) it is a share of their
/// height; down to a fifth.
const EYE_HEIGHT: f64 = 0.55;
const LEAST_EYE_HEIGHT: f64 = 0.2;
const WIDE: f64 = 0.8;
const LOW: f64 = 0.5;
/// Number of horizontal view directions that are tried, and the slopes tried for each.
const HEADINGS: usize = 48;
const SLOPES: [f64; 3] = [-0.2, 0.0, 0.2];
/// Number of neighbouring directions on each side that must be free too: 30 degrees.
const WIDTH: usize = 4;
/// Vertical field of view of a camera inside a room, in degrees.
pub(crate) const INSIDE_VFOV: f32 = 60.0;

/// View from inside a room or a case, in the file's coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inside {
    pub eye: [f64; 3],
    pub target: [f64; 3],
    /// `true` if the walls show their fronts inwards, as a room's do. Else it is a solid with something in it.
    pub is_room: bool,
    /// `true` if most walls have an outside of their own, and the whole scene is the room.
    pub has_outside: bool,
    /// `true` if the sky is visible from inside.
    pub open_above: bool,
}

impl Inside {
    /// Returns the camera that stands at this view's eye and looks at its target.
    pub(crate) fn camera(&self, scene: &Description, up: DVec3, vfov: f32) -> Option<Camera> {
        let [eye, target] = [self.eye, self.target].map(|place| scene.from_file(place));
        Camera::look_at(eye, target, up.as_vec3().to_array(), vfov)
    }
}

/// Finds a place inside from which to see the scene, if it is a room or a closed case with something in it. The result
/// is the same on every machine that traces the same.
pub(crate) fn look_inside(prepared: &Prepared, up: DVec3) -> Option<Inside> {
    let whole = prepared.bounds();
    if open_side(prepared.tracer(), whole, up).is_some() {
        return None;
    }
    look_inside_of(prepared, whole, up).or_else(|| {
        // A room on a wide ground, or with something far away.
        let crowd = crowd(prepared.scene());
        if SMALL * crowd.diagonal() >= whole.diagonal() {
            return None;
        }
        let around = up_to_walls(prepared.tracer(), &crowd)?;
        let inside = look_inside_of(prepared, &around, up).filter(|inside| inside.is_room)?;
        // From where the whole scene is seen a part of it is small.
        Some(Inside { has_outside: false, ..inside })
    })
}

/// Returns the box of what surrounds `crowd`: as far as most rays from there reach along the axes, if that is no more
/// than its diagonal.
fn up_to_walls(tracer: &dyn Tracer, crowd: &Aabb) -> Option<Aabb> {
    let points = grid(crowd, [GRID; 3]);
    let mut grown = *crowd;
    for axis in 0..3 {
        let reach = |sign: f64| {
            let met = met(tracer, &rays(&points, std::iter::once(sign * DVec3::AXES[axis])))?;
            let ends = points.iter().zip(met).filter(|(_, met)| met.t <= crowd.diagonal());
            let mut ends: Vec<f64> = ends.map(|(place, met)| sign * place[axis] + f64::from(met.t)).collect();
            ends.sort_unstable_by(f64::total_cmp);
            Some(ends.get(ends.len() * 4 / 5).map(|end| (sign * end) as f32))
        };
        grown.min[axis] = reach(-1.0)?.map_or(grown.min[axis], |end| end.min(grown.min[axis]));
        grown.max[axis] = reach(1.0)?.map_or(grown.max[axis], |end| end.max(grown.max[axis]));
    }
    Some(grown)
}

/// Finds a place inside from which to see the part of the scene within `bounds`, if that is a room or a closed case.
fn look_inside_of(prepared: &Prepared, bounds: &Aabb, up: DVec3) -> Option<Inside> {
    let diagonal = f64::from(bounds.diagonal());
    if bounds.is_empty() || !(diagonal > 0.0 && diagonal.is_finite()) || !has_sides_of_a_room(bounds, up) {
        return None;
    }
    let tracer = prepared.tracer();
    let Free { air, is_room, has_outside } = closed_places(prepared, bounds, up)?;
    let sky = met(tracer, &rays(&air, std::iter::once(up)))?;
    let open_above = sky.iter().filter(|met| met.escapes()).count() as f64 >= SKY * air.len().max(1) as f64;
    let eyes = eyes(tracer, &air, up, bounds)?;
    let (eye, ahead, length) = longest_view(tracer, &eyes, up)?;
    let typed = |p| typed(prepared.scene(), p, diagonal);
    Some(Inside { eye: typed(eye), target: typed(eye + 0.5 * length * ahead), is_room, has_outside, open_above })
}

/// Returns a point in the file's coordinates, rounded to a thousandth of `size` so that it is short to type.
pub(crate) fn typed(scene: &Description, place: DVec3, size: f64) -> [f64; 3] {
    let digits = (3.0 - size.log10()).ceil() as i32;
    let step = 10f64.powi(-digits);
    scene.in_file(place.as_vec3().to_array()).map(|x| (x / step).round() * step + 0.0)
}

/// Returns `true` if a box has the proportions of a room: neither as thin as a door nor as flat as a tray.
fn has_sides_of_a_room(bounds: &Aabb, up: DVec3) -> bool {
    let extent: DVec3 = std::array::from_fn(|i| f64::from(bounds.max[i]) - f64::from(bounds.min[i])).into();
    let (right, front) = front(up);
    let [height, width, depth] = [up, right, front].map(|axis| axis.abs().dot(extent));
    width.min(depth) >= THINNEST * height && height >= FLATTEST * width.max(depth)
}

/// Points where an eye may stand in a closed space.
struct Free {
    air: Vec<DVec3>,
    is_room: bool,
    has_outside: bool,
}

/// Counts of what rays from closed-in points hit.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    rays: usize,
    /// Number of rays that end at something in front of a wall, and of those that hit a front rather than another
    /// solid's skin.
    hidden: usize,
    things: usize,
    /// Number of the other rays that hit a wall, and of those that hit a front, that have one more surface behind, and
    /// that hit something level or upright.
    walls: usize,
    fronts: usize,
    thick: usize,
    upright: usize,
    /// Number of rays with the front of an outer skin behind the wall, and of those where it is as far away as a wall
    /// is thick.
    shells: usize,
    thick_shells: usize,
}

impl Count {
    fn add(&mut self, other: &Self) {
        self.rays += other.rays;
        self.hidden += other.hidden;
        self.things += other.things;
        self.walls += other.walls;
        self.fronts += other.fronts;
        self.thick += other.thick;
        self.upright += other.upright;
        self.shells += other.shells;
        self.thick_shells += other.thick_shells;
    }

    fn shows_fronts(&self, share: f64) -> bool {
        self.walls > 0 && self.fronts as f64 >= share * self.walls as f64
    }

    /// Returns `true` if most walls have an outside of their own: a hollow object, or a room modelled with its outside.
    fn is_shell(&self) -> bool {
        2 * self.shells > self.walls
    }

    fn has_things(&self, share: f64) -> bool {
        self.things as f64 >= share * self.rays as f64
    }

    /// Returns `true` if the inside of a closed shell is a room: furnished, between thick walls that are level or
    /// upright.
    fn is_room_in_a_shell(&self) -> bool {
        let content = if 2 * self.thick_shells > self.shells { CONTENT } else { CONTENT_THIN };
        self.upright as f64 >= UPRIGHT_SHELL * self.walls as f64 && self.has_things(content)
    }

    fn is_plain(&self) -> bool {
        let is_upright = self.upright as f64 >= UPRIGHT_EMPTY * self.walls as f64;
        2 * self.thick <= self.walls && is_upright && self.shows_fronts(FRONTS_EMPTY)
    }
}

/// Finds the closed-in points of a grid in the box, if there are many, and something inside to be seen.
fn closed_places(prepared: &Prepared, bounds: &Aabb, up: DVec3) -> Option<Free> {
    let (tracer, diagonal) = (prepared.tracer(), f64::from(bounds.diagonal()));
    let points = grid(bounds, [GRID; 3]);
    let directions: Vec<DVec3> = around(DIRECTIONS).collect();
    let seen = met(tracer, &rays(&points, directions.iter().copied()))?;
    let leaving = |seen: &[Met]| seen.iter().filter(|met| met.escapes()).count();
    let closed: Vec<(DVec3, &[Met])> =
        points.iter().copied().zip(seen.chunks(DIRECTIONS)).filter(|(_, seen)| leaving(seen) <= LEAVE).collect();
    let is_share = |count: usize, share: f64| count as f64 >= share * points.len() as f64;
    if !is_share(closed.len(), CLOSED) {
        return None;
    }
    let (mut all, mut room) = (Count::default(), Count::default());
    let (mut in_room, mut in_skin) = (Vec::new(), Vec::new());
    for &(place, seen) in &closed {
        let count = count(prepared, (place, seen), &directions, up, diagonal)?;
        if count.shows_fronts(FRONTS) {
            in_room.push(place);
            room.add(&count);
        }
        // From inside of a part the skin is behind what is met.
        in_skin.extend((2 * count.thick <= count.walls).then_some(place));
        all.add(&count);
    }
    let is_room = is_share(in_room.len(), CLOSED);
    let is_furnished = all.hidden as f64 >= CONTENT * all.rays as f64;
    let is_empty_room = || is_share(in_room.len(), CLOSED_EMPTY) && all.is_plain();
    let places: Vec<DVec3> = closed.iter().map(|&(place, _)| place).collect();
    if !(is_furnished || is_empty_room()) || has_open_side(tracer, &places)? {
        return None;
    }
    if is_room && room.is_shell() && !room.is_room_in_a_shell() {
        return room.has_things(CONTENT).then_some(Free { air: in_room, is_room: false, has_outside: true });
    }
    if !is_room {
        return all.has_things(CONTENT).then_some(Free { air: in_skin, is_room, has_outside: true });
    }
    // From inside of furniture no fronts are met but the floor under it.
    let fronts = |seen: &[Met]| directions.iter().zip(seen).filter(|&(&d, met)| is_front(prepared, d, met)).count();
    let free = points.iter().copied().zip(seen.chunks(DIRECTIONS)).filter(|(_, seen)| leaving(seen) <= LEAVE_EYE);
    let free: Vec<(DVec3, usize)> = free.map(|(place, seen)| (place, fronts(seen))).collect();
    let most = free.iter().map(|&(_, fronts)| fronts).max()?;
    let air = free.into_iter().filter(|&(_, fronts)| 2 * fronts >= most).map(|(place, _)| place).collect();
    Some(Free { air, is_room, has_outside: room.is_shell() })
}

/// Counts what the rays from a point hit.
fn count(
    prepared: &Prepared,
    (place, seen): (DVec3, &[Met]),
    directions: &[DVec3],
    up: DVec3,
    diagonal: f64,
) -> Option<Count> {
    // The same lines from outside, and on from what was met: what stands in the room has something behind it that is
    // not yet the outermost surface. Behind the wall of a jar there is only its outside.
    let outside = directions.iter().map(|&d| (place + 2.0 * diagonal * d, -d));
    let onwards = directions.iter().zip(seen).map(|(&d, met)| {
        let t = if met.escapes() { diagonal } else { f64::from(met.t) + 1e-4 * diagonal };
        (place + t * d, d)
    });
    let lines: Vec<_> = outside.chain(onwards).flat_map(|(p, d)| rays(&[p], std::iter::once(d))).collect();
    let met = met(prepared.tracer(), &lines)?;
    let (outer, next) = met.split_at(directions.len());
    let mut count = Count { rays: directions.len(), ..Count::default() };
    for ((&d, first), (outer, next)) in directions.iter().zip(seen).zip(outer.iter().zip(next)) {
        if first.escapes() {
            continue;
        }
        let outermost = 2.0 * diagonal - f64::from(outer.t);
        let second = f64::from(first.t) + f64::from(next.t);
        if !next.escapes() && outermost - second > 1e-3 * diagonal {
            count.hidden += 1;
            count.things += usize::from(is_front(prepared, d, first));
        } else {
            count.walls += 1;
            count.thick += usize::from(!next.escapes());
            let is_shell = !next.escapes() && is_front(prepared, -d, outer);
            count.shells += usize::from(is_shell);
            count.fronts += usize::from(is_front(prepared, d, first));
            let normal = normal(prepared.scene(), first);
            let slope = normal.dot(up).abs() / normal.length();
            let thickness = (outermost - f64::from(first.t)) * normal.dot(d).abs() / normal.length();
            count.thick_shells += usize::from(is_shell && thickness >= WALL * diagonal);
            count.upright += usize::from(!(0.25..=0.97).contains(&slope));
        }
    }
    Some(count)
}

/// Returns `true` if a ray along `d` hits the front of a surface.
fn is_front(prepared: &Prepared, d: DVec3, met: &Met) -> bool {
    !met.escapes() && normal(prepared.scene(), met).dot(d) < 0.0
}

/// Returns `true` if most rays along some axis leave the scene, as in a model that is open on a side (a house without a
/// roof).
fn has_open_side(tracer: &dyn Tracer, places: &[DVec3]) -> Option<bool> {
    for axis in DVec3::AXES {
        for direction in [axis, -axis] {
            let seen = met(tracer, &rays(places, std::iter::once(direction)))?;
            if 2 * seen.iter().filter(|met| met.escapes()).count() > places.len() {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// Returns the direction (not of unit length) in which the front of the hit surface points: by the vertex normals, or
/// else by winding.
fn normal(scene: &Description, met: &Met) -> DVec3 {
    let instance = &scene.instances[met.instance as usize];
    let mesh = &scene.meshes[instance.mesh.index()].triangles;
    let primitive = met.primitive as usize;
    let own = mesh.corners(primitive).map(Vec3::from);
    let world = own.map(|p| Vec3::from(instance.transform.point(p.to_array())).as_dvec3());
    let across = (world[1] - world[0]).cross(world[2] - world[0]);
    // A transform that mirrors turns no surface over.
    let of_axes = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| Vec3::from(instance.transform.point(p.to_array())));
    let [x, y, z] = [1, 2, 3].map(|i| of_axes[i] - of_axes[0]);
    let mirrors = x.cross(y).dot(z) < 0.0;
    let winding = (own[1] - own[0]).cross(own[2] - own[0]);
    let vertex = mesh.indices[primitive][0] as usize;
    let turned = mesh.normals.get(vertex).is_some_and(|&n| winding.dot(Vec3::from(n)) < 0.0);
    if mirrors != turned { -across } else { across }
}

/// Returns the distinct points at eye height above the floor under each of `free`. What has no ceiling has the box's
/// top.
fn eyes(tracer: &dyn Tracer, free: &[DVec3], up: DVec3, bounds: &Aabb) -> Option<Vec<DVec3>> {
    let (right, front) = front(up);
    let level = (0..HEADINGS).map(|number| heading(number, right, front));
    let seen = met(tracer, &rays(free, [up, -up].into_iter().chain(level)))?;
    let apart = 1e-3 * f64::from(bounds.diagonal());
    let corner =
        DVec3::select(up.cmpgt(DVec3::ZERO), bounds.max.map(f64::from).into(), bounds.min.map(f64::from).into());
    // The floor under each place, the height over it, and the middle one of the widths there in heights.
    let mut floors: Vec<(DVec3, f64, f64)> = Vec::new();
    for (&place, seen) in free.iter().zip(seen.chunks(2 + HEADINGS)) {
        let [above, below] = [&seen[0], &seen[1]].map(|met| f64::from(met.t));
        let above = above.min((corner - place).dot(up));
        if below.is_finite() && above > 0.0 {
            let (ahead, behind) = seen[2..].split_at(HEADINGS / 2);
            let width = share_of(ahead.iter().zip(behind).map(|(a, b)| f64::from(a.t + b.t)), 2);
            floors.push((place - below * up, above + below, width / (above + below)));
        }
    }
    let highest = floors.iter().map(|&(_, height, _)| height).fold(0.0, f64::max);
    let low = share_of(floors.iter().map(|&(_, height, _)| height / highest), 4);
    floors.retain(|&(_, height, _)| height >= FREE_HEIGHT * highest);
    let wide = share_of(floors.iter().map(|&(_, _, width)| width), 2) / WIDE;
    let share = (EYE_HEIGHT * wide.min(if low < LOW { low } else { 1.0 })).clamp(LEAST_EYE_HEIGHT, EYE_HEIGHT);
    let mut eyes: Vec<DVec3> = Vec::new();
    for (floor, height, _) in floors {
        let eye = floor + share * height * up;
        if eyes.iter().all(|other| other.distance(eye) > apart) {
            eyes.push(eye);
        }
    }
    Some(eyes)
}

/// Returns the number that one in `one_in` of the given numbers is below; 1 if there are none.
fn share_of(numbers: impl Iterator<Item = f64>, one_in: usize) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / one_in).copied().unwrap_or(1.0)
}

/// Returns the horizontal view direction `number` of those that are tried.
fn heading(number: usize, right: DVec3, front: DVec3) -> DVec3 {
    let (sin, cos) = (std::f64::consts::TAU * number as f64 / HEADINGS as f64).sin_cos();
    sin * right + cos * front
}

/// Finds the eye point, direction and length of the longest free view, by the distance that three quarters of
/// neighbouring rays reach, so that nothing near hides the room. Rays that leave the scene get nowhere.
fn longest_view(tracer: &dyn Tracer, eyes: &[DVec3], up: DVec3) -> Option<(DVec3, DVec3, f64)> {
    let (right, front) = front(up);
    let level = |number: usize| heading(number, right, front);
    let directions: Vec<DVec3> =
        (0..HEADINGS).flat_map(|number| SLOPES.map(|slope| (level(number) + slope * up).normalize())).collect();
    let seen = met(tracer, &rays(eyes, directions.iter().copied()))?;
    let mut best: Option<(DVec3, DVec3, f64)> = None;
    for (&eye, seen) in eyes.iter().zip(seen.chunks(directions.len())) {
        for number in 0..HEADINGS {
            let mut lengths: Vec<f32> = (0..=2 * WIDTH)
                .flat_map(|beside| {
                    let number = (number + beside + HEADINGS - WIDTH) % HEADINGS;
                    (0..SLOPES.len()).map(move |slope| number * SLOPES.len() + slope)
                })
                .map(|ray| if seen[ray].escapes() { 0.0 } else { seen[ray].t })
                .collect();
            lengths.sort_unstable_by(f32::total_cmp);
            let length = f64::from(lengths[lengths.len() / 4]);
            if length > best.map_or(0.0, |(_, _, length)| length) {
                best = Some((eye, level(number), length));
            }
        }
    }
    best
}
