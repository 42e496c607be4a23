"""Runs the code blocks of a Markdown page in order, as a reader would, and compares what they print.

- ```console: each `$ command` runs in the page's own folder; the lines after it are its output, where `...` stands for
  anything. A command that should fail is followed by a line `(exit code N)`.
- ```python: runs in one namespace for the page; with `>>>` it is a doctest.
- A fence that names a file (```python anonymize.py) writes that file.
- A block right after `<!-- not run: reason -->` is not run; the reason is for the reader of the source.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

from attrs import frozen

FENCE = re.compile(r"(<!-- not run: [^\n]+ -->\n)?```(\w+)(?: ([\w./-]+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXIT = re.compile(r"\(exit code (\d+)\)\n?")


@frozen
class Block:
    """One fenced block of a page."""

    line: int
    language: str
    file: str | None
    text: str
    runs: bool


@frozen
class Command:
    """A shell command and what it must print and return."""

    text: str
    output: str
    code: int


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of the page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(text.count("\n", 0, match.start(2)) + 1, match[2], match[3], match[4], match[1] is None)
        for match in FENCE.finditer(text)
    ]


def commands(text: str) -> list[Command]:
    """The `$ ` commands of a console block, each with its expected output; a backslash continues a line."""
    found = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.replace("\\\n", "\x00").split("\n", 1)
        expected = lines[1].replace("\x00", "\\\n") if len(lines) > 1 else ""
        code = EXIT.search(expected)
        found.append(Command(lines[0].replace("\x00", " "), EXIT.sub("", expected), int(code[1]) if code else 0))
    return found


def matches(expected: str, printed: str) -> bool:
    """Whether the output is as expected, `...` standing for anything and trailing space for nothing."""

    def tidy(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip().splitlines())

    pattern = re.escape(tidy(expected)).replace(r"\.\.\.", ".*?")
    return re.fullmatch(pattern, tidy(printed), re.DOTALL) is not None


def run_command(command: Command, folder: Path) -> None:
    """Run it with this environment's `crowdproof` first on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(folder), "COLUMNS": "100", "NO_COLOR": "1"}
    ran = subprocess.run(
        command.text, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == command.code, f"$ {command.text}\nexit {ran.returncode}\n{ran.stdout}{ran.stderr}"
    shown = ran.stdout if command.code == 0 else ran.stdout + ran.stderr
    assert matches(command.output, shown), f"$ {command.text}\nexpected:\n{command.output}\nprinted:\n{shown}"


def run_python(block: Block, page: Path, namespace: dict[str, object]) -> None:
    """Run as a doctest where it has prompts, else as a program."""
    if ">>>" not in block.text:
        exec(compile(block.text, f"{page}:{block.line}", "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.text, namespace, page.name, str(page), block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    complaints: list[str] = []
    runner.run(test, out=complaints.append, clear_globs=False)
    namespace.update(test.globs)
    assert not complaints, "".join(complaints)


def run_page(page: Path, folder: Path) -> int:
    """Run every block of the page in `folder`; how many there were."""
    namespace: dict[str, object] = {"__name__": "__page__"}
    ran = 0
    for block in (each for each in blocks(page) if each.runs):
        if block.file is not None:
            target = folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command in commands(block.text):
                run_command(command, folder)
        elif block.language == "python":
            run_python(block, page, namespace)
        ran += 1
    return ran
