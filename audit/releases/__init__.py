"""What one run of a target gave."""

from crowdproof.audit.releases.refusal import Refusal

__all__ = ["Refusal"]
