"""Certified numbers: how private 'sample, recode in a fixed way, drop the groups below k' is.

Every number is an interval that certainly contains the true value; a maximum over infinitely many datasets is closed by
a proof, given with the number. `theorem5` is the delta of Li, Qardaji and Su, `tight` the smallest one there is.

>>> print(theorem5(20, 0.1, 0.5), tight(20, 0.1, 0.5), tight(20, 0.1, 0.5, REPLACE))
1.607e-9 2.632e-11 2.807e-11
>>> smallest_k(0.1, 1, 1e-6)
8
"""

from crowdproof.mechanisms.odoh import uniqueness
from crowdproof.proofs.bounds.amplification import Guarantee, amplify, compose_basic
from crowdproof.proofs.bounds.certificate import Certificate, Certified, WorstPair
from crowdproof.proofs.bounds.composition import Composed, compose
from crowdproof.proofs.bounds.crowd import CrowdGuarantee, crowd_blending
from crowdproof.proofs.bounds.guessing import Groups, groups_epsilon, guessing_epsilon
from crowdproof.proofs.bounds.planner import By, largest_beta, smallest_delta, smallest_epsilon, smallest_k
from crowdproof.proofs.bounds.profile import ADD_REMOVE, REPLACE, ProfilePoint, epsilon_for, profile, tight, worst_pair
from crowdproof.proofs.bounds.recoding import Printed, Reliance, Repaired, theorem6_printed, theorem6_repaired
from crowdproof.proofs.bounds.theorem5 import theorem5

__all__ = [
    "ADD_REMOVE",
    "REPLACE",
    "By",
    "Certificate",
    "Certified",
    "Composed",
    "CrowdGuarantee",
    "Groups",
    "Guarantee",
    "Printed",
    "ProfilePoint",
    "Reliance",
    "Repaired",
    "WorstPair",
    "amplify",
    "compose",
    "compose_basic",
    "crowd_blending",
    "epsilon_for",
    "groups_epsilon",
    "guessing_epsilon",
    "largest_beta",
    "profile",
    "smallest_delta",
    "smallest_epsilon",
    "smallest_k",
    "theorem5",
    "theorem6_printed",
    "theorem6_repaired",
    "tight",
    "uniqueness",
    "worst_pair",
]
