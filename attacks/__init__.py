"""An adversary at work on a release: one module for each attack.

Each module `attacks/<id>.py` has `ATTACK`, which says what the attack is, and `run(...) -> Story`.
"""

from crowdproof.attacks.catalogue import CATALOGUE, load
from crowdproof.attacks.interface import Attack, Outcome, Severity, Story

__all__ = ["CATALOGUE", "Attack", "Outcome", "Severity", "Story", "load"]
