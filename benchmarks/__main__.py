"""`python -m benchmarks [NAME...]` runs the named benchmarks, or all."""

import sys
from importlib import import_module
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Run them one after the other; an unknown name is an error that lists the known ones."""
    known = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
    for name in arguments:
        if name not in known:
            print(f"there is no benchmark {name!r}: name one of {', '.join(known)}.", file=sys.stderr)
            return 2
    for name in arguments or known:
        print(f"== {name} ==", flush=True)
        import_module(f"benchmarks.{name}").main()
    return 0


sys.exit(main(sys.argv[1:]))
