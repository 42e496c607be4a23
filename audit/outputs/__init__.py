"""Outputs of any kind: canonical keys, features, and events in words that can be evaluated again."""

from crowdproof.audit.outputs.events import evaluate, event
from crowdproof.audit.outputs.features import Feature, Numbers, Reader, Records, reader_for
from crowdproof.audit.outputs.keys import as_table, code, key
from crowdproof.audit.outputs.scores import Additive, Lookup, Score, Tree, ranked, score_from_json
from crowdproof.audit.outputs.traits import traits

__all__ = [
    "Additive",
    "Feature",
    "Lookup",
    "Numbers",
    "Reader",
    "Records",
    "Score",
    "Tree",
    "as_table",
    "code",
    "evaluate",
    "event",
    "key",
    "ranked",
    "reader_for",
    "score_from_json",
    "traits",
]
