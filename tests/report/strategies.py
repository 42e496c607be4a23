"""Any finding at all, also such as no engine would make: letters of every kind, infinities, ragged rows."""

from fractions import Fraction

from hypothesis import strategies as st

from crowdproof import findings as f
from crowdproof.claims import (
    DP,
    DPS,
    FDP,
    GDP,
    RDP,
    ZCDP,
    Assertion,
    CrowdBlending,
    KAnonymity,
    Neighbours,
    Point,
    Safe,
)

text = st.text(max_size=12) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        "a|b",
        "`c`",
        "]]>",
        "&amp;",
        "\x00\x1b[31m",
        "::error::x",
        "1e-6",
        "two\nlines",
        "%0A",
    ]
)
names = st.text(min_size=1, max_size=8).filter(lambda name: name.strip() and "|" not in name)
floats = st.floats(allow_nan=False)
numbers = st.fractions(0, 1) | st.just(Fraction(1, 7**6000))
epsilons = st.sampled_from(["0", "0.5", "ln 3", "ln(10/9)", "1e-9", "2/3", "10000"])
neighbours = st.sampled_from(Neighbours)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=3),
    max_leaves=12,
)
points = st.builds(Point, epsilons, st.fractions(0, Fraction(9, 10)))
claims = st.one_of(
    st.builds(DP, epsilons, st.fractions(0, Fraction(9, 10)), neighbours),
    st.builds(DPS, st.just("1/2"), epsilons, st.fractions(0, Fraction(49, 100)), neighbours),
    st.builds(ZCDP, st.fractions(0, 10), neighbours),
    st.builds(RDP, st.fractions(Fraction(11, 10), 99), epsilons, neighbours),
    st.builds(GDP, st.fractions(0, 10), neighbours),
    st.builds(FDP, st.lists(points, min_size=1, max_size=3, unique_by=lambda point: point.epsilon), neighbours),
    st.builds(CrowdBlending, st.integers(1, 99), epsilons),
    st.builds(Safe, epsilons, neighbours),
    st.builds(KAnonymity, st.integers(1, 99), st.none() | st.lists(names, min_size=1, max_size=3, unique=True)),
    st.builds(Assertion, text, text),
)
estimates = st.tuples(numbers, numbers).map(lambda pair: f.Estimate(min(pair), max(pair)))
events = st.builds(f.Event, text, st.dictionaries(text, json_values, max_size=2))
witnesses = st.one_of(
    st.builds(f.PairWitness, json_values, json_values, events, estimates, estimates, estimates, st.none() | points),
    st.builds(f.Counterexample, text, st.dictionaries(text, text, max_size=3)),
)
verdicts = st.one_of(
    st.just(f.Proved()),
    st.builds(f.Refuted, witnesses),
    st.builds(f.NotRefuted, text, st.none() | floats, st.none() | floats),
    st.builds(f.Undecided, text),
    st.builds(f.Skipped, text),
)
certainties = st.one_of(
    st.none(),
    st.just(f.Exact()),
    st.builds(f.Measured, st.integers(0, 10**9)),
    st.builds(f.ByProof, st.lists(text, max_size=3).map(tuple)),
    st.builds(f.Confidence, numbers),
)
lines = st.lists(floats, max_size=6).map(tuple)
charts = st.builds(
    f.Chart,
    text,
    text,
    text,
    st.lists(st.builds(f.Series, text, lines, lines, lines, lines, st.booleans()), max_size=3).map(tuple),
    st.booleans(),
    st.booleans(),
)
rows = st.lists(st.lists(text, max_size=4).map(tuple), max_size=4).map(tuple)
tables = st.builds(f.Table, text, st.lists(text, min_size=1, max_size=3).map(tuple), rows)
evidence = st.builds(f.Note, text, text) | tables | charts
findings = st.builds(
    f.Finding,
    text,
    claims,
    verdicts,
    certainties,
    st.lists(evidence, max_size=3).map(tuple),
    st.builds(f.Cost, st.integers(0, 10**12), st.floats(0, 1e6)),
    st.builds(
        f.Reproduce,
        text,
        st.none() | st.integers(0, 2**64),
        st.dictionaries(text | st.sampled_from(["file", "line"]), json_values, max_size=2),
        st.dictionaries(text, text, max_size=2),
    ),
)
