"""Side-by-side runs against the tools that our users would take instead. Each module prints a table of ratios."""
