"""One release of the user's own data, judged by canaries: rows that were put into the data by independent fair coins.

A pipeline that takes an hour cannot be run a hundred thousand times on small tables. It can be run once on data that
hold canaries, which `canaries.py` designs and fair coins put in or leave out. `comparing.py` compares each canary with
the release, `guessing.py` learns from the coins that were revealed so far which of the others came up, and `stakes.py`
bets on each guess. `run_once.py` is the way from a target to a finding, and `key_file.py` keeps coins for a pipeline
that runs elsewhere.
"""
