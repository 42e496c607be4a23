"""Give a parser many inputs, and collect those that break it or take it too long."""

import random
import time
from collections import Counter
from pathlib import Path

from attrs import Factory, define

from fuzzing.parsers import PARSERS

SLOW_SECONDS = 1.0
"""An input that takes a parser longer than this, in time of the processor, is a way to hold up the judge."""
KEPT = 5
"""Inputs that are kept of those that break a parser in the same way."""


@define
class Tally:
    """What came of the inputs so far."""

    parser: str
    inputs: int = 0
    read: int = 0
    """Inputs that are something after all."""
    slowest: float = 0.0
    broken: Counter[str] = Factory(Counter)
    """What was raised, and how often."""
    seeds: dict[str, list[int]] = Factory(dict)
    """What was raised -> seeds of inputs that raise it."""

    def note(self, fault: str, seed: int) -> None:
        """Count a fault."""
        self.broken[fault] += 1
        if len(self.seeds.setdefault(fault, [])) < KEPT:
            self.seeds[fault].append(seed)


def run(name: str, seeds: range) -> Tally:
    """Give the parser one input for each seed."""
    parser, tally = PARSERS[name], Tally(name)
    samples = parser.samples()
    for each in samples:  # what is not spoilt is read, or this would show nothing
        outcome(parser, each)
    for seed in seeds:
        content = parser.mutate(samples, random.Random(f"{name} {seed}"))
        start = time.process_time()
        fault = outcome(parser, content)
        seconds = time.process_time() - start
        tally.inputs += 1
        tally.read += fault is None
        tally.slowest = max(tally.slowest, seconds)
        if fault:
            tally.note(fault, seed)
        if seconds > SLOW_SECONDS:
            tally.note("slow", seed)
    return tally


def outcome(parser, content):
    """None where it was read, an empty text where it was refused as it should be, else what was raised."""
    try:
        parser.parse(content)
    except parser.errors:
        return ""
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        frames = error.__traceback__
        while frames.tb_next is not None:
            frames = frames.tb_next
        return f"{type(error).__name__} in {Path(frames.tb_frame.f_code.co_filename).name}:{frames.tb_lineno}"
    return None
