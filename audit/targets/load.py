"""From the text that names a target to the target."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from crowdproof.audit.targets.interface import Limits, Target
from crowdproof.audit.targets.spec import TargetSpec
from crowdproof.findings import Json


def load_target(
    spec: str | Callable[..., Any],
    *,
    params: Mapping[str, Json] | None = None,
    form: str | None = None,
    timeout: float | None = 60.0,
    memory: float | None = None,
    isolate: str = "auto",
) -> Target:
    """The target that the text names; what is wrong with it is an error here, not in the middle of an audit.

    - `package.module:function`, `path/file.py:function`, an adapter's name such as `anonypy`, or a callable;
    - `command:./anonymize --in {input} --out {output}`: a program that is started for each run;
    - `lines:./anonymize --serve`: a program that stays up and answers one line of JSON with another;
    - `http://host/path`, `https://host/path`: a service that is sent a table and answers with one;
    - `releases:FOLDER,FOLDER`: outputs on two neighbouring datasets that somebody else made.

    `form` is how the table is given: polars, pandas, pandas-nullable, pyarrow, rows or numpy to a function, csv or
    parquet to a program or a service. `timeout` (seconds) and `memory` (bytes) are limits of each run.

    >>> import numpy as np
    >>> load_target("statistics:mean", form="numpy", isolate="none")(np.array([1.0, 2.0]), np.random.default_rng(1))
    np.float64(1.5)
    """
    asked = TargetSpec.of(spec, params=dict(params or {}), form=form, limits=Limits(timeout, memory), isolate=isolate)
    loader = import_module(f"{__package__}.{asked.kind.module}")
    target: Target = loader.load(asked)
    return target


@lru_cache(maxsize=8)
def reload(spec: str) -> Target:
    """The target of a JSON spec; one for each process, so that many tasks share its interpreter or connection."""
    return load_target(**json.loads(spec))
