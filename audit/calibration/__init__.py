"""Calibration audits the auditor: it measures how often claims are refuted that are true, and only just.

A null is a mechanism together with a claim that it satisfies with nothing to spare: there a false alarm is likeliest.
It has three parts. The law says exactly how likely each answer is on each dataset. The dressing says what kind of
output is made of the answer. The behaviour says what the target remembers from one call to the next. The last two never
look at the data of the call, so the mechanism as a whole satisfies the claim that its law satisfies.
"""

from crowdproof.audit.calibration.calibration_report import finding
from crowdproof.audit.calibration.generate import at_edge, generate
from crowdproof.audit.calibration.named import named
from crowdproof.audit.calibration.null import Null
from crowdproof.audit.calibration.rates import Calibration, Rate, calibrate

__all__ = ["Calibration", "Null", "Rate", "at_edge", "calibrate", "finding", "generate", "named"]
