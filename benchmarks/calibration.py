"""False alarms on 20,000 audits of claims that hold with nothing to spare, by kind of output.

`python -m benchmarks.calibration 2000` runs fewer audits; `--nulls 10 --audits 20` runs that many audits at each level
of the first nulls of the generator, and nothing else.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path

import polars as pl

from benchmarks import _null_targets
from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.calibration import Calibration, Null, Rate, calibrate, generate, named
from crowdproof.audit.calibration.perform import LOOSE, SURE, Outcome, Result, told
from crowdproof.audit.runners.cores import Cores
from crowdproof.audit.targets import load_target
from crowdproof.claims import Neighbours, parse_claim

TOTAL = 20_000
NULLS = 120
"""Enough that every dressing comes once at least."""
EACH = 200
"""Audits of each named null at each level, and of file targets in all."""
LEVELS = (SURE, LOOSE)
RUNS = 800
"""Runs of an audit: with these 20,000 audits take about forty minutes on two cores."""
RUNS_OF_TABLES = 400
"""Where the outputs are tables, which take longer to look at."""
RUNS_OF_NAMED = 3000
RUNS_OF_FILES = 800
"""Functions in a file run in a process of their own, and one that remembers in a new one each time."""
TABLES = ("polars", "pandas", "table", "columns", "ties", "cells", "everything", "set", "nested")
"""How the names of kinds begin, or what they contain, that are slow to look at."""
OF_MANY = 6
"""One null in so many is audited on two and on three workers too."""


def main(total: int = TOTAL, nulls: int | None = None, audits: int | None = None) -> None:
    """Print the table, then whatever is wrong with what repeats it."""
    start = time.monotonic()
    some = nulls is not None or audits is not None
    with Cores() as cores:
        each = max(EACH * total // TOTAL, len(LEVELS))
        share = max((total - each * (2 * len(named()) + 1)) // (2 * NULLS), 1)
        parts = [_generated(generate(1, nulls or NULLS), audits or share, cores)]
        if not some:
            parts += [calibrate(named(), audits=each, runs=RUNS_OF_NAMED, seed=2, runner=cores, progress=_tell)]
            parts += [_agreeing(generate(1, NULLS)[::OF_MANY]), _files(each, cores)]
    found = Calibration(
        tuple(rate for part in parts for rate in part.rates),
        max((part.workers for part in parts), key=len),
        tuple(each for part in parts for each in part.differing),
    )
    _print(found, time.monotonic() - start)


def _generated(nulls: Sequence[Null], audits: int, cores: Cores) -> Calibration:
    slow = [null for null in nulls if any(each in null.dressing.name for each in TABLES)]
    quick = [null for null in nulls if null not in slow]
    plan = ((quick, RUNS), (slow, RUNS_OF_TABLES))
    parts = [calibrate(some, audits=audits, runs=runs, seed=1, runner=cores, progress=_tell) for some, runs in plan]
    return Calibration(tuple(rate for part in parts for rate in part.rates))


def _agreeing(nulls: Sequence[Null]) -> Calibration:
    """The same audits with their trials on one, two and three workers."""
    with Cores(2) as two, Cores(3) as three:
        return calibrate(nulls, audits=1, runs=RUNS_OF_TABLES, seed=3, runners=[two, three], progress=_tell)


def _files(audits: int, cores: Cores) -> Calibration:
    """Functions in a file, as users audit them: with the isolation that is the default."""
    names = list(_null_targets.CLAIMS)
    rates = []
    for place, error in enumerate(LEVELS):
        planned = [
            (names[number % len(names)], len(LEVELS) * number + place) for number in range(audits // len(LEVELS))
        ]
        outcomes = list(cores.map(partial(_file, error=error), planned))
        for name in names:
            found = tuple(one for (which, _), one in zip(planned, outcomes, strict=True) if which == name)
            rates.append(Rate(f"file: {name}", f"file: {name}", error, found))
            _tell(rates[-1])
    return Calibration(tuple(rate for rate in rates if rate.audits))


def _file(planned: tuple[str, int], error: Fraction) -> Outcome:
    name, seed = planned
    data = pl.DataFrame({"value": range(6)})
    pair = Pair(data, data[:-1], Neighbours.ADD_REMOVE, "six rows against five")
    try:
        with load_target(f"{Path(_null_targets.__file__)}:{name}") as target:
            claim = parse_claim(_null_targets.CLAIMS[name])
            finding = audit(target, claim, pairs=[pair], budget=Budget(runs=RUNS_OF_FILES), error=error, seed=seed)
    except Exception as problem:  # noqa: BLE001  (a crash is what is looked for)
        return Outcome(Result.CRASH, f"{type(problem).__name__}: {problem}", seed=(seed,))
    return Outcome(*told(finding.verdict), runs=finding.cost.runs, seed=(seed,))


def _tell(rate: Rate) -> None:
    counts = ", ".join(f"{rate.count(each)} {each.value}" for each in Result)
    print(f"{float(rate.error):g}: {counts}: {rate.null}", file=sys.stderr, flush=True)


def _print(found: Calibration, seconds: float) -> None:
    columns = f"{'audits':>8}{'at 1e-6':>9}{'at 5%':>7}{'of':>6}{'crashes':>9}{'no verdict':>12}"
    print(f"{'kind of output':40}{columns}")
    merged = found.by_kind()
    for kind in dict.fromkeys(rate.kind for rate in merged):
        _print_row(kind, [rate for rate in merged if rate.kind == kind])
    _print_row("all", merged)
    for rate in found.above:
        worst = next(each for each in rate.outcomes if each.result is Result.REFUTED)
        print(f"ABOVE ITS LEVEL {rate.alarms} of {rate.audits} at {float(rate.error):g}: {rate.null}, as {worst.seed}")
    for text, (rate, outcome) in {each.text: (rate, each) for rate, each in found.crashes}.items():
        print(f"CRASH {text}: {rate.null}, as {outcome.seed}")
    for name in found.differing:
        print(f"DIFFERS BY THE NUMBER OF WORKERS {name}")
    says = "within what is promised" if found.sound else "NOT within what is promised"
    print(f"{found.runs:,} runs in {seconds:.0f} s, on {', '.join(map(str, found.workers))} workers: {says}")


def _print_row(kind: str, rates: Sequence[Rate]) -> None:
    sure, loose = ([rate for rate in rates if rate.error == level] for level in LEVELS)
    crashes, silent = (sum(rate.count(each) for rate in rates) for each in (Result.CRASH, Result.NO_VERDICT))
    alarms, of = sum(rate.alarms for rate in loose), sum(rate.audits for rate in loose)
    total = sum(rate.audits for rate in rates)
    print(f"{kind:40}{total:8}{sum(rate.alarms for rate in sure):9}{alarms:7}{of:6}{crashes:9}{silent:12}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("total", type=int, nargs="?", default=TOTAL)
    parser.add_argument("--nulls", type=int)
    parser.add_argument("--audits", type=int)
    main(**vars(parser.parse_args()))
