"""The command that reproduces a finding of the gate, to be typed in the folder in which the gate was started."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from crowdproof.audit.gate import arithmetic
from crowdproof.audit.gate.cases import load_options, runs_of, schema_of
from crowdproof.audit.gate.config import Entry, Project
from crowdproof.exact import show


@frozen
class ReproduceCommand:
    """Writes the command that gives a finding once more; its fields are what a run of the gate was started with."""

    project: Project
    file: str
    """The configuration, as seen from where the gate was started."""
    seed: int
    seconds: float | None
    """The time that it was given, where it is another than the configuration's."""
    keep: bool
    """Whether it used the evidence file."""

    def of_claim(self, entry: Entry) -> str:
        """The command that audits this claim alone, or that runs the whole gate where an audit cannot do the same.

        An audit takes a data file, no list of values, and does not check the arithmetic of a stated mechanism.
        """
        data = None if entry.values is not None else entry.data or self.project.config.defaults.data
        if data is None or arithmetic.contradiction(entry) is not None:
            return shlex.join(self._gate())
        folder = str(Path(self.file).parent)
        inside = "" if folder == "." else f"cd {shlex.quote(folder)} && "
        return inside + shlex.join(self._audit(entry, data))

    def _gate(self) -> Iterator[str]:
        yield from ("crowdproof", "gate", self.file, "--seed", str(self.seed))
        yield from () if self.seconds is None else ("--seconds", f"{self.seconds:g}")
        yield from () if self.keep else ("--no-evidence",)

    def _audit(self, entry: Entry, data: str) -> Iterator[str]:
        config, loading = self.project.config, load_options(entry, self.project)
        yield from ("crowdproof", "audit", entry.target, "--claim", str(entry.claim), "--data", data)
        for column, kind in schema_of(entry, self.project).items():
            yield from ("--schema", f"{column}={kind}")
        for name, value in entry.params.items():
            yield from ("--param", f"{name}={json.dumps(value, ensure_ascii=False)}")
        yield from () if loading["form"] is None else ("--form", str(loading["form"]))
        yield from () if loading["isolate"] == "auto" else ("--isolate", str(loading["isolate"]))
        yield from () if entry.sampling == "auditor" else ("--sampling", entry.sampling)
        if entry.deterministic is not None:
            yield "--deterministic" if entry.deterministic else "--randomized"
        yield from ("--runs", str(runs_of(entry, self.project)), "--timeout", f"{loading['timeout']:g}")
        yield from ("--seconds", f"{self.seconds or config.seconds:g}", "--error", show(config.error))
        yield from ("--seed", str(self.seed))
