"""`python -m benchmarks [NAME [NUMBER]...]` runs the named benchmarks, or all; a number goes to the one before it."""

import sys
from importlib import import_module
from itertools import takewhile
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Run them one after the other; an unknown name is an error that lists the known ones."""
    known = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
    named = [each for each in arguments if not each.isdecimal()]
    for name in named:
        if name not in known:
            print(f"there is no benchmark {name!r}: name one of {', '.join(known)}.", file=sys.stderr)
            return 2
    for name in named or known:
        print(f"== {name} ==", flush=True)
        import_module(f"benchmarks.{name}").main(*_numbers(arguments, name))
    return 0


def _numbers(arguments: list[str], name: str) -> list[int]:
    """What stands after the name, up to the next one."""
    after = arguments[arguments.index(name) + 1 :] if name in arguments else []
    return list(map(int, takewhile(str.isdecimal, after)))


sys.exit(main(sys.argv[1:]))
