"""Do two renderers agree? Statistics of several independent runs of each.

A run gives the mean of each 8 x 8 block of pixels, and of the whole picture. The difference of the two
sides' means over its standard error, both from the spread between runs, is Welch's t; it is turned into
a standard normal z of the same tail probability, so that few runs need no special thresholds.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

BLOCK = 8
# Differences below this share of a block's mean are rounding: both sides sum 32-bit floats.
ROUNDING = 2e-5


def block_means(picture: np.ndarray) -> np.ndarray:
    """Means of blocks, (rows, columns, channels); sides are multiples of BLOCK."""
    height, width, channels = picture.shape
    return picture.astype(np.float64).reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, channels).mean(axis=(1, 3))


def beta_fraction(a: float, b: float, x: float) -> float:
    """Continued fraction of the incomplete beta function (DLMF 8.17.22), Lentz's algorithm."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 400):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            result *= c * d
        if abs(c * d - 1.0) < 1e-14:
            break
    return result


def t_tail(t: float, freedom: float) -> float:
    """P(T > t) of Student's t, t >= 0: half the regularised incomplete beta function at freedom / (freedom + t^2)."""
    a, b = freedom / 2, 0.5
    x = freedom / (freedom + t * t)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + (b * math.log1p(-x) if x < 1 else -math.inf)
    if x < (a + 1) / (a + b + 2):
        return 0.5 * math.exp(log) * beta_fraction(a, b, x) / a
    return 0.5 * (1.0 - math.exp(log) * beta_fraction(b, a, 1 - x) / b)


def z_of_t(t: float, freedom: float) -> float:
    """The standard normal value of the same tail probability; past 1e-300 the sign times 37."""
    tail = t_tail(abs(t), freedom)
    z = 37.0 if tail < 1e-300 else -NormalDist().inv_cdf(min(tail, 0.5))
    return math.copysign(z, t)


def z_scores(ours: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """z of ours minus theirs, and where there is any noise to speak of; the first axis of each counts runs."""
    mean = [runs.mean(axis=0) for runs in (ours, theirs)]
    parts = [runs.var(axis=0, ddof=1) / len(runs) for runs in (ours, theirs)]
    floor = (ROUNDING * 0.5 * (np.abs(mean[0]) + np.abs(mean[1]))) ** 2
    total = parts[0] + parts[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = total**2 / (parts[0] ** 2 / (len(ours) - 1) + parts[1] ** 2 / (len(theirs) - 1))
        t = (mean[0] - mean[1]) / np.sqrt(total + floor)
    # No spread at all on either side: any freedom will do, the floor decides; black is black.
    freedom = np.where(np.isfinite(freedom), freedom, 1e3)
    t = np.where(np.isfinite(t), t, 0.0)
    return np.vectorize(z_of_t, otypes=[float])(t, freedom), total > floor


@dataclass
class Comparison:
    """One channel of one scene."""

    ours: float
    theirs: float
    z: float
    worst_block: float
    worst_at: tuple[int, int]  # block column, row
    worst_limit: float
    beyond: int  # blocks past the limit
    mean_square: float
    mean_square_limit: float
    blocks: int

    @property
    def agrees(self) -> bool:
        return abs(self.z) < MEAN_LIMIT and abs(self.worst_block) < self.worst_limit and self.mean_square < self.mean_square_limit

    @property
    def percent(self) -> float:
        return 100 * (self.ours / self.theirs - 1) if self.theirs else 0.0


MEAN_LIMIT = 3.5
# Chance of a false alarm by the worst block, and by the mean square: 0.001 a scene, a third of it a channel.
FALSE_ALARM = 1e-3 / 3


def worst_limit(blocks: int) -> float:
    """Sidak: |z| that the largest of `blocks` independent ones passes with probability FALSE_ALARM."""
    one = 1 - (1 - FALSE_ALARM) ** (1 / blocks)
    return -NormalDist().inv_cdf(one / 2)


def mean_square_limit(blocks: int) -> float:
    """The same quantile of chi-squared over `blocks` (Wilson and Hilferty's approximation)."""
    v = 2 / (9 * blocks)
    return (1 - v - NormalDist().inv_cdf(FALSE_ALARM) * math.sqrt(v)) ** 3


def compare(ours: list[np.ndarray], theirs: list[np.ndarray]) -> list[Comparison]:
    """Compares pictures of independent runs, channel by channel."""
    blocks = [np.stack([block_means(p) for p in side]) for side in (ours, theirs)]
    whole = [b.mean(axis=(1, 2)) for b in blocks]
    z_whole, _ = z_scores(*whole)
    z_blocks, noisy = z_scores(*blocks)
    result = []
    for c in range(z_blocks.shape[2]):
        z = z_blocks[..., c]
        # Blocks that show nothing but constant sky, or black, have no distribution to test.
        counted = z[noisy[..., c]]
        count = max(counted.size, 1)
        row, column = np.unravel_index(np.abs(z).argmax(), z.shape)
        result.append(
            Comparison(
                ours=float(whole[0][:, c].mean()),
                theirs=float(whole[1][:, c].mean()),
                z=float(z_whole[c]),
                worst_block=float(z[row, column]),
                worst_at=(int(column), int(row)),
                worst_limit=worst_limit(count),
                beyond=int((np.abs(z) >= worst_limit(count)).sum()),
                mean_square=float((counted**2).sum() / count),
                mean_square_limit=mean_square_limit(count),
                blocks=count,
            )
        )
    return result


def self_test() -> None:
    """Known values, the null distribution, and a shift that must be seen."""
    assert abs(t_tail(2.228138852, 10) - 0.025) < 1e-9 and abs(t_tail(12.7062047, 1) - 0.025) < 1e-8
    assert abs(t_tail(1.959963985, 1e6) - 0.025) < 1e-6 and abs(z_of_t(1.959963985, 1e7) - 1.959963985) < 1e-5
    rng = np.random.default_rng(1)
    squares, alarms = [], 0
    for _ in range(40):
        sides = [list(rng.gamma(2.0, 1.0, (8, 96, 128, 3)) * scale) for scale in (1.0, 1.0)]
        for channel in compare(*sides):
            squares.append(channel.mean_square)
            alarms += not channel.agrees
    assert abs(np.mean(squares) - 1) < 0.03, f"mean square z of equal sides is {np.mean(squares)}"
    assert alarms <= 2, f"{alarms} false alarms in 120"
    shifted = [p * 1.02 for p in sides[0]]
    assert not all(c.agrees for c in compare(shifted, sides[1])), "2 % was not seen"
    print(f"blocks.py: mean square of z {np.mean(squares):.4f} (1 expected), {alarms} false alarms in 120, 2 % more light seen")


if __name__ == "__main__":
    self_test()
