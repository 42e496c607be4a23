"""The mechanisms that the papers describe, as values that are called with a table and a random generator.

One meaning for missing values, everywhere: **a null is a value of its own**, written `?`, that comes before every other
value of its column; a text `?` is the same value. It has a cell of its own in a grid and in a hierarchy, and a range
that starts with it is written `[?, 40]`. NaN is no value: a column that holds NaN or infinity is refused.

Every release is in an order that depends on its content only, so that row order carries nothing. A k-anonymizer that
fits its groups to the data refuses a table of fewer than k rows; with `total=True`, as `Sampled` sets it, the release
of such a table is empty. Fixed recodings are total as they are.
"""

from crowdproof.mechanisms.apply import Apply
from crowdproof.mechanisms.choices import NoisyThreshold, RandomizedResponse, SparseVector
from crowdproof.mechanisms.conditions import Close, Diverse
from crowdproof.mechanisms.crowd_blending import SuppressedHistogram, SyntheticPoints
from crowdproof.mechanisms.degenerate import AppendPerson, Duplicate
from crowdproof.mechanisms.discrete import DiscreteGaussian
from crowdproof.mechanisms.eps_safe import Candidate, EpsSafe, ExcessRows, ReleasedRows, TwoSamples
from crowdproof.mechanisms.full_domain import FullDomain
from crowdproof.mechanisms.gaussian import AnalyticGaussian
from crowdproof.mechanisms.kmember import KMember
from crowdproof.mechanisms.mondrian import Mondrian
from crowdproof.mechanisms.noise import Exponential, Gaussian, Laplace
from crowdproof.mechanisms.parity import Both, MajorityXor, Parity, Share, Size, printed_pair, repaired_pair, xor_pair
from crowdproof.mechanisms.predicates import Contains
from crowdproof.mechanisms.recoding import Grid, Hierarchy, Keep, Scheme, Suppress
from crowdproof.mechanisms.sampling import Sampled, for_samples, poisson_sample
from crowdproof.mechanisms.setvalued import TopDown
from crowdproof.mechanisms.strongly_safe import StronglySafe, degenerate
from crowdproof.mechanisms.two_recodings import TwoRecodings

__all__ = [
    "AnalyticGaussian",
    "AppendPerson",
    "Apply",
    "Both",
    "Candidate",
    "Close",
    "Contains",
    "DiscreteGaussian",
    "Diverse",
    "Duplicate",
    "EpsSafe",
    "ExcessRows",
    "Exponential",
    "FullDomain",
    "Gaussian",
    "Grid",
    "Hierarchy",
    "KMember",
    "Keep",
    "Laplace",
    "MajorityXor",
    "Mondrian",
    "NoisyThreshold",
    "Parity",
    "RandomizedResponse",
    "ReleasedRows",
    "Sampled",
    "Scheme",
    "Share",
    "Size",
    "SparseVector",
    "StronglySafe",
    "Suppress",
    "SuppressedHistogram",
    "SyntheticPoints",
    "TopDown",
    "TwoRecodings",
    "TwoSamples",
    "degenerate",
    "for_samples",
    "poisson_sample",
    "printed_pair",
    "repaired_pair",
    "xor_pair",
]
