"""A claim judged by a single run, through the public doors: leaky and safe twins, refusals, interrupts, recordings."""

import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from attrs import evolve

from crowdproof.audit import audit
from crowdproof.audit.one_run.key_file import make, read_key, to_text
from crowdproof.audit.one_run.recorded import Recorded, judge_recorded
from crowdproof.audit.releases import canonical
from crowdproof.audit.request import OneRunTerms, Sampling
from crowdproof.claims import parse_claim
from crowdproof.cli import main
from crowdproof.errors import DataError, ExitCode, ParameterError
from crowdproof.findings import Note, NotRefuted, Refuted, Skipped, Undecided
from crowdproof.mechanisms import Mondrian, Sampled

DATA = pl.DataFrame({"age": np.random.default_rng(0).integers(18, 90, 500), "sex": ["f", "m"] * 250})
TERMS = OneRunTerms(canaries=700)


def judged(target, claim, *, data=DATA, terms=TERMS, **options):
    return audit(target, parse_claim(claim), data=data, one_run=terms, **{"seed": 1, **options})


def ranges(table, rng):
    """Groups of five by age, each published as its range."""
    ages = sorted(table["age"].to_list())
    groups = [ages[place : place + 5] for place in range(0, len(ages) - 4, 5)]
    return pl.DataFrame({"age": [f"[{group[0]}, {group[-1]}]" for group in groups for _ in group]})


def decades(table, rng):
    """The same on a grid that is fixed beforehand; groups below 20 are dropped."""
    cells = table.select((pl.col("age") // 10 * 10).clip(0, 90).alias("low"))
    counts = cells.group_by("low").len("rows").filter(pl.col("rows") >= 20).sort("low")
    return pl.DataFrame({"age": [f"[{low}, {low + 10})" for low in counts["low"]], "rows": counts["rows"]})


def bootstrap(table, rng):
    return table[rng.integers(table.height, size=table.height)]


@pytest.mark.parametrize(
    ("target", "claim"),
    [
        (ranges, "dps(beta=0.5, epsilon=0.5)"),
        (ranges, "dps(beta=0.5, epsilon=0.5, delta=1e-9)"),
        (Mondrian(5, columns=("age",)), "dps(beta=0.5, epsilon=0.5)"),
        (bootstrap, "dp(epsilon=1)"),
        (bootstrap, "dp(epsilon=1, neighbours=replace)"),
    ],
)
def test_a_leak_is_refuted_by_one_run(target, claim):
    finding = judged(target, claim)
    assert isinstance(finding.verdict, Refuted)
    assert finding.cost.runs == 1
    assert finding.measures["right"] > 0.6 * finding.measures["guesses"]
    assert finding.measures["least_epsilon"] > 0.5
    assert "guesses were right" in finding.verdict.witness.words


@pytest.mark.parametrize(
    ("target", "claim"), [(decades, "dps(beta=0.5, epsilon=1, delta=0.01)"), (decades, "dps(beta=0.1, epsilon=2)")]
)
def test_a_safe_twin_is_not_refuted(target, claim):
    for seed in range(5):
        finding = judged(target, claim, seed=seed)
        assert not isinstance(finding.verdict, Refuted)


def test_what_no_run_could_refute_is_undecided_and_says_what_to_do():
    finding = judged(bootstrap, "dp(epsilon=1, delta=1e-4)")
    assert isinstance(finding.verdict, Undecided)
    assert "--repeat" in finding.verdict.reason
    assert isinstance(judged(bootstrap, "dp(epsilon=1, delta=1e-4)", terms=OneRunTerms(400, 9)).verdict, Refuted)


def test_a_release_without_anything_to_compare_is_undecided():
    finding = judged(lambda table, rng: table.height + rng.laplace(), "dp(epsilon=1)")
    assert isinstance(finding.verdict, Undecided)
    assert "can be compared" in finding.verdict.reason


def test_not_refuted_says_what_would_have_been_seen():
    def noisy(table, rng):
        counts = table.group_by("age").len("n")
        return counts.with_columns(n=counts["n"] + rng.laplace(0, 5, counts.height))

    finding = judged(noisy, "dp(epsilon=40)")
    assert isinstance(finding.verdict, NotRefuted | Undecided)
    finding = judged(lambda table, rng: table.sample(3, seed=int(rng.integers(99))), "dp(epsilon=2)")
    assert isinstance(finding.verdict, NotRefuted)
    assert "if the release tells for sure of" in finding.verdict.detectable


@pytest.mark.parametrize("canaries", [50])
def test_an_honest_mechanism_is_refuted_no_more_often_than_stated(canaries):
    """Rows are shown with probability 3/4, and others that are not there with 1/4: at its edge, 100 audits at 5%."""

    def edge(table, rng):
        kept = rng.random(table.height) < 0.75  # of the rows that are there; those that are not show up by a coin, too
        shown = table.filter(pl.Series(kept))
        absent = [age for age in range(1000, 1000 + 2 * canaries) if age not in set(table["age"])]
        false = [age for age in absent if rng.random() < 0.25]
        return pl.concat([shown.select("age"), pl.DataFrame({"age": false}, schema=shown.select("age").schema)])

    data = pl.DataFrame({"age": [999] * 3})
    claim, terms = "dp(epsilon=ln 3)", OneRunTerms(canaries)
    alarms = [
        isinstance(judged(edge, claim, data=data, terms=terms, seed=seed, error="0.05").verdict, Refuted)
        for seed in range(100)
    ]
    assert sum(alarms) <= 12  # beyond which a rate of 5% would show by chance once in 500 such tests
    assert isinstance(judged(edge, "dp(epsilon=0.5)", data=data, terms=OneRunTerms(400), error="0.05").verdict, Refuted)


def test_a_target_that_refuses_canaries_is_skipped():
    def strict(table, rng):
        if table["age"].max() > 120:
            raise ValueError("age is out of range")
        return table

    finding = judged(strict, "dp(epsilon=1)")
    assert isinstance(finding.verdict, Skipped)
    assert "canaries" in finding.verdict.reason
    assert "age is out of range" in finding.verdict.reason


def test_only_claims_about_neighbours_and_tables_are_judged():
    with pytest.raises(ParameterError, match="judged by a dp or a dps claim"):
        judged(ranges, "k-anonymity(k=5)")
    with pytest.raises(DataError, match="put into a table"):
        judged(ranges, "dp(epsilon=1)", data=np.zeros(4))
    for mistake in ({"canaries": 0}, {"canaries": 10**7}, {"repeat": 0}, {"repeat": 2000}):
        with pytest.raises(ParameterError, match=next(iter(mistake))):
            OneRunTerms(**mistake)


def test_the_sample_of_a_dps_claim_is_drawn_by_whoever_is_said_to():
    seen = []

    def looking(table, rng):
        seen.append(table.height)
        return table

    judged(looking, "dps(beta=0.1, epsilon=1)")
    judged(looking, "dps(beta=0.1, epsilon=1)", sampling=Sampling.TARGET)
    judged(Sampled("0.1", looking), "dps(beta=0.1, epsilon=1)")
    assert max(seen[0], seen[2]) < 200
    assert seen[1] > 600


def test_an_interrupt_keeps_the_runs_that_were_judged():
    runs = []

    def slow(table, rng):
        runs.append(1)
        if len(runs) > 1:
            raise KeyboardInterrupt
        return table.sample(3, seed=1)

    finding = judged(slow, "dp(epsilon=2)", terms=OneRunTerms(400, 5))
    assert finding.cost.runs == 1
    assert "Interrupted" in [each.title for each in finding.evidence]


def test_runs_end_once_their_evidence_is_enough():
    finding = judged(bootstrap, "dp(epsilon=1)", terms=OneRunTerms(400, 50))
    assert finding.cost.runs == 1


def test_the_same_seed_gives_the_same_finding():
    first, second = (judged(ranges, "dps(beta=0.5, epsilon=0.5)", seed=4).measures for _ in range(2))
    assert first == second
    assert first != judged(ranges, "dps(beta=0.5, epsilon=0.5)", seed=5).measures


# --- releases that were made elsewhere ----------------------------------------------------------------------------


def recorded(seed):
    data, key = make(DATA, OneRunTerms(300))
    release = canonical(data.sample(fraction=0.5, seed=seed))
    return Recorded(f"{seed}.csv", release, str(seed).encode(), key)


def kept(releases, claim="dp(epsilon=2)", error="0.01"):
    """Judge some releases together; each has its key from now on."""
    finding, keys = judge_recorded(releases, parse_claim(claim), Fraction(error))
    return finding, [evolve(each, key=key) for each, key in zip(releases, keys, strict=True)]


def stated(finding):
    """The errors that a finding names: that of its verdict and that of its lower bound."""
    told = " ".join(each.text for each in finding.evidence if isinstance(each, Note) and each.title == "Lower bound")
    return getattr(finding.certainty, "error", None), told


def test_one_release_after_the_other_has_one_error_and_each_other_choice_its_own():
    one, two = recorded(1), recorded(2)
    _, (one,) = kept([one])
    finding, (one, two) = kept([one, two])  # goes on from the first
    assert stated(finding)[0] == Fraction(1, 100)
    finding, (two,) = kept([two])  # chosen otherwise
    assert stated(finding)[0] == Fraction(2, 100)
    finding, _ = kept([two, one], error="0.03")  # in another order, with both keys' earlier judgements
    assert stated(finding)[0] == Fraction(4, 100)  # that of one and two; and of two, which goes on to both


def test_errors_of_earlier_judgements_count_as_they_were_and_reach_every_number():
    release = recorded(1)
    _, (release,) = kept([release], error="0.5")
    finding, (release,) = kept([release], "dp(epsilon=1)", error="0.01")
    error, bound = stated(finding)
    assert error == Fraction(51, 100)
    assert not bound or "0.51" in bound
    finding, _ = kept([release], "dp(epsilon=0.5)", error="0.6")
    assert isinstance(finding.verdict, Undecided)
    assert "add up to 1 or more" in finding.verdict.reason


def test_a_key_is_the_same_after_it_was_written_and_read(tmp_path):
    _, (release,) = kept([recorded(3)])
    (tmp_path / "key.json").write_text(to_text(release.key))
    assert read_key(tmp_path / "key.json").judged == release.key.judged


# --- the command line ---------------------------------------------------------------------------------------------


@pytest.fixture
def crowdproof(tmp_path, monkeypatch, capsys):
    DATA.write_csv(tmp_path / "people.csv")
    (tmp_path / "target.py").write_text("def same(table):\n    return table.sample(fraction=0.6, seed=1)\n")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["crowdproof", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err

    return run


def test_one_run_from_the_command_line(crowdproof):
    asked = ["audit", "target.py:same", "--claim", "dp(epsilon=1)", "--data", "people.csv", "--isolate", "none"]
    code, out, err = crowdproof(*asked, "--one-run", "--canaries", "300", "--seed", "3", "--format", "json")
    assert code == ExitCode.REFUTED, err
    (finding,) = json.loads(out)
    assert finding["measures"]["canaries"] == 300
    assert "--one-run --canaries 300" in finding["reproduce"]["command"]
    for more, words in [
        (["--canaries", "300"], "--one-run"),
        (["--repeat", "2"], "--one-run"),
        (["--one-run", "--canaries", "9999999"], "1,000,000 at most"),
    ]:
        code, _, err = crowdproof(*asked, *more)
        assert code == ExitCode.USAGE
        assert words in err


def test_a_plan_runs_nothing(crowdproof):
    code, out, _ = crowdproof("audit", "nothing:there", "--claim", "dp(epsilon=1)", "--plan")
    assert code == 0
    assert "By one run with 1,000 canaries the claim is refuted if the release tells for sure of" in out


def test_a_pipeline_elsewhere_is_judged_by_its_release(crowdproof, tmp_path):
    make = ["canaries", "make", "--data", "people.csv", "-o", "with.csv", "--key", "key.json", "--canaries", "1000"]
    code, out, err = crowdproof(*make)
    assert code == 0, err
    seal = out.split("seal: ")[1].strip()
    assert (tmp_path / "key.json").stat().st_mode & 0o077 == 0
    pl.read_csv("with.csv").sample(fraction=0.6, seed=1).write_csv("release.csv")
    judge = ["canaries", "judge", "release.csv", "--key", "key.json", "--claim", "dp(epsilon=1)", "--format", "json"]
    code, out, err = crowdproof(*judge)
    assert code == ExitCode.REFUTED, err
    (finding,) = json.loads(out)
    assert seal in json.dumps(finding)
    assert "canaries judge release.csv --key key.json" in finding["reproduce"]["command"]
    assert "Used key" not in out
    assert crowdproof(*judge)[1].count("Used key") == 0  # the same release and claim once more
    code, out, _ = crowdproof(*judge, "--claim", "dp(epsilon=0.9)")
    assert "has judged other releases, claims or combinations before" in out
    assert json.loads(out)[0]["certainty"]["error"] == "2e-6"
    assert crowdproof(*make)[0] == ExitCode.USAGE  # neither the data nor the key is written over


def test_a_safe_pipeline_elsewhere_is_not_refuted(crowdproof):
    crowdproof("canaries", "make", "--data", "people.csv", "-o", "with.parquet", "--key", "key.json")
    pl.read_parquet("with.parquet").group_by("sex").len().write_csv("release.csv")
    code, _, _ = crowdproof("canaries", "judge", "release.csv", "--key", "key.json", "--claim", "dp(epsilon=1)")
    assert code in {ExitCode.HELD, ExitCode.UNDECIDED}


def test_mistakes_with_keys_are_told(crowdproof, tmp_path):
    make = ["canaries", "make", "--data", "people.csv"]
    assert crowdproof(*make, "-o", "with.xlsx", "--key", "k")[0] == ExitCode.USAGE
    assert not (tmp_path / "k").exists()
    crowdproof(*make, "-o", "with.csv", "--key", "key.json", "--replace")
    judge = ["canaries", "judge", "with.csv", "--claim", "dp(epsilon=1)"]
    for more, words in [
        (["--key", "none.json"], "cannot read none.json"),
        (["--key", "people.csv"], "is no key file"),
        (["--key", "key.json", "--key", "key.json"], "one --key for each"),
        (["--key", "key.json"], "neighbours=replace"),
    ]:
        code, _, err = crowdproof(*judge, *more)
        assert code == ExitCode.USAGE
        assert words in err
    code, _, _ = crowdproof(*judge[:3], "--key", "key.json", "--claim", "dp(epsilon=1, neighbours=replace)")
    assert code == ExitCode.REFUTED


def test_a_refused_claim_spends_no_key(crowdproof, tmp_path):
    crowdproof("canaries", "make", "--data", "people.csv", "-o", "with.csv", "--key", "key.json")
    before = (tmp_path / "key.json").read_text()
    assert crowdproof("canaries", "judge", "with.csv", "--key", "key.json", "--claim", "safe()")[0] == ExitCode.USAGE
    assert (tmp_path / "key.json").read_text() == before


def test_a_spoilt_key_file_is_an_error_of_the_file(tmp_path):
    from crowdproof.audit.one_run.key_file import make, read_key, to_text

    _, key = make(DATA, OneRunTerms(5))
    path = tmp_path / "key.json"
    whole = json.loads(to_text(key))
    for name in set(whole) - {"secret", "twins", "judged"}:
        for spoilt in (None, [], "x", 7, {"kind": "table"}):
            path.write_text(json.dumps({**whole, name: spoilt}))
            with pytest.raises(DataError, match="key file"):
                read_key(path)
    path.write_text(to_text(key))
    assert read_key(path).seal == key.seal


def test_a_gate_judges_by_one_run(tmp_path):
    from crowdproof.audit.gate import Options, read_project, run_gate
    from crowdproof.errors import ConfigError

    DATA.write_parquet(tmp_path / "people.parquet")
    (tmp_path / "target.py").write_text(
        "import polars as pl\n\n\ndef same(table):\n    return table.sample(fraction=0.6, seed=1)\n\n\n"
        "def count(table):\n    return pl.DataFrame({'rows': [table.height // 10000]})\n"
    )
    entry = '[[claims]]\nname = "{0}"\ntarget = "target:{0}"\ndata = "people.parquet"\nclaim = "dp(epsilon=1)"\n'
    config = tmp_path / "privacy.toml"
    more = 'isolate = "none"\none-run = true\ncanaries = 300\n'
    config.write_text(entry.format("same") + more + entry.format("count") + more)
    result = run_gate(read_project(config), Options(1))
    leaky, safe = result.findings
    assert isinstance(leaky.verdict, Refuted)
    assert leaky.cost.runs == 1
    assert not isinstance(safe.verdict, Refuted)
    config.write_text(entry.format("same") + "canaries = 300\n")
    with pytest.raises(ConfigError, match="set one-run = true"):
        read_project(config)
    config.write_text(entry.format("same") + "one_run = true\n")
    with pytest.raises(ConfigError, match="did you mean one-run"):
        read_project(config)
