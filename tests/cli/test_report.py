"""`crowdproof report`: saved findings in any format, from files or a pipe."""

import pytest
from click.testing import CliRunner
from report.samples import SAMPLES

from crowdproof.cli import cli
from crowdproof.errors import DataError, ExitCode
from crowdproof.report import FORMATS, render
from crowdproof.wire import dumps


@pytest.fixture
def saved(tmp_path):
    (tmp_path / "a.json").write_text(dumps(SAMPLES[:4]), encoding="utf-8")
    (tmp_path / "b.json").write_text(dumps(SAMPLES[4:]), encoding="utf-8")
    return tmp_path


def run(*arguments, **more):
    return CliRunner().invoke(
        cli, ["report", *map(str, arguments)], standalone_mode=False, catch_exceptions=False, **more
    )


def test_several_files_become_one_report_in_several_formats(saved):
    wanted = [f"--format={form}={saved / form}" for form in FORMATS]
    result = run(saved / "a.json", saved / "b.json", *wanted)
    assert (result.return_value, result.stdout) == (ExitCode.HELD, "")
    for form in FORMATS:
        assert (saved / form).read_text(encoding="utf-8") == render(SAMPLES, form)


def test_a_pipe_is_read_and_text_goes_to_standard_output():
    assert run("-", input=dumps(SAMPLES)).stdout == render(SAMPLES, "text") + "\n"


def test_no_findings_is_never_green():
    result = run("-", input="[]")
    assert (result.return_value, result.stdout) == (ExitCode.BROKEN, "0 claims: nothing was examined\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not JSON"),
        (b"[1]", "holds no findings"),
        (b'{"schema": 99}', "has schema 99"),
        (b'{"schema": 1}', "is not a finding: required field missing @ finding.subject"),
        (b"\xff\xfe", "is not a text file"),
        (None, "cannot read"),
    ],
)
def test_a_file_that_holds_no_findings_is_one_sentence(tmp_path, content, message):
    if content is not None:
        (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        run(tmp_path / "x.json")
    assert "x.json" in str(caught.value)


def test_the_shell_completes_formats():
    choice = next(each for each in cli.get_command(None, "report").params if each.name == "outputs").type
    assert [each.value for each in choice.shell_complete(None, None, "")] == list(FORMATS)
    assert [each.value for each in choice.shell_complete(None, None, "m")] == ["markdown"]
