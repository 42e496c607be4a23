"""An attack that was shown no release is an error, whatever kept it from one; the same attack on a release succeeds."""

import polars as pl
import pytest

from crowdproof.attacks import clr, side_channels, singling_out
from crowdproof.errors import DataError, NoReleaseError, TargetError
from crowdproof.findings import Refuted
from crowdproof.mechanisms import Mondrian

PEOPLE = pl.DataFrame({"income": [1000 * each for each in range(20, 80)]})


def broken(table, rng):
    raise TargetError("it ended its process")


def refusing(table, rng):
    raise NoReleaseError("too few rows")


def refusing_samples(table, rng):
    return table if table.height > PEOPLE.height else refusing(table, rng)


def refusing_some(table, rng):
    return Mondrian(2, total=True)(table, rng) if table.height % 4 else refusing(table, rng)


ATTACKS = {
    "clr": lambda target: clr.run(target=target, data=PEOPLE, trials=200),
    "side-channels": lambda target: side_channels.run(target=target, data=PEOPLE),
    "singling-out": lambda target: singling_out.run(target=target, data=PEOPLE, rows=20, trials=100),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize(
    ("target", "told"),
    [
        (broken, "ended its process"),
        (refusing, "too few rows"),
        (lambda table, rng: None, "a value of type NoneType"),
        (lambda table, rng: {"rows": table.height}, "a value of type dict"),
    ],
)
def test_no_release_is_never_a_pass(attack, target, told):
    with pytest.raises(TargetError, match=told):
        attack(target)


def test_refusing_every_sample_is_no_pass_and_refusing_some_hides_nothing():
    with pytest.raises(NoReleaseError, match="too few rows"):
        ATTACKS["clr"](refusing_samples)
    assert isinstance(ATTACKS["clr"](refusing_some).finding().verdict, Refuted)


@pytest.mark.parametrize("name", ["clr", "singling-out"])
def test_a_release_under_other_names_is_no_pass(name):
    with pytest.raises(DataError, match="has no column"):
        ATTACKS[name](lambda table, rng: table.rename({"income": "range"}))


@pytest.mark.parametrize("attack", [ATTACKS["clr"], ATTACKS["singling-out"]], ids=["clr", "singling-out"])
def test_a_release_of_any_common_kind_of_table_is_read(attack):
    def leaky(table, rng):
        return Mondrian(2, total=True)(table, rng).to_pandas()

    assert isinstance(attack(leaky).finding().verdict, Refuted)
