"""Certified numbers: how private 'sample, recode, drop the small groups' is."""

from crowdproof.proofs.bounds.certificate import Certificate, Certified
from crowdproof.proofs.bounds.theorem5 import theorem5
from crowdproof.proofs.bounds.tight import Direction, WorstPair, add_remove, worst_pair

__all__ = ["Certificate", "Certified", "Direction", "WorstPair", "add_remove", "theorem5", "worst_pair"]
