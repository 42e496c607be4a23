"""A report is written whole, whatever has taken its place, and where the user said."""

import os
import stat
import tempfile
import threading

import pytest
from report.samples import SAMPLES

from crowdproof.cli import files
from crowdproof.findings import Finding, Skipped
from crowdproof.report import FORMATS, render


def test_a_fifo_that_was_made_during_the_run_is_not_waited_for(tmp_path):
    path = tmp_path / "o.json"
    files.remember(path)
    os.mkfifo(path)
    files.put(path, b"[]")
    assert path.read_bytes() == b"[]"
    assert list(tmp_path.iterdir()) == [path]


def test_a_fifo_of_the_user_is_written_to(tmp_path):
    path = tmp_path / "o.json"
    os.mkfifo(path)
    files.remember(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    files.put(path, b"[]")
    reader.join(10)
    assert read == [b"[]"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_link_and_the_rights_of_a_file_stay(tmp_path):
    path, link = tmp_path / "o.json", tmp_path / "link.json"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path)
    files.put(link, b"after")
    assert link.is_symlink()
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("after", 0o640)


@pytest.mark.parametrize("victim", ["victim", "/dev/null", "/dev/full", "nowhere/at/all"])
def test_a_link_that_was_made_during_the_run_is_not_followed(tmp_path, victim):
    (tmp_path / "victim").write_text("whole")
    path, own = tmp_path / "o.json", tmp_path / "own.json"
    own.symlink_to("victim")
    for each in (path, own):
        files.remember(each)
    own.unlink()
    for each in (path, own):
        each.symlink_to(victim if each is path else "elsewhere")
        files.put(each, b"[]")
        assert not each.is_symlink()
        assert each.read_bytes() == b"[]"
    assert (tmp_path / "victim").read_text() == "whole"


def test_devices_are_written_to(tmp_path):
    files.put(files.Path("/dev/null"), b"x")
    assert stat.S_ISCHR(files.Path("/dev/null").stat().st_mode)
    with (tmp_path / "o").open("wb") as file:
        files.put(files.Path(f"/dev/fd/{file.fileno()}"), b"x")
    assert (tmp_path / "o").read_bytes() == b"x"


def test_what_cannot_be_replaced_stays_as_it_is(tmp_path):
    (tmp_path / "o.json").mkdir()
    with pytest.raises(IsADirectoryError):
        files.put(tmp_path / "o.json", b"x")
    assert [each.name for each in tmp_path.iterdir()] == ["o.json"]


@pytest.mark.parametrize("form", FORMATS)
def test_half_a_character_spoils_no_format(form):
    findings = [*SAMPLES, Finding("it\ud800", SAMPLES[0].claim, Skipped("it said \udfff."))]
    text = render(findings, form)
    text.encode()
    assert "udfff" in text or form == "junit"  # LaTeX writes the backslash before it in its own way


@pytest.mark.parametrize("behind_a_link", [False, True])
@pytest.mark.parametrize("victim", ["victim", "/dev", "/proc/self/fd"])
def test_nothing_is_written_into_a_folder_that_took_the_place_of_the_one_that_was_named(
    tmp_path, victim, behind_a_link
):
    for name in ("reports", "victim"):
        (tmp_path / name).mkdir()
    path = tmp_path / "reports" / "o.json"
    if behind_a_link:
        path = tmp_path / "link.json"
        path.symlink_to("reports/o.json")
    files.remember(path)
    (tmp_path / "reports").rename(tmp_path / "moved")
    (tmp_path / "reports").symlink_to(victim)
    with pytest.raises(OSError, match="another folder took the place of its folder"):
        files.put(path, b"[]")
    assert not list((tmp_path / "victim").iterdir())
    (tmp_path / "reports").unlink()
    (tmp_path / "moved").rename(tmp_path / "reports")
    files.put(path, b"[]")
    assert (tmp_path / "reports" / "o.json").read_bytes() == b"[]"
    assert path.is_symlink() == behind_a_link


def test_a_fifo_in_memory_is_not_waited_for():
    """The folder is below /dev, whose files are devices otherwise."""
    if not files.OF_MEMORY.is_dir():
        pytest.skip("this system has no such folder")
    with tempfile.TemporaryDirectory(dir=files.OF_MEMORY) as folder:
        path = files.Path(folder) / "o.json"
        files.remember(path)
        os.mkfifo(path)
        files.put(path, b"[]")
        assert path.read_bytes() == b"[]"
