"""Damaged Parquet files: some make polars panic, which is no Exception; all are errors of the file, or tables."""

import gzip
import json
import sys

import polars as pl
import pytest
from gate_projects import entry, project_file

from crowdproof.audit.data import separated
from crowdproof.audit.data.tables import read_table
from crowdproof.audit.targets import load_target
from crowdproof.cli import main
from crowdproof.errors import DataError, ExitCode, TargetError

TABLE = pl.DataFrame({"age": [20 + i % 9 for i in range(60)], "zip": [str(i) * (i % 5 + 1) for i in range(60)]})


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """Thirty files that cannot be read: eight cut off, the others with a byte turned over; panics of polars first."""
    folder = tmp_path_factory.mktemp("damaged")
    TABLE.write_parquet(folder / "whole.parquet", compression="uncompressed")
    content = (folder / "whole.parquet").read_bytes()
    turned = [_turned(content, place) for place in range(100, 900)]
    faults = [(_fault(each, folder / "one.parquet"), each) for each in turned]
    panics = [each for fault, each in faults if fault is pl.exceptions.PanicException]
    others = [each for fault, each in faults if fault not in {None, pl.exceptions.PanicException}]
    cut = [content[: len(content) * part // 9] for part in range(1, 9)]
    files = [*panics, *others[:: len(others) // 30]][:22] + cut
    for number, each in enumerate(files):
        (folder / f"{number}.parquet").write_bytes(each)
    return [folder / f"{number}.parquet" for number in range(len(files))]


def _turned(content, place):
    changed = bytearray(content)
    changed[place] ^= 0xFF
    return bytes(changed)


def _fault(content, path):
    """What polars raises."""
    path.write_bytes(content)
    try:
        pl.read_parquet(path)
    except BaseException as error:  # noqa: BLE001
        return type(error)
    return None


def test_a_damaged_file_is_an_error_of_the_file(damaged):
    assert len(damaged) == 30
    for path in damaged:
        with pytest.raises(DataError, match="cannot be read as parquet"):
            read_table(path)


def test_a_panic_of_polars_is_an_error_of_the_file(tmp_path, monkeypatch):
    """Whichever files make this version of polars panic."""

    def panic(*_, **__):
        raise pl.exceptions.PanicException("called `Option::unwrap()` on a `None` value")

    TABLE.write_parquet(tmp_path / "whole.parquet")
    monkeypatch.setattr(pl.LazyFrame, "collect", panic)
    with pytest.raises(DataError, match="cannot be read as parquet: called"):
        read_table(tmp_path / "whole.parquet")


def test_as_a_release_it_is_no_release(damaged):
    for path in damaged[:6]:
        with pytest.raises(TargetError, match="is not a readable parquet table"):
            load_target(f"command:cp {path} {{output}}", form="parquet").runs(TABLE, [1])


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["crowdproof", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code, *capsys.readouterr()


def test_check_and_audit_tell_of_it_in_one_sentence(damaged, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "same.py").write_text("def same(table):\n    return 1\n")
    options = ["--claim", "dp(epsilon=1)", "--isolate", "none", "--search", "0"]
    for path in damaged:
        for verb in (["check", path], ["audit", "same.py:same", *options, "--data", path]):
            code, out, err = run(monkeypatch, capsys, *verb)
            assert (code, out) == (ExitCode.USAGE, "")
            assert err.startswith("crowdproof: ")
            assert "cannot be read as parquet" in err


def test_a_gate_keeps_its_other_findings(damaged, tmp_path, monkeypatch, capsys):
    (tmp_path / "leaks.py").write_text("def f(table):\n    return sorted(table['age'].to_list())\n")
    project_file(
        tmp_path,
        entry("leaks", target="leaks.py:f", isolate="'none'", deterministic="true"),
        *(entry(f"damaged {i}", isolate="'none'", data=f"'{path}'") for i, path in enumerate(damaged)),
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(monkeypatch, capsys, "gate", "--seed", "1", "--format", "json")
    kinds = [each["verdict"]["kind"] for each in json.loads(out)]
    assert (code, kinds[0], set(kinds[1:])) == (ExitCode.REFUTED, "refuted", {"skipped"})


def test_a_compressed_file_is_not_unpacked_without_end(tmp_path, monkeypatch):
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(b"age\n" + b"1\n" * 1000))
    assert read_table(path).height == 1000
    monkeypatch.setattr(separated, "MOST_UNPACKED", 100)
    with pytest.raises(DataError, match="unpacks to more than"):
        read_table(path)
