"""(epsilon, delta)-DP and DP under sampling: can releases of neighbours be told apart better than is claimed?"""

from crowdproof.audit.allowance import Allowance
from crowdproof.audit.compare.comparison import Comparison
from crowdproof.audit.compare.conclusion import conclude
from crowdproof.audit.compare.question import Question
from crowdproof.audit.request import Conclusion, Request


def examine(request: Request) -> Conclusion:
    """Look for a pair of neighbours and an event that refute the claim."""
    allowance = Allowance.of(request)
    comparison = Comparison(Question.of(request), allowance)
    comparison.probe()
    comparison.run()
    return conclude(comparison)
