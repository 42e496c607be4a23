"""Certified numbers: how private 'sample, recode, drop the small groups' is."""

from crowdproof.proofs.bounds.certificate import Certificate, Certified, WorstPair
from crowdproof.proofs.bounds.profile import ADD_REMOVE, REPLACE, ProfilePoint, epsilon_for, profile, tight, worst_pair
from crowdproof.proofs.bounds.theorem5 import theorem5

__all__ = [
    "ADD_REMOVE",
    "REPLACE",
    "Certificate",
    "Certified",
    "ProfilePoint",
    "WorstPair",
    "epsilon_for",
    "profile",
    "theorem5",
    "tight",
    "worst_pair",
]
