"""A target whose output never changes: the finding tells. One that stops answering has no verdict."""

import json
import sys
from itertools import count

import numpy as np
import polars as pl
import pytest
from gate_projects import entry, project_file
from raw_services import RawService, whole

from crowdproof import DP, DPS, Neighbours, NotRefuted, Refuted, Skipped, Undecided
from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.compare.constant import CONSTANT
from crowdproof.audit.targets import load_target
from crowdproof.cli import main
from crowdproof.errors import NoReleaseError
from crowdproof.findings import Note
from crowdproof.mechanisms import Laplace

PEOPLE = pl.DataFrame({"age": [30 + i % 7 for i in range(12)]})
PAGE = "please come back later"
STOPPED = "all came out alike, though earlier ones did not"


def titles(finding):
    return [each.title for each in finding.evidence if isinstance(each, Note)]


def rounded(people: pl.DataFrame) -> int:
    """Says how many people there are, to the next ten."""
    return round(people.height, -1)


def noisy(people: pl.DataFrame, rng: np.random.Generator) -> int:
    return people.height + int(rng.geometric(0.3)) - int(rng.geometric(0.3))


def page(people: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame({"message": [PAGE]})


def five(people: pl.DataFrame) -> int:
    return 5


CLAIMS = [DP(1), DPS("1/2", 1)]


@pytest.mark.parametrize("claim", CLAIMS, ids=["dp", "dps"])
@pytest.mark.parametrize("function", [page, five])
@pytest.mark.parametrize("deterministic", [None, True, False])
def test_a_constant_is_told_however_it_was_audited(claim, function, deterministic):
    target = load_target(function, isolate="none")
    finding = audit(target, claim, data=PEOPLE, budget=Budget(runs=900), search=0, deterministic=deterministic)
    assert isinstance(finding.verdict, NotRefuted)
    assert finding.evidence[0] == CONSTANT
    assert titles(finding).count(CONSTANT.title) == 1


@pytest.mark.parametrize("claim", CLAIMS, ids=["dp", "dps"])
@pytest.mark.parametrize("function", [noisy, rounded])
def test_a_target_whose_releases_differ_is_not_told_so(claim, function):
    target = load_target(function, isolate="none")
    finding = audit(target, claim, data=PEOPLE, budget=Budget(runs=900), search=0)
    assert CONSTANT.title not in titles(finding)
    assert not isinstance(finding.verdict, Skipped)


def test_a_mechanism_of_numbers_in_batches_is_told_too():
    class Zeros:
        def __call__(self, data, rng):
            return 0.0

        def batch(self, data, rng, size):
            return np.zeros(size)

    pair = Pair(np.array([1.0]), np.array([2.0]), Neighbours.REPLACE, "given")
    claim = DP(1, neighbours=Neighbours.REPLACE)
    constant = audit(Zeros(), claim, pairs=[pair], budget=Budget(runs=20_000))
    assert constant.evidence[0] == CONSTANT
    real = audit(Laplace(1), claim, pairs=[pair], budget=Budget(runs=20_000))
    assert CONSTANT.title not in titles(real)
    assert isinstance(real.verdict, NotRefuted)


def test_a_target_that_never_releases_has_no_release_that_is_the_same():
    def refuses(people: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        raise NoReleaseError("never")

    finding = audit(refuses, DP(1), data=PEOPLE, budget=Budget(runs=3_000), search=0)
    assert isinstance(finding.verdict, Skipped)
    assert CONSTANT.title not in titles(finding)


def refuse():
    raise ConnectionError("the database is gone")


def turning(function, after, turned):
    """A mechanism that does something else from a certain run on."""
    called = count()

    def release(people, rng):
        return turned() if next(called) >= after else function(people, rng)

    return release


@pytest.mark.long
@pytest.mark.parametrize("turned", [lambda: PAGE, refuse], ids=["one page", "no answer"])
@pytest.mark.parametrize("after", [200, 1_500, 3_500])
def test_a_target_that_stops_answering_has_no_verdict(after, turned):
    finding = audit(turning(noisy, after, turned), DP(1), data=PEOPLE, budget=Budget(runs=6_000), search=0)
    assert isinstance(finding.verdict, Skipped)
    assert STOPPED in finding.verdict.reason
    runs = int(finding.verdict.reason.split()[2].replace(",", ""))
    assert 0 <= 6_000 - after - runs <= 600  # all but the chunk in which it turned


@pytest.mark.parametrize("turned", [lambda: PAGE, refuse], ids=["one page", "no answer"])
def test_a_leak_that_was_seen_before_stays_seen(turned):
    pair = Pair(PEOPLE, PEOPLE.head(11), Neighbours.ADD_REMOVE, "twelve people and eleven")
    leaky = turning(lambda people, _: people.height, 1_500, turned)
    assert isinstance(audit(leaky, DP(1), pairs=[pair], budget=Budget(runs=3_000)).verdict, Refuted)


@pytest.mark.long
@pytest.mark.parametrize("turned", [lambda: PAGE, refuse], ids=["one page", "no answer"])
def test_what_comes_now_and_then_or_at_the_very_end_is_a_release_like_any_other(turned):
    def sometimes(people, rng):
        return turned() if rng.random() < 0.5 else noisy(people, rng)

    for target in (sometimes, turning(noisy, 5_700, turned)):
        finding = audit(target, DP(1), data=PEOPLE, budget=Budget(runs=6_000), search=0)
        assert isinstance(finding.verdict, NotRefuted)


class Turning(RawService):
    """Tells whether there is anybody in the table, and answers with a page from a certain request on."""

    after = 0

    def answer(self, request):
        rows = request.count(b"\n") - 1
        return [whole((f"message\n{PAGE}\n" if self.asked > self.after else f"anybody\n{rows > 0}\n").encode())]


@pytest.fixture
def service():
    started = Turning()
    yield started
    started.close()


@pytest.mark.parametrize(("after", "told"), [(0, True), (80, True), (10**9, False)])
def test_a_service_that_answers_with_one_page_is_told(after, told, service):
    """Also where it does so only after a part was enumerated: then what was enumerated is forgotten."""
    service.after = after
    alike = pl.DataFrame({"age": [30] * 12})
    pairs = [Pair(alike.head(n), alike.head(n - 1), Neighbours.ADD_REMOVE, f"{n} people") for n in (12, 11)]
    claim = DPS("1/2", 1, "0.01")  # true of the service and of its page: a sample of nobody is very rare
    finding = audit(load_target(service.url, timeout=10), claim, pairs=pairs, budget=Budget(runs=500))
    assert isinstance(finding.verdict, NotRefuted | Undecided)
    assert (CONSTANT.title in titles(finding)) == told
    assert ("Not deterministic after all" in titles(finding)) == (after == 80)


def gate(monkeypatch, capsys, folder, *entries):
    project_file(folder, *entries)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["crowdproof", "gate", "--seed", "1", "--format", "json"])
    with pytest.raises(SystemExit):
        main()
    findings = json.loads(capsys.readouterr().out)
    return {each["subject"]: [part.get("title") for part in each["evidence"]] for each in findings}


def test_a_gate_tells_it_of_the_constant_alone(monkeypatch, capsys, tmp_path):
    (tmp_path / "targets.py").write_text(
        "def five(table):\n    return 5\n\n\n"
        "def size(table):\n    return round(table.height, -1)\n\n\n"
        "def noise(table, rng):\n    return table.height + int(rng.geometric(0.3)) - int(rng.geometric(0.3))\n"
    )

    def claim(name, function, **more):
        return entry(name, target=f"targets.py:{function}", isolate="'none'", **more)

    found = gate(
        monkeypatch,
        capsys,
        tmp_path,
        claim("constant", "five"),
        claim("declared", "five", deterministic="true"),
        claim("tested", "five", deterministic="false"),
        claim("size", "size"),
        claim("noise", "noise"),
    )
    told = {name for name, shown in found.items() if CONSTANT.title in shown}
    assert told == {"constant", "declared", "tested"}
