"""Mondrian on ten million generated rows, in a process of its own: seconds and peak memory."""

import subprocess
import sys

ROWS = 10_000_000

_RUN = """
import resource, sys, time
from crowdproof.data import census
from crowdproof.mechanisms import Mondrian

rows = int(sys.argv[1])
start = time.perf_counter()
table = census(rows)
made = time.perf_counter()
cpu = time.process_time()
release = Mondrian(10)(table)
done, cpu = time.perf_counter(), time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
smallest = release.group_by(release.columns).len()["len"].min()
print(f"{rows:,} rows, {release.width} columns: generated in {made - start:.1f} s, anonymized in {done - made:.1f} s "
      f"({cpu:.1f} s CPU); "
      f"peak memory {peak:.2f} GiB; smallest group {smallest}")
"""


def main() -> None:
    """Print one line."""
    subprocess.run([sys.executable, "-c", _RUN, str(ROWS)], check=True)
