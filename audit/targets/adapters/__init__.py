"""Ready adapters for third-party anonymizers and DP libraries: each turns a package's own calls into a target.

Each module imports its package at once, and not when it is called: a process that forks then does it once for all runs.
"""

_HERE = "crowdproof.audit.targets.adapters"

ADAPTERS = {
    "anonypy": f"{_HERE}.anonypy:k_anonymity",
    "anonypy-t-closeness": f"{_HERE}.anonypy:t_closeness",
    "anonypyx": f"{_HERE}.anonypyx:anonymise",
    "anjana": f"{_HERE}.anjana:k_anonymity",
    "crowds": f"{_HERE}.crowds:ola",
    "diffprivlib-laplace": f"{_HERE}.diffprivlib:laplace_count",
    "diffprivlib-geometric": f"{_HERE}.diffprivlib:geometric_count",
    "diffprivlib-gaussian": f"{_HERE}.diffprivlib:gaussian_sum",
    "opendp-laplace": f"{_HERE}.opendp:laplace_count",
    "opendp-geometric": f"{_HERE}.opendp:geometric_count",
}
"""Short name -> the function that it stands for."""
