"""False alarms on 20,000 audits of claims that hold with nothing to spare, whatever the rule for when to stop.

`python -m benchmarks.calibration 2000` runs fewer.
"""

import sys
import time
from fractions import Fraction

from crowdproof.audit.calibrate import STOPPING, calibrate, nulls
from crowdproof.audit.runners.cores import Cores
from crowdproof.exact import Epsilon

CLAIMS = (
    ("0.1", Fraction(0)),
    ("1", Fraction(0)),
    ("ln 3", Fraction(1, 50)),
    ("2", Fraction(0)),
    ("0.5", Fraction(1, 10)),
)
ERROR = Fraction(1, 20)


def main(total: int = 20_000) -> None:
    """Print the false-alarm rate as a share of the promised one, and the mean e-values."""
    kinds = len(nulls(Epsilon.of(1), Fraction(0)))
    audits = max(total // (kinds * len(CLAIMS)), 1)
    start, alarms, done = time.process_time(), 0, 0
    print(f"{'claim':16}{'null':34}{'audits':>7}{'alarms':>7}{'/ promised':>11}   mean e-value {', '.join(STOPPING)}")
    for place, (epsilon, delta) in enumerate(CLAIMS):
        found = calibrate(
            Epsilon.of(epsilon), delta, error=ERROR, audits=audits, runs=1500, seed=place, runners=[Cores(2), Cores(3)]
        )
        assert found.sound
        for rate in found.rates:
            alarms, done = alarms + rate.alarms, done + rate.audits
            share = rate.alarms / rate.audits / float(ERROR)
            means = "  ".join(f"{mean:.3f}" for mean in rate.means)
            print(
                f"{epsilon + ', ' + str(delta):16}{rate.null:34}{rate.audits:7}{rate.alarms:7}{share:11.2f}   {means}"
            )
    seconds = time.process_time() - start
    share = alarms / done / float(ERROR)
    print(f"{alarms} of {done} true claims refuted at {float(ERROR):.0%}: {share:.2f} of what is promised")
    print(f"{seconds:.0f} CPU s; results agree on 1, 2 and 3 workers")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
