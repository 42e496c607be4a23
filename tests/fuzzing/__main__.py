"""`make fuzz`: a hundred thousand inputs for each parser, ten thousand witness files through all reports."""

import argparse
import contextlib
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from fuzzing.fuzz import Tally, run
from fuzzing.parsers import PARSERS

PART = 2_500
"""Inputs of one piece of work."""
FEWER = {"reports": 10, "workbook": 10}
"""Parsers that are given only one in so many inputs, since each takes long."""


def main() -> int:
    """Run, and print a line for each parser; the exit code is 1 where any was broken."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--inputs", type=int, default=100_000, help="inputs for each parser")
    arguments.add_argument("--first", type=int, default=0, help="the first seed")
    arguments.add_argument("--workers", type=int, default=os.cpu_count())
    arguments.add_argument("parsers", nargs="*", choices=[*PARSERS, []], help="some of the parsers")
    given = arguments.parse_args()
    print(f"{'parser':24} {'inputs':>8} {'read':>7} {'slowest':>9}  broken")  # noqa: T201
    worst = 0
    for name in given.parsers or PARSERS:
        tally = _fuzz(name, given.inputs // FEWER.get(name, 1), first=given.first, workers=given.workers)
        broken = ", ".join(f"{fault} ({count}, seeds {tally.seeds[fault]})" for fault, count in tally.broken.items())
        print(f"{name:24} {tally.inputs:8,} {tally.read:7,} {tally.slowest:7.3f} s  {broken or 'none'}", flush=True)  # noqa: T201
        worst = max(worst, bool(broken))
    return worst


def _fuzz(name: str, inputs: int, *, first: int, workers: int) -> Tally:
    total = Tally(name)
    with ProcessPoolExecutor(workers, initializer=_quiet) as pool:
        starts = range(first, first + inputs, PART)
        parts = {pool.submit(run, name, range(start, min(start + PART, first + inputs))): start for start in starts}
        for part in as_completed(parts):
            try:
                _add(total, part.result())
            except BrokenProcessPool:
                total.note("the process ended", parts[part])
    return total


def _add(total: Tally, part: Tally) -> None:
    total.inputs += part.inputs
    total.read += part.read
    total.slowest = max(total.slowest, part.slowest)
    for fault, count in part.broken.items():
        total.broken[fault] += count
        total.seeds.setdefault(fault, []).extend(part.seeds[fault][: 5 - len(total.seeds.get(fault, []))])


def _quiet() -> None:
    """Libraries print their panics: a hundred thousand of them help nobody."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


if __name__ == "__main__":
    sys.exit(main())
