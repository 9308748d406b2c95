"""Tests of counters.py, alone.py, executed.py and sampled.py with a pretended ncu: `python3 -m unittest discover peers/nsight`."""

import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import alone  # noqa: E402
import counters  # noqa: E402
import executed  # noqa: E402
import sampled  # noqa: E402

CELLS = """\
scene,kind,view,name,variant,builder,reinsertion,max_leaf,rays,code
hall,primary,all,x,direct/if-if/bvh2,sweep,0,8,64,0f0f
hall,primary,1,x,direct/if-if/bvh2,sweep,0,8,64,0f0f
hall,ao,all,x,direct/if-if/bvh2,sweep,0,8,96,a1a1
hall,ao,1,x,direct/if-if/bvh2,sweep,0,8,96,a1a1
"""
# A timed launch and a checked one of each cell.
KERNELS = ["if_if_bvh2__closest", "if_if_bvh2__closest", "if_if_bvh2__any(const Ray*)", "if_if_bvh2__any(const Ray*)"]

# Writes the table that bench would write, and prints the page of as many metrics as were asked for: of launch n the metric m is
# 1,000 n + m, with a comma between the thousands.
NCU = """\
#!{python}
import csv, sys
words = sys.argv[1:]
metrics = words[words.index("--metrics") + 1].split(",")
with open(words[-1], "w") as file:
    file.write({cells!r})
print("==PROF== Connected to process 1")
out = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL)
out.writerow(["ID", "Kernel Name", "Grid Size", *metrics])
out.writerow(["", "", "", *["inst" for _ in metrics]])
for launch, kernel in enumerate({kernels!r}):
    values = [f"{{1000 * (launch + 1) + metric:,}}" for metric in range(len(metrics))]
    out.writerow([launch, kernel, f"({{6 + launch}}, 1, 1)", *values])
"""


def run(script, *words, kernels=KERNELS):
    """What a script does where ncu is the one above: its table, what ncu was asked for, and its end."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ncu = folder / "ncu"
        ncu.write_text(NCU.format(python=sys.executable, cells=CELLS, kernels=kernels))
        ncu.chmod(0o755)
        environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        command = [sys.executable, "-B", str(HERE / script), *words, "--folder", str(folder / "kept"), "--raywarp", "raywarp"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        kept = sorted(path.name for path in (folder / "kept").iterdir())
    return list(csv.DictReader(io.StringIO(done.stdout))), done, kept


class Scripts(unittest.TestCase):
    def check(self, script, columns, groups, words, kept):
        """A row a cell, of its timed launch, for each group of kernels; ncu's page and bench's table are kept."""
        rows, done, files = run(script, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(rows), 2 * len(groups))
        for number, row in enumerate(rows):
            launch = 2 * (number % 2)
            self.assertEqual((row["scene"], row["variant"], row["tree"]), ("hall", "direct/if-if/bvh2", "sweep+0/8"))
            own = [("primary", "64", "0f0f"), ("ao", "96", "a1a1")][number % 2]
            self.assertEqual((row["kind"], row["rays"], row["code"]), own)
            self.assertEqual(row["blocks"], str(6 + launch))
            expected = {column: str(1000 * (launch + 1) + metric) for metric, column in enumerate(columns)}
            self.assertEqual({column: row[column] for column in columns}, expected)
        self.assertEqual(list(rows[0]), [*counters.FIXED, *columns])
        names = [kept, "bench." + kept.split(".", 1)[1]]
        self.assertEqual(files, sorted(f"{name}.{number}.csv" for name in names for number in range(len(groups))))
        asked = [line for line in done.stderr.splitlines() if line.startswith("$ ncu ")]
        for (kernels, tree), line in zip(groups, asked, strict=True):
            self.assertIn(f"--variant {kernels} {' '.join(tree)} --csv ", line)
            self.assertIn(f"--metrics {','.join(columns.values())} ", line)
        return asked

    def test_counters_have_a_row_for_each_cell(self):
        self.check("counters.py", counters.COLUMNS, counters.GROUPS, ["hall"], "counters.hall")

    def test_a_warp_alone_has_its_own_columns_and_few_rays(self):
        asked = self.check("alone.py", alone.COLUMNS, alone.GROUPS, ["hall", "--size", "8x4"], "alone.8x4")
        self.assertTrue(all("--size 8x4 " in line and "--cache-control none" in line for line in asked))

    def test_pages_of_instructions_become_runs(self):
        page = (
            '"Kernel Name","a",\n"Address","Source","inst_executed"\n"0x10","      LDC R1, c[0x0][0x28]","5"\n'
            '"0x20","@!P0  BRA 0xf20","5"\n"0x30","      FADD R1, R2, R3","7"\n"Kernel Name","b",\n'
            '"Address","Source","inst_executed"\n"0x10","      EXIT","3"\n'
        )
        self.assertEqual([executed.runs(counts) for counts in executed.pages(page)], ["0:5 32:7", "0:3"])

    def test_samples_are_of_the_kernels_that_are_cells(self):
        page = (
            '"Kernel Name","{0}",\n"Address","Source","# Samples"\n"0x10","      LDC R1, c[0x0][0x28]","{1}"\n'
            '"0x20","@!P0  BRA 0xf20","0"\n"0x30","      FADD R1, R2, R3","{2}"\n'
        )
        names = ["if_if_bvh2__closest", "x_triangle_watertight__closest"] * 2 + ["if_if_bvh2__any"] * 2
        # Each page twice, as some versions print it.
        source = "".join(2 * page.format(name, 10 * number + 5, number) for number, name in enumerate(names))
        lines = ['"ID","Kernel Name","Grid Size","' + '","'.join(sampled.COLUMNS.values()) + '"', '"","","","inst","ns","cycle"']
        lines += [f'"{number}","{name}","({6 + number}, 1, 1)","1,000","2","3.0"' for number, name in enumerate(names)]
        rows = list(sampled.rows("==PROF==\n" + "\n".join(lines) + "\n", source, CELLS))
        self.assertEqual([row[2] for row in rows], ["primary", "ao"])
        self.assertEqual([row[-5:] for row in rows], [["0f0f", "1000", "2", "3", "0:5"], ["a1a1", "1000", "2", "3", "0:45 32:4"]])

    def test_launches_of_other_kernels_or_numbers_are_refused(self):
        for kernels, said in [
            (KERNELS[:3], "3 launches, but 2 cells"),
            (KERNELS[::-1], "is not x, primary"),
            ([], "0 launches, but 2 cells"),
        ]:
            for script in ("counters.py", "alone.py"):
                _, done, _ = run(script, "hall", kernels=kernels)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, f"{script}: .*{said}")


if __name__ == "__main__":
    unittest.main()
