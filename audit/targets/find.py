"""Find a Python function by the text that names it: `package.module:function`, `file.py:function`, or an adapter."""

import importlib
import importlib.util
import inspect
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from crowdproof import interrupts
from crowdproof.audit.targets.adapters import ADAPTERS
from crowdproof.audit.targets.methods import MethodOf
from crowdproof.audit.targets.run import told_briefly
from crowdproof.errors import ParameterError, TargetError

HOW = "write package.module:function or path/to/file.py:function"


def find(text: str) -> Any:
    """What the text names; anything that keeps it from being found is a `ParameterError` that says how to fix it."""
    place, colon, path = ADAPTERS.get(text, text).rpartition(":")
    if (not colon and (advice := _as_program(text))) or (advice := _meant(text)):
        raise ParameterError(advice)
    if not colon or not place or not path:
        raise ParameterError(f"{text!r} names no function: {HOW}, or one of {', '.join(ADAPTERS)}.")
    module = _file(place) if place.endswith(".py") else _module(place)
    return _run_foreign(f"read {path!r} of {place}", lambda: _reach(module, place, path))


_ADDRESS = re.compile(r"\w+://|[\w.-]+:\d+(/|$)|www\.")


def _meant(text: str) -> str | None:
    """What to write for a text that is nearly right: an address, a call, or another sign between file and function."""
    if _ADDRESS.match(text):
        return f"{text!r} looks like an address of a service: write it like http://127.0.0.1:8000/anonymize."
    place, sign, rest = text.removesuffix("()").partition(".py")
    name = rest.lstrip(":/.# ")
    if sign and name.isidentifier() and Path(f"{place}.py").is_file() and text != f"{place}.py:{name}":
        return f"{text!r} names no function: did you mean {place}.py:{name}?"
    module, _, name = text.rpartition(".")
    if ":" not in text and name.isidentifier() and Path(f"{module.replace('.', '/')}.py").is_file():
        return f"{text!r} names no function: did you mean {module}:{name}?"
    return None


STARTED_BY = {
    ".py": "python",
    ".r": "Rscript",
    ".java": "java",
    ".jl": "julia",
    ".js": "node",
    ".rb": "ruby",
    ".sh": "sh",
    ".pl": "perl",
    ".php": "php",
    ".go": "go run",
    ".do": "stata -b do",
}
"""Endings of programs, and what starts them."""


def _as_program(text: str) -> str | None:
    """What to write for a text that is a file or a command line and no name of a function."""
    first = text.split(maxsplit=1)[0] if text.split() else ""
    file = Path(text)
    starter = STARTED_BY.get(file.suffix.lower())
    if file.is_file() and starter is not None:
        command = f"'{starter} {text} {{input}} {{output}}'"
        named = "" if starter != "python" else f"name a function in it ({text}:function), or "
        return (
            f"{text!r} names no function, it is a program: {named}write its command line with {{input}} and {{output}} "
            f"where it takes the files, such as {command}."
        )
    if " " in text and shutil.which(first) is not None:
        return (
            f"{text!r} names no function, it is a command line: write {{input}} and {{output}} where it takes the "
            f"files, such as '{text} {{input}} {{output}}', or 'command: {text}' if it reads stdin and writes stdout."
        )
    return None


def _reach(found: Any, place: str, path: str) -> Any:
    """What stands there in the module, name by name."""
    for name in path.split("."):
        if not hasattr(found, name):
            raise ParameterError(f"{place} has no {path!r}: {_alike(found)}.")
        owner, found = found, getattr(found, name)
    is_method = inspect.isclass(owner) and inspect.isfunction(inspect.getattr_static(owner, name))
    return MethodOf(owner, name) if is_method else found


def name_of(function: Callable[..., Any]) -> str | None:
    """The text that names this function, or None where there is none (a lambda, a closure, a partial, a method)."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "<")
    if module is None or "<" in name or inspect.ismethod(function):  # a method has an object that a name lacks
        return None
    if module == "__main__":
        script = getattr(sys.modules["__main__"], "__file__", None)
        return f"{Path(script).resolve()}:{name}" if script else None
    return f"{module}:{name}"


def absolute(text: str) -> str:
    """The same name, with the path of a file from the root."""
    place, _, path = text.rpartition(":")
    return f"{Path(place).resolve()}:{path}" if place.endswith(".py") else text


def _module(name: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:  # a command line tool is installed elsewhere than where its user works
        sys.path.insert(0, str(Path.cwd()))
    module: ModuleType = _run_foreign(f"import {name}", lambda: importlib.import_module(name))
    return module


def _file(place: str) -> ModuleType:
    path = Path(place).resolve()
    if not path.is_file():
        raise ParameterError(f"there is no file {place}: {HOW}.")
    if str(path.parent) not in sys.path:  # as if it were run as a script: it may import its neighbours
        sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"_crowdproof_target_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # so that its classes can be pickled
    loader = spec.loader
    _run_foreign(f"import {place}", lambda: loader.exec_module(module))
    return module


def _run_foreign(what: str, load: Callable[[], Any]) -> Any:
    """Import or read something of the target, which may do anything meanwhile: what it does wrong is told."""
    try:
        return load()
    except ModuleNotFoundError as error:
        raise ParameterError(f"cannot {what}: {error}. Is it installed, or should it be a path? {HOW}.") from None
    except TargetError as error:  # it would have ended our process
        raise TargetError(f"cannot {what}: {error}") from None
    except ParameterError:
        raise
    except BaseException as error:  # noqa: BLE001  (whatever a module does on import is shown)
        interrupts.pass_asked(error)
        raise ParameterError(f"cannot {what}: it raised {told_briefly(error)}") from None


def _alike(found: Any) -> str:
    names = [name for name in dir(found) if not name.startswith("_") and callable(getattr(found, name, None))]
    return f"it has {', '.join(names[:12])}" if names else "it has no functions"
