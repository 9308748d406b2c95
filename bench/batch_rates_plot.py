#!/usr/bin/env python3
"""Plots what the example batch_rates printed: rate against batch size, a panel for each kind of rays.

python3 bench/batch_rates_plot.py bench/runs/2026-11-26-h200-3/batches.txt > docs/pictures/batch-rates.svg

The file has a line before each table that says what it is of: "alone KIND", or "streams N KIND".
"""

import math
import sys

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 260, 220, 52, 34, 44, 58
COLOURS = {"raywarp-h8": "#1b6ca8", "raywarp-h8-direct": "#c4612b"}
NAMES = list(COLOURS)
STREAMS = 3


def tables(lines):
    """The tables by what they are of: a list of (rays, rates by kernel) each."""
    found, own = {}, None
    for line in map(str.strip, lines):
        if line.startswith(("alone", "streams", "block-threads")):
            own = found.setdefault(line.removesuffix(" --any"), [])
        elif own is not None and line[:1].isdigit():
            rays, *rates = map(float, line.split(","))
            own.append((rays, rates))
    return found


def path(points, colour, dashed):
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    text = " ".join(f"{'L' if i else 'M'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))
    return f'<path d="{text}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>'


def panel(at, kind, all_tables, most):
    def place(rays, rate):
        x = at + (math.log10(rays) - 4) / 4 * WIDTH
        return x, TOP + HEIGHT * (1 - rate / most)

    out = [f'<rect x="{at}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>',
           f'<text x="{at + WIDTH / 2}" y="{TOP - 10}" text-anchor="middle" font-weight="bold">{kind}</text>']
    for power in range(4, 9):
        x, y = place(10**power, 0)
        out.append(f'<path d="M{x:.1f} {TOP}V{y:.1f}" stroke="#e4e4e4"/>'
                   f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">1e{power}</text>')
    step = 500 if most <= 5000 else 2000
    for rate in range(0, int(most) + 1, step):
        x, y = place(1e4, rate)
        out.append(f'<path d="M{x:.1f} {y:.1f}h{WIDTH}" stroke="#e4e4e4"/>'
                   f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{rate}</text>')
    for title, dashed in ((f"alone {kind}", False), (f"streams {STREAMS} {kind}", True)):
        for number, name in enumerate(NAMES):
            points = [place(rays, rates[number]) for rays, rates in all_tables[title]]
            out.append(path(points, COLOURS[name], dashed))
    return "\n".join(out)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        all_tables = tables(file)
    kinds = [title.split()[1] for title in all_tables if title.startswith("alone")]
    width, height = LEFT + len(kinds) * (WIDTH + GAP), TOP + HEIGHT + BOTTOM + 24
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
          f'font-size="11"><rect width="100%" height="100%" fill="white"/>')
    for number, kind in enumerate(kinds):
        rates = [rate for _, rates in all_tables[f"alone {kind}"] for rate in rates]
        step = 500 if max(rates) < 5000 else 2000
        print(panel(LEFT + number * (WIDTH + GAP), kind, all_tables, math.ceil(max(rates) / step) * step))
    y = TOP + HEIGHT + BOTTOM
    print(f'<text x="{LEFT}" y="{y}">rays of a batch; millions of rays a second, H200, crytek_sponza</text>')
    x = LEFT
    for name, dashed in ((n, d) for d in (False, True) for n in NAMES):
        print(path([(x, y + 14), (x + 26, y + 14)], COLOURS[name], dashed))
        print(f'<text x="{x + 32}" y="{y + 18}">{name}{f", {STREAMS} streams" if dashed else ""}</text>')
        x += 200
    print("</svg>")


if __name__ == "__main__":
    main()
