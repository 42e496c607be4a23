"""The sentences: one for each outcome, and none that promises more than was shown."""

from fractions import Fraction

import pytest
from report.samples import SAMPLES

from crowdproof.claims import DP, DPS, Assertion, CrowdBlending, KAnonymity, Safe
from crowdproof.findings import (
    Estimate,
    Event,
    Finding,
    Measured,
    NotRefuted,
    PairWitness,
    Proved,
    Refuted,
    Skipped,
    Table,
    Undecided,
)
from crowdproof.report import wording
from crowdproof.report.text_report import text_table

PROVED, SILENT = Finding("p", DP(1), Proved()), Finding("n", DP(1), NotRefuted("0.1"))
REFUTED, UNDECIDED, SKIPPED = SAMPLES[0], Finding("u", DP(1), Undecided("t")), Finding("s", DP(1), Skipped("c"))


@pytest.mark.parametrize(
    ("found", "headline"),
    [
        ([], "Nothing was examined."),
        ([REFUTED], "The claim is refuted."),
        ([REFUTED, PROVED], "1 of 2 claims is refuted."),
        ([REFUTED, PROVED, REFUTED, SKIPPED], "2 of 4 claims are refuted."),
        ([PROVED, SKIPPED, UNDECIDED], "No claim is refuted, but 2 of 3 could not be decided."),
        ([UNDECIDED], "The claim could not be decided."),
        ([SKIPPED], "The claim could not be examined."),
        ([PROVED], "The claim is proved."),
        ([PROVED, PROVED], "All 2 claims are proved."),
        ([SILENT], "No leak was found."),
        ([SILENT, PROVED], "No leak was found in 2 claims."),
    ],
)
def test_the_headline(found, headline):
    assert wording.headline(found) == headline


def test_the_tally_counts_every_finding_once():
    assert wording.tally(SAMPLES) == "9 claims: 4 refuted, 1 skipped, 1 undecided, 1 not refuted, 2 proved"
    assert sum(wording.counts(SAMPLES).values()) == len(SAMPLES)


ADDING = "Adding or removing one person"
ANY = "changes the probability of any"


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (
            DP(1, "1e-6"),
            f"{ADDING} {ANY} output by a factor of at most 2.718 (ε = 1), save for a slack of 1e-6.",
        ),
        (DP("ln 3", 0, "replace"), f"Replacing one person’s row {ANY} output by a factor of at most 3 (ε = ln 3)."),
        (
            DPS("0.1", 0, "0.01"),
            (
                f"When each row is kept with probability 0.1 before the release is made, {ADDING.lower()} {ANY} output "
                "by nothing at all, save for a slack of 0.01."
            ),
        ),
        (
            CrowdBlending(20),
            (
                "Each person blends with at least 20 people of the data, counting themselves (outputs differ by "
                "nothing at all), or is ignored altogether."
            ),
        ),
        (Safe(), "How values are generalised does not depend on the data at all."),
        (
            Safe("ln 2"),
            f"{ADDING} {ANY} choice of how values are generalised by a factor of at most 2 (ε = ln 2).",
        ),
        (KAnonymity(5, "age|zip"), "Every row of the release, seen through age, zip, appears at least 5 times."),
        (Assertion("a", "So it is."), "So it is."),
    ],
)
def test_every_notion_has_its_sentence(claim, words):
    assert wording.claim_words(claim) == words


def witness(p_left, p_right):
    return PairWitness([1], [], Event("one"), Estimate.exactly(p_left), p_right, Estimate.exactly(p_left))


def test_what_is_allowed_is_e_to_the_epsilon_times_the_neighbour_plus_delta():
    found = witness(Fraction(1), Estimate(Fraction(1, 10), Fraction(1, 5)))
    assert wording.allowed(DP("ln 3", "0.02"), found) == Estimate(Fraction(32, 100), Fraction(62, 100))
    assert wording.allowed(Safe("ln 3"), found) == Estimate(Fraction(3, 10), Fraction(6, 10))
    assert wording.allowed(DP("ln 9"), found).high == 1
    assert wording.allowed(KAnonymity(5), found) is None
    assert float(wording.allowed(DP(1), found).low) == pytest.approx(0.2718281828)


def test_an_exact_refutation_in_words():
    finding = Finding("m", DP("ln 2", "0.1"), Refuted(witness(Fraction(3, 4), Estimate.exactly(Fraction(1, 4)))))
    assert wording.sentence(finding) == (
        "The claim is false: the release tells more than is promised about whether one person is in the data. "
        "With the person, “one” has probability 0.75; without the person, 0.25. "
        "The claim would allow at most 0.6 with the person."
    )


def test_estimates_that_overlap_are_not_said_to_refute_by_themselves():
    loose = Estimate(Fraction(4, 10), Fraction(8, 10))
    found = PairWitness(
        [1], [], Event("one"), loose, Estimate(Fraction(0), Fraction(4, 10)), Estimate(Fraction(-6, 10), loose.high)
    )
    told = wording.sentence(Finding("m", DP(1), Refuted(found)))
    assert "would allow" not in told
    assert told.endswith("the test that refutes the claim weighs all runs together.")


def test_a_confidence_speaks_of_true_claims_so_that_it_fits_every_verdict():
    told = {wording.certainty_words(each.certainty) for each in SAMPLES if each.certainty is not None}
    assert "Statistical: a true claim is refuted with probability at most 1e-6." in told
    assert "Exact arithmetic, with no statistical error." in told


def test_measured_determinism_is_never_told_as_exact_alone():
    told = wording.certainty_words(Measured(4120))
    assert "measured in 4,120 runs, not declared" in told
    assert "could have been missed" in told
    assert "no statistical error" not in told


LONG = "your data and a row of extreme values, against the same without it"
WIDE = Table("Pairs", ("pair", "runs"), ((LONG, "4"),) * 2)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_table_fits_the_width_and_keeps_its_words_and_columns(width):
    lines = text_table(WIDE, width)
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert all(words.count(word) >= 2 for word in ("extreme", "values,", "4"))
    assert {line.index("4") for line in lines if line.endswith(" 4")} == {lines[0].index("runs")}
