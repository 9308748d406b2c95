//! Comparing what lanes did.

use raywarp_cuda_emulation::Logs;
use raywarp_family::Block;
use std::collections::BTreeMap;

/// Events shown before the first that differs.
const CONTEXT: usize = 4;

/// The first difference between warps: a lane's events, or a vote's lanes. Warps without rays are left out.
pub fn warps_differ(got: &Logs, want: &Logs) -> Option<String> {
    for (warp, (got, want)) in got.votes.iter().zip(&want.votes).enumerate() {
        if got != want {
            let at = got.iter().zip(want).position(|(a, b)| a != b).unwrap_or(got.len().min(want.len()));
            return Some(format!("warp {warp}: vote {at}: {:x?}, Rust says {:x?}", got.get(at), want.get(at)));
        }
    }
    for (warp, got) in got.lanes.iter().enumerate() {
        let none = std::array::from_fn(|_| Vec::new());
        let has_rays = want.lanes.get(warp);
        let want = has_rays.unwrap_or(&none);
        for lane in 0..32 {
            let fault = match has_rays {
                Some(_) => events_differ(&got[lane], &want[lane]),
                None => got[lane].iter().any(|&e| Logs::parts(e).0 == Block::FetchRay).then(|| "has a ray".to_string()),
            };
            if let Some(fault) = fault {
                return Some(format!("warp {warp}, lane {lane}: {fault}"));
            }
        }
    }
    (got.lanes.len() < want.lanes.len()).then(|| format!("{} warps of {}", got.lanes.len(), want.lanes.len()))
}

/// The first difference between what rays did, whichever lanes they were in. Events of the whole warp are left out.
pub fn rays_differ(got: &Logs, want: &Logs, lanes_per_ray: u32) -> Option<String> {
    let (got, want) = (by_ray(got, lanes_per_ray), by_ray(want, lanes_per_ray));
    if got.len() != want.len() {
        return Some(format!("{} rays were traced, not {}", got.len(), want.len()));
    }
    want.iter().find_map(|(&(ray, lane), want)| {
        let Some(got) = got.get(&(ray, lane)) else { return Some(format!("ray {ray} was not traced")) };
        events_differ(got, want).map(|fault| format!("ray {ray}: {fault}"))
    })
}

/// For each ray, and for each of its lanes, the events from its fetch on.
fn by_ray(logs: &Logs, lanes_per_ray: u32) -> BTreeMap<(u32, u32), Vec<u32>> {
    let mut rays: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for (lane, log) in logs.lanes.iter().flat_map(|lanes| lanes.iter().enumerate()) {
        let mut events: Option<&mut Vec<u32>> = None;
        for &event in log {
            match Logs::parts(event) {
                (
                    Block::Vote
                    | Block::Ballot
                    | Block::PrefixSum
                    | Block::Iteration
                    | Block::LeafIteration
                    | Block::FetchBatch,
                    _,
                ) => continue,
                (Block::FetchRay, ray) => events = Some(rays.entry((ray, lane as u32 % lanes_per_ray)).or_default()),
                _ => {}
            }
            if let Some(events) = &mut events {
                events.push(event);
            }
        }
    }
    rays
}

/// The first difference of two lanes' events. Where Rust names no record, any will do.
fn events_differ(got: &[u32], want: &[u32]) -> Option<String> {
    let same = |(got, want): (&u32, &u32)| {
        let (got, want) = (Logs::parts(*got), Logs::parts(*want));
        got == want || (got.0 == want.0 && want.1 == Logs::NO_RECORD)
    };
    let at = got.iter().zip(want).take_while(|&pair| same(pair)).count();
    if at == got.len() && at == want.len() {
        return None;
    }
    let text = |events: &[u32]| -> String {
        let event = |&event: &u32| match Logs::parts(event) {
            (block, Logs::NO_RECORD) => block.name().to_string(),
            (block, record) => format!("{} {record}", block.name()),
        };
        let first = at.saturating_sub(CONTEXT).min(events.len());
        events[first..events.len().min(at + 2)].iter().map(event).collect::<Vec<_>>().join(", ")
    };
    Some(format!("event {at}: ... {}; Rust says ... {}", text(got), text(want)))
}
