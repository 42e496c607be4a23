"""Every notion has every feature: a table of notions by features, in which each cell is a test.

A cell without a test stands in `WITHOUT` with its reason; a new notion has to be entered in `NOTIONS`, and then has all
cells.
"""

import http.server
import runpy
import sys
import threading
from pathlib import Path

import polars as pl
import pytest
from gate_projects import entry

from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.gate import Options, read_project, run_gate
from crowdproof.audit.replay import replay
from crowdproof.audit.runners.cores import Cores
from crowdproof.audit.targets import load_target
from crowdproof.claims import PARSEABLE, Neighbours, parse_claim
from crowdproof.findings import NotRefuted, Refuted, Undecided
from crowdproof.wire import from_json, to_json

PEOPLE = pl.DataFrame({"age": [21, 22, 23, 38, 39, 40, 41, 61, 62, 95], "sex": ["f", "m"] * 5})
SUBJECT = Path(__file__).with_name("targets") / "subject.py"
RELEASES = """
import polars as pl

def shown(people: pl.DataFrame):
    return people

def ranged(people: pl.DataFrame):
    return people.with_columns(age=pl.lit(f"{people['age'].min()}-{people['age'].max()}")).sort("age", "sex")

def coarse(people: pl.DataFrame):
    groups = people.select(pl.col("age") // 50 * 50).filter(pl.len().over("age") >= 5)
    return groups.sort("age")

def noisy_count(people: pl.DataFrame, rng, scale=0.5):
    return people.height + int(rng.geometric(scale)) - int(rng.geometric(scale))
"""
NOTIONS = {
    "dp": ("dp(epsilon=0.7)", "shown", "noisy_count"),
    "dps": ("dps(beta=0.5, epsilon=1, delta=0.2)", "shown", "coarse"),
    "zcdp": ("zcdp(rho=0.25)", "shown", "noisy_count"),
    "rdp": ("rdp(alpha=2, epsilon=0.7)", "shown", "noisy_count"),
    "gdp": ("gdp(mu=0.9)", "shown", "noisy_count"),
    "fdp": ("fdp(points=0.7:0|0.3:0.2)", "shown", "noisy_count"),
    "crowd-blending": ("crowd-blending(k=5, epsilon=0)", "shown", "coarse"),
    "safe": ("safe()", "ranged", "shown"),
    "k-anonymity": ("k-anonymity(k=5)", "shown", "coarse"),
}
"""Notion -> a claim, a release that breaks it, and one that does not."""
WITHOUT = {
    ("gate evidence", "crowd-blending"): "it asks many small questions, each too small to go on over several gates",
    ("gate evidence", "safe"): "one pair of releases settles it, so nothing is left to add up",
    ("gate evidence", "k-anonymity"): "one release settles it, so nothing is left to add up",
    ("recorded", "dps"): "outputs on two datasets can be compared for a dp claim, which a dps claim of a pair is",
    ("recorded", "crowd-blending"): "it needs the target's releases on further datasets",
    ("recorded", "safe"): "it needs to know that the target is deterministic, by running it",
    ("recorded", "k-anonymity"): "a release that is a file is what `crowdproof check` reads",
}
BUDGET = Budget(runs=4_000, seconds=60.0)
each_notion = pytest.mark.parametrize("notion", NOTIONS)


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "features.py"
    path.write_text(RELEASES)
    return path


def examined(module, notion, *, safe=False, **options):
    claim, leaky, sound = NOTIONS[notion]
    with load_target(f"{module}:{sound if safe else leaky}", isolate="none") as target:
        return audit(target, parse_claim(claim), data=PEOPLE, **{"budget": BUDGET, "search": 0, **options})


def summary(finding):
    return {name: value for name, value in to_json(finding).items() if name != "cost"} | {"runs": finding.cost.runs}


def test_every_notion_is_in_the_table():
    assert set(NOTIONS) == set(PARSEABLE)


@each_notion
def test_verdict(module, notion):
    assert isinstance(examined(module, notion).verdict, Refuted)
    assert isinstance(examined(module, notion, safe=True).verdict, NotRefuted)


@pytest.mark.processes
@each_notion
@pytest.mark.parametrize("safe", [False, True])
def test_seed_and_workers(module, notion, safe):
    here = summary(examined(module, notion, safe=safe, seed=5))
    assert here == summary(examined(module, notion, safe=safe, seed=5))
    with Cores(2) as cores:
        assert here == summary(examined(module, notion, safe=safe, seed=5, runner=cores))


class Watching:
    """Notes what it is told, and interrupts after so many times."""

    def __init__(self, most=10**9):
        self.told, self.most = [], most

    def update(self, done, total, message):
        self.told.append((done, total, message))
        if len(self.told) >= self.most:
            raise KeyboardInterrupt


@pytest.mark.slow
@each_notion
def test_progress(module, notion):
    watching = Watching()
    examined(module, notion, safe=True, progress=watching)
    assert watching.told
    assert all(message for *_, message in watching.told)
    assert max(done for done, *_ in watching.told) <= 2 * BUDGET.runs


@each_notion
def test_interrupt(module, notion):
    finding = examined(module, notion, safe=True, progress=Watching(most=1))
    assert isinstance(finding.verdict, Undecided)
    assert "interrupted" in finding.verdict.reason
    assert finding.cost.runs > 0


@pytest.mark.slow
@each_notion
def test_witness_and_replay(module, notion):
    finding = from_json(to_json(examined(module, notion)))
    assert isinstance(finding.verdict, Refuted)
    again = replay(finding, seed=9, budget=BUDGET)
    assert isinstance(again.verdict, Refuted)
    assert again.evidence[0].title == "Replay"


@pytest.mark.slow
@each_notion
def test_gate(module, notion, tmp_path):
    claim, leaky, sound = NOTIONS[notion]
    PEOPLE.write_csv(tmp_path / "people.csv")
    head = "evidence = 'kept.sqlite'\nseconds = 60\n[defaults]\ndata = 'people.csv'\nruns = 4000\nisolate = 'none'\n"
    parts = [entry("leaky", claim, f"features.py:{leaky}"), entry("sound", claim, f"features.py:{sound}")]
    (tmp_path / "privacy.toml").write_text(head + "\n".join(parts))
    result = run_gate(read_project(tmp_path / "privacy.toml"), Options(1))
    verdicts = {each.subject: type(each.verdict) for each in result.findings}
    assert verdicts == {"leaky": Refuted, "sound": NotRefuted}
    kept = any(note.title == "Evidence so far" for each in result.findings for note in each.evidence)
    assert kept == (("gate evidence", notion) not in WITHOUT)


@pytest.fixture(scope="module")
def service():
    handler = runpy.run_path(str(SUBJECT))["Service"]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/anonymize"
    server.shutdown()
    server.server_close()


KINDS = {
    "function": f"{SUBJECT}:function",
    "command": f"command:{sys.executable} {SUBJECT} command {{input}} {{output}} copy {{seed}}",
    "lines": f"lines:{sys.executable} {SUBJECT} lines",
    "service": None,
}


@pytest.mark.processes
@each_notion
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_target(notion, kind, service):
    """A release of the data as it is breaks every claim but that its recoding is safe."""
    claim = parse_claim(NOTIONS[notion][0])
    pairs = [Pair(PEOPLE.head(3), PEOPLE.head(2), Neighbours.ADD_REMOVE, "three people and two")]
    with load_target(KINDS[kind] or service, timeout=30.0) as target:
        finding = audit(target, claim, pairs=pairs, budget=Budget(runs=1_000, seconds=60.0))
    assert isinstance(finding.verdict, NotRefuted if notion == "safe" else Refuted), finding.verdict


def test_recorded_outputs(tmp_path):
    for side, value in (("left", 7), ("right", 8)):
        folder = tmp_path / side
        folder.mkdir()
        for number in range(120):
            (folder / f"{number}.csv").write_text(f"count\n{value}\n")
    target = load_target(f"releases:{tmp_path / 'left'},{tmp_path / 'right'}")
    claim = parse_claim(NOTIONS["dp"][0])
    finding = audit(target, claim, pairs=[target.pair(claim.neighbours)])
    assert isinstance(finding.verdict, Refuted)


def test_every_empty_cell_has_a_reason():
    features = {"gate evidence", "recorded"}
    assert {feature for feature, _ in WITHOUT} == features
    assert {notion for _, notion in WITHOUT} <= set(NOTIONS)
    assert all(len(reason) > 20 for reason in WITHOUT.values())
