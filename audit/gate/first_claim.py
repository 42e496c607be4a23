"""The first claim that is written down for a function: by its parameters, and by what it releases of a table."""

from typing import Any

import polars as pl
from attrs import frozen

from crowdproof.audit.targets.load import load_target
from crowdproof.claims import DP, KAnonymity, parse_claim
from crowdproof.errors import NoReleaseError, ParameterError
from crowdproof.personal import is_identifier, is_quasi_identifier, is_sensitive, words_of

LEAST = frozenset(["least", "min", "minimum", "small", "smallest"])
OF_GROUPS = frozenset(["bucket", "cell", "class", "count", "freq", "frequency", "group", "n", "rows", "size"])
"""How people call the size below which a group is not released: a word of the first kind with one of the second."""
BY_ITSELF = frozenset(["k", "threshold"])
"""Words that say the same alone."""
FEW = 0.5
"""A column with more distinct values than this share of its rows groups nobody. A guess: groups of two at the least."""
SEED = 1
"""The seed of the run that is looked at. Any would do."""


@frozen
class Seen:
    """What one look at a target showed."""

    form: str | None
    """How it takes the table, where it is a function."""
    release: Any
    deterministic: bool


@frozen
class Guess:
    """A claim, and the reasons for it, a line each."""

    claim: str
    why: tuple[str, ...]


def look(target: str, parameters: dict[str, Any], table: pl.DataFrame) -> Seen:
    """Run the target on the table; one that makes no release of it is an error that says why."""
    with load_target(target, params=parameters) as loaded:
        loaded.get_ready([table])
        release = loaded.runs(table, [SEED])[0]
        behaviour = loaded.examine(table)
        form = loaded.spec.get("form") if "isolate" in loaded.spec else None
    if isinstance(release, pl.DataFrame) and release.is_empty():
        raise NoReleaseError(f"{target} released a table without rows: give --data from which it releases some.")
    return Seen(form, release, behaviour.deterministic)


def guess_claim(parameters: dict[str, Any], seen: Seen | None) -> Guess:
    """The claim that the parameters and the release suggest."""
    promised = _promised(parameters)
    if promised is not None:
        return Guess(str(promised), ("From its parameters: is this what you promise?",))
    size = next((value for name, value in parameters.items() if _is_size(name, value)), None)
    if seen is not None and isinstance(seen.release, pl.DataFrame) and (seen.deterministic or size is not None):
        return _anonymity(size, seen.release)
    if size is not None:
        return Guess(f"k-anonymity(k={size})", ("From its parameters: is this what you promise?",))
    if seen is not None and seen.deterministic:
        return Guess(
            "dp(epsilon=1)",
            (
                "Trial runs gave the same output each time, and what always answers the same is not differentially",
                "private: expect a refutation, or say what is promised instead.",
            ),
        )
    return Guess("dp(epsilon=1)", ("What do you promise? This is a usual value.",))


def _is_size(name: str, value: Any) -> bool:
    """Whether a parameter says below which size a group is not released."""
    words = frozenset(words_of(name))
    said = bool(words & BY_ITSELF) or bool(words & LEAST and words & OF_GROUPS)
    return said and type(value) is int and value >= 1


def _promised(parameters: dict[str, Any]) -> DP | None:
    """The claim whose parameters the function has, where their values make sense."""
    written = {name: parameters[name] for name in ("epsilon", "delta") if type(parameters.get(name)) in {int, float}}
    if "epsilon" not in written:
        return None
    try:
        return DP(**written)
    except ParameterError:
        return None


def _anonymity(size: int | None, release: pl.DataFrame) -> Guess:
    known = list(filter(_nameable, quasi_identifiers(release)))
    k = 2 if size is None else size
    source = "no parameter tells k, and 2 is the least" if size is None else "k is from its parameters"
    why = [
        f"{', '.join(known) or 'All columns'}: what others may know of a person ({source}). Is this what you promise?"
    ]
    named = [name for name in release.columns if is_identifier(name) and _nameable(name)]
    if named:
        why.append(f"The release has {', '.join(named)}, which may name people: no group hides who is named.")
    columns = f", columns={'|'.join([*known, *named])}" if known or named else ""
    return Guess(f"k-anonymity(k={k}{columns})", tuple(why))


def _nameable(column: str) -> bool:
    """Whether the text of a claim can name the column: one with a bar or a parenthesis it cannot."""
    try:
        return parse_claim(f"k-anonymity(k=2, columns={column})") == KAnonymity(2, (column,))
    except ParameterError:
        return False


def quasi_identifiers(release: pl.DataFrame) -> list[str]:
    """The columns that others may know of a person: by their names, or else by how few values they have.

    >>> quasi_identifiers(pl.DataFrame({"age": [30, 30], "zip": ["021", "021"], "illness": ["flu", "gout"]}))
    ['age', 'zip']
    """
    named = [name for name in release.columns if is_quasi_identifier(name)]
    if named:
        return named
    others = [name for name in release.columns if not is_sensitive(name) and not is_identifier(name)]
    return [name for name in others if 1 < release[name].n_unique() <= FEW * release.height]
