use super::*;
use crate::fuzz;
use crate::kernel::Kernel;
use raywarp_bvh::{BuildOptions, build};
use raywarp_family::{Query, Variant};
use raywarp_geom::{FlatTriangles, Ray};
use raywarp_testing::Random;

/// Triangles in a cube, and rays from everywhere to everywhere, one of which is none.
fn scene() -> (FlatTriangles, Vec<Ray>) {
    let mut random = Random::new(7);
    let mut point = move || random.point();
    let near = |p: [f32; 3], q: [f32; 3]| std::array::from_fn(|i| p[i] + 0.2 * q[i]);
    let triangles = (0..300).map(|_| {
        let place = point();
        [near(place, point()), near(place, point()), near(place, point())]
    });
    let triangles = FlatTriangles::from_vertices(triangles.collect());
    let mut random = Random::new(8);
    let mut point = move || random.point();
    let mut rays: Vec<Ray> = (0..5000).map(|_| Ray::new(point(), point())).collect();
    rays[17] = Ray::new([0.0; 3], [f32::NAN, 0.0, 0.0]);
    (triangles, rays)
}

fn recorded(walk: &str, query: Query, rays: usize) -> NamedDump {
    let (triangles, all) = scene();
    let variant: Variant = walk.parse().unwrap();
    let bvh = build(&triangles, &BuildOptions { max_leaf: 4, ..BuildOptions::default() }).unwrap();
    let kernel = Kernel::new(&variant, &bvh, &triangles).unwrap();
    NamedDump { name: "some rays".into(), dump: RayDump::record(&kernel, &all[..rays], &[], query).unwrap() }
}

fn written(launches: &[NamedDump]) -> String {
    let mut text = Vec::new();
    write_operations(launches, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

const WALKS: [&str; 4] = [
    "direct/while-while/bvh2",
    "direct/while-while/bvh2?fetch=needed",
    "direct/while-while/wide4",
    "direct/while-while/qbvh4",
];

#[test]
fn what_is_written_is_read_again_operation_for_operation() {
    let mut launches = Vec::new();
    for walk in WALKS {
        launches.extend(Query::ALL.map(|query| recorded(walk, query, if walk == WALKS[0] { 5000 } else { 100 })));
    }
    let text = written(&launches);
    let read = read_operations(&text).unwrap();
    assert_eq!(read.len(), launches.len());
    for (read, launch) in read.iter().zip(&launches) {
        assert_eq!((read.name.as_str(), read.dump.ray_count()), ("some_rays", launch.dump.ray_count()));
        assert_eq!((read.dump.walk(), read.dump.query()), (launch.dump.walk(), launch.dump.query()));
        for ray in 0..launch.dump.ray_count() {
            assert!(read.dump.codes(ray).eq(launch.dump.codes(ray)), "ray {ray}");
        }
        // As much room as rays need, and no more than the tree says.
        assert!(read.dump.stack_depth > 2 && read.dump.stack_depth <= launch.dump.stack_depth);
    }
    // The ray that is none does nothing.
    assert_eq!(text.lines().nth(2 + 17), Some("-"));
    assert_eq!(written(&read), text);
}

/// The fault of a file of one launch with these lines, with its place.
fn fault(launch: &str, rays: &str) -> (usize, usize, OperationsFault) {
    let error = read_operations(&format!("raywarp-operations 1\n# By hand.\n\n{launch}\n{rays}\n")).unwrap_err();
    assert_eq!(error.to_string().lines().count(), 1, "{error}");
    (error.line, error.column, error.fault)
}

#[test]
fn what_is_no_walk_of_a_ray_is_refused_with_its_place() {
    let of = |ray: &str| fault("launch a closest direct/while-while/bvh2", ray);
    let ray = |column: usize, fault: RayFault| (5, column, OperationsFault::Ray(fault));
    assert_eq!(of("+"), ray(1, RayFault::NothingBefore));
    assert_eq!(of(".v"), ray(1, RayFault::NothingBefore));
    assert_eq!(of("v++"), ray(3, RayFault::Pushes { children: 2 }));
    assert_eq!(of("t++"), ray(3, RayFault::Marks { most: 1 }));
    assert_eq!(of("v+."), ray(3, RayFault::PopAfterPush));
    assert_eq!(of("v+tv"), ray(4, RayFault::VisitInLeaf));
    assert_eq!(of("v.v"), ray(3, RayFault::AfterTheEnd));
    assert_eq!(of("v+v"), ray(3, RayFault::Unfinished { entries: 1 }));
    assert_eq!(of("v+t+"), ray(4, RayFault::Unfinished { entries: 1 }));
    assert_eq!(of("v.\nvx"), (6, 2, OperationsFault::Letter { found: 'x' }));
    assert_eq!(of("-v"), (5, 1, OperationsFault::Letter { found: '-' }));
    let deep = (5, 2 * 65_537, OperationsFault::Ray(RayFault::Deep));
    assert_eq!(of(&"v+".repeat(70_000)), deep);
    // A hit ends a ray that asks for any.
    let any = "raywarp-operations 1\nlaunch a any direct/while-while/bvh2\nv+t+\nv+t.t.\n";
    assert_eq!(read_operations(any).unwrap()[0].dump.ray_count(), 2);
}

#[test]
fn what_is_no_launch_is_refused_with_its_line() {
    let of = |launch: &str| fault(launch, "v.");
    for words in [" a closest", "", "a closest direct/while-while/bvh2", " a closest direct/while-while/bvh2 b"] {
        assert_eq!(of(&format!("launch{words}")), (4, 0, OperationsFault::Launch));
    }
    assert_eq!(of("launch a some direct/while-while/bvh2"), (4, 0, OperationsFault::Query { found: "some".into() }));
    let long = format!("launch {} any direct/while-while/bvh2", "n".repeat(70_000));
    assert_eq!(of(&long), (4, 0, OperationsFault::LongName { found: 70_000 }));
    assert!(matches!(of("launch a any direct/while-while/oak"), (4, 0, OperationsFault::Variant(_))));
    assert!(matches!(of("launch a any replace/phased/h8"), (4, 0, OperationsFault::NoDump(_))));
    let [found, walk] = ["queue/if-if/bvh2", "direct/while-while/bvh2"].map(|text| text.parse().unwrap());
    assert_eq!(of("launch a any queue/if-if/bvh2"), (4, 0, OperationsFault::OtherWalk { found, walk }));
    assert_eq!(of("v."), (4, 0, OperationsFault::NoLaunch));
    for (text, expected) in [
        ("", OperationsFault::Magic),
        ("v.\n", OperationsFault::Magic),
        ("raywarp-operations 2\n", OperationsFault::Version { found: "2".into() }),
        ("raywarp-operations 1\n# nothing\n", OperationsFault::Empty),
    ] {
        assert_eq!(read_operations(text).map(drop), Err(OperationsError { line: 1, column: 0, fault: expected }));
    }
    // A launch may be empty, but not all of them; a mark of the byte order may stand first.
    let launch = "launch a any direct/while-while/bvh2\n";
    let empty = read_operations(&format!("raywarp-operations 1\n{launch}"));
    assert_eq!(empty.map(drop), Err(OperationsError { line: 2, column: 0, fault: OperationsFault::NoRay }));
    // Lines may end as on Windows, but not as on a Mac of old, where all would be one line or a comment.
    let good = format!("raywarp-operations 1\n# rays\n{launch}v.\n-\n");
    let read = read_operations(&good.replace('\n', "\r\n")).map(|launches| launches[0].dump.ray_count());
    assert_eq!(read, Ok(2));
    for (text, line) in [(good.replace('\n', "\r"), 1), (good.replace("rays\n", "rays\r"), 2), (good + "v.\rv.\n", 6)] {
        let fault = OperationsFault::CarriageReturn;
        assert_eq!(read_operations(&text).map(drop), Err(OperationsError { line, column: 0, fault }), "{text:?}");
    }
    let marked = format!("\u{feff}raywarp-operations 1\n{launch}{launch}v.\n");
    assert_eq!(read_operations(&marked).map(|launches| launches.len()), Ok(2));
}

/// Changes letters of a file at random. Whatever is still read can be replayed by any loop, to its end.
#[test]
fn a_damaged_file_is_refused_or_replayed_and_never_panics() {
    let mut random = Random::new(11);
    let mut draw = move |count: usize| random.integer() as usize % count;
    let (mut read, mut refused) = (0, 0);
    for walk in WALKS {
        for query in Query::ALL {
            let text = written(&[recorded(walk, query, 6)]);
            for _ in 0..60 {
                let mut bytes = text.clone().into_bytes();
                for _ in 0..=draw(3) {
                    let at = draw(bytes.len());
                    match draw(3) {
                        0 => drop(bytes.remove(at)),
                        1 => bytes.insert(at, b"vt+.-\n#"[draw(7)]),
                        _ => bytes[at] = b"vt+.-\n#"[draw(7)],
                    }
                }
                match read_operations(&String::from_utf8_lossy(&bytes)) {
                    Ok(launches) => {
                        read += 1;
                        let is_replayed = |launch: &NamedDump| fuzz::replay(&launch.dump) == fuzz::LOOPS.len();
                        assert!(launches.iter().all(is_replayed));
                    }
                    Err(_) => refused += 1,
                }
                fuzz::operations(&bytes);
            }
        }
    }
    assert!(read > 20 && refused > 100, "{read} {refused}");
}
