"""Certificates for third parties: every obligation as files that can be checked again without us.

For each polynomial obligation an SMT-LIB file whose expected answer is `unsat`, and one for each mutant with `sat`; for
every obligation a JSON file with the exact witnesses and the positivity certificate; and a MANIFEST that `sha256sum -c`
reads.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crowdproof.errors import ParameterError
from crowdproof.proofs.check import Outcome
from crowdproof.proofs.engines.certificate import write as write_certificate
from crowdproof.proofs.engines.smt import smt_lib
from crowdproof.proofs.ledger import Record, show_value
from crowdproof.proofs.statement import Body, Finite, Identity, Implication, Mutant
from crowdproof.proofs.statements import stored_certificates

MANIFEST = "MANIFEST"


def export(records: list[Record], folder: Path) -> list[Path]:
    """Write the files of all records below `folder`, with a MANIFEST of their hashes."""
    files = {name: text for record in records for name, text in _files(record)}
    lines = [f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(files.items())]
    files[MANIFEST] = "".join(lines)
    try:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ParameterError(
            f"cannot write below {folder}: {error.strerror}. Give a folder that can be made."
        ) from None
    return [folder / name for name in files]


def _files(record: Record) -> Iterator[tuple[str, str]]:
    subject = record.statement
    parts = [(each.id, each.body, each.mutants, "unsat") for each in subject.obligations]
    if subject.printed is not None:
        parts.append(("printed", subject.printed.body, subject.printed.repairs, "sat"))
    for (name, body, variants, status), outcome in zip(parts, record.outcomes, strict=True):
        stem = f"{subject.id}/{name}"
        yield f"{stem}.json", _json(stem, body, outcome)
        if isinstance(body, Implication):
            yield f"{stem}.smt2", _script(body, status, outcome.sentence)
            yield from _variants(stem, body, variants, "unsat" if status == "sat" else "sat")


def _variants(stem: str, body: Implication, variants: tuple[Mutant, ...], status: str) -> Iterator[tuple[str, str]]:
    kind = "mutant" if status == "sat" else "repair"
    for number, each in enumerate(variants, 1):
        yield f"{stem}.{kind}-{number}.smt2", _script(each.change(body), status, f"{kind}: {each.why}")


def _script(body: Implication, status: str, title: str) -> str:
    logic, rest = smt_lib(body).split("\n", 1)
    return f"; {title}\n; expected answer: {status}\n{logic}\n(set-info :status {status})\n{rest}(exit)\n"


def _json(stem: str, body: Body, outcome: Outcome) -> str:
    expected = "refuted" if outcome.id == "printed" else "proved"
    record: dict[str, Any] = {
        "obligation": stem,
        "sentence": outcome.sentence,
        "expected": expected,
        **_content(stem, body),
    }
    record["answers"] = {each.engine: each.answer.value for each in outcome.results}
    if outcome.refutation is not None:
        record["counterexample"] = _values(outcome.refutation.values)
    record["variants"] = [
        {"change": why, "answer": result.answer.value, "witness": _values(result.values)}
        for why, result in outcome.variants
    ]
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _content(stem: str, body: Body) -> dict[str, Any]:
    match body:
        case Implication():
            found = stored_certificates().get(stem)
            return {
                "assume": list(body.assume),
                "goal": body.goal,
                "integers": list(body.integers),
                "admitted points": [_values(each) for each in body.covers],
                "positivity certificate": None if found is None else write_certificate(found),
            }
        case Identity():
            return {"identity": body.goal, "probes": [_values(each) for each in body.probes]}
        case Finite():
            cases = [_values(each) | {"=>": _quantities(body, each)} for each in body.cases]
            return {"goal": body.goal, "computed by": body.quantities.__qualname__, "cases": cases}


def _quantities(body: Finite, parameters: Any) -> dict[str, str]:
    return _values(body.quantities(**parameters))


def _values(values: Any) -> dict[str, Any]:
    return {name: show_value(value) for name, value in values.items()}
