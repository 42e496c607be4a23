"""Findings as JSON and back, by one versioned schema (`finding.schema.json`) for every front end."""

import json
from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

from attrs import fields
from cattrs import Converter
from cattrs.errors import BaseValidationError
from cattrs.strategies import configure_tagged_union

from crowdproof import findings as f
from crowdproof.claims import Assertion, Claim, Neighbours, build_claim
from crowdproof.errors import DataError
from crowdproof.exact import Epsilon, rational, show

SCHEMA_VERSION = 1


def _claim_to_json(claim: Claim) -> dict[str, f.Json]:
    record: dict[str, f.Json] = {"notion": claim.notion}
    for each in fields(type(claim)):
        value = getattr(claim, each.name)
        match value:
            case Fraction():
                record[each.name] = show(value)
            case Epsilon():
                record[each.name] = str(value)
            case Neighbours():
                record[each.name] = value.value
            case tuple():
                record[each.name] = [str(part) for part in value]
            case _:
                record[each.name] = value
    return record


def _claim_from_json(record: Mapping[str, Any], _: object = None) -> Claim:
    arguments = dict(record)
    notion = arguments.pop("notion")
    if notion != Assertion.notion:
        return build_claim(notion, arguments, None)  # a finding that somebody sent names no file of ours
    if not all(isinstance(each, str) for each in arguments.values()):
        raise ValueError("what is asserted is text")
    return Assertion(**arguments)


def _make_converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    converter.register_unstructure_hook(Fraction, show)
    converter.register_unstructure_hook(float, lambda value: value if isfinite(value) else str(value))  # JSON has none
    converter.register_structure_hook(Fraction, lambda text, _: rational(text))
    converter.register_unstructure_hook_func(
        lambda kind: isinstance(kind, type) and issubclass(kind, Claim), _claim_to_json
    )
    converter.register_structure_hook(Claim, _claim_from_json)
    converter.register_unstructure_hook(Epsilon, str)
    converter.register_structure_hook(Epsilon, lambda text, _: Epsilon.of(text))
    for union in (f.Witness, f.Verdict, f.Certainty, f.Evidence):
        configure_tagged_union(union, converter, tag_name="kind", tag_generator=_kebab)
    converter.register_unstructure_hook(
        f.Certainty | None, lambda value: None if value is None else converter.unstructure(value, f.Certainty)
    )
    converter.register_structure_hook(
        f.Certainty | None,
        lambda value, _: None if value is None else converter.structure(value, f.Certainty),  # type: ignore[arg-type]
    )
    return converter


def _is_claim(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Claim)


def _kebab(kind: type) -> str:
    return "".join(f"-{char.lower()}" if char.isupper() else char for char in kind.__name__).lstrip("-")


_CONVERTER = _make_converter()


def to_json(finding: f.Finding) -> dict[str, Any]:
    """The finding as plain JSON values."""
    return {"schema": SCHEMA_VERSION, **_CONVERTER.unstructure(finding)}


def from_json(record: Mapping[str, Any]) -> f.Finding:
    """The finding that `to_json` wrote; anything else is a `DataError` that says where it deviates."""
    if record.get("schema") != SCHEMA_VERSION:
        raise DataError(
            f"this finding has schema {record.get('schema')!r}, and this version of crowdproof reads schema "
            f"{SCHEMA_VERSION}: make it again, or read it with the version that wrote it."
        )
    body = {name: value for name, value in record.items() if name != "schema"}
    try:
        return _CONVERTER.structure(body, f.Finding)
    except BaseValidationError as error:
        from cattrs import transform_error  # noqa: PLC0415

        raise DataError("this is not a finding: " + "; ".join(transform_error(error, path="finding"))) from None


def dumps(findings: "list[f.Finding] | tuple[f.Finding, ...]") -> str:
    """A list of findings as JSON text."""
    return json.dumps([to_json(each) for each in findings], indent=2, ensure_ascii=False)


def loads(text: str) -> list[f.Finding]:
    """The findings of a JSON text: one finding or a list of them."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(
            f"this is not JSON (line {error.lineno}: {error.msg}): give a file that crowdproof wrote."
        ) from None
    except RecursionError:
        raise DataError("this JSON is nested too deeply: give a file that crowdproof wrote.") from None
    except ValueError:  # which Python raises for a whole number of thousands of digits
        raise DataError("this JSON has a number that is too long: give a file that crowdproof wrote.") from None
    records = content if isinstance(content, list) else [content]
    if not all(isinstance(each, dict) for each in records):
        raise DataError("this JSON holds no findings: give a file that crowdproof wrote.")
    return [from_json(each) for each in records]
