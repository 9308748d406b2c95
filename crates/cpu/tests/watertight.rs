//! No ray slips into or out of a closed mesh, whatever its size and place, with any engine.
//!
//! A small part of what `examples/miss_rates.rs` measures.

use crate::closed::aim::{Tally, Target};
use crate::closed::oriented::oriented;
use crate::closed::{exact, meshes};
use raywarp_cpu::{CpuBoxTest, CpuOptions, CpuTracer, CpuTree, CpuTriangleTest};
use raywarp_geom::{FlatTriangles, Ray};
use raywarp_testing::cases;

#[test]
fn no_ray_slips_through_an_edge_of_a_closed_mesh() {
    let mut total = Tally::default();
    for mesh in meshes::all() {
        for size in [1e-6, 1.0, 1e6] {
            for offset in [0.0, 1e2, 1e4] {
                let target = Target::new(&mesh, size, offset);
                assert!(target.holds_its_middle(), "{}, size {size:e}, offset {offset:e}", mesh.name);
                let triangles = FlatTriangles::from_vertices(target.triangles.clone());
                for (name, tracer) in crate::common::tracers(&triangles) {
                    for inside in [true, false] {
                        let count = cases(if inside { 400 } else { 100 });
                        let tally = target.tally(&tracer, inside, count, size.to_bits().into());
                        let what = (mesh.name, size, offset, inside);
                        assert_eq!(tally.missed, 0, "{what:?}, {name}: {:?}", tally.example);
                        total.add(&tally);
                        let tally = target.tally_bundles(&tracer, inside, count, size.to_bits().into());
                        assert_eq!(tally.missed, 0, "{what:?} in bundles, {name}: {:?}", tally.example);
                        total.add(&tally);
                    }
                }
            }
        }
    }
    assert!(total.rays as usize > cases(100_000) && total.grazed * 100 < total.rays, "{total:?}");
}

#[test]
fn no_ray_slips_out_of_a_placed_mesh_or_between_placed_parts() {
    for (seed, mesh) in (0..).zip(meshes::all()) {
        for (size, offset) in [(1.0, 0.0), (1e-3, 1.0), (1e6, 1e4)] {
            let ways = [Target::turned(&mesh, size, offset, seed), Target::cut(&mesh, size, offset, seed)];
            for (way, (target, tracer)) in ["turned", "cut"].iter().zip(&ways) {
                assert!(target.holds_its_middle(), "{} {way}, size {size:e}, offset {offset:e}", mesh.name);
                for inside in [true, false] {
                    let tally = target.tally(tracer, inside, cases(400), seed);
                    assert_eq!(tally.missed, 0, "{} {way}, {size:e}, {offset:e}: {:?}", mesh.name, tally.example);
                }
            }
        }
    }
}

#[test]
fn no_ray_slips_out_of_a_mesh_that_moves_at_any_time() {
    for (seed, mesh) in (0..).zip(meshes::all()) {
        for (step, (size, offset)) in (0..).zip([(1.0, 0.0), (1e-3, 1.0), (1e6, 1e4)].repeat(3)) {
            let (target, tracer) = Target::moving(&mesh, size, offset, seed << 8 | step);
            assert!(target.holds_its_middle(), "{}, size {size:e}, offset {offset:e}", mesh.name);
            for inside in [true, false] {
                let tally = target.tally(&tracer, inside, cases(200), seed);
                let what = (mesh.name, size, offset, inside, tracer.time);
                assert_eq!(tally.missed, 0, "{what:?}: {:?}", tally.example);
            }
        }
    }
}

#[test]
fn the_papers_tests_do_let_rays_through() {
    let meshes = meshes::all();
    let ball = Target::new(&meshes[0], 1.0, 1e2);
    let triangles = FlatTriangles::from_vertices(ball.triangles.clone());
    for test in [CpuTriangleTest::Woop, CpuTriangleTest::MoellerTrumbore] {
        let options = CpuOptions { engine: CpuTree::Bvh2(test), boxes: CpuBoxTest::Plain, ..CpuOptions::default() };
        let tracer = CpuTracer::with_options(&crate::common::tree(&triangles, 4), &triangles, &options).unwrap();
        let tally = ball.tally(&tracer, true, 50_000, 1);
        assert!(tally.missed > 0, "{test:?} misses nothing: does the harness see misses?");
    }
}

#[test]
fn exact_signs_survive_what_f64_cannot_tell() {
    let origin = [0.1f32, 0.2, 0.3];
    let (a, d) = ([1.1f32, 0.7, -0.4], [1.0f32, 3.0, 5.0]);
    let ray = Ray::new(origin, d);
    // A point exactly on the line, in steps that f32 holds, and its neighbours.
    let base = Ray::new([0.5, 0.25, 0.125], d);
    let on_line = [0.5 + 4.0, 0.25 + 12.0, 0.125 + 20.0];
    assert_eq!(exact::side(&base, &a, &on_line), 0);
    let mut beside = on_line;
    beside[0] = f32::next_up(beside[0]);
    let up = exact::side(&base, &a, &beside);
    beside[0] = on_line[0].next_down();
    assert_eq!((up.abs(), exact::side(&base, &a, &beside)), (1, -up));
    // Swapped ends have the other sign, always.
    let mut p = a;
    for i in 0..1000 {
        p = [p[1] + 0.013, p[2] - 0.007 * i as f32, p[0] * 0.99];
        assert_eq!(exact::side(&ray, &a, &p), -exact::side(&ray, &p, &a));
    }
    // Tiny beside huge: f64 differences would swallow the tiny one.
    let [o, x, y] = [[0.0; 3], [1.0f32, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(raywarp_geom::exact::orientation(&o, &x, &y, &[1e30, 1e30, 1e-30]), 1);
    assert_eq!(
        raywarp_geom::exact::orientation(&[1e30, 0.0, 0.0], &x, &y, &[1e30, 1e30, -1e-30]),
        raywarp_geom::exact::orientation(&[1e30, 0.0, 0.0], &y, &[1e30, 1e30, -1e-30], &x)
    );
}

#[test]
fn exact_crossings_tell_inside_from_outside() {
    for mesh in meshes::all() {
        assert_eq!(exact::is_inside(&mesh.triangles, [3.0, 0.1, 0.2]), Some(false), "{}", mesh.name);
        let middle: [f32; 3] = if mesh.name == "torus" { [0.7, 0.01, 0.02] } else { [0.01, 0.0, 0.0] };
        assert_eq!(exact::is_inside(&mesh.triangles, middle.map(f64::from)), Some(true), "{}", mesh.name);
        let all = oriented(&mesh.triangles);
        let number = exact::winding(&all, &middle).unwrap();
        assert_eq!((number.abs(), exact::winding(&all, &[3.0, 0.1, 0.2])), (1, Some(0)), "{}", mesh.name);
        let turned = all.iter().map(|&[a, b, c]| [a, c, b]).collect::<Vec<_>>();
        assert_eq!(exact::winding(&turned, &middle), Some(-number), "{}", mesh.name);
        assert_eq!(exact::winding(&[&all[..], &all].concat(), &middle), Some(2 * number), "{}", mesh.name);
        assert_eq!(exact::winding(&all, &all[0][0]), None, "{}", mesh.name);
    }
    let torus = &meshes::all()[2];
    assert_eq!(exact::is_inside(&torus.triangles, [0.0; 3]), Some(false));
}
