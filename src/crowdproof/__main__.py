"""`python -m crowdproof` is the command line."""

from crowdproof.cli import main

if __name__ == "__main__":
    main()
