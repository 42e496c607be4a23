"""Two folders of outputs that somebody else made: M(D) in one, M(D') in the other, and nothing to run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from crowdproof.audit.data.tables import SUFFIXES, read_table
from crowdproof.audit.releases import same
from crowdproof.audit.request import Pair
from crowdproof.audit.targets.behaviour import Behaviour
from crowdproof.audit.targets.interface import Target
from crowdproof.audit.targets.spec import TargetSpec
from crowdproof.claims import Neighbours
from crowdproof.errors import DataError, ParameterError, TargetError

LEFT, RIGHT = "left", "right"
"""These stand for the two datasets, which nobody needs to show us."""


class ReleasePair(Target):
    """Each file is one independent run and is used once: to use one again would feign more evidence than there is.

    Nothing can be run here, so no coin can decide on which dataset a run is: whoever made the files stands for it that
    they are independent, and an audit looks for signs that they are not. The next audit begins with the first file
    again: each audit has an error of its own, whatever data they share.
    """

    independent = True

    def __init__(self, left: Path, right: Path) -> None:
        self.files = {LEFT: _files(left), RIGHT: _files(right)}
        _check_distinct(left, right, [*self.files[LEFT], *self.files[RIGHT]])
        _check_alike([*self.files[LEFT], *self.files[RIGHT]])
        self.name = f"releases in {left} and {right}"
        self.params = {}
        self.spec = {"spec": f"releases:{left},{right}"}
        self._used = {LEFT: 0, RIGHT: 0}

    @classmethod
    def of(cls, text: str) -> "ReleasePair":
        """From `FOLDER,FOLDER`."""
        left, comma, right = text.partition(",")
        if not comma or not left or not right:
            raise ParameterError(f"'releases:{text}' needs two folders: write releases:FOLDER,FOLDER.")
        return cls(Path(left), Path(right))

    @property
    def sizes(self) -> tuple[int, int]:
        """How many outputs there are on either side: the most that an audit can use."""
        return len(self.files[LEFT]), len(self.files[RIGHT])

    @property
    def available(self) -> int:  # type: ignore[override]
        """Runs for both sides alike."""
        return 2 * min(self.sizes)

    def pair(self, relation: Neighbours) -> Pair:
        """The only pair that this target can be run on."""
        return Pair(LEFT, RIGHT, relation, f"as given: {self.name}")

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """The next unused outputs of that side, in the order of the file names."""
        if not isinstance(data, str) or data not in self.files:
            raise ParameterError(f"{self.name} cannot be run on other data: audit the pair that it offers.")
        first = self._used[data]
        paths = self.files[data][first : first + len(seeds)]
        if len(paths) < len(seeds):
            raise TargetError(f"all {len(self.files[data])} outputs of the {data} folder are used: give more of them.")
        self._used[data] += len(seeds)
        return [_read(path) for path in paths]

    def examine(self, data: Any, seconds: float | None = None) -> Behaviour:  # noqa: ARG002  (reading takes no time)
        """Whether all outputs of a side are the same; uses none of them up."""
        side = data if data in self.files else LEFT
        outputs = [_read(path) for path in self.files[side][:8]]
        alike = len(outputs) > 1 and all(same(outputs[0], each) for each in outputs)
        self.behaviour = Behaviour(
            deterministic=alike, reproducible=True, isolation="Nothing is run: outputs are read."
        )
        return self.behaviour

    def rewind(self) -> None:
        """Begin again with the first files, for another audit."""
        self._used = {LEFT: 0, RIGHT: 0}

    def __reduce__(self) -> NoReturn:
        raise ParameterError(f"{self.name} are read here, each file once: audit them in this process, without workers.")


def _read(path: Path) -> pl.DataFrame:
    """One output. A file that cannot be read is no run without a release: nobody knows what was released."""
    try:
        return read_table(path, text=True)
    except DataError as error:
        raise TargetError(f"one of the outputs cannot be used: {error}") from None


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise ParameterError(f"there is no folder {folder}: give the folder of the outputs.")
    visible = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    files = [path for path in visible if path.suffix.lower() in SUFFIXES]
    if not files:
        raise ParameterError(f"{folder} holds no outputs: put files there that end in {', '.join(SUFFIXES)}.")
    others = [path for path in visible if path.suffix.lower() not in SUFFIXES]
    if others:
        raise ParameterError(
            f"{others[0]} is no output that can be read, and {len(others)} of the {len(visible)} files in {folder} are "
            f"like that: let the outputs end in {', '.join(SUFFIXES)}, and move all other files elsewhere."
        )
    return files


def _check_distinct(left: Path, right: Path, files: Sequence[Path]) -> None:
    """No output may stand for two runs, under whatever name: of one folder twice, nothing could ever differ."""
    if left.samefile(right):
        raise ParameterError(
            f"{left} and {right} are the same folder: give one with outputs on the one dataset, and another with "
            "outputs on its neighbour."
        )
    seen: dict[tuple[int, int], Path] = {}
    for path in files:
        if not path.exists():
            continue  # a link to nowhere, which is named once it is read
        found = path.stat()
        first = seen.setdefault((found.st_dev, found.st_ino), path)
        if first is not path:
            raise ParameterError(
                f"{first} and {path} are the same file, and each output is to be a run of its own: remove one of them."
            )


def _check_alike(files: Sequence[Path]) -> None:
    """All outputs are files of one kind: the same release looks otherwise as text than with types."""
    packed = {".gz": ".csv"}  # what is in it
    endings = {path.suffix.lower(): path for path in files}
    kinds = {SUFFIXES[packed.get(ending, ending)]: path for ending, path in endings.items()}
    if len(kinds) > 1:
        first, second, *_ = kinds.values()
        raise ParameterError(
            f"{first} and {second} are files of different kinds, which show the same release in different ways: write "
            "all outputs in one of them."
        )


def load(spec: TargetSpec) -> Target:
    """The target of a spec."""
    return ReleasePair.of(spec.place)
