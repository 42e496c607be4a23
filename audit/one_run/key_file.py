"""Coins for a pipeline that runs elsewhere: kept in a key file until its release is judged.

Whoever runs the pipeline gets the data with canaries, and the seal, which binds the key without telling it. The key is
secret until the release has been made. A key that was used to judge is known, so it says what it judged.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
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
from crowdproof.errors import DataError

FORM = 1
"""The form of the file, raised whenever it changes."""
SECRET_BYTES = 32
"""Bytes of the secret: nobody guesses so many."""


@frozen(eq=False)
class Key:
    """What the coins of one planting were, and what they have judged."""

    secret: str
    coins: Coins
    canaries: Canaries
    judged: tuple[str, ...] = field(factory=tuple)
    """Each judgement, as a text that is the same for the same release and claim."""

    @property
    def seal(self) -> str:
        """Binds the key: whoever knows the seal can check later that the key was not made to fit the release."""
        return hashlib.sha256(_written(evolve(self, judged=())).encode()).hexdigest()

    def shared(self, error: Fraction, judgement: str) -> Fraction:
        """The false-alarm rate of all judgements by this key together, this one included."""
        return error * len({*self.judged, judgement})

    def after(self, judgement: str) -> "Key":
        """The key, once it has judged this as well."""
        return self if judgement in self.judged else evolve(self, judged=(*self.judged, judgement))


def make(data: pl.DataFrame, terms: OneRunTerms, *, twins: bool = False) -> tuple[pl.DataFrame, Key]:
    """The data with canaries in it, and the key that tells which."""
    secret = secrets.token_hex(SECRET_BYTES)
    planted = plant(data, terms, np.random.SeedSequence(int(secret, 16)), twins=twins)
    return planted.data, Key(secret, planted.coins, planted.canaries)


def judgement_of(release: bytes, claim: object) -> str:
    """A judgement, told apart from all others by the bytes of the release and the text of the claim."""
    return f"{claim} on {hashlib.sha256(release).hexdigest()}"


def _written(key: Key) -> str:
    twins = key.canaries.twins
    record = {
        "form": FORM,
        "secret": key.secret,
        "coins": "".join(str(int(each)) for each in key.coins),
        "kinds": list(key.canaries.kinds),
        "rows": data_to_json(key.canaries.rows),
        "twins": None if twins is None else data_to_json(twins),
        "judged": list(key.judged),
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
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, pl.exceptions.PolarsError):
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
    return Key(str(record["secret"]), coins, Canaries(rows, kinds, twins), tuple(map(str, record["judged"])))
