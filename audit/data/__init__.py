"""Data as it comes in: tables and rows, files and their encodings, and datasets as JSON."""
