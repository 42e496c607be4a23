"""Install what is pinned, each file by its hash, and write down the hashes of new pins.

    python pins.py install [--editable] [--group NAME]...    this checkout, with what it needs
    python pins.py install --all FILE                        this checkout, with all that the file pins
    python pins.py hash --index URL constraints.txt          the hashes again, after a version was changed

Nothing is built but this checkout, and that by a pinned backend: a package of which there is no wheel is not installed.
"""

import argparse
import html
import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
CONSTRAINTS = ROOT / "constraints.txt"
PIP = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
HASHED = ("--require-hashes", "--only-binary", ":all:")
OLDEST = 11
"""The minor version of Python from which on wheels are listed: `requires-python`."""
_LINK = re.compile(r'<a [^>]*href="[^"]*#sha256=([0-9a-f]{64})"[^>]*>\s*([^<\s]+\.whl)\s*</a>')
_SYSTEMS = re.compile(r"any|(many|musl)linux.*_(x86_64|aarch64)|macosx_.*|win_(amd64|arm64)")
AT_ONCE = 8
"""Packages that are asked for at the same time. A guess: a registry takes as many from one machine."""


def requirements(groups: list[str]) -> list[str]:
    """What this checkout needs: to be built, to run, and for these groups."""
    project = _project()
    grouped = [each for name in groups for each in project["dependency-groups"][name]]
    return [*project["build-system"]["requires"], *project["project"]["dependencies"], *grouped]


def pin_of(name: str) -> str:
    """The pin of a package, with its hashes."""
    pins = CONSTRAINTS.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return next(each for each in pins if each.startswith(f"{name}=="))


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def install(groups: list[str], file: Path | None, *, editable: bool, instead: str) -> None:
    """Install what is needed by the hashes, and then this checkout, or another version of it that was asked for."""
    with tempfile.TemporaryDirectory() as folder:  # before version 25 pip reads no hashes of constraints
        alone = Path(folder) / "pip.txt"
        alone.write_text(pin_of("pip"), encoding="utf-8")
        _run(*HASHED, "--requirement", str(alone))
    if file is None:
        _run(*HASHED, "--constraint", str(CONSTRAINTS), *requirements(groups))
    else:
        _run(*HASHED, "--constraint", str(CONSTRAINTS), *_project()["build-system"]["requires"])
        _run(*HASHED, "--no-deps", "--requirement", str(file))
    if instead:
        _run(instead)
    else:
        _run("--no-deps", "--no-build-isolation", *(["--editable"] if editable else []), str(ROOT))


def _run(*arguments: str) -> None:
    done = subprocess.run([*PIP, *arguments], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def renew(file: Path, index: str) -> None:
    """Write the hashes of all pins of a file anew, as the index has them."""
    pins = [line.split()[0] for line in file.read_text(encoding="utf-8").splitlines() if "==" in line]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        listed = list(pool.map(lambda pin: hashes(pin, index), pins))
    text = "".join(
        " \\\n    ".join([pin, *(f"--hash=sha256:{each}" for each in found)]) + "\n"
        for pin, found in zip(pins, listed, strict=True)
    )
    file.write_text(text, encoding="utf-8")


def hashes(pin: str, index: str) -> list[str]:
    """The hashes of the wheels of that version which some supported Python can install."""
    name, _, version = pin.partition("==")
    page = f"{index.rstrip('/')}/{re.sub(r'[-_.]+', '-', name).lower()}/"
    with urllib.request.urlopen(page) as answer:  # noqa: S310  (the caller names the registry)
        found = _LINK.findall(answer.read().decode())
    wheels = [digest for digest, file in found if _serves(html.unescape(file).removesuffix(".whl").split("-"), version)]
    if not wheels:
        sys.exit(f"{page} has no wheel of {pin} for Python 3.{OLDEST} or later: pin a version that has one.")
    return sorted(set(wheels))


def _serves(parts: list[str], version: str) -> bool:
    """Whether a wheel is of that version, for a supported Python and a usual system."""
    if parts[1] != version:
        return False
    *_, pythons, abi, systems = parts
    minor = re.fullmatch(r"cp3(\d+)", pythons)
    is_late = minor is not None and (int(minor[1]) >= OLDEST or abi == "abi3") and not abi.endswith("t")
    is_usual = any(_SYSTEMS.fullmatch(each) for each in systems.split("."))
    return (is_late or "py3" in pythons.split(".")) and is_usual


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    installing = verbs.add_parser("install")
    installing.add_argument("--editable", action="store_true")
    installing.add_argument("--group", action="append", default=[])
    installing.add_argument("--all", type=Path, help="a file of pins, of which all are installed")
    installing.add_argument("--instead", default="", help="what to install in place of this checkout, as pip takes it")
    hashing = verbs.add_parser("hash")
    hashing.add_argument("--index", required=True, help="a package index, as pip takes it")
    hashing.add_argument("files", nargs="+", type=Path)
    given = parser.parse_args()
    if given.verb == "install":
        install(given.group, given.all, editable=given.editable, instead=given.instead)
        return
    for file in given.files:
        renew(file, given.index)


if __name__ == "__main__":
    main()
