"""A first `privacy.toml` for a function that exists: what can be seen from its signature is filled in."""

import inspect
import json
from typing import Any

from attrs import frozen

from crowdproof.audit.targets.find import find
from crowdproof.audit.targets.spec import Code, TargetSpec
from crowdproof.claims import parse_claim

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
claim = {claim}{why}
{params}
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


@frozen
class Guess:
    """A claim that the signature suggests."""

    claim: str
    why: str = ""


def starter(target: str, data: str | None = None) -> str:
    """The text of a configuration with one claim about the target; the target is imported, not run."""
    program = TargetSpec.of(target).kind.code is not Code.MODULE
    parameters = {} if program else _parameters(find(target))
    guess = _guess(parameters)
    parse_claim(guess.claim)
    named = {name: _shown(value) for name, value in parameters.items()}
    listed = ", ".join(f"{name} = {value}" for name, value in named.items())
    params = (
        f"params = {{ {listed} }}\n"
        if listed
        else "# params = { ... }                        # what it is called with\n"
    )
    return _TEMPLATE.format(
        data=json.dumps(data or "people.csv"),
        name=json.dumps("release" if program else target.rpartition(":")[2].replace("_", "-")),
        target=json.dumps(target, ensure_ascii=False),
        claim=json.dumps(guess.claim),
        why=guess.why,
        params=params,
    )


def _parameters(function: Any) -> dict[str, Any]:
    """The parameters besides the table and the randomness, with their defaults or a usual value."""
    try:
        found = list(inspect.signature(function).parameters.values())[1:]
    except (TypeError, ValueError):
        return {}
    plain = [each for each in found if each.kind in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY}]
    wanted = [each for each in plain if each.name not in _RANDOM]
    usual = {each.name: _USUAL.get(each.name, 1) for each in wanted}
    declared = {each.name: each.default for each in wanted if each.default is not each.empty}
    return {**usual, **declared}


_USUAL = {"k": 10, "epsilon": 1.0, "delta": 1e-6}
"""Values for parameters without a default: a guess, to be replaced by whoever writes the claim."""


def _guess(parameters: dict[str, Any]) -> Guess:
    epsilon, delta, k = (parameters.get(name) for name in ("epsilon", "delta", "k"))
    if isinstance(epsilon, int | float):
        rest = f", delta={delta}" if isinstance(delta, int | float) else ""
        return Guess(f"dp(epsilon={epsilon}{rest})", "             # from its parameters: is this what you promise?")
    if isinstance(k, int):
        return Guess(f"k-anonymity(k={k})", "             # from its parameters: is this what you promise?")
    return Guess("dp(epsilon=1)", "             # what do you promise?")


def _shown(value: Any) -> str:
    """A default as TOML; what TOML cannot write becomes text to be replaced."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return json.dumps(str(value), ensure_ascii=False)
