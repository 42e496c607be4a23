"""The auditor audited: how often does it refute claims that are true, and only just?

A null is a mechanism and a claim that it satisfies with nothing to spare, which is where a false alarm is likeliest. A
null is put together from a law (which answer comes of which data, exactly), a dressing (what kind of output is made of
the answer) and a behaviour (what the target remembers). Neither of the last two looks at the data of the call, so the
claim that the law satisfies is satisfied by the whole.
"""

from crowdproof.audit.calibration.calibration_report import finding
from crowdproof.audit.calibration.generate import at_edge, generate
from crowdproof.audit.calibration.named import named
from crowdproof.audit.calibration.null import Null
from crowdproof.audit.calibration.rates import Calibration, Rate, calibrate

__all__ = ["Calibration", "Null", "Rate", "at_edge", "calibrate", "finding", "generate", "named"]
