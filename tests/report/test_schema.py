"""The schema of findings: it takes what is written, nothing else, and describes every field there is."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, get_args

import pytest
from attrs import fields
from hypothesis import given
from jsonschema import Draft202012Validator
from report.samples import SAMPLES
from report.strategies import findings

from crowdproof import claims
from crowdproof import findings as f
from crowdproof.errors import CrowdproofError, DataError
from crowdproof.wire import SCHEMA_VERSION, dumps, from_json, loads, to_json

SCHEMA = json.loads(files("crowdproof").joinpath("finding.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
KINDS = [
    *get_args(f.Verdict),
    *get_args(f.Witness),
    *get_args(f.Certainty),
    *get_args(f.Evidence),
    *claims.PARSEABLE.values(),
    claims.Assertion,
]


def test_the_schema_is_one_and_names_its_version():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$defs"]["finding"]["properties"]["schema"]["const"] == SCHEMA_VERSION
    assert str(SCHEMA_VERSION) in SCHEMA["$id"]


@given(findings)
def test_whatever_is_written_is_valid_and_reads_back(finding):
    text = dumps([finding])
    VALIDATOR.validate(strict_loads(text))
    assert loads(text) == [finding]


def test_json_of_endless_depth_is_an_error_with_a_remedy():
    with pytest.raises(DataError, match="nested too deeply: give a file that crowdproof wrote"):
        loads("[" * 100_000)


def strict_loads(text: str) -> Any:
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_one_finding_alone_is_valid():
    VALIDATOR.validate(to_json(SAMPLES[0]))


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield schema
        yield from (found for each in schema.values() for found in objects(each))
    elif isinstance(schema, list):
        yield from (found for each in schema for found in objects(each))


def test_every_object_is_closed_and_requires_all_it_has():
    for each in objects(SCHEMA):
        assert each["additionalProperties"] is False
        assert set(each["required"]) == set(each["properties"])


@pytest.mark.parametrize("kind", [*KINDS, f.Finding, f.Estimate, f.Event, f.Cost, f.Reproduce, f.Series])
def test_every_type_has_an_object_with_exactly_its_fields(kind):
    tags = {"kind", "notion", "schema"}
    assert {each.name for each in fields(kind)} in [set(each["properties"]) - tags for each in objects(SCHEMA)]


def test_the_samples_cover_every_kind():
    curves = claims.ZCDP("0.5"), claims.RDP(8, "ln 3"), claims.GDP(1, "replace"), claims.FDP("0:0.3|1:0.05")
    text = dumps([*SAMPLES, *(f.Finding("release:noise", each, f.Undecided("too few runs")) for each in curves)])
    tags = {
        found["properties"][tag]["const"]
        for found in objects(SCHEMA)
        for tag in ("kind", "notion")
        if tag in found["properties"]
    }
    assert len(tags) == len(KINDS)
    assert {tag for tag in tags if f'"{tag}"' in text} == tags


FREE = {"left", "right", "spec", "parameters", "versions", "values", "measures"}
"""Fields whose content is the engine's own affair."""


def mutants(record: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The record with one key too many or too few, in one place."""
    if path and path[-1] in FREE:
        return
    if isinstance(record, dict):
        yield (*path, "+"), {**record, "surplus": 1}
        for key, value in record.items():
            yield (*path, f"-{key}"), {name: each for name, each in record.items() if name != key}
            for where, inner in mutants(value, (*path, key)):
                yield where, {**record, key: inner}
    elif isinstance(record, list) and record:
        yield from ((where, [inner, *record[1:]]) for where, inner in mutants(record[0], (*path, 0)))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.subject)
def test_anything_else_is_refused_by_the_schema(sample):
    for where, mutant in mutants(to_json(sample)):
        assert not VALIDATOR.is_valid(mutant), where


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.subject)
def test_surplus_keys_and_missing_fields_are_refused_by_the_reader(sample):
    optional = "certainty evidence cost reproduce runs seconds command seed parameters versions spec values"
    optional += " epsilon delta point neighbours columns match measures low high points log_x log_y basis"
    for where, mutant in mutants(to_json(sample)):
        if where[-1].lstrip("-") not in optional.split():
            with pytest.raises(CrowdproofError):
                from_json(mutant)
