"""An adversary at work on a release: one module for each attack."""
