"""A short run of `make fuzz`: whatever a parser is given, it reads it or says in one of our errors what is wrong."""

import random

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzing import fuzz
from fuzzing.parsers import PARSERS

SEEDS = 60
"""Inputs for each parser here; the long run has a hundred thousand."""
TEXTS = ["claims", "numbers", "epsilons", "cells", "findings", "line of an answer", "csv release", "http answer"]
"""Parsers of texts, which hypothesis is given to as well."""


@pytest.mark.parametrize("name", PARSERS)
def test_no_input_breaks_a_parser(name):
    tally = fuzz.run(name, range(SEEDS))
    faults = {fault: seeds for fault, seeds in tally.seeds.items() if fault != "slow"}  # timings are for the long run
    assert (tally.inputs, faults) == (SEEDS, {})


@pytest.mark.parametrize("name", TEXTS)
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_no_text_breaks_a_parser(name, data):
    content = data.draw(
        st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=60)
    )
    assert fuzz.outcome(PARSERS[name], content) in {None, ""}


@pytest.mark.parametrize("name", [name for name in PARSERS if name != "frames"])
def test_what_is_not_spoilt_is_read(name):
    """A parser that refuses everything would pass every other test."""
    parser = PARSERS[name]
    assert None in {fuzz.outcome(parser, each) for each in parser.samples()}


def test_frames_are_heard_up_to_the_end():
    parser = PARSERS["frames"]
    assert {fuzz.outcome(parser, each) for each in parser.samples()} == {""}


def test_a_parser_that_breaks_is_told_of(monkeypatch):
    def breaks(content):
        if content:
            raise ZeroDivisionError

    monkeypatch.setitem(PARSERS, "claims", evolve(PARSERS["claims"], parse=breaks))
    monkeypatch.setattr(fuzz, "SLOW_SECONDS", -1.0)
    tally = fuzz.run("claims", range(30))
    (broken,) = [fault for fault in tally.broken if fault.startswith("ZeroDivisionError in test_fuzz.py:")]
    assert tally.broken[broken] > 20
    assert tally.broken["slow"] == 30


def test_an_input_is_made_again_from_its_seed():
    for parser in PARSERS.values():
        samples = parser.samples()
        assert parser.mutate(samples, random.Random("x 1")) == parser.mutate(samples, random.Random("x 1"))


ENDED = {"parquet file": 33_511, "parquet release": 53_885}
"""Parser -> the seed of an input on which polars once ended the whole process, for lack of 2^61 bytes of memory."""


@pytest.mark.parametrize("name", ENDED)
def test_no_input_ends_the_process(name):
    assert fuzz.run(name, range(ENDED[name], ENDED[name] + 1)).seeds == {}
