"""What every finite quantity came to when it was reviewed, case by case: an edit that changes a value is seen.

The goal of a finite claim bounds or compares its quantities; many wrong quantities meet it as well. `values.json` holds
the values themselves (of long lists a hash). They are a record and no second derivation: what they came to was judged
by the goals, the mutants and the tests when it was stored.

After a change that is meant, `python -m crowdproof.proofs.record` writes the file; read the difference.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from flint import arb, ctx

from crowdproof.proofs.statement import Finite, Statement

STORE = Path(__file__).with_name("statements") / "values.json"
_BITS = 192
"""The precision at which balls are worked out: more than the digits that are compared need."""
_DIGITS = 12
"""Of a ball or a float: fewer than any machine gets right."""
_LONG = 400
"""Characters beyond which a hash is stored instead."""


def values_of(body: Finite) -> str:
    """All values of all cases as text."""
    with ctx.workprec(_BITS):
        text = "; ".join(_told(body.quantities(**each)) for each in body.cases)
    return text if len(text) <= _LONG else hashlib.sha256(text.encode()).hexdigest()


def _told(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_plain(value)}" for name, value in sorted(values.items()))


def _plain(value: Any) -> str:
    if hasattr(value, "low") and hasattr(value, "high"):
        return " to ".join(f"{float(end):.{_DIGITS}g}" for end in (value.low, value.high))
    if isinstance(value, arb):
        return str(value.str(_DIGITS, radius=False))
    return f"{value:.{_DIGITS}g}" if isinstance(value, float) else str(value)


@cache
def recorded() -> Mapping[str, str]:
    """The values as they were stored."""
    content: dict[str, str] = json.loads(STORE.read_text(encoding="utf-8"))
    return content


def finite_bodies(statement: Statement) -> dict[str, Finite]:
    """The finite claims of a statement, printed or not, by name."""
    printed = {} if statement.printed is None else {"printed": statement.printed.body}
    bodies = {each.id: each.body for each in statement.obligations} | printed
    return {f"{statement.id}/{name}": body for name, body in bodies.items() if isinstance(body, Finite)}


def differs(name: str, body: Finite) -> bool:
    """Whether a finite claim does not come to what was recorded; a test sees to it that all of the registry is."""
    before = recorded().get(name)
    return before is not None and values_of(body) != before


def main() -> None:
    """Store the values as they are."""
    from crowdproof.proofs.statements import STATEMENTS  # noqa: PLC0415

    every = {name: values_of(body) for each in STATEMENTS for name, body in finite_bodies(each).items()}
    STORE.write_text(json.dumps(every, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
