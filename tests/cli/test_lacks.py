"""What the machine has too little of is told with its remedy, and not as a bug."""

import errno
import subprocess
import sys

import pytest

from crowdproof.errors import ExitCode, TargetError, lack, told

LACKING = [
    *(OSError(number, "words") for number in (errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG)),
    *(OSError(number, "words", "some/file") for number in (errno.EROFS, errno.ENOMEM, errno.EAGAIN)),
    FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']"),
    MemoryError(),
    RuntimeError("can't start new thread"),
]


@pytest.mark.parametrize("error", LACKING, ids=repr)
def test_each_lack_has_one_sentence_with_its_remedy(error):
    words = told(error)
    assert "bug" not in words
    assert words.endswith(".")
    assert ": " in words
    assert (getattr(error, "filename", None) or "") in words


@pytest.mark.parametrize(
    "error", [ValueError("no"), FileNotFoundError(errno.ENOENT, "No such file"), RuntimeError("x"), TargetError("y.")]
)
def test_other_errors_are_no_lack(error):
    assert lack(error) is None


@pytest.mark.processes
@pytest.mark.parametrize("limit", ["-n 16", "-n 9", "-f 0"])
def test_a_run_under_a_narrow_limit_ends_with_3_and_a_remedy(tmp_path, limit):
    (tmp_path / "people.csv").write_text("age\n" + "\n".join(map(str, range(20, 26))) + "\n")
    (tmp_path / "mine.py").write_text("def f(table, rng):\n    return table.height + int(rng.integers(9))\n")
    audit = f"{sys.executable} -m crowdproof audit mine:f --claim 'dp(epsilon=1)' --data people.csv --runs 50 --seed 1"
    ran = subprocess.run(
        ["sh", "-c", f"ulimit {limit}; exec {audit}"], cwd=tmp_path, capture_output=True, text=True, timeout=100
    )
    said = ran.stdout + ran.stderr
    assert ran.returncode in {ExitCode.BROKEN, ExitCode.REFUTED, ExitCode.UNDECIDED}, said
    assert "bug of crowdproof" not in said
    assert "Traceback" not in said
