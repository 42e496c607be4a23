"""The proof kernel: Coq compiles the development in `proofs/coq`, its independent checker reads the result again.

A row of the ledger that names a theorem is kernel-checked if four things hold: every file compiles, `coqchk` accepts
it, the theorem says what was reviewed (its text as Coq prints it, and every definition that it may speak of), and it
rests on the listed axioms only. `proofs/coq/kernel.json` holds what was reviewed. Without Coq the stored result
counts, as long as no source differs from those that it was made from, and the report says so.

After a change that is meant, `python -m crowdproof.proofs.engines.kernel` writes the file; read the difference.
"""

import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from crowdproof.errors import CrowdproofError

FOLDER = Path(__file__).parents[1] / "coq"
STORE = FOLDER / "kernel.json"
LIBRARY = "Crowdproof"
SECONDS = 600
"""The time that one call of Coq may take: the slowest file needs 5 seconds."""
STANDARD = (
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
)
"""The axioms of Coq's real numbers, of classical logic and of functions: no theorem may rest on another."""
_HEADINGS = ("Axioms:", "Closed under the global context")
"""Lines of Coq's answer that name nothing that a theorem rests on."""


class KernelError(CrowdproofError):
    """Coq rejects the development; the text is what it said."""


@frozen
class Theorem:
    """What Coq says of one theorem."""

    statement: str
    axioms: tuple[str, ...]
    sentence: str = ""
    """What the comment above it says in words."""


@frozen
class Kernel:
    """What the kernel, or its stored result, says of the whole development."""

    theorems: Mapping[str, Theorem]
    defects: tuple[str, ...]
    """Why no theorem counts as checked; empty where all is well."""
    ran: bool
    """Whether Coq ran just now."""
    version: str

    @property
    def words(self) -> str:
        """How sure it is, for the report."""
        if self.ran:
            return f"checked just now by Coq {self.version} and its checker coqchk"
        return f"checked earlier by Coq {self.version} and coqchk, from the same sources (by hash); it did not run now"

    def defects_of(self, name: str) -> tuple[str, ...]:
        """Why the theorem of that name does not count; empty where it does."""
        if self.defects:
            return self.defects
        found, reviewed = self.theorems.get(name), _stored_theorems().get(name)
        if found is None or reviewed is None:
            return (f"there is no Coq theorem {name}",)
        defects = []
        if found.statement != reviewed.statement:
            defects.append(f"the Coq theorem {name} does not say what was reviewed")
        if sentence(name) != reviewed.sentence:
            defects.append(f"the sentence above the Coq theorem {name} is not the one that was reviewed with it")
        beyond = set(found.axioms) - set(STANDARD)
        if beyond:
            defects.append(f"the Coq theorem {name} rests on {', '.join(sorted(beyond))}")
        return tuple(defects)


def files(folder: Path = FOLDER) -> list[str]:
    """The files of the development, in the order in which they are compiled."""
    lines = (folder / "_CoqProject").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.endswith(".v")]


def available() -> bool:
    """Whether Coq and its checker are installed."""
    return shutil.which("coqc") is not None and shutil.which("coqchk") is not None


@cache
def stored() -> Kernel:
    """The stored result; it has a defect where a source is not the one that was checked."""
    content = _content()
    changed = [name for name in files() if content["sources"].get(name) != _hash(FOLDER / name)]
    missing = sorted(set(content["sources"]) - set(files()))
    defects = tuple(f"{name} is not the file that Coq checked" for name in (*changed, *missing))
    return Kernel(_stored_theorems(), defects, ran=False, version=content["coq"])


def run(folder: Path = FOLDER) -> Kernel:
    """Compile a copy of the development, check it, and ask Coq what each theorem says and rests on."""
    content = _content()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for each in files(folder):
            shutil.copy(folder / each, place)
        try:
            theorems = compile_and_ask(place, files(folder), list(content["theorems"]))
        except KernelError as error:
            return Kernel({}, (str(error),), ran=True, version=version())
    defects: tuple[str, ...] = ()
    if content["sources"].get("Definitions.v") != _hash(folder / "Definitions.v"):
        defects = ("Definitions.v is not the file that was reviewed, so the words may mean something else",)
    return Kernel(theorems, defects, ran=True, version=version())


def compile_and_ask(place: Path, names: list[str], theorems: list[str]) -> dict[str, Theorem]:
    """What each theorem says and rests on, after every file was compiled and checked again by `coqchk`."""
    for name in names:
        _call(place, "coqc", name)
    modules = [f"{LIBRARY}.{name.removesuffix('.v')}" for name in names]
    _call(place, "coqchk", "-silent", *modules)
    return ask(place, theorems)


def ask(place: Path, theorems: list[str]) -> dict[str, Theorem]:
    """What each theorem says and rests on, by its full name, in a folder that is compiled.

    Every answer goes to a file of its own: an admitted theorem is named among its own axioms.
    """
    lines = [f"From {LIBRARY} Require Statements.", "Set Printing Width 1000000.", "Set Printing Depth 1000000."]
    for name in theorems:
        lines.append(f'Redirect "{name}.says" Check {LIBRARY}.Statements.{name}.')
        lines.append(f'Redirect "{name}.rests" Print Assumptions {LIBRARY}.Statements.{name}.')
    (place / "Question.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
    _call(place, "coqc", "Question.v")
    return {name: Theorem(" ".join(_answer(place, name, "says").split()), _axioms(place, name)) for name in theorems}


def _answer(place: Path, name: str, what: str) -> str:
    return (place / f"{name}.{what}.out").read_text(encoding="utf-8")


def _axioms(place: Path, name: str) -> tuple[str, ...]:
    """All that a theorem rests on: each at the start of a line, before its own text.

    What is no name with its text (that a recursion is only assumed to end, say) counts by its whole line.
    """
    lines = _answer(place, name, "rests").splitlines()
    starts = [line for line in lines if line and not line[0].isspace() and line not in _HEADINGS]
    named = (re.match(r"([A-Za-z_][\w.']*)(?=\s*:|$)", line) for line in starts)
    return tuple(sorted(line if found is None else found[1] for line, found in zip(starts, named, strict=True)))


def version() -> str:
    """The version of Coq."""
    return _call(Path.cwd(), "coqc", "--print-version").split()[0]


def _call(place: Path, program: str, *arguments: str) -> str:
    command = [program, *(["-q"] if program == "coqc" else []), "-R", ".", LIBRARY, *arguments]
    try:
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise KernelError(f"{program} {arguments[-1]} did not end within {SECONDS} seconds") from None
    if done.returncode != 0:
        raise KernelError(f"{program} rejects {arguments[-1]}: {' '.join(done.stderr.split())[-400:]}")
    return done.stdout


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(STORE.read_text(encoding="utf-8"))
    return content


def _stored_theorems() -> dict[str, Theorem]:
    return {
        name: Theorem(each["statement"], tuple(each["axioms"]), each["sentence"])
        for name, each in _content()["theorems"].items()
    }


@cache
def sentence(theorem: str) -> str:
    """What a theorem says in words: the comment above it in `Statements.v`, without its source."""
    text = (FOLDER / "Statements.v").read_text(encoding="utf-8")
    comments = re.findall(r"\(\*\*((?:(?!\*\)).)*)\*\)\s*Theorem (\w+)", text, re.DOTALL)
    words = {name: " ".join(comment.split()) for comment, name in comments}
    if theorem not in words:
        raise KernelError(f"there is no theorem {theorem} with a sentence above it in Statements.v")
    return re.sub(r"^(?:Beyond )?(?:LQS|Gehrke)(?:[^.]|\.\d)*\. ", "", words[theorem])


def main() -> None:
    """Run Coq on the development and store what it says."""
    text = (FOLDER / "Statements.v").read_text(encoding="utf-8")
    names = re.findall(r"^Theorem (\w+)", text, re.MULTILINE)
    with tempfile.TemporaryDirectory() as name:
        for each in files():
            shutil.copy(FOLDER / each, name)
        theorems = compile_and_ask(Path(name), files(), names)
    content = {
        "coq": version(),
        "sources": {each: _hash(FOLDER / each) for each in files()},
        "theorems": {
            each: {"sentence": sentence(each), "statement": said.statement, "axioms": list(said.axioms)}
            for each, said in theorems.items()
        },
    }
    STORE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
