//! Rays of many waves in one batch, so that a device is filled.
//!
//! A stage asks for the rays of all waves that it is given. Those of one wave go to the tracer as they lie; those of
//! several are copied together, traced as one batch, and what comes back is handed out again. Answers of a ray do not
//! depend on the others, and so neither does the picture.

use crate::path::Wave;
use rayon::ThreadPool;
use rayon::prelude::*;
use raywarp_geom::{Candidate, Control, Hit, HitKey, Ray, TraceError, Tracer};

/// Closest-hit rays of one wave of paths, with room for their hits.
pub(crate) struct Closest<'a> {
    pub rays: &'a [Ray],
    /// Hit key after which each ray's hits must come, or empty.
    pub after: &'a [HitKey],
    pub hits: &'a mut [Hit],
    pub instances: &'a mut [u32],
}

/// Any-hit rays of one wave of paths, with room for their answers.
pub(crate) struct Any<'a> {
    pub rays: &'a [Ray],
    /// Hit key after which each ray's hits must come, or empty.
    pub after: &'a [HitKey],
    pub blocked: &'a mut Vec<u32>,
    pub undecided: &'a mut Vec<Candidate>,
}

/// Work on some thousand paths.
type Task<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Reusable buffers that join the rays of several waves to one batch, with the threads that copy them.
#[derive(Default)]
pub(crate) struct Joined<'p> {
    rays: Vec<Ray>,
    after: Vec<HitKey>,
    hits: Vec<Hit>,
    instances: Vec<u32>,
    blocked: Vec<u32>,
    undecided: Vec<Candidate>,
    /// Thread pool that works on several waves; `None` for the caller's own pool.
    pool: Option<&'p ThreadPool>,
}

impl<'p> Joined<'p> {
    /// Makes buffers for a caller outside of `pool`, which waits while the pool's threads work.
    pub fn on(pool: &'p ThreadPool) -> Self {
        Self { pool: Some(pool), ..Self::default() }
    }

    /// Runs `work` for each of `items`, in parallel if there are several.
    pub fn each<I: Send>(&self, items: &mut [I], work: impl Fn(&mut I) + Send + Sync) {
        match items {
            [] => {}
            [item] => work(item),
            items => {
                let work = &work;
                self.run(items.iter_mut().map(|item| -> Task { Box::new(move || work(item)) }).collect());
            }
        }
    }

    /// Runs tasks in parallel: compiled once, where rayon's adapters would be compiled for every closure.
    fn run(&self, tasks: Vec<Task>) {
        let run = || tasks.into_par_iter().for_each(|task| task());
        match self.pool {
            Some(pool) => pool.install(run),
            None => run(),
        }
    }

    /// Traces the closest-hit rays that `asked` returns for each wave, as one batch.
    pub fn closest(
        &mut self,
        tracer: &dyn Tracer,
        waves: &mut [Wave],
        asked: impl Fn(&mut Wave) -> Closest<'_>,
    ) -> Result<(), TraceError> {
        let control = Control::default();
        if let [wave] = waves {
            let Closest { rays, after, hits, instances } = asked(wave);
            if !rays.is_empty() {
                tracer.closest(rays, after, hits, instances, &control)?;
            }
            return Ok(());
        }
        let parts: Vec<Closest> = waves.iter_mut().map(asked).filter(|part| !part.rays.is_empty()).collect();
        let count = self.gather(parts.iter().map(|part| (part.rays, part.after)));
        if count == 0 {
            return Ok(());
        }
        self.hits.resize(count, Hit::default());
        self.instances.resize(count, 0);
        tracer.closest(&self.rays, &self.after, &mut self.hits, &mut self.instances, &control)?;
        let mut parts = with_firsts(parts, |part| part.rays.len());
        self.each(&mut parts, |(part, first)| {
            let range = *first..*first + part.rays.len();
            part.hits.copy_from_slice(&self.hits[range.clone()]);
            part.instances.copy_from_slice(&self.instances[range]);
        });
        Ok(())
    }

    /// Traces the any-hit rays that `asked` returns for each wave, as one batch.
    pub fn any(
        &mut self,
        tracer: &dyn Tracer,
        waves: &mut [Wave],
        asked: impl Fn(&mut Wave) -> Any<'_>,
    ) -> Result<(), TraceError> {
        let control = Control::default();
        if let [wave] = waves {
            let Any { rays, after, blocked, undecided } = asked(wave);
            undecided.clear();
            if !rays.is_empty() {
                blocked.resize(rays.len().div_ceil(32), 0);
                tracer.any(rays, after, blocked, undecided, &control)?;
            }
            return Ok(());
        }
        let parts: Vec<Any> = waves.iter_mut().map(asked).collect();
        let count = self.gather(parts.iter().map(|part| (part.rays, part.after)));
        if count == 0 {
            parts.into_iter().for_each(|part| part.undecided.clear());
            return Ok(());
        }
        self.blocked.resize(count.div_ceil(32), 0);
        tracer.any(&self.rays, &self.after, &mut self.blocked, &mut self.undecided, &control)?;
        let mut parts = with_firsts(parts, |part| part.rays.len());
        self.each(&mut parts, |(part, first)| {
            let count = part.rays.len();
            part.blocked.clear();
            part.blocked.extend((0..count.div_ceil(32)).map(|word| bits(&self.blocked, *first + 32 * word)));
            let index_of = |ray: usize| self.undecided.partition_point(|candidate| (candidate.ray as usize) < ray);
            let own = &self.undecided[index_of(*first)..index_of(*first + count)];
            part.undecided.clear();
            part.undecided.extend(own.iter().map(|c| Candidate { ray: c.ray - *first as u32, ..*c }));
        });
        Ok(())
    }

    /// Copies the rays and hit keys of all waves one after another, and returns the number of rays. Either all have
    /// keys or none.
    fn gather<'a>(&mut self, parts: impl Iterator<Item = (&'a [Ray], &'a [HitKey])>) -> usize {
        let parts: Vec<_> = parts.collect();
        let count = |lengths: &mut dyn Iterator<Item = usize>| lengths.sum::<usize>();
        self.rays.resize(count(&mut parts.iter().map(|(rays, _)| rays.len())), NO_RAY);
        self.after.resize(count(&mut parts.iter().map(|(_, after)| after.len())), HitKey::START);
        let (mut rays, mut after) = (std::mem::take(&mut self.rays), std::mem::take(&mut self.after));
        let (mut rays_left, mut after_left) = (&mut rays[..], &mut after[..]);
        let mut copies = Vec::with_capacity(parts.len());
        for (from_rays, from_after) in parts {
            let (to_rays, rest) = rays_left.split_at_mut(from_rays.len());
            rays_left = rest;
            let (to_after, rest) = after_left.split_at_mut(from_after.len());
            after_left = rest;
            copies.push((from_rays, to_rays, from_after, to_after));
        }
        self.each(&mut copies, |(from_rays, to_rays, from_after, to_after)| {
            to_rays.copy_from_slice(from_rays);
            to_after.copy_from_slice(from_after);
        });
        (self.rays, self.after) = (rays, after);
        self.rays.len()
    }
}

const NO_RAY: Ray = Ray { origin: [0.0; 3], t_min: 0.0, direction: [0.0; 3], t_max: 0.0 };

/// Pairs each wave's part with the index in the batch at which it begins.
fn with_firsts<P>(parts: Vec<P>, length: impl Fn(&P) -> usize) -> Vec<(P, usize)> {
    let mut next = 0;
    let first = |part: &P| {
        next += length(part);
        next - length(part)
    };
    let firsts: Vec<usize> = parts.iter().map(first).collect();
    parts.into_iter().zip(firsts).collect()
}

/// Returns the 32 bits of `words`, read as one string of bits, from bit `first` on; zeros beyond the end.
fn bits(words: &[u32], first: usize) -> u32 {
    let word = |i: usize| u64::from(words.get(i).copied().unwrap_or(0));
    ((word(first / 32) | word(first / 32 + 1) << 32) >> (first % 32)) as u32
}
