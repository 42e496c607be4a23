"""What `init` writes down for a function: by how people call things."""

import polars as pl
import pytest

from crowdproof.audit.gate.first_claim import Seen, guess_claim, quasi_identifiers

RELEASE = pl.DataFrame({"zip3": ["021"] * 4, "sex": ["F"] * 4, "diagnosis": ["flu"] * 4})


@pytest.mark.parametrize(
    "name", ["k", "min_cell", "minCellSize", "min_group_size", "minimum_count", "threshold", "smallest_group", "min_n"]
)
def test_the_least_size_of_a_group_is_known_by_its_name(name):
    guess = guess_claim({name: 11}, Seen("pandas", RELEASE, deterministic=True))
    assert guess.claim == "k-anonymity(k=11, columns=zip3|sex)"
    assert "k is from its parameters" in guess.why[0]


@pytest.mark.parametrize("parameter", [{"min_age": 18}, {"bins": 5}, {"k": True}, {"threshold": 0.5}, {"min_cell": 0}])
def test_other_parameters_are_no_size(parameter):
    guess = guess_claim(parameter, Seen("pandas", RELEASE, deterministic=True))
    assert guess.claim.startswith("k-anonymity(k=2,")


@pytest.mark.parametrize("name", ["zip3", "ZIP5", "age10", "birthYear", "dob"])
def test_columns_that_others_know_are_known_with_a_number_too(name):
    assert quasi_identifiers(pl.DataFrame({name: [1, 1], "charge3": [2, 3]})) == [name]
