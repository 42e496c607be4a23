"""A first `privacy.toml` for a function that exists: what can be seen from its signature is filled in."""

import inspect
import json
import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from crowdproof.audit.gate.first_claim import guess_claim, look
from crowdproof.audit.targets.binding import is_destination
from crowdproof.audit.targets.find import find
from crowdproof.audit.targets.methods import MethodOf, of_table
from crowdproof.audit.targets.spec import Code, TargetSpec
from crowdproof.claims import parse_claim
from crowdproof.errors import ParameterError
from crowdproof.visible import encodable, visible

MOST_DEPTH = 4
"""Lists within lists that are written down as a default. A guess: settings are nested once or twice."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_RANDOM = ("rng", "generator", "seed", "random_seed", "random_state")

_TEMPLATE = """\
# The privacy claims of this project. Check them with: crowdproof gate
# Completion and checks in your editor: crowdproof gate --print-schema > privacy.schema.json
#:schema ./privacy.schema.json

error = 1e-6                              # the chance that the gate, over its whole life, ever blames a true claim
seconds = 60                              # how long one run of the gate may take
evidence = ".crowdproof/evidence.sqlite"  # evidence adds up here over runs: keep it between them (a cache in CI)

[defaults]
data = {data}                     # a table like those that are released: CSV, Parquet, Arrow or SQLite
runs = 20000                              # runs of the target that one gate spends on a claim

[[claims]]
name = {name}
target = {target}
{why}claim = {claim}
{form}{params}
# Other things that can be claimed:
#   claim = "dp(epsilon=1, delta=1e-6)"                      differential privacy
#   claim = "dps(beta=0.1, epsilon=0.5, delta=1e-9)"         differential privacy when a tenth of the rows is sampled
#   claim = "safe()"                                         the recoding does not depend on the data
#   claim = "k-anonymity(k=10, columns=age|zip)"             every row of the release appears at least k times
# How it is meant to be achieved, so that its arithmetic is checked without running anything:
#   mechanism = {{ kind = "strongly-safe", k = 20 }}           or {{ kind = "laplace", scale = 1 }}
# Files that the target reads at run time: when one changes, its evidence starts anew.
#   sources = ["hierarchy.json"]

# A failure that is knowingly let pass for a while; the gate prints the fingerprint.
# [[suppressions]]
# claim = {name}
# fingerprint = "0123456789abcdef"
# reason = "why it may pass"
# until = 2030-01-31
"""


def starter(
    target: str,
    data: str | None = None,
    table: pl.DataFrame | None = None,
    given: Mapping[str, Any] | None = None,
) -> str:
    """The text of a configuration with one claim about the target, which is called with these parameters.

    With a table the target is run on it, so that the claim speaks of what it releases; without, it is only imported.
    """
    program = TargetSpec.of(target).kind.code is not Code.MODULE
    told = dict(given or {})
    parameters = told if program else _parameters(find(target), target, told, run=table is not None)
    seen = None if table is None else look(target, parameters, table)
    guess = guess_claim(parameters, seen)
    parse_claim(guess.claim)
    named = {name: _shown(value) for name, value in parameters.items()}
    listed = ", ".join(f"{_key(name)} = {value}" for name, value in named.items())
    params = (
        f"params = {{ {listed} }}\n"
        if listed
        else "# params = { ... }                        # what it is called with\n"
    )
    return _TEMPLATE.format(
        data=_text(data or "people.csv"),
        name=_text("release" if program else target.rpartition(":")[2].replace("_", "-")),
        target=_text(target),
        claim=_text(guess.claim),
        why="".join(f"# {visible(line)}\n" for line in guess.why),  # it names columns, which the target chose
        params=params,
        form="" if seen is None or seen.form is None else f"form = {_text(seen.form)}\n",
    )


def _taken(function: Any) -> list[inspect.Parameter]:
    """What a function takes besides the table; a class is built from it, unless it is built from the table itself."""
    kind = function.kind if isinstance(function, MethodOf) else function
    if not inspect.isclass(kind):
        return list(inspect.signature(function).parameters.values())[1:]
    method = function.name if isinstance(function, MethodOf) else None
    whole = of_table(kind, method, {})
    if whole is not None:
        return list(whole.__signature__.parameters.values())[1:]
    built = list(inspect.signature(kind).parameters.values())
    own = [] if method is None else list(inspect.signature(getattr(kind, method)).parameters.values())[2:]
    return [*built, *(each for each in own if each.name not in {other.name for other in built})]


def _parameters(function: Any, name: str, given: Mapping[str, Any], *, run: bool) -> dict[str, Any]:
    """The parameters besides the table and the randomness: as given, or with their defaults or a usual value.

    One that has none of these is an error where the target is to be run: whatever was put there would be wrong.
    """
    try:
        found = _taken(function)
    except (TypeError, ValueError):
        return dict(given)
    plain = [each for each in found if each.kind in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY}]
    wanted = [
        each for each in plain if not is_destination(each.name) and each.name not in _RANDOM and _plain(each.default)
    ]
    usual = {each.name: _USUAL.get(each.name, 1) for each in wanted}
    declared = {each.name: each.default for each in wanted if each.default is not each.empty}
    missing = [each for each in usual if run and each not in {*_USUAL, *declared, *given}]
    if missing:
        raise ParameterError(f"{name} needs {', '.join(missing)}: give --param {missing[0]}=VALUE.")
    return {**usual, **declared, **given}


def _plain(default: Any, depth: int = 0) -> bool:
    """Whether TOML can write the default; a parameter with another one keeps it by being left out.

    A subclass of a number or a text writes itself as it likes, so it is left out too.
    """
    if type(default) is int:
        return -(2**63) <= default < 2**63
    if type(default) in {list, tuple}:
        return depth < MOST_DEPTH and all(_plain(each, depth + 1) for each in default)
    return default is inspect.Parameter.empty or type(default) in {bool, float, str}


_USUAL = {"k": 10, "epsilon": 1.0, "delta": 1e-6}
"""Values for parameters without a default: a guess, to be replaced by whoever writes the claim."""


def _shown(value: Any) -> str:
    """A default as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return _text(value)


def _text(value: str) -> str:
    """A text as TOML, with an escape for whatever is not shown as itself."""
    quoted = json.dumps(encodable(str(value)), ensure_ascii=False)
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in quoted)


def _key(name: str) -> str:
    """The name of a parameter as a key: Python allows letters that TOML takes in quotes only."""
    return name if _BARE.fullmatch(name) else _text(name)
