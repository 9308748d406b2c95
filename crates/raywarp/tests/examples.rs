//! The examples, run: what each prints; and the bench, which asks each question once.
#![allow(clippy::duplicate_mod, reason = "each example has the meshes that it needs")]

#[path = "../examples/custom_shapes.rs"]
mod custom_shapes;
#[path = "../examples/distance_grid.rs"]
mod distance_grid;
#[path = "../examples/lidar.rs"]
mod lidar;
#[path = "../examples/line_of_sight.rs"]
mod line_of_sight;
#[path = "../examples/pick.rs"]
mod pick;
#[path = "../examples/point_in_mesh.rs"]
mod point_in_mesh;
#[path = "../benches/queries.rs"]
mod queries;
#[path = "../examples/robot.rs"]
mod robot;
#[path = "../examples/spheres.rs"]
mod spheres;
#[path = "../examples/sun_hours.rs"]
mod sun_hours;
#[path = "../examples/vertex_occlusion.rs"]
mod vertex_occlusion;

/// Checks what an example printed against its file in `tests/printed`; with RAYWARP_REWRITE_PRINTED=1 writes that.
#[track_caller]
fn check<E: std::fmt::Debug>(name: &str, printed: Result<String, E>) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/printed").join(format!("{name}.txt"));
    let printed = printed.unwrap();
    if std::env::var_os("RAYWARP_REWRITE_PRINTED").is_some() {
        std::fs::write(&file, &printed).unwrap();
    }
    assert_eq!(printed, std::fs::read_to_string(&file).unwrap(), "{}", file.display());
}

#[test]
fn a_capsule_hills_and_a_torus_are_drawn_without_triangles() {
    check("custom_shapes", custom_shapes::run());
}

#[test]
fn distances_are_negative_inside() {
    check("distance_grid", distance_grid::run());
}

#[test]
fn an_arm_turns_until_it_touches() {
    check("robot", robot::run());
}

#[test]
fn a_lidar_and_a_depth_camera_see_a_ball_in_a_room() {
    check("lidar", lidar::run());
}

#[test]
fn masts_see_each_other_over_hills() {
    check("line_of_sight", line_of_sight::run());
}

#[test]
fn what_is_under_the_mouse_is_named() {
    check("pick", pick::run());
}

#[test]
fn points_in_solids_are_told_from_those_in_a_cavity() {
    check("point_in_mesh", point_in_mesh::run());
}

#[test]
fn spheres_are_drawn_without_triangles() {
    check("spheres", spheres::run());
}

#[test]
fn a_front_has_its_hours_of_sun() {
    check("sun_hours", sun_hours::run());
}

#[test]
fn vertices_have_their_ambient_occlusion() {
    check("vertex_occlusion", vertex_occlusion::run());
}

#[test]
fn the_bench_asks_every_question_or_those_that_are_wanted() {
    let all = queries::run(&[]).unwrap();
    let mut names = all.clone();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all.len(), "two lines of one name: {all:?}");
    for question in ["build", "load", "closest", "any", "all", "nearest", "contains", "overlaps", "refit", "move"] {
        let wanted = queries::run(&[question.to_string(), "--nocapture".to_string()]).unwrap();
        assert!(!wanted.is_empty() && wanted.len() < all.len(), "{question}: {wanted:?}");
        assert!(wanted.iter().all(|name| name.contains(question)), "{question}: {wanted:?}");
    }
    assert!(queries::run(&["--bench".to_string(), "no such line".to_string()]).is_err());
}
