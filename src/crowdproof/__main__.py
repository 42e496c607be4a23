"""`python -m crowdproof` is the command line."""

from crowdproof.cli import main

main()
