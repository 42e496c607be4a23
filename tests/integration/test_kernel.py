"""The theorems in Coq: they compile, the checker accepts them, and their false variants do not compile."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

from crowdproof.cli.prove import command
from crowdproof.proofs.engines import kernel
from crowdproof.proofs.statements import STATEMENTS

pytestmark = pytest.mark.integration

FALSE = (
    ("thm1", "0 <= delta1 ->", "(-1) <= delta1 ->"),
    ("thm1", "(beta2 / beta1 * delta1) A.", "(beta2 / beta1 * delta1 * delta1) A."),
    ("thm1", "beta2 / beta1 * (exp eps1 - 1)", "beta2 / beta1 * (eps1 - 1)"),
    ("thm1", "beta2 < beta1 ->", "beta1 < beta2 ->"),
    ("thm2", "sum_over (A2 o) outs2 = 1", "sum_over (A2 o) outs2 = 2"),
    ("thm2", "(forall o o2, 0 <= A2 o o2) ->", ""),
    ("thm3", "0 <= p <= 1 ->", "0 <= p ->"),
    ("thm3", "DPS Row beta eps delta A2 ->", "True ->"),
    ("xor", "(1 <= length D)%nat ->", "(0 <= length D)%nat ->"),
    ("xor", "target u = false ->", "True ->"),
    ("xor", "= 1/2 /\\\n     E Row", "= 1/3 /\\\n     E Row"),
    ("fresh", "(neighbours Row) 1 0", "(neighbours Row) (1/2) 0"),
    ("fresh", "99998/100000", "99999/100000"),
    ("prop4", "delta < 1 -> ~ DP Row (neighbours Row)", "delta <= 1 -> ~ DP Row (neighbours Row)"),
    ("prop4", "g t <> g u -> delta < 1", "delta < 1"),
    ("prop4", "(forall t u, g t = g u) -> DP Row (replaced Row) 0 0", "DP Row (replaced Row) 0 0"),
    ("gamma_above_beta", "0 < eps ->", "0 <= eps ->"),
    ("gamma_above_beta", "beta < gamma eps beta < 1", "beta < gamma eps beta < beta + 1/2"),
    ("thm5", "- ln (1 - beta) <= eps ->", "0 <= eps ->"),
    ("thm5", "(n_m <= n)%nat ->", "(S n_m <= n)%nat ->"),
    ("thm5", "(delta < beta -> DPS", "(delta <= beta -> DPS"),
    ("thm5", "(1 <= k)%nat ->", "(0 <= k)%nat ->"),
    ("thm5_tight", "gain beta (exp eps) p k <= delta.", "gain beta (exp eps) (S p) k <= delta."),
    ("thm5_tight", "- ln (1 - beta) <= eps ->", "0 <= eps ->"),
    ("thm5_small_eps", "Rmax (gain beta", "Rmin (gain beta"),
    ("thm5_small_eps", "0 <= eps -> eps <", "(-1) <= eps -> eps <"),
    ("composition", "(INR n * eps) (INR n * delta)", "(INR n * eps) delta"),
    ("composition", "(INR n * eps) (INR n * delta)", "eps (INR n * delta)"),
    ("composition", "(forall T, sum_over (A T) outs = 1) ->", "(forall T, sum_over (A T) outs = 2) ->"),
    ("thm5_below_d", "gain beta (exp eps) p k <= delta.", "delta <= gain beta (exp eps) p k."),
    ("thm5_below_d", "(n_m <= n)%nat ->", "(S n_m <= n)%nat ->"),
    ("d_closed_form", "<= rho eps beta ^ k.", "<= rho eps beta ^ S k."),
    ("d_closed_form", "rho eps beta <= 1 /", "rho eps beta < 1 /"),
    ("d_maximum", "rho eps beta ^ M <= delta ->", "rho eps beta ^ M <= 1 ->"),
    ("d_maximum", "(INR (m + r) + 1)", "(INR (m + r) + 2)"),
    ("d_maximum", "(m < M)%nat ->", "(S m < M)%nat ->"),
    ("d_order", "eps <= eps' ->", "eps' <= eps ->"),
    ("d_order", "(k <= k')%nat ->", "(k' <= k)%nat ->"),
    ("thm6_fails", "(one_sample Row Cell eqb G w k).", "(fun O T => 0)."),
    ("thm6_fails", "safe Row Cell (exp eps1) w", "safe Row Cell 1 w"),
    ("cbp_maximum", "(m' - 1) <= delta) ->", "m' <= delta) ->"),
    ("cbp_maximum", "(INR (m + r) + 1)", "(INR (m + r) + 2)"),
    ("cbp_first", "(2 <= k)%nat ->", "(1 <= k)%nat ->"),
    ("cbp_first", "alike Row x A t u.", "alike Row 1 A t u."),
    ("cbp_hist", "crowd_blending Row k 1", "crowd_blending Row (S k) 1"),
    ("cbp_hist", "delta < 1 -> ~ DP", "delta <= 1 -> ~ DP"),
    ("thm6_two_samples", "eps1 - ln (1 - beta) <= eps ->", "- ln (1 - beta) <= eps ->"),
    ("thm6_two_samples", "safe Row Cell (exp eps1) w ->", "True ->"),
    ("cbp_main", "(1 <= n)%nat ->", "(2 <= n)%nat ->"),
    ("cbp_main", "p * (2 - p) / (1 - p) * exp eps + (1 - p)", "p * (1 - p) * exp eps + (1 - p)"),
    ("cbp_main", "crowd_blending Row k (exp eps) A ->", "crowd_blending Row (S k) (exp 1) A ->"),
)
"""A theorem, a part of its statement, and what that is replaced with so that the statement is false."""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    place = tmp_path_factory.mktemp("coq")
    for name in kernel.files():
        shutil.copy(kernel.FOLDER / name, place)
        kernel._call(place, "coqc", name)
    return place


def variant(theorem, old, new):
    """The statements with one of them changed; its proof stays."""
    text = (kernel.FOLDER / "Statements.v").read_text(encoding="utf-8")
    start = text.index(f"Theorem {theorem} ")
    end = text.index("Proof.", start)
    statement = text[start:end]
    assert old in statement, (theorem, old)
    return text[:start] + statement.replace(old, new, 1) + text[end:]


_ENDLESS = (
    "Proof. Unset Guard Checking. intros. exact (False_ind _ ((fix endless (n : nat) : False := endless n) O)). Qed."
)
"""A recursion that does not end proves whatever one likes."""


def test_every_row_that_names_a_theorem_is_kernel_checked():
    result = kernel.run()
    named = [each.theorem for each in STATEMENTS if each.theorem]
    assert len(named) == len(set(named)) >= 12
    for name in named:
        assert result.defects_of(name) == ()
        assert set(result.theorems[name].axioms) <= set(kernel.STANDARD)


def test_the_false_variants_are_rejected_and_the_statements_are_not(compiled):
    def accepted(number):
        theorem, old, new = FALSE[number]
        file = compiled / f"Variant{number}.v"
        file.write_text(variant(theorem, old, new), encoding="utf-8")
        try:
            kernel._call(compiled, "coqc", file.name)
        except kernel.KernelError:
            return False
        return True

    (compiled / "Variant.v").write_text(variant("thm5", "0 < beta < 1", "0 < beta < 1"), encoding="utf-8")
    kernel._call(compiled, "coqc", "Variant.v")  # unchanged, it compiles
    with ThreadPoolExecutor(2) as pool:
        survived = [FALSE[i] for i, ok in enumerate(pool.map(accepted, range(len(FALSE)))) if ok]
    assert survived == []
    assert {each.theorem for each in STATEMENTS if each.theorem} == {theorem for theorem, _, _ in FALSE}


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Proof. exact amplification. Qed.", "Proof. Admitted.", "rests on"),
        ("Theorem thm1 :", "Axiom evil : False.\nTheorem thm1 :", ""),
        ("Proof. exact amplification. Qed.", _ENDLESS, "assumed to be guarded"),
        ("0 < beta2 -> beta2 < beta1", "beta2 < beta1 -> 0 < beta2", "does not say what was reviewed"),
    ],
)
def test_a_theorem_that_was_tampered_with_is_noticed(compiled, tmp_path, old, new, why):
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    file = tmp_path / "Statements.v"
    text = file.read_text(encoding="utf-8")
    if "beta2 -> beta2" in old:
        text = text.replace("Proof. exact amplification. Qed.", "Proof. intros; apply amplification; assumption. Qed.")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    kernel._call(tmp_path, "coqc", "Statements.v")
    found = kernel.Kernel(kernel.ask(tmp_path, ["thm1"]), (), ran=True, version="")
    defects = found.defects_of("thm1")
    assert any(why in each for each in defects) if why else defects == ()


def test_prove_says_that_coq_ran():
    done = CliRunner().invoke(command, ["gamma", "--kernel"], standalone_mode=False)
    assert done.return_value == 0
    assert "checked just now by Coq" in " ".join(done.output.split())
