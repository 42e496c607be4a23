"""Mathematics: machine-checked statements and certified numbers.

- `statements`: the registry, one module for each theorem or section of the papers; `ledger` runs it.
- `engines`: what decides an obligation. `check` puts them together for one obligation.
- `theorem6`: the worst eps1-safe first step, by exact linear programming. `crowd_blending`: the definition, checked.
- `bounds`: certified numbers.
"""
