"""How each notion of privacy is examined: one module for each, with a function `examine(request) -> Conclusion`.

A claim names the module that examines it, so a notion is a type in `crowdproof.claims` and one file here.
"""
