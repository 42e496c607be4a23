"""Releases of any kind: the canonical form of one, features, and events in words that can be evaluated again."""

from crowdproof.audit.releases.batch import Form, Releases
from crowdproof.audit.releases.canonical import as_table, canonical, snapshot
from crowdproof.audit.releases.events import evaluate, event
from crowdproof.audit.releases.features import Feature
from crowdproof.audit.releases.keys import code, same
from crowdproof.audit.releases.readers import Numbers, Reader, Records, reader_for
from crowdproof.audit.releases.refusal import Refusal
from crowdproof.audit.releases.scores import Additive, Lookup, Score, Tree, ranked, score_from_json
from crowdproof.audit.releases.texts import brief, kind_of
from crowdproof.audit.releases.traits import traits

__all__ = [
    "Additive",
    "Feature",
    "Form",
    "Lookup",
    "Numbers",
    "Reader",
    "Records",
    "Refusal",
    "Releases",
    "Score",
    "Tree",
    "as_table",
    "brief",
    "canonical",
    "code",
    "evaluate",
    "event",
    "kind_of",
    "ranked",
    "reader_for",
    "same",
    "score_from_json",
    "snapshot",
    "traits",
]
