//! Scenes that a program builds and edits: whatever it is given, each question has the answer that all triangles give
//! one by one, without a tree, and the same one in two levels. Custom geometry, which they cannot give, is left out of
//! that comparison, by filters.
#![no_main]

use raywarp::{
    Aabb, Affine, Affine64, Control, Crossings, Filter, Geometry, GeometryHit, GeometryId, InstanceId, Levels, Nearest,
    Ray, Ray64, Scene, SceneFileError, SceneOptions, SurfaceHit,
};
use raywarp_geom::triangle::Watertight;
use std::ops::ControlFlow;
use std::sync::Arc;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut source = Source(bytes);
    let mut model = Model::new(&mut source);
    let [one, two] = [Levels::One, Levels::Two].map(|levels| model.built(levels));
    let [Some(one), Some(two)] = [one, two] else { return };
    check(&mut source, &model, &one.scene, &reloaded(&two.scene));
    let first = if source.below(2) == 0 { one } else { two };
    let Some(edited) = model.edited(&mut source, first) else { return };
    // With an origin each mesh is relative to a point of its own, for which a build may take another.
    if let Some(built) = model.built(Levels::One)
        && [edited.origin(), built.scene.origin()] == [[0.0; 3]; 2]
    {
        check(&mut source, &model, &built.scene, &reloaded(&edited));
    }
});

/// Returns a scene as it is loaded after it was saved, if it can be.
fn reloaded(scene: &Scene) -> Scene {
    let mut bytes = Vec::new();
    match scene.save_to(&mut bytes) {
        Ok(()) => Scene::load_from(&mut &bytes[..]).expect("it was saved"),
        Err(SceneFileError::Custom { .. }) => scene.clone(),
        Err(error) => panic!("{error}"),
    }
}

/// Numbers from the fuzzer's bytes; zeros behind their end.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.0.split_off_first().copied().unwrap_or(0))
    }

    fn below(&mut self, count: usize) -> usize {
        usize::from(self.bytes::<1>()[0]) % count
    }

    /// Returns a coordinate: mostly of a small lattice, so that edges and corners meet, or any float at all.
    fn number(&mut self) -> f32 {
        match self.below(16) {
            0 => f32::from_le_bytes(self.bytes()),
            1 => f32::from(i16::from_le_bytes(self.bytes())) / 4096.0,
            2 => f32::from(i16::from_le_bytes(self.bytes())) * 2f32.powi(self.below(200) as i32 - 100),
            _ => self.below(9) as f32 / 2.0 - 2.0,
        }
    }

    fn point(&mut self) -> [f32; 3] {
        [(); 3].map(|()| self.number())
    }

    fn map(&mut self) -> Affine64 {
        let place = Affine64::translation(self.point().map(f64::from));
        match self.below(6) {
            0 => Affine64::IDENTITY,
            1 => place,
            2 => place.after(&Affine64::scale(self.point().map(f64::from))),
            3 => place.after(&Affine64::scale([1.0, 1.0, 1e-16])),
            4 => Affine64 { rows: [(); 3].map(|()| [(); 4].map(|()| f64::from(self.number()))) },
            _ => place.after(&Affine64::rotation(f64::from(self.number()) * 45.0, [1.0, 2.0, 3.0])),
        }
    }
}

/// Boxes that are hit on the side from which a ray comes.
struct Boxes(Vec<Aabb>);

impl Geometry for Boxes {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bounds(&self, primitive: u32) -> Aabb {
        self.0[primitive as usize]
    }

    fn intersect(&self, primitive: u32, ray: &Ray) -> Option<GeometryHit> {
        let Aabb { min, max } = self.0[primitive as usize];
        let (mut t, mut end) = (ray.t_min, ray.t_max);
        for i in 0..3 {
            let [a, b] = [min[i], max[i]].map(|plane| (plane - ray.origin[i]) / ray.direction[i]);
            (t, end) = (t.max(a.min(b)), end.min(a.max(b)));
        }
        (t <= end).then_some(GeometryHit { t, u: 0.0, v: 0.0, is_front: true })
    }

    fn nearest(&self, primitive: u32, point: [f64; 3], to_world: &Affine64) -> Option<[f64; 3]> {
        let center = self.0[primitive as usize].center().map(f64::from);
        point.iter().all(|x| x.is_finite()).then(|| to_world.point(center))
    }
}

/// Part of a scene.
#[derive(Clone)]
enum Part {
    Mesh(Vec<[f32; 3]>, Vec<[u32; 3]>),
    Custom(Arc<Boxes>),
}

/// Placement of a part.
#[derive(Clone, Copy)]
struct Place {
    part: usize,
    maps: [Affine64; 2],
    moves: bool,
    mask: u32,
    user: u32,
}

/// What a scene should be, in plain lists.
struct Model {
    parts: Vec<Part>,
    places: Vec<Place>,
}

/// Scene with the names of its parts and placements.
struct Built {
    scene: Scene,
    parts: Vec<GeometryId>,
    places: Vec<InstanceId>,
}

/// Triangle in the world.
struct Triangle {
    corners: [[f32; 3]; 3],
    is_mirrored: bool,
    mask: u32,
    /// What its hits tell, without a `t`.
    hit: SurfaceHit,
}

impl Part {
    fn mesh(source: &mut Source<'_>) -> Self {
        let positions: Vec<_> = (0..3 + source.below(6)).map(|_| source.point()).collect();
        let count = positions.len();
        let indices = (0..source.below(13)).map(|_| [(); 3].map(|()| source.below(count) as u32)).collect();
        Self::Mesh(positions, indices)
    }

    fn new(source: &mut Source<'_>) -> Self {
        if source.below(8) != 0 {
            return Self::mesh(source);
        }
        let boxes = (0..source.below(4)).map(|_| Aabb::of_points(&[source.point(), source.point()]));
        Self::Custom(Arc::new(Boxes(boxes.collect())))
    }
}

impl Place {
    fn new(source: &mut Source<'_>, parts: usize) -> Self {
        let maps = [source.map(), source.map()];
        let [part, moves, mask, user] = [parts, 3, 4, 256].map(|count| source.below(count));
        Self { part, maps, moves: moves == 0, mask: mask as u32, user: user as u32 }
    }
}

impl Model {
    fn new(source: &mut Source<'_>) -> Self {
        let parts: Vec<Part> = (0..1 + source.below(3)).map(|_| Part::new(source)).collect();
        let places = (0..1 + source.below(5)).map(|_| Place::new(source, parts.len())).collect();
        Self { parts, places }
    }

    /// Builds the scene; `None` if that is an error.
    fn built(&self, levels: Levels) -> Option<Built> {
        let mut builder = Scene::builder();
        let parts = self.parts.iter().map(|part| match part {
            Part::Mesh(positions, indices) => builder.mesh(positions, indices),
            Part::Custom(boxes) => builder.custom(boxes.clone()),
        });
        let parts: Vec<GeometryId> = parts.collect();
        let place = |&Place { part, maps, moves, mask, user }: &Place| match moves {
            true => builder.moving(parts[part], maps, mask, user),
            false => builder.instance(parts[part], maps[0], mask, user),
        };
        let places = self.places.iter().map(place).collect();
        let options = SceneOptions { levels, ..SceneOptions::default() };
        let scene = builder.build(&options, &Control::default()).ok()?;
        Some(Built { scene, parts, places })
    }

    /// Edits the scene that was built of this, and this alike; `None` if that is an error.
    fn edited(&mut self, source: &mut Source<'_>, built: Built) -> Option<Scene> {
        let Built { scene, mut parts, places } = built;
        let mut places: Vec<_> = self.places.iter().copied().zip(places).collect();
        let mut edit = if source.below(2) == 0 { scene.edit() } else { scene.into_edit() };
        let meshes = [(); 2].map(|()| Part::mesh(source));
        for (mesh, at) in meshes.iter().zip([source.below(parts.len()), parts.len()]) {
            let Part::Mesh(positions, indices) = mesh else { continue };
            match self.parts.get_mut(at) {
                Some(part @ Part::Mesh(..)) => {
                    edit.set_mesh(parts[at], positions, indices);
                    *part = mesh.clone();
                }
                Some(Part::Custom(_)) => {}
                None => {
                    parts.push(edit.mesh(positions, indices));
                    self.parts.push(mesh.clone());
                }
            }
        }
        for _ in 0..source.below(4) {
            let new = Place::new(source, parts.len());
            match (source.below(4), places.len()) {
                (0, 1..) => edit.remove_instance(places.remove(source.below(places.len())).1),
                (1, 1..) => {
                    let at = source.below(places.len());
                    let (place, id) = &mut places[at];
                    *place = Place { part: place.part, ..new };
                    match new.moves {
                        true => edit.set_motion(*id, new.maps),
                        false => edit.set_transform(*id, new.maps[0]),
                    }
                    edit.set_mask(*id, new.mask);
                    edit.set_user(*id, new.user);
                }
                _ => {
                    let id = match new.moves {
                        true => edit.moving(parts[new.part], new.maps, new.mask, new.user),
                        false => edit.instance(parts[new.part], new.maps[0], new.mask, new.user),
                    };
                    places.push((new, id));
                }
            }
        }
        let edited = edit.commit(&Control::default()).ok()?;
        assert!((0..).zip(&places).all(|(number, place)| edited.instance_id(number) == Some(place.1)));
        self.places = places.iter().map(|(place, _)| *place).collect();
        Some(edited)
    }

    /// Returns all triangles where they are at a time.
    fn triangles(&self, time: f32) -> Vec<Triangle> {
        let mut all = Vec::new();
        for (instance, place) in (0..).zip(&self.places) {
            let Part::Mesh(positions, indices) = &self.parts[place.part] else { continue };
            let [start, end] = place.maps.map(|map| map.rounded());
            let map = if place.moves { start.between(&end, time) } else { start };
            if place.moves && !is_seen(&map) {
                continue;
            }
            for (primitive, corners) in (0..).zip(indices) {
                let corner = |index: u32| match map == Affine::IDENTITY {
                    true => positions[index as usize],
                    false => map.point(positions[index as usize]),
                };
                let hit = SurfaceHit { t: 0.0, u: 0.0, v: 0.0, instance, primitive, user: place.user };
                let is_mirrored = Affine64::from(&map).determinant() < 0.0;
                all.push(Triangle { corners: corners.map(corner), is_mirrored, mask: place.mask, hit });
            }
        }
        all
    }
}

/// Returns whether a scene takes something that stands still by a map.
fn is_seen(map: &Affine) -> bool {
    let mut builder = Scene::builder();
    let mesh = builder.mesh(&[[0.0f32; 3]; 3], &[[0, 1, 2]]);
    builder.instance(mesh, Affine64::from(map), u32::MAX, 0);
    builder.build(&SceneOptions::default(), &Control::default()).is_ok()
}

/// Asks two scenes that should be the model.
fn check(source: &mut Source<'_>, model: &Model, one: &Scene, two: &Scene) {
    assert_eq!(one.instance_count(), two.instance_count());
    assert_eq!((one.origin(), one.closed()), (two.origin(), two.closed()));
    let time = [0.0, 0.25, 0.5, 1.0, source.number()][source.below(5)];
    let triangles = model.triangles(time);
    // Others are at infinity for some rays.
    let is_near = |p: &[f32; 3]| p.iter().all(|x| x.abs() < 1e38);
    let are_known = one.origin() == [0.0; 3] && triangles.iter().all(|triangle| triangle.corners.iter().all(is_near));
    let is_custom: Vec<bool> =
        model.places.iter().map(|place| matches!(model.parts[place.part], Part::Custom(_))).collect();
    let mut rays = Vec::new();
    for _ in 0..4 {
        let from = source.point();
        let to = match triangles.len() {
            0 => source.point(),
            count => triangles[source.below(count)].corners[source.below(3)],
        };
        let direction = match source.below(3) {
            0 => source.point(),
            1 => std::array::from_fn(|i| to[i] - from[i]),
            _ => [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]][source.below(3)],
        };
        let ray = match source.below(4) {
            0 => Ray::new(from, direction).with_interval(source.number(), source.number()),
            _ => Ray::new(from, direction),
        };
        rays.push(ray);
        let mask = [u32::MAX, 1, 2][source.below(3)];
        let skip = (source.below(4) as u32, source.below(4) as u32);
        let part = [1.0, 0.5][source.below(2)];
        let accept = |hit: &SurfaceHit| !is_custom[hit.instance as usize] && hit.u <= part;
        let filter = Filter::new().mask(mask).skip(skip.0, skip.1).time(time).accept(&accept);
        let mut want = Vec::new();
        let mut crossings = Crossings::default();
        if ray.is_valid() {
            let test = Watertight::new(&ray);
            for triangle in &triangles {
                let Some([t, u, v]) = test.test(&triangle.corners) else { continue };
                let hit = SurfaceHit { t, u: u + 0.0, v: v + 0.0, ..triangle.hit };
                let counts = (mask == u32::MAX || mask & triangle.mask != 0)
                    && skip != (hit.instance, hit.primitive)
                    && accept(&hit);
                if !counts || !(ray.t_min <= t && t <= ray.t_max) {
                    continue;
                }
                want.push(hit);
                if let (Some(is_front), true) = (test.crosses(&triangle.corners), t < ray.t_max) {
                    *if is_front == triangle.is_mirrored { &mut crossings.back } else { &mut crossings.front } += 1;
                }
            }
        }
        let key = |hit: &SurfaceHit| (hit.instance, hit.primitive);
        want.sort_by(|a, b| a.t.partial_cmp(&b.t).unwrap().then(key(a).cmp(&key(b))));
        let wide = Ray64::new(ray.origin.map(f64::from), ray.direction.map(f64::from));
        let answers = [one, two].map(|scene| {
            let filtered = scene.with(filter);
            let (mut all, closest) = (Vec::new(), filtered.closest(&ray));
            filtered.all_into(&ray, &mut all);
            assert_eq!((filtered.any(&ray), all.first().map(key)), (closest.is_some(), closest.as_ref().map(key)));
            if are_known && is_near(&ray.origin) {
                assert_eq!((&all, closest), (&want, want.first().copied()), "{ray:?}");
                assert_eq!(filtered.crossings(&ray), crossings, "{ray:?}");
            }
            (all, scene.all(&ray).collect::<Vec<_>>(), filtered.closest(&wide), filtered.crossings(&ray))
        });
        assert_eq!(answers[0], answers[1], "{ray:?}");
        check_point(from, (&triangles, are_known && is_near(&from)), [one, two], (time, &is_custom));
    }
    for scene in [one, two] {
        let rays: Vec<Ray> = rays.iter().copied().cycle().take(21).collect();
        let mut hits = vec![None; rays.len()];
        scene.closest_batch(&rays, &mut hits, &Control::default()).unwrap();
        assert_eq!(hits, rays.iter().map(|ray| scene.closest(ray)).collect::<Vec<_>>());
        let points: Vec<[f32; 3]> = rays.iter().map(|ray| ray.origin).collect();
        let (mut inside, mut distances) = (vec![false; points.len()], vec![0.0; points.len()]);
        let is_closed = scene.contains_batch(&points, &mut inside, &Control::default()).is_ok();
        assert_eq!(is_closed, scene.is_closed());
        if is_closed {
            scene.signed_distance_batch(&points, &mut distances, &Control::default()).unwrap();
            for ((&point, is_inside), distance) in points.iter().zip(inside).zip(distances) {
                assert_eq!(scene.contains(point), Ok(is_inside));
                assert_eq!(scene.signed_distance(point).unwrap().to_bits(), distance.to_bits(), "{point:?}");
            }
        }
    }
}

/// Asks two scenes what is near a point, and what touches a box around it.
fn check_point(
    point: [f32; 3],
    (triangles, are_known): (&[Triangle], bool),
    scenes: [&Scene; 2],
    (time, is_custom): (f32, &[bool]),
) {
    let accept = |hit: &SurfaceHit| !is_custom[hit.instance as usize];
    let filter = Filter::new().time(time).accept(&accept);
    let around = Aabb { min: point.map(|x| x - 0.5), max: point.map(|x| x + 0.5) };
    let answers = scenes.map(|scene| {
        let nearest = scene.with(filter).nearest(point, f32::INFINITY);
        let mut touching = Vec::new();
        let _ = scene.with(filter).overlaps(&around, |id| {
            touching.push((id.instance, id.primitive));
            ControlFlow::Continue(())
        });
        touching.sort_unstable();
        let signed = scene.signed_distance_by_winding(point);
        assert!(
            signed.is_nan()
                || signed.abs() == scene.nearest(point, f32::INFINITY).map_or(f32::INFINITY, |n| n.distance)
        );
        (nearest, touching, scene.contains(point), scene.signed_distance(point).map(f32::to_bits))
    });
    assert_eq!(answers[0], answers[1], "{point:?}");
    if !are_known {
        return;
    }
    let (nearest, touching, ..) = &answers[0];
    let holds = |p: &[f32; 3]| (0..3).all(|i| around.min[i] <= p[i] && p[i] <= around.max[i]);
    for triangle in triangles {
        let id = (triangle.hit.instance, triangle.hit.primitive);
        assert!(touching.contains(&id) || !triangle.corners.iter().any(holds), "{id:?} at {point:?}");
    }
    // No corner and no middle of an edge is nearer than what is nearest.
    let apart = |p: [f64; 3]| std::array::from_fn::<_, 3, _>(|i| (p[i] - f64::from(point[i])).abs());
    for [a, b, c] in triangles.iter().map(|triangle| triangle.corners.map(|corner| corner.map(f64::from))) {
        let middle = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|i| 0.5 * (a[i] + b[i]));
        let reach = [a, b, c].into_iter().flat_map(apart).fold(0.0, f64::max);
        for place in [a, b, c, middle(a, b), middle(b, c), middle(c, a)] {
            let Some(Nearest { distance, .. }) = nearest else { panic!("nothing is near {point:?}, but {place:?}") };
            // Distances are rounded to f32, and exact but for 2^-46 of the reach.
            let limit = apart(place).map(|x| x * x).iter().sum::<f64>().sqrt() * (1.0 + 1e-7) + reach * 2f64.powi(-46);
            assert!(f64::from(*distance) <= limit + 1e-44, "{distance} from {point:?} to {place:?}");
        }
    }
}
