"""Python functions: what they may take, what they are shown doing, and how habits are noticed."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from crowdproof.audit import audit
from crowdproof.audit.releases import same
from crowdproof.audit.targets import load_target
from crowdproof.audit.targets.forms import give
from crowdproof.audit.targets.run import refusal_of
from crowdproof.audit.targets.taken import take
from crowdproof.claims import Safe
from crowdproof.errors import NoReleaseError, ParameterError, TargetError
from crowdproof.findings import NotRefuted, Refuted, Skipped

ODD = Path(__file__).with_name("odd.py")
PEOPLE = pl.DataFrame({"age": [31, 47, 60], "name": ["ann", "bob", "cyd"]})
RNG = np.random.default_rng(1)


def odd(name, **options):
    return load_target(f"{ODD}:{name}", timeout=20, **options)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda table: table.height, 3),
        (lambda table, rng: int(rng.integers(1, 2)), 1),
        (lambda table, seed: isinstance(seed, int) and 0 <= seed < 2**32, True),
        (lambda table, *, random_state: isinstance(random_state, int), True),
        (lambda table, generator=None: isinstance(generator, np.random.Generator), True),
        (lambda table, rng, /: isinstance(rng, np.random.Generator), True),
        (len, 3),
    ],
)
def test_takes_the_table_and_its_randomness_by_name(function, expected):
    assert load_target(function)(PEOPLE, RNG) == expected


def test_parameters_are_checked_before_anything_runs():
    def anonymize(table, k, rng, t=0.5):
        return k

    assert load_target(anonymize, params={"k": 3})(PEOPLE, RNG) == 3
    assert load_target(anonymize, params={"k": 3}).k == 3
    with pytest.raises(ParameterError, match="needs k: give --param k=VALUE"):
        load_target(anonymize)
    with pytest.raises(ParameterError, match="no parameter 'q': it takes k, rng, t"):
        load_target(anonymize, params={"k": 3, "q": 1})
    with pytest.raises(ParameterError, match="takes no table"):
        load_target(lambda: 1)
    with pytest.raises(ParameterError, match="cannot be called"):
        odd("SEEN", isolate="none")


def test_a_class_is_built_from_its_parameters():
    assert 0 <= odd("Mechanism", params={"scale": 0.5}, isolate="none")(PEOPLE, RNG) < 0.5
    with pytest.raises(ParameterError, match="cannot be made from the parameters"):
        odd("Mechanism", isolate="none")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("nowhere", "names no function: write package.module:function"),
        ("no.such.package:f", "cannot import no.such.package"),
        ("absent.py:f", "there is no file absent.py"),
        (f"{ODD}:absent", "has no 'absent': it has .*counting"),
        ("json:dumps.nothing", "has no 'dumps.nothing'"),
    ],
)
@pytest.mark.parametrize("isolate", ["none", "worker"])
def test_a_name_that_names_nothing_says_how_to_write_one(text, match, isolate):
    with pytest.raises(ParameterError, match=match):
        load_target(text, isolate=isolate)


def test_options_out_of_range_are_named():
    with pytest.raises(ParameterError, match="isolate is 'perhaps': choose from auto, none, worker, fresh, spawn"):
        load_target("json:dumps", isolate="perhaps")
    with pytest.raises(ParameterError, match="form is 'xml'"):
        load_target("json:dumps", form="xml")
    with pytest.raises(ParameterError, match="a limit of 0"):
        load_target("json:dumps", timeout=0)
    with pytest.raises(ParameterError, match="memory can only be limited in another process"):
        load_target("json:dumps", memory=2**30, isolate="none")
    with pytest.raises(ParameterError, match="put it in a file"):
        load_target(lambda table: 1, isolate="fresh")


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("polars", "polars.DataFrame"),
        ("pandas", "pandas.DataFrame"),
        ("pandas-nullable", "pandas.DataFrame"),
        ("pyarrow", "pyarrow.Table"),
        ("rows", "builtins.list"),
        ("numpy", "numpy.ndarray"),
    ],
)
def test_the_table_comes_in_the_form_that_is_asked_for(form, kind):
    assert odd("kind_of", form=form, isolate="none")(PEOPLE, RNG) == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("kind_of", "polars.DataFrame"),
        ("as_pandas", "pandas.DataFrame"),
        ("as_arrow", "pyarrow.Table"),
        ("as_rows", "builtins.list"),
        ("as_array", "numpy.ndarray"),
    ],
)
def test_or_in_the_form_that_the_annotation_names(name, kind):
    assert odd(name, isolate="none")(PEOPLE, RNG) == kind


GAPS = pl.DataFrame(
    {"age": [2**60 + 1, None, 30], "member": [True, None, False], "height": [1.5, None, 2.0], "city": ["a", None, "b"]}
)


def types(table, form):
    given = give(table, form)
    return given.dtype if form == "numpy" else given.dtypes.astype(str).to_dict()


@pytest.mark.parametrize("form", ["pandas", "numpy"])
def test_a_missing_cell_that_would_change_the_type_of_its_column_is_an_error(form):
    with pytest.raises(TargetError, match=r"'age' is one of whole numbers with missing.*--schema age=number") as caught:
        give(GAPS, form)
    assert not isinstance(caught.value, NoReleaseError)
    with pytest.raises(TargetError, match="'member' is one of booleans with missing"):
        give(GAPS.select("member"), form)
    for columns in (["height"], ["city"], ["height", "city"]):
        assert types(GAPS.select(columns), form) == types(GAPS.select(columns).drop_nulls(), form)
    assert types(GAPS.select("age").drop_nulls(), form) in ("int64", {"age": "int64"})


def test_nullable_pandas_has_the_same_types_with_and_without_missing_cells():
    assert types(GAPS, "pandas-nullable") == types(GAPS.drop_nulls(), "pandas-nullable")
    assert types(GAPS.head(0), "pandas-nullable") == types(GAPS, "pandas-nullable")
    given = give(GAPS, "pandas-nullable")
    assert str(given["age"].dtype) == "Int64"
    assert given["age"].isna().tolist() == given["member"].isna().tolist() == [False, True, False]
    assert take(given, "it").equals(GAPS)


LEAST = 5


def fixed_tens(people: pd.DataFrame):
    """A fixed recoding to tens; groups below five are dropped, and so are missing ages."""
    bands = (people["age"].dropna() // 10 * 10).map(lambda age: f"{age}+").to_frame("age")
    return bands[bands.groupby("age")["age"].transform("size") >= LEAST].sort_values("age").reset_index(drop=True)


def tens_from_the_least(people: pd.DataFrame):
    """The same, with tens that are counted from the least age."""
    return fixed_tens(people.assign(age=people["age"] - people["age"].min()))


AGES = pl.DataFrame({"age": [30 + i % 12 for i in range(60)] + [None, 27]})


@pytest.mark.parametrize(
    ("form", "data"), [("pandas-nullable", AGES), ("pandas", AGES.cast(pl.Float64)), ("pandas", AGES.drop_nulls())]
)
def test_a_missing_cell_makes_no_leak_and_hides_none(form, data):
    for function, verdict in ((fixed_tens, NotRefuted), (tens_from_the_least, Refuted)):
        target = load_target(function, isolate="none", form=form)
        assert isinstance(audit(target, Safe(), data=data, deterministic=True).verdict, verdict)


def test_a_missing_cell_without_a_choice_of_types_is_no_verdict():
    finding = audit(load_target(fixed_tens, isolate="none", form="pandas"), Safe(), data=AGES)
    assert isinstance(finding.verdict, Skipped)
    assert "--schema age=number" in finding.verdict.reason


def test_a_pandas_release_comes_back_as_plain_columns():
    out = odd("intervals", isolate="none")(PEOPLE, RNG)
    assert out.columns == ["person", "age", "mixed"]
    assert out["age"].to_list() == ["(0, 40]", "(40, 80]", "(40, 80]"]
    assert out["mixed"].to_list() == ["1", "a", None]


def test_an_empty_list_of_rows_is_a_table_without_rows():
    def suppress(table: list):
        return [row for row in table if row["age"] > 40]

    target = load_target(suppress)
    assert target(PEOPLE, RNG).height == 2
    assert target(PEOPLE.head(1), RNG).equals(pl.DataFrame())


@pytest.mark.parametrize("isolate", ["none", "worker"])
def test_the_input_is_never_shared(isolate):
    vector = np.arange(3.0)
    odd("spoils_its_input", isolate=isolate)(vector, RNG)
    assert vector.tolist() == [0.0, 1.0, 2.0]


def test_global_random_state_is_seeded_for_each_run_and_put_back():
    import random

    random.seed(3)
    expected = random.random()
    random.seed(3)
    target = odd("global_state", isolate="none")
    first, again, other = (target.runs(PEOPLE, [seed])[0] for seed in (5, 5, 6))
    assert first == again != other
    assert random.random() == expected
    assert target.runs(PEOPLE, [5, 6, 5]) == [first, other, first]
    assert random.random() != expected
    with odd("global_state", isolate="worker") as kept:
        assert kept.runs(PEOPLE, [5, 6]) == [first, other]


def test_the_global_random_states_are_put_back_after_a_run_that_fails():
    import random

    def fails(table):
        raise ValueError(random.random() + np.random.random())  # noqa: NPY002

    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002
    with pytest.raises(NoReleaseError):
        load_target(fails)(PEOPLE, RNG)
    assert random.getstate() == before
    for one, two in zip(np.random.get_state(), numpy_before, strict=True):  # noqa: NPY002
        assert np.array_equal(one, two)


def test_an_error_shows_its_type_message_and_last_line_of_the_target():
    def anonymize(table):
        return table["no such column"]

    with pytest.raises(
        NoReleaseError, match=r"raised ColumnNotFoundError: .*test_functions.py, line \d+, in anonymize"
    ):
        load_target(anonymize, form="polars")(PEOPLE, RNG)


def test_nothing_returned_is_a_refusal():
    with pytest.raises(NoReleaseError, match="returned nothing"):
        odd("nothing", isolate="none")(PEOPLE, RNG)


@pytest.mark.parametrize("isolate", ["worker", "fresh"])
def test_a_process_that_ends_tells_how_and_the_next_run_has_a_new_one(isolate):
    with odd("leaves_without_a_word", isolate=isolate) as target:
        for _ in range(2):
            with pytest.raises(TargetError, match="ended its process with exit status 0 instead of returning"):
                target(PEOPLE, RNG)
    died = pytest.raises(TargetError, match=r"signal SIGABRT.*It last printed: about to die")
    with odd("prints_and_dies", isolate=isolate) as target, died:
        target(PEOPLE, RNG)


@pytest.mark.parametrize("isolate", ["worker", "fresh"])
@pytest.mark.parametrize(
    "name", ["eats_memory", "gives_up_for_lack_of_memory", "gives_up_in_other_words", "cannot_start_a_process"]
)
def test_memory_is_limited_and_too_little_is_no_refusal(isolate, name):
    spent = pytest.raises(TargetError, match="ran out of memory")
    with odd(name, isolate=isolate, memory=2**30) as target, spent as caught:
        target(PEOPLE, RNG)
    assert not isinstance(caught.value, NoReleaseError)


def test_a_mechanism_that_runs_out_of_memory_has_not_refused():
    with pytest.raises(TargetError, match="ran out of memory"):
        refusal_of(MemoryError())
    assert refusal_of(ValueError("too few rows")).reason == "it raised ValueError: too few rows"


@pytest.mark.slow
def test_state_is_noticed_and_isolated_away():
    with odd("stale") as target:
        behaviour = target.examine(PEOPLE)
        assert behaviour.stateful
        assert target.isolate == target.spec["isolate"] == "fresh"
        smaller = PEOPLE.head(1)
        assert [each.height for each in target.runs(PEOPLE, [1]) + target.runs(smaller, [1])] == [3, 1]
        assert "keeps state" in behaviour.note().text
    with odd("counting") as target:
        assert target.runs(PEOPLE, [1, 2, 3]) == [1, 1, 1]


@pytest.mark.slow
def test_forks_do_not_repeat_a_generator_seeded_on_import():
    """Forks would all repeat one another, and a random target would look deterministic."""
    with odd("seeded_on_import") as target:
        outputs = target.runs(PEOPLE, range(8))
        assert len(set(outputs)) == 8
        assert target.deterministic is False
        assert target.isolate == "worker"
    with odd("seeded_on_import", isolate="fresh") as target:
        assert len(set(target.runs(PEOPLE, range(8)))) == 8


def test_randomness_that_no_seed_controls_is_told_apart_from_state():
    with odd("from_the_system") as target:
        behaviour = target.examine(PEOPLE)
        assert not behaviour.deterministic
        assert not behaviour.reproducible
        assert target.isolate == "worker"


@pytest.mark.slow
def test_hash_seed_dependence_is_noticed():
    names = pl.DataFrame({"name": [f"person {i}" for i in range(30)]})
    with odd("hashed") as target:
        behaviour = target.examine(names)
        assert behaviour.hash_seed
        assert behaviour.deterministic
        assert "PYTHONHASHSEED" in behaviour.note().text
        fixed = target.runs(names, [1, 2])
        assert same(fixed[0], fixed[1])
    with odd("hashed", isolate="spawn") as target:
        once, again, other = (target.runs(names, [seed])[0] for seed in (1, 1, 2))
        assert once == again != other
        assert sorted(once) == sorted(other)


def test_a_file_is_found_from_another_folder_too(tmp_path, monkeypatch):
    import pickle

    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def rows(table):\n    return table.height\n")
    target = load_target("mine.py:rows", isolate="none")
    assert target.spec["spec"] == "mine.py:rows"
    sent = pickle.dumps(target)
    monkeypatch.chdir("/")
    assert pickle.loads(sent)(PEOPLE, RNG) == 3


@pytest.mark.slow
def test_an_unexamined_target_travels_unexamined_and_is_examined_where_it_arrives():
    with odd("counting") as target:
        assert target.spec["isolate"] == "auto"
        target.examine(PEOPLE)
        assert target.spec["isolate"] == "fresh"
    with odd("kind_of") as target:
        target.examine(PEOPLE)
        assert target.spec["isolate"] == "worker"
