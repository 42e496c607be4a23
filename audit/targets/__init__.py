"""What can be audited: functions, programs, services and other people's outputs, behind one small interface."""

from crowdproof.audit.targets.behaviour import Behaviour
from crowdproof.audit.targets.interface import ISOLATION, Limits, Target
from crowdproof.audit.targets.load import load_target
from crowdproof.audit.targets.recordings import ReleasePair

__all__ = ["ISOLATION", "Behaviour", "Limits", "ReleasePair", "Target", "load_target"]
