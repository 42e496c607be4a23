"""The embedded data: census rows, a generator of census-like tables, and the town with one rich inhabitant."""

from crowdproof.data.embedded import adult
from crowdproof.data.generated import census, town

__all__ = ["adult", "census", "town"]
