"""Programs that spoil the files and pipes of their run: each is an error of the target, within its time limit."""

import sys
import tempfile
import time

import polars as pl
import pytest

from crowdproof.audit.targets import load_target
from crowdproof.errors import NoReleaseError, TargetError

pytestmark = pytest.mark.processes

PEOPLE = pl.DataFrame({"age": [31, 47, 60]})
MANY = pl.DataFrame({"age": list(range(20_000)), "name": ["somebody"] * 20_000})
HEAD = "import os, shutil, sys\nplace = sys.argv[1]\nfolder = os.path.dirname(place)\n"


def command(folder, body, output=False, timeout=20):
    (folder / "it.py").write_text(HEAD + body)
    more = "{output}" if output else ""
    return load_target(f"command:{sys.executable} {folder}/it.py {{input}} {more}", timeout=timeout)


SPOILT = {
    "makes a FIFO of its output": ("os.mkfifo(sys.argv[2])", "wrote no file"),
    "makes a folder of its output": ("os.mkdir(sys.argv[2])", "wrote no file"),
    "makes a link to a device": ("os.symlink('/dev/zero', sys.argv[2])", "wrote no file"),
    "removes its folder": ("shutil.rmtree(folder)", "wrote no file"),
    "renames its folder": ("os.rename(folder, os.path.join(os.path.dirname(__file__), 'moved'))", "wrote no file"),
    "inflates its output": ("open(sys.argv[2], 'wb').truncate(1 << 40)", "wrote 1,048,576 MiB"),
    "inflates its stderr": ("os.write(2, b'why'); os.ftruncate(2, 1 << 40); sys.exit(1)", "exit status 1"),
    "nests folders": (
        "os.chdir(folder)\nfor _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')",
        "wrote no file",
    ),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_a_program_that_spoils_its_files_is_told_of(tmp_path, kind, monkeypatch):
    body, words = SPOILT[kind]
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    start = time.monotonic()
    with command(tmp_path, body, output=True) as target, pytest.raises(TargetError, match=words):
        target.runs(PEOPLE, [1])
    assert time.monotonic() - start < 15
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    "body",
    [
        "for each in ('stdout', 'stderr'):\n    os.path.exists(f'{folder}/{each}') or os.mkfifo(f'{folder}/{each}')",
        "shutil.rmtree(folder)",
        "os.rename(folder, os.path.join(os.path.dirname(__file__), 'moved'))",
    ],
)
def test_what_it_prints_is_read_all_the_same(tmp_path, body):
    with command(tmp_path, f"{body}\nprint('age')\nprint(3)") as target:
        assert target.runs(PEOPLE, [1])[0].to_dicts() == [{"age": "3"}]
    with (
        command(tmp_path, "shutil.rmtree(folder)\nprint('why', file=sys.stderr)\nsys.exit(1)") as target,
        pytest.raises(NoReleaseError, match="Its stderr ends: why"),
    ):
        target.runs(PEOPLE, [1])


def test_output_that_is_inflated_is_not_read(tmp_path):
    with (
        command(tmp_path, "os.ftruncate(1, 1 << 40)") as target,
        pytest.raises(TargetError, match="wrote 1,048,576 MiB"),
    ):
        target.runs(PEOPLE, [1])


def lines(folder, body, timeout):
    (folder / "it.py").write_text(f"import os, sys, time\n{body}")
    return load_target(f"lines:{sys.executable} {folder}/it.py", timeout=timeout)


@pytest.mark.parametrize("body", ["time.sleep(60)", "sys.stdin.read(70_000)\ntime.sleep(60)"])
def test_a_program_that_does_not_read_is_not_waited_for(tmp_path, body):
    start = time.monotonic()
    with lines(tmp_path, body, timeout=2) as target, pytest.raises(TargetError, match="did not read its input within"):
        target.runs(MANY, [1])
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("body", ["os.close(0)\ntime.sleep(60)", "os.close(1)\ntime.sleep(60)", "sys.exit(0)"])
def test_a_program_that_hangs_up_is_told_of(tmp_path, body):
    with lines(tmp_path, body, timeout=20) as target, pytest.raises(TargetError, match="instead of answering"):
        target.runs(MANY, [1])


def test_a_program_that_talks_while_it_reads_is_heard(tmp_path):
    body = """
import json
for line in sys.stdin:
    sys.stdout.write(json.dumps({"value": line[:300_000]})[:-2])
    sys.stdout.flush()
    print('"}', flush=True)
"""
    with lines(tmp_path, body, timeout=20) as target:
        assert [len(each) for each in target.runs(MANY, [1, 2])] == [300_000] * 2


ANSWERS = """
import json
for number, line in enumerate(sys.stdin):
    print(json.dumps({{"value": len(json.loads(line)["rows"])}}), flush=False)
    {more}
    sys.stdout.flush()
"""


@pytest.mark.parametrize("more", ["number == 1 and print('{\"value\": 9}')", "print('')", "sys.stdout.write('{')"])
def test_a_line_that_nobody_asked_for_is_no_answer_to_the_next_question(tmp_path, more):
    answered, refused = [], []
    with lines(tmp_path, ANSWERS.format(more=more), timeout=20) as target:
        for rows in (3, 2, 3, 2):
            try:
                answered += [(rows, *target.runs(PEOPLE.head(rows), [1]))]
            except TargetError as error:
                refused.append(str(error))
            time.sleep(0.3)
    assert all(rows == released for rows, released in answered)
    assert refused
    assert all("wrote more than one line for a run" in each for each in refused)


def test_its_twin_that_answers_once_is_heard(tmp_path):
    with lines(tmp_path, ANSWERS.format(more="pass"), timeout=20) as target:
        assert target.runs(PEOPLE, range(20)) == [3] * 20


def test_an_answer_before_the_question_is_none(tmp_path):
    """The question is longer than a pipe holds, so that the program answers before it has read it."""
    body = "print('{\"value\": 1}', flush=True)\nsys.stdin.readline()\ntime.sleep(60)"
    with (
        lines(tmp_path, body, timeout=20) as target,
        pytest.raises(TargetError, match="wrote more than one line for a run"),
    ):
        target.runs(MANY, [1])
