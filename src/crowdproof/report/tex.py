"""Text for LaTeX and BibTeX: nothing in it is taken for a command."""

from collections.abc import Mapping, Sequence

from crowdproof.findings import Finding
from crowdproof.visible import one_line

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",
    "]": "{]}",
    "`": r"\textasciigrave{}",
}
_FIELDS = ("author", "title", "journal", "booktitle", "publisher", "howpublished", "year", "version", "doi", "url")


def escape(text: str) -> str:
    r"""The text as it stands, in one line.

    >>> print(escape("50% of {a_b} & c"))
    50\% of \{a\_b\} \& c
    """
    return "".join(_SPECIAL.get(each, each) for each in one_line(text))


def references(finding: Finding) -> list[Mapping[str, str]]:
    """The literature that a finding names; one from a file may hold anything, and what is no reference is left out."""
    found = finding.measures.get("references", [])
    if not isinstance(found, Sequence):
        return []
    return [each for each in found if isinstance(each, Mapping) and _key(each)]


def keys(findings: Sequence[Finding]) -> list[str]:
    """The keys of all references, each once."""
    return list(dict.fromkeys(_key(each) for finding in findings for each in references(finding)))


def _key(reference: Mapping[str, str]) -> str:
    return "".join(
        each for each in str(reference.get("key", "")) if each.isascii() and (each.isalnum() or each in "-:")
    )


def entry(reference: Mapping[str, str]) -> str:
    """The BibTeX entry of a reference. A title keeps its capitals; a doi and a url are as they are."""
    kind = "".join(each for each in str(reference.get("kind", "misc")) if each.isascii() and each.isalpha()) or "misc"
    lines = [
        f"  {name} = {{{_field(name, str(reference[name]))}}},"
        for name in _FIELDS
        if isinstance(reference.get(name), str)
    ]
    return "\n".join([f"@{kind}{{{_key(reference)},", *lines, "}"])


def _field(name: str, text: str) -> str:
    if name in {"doi", "url"}:
        return "".join(each for each in one_line(text) if each not in "{}\\ ")
    return f"{{{escape(text)}}}" if name == "title" else escape(text)
