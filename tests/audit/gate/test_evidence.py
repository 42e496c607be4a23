"""The evidence file: nothing counted twice, nothing lost that was committed, nothing overwritten."""

import contextlib
import math
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from fractions import Fraction

import pytest

from crowdproof.audit.gate.evidence import Epoch, Evidence, Slice
from crowdproof.errors import DataError, ParameterError

WRITER = textwrap.dedent(
    """
    import os, sys
    from pathlib import Path
    from crowdproof.audit.gate.evidence import Evidence, Slice
    path, processes, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    run = "0"
    for child in range(1, processes):  # forks, since twenty interpreters would take their time to start
        if os.fork() == 0:
            run, processes = str(child), 0
            break
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        for _ in range(count):
            number = evidence.draw(epoch)
            evidence.commit(epoch, number, run, Slice(1.0, 10, {"number": number}))
            os.write(1, f"{number}\\n".encode())
    for _ in range(1, processes):
        assert os.wait()[1] == 0
    """
)


def writer(path, processes, count):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(processes), str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "evidence.sqlite"


def add(evidence, epoch, log_e, run="run", **more):
    return evidence.commit(epoch, evidence.draw(epoch), run, Slice(log_e, 10, **more))


def test_evidence_adds_up_over_runs(path):
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        add(evidence, epoch, 2.0, "first", witness={"saw": 1}, state={"learned": 1})
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        standing = add(evidence, epoch, -0.5, "second", state={"learned": 2})
    assert (standing.log_e, standing.peak, standing.slices, standing.gates, standing.runs) == (1.5, 2.0, 2, 2, 20)
    assert (standing.witness, standing.state) == ({"saw": 1}, {"learned": 2})
    assert standing.refutes(Fraction(1, 7))
    assert not standing.refutes(Fraction(1, 8))


def test_the_witness_of_the_strongest_slice_is_kept(path):
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        for log_e, witness in ((1.0, "first"), (3.0, "strongest"), (2.0, "last"), (9.0, None)):
            standing = add(evidence, epoch, log_e, witness=witness)
    assert standing.witness == "strongest"


def test_another_key_begins_anew_with_a_smaller_share_of_the_error(path):
    error = Fraction(1, 10**6)
    with Evidence(path) as evidence:
        epochs = [evidence.open_epoch(key, "claim") for key in ("a", "b", "a", "c")]
        add(evidence, epochs[0], 5.0)
        assert [each.number for each in epochs] == [1, 2, 1, 3]
        assert evidence.standing(epochs[1]).log_e == 0
    assert sum(Epoch(m).alpha(error) for m in range(1, 500)) < error
    assert sum(Epoch(m).alpha(error) for m in range(1, 500)) > error * Fraction(99, 100)


def test_a_closed_epoch_is_not_taken_up_again(path):
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        add(evidence, epoch, 100.0)
        evidence.close_epoch(epoch)
        assert evidence.standing(evidence.open_epoch("key", "claim")).log_e == 0
        late = add(evidence, epoch, 100.0)
        assert (late.closed, late.slices) == (True, 1)


def test_a_slice_counts_once(path):
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        number = evidence.draw(epoch)
        evidence.commit(epoch, number, "run", Slice(1.0, 10))
        with pytest.raises(DataError):
            evidence.commit(epoch, number, "run", Slice(1.0, 10))
        assert evidence.standing(epoch).log_e == 1.0


@pytest.mark.parametrize("log_e", [math.nan, math.inf])
def test_what_is_no_e_value_is_not_taken(log_e):
    with Evidence() as evidence:
        epoch = evidence.open_epoch("key", "claim")
        with pytest.raises(ParameterError):
            add(evidence, epoch, log_e)
        assert evidence.standing(epoch).slices == 0


def test_an_e_value_of_zero_ends_all_hope_and_nothing_else(path):
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        add(evidence, epoch, -math.inf)
        assert add(evidence, epoch, 50.0).log_e == -math.inf
        assert not evidence.standing(epoch).refutes(Fraction(1, 2))


@pytest.mark.processes
def test_twenty_gates_at_once_lose_and_repeat_nothing(path):
    process = writer(path, 20, 5)
    drawn = [int(line) for line in process.communicate(timeout=100)[0].split()]
    assert process.returncode == 0
    assert sorted(drawn) == list(range(1, 101))
    with Evidence(path) as evidence:
        standing = evidence.standing(evidence.open_epoch("key", "claim"))
    assert (standing.log_e, standing.slices, standing.gates, standing.runs) == (100.0, 100, 20, 1000)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("after", [0, 1, 7, 23])
def test_kill_9_loses_nothing_that_was_committed(path, after):
    process = writer(path, 1, 10_000)
    told = [int(process.stdout.readline()) for _ in range(after)]
    os.kill(process.pid, signal.SIGKILL)
    told += [int(line) for line in process.stdout.read().split()]
    process.communicate()
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        standing = evidence.standing(epoch)
        assert len(told) <= standing.slices <= len(told) + 1  # at most the one that it had no time to tell of
        assert standing.log_e == standing.slices
        assert add(evidence, epoch, 1.0, "next").gates == 1 + (standing.slices > 0)


def test_no_truncated_file_is_taken_for_a_whole_one(path):
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        for _ in range(40):
            add(evidence, epoch, 1.0, run="x" * 400)
    whole = path.read_bytes()
    assert len(whole) > 5 * 4096
    for size in [0, 1, 15, 16, 99, 100, 101, *range(512, len(whole), 512), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(DataError, match="left as it is"):
            Evidence(path)
        assert path.read_bytes() == whole[:size]
    path.write_bytes(whole)
    with Evidence(path) as evidence:
        assert evidence.standing(evidence.open_epoch("key", "claim")).log_e == 40


def test_a_damaged_page_is_an_error_and_never_evidence(path):
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        for _ in range(40):
            add(evidence, epoch, 1.0, run="x" * 400)
    damaged = bytearray(path.read_bytes())
    damaged[4096:8192] = b"\x5a" * 4096
    path.write_bytes(damaged)
    with pytest.raises(DataError, match="left as it is"):
        Evidence(path)
    assert path.read_bytes() == bytes(damaged)


@pytest.mark.parametrize(
    "damage",
    ["UPDATE epochs SET state = '{bad'", "UPDATE epochs SET witness = x'ff00'", "DROP TABLE slices"],
)
def test_damaged_content_is_told_as_damage_and_left_alone(path, damage):
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        whole = add(evidence, epoch, 1.0, state={"learned": 1})
        assert evidence.standing(epoch) == whole
        evidence._file.base.execute(damage)
    before = path.read_bytes()
    with (
        Evidence(path) as evidence,
        pytest.raises(DataError, match=r"damaged or no evidence file .* left as it is") as told,
    ):
        evidence.standing(epoch)
    assert "writable" not in str(told.value)
    assert path.read_bytes() == before


PLANTED = {
    "trigger": "CREATE TRIGGER forged AFTER INSERT ON slices BEGIN UPDATE epochs SET peak = 1e9; END",
    "view": "DROP TABLE slices; CREATE VIEW slices AS SELECT 1 AS epoch",
    "index": "CREATE INDEX forged ON epochs (name)",
    "table": "CREATE TABLE forged AS SELECT * FROM slices",
}


@pytest.mark.parametrize("kind", PLANTED)
def test_what_is_not_ours_in_a_file_does_not_run(path, kind):
    Evidence(path).close()
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.executescript(PLANTED[kind])
    before = path.read_bytes()
    with pytest.raises(DataError, match="it was left as it is"):
        Evidence(path)
    assert path.read_bytes() == before


def test_a_file_that_must_not_be_written_is_told_as_such(path):
    with Evidence(path) as evidence:
        evidence._file.base.execute("PRAGMA query_only = ON")
        with pytest.raises(DataError, match="Is its folder writable"):
            evidence.open_epoch("key", "claim")


def test_foreign_files_are_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("my notes, which are longer than a header of SQLite, " * 10)
    other = tmp_path / "other.sqlite"
    base = sqlite3.connect(other)
    base.execute("CREATE TABLE epochs (number INTEGER)")
    base.commit()
    base.close()
    newer = tmp_path / "newer.sqlite"
    Evidence(newer).close()
    base = sqlite3.connect(newer)
    base.execute("PRAGMA user_version = 99")
    base.close()
    for path in (text, other, newer):
        before = path.read_bytes()
        with pytest.raises(DataError, match="left as it is"):
            Evidence(path)
        assert path.read_bytes() == before


EARLY_TABLES = """
PRAGMA application_id = 0x43524F57;
PRAGMA user_version = 1;
CREATE TABLE epochs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    opened TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    closed TEXT,
    slices INTEGER NOT NULL DEFAULT 0,
    peak REAL NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'null'
);
CREATE UNIQUE INDEX one_open_epoch ON epochs (key) WHERE closed IS NULL;
CREATE TABLE slices (
    epoch INTEGER NOT NULL REFERENCES epochs (number),
    number INTEGER NOT NULL,
    run TEXT NOT NULL,
    committed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    log_e REAL NOT NULL,
    runs INTEGER NOT NULL,
    witness TEXT NOT NULL,
    PRIMARY KEY (epoch, number)
);
"""
"""The tables that early builds of version 0.1 wrote under the same number."""


def test_a_file_of_an_early_build_is_refused_in_one_sentence_and_left_alone(tmp_path):
    path = tmp_path / "early.sqlite"
    base = sqlite3.connect(path)
    base.executescript(EARLY_TABLES)
    base.close()
    before = path.read_bytes()
    with pytest.raises(
        DataError, match=r"^\S+early\.sqlite is an evidence file of an early build of .* left as it is\.$"
    ):
        Evidence(path)
    assert path.read_bytes() == before


def test_a_folder_or_a_place_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(DataError):
        Evidence(tmp_path)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(DataError):
        Evidence(file / "evidence.sqlite")
