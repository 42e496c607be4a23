"""Writes docs/sentences.md, all that the program can print: `python docs/sentences.py`. A test compares the two.

A sentence is a text in the code of three words or more that is no docstring and no pattern. What is filled in when it
is printed stands as "…". The theorems have a page of their own, statements.md, and the attacks have theirs.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("src/crowdproof", "audit", "attacks", "proofs")
APART = ("proofs/statements", "proofs/coq", "src/crowdproof/audit", "src/crowdproof/attacks", "src/crowdproof/proofs")
"""Folders with a page of their own, and links to folders that are listed already."""
WORDS = 3
"""Fewer words than this are a name or a heading."""
_CODE = re.compile(r"[\\^$]|\(\?|\bimport \w|\bselect\b.*\bfrom\b|[;{}].*[;{}]|::|->|==|</?\w+|^[\w-]+/[\w-]+|PRAGMA")
"""What stands in patterns, programs and markup, and in no sentence."""


def sentences(path: Path) -> Iterator[str]:
    """The sentences in a file, in the order of the code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = set(_never_printed(tree))
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        text = _text(node)
        if text is not None and _is_sentence(text):
            yield " ".join(text.split())


def _never_printed(tree: ast.AST) -> Iterator[int]:
    """The docstrings, texts that stand alone, and the parts of texts that are taken as a whole."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield id(node.value)
        if isinstance(node, ast.JoinedStr):
            yield from (id(each) for each in node.values)


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [each.value if isinstance(each, ast.Constant) else "…" for each in node.values]
        return "".join(map(str, parts))
    return None


def _is_sentence(text: str) -> bool:
    words = re.findall(r"[A-Za-z]{2,}|…", text)
    return len(words) >= WORDS and any(each.islower() for each in words) and not _CODE.search(text) and " " in text


def page() -> str:
    """The page: the sentences of each file under its name."""
    parts = [
        "# Every sentence that the program can print",
        "",
        "Written by `python docs/sentences.py` from the code, for whoever wants to read the words of the program",
        'through. What is filled in stands as "…". The theorems are in [statements.md](statements.md), the attacks in',
        "their [gallery](attacks/).",
    ]
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            found = [] if name.startswith(APART) else list(dict.fromkeys(sentences(path)))
            if found:
                parts += ["", f"## {name}", "", *(f"- {_quoted(each)}" for each in found)]
    return "\n".join(parts) + "\n"


def _quoted(text: str) -> str:
    """As Markdown shows it letter by letter."""
    return re.sub(r"([*_<>`\[\]|]|(?<=\])\()", r"\\\1", text)


if __name__ == "__main__":
    (ROOT / "docs/sentences.md").write_text(page(), encoding="utf-8")
