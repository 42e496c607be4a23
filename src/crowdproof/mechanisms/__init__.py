"""The mechanisms that the papers describe, as plain functions on tables."""
