"""Coins for a pipeline that runs elsewhere: kept in a key file until its release is judged.

Whoever runs the pipeline gets the data with canaries, and the seal, which binds the key without telling it. The key is
secret until the release has been made. A key that was used to judge is known, so it says what it judged.
"""

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, field, frozen

from crowdproof.audit.data.as_json import data_from_json, data_to_json
from crowdproof.audit.one_run.canaries import Canaries
from crowdproof.audit.one_run.run_once import Coins, plant
from crowdproof.audit.request import OneRunTerms
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import rational

FORM = 2
"""The form of the file, raised whenever it changes."""
SECRET_BYTES = 32
"""Bytes of the secret: nobody guesses so many."""


@frozen
class Judged:
    """One judgement of releases against a claim, with the error at which it was made."""

    claim: str
    releases: tuple[str, ...]
    """What tells each release apart, with the key that it was judged by, in their order."""
    error: Fraction

    def goes_on(self, other: "Judged") -> bool:
        """Whether it is the other judgement, or one that went on from it with further releases."""
        return self.claim == other.claim and self.releases[: len(other.releases)] == other.releases


def whole_error(judgements: Iterable[Judged]) -> Fraction:
    """The probability that any of these judgements refutes a true claim is at most this.

    Evidence of one release after the other may be looked at after each. So judgements that go on from one another have
    one error between them, the largest, and the errors of the others add up.

    >>> one, both = Judged("dp", ("a",), Fraction(1, 100)), Judged("dp", ("a", "b"), Fraction(1, 100))
    >>> print(whole_error([one, both]), whole_error([one, both, Judged("dp", ("b",), Fraction(1, 100))]))
    1/100 1/50
    """
    known = list(dict.fromkeys(judgements))
    ends = {
        (each.claim, each.releases)
        for each in known
        if not any(other.goes_on(each) and other.releases != each.releases for other in known)
    }
    total = Fraction(0)
    for claim, releases in ends:
        end = Judged(claim, releases, Fraction(0))
        total += max(each.error for each in known if end.goes_on(each))
    return total


@frozen(eq=False)
class Key:
    """What the coins of one planting were, and what they have judged."""

    secret: str
    coins: Coins
    canaries: Canaries
    judged: tuple[Judged, ...] = field(factory=tuple)
    """The judgements that it had a part in."""

    @property
    def seal(self) -> str:
        """Binds the key: whoever knows the seal can check later that the key was not made to fit the release."""
        return hashlib.sha256(_written(evolve(self, judged=())).encode()).hexdigest()

    def after(self, judgement: Judged) -> "Key":
        """The key, once it has had a part in this judgement as well."""
        return self if judgement in self.judged else evolve(self, judged=(*self.judged, judgement))

    def told_apart(self, release: bytes) -> str:
        """A release by its bytes, as this key judges it."""
        return f"{hashlib.sha256(release).hexdigest()} by {self.seal}"


def make(data: pl.DataFrame, terms: OneRunTerms, *, twins: bool = False) -> tuple[pl.DataFrame, Key]:
    """The data with canaries in it, and the key that tells which."""
    secret = secrets.token_hex(SECRET_BYTES)
    planted = plant(data, terms, np.random.SeedSequence(int(secret, 16)), twins=twins)
    return planted.data, Key(secret, planted.coins, planted.canaries)


def _written(key: Key) -> str:
    twins = key.canaries.twins
    record = {
        "form": FORM,
        "secret": key.secret,
        "coins": "".join(str(int(each)) for each in key.coins),
        "kinds": list(key.canaries.kinds),
        "rows": data_to_json(key.canaries.rows),
        "twins": None if twins is None else data_to_json(twins),
        "judged": [[each.claim, list(each.releases), str(each.error)] for each in key.judged],
    }
    return json.dumps(record, ensure_ascii=False)


def to_text(key: Key) -> str:
    """The content of a key file."""
    return f"{_written(key)}\n"


def read_key(path: Path) -> Key:
    """The key of a file."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return _read(record)
    except OSError as error:
        raise DataError(
            f"cannot read {path}: {error.strerror}. Give a key file of `crowdproof canaries make`."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ParameterError, pl.exceptions.PolarsError):
        raise DataError(f"{path} is no key file: give one that `crowdproof canaries make` wrote.") from None


def _read(record: Mapping[str, Any]) -> Key:
    if record["form"] != FORM:
        raise ValueError("another form")
    coins = np.array([each == "1" for each in record["coins"]])
    rows = data_from_json(record["rows"])
    twins = None if record["twins"] is None else data_from_json(record["twins"])
    kinds = tuple(map(str, record["kinds"]))
    is_whole = rows.height == len(coins) == len(kinds) and (twins is None or twins.height == len(coins))
    if not is_whole or not len(coins):
        raise ValueError("not whole")
    judged = [
        Judged(str(claim), tuple(map(str, releases)), rational(str(error)))
        for claim, releases, error in record["judged"]
    ]
    return Key(str(record["secret"]), coins, Canaries(rows, kinds, twins), tuple(judged))
