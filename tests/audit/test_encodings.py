"""Text that comes in: UTF-8 is read, with or without a byte order mark, and every other encoding is refused by name."""

import codecs
import json
import shlex
import sys

import polars as pl
import pytest
from gate_projects import entry, project_file
from hypothesis import given
from hypothesis import strategies as st

from crowdproof.audit.data.encoding import BLOCK, fault_in_file, fault_in_text
from crowdproof.audit.data.tables import read_table
from crowdproof.audit.targets import load_target
from crowdproof.audit.targets.exchange import decode
from crowdproof.errors import DataError, ExitCode, TargetError

TEXT = "name,age\nJosé,31\nZoë,47\nAnn,47\nBob,31\n"
PEOPLE = pl.DataFrame({"name": ["José", "Zoë", "Ann", "Bob"], "age": [31, 47, 47, 31]})

READ = ["utf-8", "utf-8-sig"]
REFUSED = {
    "utf-16": "is in UTF-16, by its byte order mark",
    "utf-16-le": "holds zero bytes in line 1, as UTF-16 and UTF-32 do",
    "utf-16-be": "holds zero bytes in line 1, as UTF-16 and UTF-32 do",
    "utf-32": "is in UTF-32, by its byte order mark",
    "utf-32-le": "holds zero bytes in line 1, as UTF-16 and UTF-32 do",
    "utf-32-be": "holds zero bytes in line 1, as UTF-16 and UTF-32 do",
    "latin-1": "is not UTF-8 in line 2, and may be Latin-1 or Windows-1252",
    "cp1252": "is not UTF-8 in line 2, and may be Latin-1 or Windows-1252",
    "mac-roman": "is not UTF-8 in line 2",
    "cp437": "is not UTF-8 in line 2",
}
BIG_ENDIAN = {
    "UTF-16": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "UTF-32": codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
}


@pytest.fixture
def crowdproof(monkeypatch, tmp_path, command_line):
    """The command line in a folder with a safe target."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "safe.py").write_text("def safe(table):\n    return 1\n")
    return command_line


def write(folder, encoding, name="people.csv"):
    path = folder / name
    path.write_bytes(TEXT.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", READ)
@pytest.mark.parametrize("text", [False, True])
def test_utf_8_is_read(encoding, text, tmp_path):
    expected = PEOPLE.cast(pl.String) if text else PEOPLE
    assert read_table(write(tmp_path, encoding), text=text).equals(expected)


@pytest.mark.parametrize("encoding", REFUSED)
@pytest.mark.parametrize("text", [False, True])
def test_another_encoding_is_refused_by_name(encoding, text, tmp_path):
    path = write(tmp_path, encoding)
    with pytest.raises(
        DataError, match=f"{path} cannot be read as csv: it {REFUSED[encoding]}.*; save it as CSV in UTF-8"
    ):
        read_table(path, text=text)


@pytest.mark.parametrize("name", BIG_ENDIAN)
def test_either_byte_order_is_known(name):
    assert fault_in_text(BIG_ENDIAN[name]) == f"is in {name}, by its byte order mark"


VERBS = {
    "check": ["check", "people.csv"],
    "audit": [
        "audit",
        "safe.py:safe",
        "--isolate",
        "none",
        "--claim",
        "dp(epsilon=1)",
        "--runs",
        "50",
        "--data",
        "people.csv",
    ],
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("encoding", REFUSED)
def test_the_crowdproof_refuses_it_in_one_sentence(encoding, verb, crowdproof, tmp_path):
    write(tmp_path, encoding)
    code, out, err = crowdproof(*VERBS[verb])
    assert (code, out) == (ExitCode.USAGE, "")
    shown = " ".join(err.split())
    assert "people.csv cannot be read as csv: it " + REFUSED[encoding] in shown
    assert shown.endswith("; save it as CSV in UTF-8.")
    assert "internal error" not in err


@pytest.mark.parametrize("encoding", READ)
def test_the_crowdproof_reads_utf_8(encoding, crowdproof, tmp_path):
    write(tmp_path, encoding)
    code, out, _ = crowdproof("check", "people.csv", "--k", "2", "--format", "json")
    smallest = json.loads(out)[0]
    assert code == ExitCode.REFUTED  # every name is unique
    assert smallest["verdict"]["kind"] == "refuted"
    assert "\ufeff" not in out
    assert crowdproof(*VERBS["audit"])[0] == ExitCode.HELD


def test_both_encodings_of_utf_8_say_the_same(crowdproof, tmp_path):
    shown = []
    for encoding in READ:
        write(tmp_path, encoding)
        shown.append(crowdproof("check", "people.csv", "--k", "2"))
    assert shown[0] == shown[1]


def test_a_gate_refuses_it_and_keeps_its_other_findings(crowdproof, tmp_path):
    write(tmp_path, "utf-16", "foreign.csv")
    write(tmp_path, "utf-8-sig", "good.csv")
    project_file(
        tmp_path,
        entry("foreign", target="safe.py:safe", isolate="'none'", data="'foreign.csv'"),
        entry("good", target="safe.py:safe", isolate="'none'", deterministic="true", data="'good.csv'"),
    )
    _, out, _ = crowdproof("gate", "--seed", "1", "--format", "json")
    foreign, good = json.loads(out)
    assert foreign["verdict"]["kind"] == "skipped"
    assert "foreign.csv cannot be read as csv: it is in UTF-16" in foreign["verdict"]["reason"]
    assert good["verdict"]["kind"] == "not-refuted"


def program(folder, encoding, *, stays=False):
    """A program that releases a table in this encoding: as CSV, or as a line of JSON for each line that it is given."""
    answer = json.dumps({"columns": ["name"], "rows": [["José"]]}, ensure_ascii=False) if stays else TEXT
    path = folder / "program.py"
    once = f"sys.stdout.buffer.write({answer.encode(encoding)!r})"
    loop = f"for _ in sys.stdin.buffer: {once}; sys.stdout.buffer.write(b'\\n'); sys.stdout.flush()"
    path.write_text(f"import sys\n{loop if stays else once}\n")
    kind = "lines" if stays else "command"
    return load_target(f"{kind}:{shlex.join([sys.executable, str(path)])}", timeout=20)


@pytest.mark.parametrize("encoding", READ)
def test_a_program_may_write_utf_8(encoding, tmp_path):
    assert program(tmp_path, encoding).runs(PEOPLE, [1])[0].equals(PEOPLE.cast(pl.String))
    with program(tmp_path, encoding, stays=True) as target:
        assert target.runs(PEOPLE, [1])[0]["name"].to_list() == ["José"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_a_program_that_writes_another_encoding_releases_nothing_that_can_be_read(encoding, tmp_path):
    with pytest.raises(
        TargetError, match=f"the output of .*program.py {REFUSED[encoding]}.*: let it be written in UTF-8"
    ):
        program(tmp_path, encoding).runs(PEOPLE, [1])
    words = REFUSED[encoding].replace("line 2", "line 1")  # an answer has one line
    with (
        program(tmp_path, encoding, stays=True) as target,
        pytest.raises(TargetError, match=f"the answer of .*program.py {words}"),
    ):
        target.runs(PEOPLE, [1])


def test_a_page_with_a_byte_order_mark_is_a_page():
    with pytest.raises(TargetError, match="is a page and no table"):
        decode("\ufeff<html>please log in</html>".encode(), "csv", "the output")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_a_recorded_output_in_another_encoding_is_named(encoding, tmp_path):
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        for number in range(4):
            write(tmp_path / side, "utf-8-sig" if number % 2 else "utf-8", f"{number}.csv")
    target = load_target(f"releases:{tmp_path}/left,{tmp_path}/right")
    assert all(each.equals(PEOPLE.cast(pl.String)) for each in target.runs("left", [0] * 4))
    write(tmp_path / "right", encoding, "2.csv")
    with pytest.raises(TargetError, match=f"right/2.csv cannot be read as csv: it {REFUSED[encoding]}"):
        target.runs("right", [0] * 4)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=50))
def test_all_text_in_utf_8_is_taken_for_it(text):
    assert fault_in_text(text.encode()) is None
    assert fault_in_text(text.encode("utf-8-sig")) is None


@given(st.binary(max_size=60))
def test_bytes_are_refused_exactly_where_they_are_not_utf_8(content):
    try:
        is_text = "\0" not in content.decode()
    except UnicodeDecodeError:
        is_text = False
    assert (fault_in_text(content) is None) == is_text


@pytest.mark.parametrize("tail", [b"\xe9\n", b"a\0\n", b"\xc3"], ids=["not UTF-8", "zero", "cut"])
def test_a_fault_far_into_a_file_is_found_and_a_character_on_the_edge_of_a_block_is_none(tail, tmp_path):
    path = tmp_path / "long.csv"
    edge = b"n\n" + b"a" * (BLOCK - 3) + "é\n".encode() * BLOCK  # the first é has a byte on either side of the edge
    assert edge[BLOCK - 1 : BLOCK + 1] == "é".encode()
    path.write_bytes(edge)
    assert fault_in_file(path) is None
    path.write_bytes(edge + tail)
    assert f"in line {BLOCK + 2:,}" in fault_in_file(path)
