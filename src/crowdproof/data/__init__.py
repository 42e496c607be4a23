"""The embedded data: census rows, a generator of census-like tables, and the town with one rich inhabitant."""
