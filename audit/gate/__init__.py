"""Privacy claims checked in CI: what is written down once is examined by every run, and evidence adds up."""

from crowdproof.audit.gate.config import Config, Entry, Project, Suppression
from crowdproof.audit.gate.evidence import Evidence
from crowdproof.audit.gate.reading import find_project, read_project
from crowdproof.audit.gate.result import GateResult
from crowdproof.audit.gate.running import Options, run_gate

__all__ = [
    "Config",
    "Entry",
    "Evidence",
    "GateResult",
    "Options",
    "Project",
    "Suppression",
    "find_project",
    "read_project",
    "run_gate",
]
