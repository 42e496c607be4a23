"""Commands, services and release pairs: every way to go wrong has its message."""

import contextlib
import http.server
import itertools
import os
import shlex
import shutil
import sqlite3
import sys
import tempfile
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crowdproof.audit import audit
from crowdproof.audit.data.tables import read_table
from crowdproof.audit.targets import ReleasePair, command, line_program, load_target, log_file
from crowdproof.claims import DP, Neighbours
from crowdproof.errors import DataError, ExitCode, NoReleaseError, ParameterError, TargetError
from crowdproof.findings import Refuted, Skipped, Undecided

SUBJECT = Path(__file__).with_name("subject.py")
PEOPLE = pl.DataFrame({"age": [31, 47], "sex": ["f", None]})


def run(command, **options):
    return load_target(f"command:{command}", timeout=20, **options).runs(PEOPLE, [3])[0]


def test_a_missing_program_is_named():
    with pytest.raises(TargetError, match=r"there is no program './absent' .command: ./absent --in"):
        run("./absent --in {input}")


def test_a_failing_program_shows_command_status_and_the_end_of_stderr():
    with pytest.raises(NoReleaseError, match=r"sh -c .*exit 3.* ended with exit status 3. Its stderr ends: bad k"):
        run("sh -c 'echo bad k >&2; exit 3'")


def test_a_program_killed_by_a_signal_is_not_a_refusal():
    with pytest.raises(TargetError, match="signal SIGKILL") as caught:
        run("sh -c 'kill -9 $$'")
    assert not isinstance(caught.value, NoReleaseError)


@pytest.mark.parametrize(
    ("status", "refused"), [(1, True), (123, True), *((code, False) for code in (124, 125, 126, 127, 134, 137, 255))]
)
def test_statuses_of_a_program_that_did_not_run_to_its_end_are_not_refusals(status, refused):
    with pytest.raises(TargetError, match=f"exit status {status}") as caught:
        run(f"sh -c 'exit {status}'")
    assert isinstance(caught.value, NoReleaseError) is refused


def test_no_file_an_empty_file_and_a_broken_file_are_told_apart():
    with pytest.raises(TargetError, match=r"exit status 0 and wrote no file. Its stderr ends: oops"):
        run("sh -c 'echo oops >&2' {output}")
    with pytest.raises(TargetError, match="is empty"):
        run("sh -c ': > $0' {output}")
    with pytest.raises(TargetError, match="is not a readable parquet table"):
        run("sh -c 'echo hello > $0' {output}", form="parquet")


def test_a_hanging_program_is_stopped_with_all_it_started():
    target = load_target("command:sh -c 'echo working >&2; sleep 600 & wait'", timeout=0.5)
    with pytest.raises(TargetError, match=r"stopped after 0.5 s without ending.*stderr ends: working"):
        target.runs(PEOPLE, [1])


def test_the_memory_of_a_program_is_limited():
    command = f"{sys.executable} -c 'len(bytearray(1 << 33))'"
    with pytest.raises(TargetError, match=r"(?s)memory limit of 1,024 MiB .*MemoryError"):
        load_target(f"command:{command}", memory=2**30, timeout=20).runs(PEOPLE, [1])


LINES_ERROR = f"lines:{sys.executable} -c 'input(); print(dict(error=1))'".replace(
    "dict(error=1)", '__import__("json").dumps(dict(error=1))'
)


@pytest.mark.parametrize("spec", ["command:sh -c 'exit 1'", LINES_ERROR])
@pytest.mark.parametrize("memory", [None, 2**30])
def test_under_a_limit_of_ours_no_refusal_is_an_answer(spec, memory):
    with load_target(spec, memory=memory, timeout=20) as target:
        with pytest.raises(TargetError) as caught:
            target.runs(PEOPLE, [1])
        assert isinstance(caught.value, NoReleaseError) is (memory is None)
        assert ("raise the limit, or leave it out" in str(caught.value)) is (memory is not None)


def test_what_a_target_logs_takes_no_space_for_ever(monkeypatch):
    answer = "print(json.dumps(dict(value=1)), flush=True)"
    talkative = f"import json, sys\nfor _ in sys.stdin: sys.stderr.write('x' * 2**20); {answer}"
    monkeypatch.setattr(log_file, "LOG_BYTES", 3 * 2**20)
    with load_target(f"lines:{sys.executable} -c {shlex.quote(talkative)}", timeout=20) as target:
        assert target.runs(PEOPLE, range(20)) == [1] * 20
        assert os.fstat(target._live._log.fileno()).st_size <= 4 * 2**20
    with load_target(f"{Path(__file__).with_name('odd.py')}:logs_much", timeout=20, isolate="worker") as target:
        assert target.runs(PEOPLE, range(40)) == [1] * 40
        assert os.fstat(target._process._live._log.fileno()).st_size <= 30 * 2**20  # 16 runs are ahead of us


@pytest.mark.parametrize("start", ["command:sh -c", "lines:sh -c"])
@pytest.mark.parametrize("where", [1, 2])
def test_a_program_that_prints_without_end_is_stopped(monkeypatch, start, where):
    monkeypatch.setattr(command, "MOST_BYTES", 2**20)
    monkeypatch.setattr(line_program, "MOST_BYTES", 2**20)
    monkeypatch.setattr(command, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(line_program, "LOOK_SECONDS", 0.1)
    with (
        load_target(f"{start} 'head -c 3000000 /dev/zero >&{where}; sleep 30'", timeout=20) as target,
        pytest.raises(TargetError, match=r"MiB|more than one line"),  # it may be heard before it was asked
    ):
        target.runs(PEOPLE, [1])


def test_a_folder_that_a_program_left_is_removed_however_deep_it_is(tmp_path, monkeypatch):
    def too_many(*_, **__):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(shutil, "rmtree", too_many)
    assert run("sh -c 'mkdir -p $(dirname $0)/a/b; cat'  {input}").equals(PEOPLE.cast(pl.String))
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_parquet_keeps_types_and_csv_comes_back_as_text():
    assert run("cp {input} {output}", form="parquet").equals(PEOPLE)
    assert run("cp {input} {output}").equals(PEOPLE.cast(pl.String))
    assert run("cat").equals(PEOPLE.cast(pl.String))


def test_seed_and_parameters_reach_the_command():
    assert run("sh -c 'echo a; echo $0-$1-$CROWDPROOF_SEED' {seed} {k}", params={"k": 7})["a"].to_list() == ["3-7-3"]


@pytest.mark.parametrize(
    ("command", "params", "match"),
    [
        ("", {}, "command is empty"),
        ("x 'unclosed", {}, "cannot be read"),
        ("x {input} {k}", {}, "nothing fills {k}.*{input}, {output}, {seed}"),
        ("x {input}", {"k": 3}, "no place for 'k': write {k} in it"),
    ],
)
def test_a_command_that_cannot_work_is_an_error_at_once(command, params, match):
    with pytest.raises(ParameterError, match=match):
        load_target(f"command:{command}", params=params)


def test_programs_are_given_tables_only():
    with pytest.raises(DataError, match="takes a table, and this dataset is a dict"):
        load_target("command:cat").runs({}, [1])
    assert load_target("command:cat").runs(np.array([1, 2]), [1])[0]["value"].to_list() == ["1", "2"]


@pytest.mark.parametrize("others", ["parquet", "arrow", "sqlite"])
@pytest.mark.parametrize("mixed_within", [True, False])
def test_releases_in_files_of_different_kinds_are_refused(tmp_path, others, mixed_within):
    for side in "ab":
        (tmp_path / side).mkdir()
        PEOPLE.write_csv(tmp_path / side / "0.csv")
    (tmp_path / "b" / ("1.csv" if mixed_within else "0.csv")).write_text("age\n3\n")
    (tmp_path / "b" / "0.csv").rename(tmp_path / "b" / f"0.{others}")
    with pytest.raises(ParameterError, match=r"files of different kinds.*write all outputs in one of them"):
        ReleasePair(tmp_path / "a", tmp_path / "b")


def test_releases_in_text_files_of_any_ending_are_of_one_kind(tmp_path):
    for side, ending in (("a", "csv"), ("b", "tsv")):
        (tmp_path / side).mkdir()
        PEOPLE.write_csv(tmp_path / side / f"0.{ending}", separator="," if ending == "csv" else "\t")
    pair = ReleasePair(tmp_path / "a", tmp_path / "b")
    (left,), (right,) = pair.runs("left", [1]), pair.runs("right", [1])
    assert left.equals(right)


@pytest.mark.slow
def test_a_program_that_stays_up_and_counts_is_started_anew():
    with load_target(f"lines:{sys.executable} {SUBJECT} lines", params={"mode": "counting"}) as target:
        assert target.runs(PEOPLE, [1, 2]) == [1, 2]
        assert target.examine(PEOPLE).stateful
        assert target.runs(PEOPLE, [1, 2]) == [1, 1]
        assert target.spec["isolate"] == "fresh"


def test_a_line_that_is_not_json_is_shown():
    shown = pytest.raises(TargetError, match="is not JSON: 'hello'")
    with load_target(f"lines:{sys.executable} {SUBJECT} lines", params={"mode": "garbage"}) as target, shown:
        target.runs(PEOPLE, [1])


def test_a_service_that_is_not_there():
    with pytest.raises(TargetError, match=r"http://127.0.0.1:9/x cannot be reached"):
        load_target("http://127.0.0.1:9/x", timeout=5).runs(PEOPLE, [1])


@pytest.fixture
def service():
    """Start a service that gives the first tables a release, and all others what `after` says."""
    servers = []

    def start(releases, after):
        asked = itertools.count(1)

        class Service(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = 200 if next(asked) <= releases else after(body)
                self.send_response(status)
                content = b"answer\nconstant\n" if status == 200 else b"no"
                self.send_header("Content-Type", "text/csv")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        servers.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return load_target(f"http://127.0.0.1:{servers[-1].server_port}/x", timeout=20)

    yield start
    for each in servers:
        each.shutdown()
        each.server_close()


@pytest.mark.parametrize(
    ("status", "refused"),
    [(400, True), (422, True), *((code, False) for code in (401, 403, 404, 407, 408, 409, 413, 425, 429, 500, 503))],
)
def test_a_service_refuses_a_table_by_two_statuses_and_fails_by_the_others(status, refused, service):
    with pytest.raises(TargetError, match=f"answered with status {status}") as caught:
        service(0, lambda _: status).runs(PEOPLE, [1])
    assert isinstance(caught.value, NoReleaseError) is refused
    assert ("let the service answer" in str(caught.value)) is not refused


@pytest.mark.slow
def test_a_rate_limit_is_no_leak_and_a_refusal_that_depends_on_a_row_is(service):
    table = pl.DataFrame({"age": [30 + i % 7 for i in range(20)] + [95]})
    limited = audit(service(60, lambda _: 429), DP(1), data=table, search=0)
    assert isinstance(limited.verdict, Skipped)
    assert "429" in limited.verdict.reason
    leaky = audit(service(0, lambda body: 422 if b"95" in body else 200), DP(1), data=table, search=0)
    assert isinstance(leaky.verdict, Refuted)


@pytest.fixture
def folders(tmp_path):
    for side, ages in (("left", [1, 2, 3]), ("right", [4, 5, 6])):
        (tmp_path / side).mkdir()
        for i, age in enumerate(ages):
            pl.DataFrame({"age": [age]}).write_csv(tmp_path / side / f"{i}.csv")
    return f"{tmp_path}/left,{tmp_path}/right"


def test_each_file_of_a_release_pair_is_used_once(folders):
    target = load_target(f"releases:{folders}")
    assert isinstance(target, ReleasePair)
    pair = target.pair(Neighbours.ADD_REMOVE)
    assert target.sizes == (3, 3)
    assert [each["age"][0] for each in target.runs(pair.left, [0, 0])] == ["1", "2"]
    assert [each["age"][0] for each in target.runs(pair.right, [0])] == ["4"]
    target.examine(pair.left)
    assert target.runs(pair.left, [0])[0]["age"][0] == "3"
    with pytest.raises(TargetError, match="all 3 outputs of the left folder are used"):
        target.runs(pair.left, [0])
    target.rewind()
    assert target.runs(pair.left, [0])[0]["age"][0] == "1"
    assert target.deterministic is False


def test_a_release_pair_stays_where_its_files_are_counted(folders):
    import pickle

    target = load_target(f"releases:{folders}")
    with pytest.raises(ParameterError, match="in this process"):
        pickle.dumps(target)
    with pytest.raises(ParameterError, match="cannot be run on other data"):
        target.runs(PEOPLE, [1])


def recorded(folder, outputs, shift):
    """Noisy counts of a dataset and of its neighbour, of which the first has `shift` people more."""
    rng = np.random.default_rng(3)
    for side, more in (("left", shift), ("right", 0)):
        (folder / side).mkdir()
        for i in range(outputs):
            (folder / side / f"{i:03}.csv").write_text(f"count\n{20 + more + int(rng.integers(0, 2))}\n")
    return load_target(f"releases:{folder}/left,{folder}/right")


@pytest.mark.parametrize(("shift", "verdict"), [(1, "REFUTED"), (0, "NOT_REFUTED")])
def test_outputs_that_somebody_else_made_are_audited_as_they_are(shift, verdict, tmp_path):
    """The leaky twin counts one person more exactly; the safe twin has the same law on both sides."""
    target = recorded(tmp_path, 160, shift)
    pair = target.pair(Neighbours.ADD_REMOVE)
    for _ in range(2):  # the files are there for every claim
        finding = audit(target, DP("0.1"), pairs=[pair], error=Fraction(1, 10**6), seed=1)
        assert finding.verdict.name == verdict
        assert finding.cost.runs > 100


@pytest.mark.parametrize("outputs", [1, 3, 12])
def test_too_few_outputs_are_nothing_to_audit_whatever_they_show(outputs, tmp_path):
    target = recorded(tmp_path, outputs, 5)
    finding = audit(target, DP(0), pairs=[target.pair(Neighbours.ADD_REMOVE)])
    assert isinstance(finding.verdict, Undecided)
    assert "give more outputs" in finding.verdict.reason


DAMAGE = {
    "cut off": ("077.csv", b'count\n"20'),
    "empty": ("077.csv", b""),
    "too wide": ("077.csv", b"count\n20,21\n"),
    "no text": ("077.csv", bytes(range(256))),
    "no Parquet": ("077.parquet", b"PAR1 rubbish PAR1"),
    "no database": ("077.sqlite", b"no database at all"),
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_damaged_file_among_the_outputs_is_named_and_no_run_without_a_release(kind, side, tmp_path):
    name, content = DAMAGE[kind]
    recorded(tmp_path, 160, 0)
    ending = Path(name).suffix
    for file in tmp_path.glob("*/*.csv") if ending == ".parquet" else ():
        read_table(file, text=True).write_parquet(file.with_suffix(ending))
        file.unlink()
    for file in tmp_path.glob("*/*.csv") if ending == ".sqlite" else ():
        with contextlib.closing(sqlite3.connect(file.with_suffix(ending))) as base, base:
            base.execute("CREATE TABLE t (count TEXT)")
            base.executemany("INSERT INTO t VALUES (?)", read_table(file, text=True).rows())
        file.unlink()
    (tmp_path / side / name).write_bytes(content)
    target = load_target(f"releases:{tmp_path}/left,{tmp_path}/right")
    finding = audit(target, DP("0.1"), pairs=[target.pair(Neighbours.ADD_REMOVE)], seed=1)
    assert isinstance(finding.verdict, Skipped)
    assert f"{side}/{name}" in finding.verdict.reason
    assert "one of the outputs cannot be used" in finding.verdict.reason


def test_a_damaged_file_is_named_already_when_the_outputs_are_looked_at(tmp_path):
    target = recorded(tmp_path, 4, 0)
    assert target.examine("left").reproducible
    (tmp_path / "left" / "002.csv").write_bytes(b"")
    with pytest.raises(TargetError, match=r"left/002\.csv is empty"):
        target.examine("left")


def test_folders_that_hold_nothing(tmp_path):
    with pytest.raises(ParameterError, match="needs two folders"):
        load_target("releases:one")
    with pytest.raises(ParameterError, match="holds no outputs"):
        load_target(f"releases:{tmp_path},{tmp_path}")


def test_one_folder_cannot_be_both_sides(tmp_path, folders):
    (tmp_path / "link").symlink_to(tmp_path / "left")
    for other in ("left", "./left", "right/../left", "link"):
        with pytest.raises(ParameterError, match="are the same folder: give one with outputs on the one dataset"):
            load_target(f"releases:{tmp_path}/left,{tmp_path}/{other}")


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", ["hardlink_to", "symlink_to"])
def test_one_file_cannot_be_two_outputs(kind, side, tmp_path, folders):
    getattr(tmp_path / side / "9.csv", kind)(tmp_path / "left" / "1.csv")
    with pytest.raises(ParameterError, match=r"left/1\.csv and .*/9\.csv are the same file"):
        load_target(f"releases:{folders}")


def test_a_file_that_would_not_be_read_is_named(tmp_path, folders):
    (tmp_path / "right" / ".hidden").write_text("not looked at")
    assert load_target(f"releases:{folders}").sizes == (3, 3)
    for name in ("b.txt", "c.pdf"):
        (tmp_path / "right" / name).write_text("age\n1\n")
    with pytest.raises(ParameterError, match=r"right/b\.txt is no output .* 2 of the 5 files .*move all other files"):
        load_target(f"releases:{folders}")


def test_the_command_line_refuses_one_folder_twice(tmp_path, folders, capsys, monkeypatch):
    from crowdproof.cli import main

    folder = f"{tmp_path}/left"
    monkeypatch.setattr(sys, "argv", ["crowdproof", "audit", f"releases:{folder},{folder}", "--claim", "dp(epsilon=1)"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == ExitCode.USAGE
    assert "are the same folder" in capsys.readouterr().err
