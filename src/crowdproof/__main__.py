"""`python -m crowdproof` is the command line."""

from crowdproof.cli.watch import main

if __name__ == "__main__":
    main()
